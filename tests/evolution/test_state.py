"""What is remembered from cycle to cycle survives being stored, and a damaged store costs memory alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultmem.evolution import (
    BestHealth,
    CycleRecord,
    EvolutionState,
    MutationGate,
    NoteChange,
    Rejected,
    RejectedEdits,
    load_state,
    save_state,
)
from vaultmem.evolution.state import from_text, to_text


class OneText:
    """A store in memory."""

    def __init__(self, text: str | None = None) -> None:
        self.text = text

    def load(self) -> str | None:
        return self.text

    def save(self, text: str) -> None:
        self.text = text


NAMES = st.text(max_size=8)
STATES = st.builds(
    EvolutionState,
    best=st.none()
    | st.builds(BestHealth, NAMES, st.dictionaries(NAMES, st.floats(0, 1), max_size=4)),
    rejected=st.lists(
        st.builds(Rejected, NAMES, st.dictionaries(NAMES, NAMES, max_size=3), NAMES, NAMES),
        max_size=4,
        unique_by=lambda r: r.fingerprint,
    ).map(lambda rs: RejectedEdits({r.fingerprint: r for r in rs})),
    mutation=st.builds(
        MutationGate,
        st.lists(
            st.builds(
                CycleRecord,
                NAMES,
                st.frozensets(st.tuples(NAMES, NAMES), max_size=2),
                st.lists(st.builds(NoteChange, NAMES, NAMES, NAMES), max_size=2).map(tuple),
                st.integers(0, 9),
                st.integers(0, 9),
            ),
            max_size=3,
        ).map(tuple),
        st.integers(0, 3),
    ),
)


@given(STATES)
def test_a_state_comes_back_as_it_was(state: EvolutionState) -> None:
    store = OneText()

    save_state(store, state)

    assert load_state(store) == state


@pytest.mark.parametrize(
    "text", [None, "", "{", "[]", "null", '{"version":2}', '{"version":1,"best":3}', '"x"']
)
def test_what_cannot_be_read_is_an_empty_state(text: str | None) -> None:
    assert load_state(OneText(text)) == EvolutionState()


def test_a_text_cut_off_anywhere_is_no_state() -> None:
    whole = to_text(EvolutionState(BestHealth("c1", {"q": 0.5})))

    assert [from_text(whole[:n]) for n in range(len(whole))] == [None] * len(whole)


def test_the_best_state_is_scored_again_after_changes_from_outside() -> None:
    best = BestHealth("c1", {"q1": 1.0, "q2": 1.0})

    assert best.mean == 1
    assert best.rescored({"q1": 1.0, "q2": 0.0}) == BestHealth("c1", {"q1": 1.0, "q2": 0.0})
    assert BestHealth("c1", {}).mean == 0
