"""A box that is ticked while the vault is watched: the change is made without anybody asking for a sync."""

from __future__ import annotations

from pathlib import Path
from time import time_ns

import pytest

from tests.daemon.dreaming.nights import TEXT, dream, notes_of, vault_with
from tests.daemon.watched import Watched
from tests.vaults import write
from vaultmem_daemon.dreaming.pipeline import run_cycle
from vaultmem_daemon.dreaming.reviews import Reviews

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


def test_the_last_change_is_the_edit_that_was_accepted_and_not_the_note_that_follows_it(
    tmp_path: Path,
) -> None:
    with vault_with(tmp_path / "v", HAND) as vault:
        before = notes_of(vault)
        review = vault.root / dream(vault).review
        review.write_text(review.read_text().replace("- [ ] Merge", "- [x] Merge"))
        (applied,) = Reviews(vault, time_ns).take_decisions().applied
        followed = review.read_text()

        undone = vault.history.undo(["last"])

        assert undone.undone == (applied[1],)
        assert notes_of(vault) == before
        assert review.read_text() == followed


def test_the_last_change_is_the_one_accepted_last_then_the_one_before(tmp_path: Path) -> None:
    broken = {f"{n}.md": f"See [[Lantren in the {n}]].\n" for n in ("attic", "den")}
    with vault_with(tmp_path / "v", broken) as vault:
        before = notes_of(vault)
        dream(vault)
        reviews = Reviews(vault, time_ns)
        done = reviews.accept([each.id for each in reviews.waiting()]).applied
        assert len(done) == 2

        undone = [vault.history.undo(["last"]).undone for _ in done]

        assert undone == [(event,) for _, event in reversed(done)]
        assert notes_of(vault) == before


@pytest.mark.parametrize("mark", ["x", "-"])
def test_a_box_that_is_ticked_while_a_cycle_runs_is_followed_after_it(
    tmp_path: Path, mark: str
) -> None:
    with vault_with(tmp_path / "v", {"attic.md": "See [[Lantren in the attic]].\n"}) as vault:
        review = vault.root / dream(vault).review
        write(vault.root, {"den.md": "See [[Lantren in the den]].\n"})

        def ticks() -> bool:
            review.write_text(review.read_text().replace("- [ ]", f"- [{mark}]"))
            return False

        dream(vault, night=1, cancelled=ticks)
        assert [review.read_text().count(box) for box in (f"- [{mark}]", "- [ ]")] == [1, 1]
        vault.sync()
        done = Reviews(vault, time_ns).take_decisions()

        assert (len(done.applied) + len(done.rejected), done.waiting) == (1, 1)
        assert [review.read_text().count(box) for box in (f"- [{mark}]", "- [ ]")] == [0, 1]


def test_what_was_accepted_and_taken_back_is_not_proposed_again(tmp_path: Path) -> None:
    """Nor is it done again by an older review note with the tick in it, which file sync brings back."""
    broken = {"attic.md": "See [[Lantren in the attic]].\n"}
    with vault_with(tmp_path / "v", broken) as vault:
        review = vault.root / dream(vault).review
        ticked = review.read_text().replace("- [ ]", "- [x]")
        review.write_text(ticked)
        Reviews(vault, time_ns).take_decisions()
        vault.history.undo(["last"])
        before = notes_of(vault)

        write(vault.root, {"den.md": "Something else.\n"})
        report = run_cycle(vault, now=True)
        review.write_text(ticked)
        vault.sync()
        done = Reviews(vault, time_ns).take_decisions()

        assert report.decisions == ()
        assert (done.applied, done.waiting) == ((), 0)
        assert notes_of(vault) == {**before, "den.md": "Something else.\n"}


def test_what_no_longer_applies_leaves_the_note_with_the_cycle_that_finds_it(
    tmp_path: Path,
) -> None:
    broken = {f"{n}.md": f"See [[Lantren in the {n}]].\n" for n in ("attic", "den")}
    with vault_with(tmp_path / "v", broken) as vault:
        cycles = [dream(vault).cycle]
        (vault.root / "attic.md").write_text("Nothing.\n")
        before = notes_of(vault)
        cycles.append(dream(vault, night=2).cycle)
        review = (vault.root / "Memory/_review/Review.md").read_text()
        assert "Lantren in the den" in review
        assert "Lantren in the attic" not in review

        for cycle in reversed(cycles):
            vault.history.undo([cycle], keep_mine=True)

        assert notes_of(vault, ours=True) == before
