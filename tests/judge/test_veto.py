"""What forbids a merge, whoever proposes it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.dream.duplicates import duplicates, reworded_look_alikes
from tests.dream.lookalikes import look_alikes
from tests.dream.words import Half
from vaultmem.judge import Duplicate, HeuristicJudge, hard_difference, merge_veto

MERGES = (Duplicate.MERGE, Duplicate.ABSORB_A, Duplicate.ABSORB_B)
FERN = "Water the fern weekly. It likes shade and grows well there."
SHADY = "The fern enjoys a shady corner. Give it water each week so it thrives."


@pytest.mark.parametrize(
    ("a", "b", "reason"),
    [
        ("The port is 8080.", "The port is 9090.", "values differ: 8080 / 9090"),
        ("Sync is enabled.", "Sync is disabled.", "opposites: enabled / disabled"),
        ("Run it:\n```\nls a\n```", "Run it:\n```\nls b\n```", "code differs"),
        ("Log for {{date}}", "Log for {{date}}", "a template"),
        ("- [ ] call Ada", "- [x] call Ada", "tasks"),
        ("## Plants", "# Plants", "too short to tell"),
        (
            "担当は佐藤さんです。",
            "担当は小林さんです。",
            "one word differs, and it may be what matters",
        ),
        (
            "The boiler hums at 60 degrees.",
            "Our server has listened on port 9090 for long.",
            "values differ: 60 / 9090",
        ),
        (FERN, SHADY, ""),
        (FERN, FERN, ""),
    ],
)
def test_a_hard_difference_is_told(a: str, b: str, reason: str) -> None:
    assert hard_difference(a, b) == reason
    assert bool(hard_difference(b, a)) == bool(reason)


@pytest.mark.parametrize(
    ("extra", "told"),
    [
        ("The pot weighs 3 kg.", "3 kg"),
        ("Ask Ada about seeds.", "Ada"),
        ("Gardeners met here in March 2024.", "March 2024"),
        ("Cats never sleep there.", "a negation"),
        ("Dogs sleep there only.", "only"),
    ],
)
def test_what_one_text_says_alone_forbids_that_the_other_stands_for_it(
    extra: str, told: str
) -> None:
    longer = f"{SHADY} {extra}"

    assert merge_veto(FERN, longer, Duplicate.MERGE).startswith("only the second says: ")
    assert told in merge_veto(FERN, longer, Duplicate.MERGE)
    assert told in merge_veto(FERN, longer, Duplicate.ABSORB_B)
    assert merge_veto(FERN, longer, Duplicate.ABSORB_A) == ""
    assert merge_veto(longer, FERN, Duplicate.ABSORB_A).startswith("only the first says: ")
    assert merge_veto(longer, FERN, Duplicate.ABSORB_B) == ""


def test_that_both_stay_is_never_forbidden() -> None:
    assert merge_veto("The port is 8080.", "The port is 9090.", Duplicate.COEXIST) == ""


def test_of_what_differs_in_one_value_nothing_can_be_merged_by_anybody() -> None:
    alike = [
        *look_alikes(400, Half.DEVELOPMENT, 5),
        *reworded_look_alikes(400, Half.DEVELOPMENT, 5),
    ]

    assert [p for p in alike for v in MERGES if not merge_veto(p.a, p.b, v)] == []


def test_nearly_every_real_duplicate_may_be_merged() -> None:
    same = list(duplicates(400, Half.DEVELOPMENT, 5))
    open_ = [p for p in same if any(not merge_veto(p.a, p.b, v) for v in MERGES)]

    assert len(open_) >= 0.97 * len(same)


@given(st.text(max_size=80), st.text(max_size=80))
def test_the_heuristics_never_say_what_the_check_forbids(a: str, b: str) -> None:
    verdict = HeuristicJudge().duplicate(a, b).verdict

    assert verdict is Duplicate.COEXIST or hard_difference(a, b) == ""


def test_a_text_too_long_to_compare_is_left_alone() -> None:
    a = "\n".join(f"Line {i} of the first." for i in range(400))
    b = "\n".join(f"Line {i} of the second." for i in range(400))

    assert hard_difference(a, b) == "too many differences"
