"""What the graph shows the dream: archived notes stand for nothing."""

from __future__ import annotations

from pathlib import Path

from tests.vaults import vault_at, write
from vaultmem_daemon.dreaming.worker import look_at_graph


def test_no_archived_note_is_a_hub_or_an_insight(tmp_path: Path) -> None:
    names = [f"Winch {number}" for number in range(6)]
    notes = {
        f"Tools/{name}.md": f"The winch. See [[Old winch]] and [[{names[(at + 1) % 6]}]].\n"
        for at, name in enumerate(names)
    }
    everything = " ".join(f"[[{name}]]" for name in names)
    notes["Memory/_archive/Old winch.md"] = f"The winch: {everything}\n"
    write(tmp_path / "v", notes)
    with vault_at(tmp_path / "v") as vault:
        vault.sync()

    found = look_at_graph(tmp_path / "v", lambda: False)

    assert found is not None
    assert [(each.kind, each.size) for each in found if each.kind == "community"] == [
        ("community", 7)
    ]
    assert [path for each in found for path in (each.path, each.other) if "_archive" in path] == []
