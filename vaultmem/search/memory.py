"""What a process remembers of an index between searches."""

from __future__ import annotations

from dataclasses import dataclass, field

from vaultmem.search.blocks import BlockTable
from vaultmem.search.bridge import Vocabulary
from vaultmem.search.closed import ClosedBlocks
from vaultmem.search.counts import TermCounts
from vaultmem.search.lexicon import Lexicon
from vaultmem.search.matrix import VectorMatrix
from vaultmem.search.postings import Postings


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
