"""Every kind of edit on every note of the sample vault changes its own place only, and can be undone."""

from __future__ import annotations

from pathlib import Path

from tests.torture.bytes import Tally, Torturer, torture
from vaultmem.notes.textedit import TextEdit

SAMPLE = Path(__file__).parents[2] / "sample_vault"


def test_no_other_byte_of_the_sample_vault_changes() -> None:
    tally = torture([SAMPLE])
    assert tally.faults == []
    assert tally.notes > 50
    assert {
        "add item",
        "add section",
        "append",
        "append under",
        "delete block",
        "delete text",
        "insert under",
        "move note",
        "remove item",
        "remove property",
        "rename heading",
        "rename note",
        "replace block",
        "replace section",
        "replace text",
        "set new property",
        "set property",
    } <= tally.made.keys()


def test_an_edit_elsewhere_is_a_fault(tmp_path: Path) -> None:
    vault, copy = tmp_path / "vault", tmp_path / "copy"
    vault.mkdir()
    (vault / "a.md").write_bytes(b"one\ntwo\n")
    tally = Tally()
    torturer = Torturer(vault, copy, tally)
    torturer._try("a.md", "one\ntwo\n", "right", lambda: [TextEdit(4, 7, "2")], [(4, 8)])
    assert tally.faults == []
    torturer._try("a.md", "one\ntwo\n", "astray", lambda: [TextEdit(0, 3, "1")], [(4, 8)])
    assert [fault.partition(":")[0] for fault in tally.faults] == ["astray a.md"]
