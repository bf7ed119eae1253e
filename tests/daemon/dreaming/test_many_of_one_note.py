"""Several proposals about one note: what is done for one of them leaves the others to be done."""

from __future__ import annotations

from pathlib import Path
from time import time_ns

from tests.daemon.dreaming.nights import dream, notes_of, vault_with
from vaultmem.vault import Vault
from vaultmem_daemon.dreaming.reviews import Reviews

NOTE = "2026-02-03.md"
THINGS = {
    "Sourdough bread": "Sourdogh bread",
    "Bicycle pump": "Bicicle pump",
    "Harbour walk": "Harbuor walk",
}
NAMED = {f"{name}.md": f"About the {name}.\n" for name in THINGS}
LINES = "".join(f"- Saw the [[{typo}]] today.\n" for typo in THINGS.values())
BROKEN = f"---\ntags: walk, light\n---\n{LINES}See [[Sourdough braed]], [[Bicycle pmup]].\n"
FILES = {**NAMED, NOTE: BROKEN}
REVIEW = "Memory/_review/Review.md"


def of(desk: Reviews) -> list[str]:
    return [each.id for each in desk.waiting() if NOTE in each.inputs]


def typos(vault: Vault) -> list[str]:
    text = notes_of(vault)[NOTE]
    return [word for word in (*THINGS.values(), "braed", "pmup") if word in text]


def test_all_that_are_ticked_are_done(tmp_path: Path) -> None:
    with vault_with(tmp_path / "v", FILES) as vault:
        review = vault.root / dream(vault).review
        desk = Reviews(vault, time_ns)
        waiting = of(desk)
        review.write_text(review.read_text().replace("- [ ]", "- [x]"))

        done = desk.take_decisions()

        assert (len(done.applied), done.void, done.failed, of(desk)) == (len(waiting), (), (), [])
        assert len(waiting) >= 4
        assert typos(vault) == []


def test_all_that_are_accepted_by_their_ids_are_done_and_can_be_taken_back(tmp_path: Path) -> None:
    with vault_with(tmp_path / "v", FILES) as vault:
        before = notes_of(vault)
        dream(vault)
        desk = Reviews(vault, time_ns)

        done = desk.accept(of(desk))
        vault.history.undo([event for _, event in done.applied])

        assert (len(done.applied) >= 4, done.void) == (True, ())
        assert notes_of(vault) == before


def test_those_that_are_open_stay_where_they_are_with_what_a_person_wrote_there(
    tmp_path: Path,
) -> None:
    with vault_with(tmp_path / "v", FILES) as vault:
        review = vault.root / dream(vault).review
        desk = Reviews(vault, time_ns)
        first = ticked(review, "Bicicle pump")
        remark = "    Ask Tom about it.\n"
        lines = review.read_text().splitlines(keepends=True)
        at = next(i for i, line in enumerate(lines) if "Harbuor walk" in line)
        review.write_text("".join([*lines[: at + 1], remark, *lines[at + 1 :]]))
        places = [line.split(" ^r-")[0] for line in lines if line.startswith("- [ ]")]

        desk.take_decisions()

        text = review.read_text()
        left = [line.split(" ^r-")[0] for line in text.splitlines() if line.startswith("- [ ]")]
        assert (left, remark in text, first in text) == (places, True, False)
        assert notes_of(vault)[NOTE] == BROKEN.replace("Bicicle", "Bicycle")
        done = desk.accept(of(desk))
        assert (done.void, of(desk), typos(vault)) == ((), [], [])


def ticked(review: Path, what: str) -> str:
    """Ticks the item; its line as it was without the box."""
    text = review.read_text()
    line = next(line for line in text.splitlines() if line.startswith("- [ ]") and what in line)
    review.write_text(text.replace(line, line.replace("[ ]", "[x]")))
    return line.removeprefix("- [ ] ")


def test_what_is_rejected_beside_one_that_is_done_stays_rejected(tmp_path: Path) -> None:
    with vault_with(tmp_path / "v", FILES) as vault:
        review = vault.root / dream(vault).review
        desk = Reviews(vault, time_ns)
        ticked(review, "Bicicle pump")
        text = review.read_text()
        review.write_text(text.replace("- [ ]", "- [-]"))

        done = desk.take_decisions()
        dream(vault, 1)

        assert (len(done.applied), done.void, of(desk)) == (1, (), [])
        assert notes_of(vault)[NOTE] == BROKEN.replace("Bicicle", "Bicycle")


def test_a_note_that_a_hand_changed_meanwhile_is_left_alone(tmp_path: Path) -> None:
    with vault_with(tmp_path / "v", FILES) as vault:
        review = vault.root / dream(vault).review
        ticked(review, "Bicicle pump")
        by_hand = BROKEN + "It rains.\n"
        (vault.root / NOTE).write_text(by_hand)

        done = Reviews(vault, time_ns).take_decisions()

        assert (done.applied, notes_of(vault)[NOTE]) == ((), by_hand)


def test_the_last_change_is_no_note_of_what_was_turned_down(tmp_path: Path) -> None:
    with vault_with(tmp_path / "v", FILES) as vault:
        before = notes_of(vault)
        dream(vault)
        desk = Reviews(vault, time_ns)
        desk.accept(of(desk)[:1])
        desk.reject(of(desk)[:1])

        vault.history.undo(["last"])

        assert notes_of(vault) == before


def test_who_deletes_the_whole_note_has_all_of_it_back_with_the_next_sync(tmp_path: Path) -> None:
    with vault_with(tmp_path / "v", FILES) as vault:
        review = vault.root / dream(vault).review
        desk = Reviews(vault, time_ns)
        whole = review.read_text()
        ticked(review, "Bicicle pump")
        deleted = review.read_text().splitlines(keepends=True)
        review.write_text("".join(line for line in deleted if "Harbuor" not in line))
        desk.take_decisions()
        in_note = desk.told().in_note
        review.unlink()
        vault.sync()

        desk.take_decisions()

        assert whole.count("- [ ]") - 1 == review.read_text().count("- [ ]") == in_note + 1


def test_what_an_undo_took_from_the_vault_stays_away(tmp_path: Path) -> None:
    with vault_with(tmp_path / "v", FILES) as vault:
        cycle = dream(vault).cycle
        vault.history.undo([f"cycle:{cycle}"])
        desk = Reviews(vault, time_ns)

        desk.take_decisions()

        assert not (vault.root / REVIEW).exists()
        assert (desk.told().in_note, desk.told().note) == (0, "")


def test_what_a_person_wrote_in_the_note_keeps_its_ids(tmp_path: Path) -> None:
    with vault_with(tmp_path / "v", FILES) as vault:
        review = vault.root / dream(vault).review
        desk = Reviews(vault, time_ns)
        mine = "".join(f"I asked Jo about ^r-{name}, see [[#^r-{name}]].\n" for name in of(desk))
        review.write_text(f"{review.read_text()}\n## Mine\n\n{mine}")
        waited = of(desk)

        desk.accept(waited[:1])

        assert mine in review.read_text()
        assert sorted(of(desk)) == sorted(waited[1:])


def test_a_merge_that_is_turned_down_beside_a_mend_of_its_note_stays_so(tmp_path: Path) -> None:
    text = "The pawl of the winch is greased with tallow each spring before the boats go out. See [[{}]].\n"
    files = {
        "Slipway winch.md": text.format("Sourdogh bread"),
        "Slipway winch (1).md": text.format("Sourdogh bread"),
        "Sourdough bread.md": "About the bread.\n",
    }
    with vault_with(tmp_path / "v", files) as vault:
        dream(vault)
        desk = Reviews(vault, time_ns)
        merge = next(each.id for each in desk.waiting() if each.title.startswith("Merge"))
        fixes = [each.id for each in desk.waiting() if each.title.startswith("Mend")]
        review = vault.root / REVIEW
        review.write_text(
            review.read_text()
            .replace("- [ ] Mend", "- [x] Mend")
            .replace("- [ ] Merge", "- [-] Merge")
        )

        done = desk.take_decisions()
        dream(vault, 1)

        assert (len(done.applied), len(done.rejected), len(fixes)) == (len(fixes), 1, len(fixes))
        assert desk.waiting() == []
        assert merge
