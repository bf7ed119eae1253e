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


@pytest.mark.parametrize(
    ("first", "second", "merged"),
    [
        ("Memory/ann/Tool ledger.md", "Memory/ann/shed/Tool ledger.md", 1),
        ("Memory/ann/Tool ledger.md", "Memory/bob/Tool ledger.md", 0),
        ("Memory/ann/Tool ledger.md", "Memory/Tool ledger.md", 0),
        ("Memory/ann/Tool ledger.md", "Workshop/Tool ledger.md", 1),
    ],
)
def test_the_memories_of_two_agents_stay_two(first: str, second: str, merged: int) -> None:
    files = {path: note("") if path.startswith("Memory/") else TEXT for path in (first, second)}

    assert len(ConsolidateStage().propose(context(files)).proposals) == merged


def test_what_a_merge_takes_away_in_properties_the_note_that_stays_is_given() -> None:
    [merge] = merges(note("created: 2025-01-01\n"), note("rating: 4\nplace: shed\n"))

    texts = {edit.path: edit.text for edit in merge.edits}
    assert "rating: 4\nplace: shed\n" in texts[merge.keeper]


def test_of_a_note_and_its_copy_with_the_same_heading_the_note_stays() -> None:
    text = f"# Pancakes\n\n{TEXT}"
    files = {"Recipes/Pancakes.md": text, "Recipes/Pancakes 1.md": text}

    [merge] = ConsolidateStage().propose(context(files)).proposals

    quoted = TEXT.strip()
    assert (merge.title, merge.reason, merge.keeper, merge.claims) == (
        'Merge "Pancakes 1" into "Pancakes"',
        "Both say the same.",
        "Recipes/Pancakes.md",
        (("Recipes/Pancakes.md", quoted), ("Recipes/Pancakes 1.md", quoted)),
    )


def test_notes_that_differ_in_dates_of_the_file_alone_become_one() -> None:
    assert len(merges(note("created: 2025-01-01\n"), note("created: 2025-02-01\n"))) == 1


@pytest.mark.parametrize("taken", ["Ledger copy.md", "Ledger copy.md/x.md"])
def test_where_the_archive_has_such_a_name_the_link_leads_to_where_the_note_will_be(
    taken: str,
) -> None:
    [merge] = merges(note(""), note(""), **{f"Memory/_archive/{taken}": "Of another time.\n"})

    assert merge.move is not None
    assert merge.move.path_after == "Memory/_archive/Ledger copy 1.md"
    [edit] = [edit for edit in merge.edits if edit.path == merge.keeper]
    assert '- "[[Ledger copy 1]]"' in edit.text
