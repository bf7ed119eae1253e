"""Where the ``#…`` of a link leads inside its file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
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
    checked. In a note: a block by its id without regard to case (H-06, H-08), or the heading that ends the
    chain (H-01 to H-03, see :func:`follow_chain`). MISSING when there is none: the file is found all the same (R-17).
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
    met = follow_chain(segments, headings)
    if met is None:
        return MISSING
    return SubpathTarget(SubpathKind.HEADING, met[-1].text, met[-1].line)


def _find_block(wanted: str, block_ids: Iterable[BlockId]) -> SubpathTarget:
    if not _BLOCK_ID.fullmatch(wanted):
        return MISSING
    key = wanted.lower()
    for block in block_ids:
        if block.id.lower() == key:
            return SubpathTarget(SubpathKind.BLOCK, block.id, block.line)
    return MISSING


def follow_chain(segments: Sequence[str], headings: Iterable[Heading]) -> list[Heading] | None:
    """The heading that each segment means, as Obsidian follows a chain: the first that matches (H-01, H-03), and
    for each further segment the next one after it that matches and is of a deeper level (H-02). It need not stand
    in the section of the one before; levels may be skipped.

    None when a segment finds none, and for no segments.
    """
    keys = [heading_key(segment) for segment in segments]
    met: list[Heading] = []
    for heading in headings:
        if len(met) == len(keys):
            break
        deeper = not met or heading.level > met[-1].level
        if deeper and heading_key(heading.text) == keys[len(met)]:
            met.append(heading)
    return met if met and len(met) == len(keys) else None
