"""What speaks for changing a note."""

from __future__ import annotations

import pytest

from vaultmem.evolution import (
    Recall,
    Recaller,
    gate_supersede_evidence,
    recall_support,
    score_merge_candidate,
)


def test_support_counts_distinct_queries_of_people_and_agents_only() -> None:
    recalls = [
        Recall("where is the key", Recaller.PERSON),
        Recall("Where  is the key", Recaller.AGENT),
        Recall("key", Recaller.AGENT),
        Recall("spare key", Recaller.PERSON),
        Recall("what the dream probes", Recaller.DREAM),
    ]

    assert recall_support(recalls) == 0.5
    assert recall_support([]) == 0
    assert recall_support([Recall("probe", Recaller.DREAM)] * 50) == 0


@pytest.mark.parametrize(
    ("support", "needed"),
    [(0.0, 0.6), (0.25, 0.7), (0.5, 0.8), (1.0, 1.0), (7.0, 1.0), (-1.0, 0.6)],
)
def test_a_note_in_use_needs_more_confidence_to_be_superseded(
    support: float, needed: float
) -> None:
    assert gate_supersede_evidence(needed, support).enough
    refused = gate_supersede_evidence(needed - 0.01, support)
    assert not refused.enough
    assert refused.needed == pytest.approx(needed)


def test_merges_that_are_sure_and_touch_little_used_notes_come_first() -> None:
    sure = score_merge_candidate(0.95, 0.9, 0.0, 0.0, same_category=True)
    elsewhere = score_merge_candidate(0.95, 0.9, 0.0, 0.0, same_category=False)
    in_use = score_merge_candidate(0.95, 0.9, 0.8, 0.9, same_category=True)
    one_in_use = score_merge_candidate(0.95, 0.9, 0.0, 0.9, same_category=True)

    assert sure == one_in_use == pytest.approx(0.855)
    assert elsewhere == pytest.approx(0.684)
    assert in_use == pytest.approx(0.513)
