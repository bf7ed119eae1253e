"""Who only asks is not stopped by what cannot be settled now; who writes is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.vaults import found, vault_at, write
from vaultmem.errors import FailedError
from vaultmem.notes.note_edit import AppendText


def test_a_vault_in_which_nothing_can_be_settled_is_still_searched(tmp_path: Path) -> None:
    root = tmp_path / "vault"
    write(root, {"Buoy.md": "A capstan.\n", ".vaultmem/intents/.half.json.1a2b": "{"})
    (root / ".vaultmem/changes.lock").mkdir()
    with vault_at(root) as vault:
        assert found(vault, "capstan") == ["Buoy.md"]
        with pytest.raises(FailedError, match=r"changes\.lock cannot be opened .* to change notes"):
            vault.edits.edit("Buoy", [AppendText("two")])
    assert (root / "Buoy.md").read_text() == "A capstan.\n"
