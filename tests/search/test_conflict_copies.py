"""A sync conflict copy is found, but behind the note that it may be a copy of."""

from __future__ import annotations

from pathlib import Path

from tests.vaults import vault_at, write

COPY = "Tide gauge (Conflicted copy laptop 202503141200).md"


def test_the_note_comes_before_its_conflict_copy(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "Tide gauge.md": "# Tide gauge\n\nThe offset of the tide gauge is 7.184 m since the spring.\n",
            COPY: "# Tide gauge\n\nTide gauge offset 7.161 m, tide gauge.\n",
            "Walks.md": "On a low tide one walks to the rocks and back, with dry feet and a thermos.\n",
        },
    )
    with vault_at(tmp_path) as vault:
        hits = vault.search("tide gauge").hits

    assert [(hit.path, hit.conflict_of) for hit in hits if hit.path != "Walks.md"] == [
        ("Tide gauge.md", None),
        (COPY, "Tide gauge.md"),
    ]
