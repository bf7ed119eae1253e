"""The one module that uses igraph and leidenalg, which are under the GPL: grouping the nodes of a weighted graph.

The measure is CPM with each node as large as its links are heavy, so that a busy node needs more of them to belong. The
big pass is igraph's own Leiden: rounds of Louvain's moving, each refined, so that communities stay connected.
leidenalg moves single nodes of a partition that is kept otherwise, which igraph cannot.
"""

from __future__ import annotations

import random
import threading
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import igraph
    import numpy as np
    from numpy.typing import NDArray

    from vaultmem.graph.weights import Weights

__all__ = ["connected_parts", "moved", "partition"]

SEED: Final = 20_261_130
ROUNDS: Final = 2
"""More of them cost as much again and change next to nothing."""
ATTEMPTS: Final = 3
FEW_PAIRS: Final = 200_000
"""A graph with fewer is grouped several times, and the best is taken: it costs less than a second."""
RESOLUTION: Final = 1.0
"""Of how heavy the links inside have to be, as a multiple of what chance would give."""
GRAIN: Final = 64
"""leidenalg wants node sizes in whole numbers."""

_guard = threading.Lock()
"""igraph has one source of chance for the whole process."""


def partition(weights: Weights, initial: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
    """The community of each node, numbered from 0. The same weights and the same ``initial`` partition, from which it
    sets out, give the same answer."""
    import igraph
    import numpy as np

    sizes = weights.strength
    if not len(weights.first):
        return np.arange(weights.nodes)
    graph = _graph(weights)
    weight = weights.weight.tolist()
    best: tuple[float, list[int]] = (-1.0, [])
    with _guard:
        try:
            for attempt in range(ATTEMPTS if len(weight) < FEW_PAIRS else 1):
                igraph.set_random_number_generator(random.Random(SEED + attempt))
                found = graph.community_leiden(
                    objective_function="CPM",
                    weights=weight,
                    node_weights=sizes.tolist(),
                    resolution=RESOLUTION / float(sizes.sum()),
                    n_iterations=ROUNDS,
                    initial_membership=None if initial is None else initial.tolist(),
                ).membership
                best = max(best, (graph.modularity(found, weights=weight), found))
        finally:
            igraph.set_random_number_generator(random)
    return np.array(best[1], np.int64)


def moved(
    weights: Weights, initial: NDArray[np.int64], free: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """The initial partition with the nodes that are free put where they belong; all others stay."""
    import leidenalg
    import numpy as np

    if not free.any() or not len(weights.first):
        return initial
    sizes = np.maximum(1, np.rint(weights.strength * GRAIN)).astype(np.int64)
    found = leidenalg.CPMVertexPartition(
        _graph(weights),
        initial_membership=initial.tolist(),
        weights=weights.weight.tolist(),
        node_sizes=sizes.tolist(),
        resolution_parameter=RESOLUTION * float(weights.strength.sum()) / float(sizes.sum()) ** 2,
    )
    optimiser = leidenalg.Optimiser()
    optimiser.set_rng_seed(SEED)
    optimiser.move_nodes(found, is_membership_fixed=(~free).tolist())
    return np.array(found.membership, np.int64)


def connected_parts(weights: Weights, communities: NDArray[np.int64]) -> NDArray[np.int64]:
    """The communities with each that does not hang together taken apart; numbered anew from 0."""
    import igraph
    import numpy as np

    inside = communities[weights.first] == communities[weights.second]
    pairs = (weights.first[inside].tolist(), weights.second[inside].tolist())
    graph = igraph.Graph(n=weights.nodes, edges=list(zip(*pairs, strict=True)))
    return np.array(graph.connected_components().membership, np.int64)


def _graph(weights: Weights) -> igraph.Graph:
    import igraph

    # Plain tuples, which igraph takes in four times as fast as an array.
    pairs = zip(weights.first.tolist(), weights.second.tolist(), strict=True)
    return igraph.Graph(n=weights.nodes, edges=list(pairs))
