"""What a value of a setting may be: readers that give the value, or say what would be accepted."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, TypeVar

from vaultmem.embed.registry import EMBEDDER_NAMES, is_name

MOST_LETTERS: Final = 64
"""Of a variable's name."""

JUDGE_PROVIDERS: Final = ("openai", "ollama", "anthropic")

_Choice = TypeVar("_Choice", bound=str)


class WrongValueError(Exception):
    """A value that a setting does not accept; carries what it does accept, and perhaps the value meant."""

    def __init__(self, accepted: str, meant: str = "", *, secret: bool = False) -> None:
        """``secret``: what was given may be one, and is not to be shown."""
        super().__init__(accepted)
        self.accepted = accepted
        self.meant = meant
        self.secret = secret


def choice(*options: _Choice) -> Callable[[object], _Choice]:
    def read(raw: object) -> _Choice:
        for option in options:
            if raw == option:
                return option
        listed = " or ".join(f'"{option}"' for option in options)
        raise WrongValueError(listed, closest(str(raw), options))

    return read


def count(least: int, most: int) -> Callable[[object], int]:
    def read(raw: object) -> int:
        if isinstance(raw, int) and not isinstance(raw, bool) and least <= raw <= most:
            return raw
        raise WrongValueError(f"a whole number from {least} to {most}")

    return read


def amount(least: float, most: float) -> Callable[[object], float]:
    def read(raw: object) -> float:
        if isinstance(raw, int | float) and not isinstance(raw, bool) and least <= raw <= most:
            return float(raw)
        raise WrongValueError(f"a number from {least:g} to {most:g}")

    return read


def judge_model(raw: object) -> str:
    """A provider and a name, or nothing for "none", too; whether there is such a model is seen when it is asked."""
    if isinstance(raw, str):
        model = raw.strip()
        if model == "none":
            return ""
        provider, _, name = model.partition(":")
        if not model or (provider in JUDGE_PROVIDERS and name and model.split() == [model]):
            return model
    forms = ", ".join(f'"{each}:MODEL"' for each in JUDGE_PROVIDERS)
    raise WrongValueError(f'{forms} or ""')


def web_address(raw: object) -> str:
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
    raise WrongValueError(
        'an address such as "http://localhost:11434/v1", without a password', secret=True
    )


def variable_name(raw: object) -> str:
    """The name of an environment variable, or nothing. A key itself has other characters, or too many."""
    if isinstance(raw, str):
        name = raw.strip()
        plain = name.isascii() and name.isidentifier() and name == name.upper()
        if not name or (plain and len(name) <= MOST_LETTERS):
            return name
    raise WrongValueError(
        "the name, in capital letters, of the environment variable that holds the key", secret=True
    )


def price(raw: object) -> str:
    """Dollars for a million tokens in/out, or nothing."""
    if isinstance(raw, str):
        import re

        price = raw.strip()
        if re.fullmatch(r"(\d{1,6}(\.\d{1,6})?\s*/\s*\d{1,6}(\.\d{1,6})?)?", price, re.ASCII):
            return price
    raise WrongValueError('dollars for a million tokens in/out, such as "0.25/2", or ""')


def embedder(raw: object) -> str:
    """A name of the form of an embedder's; whether there is such a model is seen when it is used."""
    if isinstance(raw, str) and is_name(raw):
        return raw.strip()
    forms = [*(f'"{name}"' for name in EMBEDDER_NAMES), '"fastembed:MODEL" or "path:/FOLDER"']
    raise WrongValueError(", ".join(forms), closest(str(raw), EMBEDDER_NAMES))


def switch(raw: object) -> bool:
    if isinstance(raw, bool):
        return raw
    raise WrongValueError("true or false")


def switch_or_text(text: str) -> bool | str:
    return {"true": True, "1": True, "false": False, "0": False}.get(text.strip().lower(), text)


def number_or_text(text: str) -> int | str:
    try:
        return int(text)
    except ValueError:
        return text


def window(raw: object) -> str:
    """When a dream may begin; the text of one that can be read."""
    from vaultmem.dream.window import Window

    if isinstance(raw, str):
        try:
            return str(Window.parse(raw))
        except ValueError:
            pass
    raise WrongValueError('two different times such as "01:00-06:00", or "any"')


def amount_or_text(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


def vault_folder(raw: object) -> str:
    """A folder inside the vault that Obsidian shows: relative, below the vault, no dot-folder."""
    if isinstance(raw, str):
        path = raw.strip().removesuffix("/")
        parts = path.split("/")
        if all(parts) and not any(
            part.startswith(".") or set(part) & set(':\\"*?<>|') for part in parts
        ):
            return path
    raise WrongValueError('a folder inside the vault, such as "Memory" or "Notes/Memory"')


def closest(word: str, options: Iterable[str]) -> str:
    """The option that was probably meant; empty, if none is near."""
    from difflib import get_close_matches

    return next(iter(get_close_matches(word, sorted(options), n=1, cutoff=0.7)), "")
