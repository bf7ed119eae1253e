"""Which predicates hold of one thing at a time, and of which one: given two claims, whether they contradict."""

from __future__ import annotations

import pytest

from vaultmem.judge import Drift
from vaultmem.judge.drift import judge_drift


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Ada lives in Ghent.", "Ada lives in Lyon."),
        ("Tom works for Velora.", "Tom works for Brill."),
        ("Brack Mill belongs to Velora.", "Brack Mill belongs to Brill."),
        ("Brack Mill is kept by Oda Quist.", "Brack Mill is kept by Joris Vane."),
        ("Brack Mill is run by Oda Quist.", "Brack Mill is run by Joris Vane."),
        ("The owner of Brack Mill is Ada.", "The owner of Brack Mill is Tom."),
        ("The manager of Brack Mill: Ada.", "The manager of Brack Mill: Tom."),
        ("The task is assigned to Ada.", "The task is assigned to Tom."),
        ("Ada was born in Ghent.", "Ada was born in Lyon."),
    ],
)
def test_another_name_for_what_can_have_one_is_a_contradiction(a: str, b: str) -> None:
    assert judge_drift(a, b).verdict is Drift.CONTRADICTORY


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Ada owns Brack Mill.", "Ada owns Tarn Lock."),
        ("Ada leads Team Red.", "Ada leads Team Blue."),
        ("Ada is the owner of Brack Mill.", "Ada is the owner of Tarn Lock."),
        ("Ada is responsible for Relay.", "Ada is responsible for Rack."),
        ("Today Ada lives in Ghent.", "Today Tom lives in Ghent."),
        ("Ada works for Velora.", "Tom works for Velora."),
        ("Brack Mill was surveyed by Ada.", "Brack Mill was surveyed by Tom."),
        ("Server Alpha runs Debian.", "Server Alpha runs Ubuntu."),
        ("Ada lives with Tom.", "Ada lives with Ida."),
        ("Ada works with Tom.", "Ada works with Ida."),
        ("Ada lived in Ghent.", "Ada lived in Lyon."),
        ("Ada worked for Velora.", "Ada worked for Brill."),
        ("Ada assigned the task to Tom.", "Ada assigned the task to Ida."),
        ("We store flour in the Cellar.", "We store flour in the Attic."),
        ("The store in Ghent opens at 9.", "The store in Lyon opens at 9."),
        ("The base of the vase is from Carrara.", "The base of the vase is by Rodin."),
    ],
)
def test_who_has_one_thing_may_have_another_and_others_may_share_it(a: str, b: str) -> None:
    assert judge_drift(a, b).verdict is Drift.CONSISTENT
