"""A search beside a live watcher compares no files, and still knows the save of a moment ago."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

from tests.daemon.watched import Watched
from tests.vaults import CACHED, vault_at, write
from vaultmem.files.vouch import ADDRESS_NAME, is_vouched_for
from vaultmem_daemon.vouching import Vouching

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no local sockets there")


def is_soon_vouched_for(folder: Path) -> bool:
    """Whether a watcher vouches for it when asked a few times: a busy one may not answer in time."""
    return any(is_vouched_for(folder) for _ in range(20))


def test_a_search_right_after_a_save_finds_it(root: Path) -> None:
    vouched = 0
    with Watched(root), vault_at(root) as vault:
        for turn in range(60):
            place = root / ("Pump.md" if turn % 3 else f"new/{turn}.md")
            if turn % 2:
                write(place.parent, {".aside": f"capstan{turn}\n"})
                os.replace(place.parent / ".aside", place)
            else:
                write(place.parent, {place.name: f"capstan{turn}\n"})
            answer = vault.search(f"capstan{turn}")
            assert [hit.path for hit in answer.hits] == [place.relative_to(root).as_posix()]
            assert (answer.freshness.checked, answer.freshness.pending) == (True, 0)
            vouched += answer.freshness.note == "watched"
    assert vouched > 30  # a busy machine may keep the watcher from answering in time


def test_a_search_right_after_a_deletion_or_a_rename_knows(root: Path) -> None:
    with Watched(root), vault_at(root) as vault:
        (root / "Log").rename(root / "Diary")
        assert [hit.path for hit in vault.search("settings").hits] == ["Diary/Ballast.md"]
        (root / "Diary" / "Ballast.md").unlink()
        assert vault.search("settings").hits == ()


def test_no_watcher_vouches_for_nothing(root: Path) -> None:
    assert not is_vouched_for(root / ".vaultmem")
    with vault_at(root) as vault:
        assert vault.search("anchor").freshness.note == ""


def test_a_watcher_that_has_ended_vouches_for_nothing(root: Path) -> None:
    with Watched(root):
        assert is_soon_vouched_for(root / ".vaultmem")
        address = (root / ".vaultmem" / ADDRESS_NAME).read_text("utf-8")
    assert not is_vouched_for(root / ".vaultmem")
    assert not (root / ".vaultmem" / ADDRESS_NAME).exists()
    assert not Path(address.strip()).parent.exists()
    (root / ".vaultmem" / ADDRESS_NAME).write_text(
        address, encoding="utf-8"
    )  # left by a killed one
    assert not is_vouched_for(root / ".vaultmem")


def test_the_watcher_of_one_vault_does_not_vouch_for_its_copy(root: Path) -> None:
    copy = root.with_name("copy")
    with Watched(root):
        shutil.copytree(root, copy)
        assert (copy / ".vaultmem" / ADDRESS_NAME).exists()
        assert not is_vouched_for(copy / ".vaultmem")
        assert is_soon_vouched_for(root / ".vaultmem")


@pytest.mark.parametrize("text", ["", "\n", "/no/such/place\n", "relative", "\0"])
def test_a_broken_address_vouches_for_nothing(root: Path, text: str) -> None:
    (root / ".vaultmem" / ADDRESS_NAME).write_text(text, encoding="utf-8")
    assert not is_vouched_for(root / ".vaultmem")


def test_a_watcher_whose_events_do_not_come_does_not_answer(root: Path) -> None:
    vouching = Vouching(root / ".vaultmem")
    vouching.open()
    try:
        assert not is_vouched_for(root / ".vaultmem")  # not able
        vouching.able = True
        assert not is_vouched_for(root / ".vaultmem")  # nobody settles the cookie
        assert list((root / ".vaultmem").glob("watch-cookie-*")) == []
    finally:
        vouching.close()


def test_an_index_outside_the_vault_is_compared(root: Path) -> None:
    with Watched(root, settings=CACHED) as watched, vault_at(root, settings=CACHED) as vault:
        write(root, {"Pump.md": "capstan\n"})
        watched.taken_in("Pump.md")
        assert vault.search("capstan").freshness.note == ""
        assert not (root / ".vaultmem" / ADDRESS_NAME).exists()
