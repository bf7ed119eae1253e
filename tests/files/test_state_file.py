"""Small state of ours on the disk: replaced as a whole, and never in a vault that is gone."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from vaultmem.errors import FailedError
from vaultmem.files.proposals import ProposalFiles
from vaultmem.files.recalls import MOST_BYTES, RecallEntry, RecallLog
from vaultmem.files.state_file import StateFile


def test_the_text_that_was_saved_last_is_there(tmp_path: Path) -> None:
    state = StateFile(tmp_path, "dream/one.json")
    assert state.load() is None
    state.save("first")
    state.save("second ß")
    assert state.load() == "second ß"
    assert [path.name for path in (tmp_path / ".vaultmem/dream").iterdir()] == ["one.json"]
    state.remove()
    state.remove()
    assert state.load() is None


def test_bytes_that_are_no_text_are_no_state(tmp_path: Path) -> None:
    state = StateFile(tmp_path, "one.json")
    state.save("x")
    (tmp_path / ".vaultmem/one.json").write_bytes(b"\xff\xfe")
    assert state.load() is None


def test_a_vault_that_is_gone_is_not_made_anew(tmp_path: Path) -> None:
    root = tmp_path / "vault"
    root.mkdir()
    state = StateFile(root, "dream/one.json")
    state.save("x")
    shutil.rmtree(root)
    with pytest.raises(FailedError):
        state.save("y")
    assert not root.exists()


def test_proposals_wait_oldest_first_under_their_ids(tmp_path: Path) -> None:
    files = ProposalFiles(tmp_path)
    assert (files.count(), files.load_all()) == (0, [])
    files.save("b", "one")
    files.save("a", "two")
    assert files.count() > 0
    assert sorted(files.load_all()) == ["one", "two"]
    files.remove("b")
    assert files.load_all() == ["two"]


@pytest.mark.parametrize(
    "copy",
    [
        "0a1b.sync-conflict-20261130-031500-ABCDEFG.json",
        "0a1b (conflicted copy 2026-11-30).json",
        "0a1b (1).json",
        "0a1b 2.json",
        "0a1b-Desk.json",
    ],
)
def test_a_second_file_that_a_sync_tool_leaves_is_no_second_proposal(
    tmp_path: Path, copy: str
) -> None:
    files = ProposalFiles(tmp_path)
    files.save("0a1b", "one")
    (tmp_path / ".vaultmem/proposals" / copy).write_text("one")
    assert (files.count(), files.load_all()) == (1, ["one"])
    files.remove("0a1b")
    assert (files.count(), files.load_all()) == (0, [])


def test_recalls_of_all_devices_are_read_and_half_lines_passed_over(tmp_path: Path) -> None:
    log = RecallLog(tmp_path)
    entries = [
        RecallEntry(1_900_000_000_000_000_000 + n, "person", f"where is «{n}»?", ("a.md", "b.md"))
        for n in range(3)
    ]
    assert all(map(log.append, entries))
    (mine,) = (tmp_path / ".vaultmem/recalls").glob("*/*.jsonl")
    with mine.open("ab") as file:
        file.write(b'{"time_ns": 12, "by"')
    log.append(entries[0])
    other = tmp_path / ".vaultmem/recalls/other/2030-01.jsonl"
    other.parent.mkdir()
    other.write_text('{"time_ns": 5, "by": "agent", "query": "q", "paths": ["c.md"]}\n[]\n')
    found = list(log.read())
    assert sorted(found, key=lambda e: e.time_ns) == [
        RecallEntry(5, "agent", "q", ("c.md",)),
        entries[0],
        entries[0],
        *entries[1:],
    ]
    assert [e.time_ns for e in log.read(since_ns=entries[2].time_ns)] == [entries[2].time_ns]


def test_what_cannot_be_remembered_is_no_error(tmp_path: Path) -> None:
    gone = RecallLog(tmp_path / "gone")
    assert not gone.append(RecallEntry(1, "person", "q", ()))
    assert not (tmp_path / "gone").exists()
    assert not RecallLog(tmp_path).append(RecallEntry(1, "person", "q" * MOST_BYTES, ()))
    assert list(gone.read()) == []


def test_what_a_killed_process_left_goes_with_the_next_save(tmp_path: Path) -> None:
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    folder = tmp_path / ".vaultmem/dream"
    folder.mkdir(parents=True)
    (folder / f".aa.json.{dead.pid}").write_text("hal")
    (folder / ".notes.json").write_text("of somebody else")

    StateFile(tmp_path, "dream/bb.json").save("whole")

    assert {place.name: place.read_text() for place in folder.iterdir()} == {
        ".notes.json": "of somebody else",
        "bb.json": "whole",
    }
