"""vaultmem's own settings: one door, and for each value the place it came from.

Files are TOML, with a table per part of the program::

    [index]
    location = "cache"

    [search]
    limit = 20

Written in plain typed code on the standard library's TOML reader, because a command must answer in a
quarter of a second. Nothing below the wiring (``vaultmem.vault``, the commands) reads settings or the environment.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Final, Generic, Literal, TypeVar

from vaultmem.embed.registry import DEFAULT_EMBEDDER, EMBEDDER_NAMES, is_name
from vaultmem.errors import SettingsError

__all__ = [
    "SETTINGS",
    "VAULT_CONFIG",
    "VAULT_VARIABLE",
    "DreamSettings",
    "EmbedSettings",
    "Explained",
    "HistorySettings",
    "IndexSettings",
    "JudgeSettings",
    "MemorySettings",
    "Origin",
    "SearchSettings",
    "Setting",
    "Settings",
    "chosen_embedder",
    "explain",
    "load_settings",
    "user_config_path",
]

VAULT_CONFIG: Final = PurePosixPath(".vaultmem/config.toml")
"""Where a vault keeps its own settings, from the vault's folder."""

VAULT_VARIABLE: Final = "VAULTMEM_VAULT"
"""The environment variable that names the vault; read by :func:`vaultmem.places.find_vault`."""

_PREFIX: Final = "VAULTMEM_"

MOST_RESULTS: Final = 1_000
MOST_DAYS: Final = 36_500
MOST_THREADS: Final = 64
MOST_IDLE_MINUTES: Final = 1_440
MOST_EDITS: Final = 1_000
MOST_KILOBYTES: Final = 65_536
MOST_TOKENS: Final = 100_000_000
MOST_DOLLARS: Final = 1_000
MOST_MINUTES: Final = 1_440
MOST_TIMEOUT: Final = 3_600

MOST_LETTERS: Final = 64
"""Of a variable's name."""

JUDGE_PROVIDERS: Final = ("openai", "ollama", "anthropic")

_T = TypeVar("_T")
_Choice = TypeVar("_Choice", bound=str)

IndexLocation = Literal["vault", "cache"]
HandNotes = Literal["propose", "write"]
Source = Literal["flag", "environment", "vault", "user", "default"]


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a value came from."""

    source: Source
    where: str = ""
    """The variable's name or the file's path; empty for a flag and for the default."""

    def __str__(self) -> str:
        return f"{self.source} ({self.where})" if self.where else self.source


@dataclass(frozen=True, slots=True)
class Setting(Generic[_T]):
    """One setting: its names and what it accepts."""

    key: str
    """Table and name in a settings file, joined by a dot."""
    variable: str
    """The environment variable that sets it."""
    read: Callable[[object], _T]
    """The value, from what a file or a flag holds; raises _WrongValueError."""
    about: str
    """What it does, in one line."""
    from_text: Callable[[str], object] = str
    """What ``read`` is given, from the text of an environment variable."""
    in_vault: bool = True
    """Whether a vault's own file may hold it: not, where it says who gets notes and keys, or what may be spent. A
    vault may come from somebody else."""


@dataclass(frozen=True, slots=True)
class IndexSettings:
    """The table ``[index]``."""

    location: IndexLocation = "vault"
    """In ``.vaultmem/`` inside the vault, or in a folder of the user's cache (cloud-synced or read-only vaults)."""


@dataclass(frozen=True, slots=True)
class EmbedSettings:
    """The table ``[embed]``."""

    model: str = DEFAULT_EMBEDDER
    """A name that :func:`vaultmem.embed.registry.load_embedder` knows; "none" switches vectors off."""
    threads: int = 0
    """Threads that embed at the same time, where the model leaves it to us; 0: one per core, at most eight."""


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """The table ``[search]``."""

    limit: int = 10
    """Notes in an answer, at most."""


@dataclass(frozen=True, slots=True)
class MemorySettings:
    """The table ``[memory]``."""

    root: str = "Memory"
    """The folder of managed notes: from the vault's folder, with ``/``, without one at either end."""


@dataclass(frozen=True, slots=True)
class HistorySettings:
    """The table ``[history]``."""

    capture_hand_edits: bool = False
    """Whether the bytes of notes that a person edited are kept, too; else only their hashes are."""
    keep_days: int = 365
    """How many days a version can be had back, at least: ``gc`` removes older ones. 0: for ever."""


@dataclass(frozen=True, slots=True)
class DreamSettings:
    """The table ``[dream]``."""

    enabled: bool = True
    """Whether the daemon dreams at all; it keeps the index up either way."""
    window: str = "01:00-06:00"
    """When it may begin: from and to in the person's own time, also across midnight; or "any"."""
    idle_minutes: int = 15
    """So long nobody must have used the vault."""
    hand_notes: HandNotes = "propose"
    """What is found in a person's own notes: proposed in the review note, or written."""
    edits: int = 32
    """Destructive edits in a cycle, at most."""
    kilobytes: int = 256
    """Bytes that these may change, in kilobytes."""
    remember_queries: bool = True
    """Whether questions are kept, with the notes that answered them: they say which notes are needed."""


@dataclass(frozen=True, slots=True)
class JudgeSettings:
    """The table ``[judge]``."""

    model: str = ""
    """PROVIDER:NAME of the model that :func:`vaultmem.judge.make_judge` makes a judge of; "": none, heuristics judge."""
    base_url: str = ""
    """Where it answers; "": at the provider's own address."""
    api_key_env: str = ""
    """The environment variable with its key; "": the provider's usual one, at the provider's own address."""
    max_tokens: int = 200_000
    """Tokens a cycle, sent and received."""
    max_cost: float = 0.5
    """US dollars a cycle."""
    max_minutes: int = 15
    """Minutes a cycle of waiting for the model."""
    timeout_seconds: int = 60
    """Seconds for one try."""
    price: str = ""
    """US dollars for a million tokens in/out, as in "0.25/2"; "": from a table."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Every setting; the default of each when made without arguments."""

    index: IndexSettings = IndexSettings()
    embed: EmbedSettings = EmbedSettings()
    search: SearchSettings = SearchSettings()
    memory: MemorySettings = MemorySettings()
    history: HistorySettings = HistorySettings()
    dream: DreamSettings = DreamSettings()
    judge: JudgeSettings = JudgeSettings()
    origins: tuple[tuple[str, Origin], ...] = ()
    """The origin by key; a key that is not here has its default."""

    def origin(self, key: str) -> Origin:
        """Where the value of ``key`` came from."""
        return dict(self.origins).get(key, Origin("default"))


@dataclass(frozen=True, slots=True)
class Explained:
    """A setting as a command shows it."""

    key: str
    value: str | int | float | bool
    origin: Origin
    about: str
    in_vault: bool = True
    """Whether a vault's own file may hold it."""


class _WrongValueError(Exception):
    """A value that a setting does not accept; carries what it does accept, and perhaps the value meant."""

    def __init__(self, accepted: str, meant: str = "", *, secret: bool = False) -> None:
        """``secret``: what was given may be one, and is not to be shown."""
        super().__init__(accepted)
        self.accepted = accepted
        self.meant = meant
        self.secret = secret


def _choice(*options: _Choice) -> Callable[[object], _Choice]:
    def read(raw: object) -> _Choice:
        for option in options:
            if raw == option:
                return option
        listed = " or ".join(f'"{option}"' for option in options)
        raise _WrongValueError(listed, _closest(str(raw), options))

    return read


def _count(least: int, most: int) -> Callable[[object], int]:
    def read(raw: object) -> int:
        if isinstance(raw, int) and not isinstance(raw, bool) and least <= raw <= most:
            return raw
        raise _WrongValueError(f"a whole number from {least} to {most}")

    return read


def _amount(least: float, most: float) -> Callable[[object], float]:
    def read(raw: object) -> float:
        if isinstance(raw, int | float) and not isinstance(raw, bool) and least <= raw <= most:
            return float(raw)
        raise _WrongValueError(f"a number from {least:g} to {most:g}")

    return read


def _judge_model(raw: object) -> str:
    """A provider and a name, or nothing for "none", too; whether there is such a model is seen when it is asked."""
    if isinstance(raw, str):
        model = raw.strip()
        if model == "none":
            return ""
        provider, _, name = model.partition(":")
        if not model or (provider in JUDGE_PROVIDERS and name and model.split() == [model]):
            return model
    forms = ", ".join(f'"{each}:MODEL"' for each in JUDGE_PROVIDERS)
    raise _WrongValueError(f'{forms} or ""')


def _web_address(raw: object) -> str:
    """An address without a name and password in it, or nothing."""
    if isinstance(raw, str):
        from urllib.parse import urlsplit

        address = raw.strip()
        try:
            parts = urlsplit(address)
            good = parts.scheme in ("http", "https") and bool(parts.hostname) and "@" not in address
        except ValueError:
            good = False
        if not address or (good and address.isprintable() and address.split() == [address]):
            return address
    raise _WrongValueError(
        'an address such as "http://localhost:11434/v1", without a password', secret=True
    )


def _variable_name(raw: object) -> str:
    """The name of an environment variable, or nothing. A key itself has other characters, or too many."""
    if isinstance(raw, str):
        name = raw.strip()
        plain = name.isascii() and name.isidentifier() and name == name.upper()
        if not name or (plain and len(name) <= MOST_LETTERS):
            return name
    raise _WrongValueError(
        "the name, in capital letters, of the environment variable that holds the key", secret=True
    )


def _price(raw: object) -> str:
    """Dollars for a million tokens in/out, or nothing."""
    if isinstance(raw, str):
        import re

        price = raw.strip()
        if re.fullmatch(r"(\d{1,6}(\.\d{1,6})?\s*/\s*\d{1,6}(\.\d{1,6})?)?", price, re.ASCII):
            return price
    raise _WrongValueError('dollars for a million tokens in/out, such as "0.25/2", or ""')


def _embedder(raw: object) -> str:
    """A name of the form of an embedder's; whether there is such a model is seen when it is used."""
    if isinstance(raw, str) and is_name(raw):
        return raw.strip()
    forms = [*(f'"{name}"' for name in EMBEDDER_NAMES), '"fastembed:MODEL" or "path:/FOLDER"']
    raise _WrongValueError(", ".join(forms), _closest(str(raw), EMBEDDER_NAMES))


def _switch(raw: object) -> bool:
    if isinstance(raw, bool):
        return raw
    raise _WrongValueError("true or false")


def _switch_or_text(text: str) -> bool | str:
    return {"true": True, "1": True, "false": False, "0": False}.get(text.strip().lower(), text)


def _number_or_text(text: str) -> int | str:
    try:
        return int(text)
    except ValueError:
        return text


def _window(raw: object) -> str:
    """When a dream may begin; the text of one that can be read."""
    from vaultmem.dream.window import Window

    if isinstance(raw, str):
        try:
            return str(Window.parse(raw))
        except ValueError:
            pass
    raise _WrongValueError('two different times such as "01:00-06:00", or "any"')


def _amount_or_text(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


def _vault_folder(raw: object) -> str:
    """A folder inside the vault that Obsidian shows: relative, below the vault, no dot-folder."""
    if isinstance(raw, str):
        path = raw.strip().removesuffix("/")
        parts = path.split("/")
        if all(parts) and not any(
            part.startswith(".") or set(part) & set(':\\"*?<>|') for part in parts
        ):
            return path
    raise _WrongValueError('a folder inside the vault, such as "Memory" or "Notes/Memory"')


_INDEX_LOCATION: Final[Setting[IndexLocation]] = Setting(
    key="index.location",
    variable="VAULTMEM_INDEX_LOCATION",
    read=_choice("vault", "cache"),
    about='Where the index lies: in the "vault", or in the user\'s "cache" folder.',
)
_EMBED_MODEL: Final[Setting[str]] = Setting(
    key="embed.model",
    variable="VAULTMEM_EMBEDDER",
    read=_embedder,
    about='What turns text into vectors; "none" searches by words alone.',
)
_EMBED_THREADS: Final[Setting[int]] = Setting(
    key="embed.threads",
    variable="VAULTMEM_EMBED_THREADS",
    read=_count(0, MOST_THREADS),
    about="How many threads embed at the same time; 0: one per core, at most eight.",
    from_text=_number_or_text,
)
_SEARCH_LIMIT: Final[Setting[int]] = Setting(
    key="search.limit",
    variable="VAULTMEM_SEARCH_LIMIT",
    read=_count(1, MOST_RESULTS),
    about="How many notes an answer holds at most.",
    from_text=_number_or_text,
)
_MEMORY_ROOT: Final[Setting[str]] = Setting(
    key="memory.root",
    variable="VAULTMEM_MEMORY_ROOT",
    read=_vault_folder,
    about="The folder, inside the vault, of the notes that vaultmem itself writes.",
)
_HISTORY_CAPTURE: Final[Setting[bool]] = Setting(
    key="history.capture_hand_edits",
    variable="VAULTMEM_HISTORY_CAPTURE_HAND_EDITS",
    read=_switch,
    about="Whether what you edit by hand is kept in full, so that it can be had back, too.",
    from_text=_switch_or_text,
)
_HISTORY_KEEP_DAYS: Final[Setting[int]] = Setting(
    key="history.keep_days",
    variable="VAULTMEM_HISTORY_KEEP_DAYS",
    read=_count(0, MOST_DAYS),
    about="How many days old versions are kept at least; `gc` removes older ones. 0: for ever.",
    from_text=_number_or_text,
)
_DREAM_ENABLED: Final[Setting[bool]] = Setting(
    key="dream.enabled",
    variable="VAULTMEM_DREAM_ENABLED",
    read=_switch,
    about="Whether the daemon tends the notes at night; the index is kept up either way.",
    from_text=_switch_or_text,
)
_DREAM_WINDOW: Final[Setting[str]] = Setting(
    key="dream.window",
    variable="VAULTMEM_DREAM_WINDOW",
    read=_window,
    about='When it may begin, in your own time; may go across midnight. "any": at any time of day.',
)
_DREAM_IDLE: Final[Setting[int]] = Setting(
    key="dream.idle_minutes",
    variable="VAULTMEM_DREAM_IDLE_MINUTES",
    read=_count(1, MOST_IDLE_MINUTES),
    about="How many minutes nobody must have used the vault before it begins.",
    from_text=_number_or_text,
)
_DREAM_HAND_NOTES: Final[Setting[HandNotes]] = Setting(
    key="dream.hand_notes",
    variable="VAULTMEM_DREAM_HAND_NOTES",
    read=_choice("propose", "write"),
    about='What becomes of findings in your own notes: "propose" them for review, or "write" them.',
)
_DREAM_EDITS: Final[Setting[int]] = Setting(
    key="dream.edits",
    variable="VAULTMEM_DREAM_EDITS",
    read=_count(0, MOST_EDITS),
    about="How many destructive edits (merge, archive, supersede) a cycle may make at most.",
    from_text=_number_or_text,
)
_DREAM_KILOBYTES: Final[Setting[int]] = Setting(
    key="dream.kilobytes",
    variable="VAULTMEM_DREAM_KILOBYTES",
    read=_count(0, MOST_KILOBYTES),
    about="How many kilobytes those edits may change at most.",
    from_text=_number_or_text,
)
_DREAM_REMEMBER: Final[Setting[bool]] = Setting(
    key="dream.remember_queries",
    variable="VAULTMEM_DREAM_REMEMBER_QUERIES",
    read=_switch,
    about="Whether your questions are kept in the vault, with the notes that answered: they show what is needed.",
    from_text=_switch_or_text,
)

_JUDGE_MODEL: Final[Setting[str]] = Setting(
    key="judge.model",
    variable="VAULTMEM_JUDGE_MODEL",
    read=_judge_model,
    about='The model that helps to judge what is the same and what contradicts; "": none.',
)
_JUDGE_BASE_URL: Final[Setting[str]] = Setting(
    key="judge.base_url",
    variable="VAULTMEM_JUDGE_BASE_URL",
    read=_web_address,
    about='Where that model answers; "": at the address that its provider has.',
    in_vault=False,
)
_JUDGE_API_KEY_ENV: Final[Setting[str]] = Setting(
    key="judge.api_key_env",
    variable="VAULTMEM_JUDGE_API_KEY_ENV",
    read=_variable_name,
    about='The name of the environment variable with its key; "": the usual one of its provider.',
    in_vault=False,
)
_JUDGE_MAX_TOKENS: Final[Setting[int]] = Setting(
    key="judge.max_tokens",
    variable="VAULTMEM_JUDGE_MAX_TOKENS",
    read=_count(0, MOST_TOKENS),
    about="How many tokens a cycle may send and receive.",
    from_text=_number_or_text,
)
_JUDGE_MAX_COST: Final[Setting[float]] = Setting(
    key="judge.max_cost",
    variable="VAULTMEM_JUDGE_MAX_COST",
    read=_amount(0, MOST_DOLLARS),
    about="How many US dollars a cycle may cost.",
    from_text=_amount_or_text,
    in_vault=False,
)
_JUDGE_MAX_MINUTES: Final[Setting[int]] = Setting(
    key="judge.max_minutes",
    variable="VAULTMEM_JUDGE_MAX_MINUTES",
    read=_count(0, MOST_MINUTES),
    about="How many minutes a cycle may wait for the model in all.",
    from_text=_number_or_text,
)
_JUDGE_TIMEOUT: Final[Setting[int]] = Setting(
    key="judge.timeout_seconds",
    variable="VAULTMEM_JUDGE_TIMEOUT_SECONDS",
    read=_count(1, MOST_TIMEOUT),
    about="How many seconds the model has for one answer.",
    from_text=_number_or_text,
)
_JUDGE_PRICE: Final[Setting[str]] = Setting(
    key="judge.price",
    variable="VAULTMEM_JUDGE_PRICE",
    read=_price,
    about='US dollars for a million tokens in/out, such as "0.25/2"; "": from the table.',
    in_vault=False,
)

SETTINGS: Final[tuple[Setting[Any], ...]] = (
    _INDEX_LOCATION,
    _EMBED_MODEL,
    _EMBED_THREADS,
    _SEARCH_LIMIT,
    _MEMORY_ROOT,
    _HISTORY_CAPTURE,
    _HISTORY_KEEP_DAYS,
    _DREAM_ENABLED,
    _DREAM_WINDOW,
    _DREAM_IDLE,
    _DREAM_HAND_NOTES,
    _DREAM_EDITS,
    _DREAM_KILOBYTES,
    _DREAM_REMEMBER,
    _JUDGE_MODEL,
    _JUDGE_BASE_URL,
    _JUDGE_API_KEY_ENV,
    _JUDGE_MAX_TOKENS,
    _JUDGE_MAX_COST,
    _JUDGE_MAX_MINUTES,
    _JUDGE_TIMEOUT,
    _JUDGE_PRICE,
)
"""Every setting, in the order in which they are shown."""


@dataclass(frozen=True, slots=True)
class _Place:
    """One place that may hold settings."""

    source: Source
    held: Mapping[str, object]
    """What it holds, by key."""
    file: str = ""

    def origin(self, setting: Setting[_T]) -> Origin:
        return Origin(self.source, setting.variable if self.source == "environment" else self.file)

    def read(self, setting: Setting[_T]) -> _T:
        """The value it holds for ``setting``; raises SettingsError."""
        raw = self.held[setting.key]
        if self.source == "vault" and not setting.in_vault:
            raise SettingsError(
                f"{self.file}: {setting.key} is not taken from a vault's own settings.",
                hint=f"A vault may come from somebody else. Put it into your own settings file, or set {setting.variable}.",
            )
        try:
            return setting.read(raw)
        except _WrongValueError as error:
            name = setting.variable if self.source == "environment" else setting.key
            where = f"{self.file}: " if self.file else ""
            given = "what stands there" if error.secret else repr(raw)
            raise SettingsError(
                f"{where}{name} must be {error.accepted}, not {given}.",
                hint=_did_you_mean(error.meant),
            ) from None


def load_settings(
    *,
    vault: Path | None,
    user_config: Path,
    environ: Mapping[str, str],
    flags: Mapping[str, str | int | float | None] | None = None,
) -> Settings:
    """The settings in force, each with its origin. The first of these places that holds a value gives it:

    1. the command's flag (``flags``, by key; None counts as not given),
    2. the environment (``VAULTMEM_…``; an empty variable counts as not set),
    3. the vault's own ``.vaultmem/config.toml``,
    4. the user's ``config.toml`` (``user_config``),
    5. the default.

    A missing file is no fault. The vault's file may not hold what says who gets notes and keys, or what may be spent
    (``Setting.in_vault``). Raises SettingsError for that and, naming the file or variable and the key, for a file that
    cannot be read or is no TOML, for an unknown key, and for a value of a wrong type or out of bounds, even
    where a better place holds a good one: a fault that waits is worse than one that is seen.
    """
    places = (
        _Place("flag", {key: value for key, value in (flags or {}).items() if value is not None}),
        _Place("environment", _from_environment(environ)),
        *([_from_file("vault", vault / VAULT_CONFIG)] if vault else []),
        _from_file("user", user_config),
    )
    origins: dict[str, Origin] = {}

    def pick(setting: Setting[_T], default: _T) -> _T:
        found = [(place, place.read(setting)) for place in places if setting.key in place.held]
        if not found:
            return default
        place, value = found[0]
        origins[setting.key] = place.origin(setting)
        return value

    default = Settings()
    return Settings(
        index=IndexSettings(location=pick(_INDEX_LOCATION, default.index.location)),
        embed=EmbedSettings(
            model=pick(_EMBED_MODEL, default.embed.model),
            threads=pick(_EMBED_THREADS, default.embed.threads),
        ),
        search=SearchSettings(limit=pick(_SEARCH_LIMIT, default.search.limit)),
        memory=MemorySettings(root=pick(_MEMORY_ROOT, default.memory.root)),
        history=HistorySettings(
            capture_hand_edits=pick(_HISTORY_CAPTURE, default.history.capture_hand_edits),
            keep_days=pick(_HISTORY_KEEP_DAYS, default.history.keep_days),
        ),
        dream=DreamSettings(
            enabled=pick(_DREAM_ENABLED, default.dream.enabled),
            window=pick(_DREAM_WINDOW, default.dream.window),
            idle_minutes=pick(_DREAM_IDLE, default.dream.idle_minutes),
            hand_notes=pick(_DREAM_HAND_NOTES, default.dream.hand_notes),
            edits=pick(_DREAM_EDITS, default.dream.edits),
            kilobytes=pick(_DREAM_KILOBYTES, default.dream.kilobytes),
            remember_queries=pick(_DREAM_REMEMBER, default.dream.remember_queries),
        ),
        judge=JudgeSettings(
            model=pick(_JUDGE_MODEL, default.judge.model),
            base_url=pick(_JUDGE_BASE_URL, default.judge.base_url),
            api_key_env=pick(_JUDGE_API_KEY_ENV, default.judge.api_key_env),
            max_tokens=pick(_JUDGE_MAX_TOKENS, default.judge.max_tokens),
            max_cost=pick(_JUDGE_MAX_COST, default.judge.max_cost),
            max_minutes=pick(_JUDGE_MAX_MINUTES, default.judge.max_minutes),
            timeout_seconds=pick(_JUDGE_TIMEOUT, default.judge.timeout_seconds),
            price=pick(_JUDGE_PRICE, default.judge.price),
        ),
        origins=tuple(origins.items()),
    )


def explain(settings: Settings) -> tuple[Explained, ...]:
    """Every setting with its value and origin, in the order of ``SETTINGS``."""
    values: tuple[str | int | float | bool, ...] = (
        settings.index.location,
        settings.embed.model,
        settings.embed.threads,
        settings.search.limit,
        settings.memory.root,
        settings.history.capture_hand_edits,
        settings.history.keep_days,
        settings.dream.enabled,
        settings.dream.window,
        settings.dream.idle_minutes,
        settings.dream.hand_notes,
        settings.dream.edits,
        settings.dream.kilobytes,
        settings.dream.remember_queries,
        settings.judge.model,
        settings.judge.base_url,
        settings.judge.api_key_env,
        settings.judge.max_tokens,
        settings.judge.max_cost,
        settings.judge.max_minutes,
        settings.judge.timeout_seconds,
        settings.judge.price,
    )
    return tuple(
        Explained(setting.key, value, settings.origin(setting.key), setting.about, setting.in_vault)
        for setting, value in zip(SETTINGS, values, strict=True)
    )


def chosen_embedder(vault: Path) -> str | None:
    """The embedder that the vault's own settings file names; None when it names none. Raises SettingsError."""
    place = _from_file("vault", vault / VAULT_CONFIG)
    return place.read(_EMBED_MODEL) if _EMBED_MODEL.key in place.held else None


def user_config_path() -> Path:
    """Where the user's own settings file lies by the customs of the system; it need not exist."""
    from platformdirs import user_config_path as folder

    return folder("vaultmem", appauthor=False) / "config.toml"


def _from_environment(environ: Mapping[str, str]) -> dict[str, object]:
    """What the environment holds, by key. Raises SettingsError for a variable that is nearly one of ours.

    A name that is nothing like ours may belong to the user's own scripts and is passed over.
    """
    known = {setting.variable for setting in SETTINGS} | {VAULT_VARIABLE}
    for name in environ:
        if name.startswith(_PREFIX) and name not in known:
            short = name.removeprefix(_PREFIX)
            if meant := _closest(short, [each.removeprefix(_PREFIX) for each in known]):
                raise SettingsError(
                    f"The environment variable {name} is not known.",
                    hint=_did_you_mean(_PREFIX + meant),
                )
    return {
        setting.key: setting.from_text(environ[setting.variable])
        for setting in SETTINGS
        if environ.get(setting.variable)
    }


def _from_file(source: Source, path: Path) -> _Place:
    """What the file holds; nothing, if there is none. Raises SettingsError."""
    try:
        content = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return _Place(source, {}, str(path))
    except OSError as error:
        raise SettingsError(
            f"The settings file {path} cannot be read: {error.strerror}.",
            hint="Check its permissions, or move it away.",
        ) from error
    return _Place(source, dict(_entries(_parsed(content, path), path)), str(path))


def _parsed(content: bytes, path: Path) -> dict[str, object]:
    import tomllib

    try:
        return tomllib.loads(content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise SettingsError(
            f"The settings file {path} is not UTF-8.", hint="Save it as UTF-8."
        ) from error
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(
            f"The settings file {path} is not valid TOML: {error}.",
            hint='A line looks like: location = "vault"; no [section] may stand twice.',
        ) from error


def _entries(tables: Mapping[str, object], path: Path) -> Iterator[tuple[str, object]]:
    """Each key of the file with its value. Raises SettingsError for a key that is no setting."""
    known = _names_by_table()
    for table, entries in tables.items():
        if table not in known:
            raise _unknown(path, table, _closest(table, known), list(known))
        if not isinstance(entries, dict):
            raise SettingsError(
                f"{path}: {table} must be a table, not {entries!r}.", hint=f"Write it as: [{table}]"
            )
        for name, value in entries.items():
            key = f"{table}.{name}"
            if name not in known[table]:
                meant = _closest(name, known[table])
                raise _unknown(
                    path, key, f"{table}.{meant}" if meant else "", [each.key for each in SETTINGS]
                )
            yield key, value


def _names_by_table() -> dict[str, list[str]]:
    """The settings' names within each table of a file."""
    tables: dict[str, list[str]] = {}
    for setting in SETTINGS:
        table, _, name = setting.key.partition(".")
        tables.setdefault(table, []).append(name)
    return tables


def _unknown(path: Path, key: str, meant: str, known: Iterable[str]) -> SettingsError:
    hint = _did_you_mean(meant) or f"Known are: {', '.join(known)}."
    return SettingsError(f"{path}: there is no setting {key!r}.", hint=hint)


def _closest(word: str, options: Iterable[str]) -> str:
    """The option that was probably meant; empty, if none is near."""
    from difflib import get_close_matches

    return next(iter(get_close_matches(word, sorted(options), n=1, cutoff=0.7)), "")


def _did_you_mean(meant: str) -> str:
    return f"Did you mean {meant!r}?" if meant else ""
