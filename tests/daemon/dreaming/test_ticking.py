"""A box that is ticked while the vault is watched: the change is made without anybody asking for a sync."""

from __future__ import annotations

from pathlib import Path

from tests.daemon.dreaming.nights import TEXT, dream, vault_with
from tests.daemon.watched import Watched

HAND = {"Tools/Winch.md": f"# Winch\n\n{TEXT}\n", "Old/The winch.md": f"# The winch\n\n{TEXT}\n"}


def test_a_ticked_box_is_followed(tmp_path: Path) -> None:
    root = tmp_path / "v"
    with vault_with(root, HAND) as vault:
        review = root / dream(vault).review
    with Watched(root) as watched:
        review.write_text(review.read_text().replace("- [ ] Merge", "- [x] Merge"))
        report = watched.said("decided")
    assert report.message.startswith("As you ticked: Merge ")
    archived = [path.name for path in (root / "Memory/_archive").rglob("*.md")]
    assert len(archived) == 1
    assert "[x]" not in review.read_text()


def test_a_rejected_one_is_dropped(tmp_path: Path) -> None:
    root = tmp_path / "v"
    with vault_with(root, HAND) as vault:
        review = root / dream(vault).review
    with Watched(root) as watched:
        review.write_text(review.read_text().replace("- [ ] Merge", "- [-] Merge"))
        report = watched.said("decided")
    assert report.message.startswith("Not to be proposed again: Merge ")
    assert not (root / "Memory/_archive").exists()
