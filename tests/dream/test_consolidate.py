"""Which notes become one, and what the one that stays is given."""

from __future__ import annotations

import pytest

from tests.dream.contexts import context
from vaultmem.dream.consolidate import ConsolidateStage
from vaultmem.dream.proposal import Proposal

TEXT = (
    "The workshop keeps a written record of every tool that leaves the shelf. Somebody signs the "
    "ledger before supper, and the keeper reads it aloud on the terrace.\n"
)


def note(properties: str) -> str:
    return f"---\nmanaged_by: vaultmem\n{properties}---\n{TEXT}"


def merges(first: str, second: str, **more: str) -> tuple[Proposal, ...]:
    files = {"Memory/Ledger.md": first, "Memory/Ledger copy.md": second, **more}
    return ConsolidateStage().propose(context(files)).proposals


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("status: open\n", "status: closed\n"),
        ("rating: 3\n", "rating: 4\n"),
        ("owner: Ada\n", "owner: Tom\n"),
        ("owner: Ada\n", ""),
        ("", "about: Ada\n"),
    ],
)
def test_notes_whose_properties_say_different_things_stay_two(first: str, second: str) -> None:
    assert merges(note(first), note(second)) == ()


def test_what_a_merge_takes_away_in_properties_the_note_that_stays_is_given() -> None:
    [merge] = merges(note("created: 2025-01-01\n"), note("rating: 4\nplace: shed\n"))

    texts = {edit.path: edit.text for edit in merge.edits}
    assert "rating: 4\nplace: shed\n" in texts[merge.keeper]


def test_notes_that_differ_in_dates_of_the_file_alone_become_one() -> None:
    assert len(merges(note("created: 2025-01-01\n"), note("created: 2025-02-01\n"))) == 1
