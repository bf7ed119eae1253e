"""What the file system offers for replacing notes, and whether something waits to be settled."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from vaultmem.files import renames
from vaultmem.files.folder import Folder
from vaultmem.files.support import SwapSupport, swap_support
from vaultmem.files.unsettled import has_unsettled

NOW = 1_000_000_000_000


def test_the_answer_is_tried_and_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / ".vaultmem").mkdir()
    assert swap_support(tmp_path) in (SwapSupport.EXCHANGE, SwapSupport.GUARD)
    assert os.listdir(tmp_path / ".vaultmem") == []


@pytest.mark.parametrize(
    ("links", "support"), [(True, SwapSupport.GUARD), (False, SwapSupport.NONE)]
)
def test_a_system_without_exchange(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, links: bool, support: SwapSupport
) -> None:
    (tmp_path / ".vaultmem").mkdir()
    monkeypatch.setattr(renames, "_system_function", lambda: None)
    if not links:
        monkeypatch.setattr(Folder, "links", lambda *_: False)
    assert swap_support(tmp_path) is support
    assert os.listdir(tmp_path / ".vaultmem") == []


def test_a_vault_without_our_folder_is_not_touched(tmp_path: Path) -> None:
    assert swap_support(tmp_path) is SwapSupport.UNKNOWN
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    ("names", "waits"),
    [
        ([], False),
        (["intents/20260101-000000-000000-aaaaaa.json"], True),
        (["intents/.half.json.1a2b"], True),
        ([f"incoming/{2**22 + 5}-abc"], True),
        ([f"incoming/{os.getppid()}-abc"], False),
        ([f"displaced/{NOW - 61_000_000_000}-7-ab/n.md/x"], True),
        ([f"displaced/{NOW - 59_000_000_000}-7-ab/n.md/x"], False),
        (["displaced/strange/x"], False),
    ],
)
def test_what_waits_to_be_settled(tmp_path: Path, names: list[str], waits: bool) -> None:
    for name in names:
        place = tmp_path / ".vaultmem" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.touch()
    assert has_unsettled(tmp_path, now_ns=NOW) is waits
