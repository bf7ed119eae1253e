"""The torture commands, small: as a stranger runs them, each a process of its own. And that they see a fault."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="they fork")


def torture(name: str, *arguments: str) -> str:
    """What the command prints; it must find no fault."""
    command = [sys.executable, "-m", f"tests.torture.{name}", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_kills_leave_whole_vaults(tmp_path: Path) -> None:
    scenes = "many links,batch edit,sync after,from nothing"
    options = ("--points", "16", "--notes", "14", "--only", scenes, "--folder", str(tmp_path))
    said = torture("kill", *options)
    assert "16 of 16 kills left a whole vault" in said
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_costs_nothing(tmp_path: Path) -> None:
    common = ("--only", "full", "--notes", "14", "--every", "12", "--folder", str(tmp_path))
    said = torture("disk", *common, "--command", "rename")
    if "SKIPPED" in said:
        pytest.skip(said)
    count = re.search(r"(\d+) of (\d+) tries", said)
    assert count is not None
    assert int(count[1]) == int(count[2]) >= 4


def test_a_vault_that_goes_away_comes_back_whole(tmp_path: Path) -> None:
    said = torture(
        "disk", "--only", "gone", "--notes", "14", "--tries", "1", "--folder", str(tmp_path)
    )
    if "SKIPPED" in said:
        pytest.skip(said)
    assert "2 of 2 tries" in said


def test_what_may_not_be_written_is_said(tmp_path: Path) -> None:
    options = ("--only", "shut", "--notes", "14", "--command", "edit", "--folder", str(tmp_path))
    said = torture("disk", *options)
    count = re.search(r"(\d+) of (\d+) tries", said)
    assert count is not None
    assert int(count[1]) == int(count[2]) >= 6


def test_many_processes_are_turned_away_by_nothing(tmp_path: Path) -> None:
    options = ("--writers", "4", "--readers", "2", "--seconds", "5", "--folder", str(tmp_path))
    said = torture("processes", *options)
    turns = re.search(r"writers by Vault: \[(\d+), (\d+)\]", said)
    assert turns is not None
    assert 0 < int(turns[1]) <= int(turns[2])


def test_many_links_follow_as_one_event(tmp_path: Path) -> None:
    options = ("--links", "250", "--notes", "150", "--words", "--folder", str(tmp_path))
    said = torture("rename", *options)
    assert "files rewritten" in said
    assert ", 1 event" in said


CARELESS = """
import sys
from pathlib import Path
from tests.torture.kill import torture
from tests.torture.scenes import Scene

def two_files_one_after_the_other(vault):
    for name in ("notes 1/note 1.md", "notes 2/note 2.md"):
        place = vault.root / name
        place.write_bytes(place.read_bytes() + b"half of it")
    vault.sync()

scene = Scene("careless", (two_files_one_after_the_other,))
for fault in torture(Path(sys.argv[1]), 60, seed=1, notes=14, scenes=(scene,)).faults:
    print(fault)
"""


def test_a_half_done_change_would_be_seen(tmp_path: Path) -> None:
    command = [sys.executable, "-c", CARELESS, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "note 2.md is of another state" in done.stdout or "the journal tells of" in done.stdout
