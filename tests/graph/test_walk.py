"""Neighbours and paths on snapshots made by hand, and against a plain search on random graphs."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultmem.graph.columns import Columns, from_bytes, replaced, to_bytes
from vaultmem.graph.snapshot import GraphSnapshot, snapshot_of
from vaultmem.graph.walk import Direction, Walk, neighbours, shortest_path

Link = tuple[int, int] | tuple[int, int, str]


def columns_of(
    names: Sequence[str], links: Sequence[Link], *, excluded: Sequence[int] = ()
) -> Columns:
    """Notes with the ids 1, 2, … and links between their places."""
    relations = ["mentions", *sorted({link[2] for link in links if len(link) == 3})]
    return Columns(
        ids=np.arange(1, len(names) + 1, dtype=np.int64),
        paths=[f"{name}.md" for name in names],
        titles=list(names),
        categories=[""] * len(names),
        severities=[""] * len(names),
        tags=[[] for _ in names],
        excluded=np.isin(np.arange(len(names)), list(excluded)).astype(np.uint8),
        relations=relations,
        source=np.array([link[0] + 1 for link in links], np.int64),
        target=np.array([link[1] + 1 for link in links], np.int64),
        relation=np.array(
            [relations.index(link[2]) if len(link) == 3 else 0 for link in links], np.uint16
        ),
        confidence=np.ones(len(links), np.float32),
    )


def graph_of(names: Sequence[str], links: Sequence[Link], **more: Sequence[int]) -> GraphSnapshot:
    return snapshot_of(columns_of(names, links, **more))


def way(
    graph: GraphSnapshot, a: str, b: str, walk: Walk | None = None, *, current: bool = False
) -> list[str] | None:
    """The names on the path, the first left out."""
    avoid = graph.is_superseded if current else None
    start, end = graph.node_at[f"{a}.md"], graph.node_at[f"{b}.md"]
    steps = shortest_path(graph, start, end, walk or Walk(), avoid=avoid)
    return [graph.titles[step.node] for step in steps] if steps is not None else None


def near(graph: GraphSnapshot, name: str, depth: int, limit: int = 50) -> list[tuple[str, int]]:
    reached, _ = neighbours(graph, [graph.node_at[f"{name}.md"]], depth, limit, Walk())
    return [(graph.titles[each.node], each.distance) for each in reached[1:]]


CHAIN = [(0, 1), (1, 2), (2, 3)]


def test_a_path_goes_with_and_against_links() -> None:
    graph = graph_of("abcd", [(0, 1), (2, 1), (2, 3)])

    assert way(graph, "a", "d") == ["b", "c", "d"]
    assert way(graph, "a", "d", Walk(Direction.OUT)) is None
    assert way(graph, "c", "b", Walk(Direction.OUT)) == ["b"]
    assert way(graph, "b", "c", Walk(Direction.IN)) == ["c"]


def test_a_path_to_oneself_is_empty_and_there_may_be_none() -> None:
    graph = graph_of("abc", [(0, 1), (2, 2)])

    assert way(graph, "a", "a") == []
    assert way(graph, "a", "c") is None


def test_of_equal_paths_the_one_through_less_linked_notes_is_taken() -> None:
    names = ["a", "hub", "quiet", "z", "x1", "x2", "x3"]
    graph = graph_of(names, [(0, 1), (1, 3), (0, 2), (2, 3), (4, 1), (5, 1), (6, 1)])

    assert way(graph, "a", "z") == ["quiet", "z"]


def test_of_equal_paths_the_one_through_a_current_note_is_taken() -> None:
    names = ["a", "new", "old", "z", "x1", "x2"]
    links: list[Link] = [
        *[(0, 1), (1, 3), (0, 2), (2, 3), (4, 1), (5, 1)],
        (1, 2, "supersedes"),
    ]
    graph = graph_of(names, links)

    assert way(graph, "a", "z") == ["new", "z"]


def test_neighbours_come_nearest_first_and_named_relations_before_mentions() -> None:
    graph = graph_of("abcde", [(0, 1), (0, 2, "part_of"), (3, 0), (3, 4)])

    assert near(graph, "a", 1) == [("c", 1), ("d", 1), ("b", 1)]
    assert near(graph, "a", 2) == [("c", 1), ("d", 1), ("b", 1), ("e", 2)]
    assert near(graph, "a", 2, limit=1) == [("c", 1)]


def test_only_some_relations_are_followed() -> None:
    graph = graph_of("abc", [(0, 1), (0, 2, "Part of"), (1, 2)])
    walk = Walk(relations=tuple(graph.codes(["part-of"])))

    assert graph.relations == ["mentions", "part_of"]
    assert way(graph, "a", "c", walk) == ["c"]
    assert way(graph, "a", "b", walk) is None


def test_a_hub_with_fifty_thousand_links_is_answered_within_the_limit() -> None:
    names = ["hub", *(f"n{number:05}" for number in range(50_000))]
    graph = graph_of(names, [(number, 0) for number in range(1, 50_001)])

    reached, total = neighbours(graph, [graph.node_at["hub.md"]], 2, 20, Walk())

    assert (len(reached), total) == (21, 50_000)
    assert way(graph, "n00000", "n49999") == ["hub", "n49999"]


def test_links_to_oneself_and_excluded_notes_are_no_edges() -> None:
    graph = graph_of("abc", [(0, 0), (0, 1), (1, 2), (0, 1)], excluded=[2])

    assert graph.paths == ["a.md", "b.md"]
    assert graph.links.tolist() == [2]


def test_a_graph_of_nothing_and_of_one_note() -> None:
    empty, one = graph_of("", []), graph_of("a", [(0, 0)])

    assert (len(empty), len(empty.degree), empty.successor) == (0, 0, {})
    assert near(one, "a", 3) == []


class TestSuccession:
    @pytest.mark.parametrize(
        ("links", "chain", "ring"),
        [
            ([(1, 0, "supersedes")], ["b"], False),
            ([(0, 1, "superseded_by")], ["b"], False),
            ([(1, 0, "supersedes"), (2, 1, "supersedes")], ["b", "c"], False),
            ([(1, 0, "supersedes"), (0, 1, "supersedes")], ["b", "a"], True),
            ([(2, 0, "supersedes"), (1, 0, "supersedes")], ["b"], False),
            ([(2, 0, "supersedes"), (0, 1, "superseded_by")], ["b"], False),
        ],
    )
    def test_leads_to_what_stands_for_the_note(
        self, links: list[Link], chain: list[str], ring: bool
    ) -> None:
        graph = graph_of("abc", links)

        found = graph.succession(0)

        assert found is not None
        assert ([graph.titles[node] for node in found.chain], found.ring) == (chain, ring)
        assert found.current == (None if ring else graph.node_at[f"{chain[-1]}.md"])

    def test_of_a_ring_that_others_lead_into_ends(self) -> None:
        graph = graph_of("abc", [(1, 0, "supersedes"), (2, 1, "supersedes"), (1, 2, "supersedes")])

        found = graph.succession(0)

        assert found is not None
        assert (found.ring, found.current) == (True, None)
        assert graph.current(0) == 0


EDGES = st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=30)


@given(EDGES, st.integers(0, 11), st.integers(0, 11), st.sampled_from(Direction))
def test_a_path_is_as_short_as_a_plain_search_finds(
    links: list[tuple[int, int]], a: int, b: int, direction: Direction
) -> None:
    names = [f"n{number:02}" for number in range(12)]
    graph = graph_of(names, links)

    steps = shortest_path(graph, a, b, Walk(direction))

    distances = plain_distances(links, a, direction)
    assert (len(steps) if steps is not None else None) == distances.get(b)
    for step in steps or ():
        ends = (int(graph.source[step.edge]), int(graph.target[step.edge]))
        assert ends[1 if step.forward else 0] == step.node
    reached, total = neighbours(graph, [a], 3, 100, Walk(direction))
    expected = {node: far for node, far in distances.items() if far <= 3}
    assert {each.node: each.distance for each in reached} == expected
    assert total == len(expected) - 1


def plain_distances(
    links: Sequence[tuple[int, int]], start: int, direction: Direction
) -> Mapping[int, int]:
    found = {start: 0}
    waiting = deque([start])
    while waiting:
        node = waiting.popleft()
        for source, target in links:
            ways = [(source, target)] * (direction != Direction.IN)
            ways += [(target, source)] * (direction != Direction.OUT)
            for here, there in ways:
                if here == node and there not in found:
                    found[there] = found[node] + 1
                    waiting.append(there)
    return found


@given(EDGES, EDGES, st.sets(st.integers(1, 12)))
def test_columns_with_some_files_replaced_are_those_read_anew(
    before: list[tuple[int, int]], after: list[tuple[int, int]], changed: set[int]
) -> None:
    names = [f"n{number:02}" for number in range(12)]
    links = [link for link in before if link[0] + 1 not in changed]
    new = [link for link in after if link[0] + 1 in changed]
    old = columns_of(names, before)
    part = columns_of(names, new)
    kept = [place for place in range(12) if place + 1 in changed]
    part = Columns(
        ids=part.ids[kept],
        paths=[part.paths[place] for place in kept],
        titles=[part.titles[place] for place in kept],
        categories=[""] * len(kept),
        severities=[""] * len(kept),
        tags=[[] for _ in kept],
        excluded=part.excluded[kept],
        relations=part.relations,
        source=part.source,
        target=part.target,
        relation=part.relation,
        confidence=part.confidence,
    )

    again = from_bytes(to_bytes(replaced(old, sorted(changed), part)))

    assert again is not None
    assert same(snapshot_of(again), graph_of(names, links + new))


def same(one: GraphSnapshot, other: GraphSnapshot) -> bool:
    return (
        one.paths == other.paths
        and one.source.tolist() == other.source.tolist()
        and one.target.tolist() == other.target.tolist()
        and one.links.tolist() == other.links.tolist()
    )


def test_bytes_of_something_else_are_no_columns() -> None:
    kept = to_bytes(columns_of("ab", CHAIN[:1]))

    assert [from_bytes(kept[:-1]), from_bytes(b""), from_bytes(b"x" * len(kept))] == [None] * 3
