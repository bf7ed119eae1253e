"""How much two notes have to do with each other: their links, the rare tags that they share, likeness of meaning, and
questions that both answered."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

from vaultmem.graph.snapshot import GraphSnapshot

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Weights", "signatures", "weights_of"]

RARE_TAG: Final = 30
"""Notes; a tag on more of them says little of any two."""
TAG_WEIGHT: Final = 1.0
"""Of a tag for each of its notes, shared out among the others that have it."""
NEAR_WEIGHT: Final = 0.5
RECALL_WEIGHT: Final = 0.2
"""Of having come up for one and the same question; of more questions their logarithm. A link says far more."""
MOST_RECALLS: Final = 7
"""More questions count no more: with them a pair is held together by three fifths of a link."""
MOST_LINKS: Final = 4
"""More links between two notes count no more."""
TAMING: Final = 0.25
"""Power of a note's logarithmic number of neighbours by which each of its pairs is made lighter."""
NAMED_RELATION: Final = 1.5
"""What a link counts that says by name what it means."""


@dataclass(frozen=True)
class Weights:
    """Pairs of nodes, each once, with a weight."""

    nodes: int
    first: NDArray[np.int64]
    second: NDArray[np.int64]
    weight: NDArray[np.float64]
    """Each a positive number."""
    left_out: int = 0
    """What spoke for a pair with a weight that is none: zero, negative, infinite, or not a number."""

    @property
    def said(self) -> str:
        """What was left out, for a person; "" when nothing was."""
        if not self.left_out:
            return ""
        what = "1 connection" if self.left_out == 1 else f"{self.left_out:,} connections"
        return f"{what} between notes had a weight that is no positive number, and was left out."

    @cached_property
    def strength(self) -> NDArray[np.float64]:
        """The weights of each node's pairs together."""
        import numpy as np

        summed = np.zeros(self.nodes)
        np.add.at(summed, self.first, self.weight)
        np.add.at(summed, self.second, self.weight)
        return summed

    def tamed(self) -> Weights:
        """The same with what hangs on a hub made lighter: that two notes are both on a list of everything says little."""
        import numpy as np

        degree = np.bincount(self.first, minlength=self.nodes) + np.bincount(
            self.second, minlength=self.nodes
        )
        logs = np.log2(2.0 + degree) ** TAMING
        return Weights(
            self.nodes,
            self.first,
            self.second,
            self.weight / (logs[self.first] * logs[self.second]),
        )


def weights_of(
    graph: GraphSnapshot,
    near: Sequence[tuple[int, int, float]] = (),
    recalled: Mapping[tuple[int, int], int] | None = None,
) -> Weights:
    """The weights of a graph; ``near`` are pairs that are each among the other's nearest in meaning, with their
    cosine, ``recalled`` those that came up together, with the number of questions. The grouping is native code, which takes the process down on weights that are none, so these stop here."""
    import numpy as np

    count = np.minimum(graph.links, MOST_LINKS) * graph.confidence
    count = np.where(graph.relation != 0, NAMED_RELATION * count, count)
    tagged = _tagged(graph)
    more = [(one, other, NEAR_WEIGHT * cosine) for one, other, cosine in near]
    more += [(*pair, _of_recalls(asked)) for pair, asked in (recalled or {}).items()]
    ones = np.concatenate([graph.source, tagged[0], [each[0] for each in more]]).astype(np.int64)
    others = np.concatenate([graph.target, tagged[1], [each[1] for each in more]]).astype(np.int64)
    weight = np.concatenate([count, tagged[2], [each[2] for each in more]])
    nodes = len(graph)
    sound = np.isfinite(weight) & (weight > 0)
    ones, others, weight = ones[sound], others[sound], weight[sound]
    key = np.minimum(ones, others) * nodes + np.maximum(ones, others)
    found, place = np.unique(key, return_inverse=True)
    summed = np.zeros(len(found))
    np.add.at(summed, place.reshape(-1), weight)
    divisor = max(1, nodes)
    left_out = int(len(sound) - sound.sum())
    return Weights(nodes, found // divisor, found % divisor, summed, left_out)


def _of_recalls(questions: int) -> float:
    return RECALL_WEIGHT * math.log2(1 + min(questions, MOST_RECALLS))


def _tagged(
    graph: GraphSnapshot,
) -> tuple[list[int], list[int], list[float]]:
    """Pairs of nodes that share a rare tag, with the weight of it."""
    having: dict[str, list[int]] = {}
    for node, tags in enumerate(graph.tags):
        for tag in tags:
            having.setdefault(tag, []).append(node)
    ones: list[int] = []
    others: list[int] = []
    weights: list[float] = []
    for nodes in having.values():
        if not 2 <= len(nodes) <= RARE_TAG:
            continue
        each = TAG_WEIGHT / (len(nodes) - 1)
        for at, node in enumerate(nodes):
            rest = nodes[at + 1 :]
            ones += [node] * len(rest)
            others += rest
            weights += [each] * len(rest)
    return ones, others, weights


def signatures(graph: GraphSnapshot, weights: Weights) -> NDArray[np.uint64]:
    """A number for each node that changes when its path, its neighbours or their weights do."""
    import numpy as np

    own = np.frombuffer(
        b"".join(
            hashlib.blake2b(path.encode("utf-8", "surrogatepass"), digest_size=8).digest()
            for path in graph.paths
        ),
        "<u8",
    )
    heavy = np.rint(weights.weight * 4096).astype(np.uint64) * np.uint64(2) + np.uint64(1)
    found = own.copy()
    np.add.at(found, weights.first, own[weights.second] * heavy)
    np.add.at(found, weights.second, own[weights.first] * heavy)
    return found
