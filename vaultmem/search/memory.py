"""What a process remembers of an index between searches."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, field, fields
from threading import Lock
from typing import TypeVar

from vaultmem.search.blocks import BlockTable
from vaultmem.search.bridge import Vocabulary
from vaultmem.search.closed import ClosedBlocks
from vaultmem.search.counts import TermCounts
from vaultmem.search.lexicon import Lexicon
from vaultmem.search.matrix import VectorMatrix
from vaultmem.search.postings import Postings

_Part = TypeVar("_Part")


@dataclass(frozen=True, slots=True)
class SearchMemory:
    """Of one index; safe for several threads. Each part notices by itself that the index has changed."""

    counts: TermCounts = field(default_factory=TermCounts)
    blocks: BlockTable = field(default_factory=BlockTable)
    closed: ClosedBlocks = field(default_factory=ClosedBlocks)
    postings: Postings = field(default_factory=Postings)
    vocabulary: Vocabulary = field(default_factory=Vocabulary)
    lexicon: Lexicon = field(default_factory=Lexicon)
    matrix: VectorMatrix = field(default_factory=VectorMatrix)

    def forked(self) -> SearchMemory:
        """A memory that knows the same and goes its own way from here: for a state of the index that may be taken
        back."""
        return SearchMemory(*(_forked(getattr(self, each.name)) for each in fields(self)))


def _forked(part: _Part) -> _Part:
    """What a part holds is replaced and never changed, but for what it has looked up."""
    other = copy(part)
    for name, value in vars(part).items():
        if isinstance(value, dict):
            setattr(other, name, value.copy())
        elif isinstance(value, type(Lock())):
            setattr(other, name, Lock())
    return other
