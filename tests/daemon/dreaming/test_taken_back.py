"""What a person took back or turned down: it does not come unasked again, whatever they write into the notes since."""

from __future__ import annotations

from pathlib import Path
from time import time_ns

from tests.daemon.dreaming.nights import TWINS, dream, notes_of, vault_with
from vaultmem.dream.proposal import Operation
from vaultmem.dream.report import Outcome
from vaultmem.vault import Vault
from vaultmem_daemon.dreaming.reviews import Reviews

KEPT, GONE = "Memory/keeper/Winch.md", "Memory/keeper/The winch.md"
LINKS = "See [[Lantren in the attic]].\n"
VENT = "- Close the vent of the cellar.\n"
CLAIMS = {
    "Cellar.md": "- The vent of the cellar opens at 8 in the morning.\n",
    "Cellar notes.md": "- The vent of the cellar opens at 9 in the morning.\n",
}


def add(vault: Vault, path: str, line: str) -> None:
    file = vault.root / path
    file.write_text(file.read_text() + line)


def met(vault: Vault, night: int, operation: Operation) -> list[tuple[Outcome, str]]:
    report = dream(vault, night)
    return [(d.outcome, d.why) for d in report.decisions if d.operation is operation]


def test_a_merge_that_was_taken_back_is_asked_for_once_its_notes_have_changed(
    tmp_path: Path,
) -> None:
    with vault_with(tmp_path / "v", TWINS) as vault:
        vault.history.undo([dream(vault).cycle])
        add(vault, KEPT, "We call it Gertrude.\n")
        before = notes_of(vault)

        found = met(vault, 1, Operation.MERGE)

        assert found == [
            (Outcome.WAITING, "you took something of the kind back before, in these notes")
        ]
        assert notes_of(vault) == before
        desk = Reviews(vault, time_ns)
        assert [title for title, _ in desk.accept([desk.waiting()[0].id]).applied] != []


def test_so_it_is_when_the_note_was_changed_before_it_was_taken_back(tmp_path: Path) -> None:
    with vault_with(tmp_path / "v", TWINS) as vault:
        cycle = dream(vault).cycle
        add(vault, KEPT, "We call it Gertrude.\n")
        vault.history.undo([cycle])

        assert met(vault, 1, Operation.MERGE) == [
            (Outcome.WAITING, "you took something of the kind back before, in these notes")
        ]


def test_a_link_that_is_to_stay_broken_stays_so_whatever_else_is_written(tmp_path: Path) -> None:
    with vault_with(tmp_path / "v", {"Cellar.md": LINKS}) as vault:
        dream(vault)
        desk = Reviews(vault, time_ns)
        desk.reject([each.id for each in desk.waiting()])
        add(vault, "Cellar.md", "- bought flour\n")

        assert met(vault, 1, Operation.FIX_LINK) == []
        assert desk.waiting() == []


def test_another_mend_of_that_link_is_another_question(tmp_path: Path) -> None:
    with vault_with(tmp_path / "v", {"Cellar.md": "See [[Sourdogh bread]].\n"}) as vault:
        (vault.root / "Sourdough bread.md").write_text("Bakes for an hour.\n")
        dream(vault)
        desk = Reviews(vault, time_ns)
        desk.reject([each.id for each in desk.waiting()])
        (vault.root / "Sourdough bread.md").rename(vault.root / "Sourdogh breads.md")
        add(vault, "Cellar.md", "- bought flour\n")

        dream(vault, 1)

        assert ["[[Sourdogh breads]]" in each.title for each in desk.waiting()] == [True]


def test_two_claims_that_may_both_stand_are_told_again_only_when_one_of_them_changes(
    tmp_path: Path,
) -> None:
    with vault_with(tmp_path / "v", CLAIMS) as vault:
        dream(vault)
        desk = Reviews(vault, time_ns)
        (told,) = desk.waiting()
        desk.reject([told.id])
        add(vault, "Cellar.md", VENT)

        dream(vault, 1)
        still = desk.waiting()
        (vault.root / "Cellar.md").write_text(CLAIMS["Cellar.md"].replace("8", "7"))
        dream(vault, 2)

        assert still == []
        assert len(desk.waiting()) == 1


def test_a_contradiction_that_was_turned_down_stays_so_when_the_notes_differ_in_more(
    tmp_path: Path,
) -> None:
    with vault_with(tmp_path / "v", CLAIMS) as vault:
        dream(vault)
        desk = Reviews(vault, time_ns)
        desk.reject([each.id for each in desk.waiting()])
        for path, door in (("Cellar.md", "red"), ("Cellar notes.md", "green")):
            add(
                vault,
                path,
                f"- The door of the cellar is {12 if door == 'red' else 15} feet wide.\n",
            )

        dream(vault, 1)

        (told,) = desk.waiting()
        assert {claim for _, claim in told.claims} == {
            "The door of the cellar is 12 feet wide.",
            "The door of the cellar is 15 feet wide.",
        }


def test_who_writes_into_the_note_and_then_turns_its_mend_down_is_heard(tmp_path: Path) -> None:
    with vault_with(tmp_path / "v", {"Cellar.md": LINKS}) as vault:
        review = vault.root / dream(vault).review
        add(vault, "Cellar.md", "- bought flour\n")
        vault.sync()
        review.write_text(review.read_text().replace("- [ ]", "- [-]"))
        desk = Reviews(vault, time_ns)

        assert len(desk.take_decisions().rejected) == 1
        assert met(vault, 1, Operation.FIX_LINK) == []
        assert desk.waiting() == []


def test_a_property_that_says_something_else_is_another_question(tmp_path: Path) -> None:
    tags = "---\ntags: {}\n---\nMade of tin.\n"
    with vault_with(tmp_path / "v", {"Cellar.md": tags.format("idea, shore")}) as vault:
        dream(vault)
        desk = Reviews(vault, time_ns)
        desk.reject([each.id for each in desk.waiting()])
        add(vault, "Cellar.md", "It rains.\n")
        dream(vault, 1)
        same = desk.waiting()
        (vault.root / "Cellar.md").write_text(tags.format("winter, rye"))
        dream(vault, 2)

        assert (same, len(desk.waiting())) == ([], 1)


def test_what_was_taken_back_is_known_to_a_device_that_has_seen_nothing_of_it(
    tmp_path: Path,
) -> None:
    with vault_with(tmp_path / "v", TWINS) as vault:
        vault.history.undo([dream(vault).cycle])
        before = notes_of(vault)
        for memory in (vault.root / ".vaultmem/dream").glob("*.json"):
            memory.unlink()

        found = met(vault, 1, Operation.MERGE)

        assert found == [(Outcome.REJECTED, "it was undone")]
        assert notes_of(vault) == before


def test_so_it_is_when_one_of_the_notes_was_moved_since(tmp_path: Path) -> None:
    with vault_with(tmp_path / "v", TWINS) as vault:
        vault.history.undo([dream(vault).cycle])
        vault.edits.move(GONE, "Memory/keeper/tools/The winch.md")

        assert met(vault, 1, Operation.MERGE) == [
            (Outcome.WAITING, "you took something of the kind back before, in these notes")
        ]
