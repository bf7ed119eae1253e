"""What comes in the place of an outdated claim, and what the proposal says where nothing does."""

from __future__ import annotations

from tests.dream.contexts import context
from vaultmem.dream.drift import DriftStage
from vaultmem.dream.proposal import Proposal

OLD, NEW = "Admin/Passport.md", "Admin/Papers.md"
BOX = "- My passport expires on 2027-05-01.\n- It is in the blue box.\n"
SAID = '“My passport expires on 2027-05-01.” against “{}” in "Papers": dates differ.'


def proposed(old: str, new: str) -> tuple[str, str]:
    """The lines of the older note before what is superseded, and the proposal's reason."""
    files = {
        OLD: f"---\ncreated: 2024-04-01\n---\n{old}",
        NEW: f"---\ncreated: 2026-01-15\n---\n{new}\n[[Passport]]\n",
    }
    [found] = DriftStage().propose(context(files)).proposals
    return _kept(found), found.reason


def _kept(found: Proposal) -> str:
    [edit] = found.edits
    return edit.text.partition("---\n")[2].partition("---\n")[2].partition("\n## Superseded")[0]


def test_a_claim_that_names_its_thing_comes_in_place_of_the_one_it_corrects() -> None:
    newer = "My passport expires on 2036-01-12."

    assert proposed(BOX, f"- {newer}\n- It is in the desk drawer.\n") == (
        f"- {newer} — from [[Papers]], 2026-01-15\n- It is in the blue box.\n",
        SAID.format(newer),
    )


def test_where_nothing_comes_in_its_place_the_reason_says_why() -> None:
    kept, reason = proposed(BOX, "- My #passport expires on 2036-01-12.\n")

    assert kept == "- It is in the blue box.\n"
    assert reason.endswith(
        "Nothing comes in its place, as the newer one would not mean the same in another note."
    )


def test_below_another_heading_the_newer_one_tells_more() -> None:
    kept, reason = proposed(
        BOX, "## At the embassy desk\n\n- x\n\n## Renewed\n\n- My passport expires on 2036-01-12.\n"
    )

    assert kept == "- It is in the blue box.\n"
    assert reason.endswith(
        "Nothing comes in its place, as one of them stands under a heading or a line that tells more."
    )


def test_of_several_claims_that_go_each_that_leaves_a_gap_is_named() -> None:
    old = "- My passport expires on 2027-05-01.\n- The passport office opens at 8:00.\n"
    new = "- My passport expires on 2036-01-12.\n- The #passport office opens at 9:00.\n"

    kept, reason = proposed(old, new)

    assert kept == "- My passport expires on 2036-01-12. — from [[Papers]], 2026-01-15\n"
    assert reason.endswith(
        "Nothing comes in the place of “The passport office opens at 8:00.”, as the newer one would not mean the same in "
        "another note."
    )


def test_what_has_ceased_leaves_a_gap() -> None:
    old = "".join(
        f"- Passport rule {c} holds in {c}.\n"
        for c in ("Ulm", "Bern", "Graz", "Linz", "Köln", "Bonn")
    )
    kept, reason = proposed(
        f"- Tom works for the passport office.\n{old}",
        "- Tom no longer works for the passport office.\n",
    )

    assert kept == old
    assert reason.endswith("Nothing comes in its place, as it has ceased to hold.")
