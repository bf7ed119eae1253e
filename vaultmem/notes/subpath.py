"""Where the ``#…`` of a link leads inside its file."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from vaultmem.notes.model import BlockId, Heading, SubpathKind, SubpathTarget
from vaultmem.notes.paths import path_key

MISSING: Final = SubpathTarget(SubpathKind.MISSING)

_DROPPED: Final = str.maketrans(dict.fromkeys('!"#$%&()*+,.:;<=>?@^{|}~/[]`\\', " "))
_BLOCK_ID: Final = re.compile(r"[A-Za-z0-9-]+")


def heading_key(text: str) -> str:
    """The form in which headings are compared: without marks, blanks collapsed, lower case (H-01).

    >>> heading_key("Band 2.4 vs. 5.0 (GHz)!")
    'band 2 4 vs 5 0 ghz'
    """
    return " ".join(path_key(text.translate(_DROPPED)).split())


def resolve_subpath(
    subpath: str,
    headings: Iterable[Heading],
    block_ids: Iterable[BlockId],
    *,
    is_note: bool = True,
) -> SubpathTarget | None:
    """The end of a link inside its file; None when the link has no subpath.

    A fragment for a file that is no note (H-09), and for a footnote (``#[^1]``), whose existence is not
    checked. In a note: a block by its id without regard to case (H-06, H-08), or the first heading that
    ends the chain (H-01 to H-03). MISSING when there is none: the file is found all the same (R-17).
    """
    if not subpath:
        return None
    if not is_note:
        return SubpathTarget(SubpathKind.FRAGMENT, subpath)
    segments = [segment for part in subpath.split("#") if (segment := part.strip())]
    if not segments:
        return MISSING
    last = segments[-1]
    if last.startswith("[^"):
        return SubpathTarget(SubpathKind.FRAGMENT, subpath)
    if last.startswith("^"):
        return _find_block(last[1:].strip(), block_ids)
    return _find_heading([heading_key(segment) for segment in segments], headings)


def _find_block(wanted: str, block_ids: Iterable[BlockId]) -> SubpathTarget:
    if not _BLOCK_ID.fullmatch(wanted):
        return MISSING
    key = wanted.lower()
    for block in block_ids:
        if block.id.lower() == key:
            return SubpathTarget(SubpathKind.BLOCK, block.id, block.line)
    return MISSING


def _find_heading(chain: list[str], headings: Iterable[Heading]) -> SubpathTarget:
    """The first heading that matches the chain's end and lies, in order, below matches of the rest."""
    above: list[tuple[int, str]] = []
    for heading in headings:
        while above and above[-1][0] >= heading.level:
            above.pop()
        key = heading_key(heading.text)
        if key == chain[-1] and _in_order(chain[:-1], [text for _, text in above]):
            return SubpathTarget(SubpathKind.HEADING, heading.text, heading.line)
        above.append((heading.level, key))
    return MISSING


def _in_order(wanted: list[str], texts: list[str]) -> bool:
    """Whether the wanted texts are among the others in the same order, gaps allowed (H-02)."""
    rest = iter(texts)
    return all(text in rest for text in wanted)
