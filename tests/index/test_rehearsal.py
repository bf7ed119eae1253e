"""Changes tried out on a copy of the index: searches see them, and the index does not."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.conftest import VaultOf
from vaultmem.index.rehearsal import Rehearsal, Trial
from vaultmem.search.engine import Asked, search
from vaultmem.search.memory import SearchMemory
from vaultmem.settings import EmbedSettings, Settings

FILES = {
    "a.md": "# Ferry\n\nThe ferry leaves at nine.\n",
    "b.md": "# Harbour\n\nRope and tar. See [[a]].\n",
}
WITH_VECTORS = Settings(embed=EmbedSettings(model="static"))


def paths(rehearsal: Rehearsal, query: str, memory: SearchMemory) -> list[str]:
    found = search(rehearsal.connection, Asked(query, 10), embedder=lambda: None, memory=memory)
    return [hit.path for hit in found.hits]


def ask(rehearsal: Rehearsal, queries: Sequence[str], memory: SearchMemory) -> list[list[str]]:
    return [paths(rehearsal, query, memory) for query in queries]


@pytest.mark.parametrize("settings", [None, WITH_VECTORS], ids=["words", "vectors"])
def test_what_is_not_kept_is_as_if_it_had_never_been(
    vault_of: VaultOf, tmp_path: Path, settings: Settings | None
) -> None:
    vault = vault_of(FILES) if settings is None else vault_of(FILES, settings=settings)
    memory = SearchMemory()
    with vault.rehearse(tmp_path) as rehearsal:
        with rehearsal.trying([Trial("a.md", "old/a.md", "# Ferry\n\nIt sails at ten.\n")]):
            assert ask(rehearsal, ["ten", "nine"], memory) == [["old/a.md"], []]
        assert ask(rehearsal, ["ten", "nine"], SearchMemory()) == [[], ["a.md"]]
        with rehearsal.trying([Trial("b.md", "b.md", "# Harbour\n\nAnchors.\n")]) as keep:
            keep.keep()
        assert ask(rehearsal, ["anchors", "rope"], SearchMemory()) == [["b.md"], []]
        with rehearsal.trying([Trial("new.md", "new.md", "Lanterns.\n")]) as keep:
            keep.keep()
        with rehearsal.trying([Trial("new.md", "new.md", "Candles.\n")]):
            assert ask(rehearsal, ["candles", "lanterns"], SearchMemory()) == [["new.md"], []]
    assert [hit.path for hit in vault.search("rope").hits] == ["b.md"]
    assert list(tmp_path.iterdir()) == [path for path in tmp_path.iterdir() if path.is_dir()]


def test_links_lead_to_where_a_note_would_be(vault_of: VaultOf, tmp_path: Path) -> None:
    vault = vault_of(FILES)
    with vault.rehearse(tmp_path / "") as rehearsal:
        with rehearsal.trying([Trial("a.md", "sub/a.md", FILES["a.md"])]) as keep:
            keep.keep()
        target = rehearsal.connection.execute(
            "SELECT t.path FROM notes_links AS l JOIN vault_files AS t ON t.id = l.target_id"
        ).get
    assert target == "sub/a.md"
