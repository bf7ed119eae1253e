"""Communities: found, kept through edits, called by their terms, each of them connected."""

from __future__ import annotations

import random

import igraph
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vaultmem.graph.columns import Columns
from vaultmem.graph.communities import (
    NONE,
    Grouping,
    describe,
    from_bytes,
    group,
    to_bytes,
)
from vaultmem.graph.insights import MOST, insights
from vaultmem.graph.partition import connected_parts
from vaultmem.graph.snapshot import GraphSnapshot, snapshot_of
from vaultmem.graph.weights import Weights, weights_of

Pair = tuple[int, int]


def planted(groups: int, size: int, *, across: int, seed: int = 1) -> list[Pair]:
    """Links inside groups of notes numbered in a row, about eight a note, and some across."""
    chosen = random.Random(seed)
    links = []
    for first in range(0, groups * size, size):
        for node in range(first, first + size):
            links += [(node, first + chosen.randrange(size)) for _ in range(8)]
    total = groups * size
    links += [(chosen.randrange(total), chosen.randrange(total)) for _ in range(across)]
    return links


def graph_of(nodes: int, links: list[Pair], *, topics: int = 1) -> GraphSnapshot:
    return snapshot_of(
        Columns(
            ids=np.arange(nodes, dtype=np.int64),
            paths=[f"n{node:04}.md" for node in range(nodes)],
            titles=[f"topic{chr(97 + node // topics)} note" for node in range(nodes)],
            categories=[""] * nodes,
            severities=[""] * nodes,
            tags=[[] for _ in range(nodes)],
            excluded=np.zeros(nodes, np.uint8),
            relations=["mentions"],
            source=np.array([link[0] for link in links], np.int64),
            target=np.array([link[1] for link in links], np.int64),
            relation=np.zeros(len(links), np.uint16),
            confidence=np.ones(len(links), np.float32),
        )
    )


def grouped(graph: GraphSnapshot, last: Grouping | None = None) -> Grouping:
    return group(graph, weights_of(graph), last)


def sets(found: Grouping) -> list[list[int]]:
    """The communities by id, each as its nodes."""
    ids = found.ids.tolist()
    return [[n for n, each in enumerate(ids) if each == i] for i in sorted(set(ids) - {NONE})]


def test_planted_groups_are_found_and_numbered_by_size() -> None:
    graph = graph_of(90, planted(3, 30, across=12), topics=30)

    found = grouped(graph)

    assert sorted(sets(found)) == [list(range(at, at + 30)) for at in (0, 30, 60)]
    assert sorted(set(found.ids.tolist())) == [1, 2, 3]
    described = describe(graph, weights_of(graph), found.ids, {})
    assert sorted(each.terms[0] for each in described) == ["topica", "topicb", "topicc"]
    assert all(each.inside > 0.8 for each in described)


def test_the_same_graph_gives_the_same_grouping_and_nothing_changed_the_very_last_one() -> None:
    graph = graph_of(90, planted(3, 30, across=40))

    first, second = grouped(graph), grouped(graph)

    assert first.ids.tolist() == second.ids.tolist()
    assert grouped(graph, first) is first


def test_after_an_edit_others_stay_and_ids_are_kept() -> None:
    links = planted(4, 40, across=60)
    before = grouped(graph_of(160, links))
    # Note 0 now belongs to the last group, and there is a new one beside it.
    moved_links = [link for link in links if 0 not in link]
    moved_links += [(0, node) for node in range(121, 129)] + [(160, 0), (160, 125)]

    after = grouped(graph_of(161, moved_links), before)

    assert after.ids[1:160].tolist() == before.ids[1:].tolist()
    assert after.ids[0] == after.ids[160] == before.ids[130]


def test_a_new_community_gets_a_new_id_and_an_id_is_never_given_again() -> None:
    links = planted(2, 20, across=2)
    first = grouped(graph_of(40, links))
    more = [*links, *((a + 40, b + 40) for a, b in planted(1, 20, across=0))]
    second = grouped(graph_of(60, more), first)
    third = grouped(graph_of(40, links), second)

    assert set(first.ids.tolist()) == {1, 2}
    assert set(second.ids.tolist()) == {1, 2, 3}
    assert set(third.ids.tolist()) == {1, 2}
    assert third.next_id == 4


def test_small_clusters_are_folded_and_lone_notes_are_in_no_community() -> None:
    ring = [(node, (node + step) % 10) for node in range(10) for step in (1, 2)]
    graph = graph_of(15, [*ring, (10, 0), (11, 12), (13, 13)])

    found = grouped(graph)

    assert found.ids[10] == found.ids[0]
    assert found.ids[11:].tolist() == [NONE] * 4


@pytest.mark.parametrize("nodes", [0, 1, 2])
def test_next_to_nothing_has_no_communities(nodes: int) -> None:
    graph = graph_of(nodes, [(0, 1)] if nodes == 2 else [])

    found = grouped(graph)

    assert found.ids.tolist() == [NONE] * nodes
    assert describe(graph, weights_of(graph), found.ids, {}) == []


def test_a_name_stays_while_it_describes() -> None:
    graph = graph_of(60, planted(2, 30, across=4), topics=30)
    found = grouped(graph)
    weights = weights_of(graph)
    first, second = int(found.ids[0]), int(found.ids[30])
    named = {first: ("The shore", ("topica",)), second: ("Gone", ("nonsense",))}

    names = {each.id: each.name for each in describe(graph, weights, found.ids, named)}

    assert names == {first: "The shore", second: "topicb, note"}


def test_what_was_kept_comes_back() -> None:
    found = grouped(graph_of(90, planted(3, 30, across=10)))

    again = from_bytes(to_bytes(found))

    assert again is not None
    assert (again.paths, again.ids.tolist(), again.next_id) == (
        found.paths,
        found.ids.tolist(),
        found.next_id,
    )
    assert again.signatures.tolist() == found.signatures.tolist()
    assert from_bytes(to_bytes(found)[:-1]) is None


LINKS = st.lists(st.tuples(st.integers(0, 29), st.integers(0, 29)), max_size=80)


@settings(max_examples=40, deadline=None)
@given(LINKS, LINKS)
def test_every_community_hangs_together_also_after_edits(
    before: list[Pair], after: list[Pair]
) -> None:
    graph = graph_of(30, before)
    first = grouped(graph)
    changed = graph_of(30, before[: len(before) // 2] + after)
    second = grouped(changed, first)

    for each, found in ((graph, first), (changed, second)):
        parts = connected_parts(weights_of(each), found.ids)
        for nodes in sets(found):
            assert len(nodes) >= 3
            assert len({int(parts[node]) for node in nodes}) == 1


def test_one_note_in_a_hundred_edited_changes_next_to_nothing() -> None:
    links = planted(20, 100, across=4000)
    before = grouped(graph_of(2000, links))
    chosen = random.Random(5)
    edited = set(chosen.sample(range(2000), 20))
    changed = [
        (a, chosen.randrange(2000)) if a in edited and chosen.random() < 0.3 else (a, b)
        for a, b in links
    ]

    after = grouped(graph_of(2000, changed), before)

    ari = igraph.compare_communities(
        before.ids.tolist(), after.ids.tolist(), method="adjusted_rand"
    )
    ids = set(before.ids.tolist())
    assert ari >= 0.97
    assert len(ids & set(after.ids.tolist())) >= 0.98 * len(ids)


class TestInsights:
    def seen(self, nodes: int, links: list[Pair]) -> dict[str, list[tuple[int, int | None]]]:
        graph = graph_of(nodes, links, topics=10)
        found = grouped(graph)
        communities = describe(graph, weights_of(graph), found.ids, {})
        out: dict[str, list[tuple[int, int | None]]] = {}
        for each in insights(graph, communities, found.ids, np.arange(nodes)).told:
            assert each.reason.endswith(".")
            out.setdefault(each.kind, []).append((each.node, each.other))
        return out

    def test_notes_without_links_are_isolated_the_longest_first(self) -> None:
        assert self.seen(2, [(1, 1)]) == {"isolated": [(1, None), (0, None)]}

    def test_the_only_link_between_two_groups_is_surprising(self) -> None:
        seen = self.seen(20, [*planted(2, 10, across=0), (3, 14)])

        assert seen["surprising"] == [(3, 14)]

    def test_the_note_that_holds_two_groups_together_is_a_bridge(self) -> None:
        seen = self.seen(20, [*planted(2, 10, across=0), (3, 14), (3, 15), (3, 16)])

        assert seen["bridge"][0] == (3, None)

    def test_a_chain_is_sparse(self) -> None:
        seen = self.seen(8, [(node, node + 1) for node in range(7)])

        assert "sparse" in seen

    def test_of_sparse_groups_those_with_links_among_them_come_first(self) -> None:
        tagged = graph_of(13, [(0, 1), (1, 2), (2, 3), (0, 12), (1, 12), (2, 11)])
        ids = np.repeat([1, 2, 3, 0], [4, 4, 4, 1])
        communities = describe(tagged, weights_of(tagged), ids, {})

        seen = insights(tagged, communities, ids, np.zeros(13, np.int64))

        assert seen.counts["sparse"] == 2
        loose = [int(ids[each.node]) for each in seen.told if each.kind == "sparse"]
        assert loose == [1, 3]  # the second has no link at all

    def test_all_are_counted_and_the_first_are_told(self) -> None:
        graph = graph_of(MOST + 7, [])

        seen = insights(graph, [], np.zeros(MOST + 7, np.int64), np.arange(MOST + 7))

        assert seen.counts == {"isolated": MOST + 7, "sparse": 0, "bridge": 0, "surprising": 0}
        assert [each.node for each in seen.told] == list(range(MOST + 6, 6, -1))


def test_weights_of_pairs_grow_with_links_and_shared_rare_tags() -> None:
    graph = graph_of(4, [(0, 1), (1, 0), (1, 2)])
    graph.tags[2].append("rare")
    graph.tags[3].append("rare")

    found = weights_of(graph, [(0, 3, 0.5)])

    pairs = list(zip(found.first.tolist(), found.second.tolist(), strict=True))
    assert dict(zip(pairs, found.weight.tolist(), strict=True)) == {
        (0, 1): 2.0,
        (0, 3): 0.25,
        (1, 2): 1.0,
        (2, 3): 1.0,
    }


def test_a_hub_is_tamed() -> None:
    graph = graph_of(102, [(0, node) for node in range(1, 101)] + [(100, 101)])

    tamed: Weights = weights_of(graph).tamed()

    assert tamed.weight[-1] > tamed.weight[0]


@pytest.mark.parametrize("bad", [0.0, -1.0, float("nan"), float("inf")])
def test_a_weight_that_is_no_positive_number_is_left_out_and_said(bad: float) -> None:
    graph = graph_of(4, [(0, 1), (1, 2), (2, 3)])
    graph.confidence[1] = bad

    found = weights_of(graph, [(0, 1, bad), (2, 3, 0.5)])

    pairs = list(zip(found.first.tolist(), found.second.tolist(), strict=True))
    assert dict(zip(pairs, found.weight.tolist(), strict=True)) == {(0, 1): 1.0, (2, 3): 1.25}
    assert found.said == (
        "2 connections between notes had a weight that is no positive number, and was left out."
    )
    assert weights_of(graph_of(2, [(0, 1)])).said == ""
