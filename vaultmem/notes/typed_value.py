"""What a person means by the value of a property that they type as one word: a number, yes or no, or the text itself."""

from __future__ import annotations

from typing import Final

from vaultmem.notes.model import PropertyValue
from vaultmem.notes.yaml12 import resolve_plain
from vaultmem.notes.yaml_render import scalar

_MOST_EXACT: Final = 2**53
"""From here on the numbers of many programs, Obsidian's too, have gaps: so long a row of digits names something."""


def typed_value(word: str) -> PropertyValue:
    """The value. A number, ``true`` or ``false`` is one in just the spelling that would be written for it; all else
    is the text as typed, so that no character of it changes. ``null`` and "" are the empty value, and a text
    between quotes, whatever it says, is the text between them.

    >>> [typed_value(word) for word in ("3", "2.5", "true", "null", "two", '"3"')]
    [3, 2.5, True, None, 'two', '3']
    >>> [typed_value(word) for word in ("007", "1.10", "0x1F", "1e3", "+3", "TRUE", "a # b")]
    ['007', '1.10', '0x1F', '1e3', '+3', 'TRUE', 'a # b']
    """
    if word in ("", "null"):
        return None
    if len(word) > 1 and word[0] == word[-1] and word[0] in "\"'":
        return _between_quotes(word)
    value = resolve_plain(word)
    if isinstance(value, str) or scalar(value) != word:
        return word
    if isinstance(value, int | float) and abs(value) >= _MOST_EXACT:
        return word
    return value


def readings(word: str) -> tuple[PropertyValue, ...]:
    """All values that a note may hold which is written like the word: what it means, and what YAML reads it as.

    >>> readings("1.10"), readings("two")
    (('1.10', 1.1), ('two',))
    """
    meant, read = typed_value(word), resolve_plain(word)
    return (meant,) if type(meant) is type(read) else (meant, read)


def _between_quotes(word: str) -> PropertyValue:
    """The text that YAML reads there; the word itself where it is no quoted text, as in ``"a" and "b"``."""
    from vaultmem.notes.frontmatter import read_frontmatter

    if "\n" in word:
        return word
    read = read_frontmatter(f"---\nvalue: {word}\n---\n")
    value = read.values.get("value")
    return value if isinstance(value, str) and len(read.values) == 1 else word
