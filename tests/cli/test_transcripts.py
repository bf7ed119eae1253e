"""Given the sample vault, the commands print what the transcripts say. ``python -m tests.cli.refresh`` renews them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.transcripts import FOLDER, played, sample_vault
from vaultmem_cli.app import COMMANDS

PATHS = sorted(FOLDER.glob("*.txt"))


@pytest.mark.parametrize("path", PATHS, ids=[path.stem for path in PATHS])
def test_commands_print_what_their_transcript_says(path: Path, tmp_path: Path) -> None:
    transcript = path.read_text(encoding="utf-8")
    with sample_vault(tmp_path):
        assert played(transcript, tmp_path) == transcript


def test_every_command_has_a_transcript() -> None:
    transcripts = "\n".join(path.read_text(encoding="utf-8") for path in PATHS)
    shown = {command for command in COMMANDS if f"\n$ vaultmem {command}" in f"\n{transcripts}"}
    assert shown == set(COMMANDS)
