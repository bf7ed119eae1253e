"""Property values as YAML text: plain where that reads back as the same, double-quoted elsewhere (E-10).

Nothing here rewrites what stands in a note; it is the text of a new value only.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Final

from vaultmem.notes.model import PropertyValue
from vaultmem.notes.yaml12 import MAX_DEPTH

INDENT: Final = "  "


class UnwritableValue(Exception):  # noqa: N818 - said to the caller in words, not as a fault of ours
    """A value that YAML 1.2 core has no text for: the sentence says which part."""


def check_writable(value: PropertyValue, depth: int = 0) -> None:
    """Raises UnwritableValue for what no property can hold: infinity, lone surrogates, blank keys."""
    if depth > MAX_DEPTH - 2:
        raise UnwritableValue("It is nested too deeply.")
    if isinstance(value, float) and not math.isfinite(value):
        raise UnwritableValue(f"{value} is no number that a property can hold.")
    if isinstance(value, int) and abs(value) >= 10**_MOST_DIGITS:
        raise UnwritableValue(f"It has more than {_MOST_DIGITS} digits; write it as text.")
    if isinstance(value, str) and _SURROGATE.search(value):
        raise UnwritableValue("It holds half a character (a lone surrogate).")
    if isinstance(value, dict):
        for key in value:
            check_key(key)
    if isinstance(value, list | dict):
        for part in value.values() if isinstance(value, dict) else value:
            check_writable(part, depth + 1)


def check_key(key: str) -> None:
    """Raises UnwritableValue for a name that no property can have."""
    if not key.strip() or len(key) > _LONGEST_KEY or any(mark in key for mark in "\r\n"):
        raise UnwritableValue(f"A property cannot be called {key[:40]!r}.")
    check_writable_text(key)


def check_writable_text(text: str) -> None:
    """Raises UnwritableValue for text that has no UTF-8."""
    if _SURROGATE.search(text):
        raise UnwritableValue("It holds half a character (a lone surrogate).")


_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_LONGEST_KEY: Final = 200
_MOST_DIGITS: Final = 99
"""A longer row of digits is read as text."""

# --- one line ---

_NUMBER: Final = re.compile(
    r"[-+]?(?:[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+|(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?"
    r"|\.(?:inf|Inf|INF))|\.(?:nan|NaN|NAN)"
)
_WORDS: Final = frozenset(("~", "null", "true", "false"))
_SPECIAL_START: Final = re.compile(r"[,\[\]{}#&*!|>'\"%@`]|[-?:](?:\s|\Z)|---|\.\.\.|<<\Z|=\Z")
_SPECIAL_INSIDE: Final = re.compile(r":(?:[ \t]|\Z)|[ \t]#")
_SPECIAL_IN_FLOW: Final = re.compile(r"[,\[\]{}]|\A[-?:]")
_NEEDS_ESCAPE: Final = re.compile(
    "[^ -~\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)
"""Line breaks of any kind, tabs, and what YAML does not allow raw."""


def reads_back_plain(text: str, *, in_flow: bool = False) -> bool:
    """Whether the text without quotes is that very text to YAML (E-10).

    >>> [reads_back_plain(t) for t in ("hull", "2031-02-03", "007", "[[Reef]]", "a: b")]
    [True, True, False, False, False]
    """
    if not text or text != text.strip() or text.lower() in _WORDS or _NUMBER.fullmatch(text):
        return False
    if _NEEDS_ESCAPE.search(text) or _SPECIAL_START.match(text) or _SPECIAL_INSIDE.search(text):
        return False
    return not (in_flow and _SPECIAL_IN_FLOW.search(text))


def scalar(value: PropertyValue, *, quote: str = "", in_flow: bool = False) -> str:
    """A text, number, boolean or null on one line; an empty list or map too.

    ``quote`` is the mark that a text should have if it can (E-03). Null is ``""``, in flow ``null`` (E-19).
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return "null" if in_flow else ""
    if isinstance(value, str):
        return _quoted(value, quote, in_flow)
    if isinstance(value, list):
        return "[]"
    return "{}" if isinstance(value, dict) else repr(value)


def _quoted(text: str, quote: str, in_flow: bool) -> str:
    if quote == "'" and not _NEEDS_ESCAPE.search(text):
        return "'" + text.replace("'", "''") + "'"
    if quote != '"' and reads_back_plain(text, in_flow=in_flow):
        return text
    return double_quoted(text)


def double_quoted(text: str) -> str:
    r"""The text between double quotes, all that YAML would not take raw escaped.

    >>> print(double_quoted('a "b"\n'))
    "a \"b\"\n"
    """
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + _NEEDS_ESCAPE.sub(_escape, escaped) + '"'


_SHORT: Final = {"\n": "\\n", "\t": "\\t", "\r": "\\r", "\0": "\\0"}


def _escape(match: re.Match[str]) -> str:
    character = match.group()
    if character in _SHORT:
        return _SHORT[character]
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def flow(value: PropertyValue, *, quote: str = "") -> str:
    """The value on one line, lists in ``[]`` and maps in ``{}``."""
    if isinstance(value, list):
        return "[" + ", ".join(flow(item) for item in value) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(flow_entry(key, item) for key, item in value.items()) + "}"
    return scalar(value, quote=quote, in_flow=True)


def flow_entry(key: str, value: PropertyValue) -> str:
    """``key: value`` inside ``{}``."""
    return f"{scalar(key, in_flow=True)}: {flow(value)}"


# --- several lines ---


def is_inline(value: PropertyValue) -> bool:
    """Whether the value stands behind its key, not on lines below it."""
    return not isinstance(value, list | dict) or not value


def entry_lines(key: str, value: PropertyValue, indent: str) -> Iterator[str]:
    """The lines, without line breaks, of a map's entry; lists and maps in block style (E-11)."""
    if is_inline(value):
        yield f"{indent}{_key(key)}: {scalar(value)}".rstrip(" ")
        return
    yield f"{indent}{_key(key)}:"
    yield from block_lines(value, indent + INDENT)


def _key(key: str) -> str:
    # A key is text however it looks, so a year needs no quotes.
    return key if _NUMBER.fullmatch(key) else scalar(key)


def block_lines(value: PropertyValue, indent: str) -> Iterator[str]:
    """The lines of a list or map that is not empty."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from entry_lines(key, item, indent)
    elif isinstance(value, list):
        for item in value:
            yield from item_lines(item, indent + "- ")


def item_lines(value: PropertyValue, lead: str) -> Iterator[str]:
    """The lines of a list's item; ``lead`` is its indent with the dash and the blanks after it."""
    if is_inline(value):
        yield (lead + scalar(value)).rstrip(" ")
        return
    first, *rest = block_lines(value, " " * len(lead))
    yield lead + first[len(lead) :]
    yield from rest


def literal_lines(text: str, indent: str) -> tuple[str, list[str]] | None:
    """Header and lines of the text below a ``|``; None when it does not fit there.

    It does not fit with a blank at the start or end of it, in blank lines, or with characters that need an
    escape.
    """
    body = text.rstrip("\n")
    if not body or body[0] in " \t\n" or _NEEDS_ESCAPE.search(body.replace("\n", "")):
        return None
    lines = body.split("\n")
    if any(line != line.rstrip(" \t") for line in lines):
        return None
    tail = len(text) - len(body)
    header = ("|-", "|")[tail] if tail < 2 else "|+"
    lines += [""] * (tail - 1)
    return header, [indent + line if line else "" for line in lines]
