"""A small vault of its own for each test."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.vaults import vault_at, write

NOTES = {
    "Pump.md": "The word is anchor.\n",
    "Log/Ballast.md": "# Ballast\n\nBallast settings.\n",
    "Log/Bilge.md": "Dry. See [[Ballast]].\n",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A vault of three notes, its index made."""
    vault = vault_at(tmp_path / "vault")
    write(vault.root, NOTES)
    vault.sync()
    vault.close()
    return vault.root
