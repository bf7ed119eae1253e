"""Which notes are about two things by their titles, so that their claims contradict nothing."""

from __future__ import annotations

import pytest

from tests.dream.contexts import context
from vaultmem.dream.drift import DriftStage
from vaultmem.dream.proposal import Operation


def drift(
    first: str, second: str, claims: tuple[str, str], properties: str = ""
) -> list[Operation]:
    """What is proposed about two notes of these titles, the second the newer one."""
    days = ("2025-01-01", "2026-01-01")
    files = {
        f"House/{title}.md": f"---\ncreated: {day}\n{properties}---\n# {title}\n\n- {claim}\n"
        for title, day, claim in zip((first, second), days, claims, strict=True)
    }
    return [proposal.operation for proposal in DriftStage().propose(context(files)).proposals]


VENTS = ("Open the vents in the cellar.", "Close the vents in the cellar.")
NAMED = ("The {} is set to 19 degrees.", "The {} is set to 12 degrees.")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Heating summer", "Heating winter"),
        ("Heating in summer", "Heating (winter)"),
        ("Heating morning", "Heating night"),
        ("Monday heating", "Friday heating"),
        ("Heating March", "Heating July"),
        ("My heating", "Their heating"),
        ("Heating A", "Heating B"),
        ("Heating A", "Heating D"),
        ("Heating Sommer", "Heating Winter"),
        ("Heating summer", "Heating cottage"),
    ],
)
@pytest.mark.parametrize("claims", [VENTS, tuple(said.format("heating") for said in NAMED)])
def test_titles_of_which_each_has_a_mark_of_its_own_name_two_things(
    first: str, second: str, claims: tuple[str, str]
) -> None:
    assert drift(first, second, claims) == []


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Heating", "Heating winter"),
        ("Heating survey", "Heating update"),
        ("The heating", "Notes on the heating"),
        ("Heating D", "Heating D survey"),
        ("Heating winter", "Winter heating update"),
    ],
)
def test_titles_of_which_one_has_no_mark_of_its_own_name_one_thing(first: str, second: str) -> None:
    assert drift(first, second, VENTS) == [Operation.SUPERSEDE]


def test_notes_that_say_that_they_are_about_one_thing_are() -> None:
    properties = "about: Cellar heating\n"

    assert drift("Heating summer", "Heating winter", VENTS, properties) == [Operation.SUPERSEDE]
