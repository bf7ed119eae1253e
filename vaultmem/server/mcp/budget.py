"""How long an answer may be. Models count tokens; here four bytes of UTF-8 are one, which is near for most."""

from __future__ import annotations

from typing import Final

BYTES: Final = 4
"""Of a token."""

MOST: Final = 9_000
"""Tokens of any one text in an answer, whatever was asked for: with all else it stays below 40,000 characters."""

LEAST: Final = 100


def tokens(text: str) -> int:
    """About how many tokens the text has, at least one."""
    return len(text.encode("utf-8", "replace")) // BYTES + 1


def cut(text: str, start: int, most: int) -> int:
    """Where a part of at most ``most`` tokens that begins at ``start`` ends: at the end of a line, of a word, or else
    between two characters, never within one. Always further than ``start``, unless the text ends there."""
    room = most * BYTES
    end = start
    part = text[start : start + room]
    if part.isascii():
        end, part = start + len(part), ""
    for character in part:
        room -= 1 if character < "\x80" else len(character.encode("utf-8", "replace"))
        if room < 0:
            break
        end += 1
    if end >= len(text):
        return len(text)
    end = max(end, start + 1)
    for separator in ("\n", " "):
        found = text.rfind(separator, start + (end - start) // 2, end)
        if found > start:
            return found + 1
    while end < len(text) and _belongs(text[end]) and end > start + 1:
        end -= 1  # an accent or a joiner stays with its letter
    return end


def _belongs(character: str) -> bool:
    import unicodedata

    joins = "\u200d\ufe0e\ufe0f"
    return unicodedata.combining(character) != 0 or character in joins


def counted(number: int, what: str) -> str:
    """The number of things in words, such as "1 note" and "2,000 notes"."""
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"
