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
from typing import Any, Final, Generic, TypeVar

from vaultmem.errors import SettingsError
from vaultmem.settings_tables import (
    DreamSettings,
    EmbedSettings,
    HandNotes,
    HistorySettings,
    IndexLocation,
    IndexSettings,
    JudgeSettings,
    MemorySettings,
    Origin,
    SearchSettings,
    Settings,
    Source,
)
from vaultmem.settings_values import (
    WrongValueError,
    amount,
    amount_or_text,
    choice,
    closest,
    count,
    embedder,
    judge_model,
    number_or_text,
    price,
    switch,
    switch_or_text,
    variable_name,
    vault_folder,
    web_address,
    window,
)

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

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Setting(Generic[_T]):
    """One setting: its names and what it accepts."""

    key: str
    """Table and name in a settings file, joined by a dot."""
    variable: str
    """The environment variable that sets it."""
    read: Callable[[object], _T]
    """The value, from what a file or a flag holds; raises WrongValueError."""
    about: str
    """What it does, in one line."""
    from_text: Callable[[str], object] = str
    """What ``read`` is given, from the text of an environment variable."""
    in_vault: bool = True
    """Whether a vault's own file may hold it: not, where it says who gets notes and keys, or what may be spent. A
    vault may come from somebody else."""


@dataclass(frozen=True, slots=True)
class Explained:
    """A setting as a command shows it."""

    key: str
    value: str | int | float | bool
    origin: Origin
    about: str
    in_vault: bool = True
    """Whether a vault's own file may hold it."""


_INDEX_LOCATION: Final[Setting[IndexLocation]] = Setting(
    key="index.location",
    variable="VAULTMEM_INDEX_LOCATION",
    read=choice("vault", "cache"),
    about='Where the index lies: in the "vault", or in the user\'s "cache" folder.',
)
_EMBED_MODEL: Final[Setting[str]] = Setting(
    key="embed.model",
    variable="VAULTMEM_EMBEDDER",
    read=embedder,
    about='What turns text into vectors; "none" searches by words alone.',
)
_EMBED_THREADS: Final[Setting[int]] = Setting(
    key="embed.threads",
    variable="VAULTMEM_EMBED_THREADS",
    read=count(0, MOST_THREADS),
    about="How many threads embed at the same time; 0: one per core, at most eight.",
    from_text=number_or_text,
)
_SEARCH_LIMIT: Final[Setting[int]] = Setting(
    key="search.limit",
    variable="VAULTMEM_SEARCH_LIMIT",
    read=count(1, MOST_RESULTS),
    about="How many notes an answer holds at most.",
    from_text=number_or_text,
)
_MEMORY_ROOT: Final[Setting[str]] = Setting(
    key="memory.root",
    variable="VAULTMEM_MEMORY_ROOT",
    read=vault_folder,
    about="The folder, inside the vault, of the notes that vaultmem itself writes.",
)
_HISTORY_CAPTURE: Final[Setting[bool]] = Setting(
    key="history.capture_hand_edits",
    variable="VAULTMEM_HISTORY_CAPTURE_HAND_EDITS",
    read=switch,
    about="Whether what you edit by hand is kept in full, so that it can be had back, too.",
    from_text=switch_or_text,
)
_HISTORY_KEEP_DAYS: Final[Setting[int]] = Setting(
    key="history.keep_days",
    variable="VAULTMEM_HISTORY_KEEP_DAYS",
    read=count(0, MOST_DAYS),
    about="How many days old versions are kept at least; `gc` removes older ones. 0: for ever.",
    from_text=number_or_text,
)
_DREAM_ENABLED: Final[Setting[bool]] = Setting(
    key="dream.enabled",
    variable="VAULTMEM_DREAM_ENABLED",
    read=switch,
    about="Whether the daemon tends the notes at night; the index is kept up either way.",
    from_text=switch_or_text,
)
_DREAM_WINDOW: Final[Setting[str]] = Setting(
    key="dream.window",
    variable="VAULTMEM_DREAM_WINDOW",
    read=window,
    about='When it may begin, in your own time; may go across midnight. "any": at any time of day.',
)
_DREAM_IDLE: Final[Setting[int]] = Setting(
    key="dream.idle_minutes",
    variable="VAULTMEM_DREAM_IDLE_MINUTES",
    read=count(1, MOST_IDLE_MINUTES),
    about="How many minutes nobody must have used the vault before it begins.",
    from_text=number_or_text,
)
_DREAM_HAND_NOTES: Final[Setting[HandNotes]] = Setting(
    key="dream.hand_notes",
    variable="VAULTMEM_DREAM_HAND_NOTES",
    read=choice("propose", "write"),
    about='What becomes of findings in your own notes: "propose" them for review, or "write" them.',
)
_DREAM_EDITS: Final[Setting[int]] = Setting(
    key="dream.edits",
    variable="VAULTMEM_DREAM_EDITS",
    read=count(0, MOST_EDITS),
    about="How many destructive edits (merge, archive, supersede) a cycle may make at most.",
    from_text=number_or_text,
)
_DREAM_KILOBYTES: Final[Setting[int]] = Setting(
    key="dream.kilobytes",
    variable="VAULTMEM_DREAM_KILOBYTES",
    read=count(0, MOST_KILOBYTES),
    about="How many kilobytes those edits may change at most.",
    from_text=number_or_text,
)
_DREAM_REMEMBER: Final[Setting[bool]] = Setting(
    key="dream.remember_queries",
    variable="VAULTMEM_DREAM_REMEMBER_QUERIES",
    read=switch,
    about="Whether your questions are kept in the vault, with the notes that answered: they show what is needed.",
    from_text=switch_or_text,
)

_JUDGE_MODEL: Final[Setting[str]] = Setting(
    key="judge.model",
    variable="VAULTMEM_JUDGE_MODEL",
    read=judge_model,
    about='The model that helps to judge what is the same and what contradicts; "": none.',
)
_JUDGE_BASE_URL: Final[Setting[str]] = Setting(
    key="judge.base_url",
    variable="VAULTMEM_JUDGE_BASE_URL",
    read=web_address,
    about='Where that model answers; "": at the address that its provider has.',
    in_vault=False,
)
_JUDGE_API_KEY_ENV: Final[Setting[str]] = Setting(
    key="judge.api_key_env",
    variable="VAULTMEM_JUDGE_API_KEY_ENV",
    read=variable_name,
    about='The name of the environment variable with its key; "": the usual one of its provider.',
    in_vault=False,
)
_JUDGE_MAX_TOKENS: Final[Setting[int]] = Setting(
    key="judge.max_tokens",
    variable="VAULTMEM_JUDGE_MAX_TOKENS",
    read=count(0, MOST_TOKENS),
    about="How many tokens a cycle may send and receive.",
    from_text=number_or_text,
)
_JUDGE_MAX_COST: Final[Setting[float]] = Setting(
    key="judge.max_cost",
    variable="VAULTMEM_JUDGE_MAX_COST",
    read=amount(0, MOST_DOLLARS),
    about="How many US dollars a cycle may cost.",
    from_text=amount_or_text,
    in_vault=False,
)
_JUDGE_MAX_MINUTES: Final[Setting[int]] = Setting(
    key="judge.max_minutes",
    variable="VAULTMEM_JUDGE_MAX_MINUTES",
    read=count(0, MOST_MINUTES),
    about="How many minutes a cycle may wait for the model in all.",
    from_text=number_or_text,
)
_JUDGE_TIMEOUT: Final[Setting[int]] = Setting(
    key="judge.timeout_seconds",
    variable="VAULTMEM_JUDGE_TIMEOUT_SECONDS",
    read=count(1, MOST_TIMEOUT),
    about="How many seconds the model has for one answer.",
    from_text=number_or_text,
)
_JUDGE_PRICE: Final[Setting[str]] = Setting(
    key="judge.price",
    variable="VAULTMEM_JUDGE_PRICE",
    read=price,
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
        except WrongValueError as error:
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
            if meant := closest(short, [each.removeprefix(_PREFIX) for each in known]):
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
            raise _unknown(path, table, closest(table, known), list(known))
        if not isinstance(entries, dict):
            raise SettingsError(
                f"{path}: {table} must be a table, not {entries!r}.", hint=f"Write it as: [{table}]"
            )
        for name, value in entries.items():
            key = f"{table}.{name}"
            if name not in known[table]:
                meant = closest(name, known[table])
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


def _did_you_mean(meant: str) -> str:
    return f"Did you mean {meant!r}?" if meant else ""
