"""Given claims under headings and leads, when they differ: whether both may hold, and what comes in an outdated one's place."""

from __future__ import annotations

import pytest

from tests.dream.contexts import context
from vaultmem.dream.drift import DriftStage
from vaultmem.dream.passages import passages

OLD, NEW = "Memory/a/Relay.md", "Memory/a/later/Relay.md"
PLAIN = "- The port is 8080.\n- The relay is grey.\n"


def changed(old: str, new: str) -> list[str]:
    """The first line of text of the older note once the proposals are done, one for each edit."""
    made = context({OLD: old, NEW: new}, days={OLD: 20_000, NEW: 20_100})
    texts = [edit.text for p in DriftStage().propose(made).proposals for edit in p.edits]
    return [next(line for line in t.splitlines() if line and line[0] != "#") for t in texts]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (PLAIN, "## At the test site\n- The port is 9090.\n"),
        (PLAIN, "At the test site:\n\n- The port is 9090.\n"),
        (PLAIN, "- At the test site:\n    - The port is 9090.\n"),
        (PLAIN, "- If the line fails\n\t- The port is 9090.\n"),
        (PLAIN, "## Ideas\n- The port is 9090.\n"),
        (PLAIN, "## Beispiele\n- The port is 9090.\n"),
        (PLAIN, "## 历史\n- The port is 9090.\n"),
        ("## Kitchen\n- The light has 40 watts.\n", "## Hall\n- The light has 60 watts.\n"),
        ("## Room 1\n- The light has 40 watts.\n", "## Room 2\n- The light has 60 watts.\n"),
        ("## Winter\n- The port is 8080.\n", "## Summer\n- The port is 9090.\n"),
        ("## Kitchen\nport:: 8080\n", "## Hall\nport:: 9090\n"),
    ],
)
def test_claims_under_other_conditions_and_headings_may_both_hold(old: str, new: str) -> None:
    assert changed(old, new) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (PLAIN, "- The port is 9090.\n"),
        (PLAIN, "# At the mill\n- The port is 9090.\n"),
        (f"## Facts\n{PLAIN}", "## Notes:\n- The port is 9090.\n"),
        (f"## Hall\n{PLAIN}", "## Hall\n- The port is 9090.\n"),
        (PLAIN, "## Ports\n- The port is 9090.\n"),
        (PLAIN, "At the test site:\n- It rained.\n\nAll is well.\n\nThe port is 9090.\n"),
    ],
)
def test_a_title_a_general_heading_and_the_same_one_change_nothing(old: str, new: str) -> None:
    assert changed(old, new) == ["- The port is 9090. — from [[Memory/a/later/Relay]], 2025-01-12"]


def test_a_claim_is_not_carried_away_from_the_heading_that_it_needs() -> None:
    assert changed(PLAIN, "## Hall\n- The port is 9090.\n") == ["- The relay is grey."]


def test_a_claim_knows_what_it_stands_under() -> None:
    body = "# Mill\n## Hall\n### 2026-05-01\nLamps:\n- by the door\n  - It has 40 watts.\n- It has 60 watts.\n"

    found = {passage.text: passage.under for passage in passages(body)}

    assert found == {
        "by the door": ("Hall", "Lamps:"),
        "It has 40 watts.": ("Hall", "Lamps:", "by the door"),
        "It has 60 watts.": ("Hall", "Lamps:"),
    }
