"""How much a cycle may change."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from vaultmem.evolution import Edit, EditBudget


def edit(note: str, size: int = 10, *, destructive: bool = True, community: str = "") -> Edit:
    return Edit((note,), size, destructive, (community,) if community else ())


def test_what_only_adds_is_free_even_when_nothing_is_left() -> None:
    nothing = EditBudget(edits=0, size=0)

    assert nothing.spend(edit("a", 999_999, destructive=False)) == (nothing, "")


def test_a_destructive_edit_costs_one_edit_and_its_bytes() -> None:
    left, refused = EditBudget(edits=2, size=100).spend(edit("a", 60, community="k"))

    assert refused == ""
    assert left == EditBudget(edits=1, size=40, notes=("a",), communities=("k",))


def test_what_is_too_much_is_refused_and_costs_nothing() -> None:
    budget = EditBudget(edits=1, size=50, notes=("a",), communities=("k",) * 4)

    told = [
        budget.spend(tried) for tried in (edit("b", 51), edit("a", 1), edit("b", 1, community="k"))
    ]

    assert [spending.budget for spending in told] == [budget] * 3
    assert [spending.refused for spending in told] == [
        "51 bytes to change, 50 left in this cycle",
        "a was changed in this cycle already",
        "k had 4 edits in this cycle already",
    ]
    assert EditBudget(edits=0).spend(edit("a")).refused == "no edit is left in this cycle"


@given(
    st.lists(
        st.builds(
            edit,
            st.sampled_from("abcdefgh"),
            st.integers(0, 60),
            destructive=st.booleans(),
            community=st.sampled_from(["", "k", "m"]),
        )
    ),
    st.integers(0, 5),
    st.integers(0, 100),
)
def test_whatever_is_tried_no_limit_is_passed(tried: list[Edit], edits: int, size: int) -> None:
    budget, done = EditBudget(edits, size), list[Edit]()
    for each in tried:
        budget, refused = budget.spend(each)
        if each.destructive and not refused:
            done.append(each)

    assert len(done) <= edits
    assert sum(each.size for each in done) <= size
    notes = [note for each in done for note in each.notes]
    assert len(notes) == len(set(notes))
    assert all(sum(c in each.communities for each in done) <= 4 for c in ("k", "m"))
