"""A text cut into the claims it makes: sentences, list lines, lines of a table. Pure."""

from __future__ import annotations

import re
from typing import Final

_MARKER: Final = re.compile(
    r"^(?:[>\s]|#{1,6}\s|[-*+]\s+(?:\[.\]\s)?|\d+[.)]\s)+|\s*\^[A-Za-z0-9-]+\s*$"
)
_RULE: Final = re.compile(r"^[\s|:*_=-]*$")
_ABBREVIATION: Final = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|cf|vs|approx|Dr|Mr|Mrs|Ms|Prof|St|No|ca|z\.B)|\b[A-Z])\.$"
)
_END: Final = re.compile(
    r"(?<=[.!?;])[\"')\]»”]*\s+|(?<=[。！？；])|(?<=[가-힣][.!?])\s*(?=[가-힣])"
)
_FENCE: Final = re.compile(r"^\s*(?:```|~~~)")


def claims(text: str) -> tuple[str, ...]:
    """The claims in their order, without markers of lists, quotes, headings and block ids; code lines as they are.

    >>> claims("- [ ] Port is 8080. It was 9090.\\n> e.g. this ^f-1")
    ('Port is 8080.', 'It was 9090.', 'e.g. this')
    """
    found: list[str] = []
    code = False
    for line in text.splitlines():
        if _FENCE.match(line):
            code = not code
        elif code:
            found.extend(filter(None, [line.strip()]))
        elif not _RULE.match(line):
            found.extend(_sentences(_MARKER.sub("", line).strip()))
    return tuple(found)


def _sentences(line: str) -> list[str]:
    pieces: list[str] = []
    for piece in _END.split(line):
        if pieces and _ABBREVIATION.search(pieces[-1]):
            pieces[-1] = f"{pieces[-1]} {piece}"
        elif piece.strip():
            pieces.append(piece.strip())
    return pieces
