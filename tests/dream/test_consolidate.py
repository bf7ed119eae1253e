"""Which notes become one, and what the one that stays is given."""

from __future__ import annotations

import pytest

from tests.dream.contexts import context
from vaultmem.dream.consolidate import ConsolidateStage, plan_merge
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
        ("severity: critical\n", "severity: low\n"),
        ("type: fact\n", "type: episode\n"),
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
        ("Barn/README.md", "Workshop/README.md", 0),
        ("Barn/Tools.md", "Workshop/Tools.md", 1),
    ],
)
def test_the_memories_of_two_agents_stay_two_and_what_speaks_of_its_folder(
    first: str, second: str, merged: int
) -> None:
    files = {path: note("") if path.startswith("Memory/") else TEXT for path in (first, second)}

    assert len(ConsolidateStage().propose(context(files)).proposals) == merged


def test_what_a_merge_takes_away_in_properties_the_note_that_stays_is_given() -> None:
    more = "rating: 4\nplace: shed\nseverity: critical\npinned: true\n"
    [merge] = merges(note("created: 2025-01-01\n"), note(more))

    texts = {edit.path: edit.text for edit in merge.edits}
    assert more in texts[merge.keeper]


def test_of_a_note_and_its_copy_with_the_same_heading_the_note_stays() -> None:
    text = f"# Pancakes\n\n{TEXT}"
    files = {"Recipes/Pancakes.md": text, "Recipes/Pancakes 1.md": text}

    [merge] = ConsolidateStage().propose(context(files)).proposals

    quoted = TEXT.strip()
    assert (merge.title, merge.reason, merge.keeper, merge.claims) == (
        'Merge "Pancakes 1" into "Pancakes"',
        "Both say the same; “Pancakes” is given the alias “Pancakes 1”. “Pancakes 1” goes to the archive, as "
        "`Memory/_archive/Recipes/Pancakes 1.md`; links to it lead there, where it names “Pancakes” as its successor.",
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


# --- notes of a person ---

BREAD = (
    "# Sourdough bread\n\nMix 500 g strong flour with 350 g water and rest it for 40 minutes. Add 100 g of active starter and "
    "10 g of salt. Fold four times, once every half hour.\n\nSee [[Flour mill]].\n"
)
MORE = "\nAnna says it freezes well.\n"
MUCH_MORE = "\nAnna says it freezes well when it is sliced first and wrapped in paper. " * 6 + "\n"


def merged(files: dict[str, str]) -> tuple[str, dict[str, str]]:
    """The path of the note that stays, and the texts of both as they would be."""
    [merge] = ConsolidateStage().propose(context(files)).proposals
    return merge.keeper, {edit.path: edit.text for edit in merge.edits}


def test_what_a_copy_says_more_the_note_is_given_with_all_that_it_lacks() -> None:
    files = {
        "Recipes/Sourdough bread.md": f"---\ntags: [recipe, bread]\nsource: Grandma\n---\n{BREAD}",
        "Inbox/Sourdough bread copy.md": (
            "---\ntags: [Rye, bread]\naliases: [Loaf]\ncreated: 2020-01-04\npinned: true\nserves: 4\n---\n"
            f"{BREAD}{MORE}"
        ),
        "Flour mill.md": "[[Sourdough bread]]\n",
    }

    [merge] = ConsolidateStage().propose(context(files)).proposals

    copy = files["Inbox/Sourdough bread copy.md"]
    assert merge.title == 'Merge "Sourdough bread copy" into "Sourdough bread"'
    assert merge.reason == (
        "“Sourdough bread copy” says all that “Sourdough bread” says, and a little more, but is called a copy; “Sourdough bread” "
        "is given 1 line that it lacks, the tag Rye, the aliases “Sourdough bread copy” and “Loaf” and the properties "
        "pinned and serves. “Sourdough bread copy” goes to the archive, as "
        "`Memory/_archive/Inbox/Sourdough bread copy.md`; links to it lead there, where it names “Sourdough bread” as its "
        "successor."
    )
    assert {edit.path: edit.text for edit in merge.edits} == {
        "Recipes/Sourdough bread.md": (
            "---\ntags: [recipe, bread, Rye]\nsource: Grandma\naliases:\n  - Sourdough bread copy\n  - Loaf\n"
            f"pinned: true\nserves: 4\n---\n{BREAD}\n## From Sourdough bread copy\n\nAnna says it freezes well.\n"
        ),
        "Inbox/Sourdough bread copy.md": copy.replace(
            "serves: 4\n", 'serves: 4\nsuperseded_by: "[[Sourdough bread]]"\n'
        ),
    }


@pytest.mark.parametrize(
    ("first", "second", "stays"),
    [
        (("A/Bread copy.md", BREAD), ("A/Bread.md", BREAD), "A/Bread.md"),
        (("A/Bread - Kopie.md", BREAD + MORE), ("A/Bread.md", BREAD), "A/Bread.md"),
        (("A/Copy of Bread.md", BREAD + MORE), ("A/Bread.md", BREAD), "A/Bread.md"),
        (("Deep/down/Bread (1).md", BREAD + MORE), ("Bread.md", BREAD), "Bread.md"),
        (("A/Bread copy.md", BREAD + MUCH_MORE), ("A/Bread.md", BREAD), "A/Bread copy.md"),
        (("00 Inbox/Bread.md", BREAD), ("Z/Bread.md", BREAD), "Z/Bread.md"),
        (("Inbox/Bread.md", BREAD + MORE), ("Z/Bread.md", BREAD), "Z/Bread.md"),
        (("Inbox/Bread.md", BREAD + MUCH_MORE), ("Z/Bread.md", BREAD), "Inbox/Bread.md"),
        (("Inbox/Bread.md", BREAD + MORE), ("Z/Bread copy.md", BREAD), "Inbox/Bread.md"),
        (("A/Bread.md", BREAD + MORE), ("Z/Bread.md", BREAD), "A/Bread.md"),
        (("A/Bread.md", BREAD), ("Z/Bread.md", BREAD + MORE), "Z/Bread.md"),
        (
            ("Inbox/Bread.md", f"---\npermanent: true\n---\n{BREAD}{MORE}"),
            ("Z/Bread.md", BREAD),
            "Inbox/Bread.md",
        ),
    ],
)
def test_which_of_two_notes_stays(
    first: tuple[str, str], second: tuple[str, str], stays: str
) -> None:
    keeper, texts = merged(dict([first, second]))

    assert keeper == stays
    assert "freezes well" in texts.get(keeper, MORE) or "freezes" not in first[1] + second[1]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("source: Grandma\n", "source: https://example.org/bread\n"),
        ("source: Grandma\n", "Source: Aunt Vi\n"),
        ("serves: 4\n", "Serves: 6\n"),
    ],
)
def test_notes_of_a_person_whose_properties_differ_stay_two(first: str, second: str) -> None:
    files = {
        "Bread.md": f"---\n{first}---\n{BREAD}",
        "Bread copy.md": f"---\n{second}---\n{BREAD}",
    }

    assert ConsolidateStage().propose(context(files)).proposals == ()


def test_tags_that_are_written_in_a_row_are_handed_on_and_no_day_of_the_file_is() -> None:
    files = {
        "Bread.md": BREAD,
        "Bread copy.md": f"---\ntags: rye, loaf\ncreated: 2020-01-04\nupdated: 2021-01-04\n---\n{BREAD}",
    }

    keeper, texts = merged(files)

    assert texts[keeper] == (
        f"---\ntags:\n  - rye\n  - loaf\naliases:\n  - Bread copy\n---\n{BREAD}"
    )


def test_a_note_of_ours_hands_no_keys_on_to_a_note_of_a_person() -> None:
    files = {
        "Rye bread.md": BREAD,
        "Memory/Rye bread.md": f"---\nmanaged_by: vaultmem\ntags: [x]\n---\n{BREAD}",
    }

    keeper, texts = merged(files)

    assert (keeper, list(texts)) == ("Rye bread.md", ["Memory/Rye bread.md"])


def test_a_merge_that_a_person_asks_for_loses_no_property_of_a_note_of_ours() -> None:
    made = context(
        {
            "Bread.md": BREAD,
            "Memory/Rye.md": "---\nmanaged_by: vaultmem\nserves: 4\n---\nRye is dark.\n",
        }
    )

    merge = plan_merge(made, made.by_path["Bread.md"], made.by_path["Memory/Rye.md"])

    assert merge is not None
    texts = {edit.path: edit.text for edit in merge.edits}
    assert texts["Bread.md"] == f"---\nserves: 4\n---\n{BREAD}\n## From Rye\n\nRye is dark.\n"


IDEA = "- Sell the ledger to the harbour office for a new one.\n"


@pytest.mark.parametrize(
    ("keeper", "copy", "stays"),
    [
        pytest.param("", IDEA, "Tool ledger.md", id="a line under nothing is carried over"),
        pytest.param(
            "\n## Rejected ideas\n\n- Chain it to the desk.\n",
            f"\n## Rejected ideas\n\n- Chain it to the desk.\n{IDEA}",
            "Tool ledger (2).md",
            id="a rejected idea stays where it is one: the fuller note is kept",
        ),
        pytest.param(
            "", f"\n## Superseded\n\n{IDEA}", "Tool ledger (2).md", id="so does what is so no longer"
        ),
        pytest.param(
            "\n- Keep the chain dry in the winter months.\n",
            f"\n## Rejected ideas\n\n{IDEA}",
            None,
            id="where either says more they stay two",
        ),
    ],
)  # fmt: skip
def test_no_line_is_torn_out_of_what_it_stands_under(
    keeper: str, copy: str, stays: str | None
) -> None:
    files = {
        "Memory/ann/Tool ledger.md": note("") + keeper,
        "Memory/ann/Tool ledger (2).md": note("") + copy,
    }

    found = ConsolidateStage().propose(context(files)).proposals

    assert [merge.keeper for merge in found] == ([] if stays is None else [f"Memory/ann/{stays}"])
