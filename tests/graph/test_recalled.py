"""Notes that answered the same questions draw each other a little nearer."""

from __future__ import annotations

import pytest

from tests.conftest import VaultOf
from tests.graph.test_communities import graph_of
from tests.vaults import rows
from vaultmem.files.recalls import RecallEntry, RecallLog
from vaultmem.graph.recalled import recalled_pairs
from vaultmem.graph.weights import weights_of
from vaultmem.vault import Vault

NODES = {"a.md": 0, "b.md": 1, "c.md": 2, "d.md": 3}


def asked(query: str, *paths: str, by: str = "person") -> RecallEntry:
    return RecallEntry(1_900_000_000_000_000_000, by, query, paths)


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        ([], {}),
        ([asked("q", "b.md", "a.md")], {(0, 1): 1}),
        ([asked("q", "a.md", "b.md"), asked("r", "a.md", "b.md", by="agent")], {(0, 1): 2}),
        ([asked("q one", "a.md", "b.md"), asked("Q  one", "a.md", "b.md")], {(0, 1): 1}),
        ([asked("q", "a.md", "b.md", by="dream")], {}),
        ([asked("q", "a.md", "b.md", "gone.md", "c.md")], {(0, 1): 1}),
        ([asked("q", "d.md", "b.md", "a.md", "c.md")], {(0, 1): 1, (0, 3): 1, (1, 3): 1}),
        ([asked("q", "a.md"), asked("r", "a.md", "a.md")], {}),
    ],
)
def test_pairs_are_of_the_first_three_of_a_question(
    entries: list[RecallEntry], expected: dict[tuple[int, int], int]
) -> None:
    assert recalled_pairs(entries, NODES) == expected


def test_the_weight_is_small_and_grows_slowly_to_an_end() -> None:
    graph = graph_of(5, [(0, 1)])

    found = weights_of(graph, recalled={(0, 1): 1, (1, 2): 3, (2, 3): 7, (3, 4): 999})

    assert found.weight.round(4).tolist() == [1.2, 0.4, 0.6, 0.6]


def test_a_note_that_answers_everything_is_tamed_as_hubs_are() -> None:
    spokes = {(0, node): 1 for node in range(1, 101)}

    tamed = weights_of(graph_of(103, []), recalled={**spokes, (101, 102): 1}).tamed()

    assert tamed.weight[-1] > tamed.weight[0]


FILES = {f"{name}.md": f"{name} alone." for name in ("Ale", "Barm", "Cask", "Dray")}


def partition(vault: Vault) -> list[list[str]]:
    return [sorted(each.paths) for each in vault.graph.communities().communities]


def kept(vault: Vault) -> list[tuple[object, ...]]:
    return rows(vault, "SELECT value FROM notes_graph_cache WHERE key = 'partition'")


def test_notes_that_came_up_together_are_a_community_and_stay_it(vault_of: VaultOf) -> None:
    vault = vault_of(FILES)
    assert partition(vault) == []
    log = RecallLog(vault.root)
    assert log.append(asked("brewing", "Ale.md", "Barm.md", "Cask.md"))

    assert partition(vault) == [["Ale.md", "Barm.md", "Cask.md"]]

    before = kept(vault)
    assert partition(vault) == partition(vault_of()) == [["Ale.md", "Barm.md", "Cask.md"]]
    assert kept(vault) == before


def test_what_says_nothing_of_two_notes_changes_nothing(vault_of: VaultOf) -> None:
    linked = {"Ale.md": "[[Barm]] [[Cask]]", "Barm.md": "[[Cask]]"}
    vault = vault_of({**FILES, **linked})
    first = vault.graph.communities().communities
    before = kept(vault)

    RecallLog(vault.root).append(asked("carts", "Dray.md"))
    RecallLog(vault.root).append(asked("carts", "Dray.md", "Ale.md", by="dream"))

    assert vault.graph.communities().communities == first
    assert kept(vault) == before


def test_the_state_of_a_log_tells_of_each_line(vault_of: VaultOf) -> None:
    vault = vault_of({})
    log = RecallLog(vault.root)
    states = [log.state()]
    for number in range(2):
        log.append(asked(f"q{number}", "a.md"))
        states.append(log.state())

    assert states[0] == ""
    assert len(set(states)) == 3
