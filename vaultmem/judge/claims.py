"""A text cut into the claims it makes: sentences, list lines, lines of a table. Pure."""

from __future__ import annotations

import re
from enum import Enum, auto
from typing import Final, NamedTuple


class Form(Enum):
    """How a claim is written."""

    PROSE = auto()
    """A sentence or a list line."""
    TITLE = auto()
    TASK = auto()
    """A list line with a check box, which stays part of the text."""
    ROW = auto()
    """Of a table, or an inline field (``key:: value``): it says something of its note alone."""
    CODE = auto()
    """A line of a code block."""


class Claim(NamedTuple):
    """A claim and how it is written."""

    text: str
    form: Form


_MARKER: Final = re.compile(
    r"^(?:[>\s]|#{1,6}\s|[-*+]\s+|\d+[.)]\s)+|(?<!\s)\s*+\^[A-Za-z0-9-]+\s*$"
)
_TITLE: Final = re.compile(r"^[>\s]*#{1,6}\s")
_TASK: Final = re.compile(r"^\[.\]\s")
_FIELD: Final = re.compile(r"^[^\s:][^:\n]*::(?:\s|$)")
_RULE: Final = re.compile(r"^[\s|:*_=-]*$")
_ABBREVIATION: Final = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|cf|vs|approx|Dr|Mr|Mrs|Ms|Prof|St|No|ca|z\.B)|\b[A-Z])\.$"
)
_END: Final = re.compile(
    r"(?<=[.!?;])[\"')\]»”]*\s+|(?<=[。！？；])|(?<=[가-힣][.!?])\s*(?=[가-힣])"
)
_FENCE: Final = re.compile(r"^\s*(?:```|~~~)")


def claims(text: str) -> tuple[Claim, ...]:
    """The claims in their order, without markers of lists, quotes, headings and block ids; code lines as they are.

    >>> [claim.text for claim in claims("- Port is 8080. It was 9090.\\n> e.g. this ^f-1")]
    ['Port is 8080.', 'It was 9090.', 'e.g. this']
    """
    found: list[Claim] = []
    code = False
    for line in text.splitlines():
        if _FENCE.match(line):
            code = not code
        elif code:
            if line.strip():
                found.append(Claim(line.strip(), Form.CODE))
        elif not _RULE.match(line):
            found.extend(_claims_of(line))
    return tuple(found)


def _claims_of(line: str) -> list[Claim]:
    bare = _MARKER.sub("", line).strip()
    if _TASK.match(bare):
        return [Claim(bare, Form.TASK)]
    if bare.startswith("|") or _FIELD.match(bare):
        return [Claim(bare, Form.ROW)]
    form = Form.TITLE if _TITLE.match(line) else Form.PROSE
    return [Claim(sentence, form) for sentence in _sentences(bare)]


def _sentences(line: str) -> list[str]:
    found: list[str] = []
    parts: list[str] = []
    for piece in _END.split(line):
        parts.append(piece.strip())
        if not _ABBREVIATION.search(parts[-1][-12:]):
            found.append(" ".join(filter(None, parts)))
            parts = []
    found.append(" ".join(filter(None, parts)))
    return list(filter(None, found))
