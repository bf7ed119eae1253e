"""Small vaults on disk for tests, with an index of their own and no user's settings."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from vaultmem.files.targets import WriteRules
from vaultmem.index.connection import open_index, write_transaction
from vaultmem.index.writer import keep_segments
from vaultmem.settings import EmbedSettings, IndexSettings, Settings
from vaultmem.vault import Vault

WORDS = Settings(embed=EmbedSettings(model="none"))
"""Settings without vectors."""

CACHED = Settings(embed=EmbedSettings(model="none"), index=IndexSettings(location="cache"))
"""Settings without vectors and with the index outside the vault."""

AT_ONCE = WriteRules(quiet=0)
"""A note that was saved a moment ago may be changed: no test waits for that."""

LONG_AGO_NS = 60_000_000_000


def write(root: Path, files: Mapping[str, str | bytes]) -> None:
    """Writes the files, whole, without touching a line ending."""
    for path, content in files.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))


def vault_at(root: Path, *, settings: Settings = WORDS, cores: int = 1) -> Vault:
    """The vault in that folder, its user's cache beside it."""
    root.mkdir(parents=True, exist_ok=True)
    cache = root.with_name(f"{root.name}-cache")
    return Vault(root, settings, cache_root=cache, cores=cores, write_rules=AT_ONCE)


def execute(vault: Vault, statement: str) -> None:
    """Changes the index file from outside."""
    with closing(open_index(vault.index_path)) as index:
        index.execute(statement)


def falsify(vault: Vault, statement: str) -> None:
    """Changes the index file from outside, so that no page is missing and only what it says is wrong."""
    with closing(open_index(vault.index_path)) as index, write_transaction(index):
        index.execute(statement)
        keep_segments(index)


def age(vault: Vault) -> None:
    """Makes the index believe that it read all files a minute after they were written, so that stat data alone
    are trusted; no test has to wait for that."""
    with closing(open_index(vault.index_path)) as index:
        index.execute(
            "UPDATE vault_files SET read_ns = read_ns + ? WHERE read_ns > 0", (LONG_AGO_NS,)
        )


def found(vault: Vault, query: str) -> list[str]:
    """The paths of the notes that a search finds, in order of path."""
    return sorted(hit.path for hit in vault.search(query, limit=1000).hits)


def verified(vault: Vault) -> None:
    """Fails with the first differences unless the index is what its files alone would make it."""
    report = vault.verify()
    different = {t.table: t.differences for t in report.tables if not t.identical}
    assert (different, report.queries_differing) == ({}, ())


def rows(vault: Vault, query: str) -> list[Any]:
    """What the index file holds, by a query of its own."""
    with closing(open_index(vault.index_path, writable=False)) as index:
        return list(index.execute(query))


def keep_times(place: Path, content: bytes) -> None:
    """Changes a file's content and sets its modification time back to what it was."""
    before = place.stat()
    place.write_bytes(content)
    os.utime(place, ns=(before.st_atime_ns, before.st_mtime_ns))
