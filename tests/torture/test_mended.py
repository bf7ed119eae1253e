"""What the torture found and what was mended, each as one small case."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from tests.conftest import VaultOf
from vaultmem.files.events import EventKind
from vaultmem.files.journal import Journal
from vaultmem.index.connection import open_index


def test_the_next_sync_removes_what_a_killed_rebuild_left(vault_of: VaultOf) -> None:
    vault = vault_of({"a.md": "one"})
    vault.sync()
    left = [vault.index_dir / f"memory.db.{step}-1-abcd" for step in ("build", "verify")]
    for place in left:
        place.write_bytes(b"half")
    vault.sync()
    assert [place.exists() for place in left] == [False, False]


def test_a_note_that_undo_put_into_the_trash_is_no_file_of_the_index(vault_of: VaultOf) -> None:
    vault = vault_of({"a.md": "one"})
    vault.sync()
    created = vault.edits.create("b", "two")
    assert created.event is not None
    vault.history.undo([created.event])
    assert _hidden(vault.root) == [".trash/b.md"]
    with closing(open_index(vault.index_path, writable=False)) as index:
        assert index.execute("SELECT path FROM vault_files").fetchall() == [("a.md",)]
    (vault.root / ".trash/b.md").unlink()
    vault.sync()
    kinds = [event.kind for event in Journal(vault.root).read()]
    assert EventKind.EDITED_BY_HAND not in kinds


def _hidden(root: Path) -> list[str]:
    places = (root / ".trash").rglob("*")
    return sorted(place.relative_to(root).as_posix() for place in places)
