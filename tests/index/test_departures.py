"""Notes that events moved or removed have not disappeared, however many they are and whatever became of the index."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.conftest import VaultOf
from tests.index.own_changes import do, edit, hand_edits, move
from tests.vaults import AT_ONCE, found, rows, vault_at, verified, write
from vaultmem.errors import RefusedError
from vaultmem.files.changes import ChangeSet, Creation, Move, apply_changes
from vaultmem.files.events import EventKind
from vaultmem.files.intents import Intent, IntentStore
from vaultmem.files.journal import Journal
from vaultmem.files.read import content_hash
from vaultmem.vault import Vault

MANY = 30
"""Notes in the folder that moves: more than half of all, and more than a mass disappearance needs."""


def text(folder: str, number: int) -> str:
    return f"tide {number} [[{folder}/n{(number + 1) % MANY}]]\n"


@pytest.fixture
def ring(vault_of: VaultOf) -> Vault:
    """A folder of notes that link each other by whole path, and a few notes beside it."""
    notes = {f"F/n{number}.md": text("F", number) for number in range(MANY)}
    vault = vault_of(notes | {f"m{number}.md": f"moor {number}\n" for number in range(10)})
    vault.sync()
    return vault


def rename_folder(root: Path, old: str = "F", new: str = "G") -> None:
    """As ``mv F/ G`` does: every link has its new text, and then the folder moves."""
    edits = [edit(root, f"{old}/n{n}.md", text(new, n)) for n in range(MANY)]
    do(root, *edits, move(root, old, new), kind=EventKind.RENAMED)


def ids(vault: Vault) -> dict[str, int]:
    return dict(rows(vault, "SELECT path, id FROM vault_files"))


def paths(folder: str) -> list[str]:
    return sorted(f"{folder}/n{number}.md" for number in range(MANY))


def test_a_folder_that_vaultmem_moved_and_edited_has_moved(ring: Vault) -> None:
    before = ids(ring)
    rename_folder(ring.root)
    report = ring.sync()
    assert (report.added, report.removed) == ((), ())
    assert sorted(report.moved) == list(zip(paths("F"), paths("G"), strict=True))
    after = ids(ring)
    assert [after[path] for path in paths("G")] == [before[path] for path in paths("F")]
    assert hand_edits(ring.root) == []
    verified(ring)


@pytest.mark.parametrize("look", [["F", "G"], ["F"], ["G", "F/n0.md"]])
def test_a_look_at_some_paths_sees_it_too_or_leaves_it_to_one_at_all(
    ring: Vault, look: list[str]
) -> None:
    rename_folder(ring.root)
    if ring.sync_paths(look) is None:
        ring.sync()
    assert found(ring, "tide") == paths("G")
    verified(ring)


def test_there_and_back_and_elsewhere(ring: Vault) -> None:
    rename_folder(ring.root)
    rename_folder(ring.root, "G", "F")
    do(ring.root, move(ring.root, "F/n0.md", "Alone.md"))
    rename_folder_but_first(ring.root)
    report = ring.sync()
    assert (report.added, report.removed) == ((), ())
    assert dict(report.moved)["F/n0.md"] == "Alone.md"
    assert dict(report.moved)["F/n1.md"] == "H/n1.md"
    verified(ring)


def rename_folder_but_first(root: Path) -> None:
    edits = [edit(root, f"F/n{n}.md", text("H", n)) for n in range(1, MANY)]
    do(root, *edits, move(root, "F", "H"), kind=EventKind.RENAMED)


def test_a_hand_that_edits_all_of_it_afterwards_makes_no_loss(ring: Vault) -> None:
    rename_folder(ring.root)
    write(ring.root, {path: f"tide by hand {path}\n" for path in paths("G")})
    report = ring.sync()
    assert (report.added, report.removed, len(report.moved)) == ((), (), MANY)
    assert len(hand_edits(ring.root)) == MANY
    verified(ring)


def test_a_journal_that_was_taken_in_before_the_files_moved_accounts_for_them(
    ring: Vault, tmp_path: Path
) -> None:
    before = tmp_path / "before"
    shutil.copytree(ring.root / "F", before)
    rename_folder(ring.root)
    (ring.root / "G").rename(tmp_path / "after")
    before.rename(ring.root / "F")
    ring.sync()  # as if the folder moved just after this one had looked
    (ring.root / "F").rename(before)
    (tmp_path / "after").rename(ring.root / "G")
    report = ring.sync()
    assert (report.added, report.removed, len(report.moved)) == ((), (), MANY)
    verified(ring)


def test_a_change_that_a_killed_process_left_under_way_accounts_for_them_too(ring: Vault) -> None:
    rename_folder(ring.root)
    journal = Journal(ring.root)
    (event,) = journal.read()
    for file in (ring.root / ".vaultmem/journal" / journal.device).iterdir():
        file.unlink()
    IntentStore(ring.root).keep(Intent(event, ("G",)))
    ring.sync()
    assert found(ring, "tide") == paths("G")


def test_what_vaultmem_removed_has_not_disappeared(vault_of: VaultOf) -> None:
    vault = vault_of({"Keel.md": "keel\n"})
    root = vault.root
    made = do(root, *(Creation(f"n{number}.md", b"tide\n") for number in range(MANY)))
    assert made is not None
    vault.sync()
    for attempt in (vault.sync, vault.rebuild):
        taken_back = ChangeSet(
            EventKind.DELETED,
            actor="a test",
            cause="asked to",
            moves=tuple(
                Move(f"n{n}.md", f".trash/n{n}.md", content_hash(b"tide\n")) for n in range(MANY)
            ),
        )
        apply_changes(root, taken_back, rules=AT_ONCE)
        attempt()
        assert found(vault, "tide") == []
        do(root, *(move(root, f".trash/n{n}.md", f"n{n}.md") for n in range(MANY)))
        vault.sync()
        assert len(found(vault, "tide")) == MANY


@pytest.mark.parametrize("attempt", ["sync", "rebuild"])
def test_files_that_are_not_where_the_journal_says_are_missing(ring: Vault, attempt: str) -> None:
    """P11: file sync brought the journal, took the old files and has not brought the new ones."""
    rename_folder(ring.root)
    (ring.root / "G").rename(ring.root.with_name("not yet"))
    with pytest.raises(RefusedError, match="Of 40 notes only 10"):
        getattr(ring, attempt)()
    assert len(found(ring, "tide")) == MANY


def test_a_journal_that_went_with_the_files_accounts_for_nothing(ring: Vault) -> None:
    rename_folder(ring.root)
    ring.sync()
    shutil.rmtree(ring.root / "G")
    shutil.rmtree(ring.root / ".vaultmem/journal")
    with pytest.raises(RefusedError):
        ring.sync()


def test_a_vault_whose_larger_part_was_renamed_can_be_changed_at_once_and_undone(
    ring: Vault,
) -> None:
    answer = ring.edits.rename("F/", "G")
    assert answer.note == ""
    assert found(ring, "tide") == paths("G")
    ring.close()
    for file in ring.root.glob(".vaultmem/memory.db*"):
        file.unlink()
    with vault_at(ring.root) as vault:
        vault.history.undo(["last"])
        assert found(vault, "tide") == paths("F")
        report = vault.sync()
        assert (report.added, report.moved, report.removed) == ((), (), ())
        verified(vault)
