"""A save that came late and could not be put in place is in the history, where it can be seen and had back (P2)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.vaults import AT_ONCE, vault_at
from vaultmem.errors import RefusedError
from vaultmem.files.recover import recover
from vaultmem.notes.note_edit import AppendText

MINUTES_NS = 180 * 10**9
LATER = replace(AT_ONCE, clock=lambda: AT_ONCE.clock() + MINUTES_NS)
LATE = "one\nTyped late.\n"


def test_it_is_listed_shown_and_brought_back(tmp_path: Path) -> None:
    note = tmp_path / "vault" / "Buoy.md"
    with vault_at(note.parent) as vault:
        note.write_text("one\n")
        vault.sync()
        vault.edits.edit("Buoy", [AppendText("two")])
        (replaced,) = [p for p in (note.parent / ".vaultmem/displaced").rglob("*") if p.is_file()]
        replaced.write_text(LATE)
        vault.edits.edit("Buoy", [AppendText("three")])
        recover(note.parent, rules=LATER)

        back, late, *_ = vault.history.history("Buoy").entries

        assert [(entry.what, entry.actor) for entry in (back, late)] == [
            ("undo: edited", "vaultmem"),
            ("edited by hand", "another program"),
        ]
        assert late.undone_by == back.event
        with pytest.raises(RefusedError):
            vault.history.undo([late.event])
        assert vault.history.prove().proven
        vault.history.undo([back.event])
        assert note.read_text() == LATE
        assert vault.history.prove().proven
