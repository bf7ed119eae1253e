"""A small vault of its own for each test, and the sample vault, indexed once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.cli.command import as_user, environment, run
from tests.cli.transcripts import sample_vault

NOTES: Mapping[str, str] = {
    "Harbour.md": "# Harbour\n\nThe [[Ferry]] lands here. See [[Lost note]].\n",
    "Ferry.md": "---\ntags: [boat]\naliases: [The Kittiwake]\n---\nLeaves the harbour at nine.\n",
}


@pytest.fixture
def user(tmp_path: Path) -> Iterator[Mapping[str, str]]:
    """The environment of a user with an empty home and no vault; this process has it, too."""
    environ = environment(tmp_path / "home")
    with as_user(environ):
        yield environ


@pytest.fixture
def vault(tmp_path: Path, user: Mapping[str, str]) -> Path:
    """A vault of two notes without an index."""
    root = tmp_path / "vault"
    root.mkdir()
    for name, text in NOTES.items():
        (root / name).write_text(text, encoding="utf-8")
    return root


@pytest.fixture
def indexed(vault: Path) -> Path:
    """The vault of two notes, its index made."""
    assert run("rebuild", "--no-vectors", "--quiet", "--vault", str(vault)).code == 0
    return vault


@pytest.fixture
def sample(tmp_path: Path) -> Iterator[Path]:
    """The sample vault, indexed, as the vault that every command means."""
    with sample_vault(tmp_path):
        yield tmp_path / "vault"
