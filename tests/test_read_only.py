"""A vault that became read-only while something of vaultmem's own was still to be settled in it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.vaults import CACHED, found, vault_at, write
from vaultmem.files.read import content_hash
from vaultmem.vault import Vault

TIDE = content_hash(b"tide\n")


def replaced_long_ago(root: Path) -> None:
    """A replaced file whose minute is long over."""
    place = root / f".vaultmem/displaced/1-1-aaaaaaaa/a.md/{TIDE}-{TIDE}"
    place.parent.mkdir(parents=True)
    place.write_bytes(b"tide\n")


def begun_by_a_dead_process(root: Path) -> None:
    """The record of a change of which nothing came about."""
    place = root / ".vaultmem/intents/19700101-000000-000000-aaaaaa.json"
    place.parent.mkdir(parents=True)
    place.write_text(
        '{"id":"19700101-000000-000000-aaaaaa","time_ns":0,"device":"aaaa0000","kind":"updated",'
        f'"actor":"a","cause":"b","changes":[{{"path":"a.md","before":"{TIDE}","after":"{TIDE}"}}]}}\n[]\n'
    )


@pytest.fixture
def imported(tmp_path: Path) -> None:
    """What Python reads when it is first used, is read: another user may not be allowed to."""
    write(tmp_path, {"a.md": "tide\n"})
    replaced_long_ago(tmp_path)
    begun_by_a_dead_process(tmp_path)
    with vault_at(tmp_path) as vault:
        reads(vault)


def reads(vault: Vault) -> None:
    """Everything that only looks."""
    vault.sync()
    assert found(vault, "tide") == ["a.md"]
    assert vault.note("a").text == "tide\n"
    assert (vault.status().notes, vault.status().freshness.pending) == (1, 0)
    assert vault.history.history().entries == ()


@pytest.mark.parametrize("leave", [replaced_long_ago, begun_by_a_dead_process])
def test_who_only_reads_goes_on(
    imported: None, users_folder: Path, leave: Callable[[Path], None]
) -> None:
    root = users_folder / "vault"
    with vault_at(root) as vault:
        write(root, {"a.md": "tide\n"})
        vault.sync()
        leave(root)
    for folder in sorted((root, *root.rglob("*"))):
        if folder.is_dir():
            folder.chmod(0o500)

    with vault_at(root, settings=CACHED) as vault:
        reads(vault)
