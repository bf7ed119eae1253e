"""One night after the other: what a night leaves to the next, and that it comes to rest."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.dream.contexts import applied, context
from tests.dream.drifting import DAYS, NEW, OLD, report
from vaultmem.dream import drift
from vaultmem.dream.context import StageReport
from vaultmem.dream.drift import DriftStage
from vaultmem.dream.proposal import Operation, StageName
from vaultmem.evolution import Rejected, RejectedEdits


def test_a_second_night_finds_nothing_more() -> None:
    files = {OLD: "- The port is 8080.\n- Tin.\n", NEW: "- The port is 9090.\n"}
    after = applied(files, report(files).proposals)

    assert after != files
    assert report(after) == StageReport(looked_at=1)


THIRD = "Memory/a/last/Relay.md"


@pytest.mark.parametrize(
    ("dated", "days", "modified"),
    [
        ("Since 2024-01-01 the port is {}.", {NEW: 19_800, THIRD: 19_800}, {}),
        ("The port is {}.", {NEW: 19_800, THIRD: 19_800}, {NEW: 19_805}),
        ("The port is {}.", {}, {NEW: 19_800}),
    ],
)
def test_two_newer_notes_of_one_day_do_not_take_turns(
    dated: str, days: dict[str, int], modified: dict[str, int]
) -> None:
    files = {
        OLD: "- The port is 7070.\n- Tin.\n",
        NEW: f"- {dated.format(9090)}\n",
        THIRD: f"- {dated.format(8080)}\n",
    }
    changed = {OLD: 19_000, NEW: 19_800, THIRD: 19_800, **modified}

    nights = []
    for night in range(4):
        made = report(files, days={**days, OLD: 19_000}, modified=changed).proposals
        after = applied(files, made)
        changed |= {path: 20_700 + 2 * night for path in files if files[path] != after[path]}
        nights.append(files[OLD] != after[OLD])
        files = after

    assert nights == [True, False, False, False]


def test_a_note_is_changed_by_one_proposal_and_left_over_for_the_next_cycle() -> None:
    third = "Memory/a/last/Relay.md"
    files = {
        OLD: "- The port is 8080.\n- The owner of the relay is Ada.\n",
        NEW: "- The port is 9090.\n",
        third: "- The owner of the relay is Tom.\n",
    }
    days = {**DAYS, third: 300}

    first = report(files, days=days)
    after = applied(files, first.proposals)
    second = report(after, days=days, changed=first.undecided)

    assert [p.operation for p in first.proposals] == [Operation.SUPERSEDE]
    assert first.undecided == {OLD}
    assert [p.operation for p in second.proposals] == [Operation.SUPERSEDE]
    assert report(applied(after, second.proposals), days=days).proposals == ()


@pytest.mark.parametrize("asked", [{}, {OLD: 300}])
def test_proposals_that_change_nothing_tonight_leave_nothing_over(asked: dict[str, int]) -> None:
    mine = "Relay.md" if not asked else OLD
    third = "Memory/a/last/Relay.md"
    files = {
        mine: "- The port is 8080.\n- The owner of the relay is Ada.\n",
        NEW: "- The port is 9090.\n",
        third: "- The owner of the relay is Tom.\n",
    }

    made = report(files, days={mine: 100, NEW: 200, third: 300}, recalls=asked)

    assert [(p.operation, p.touched) for p in made.proposals] == [
        (Operation.SUPERSEDE, (mine,)),
        (Operation.SUPERSEDE, (mine,)),
    ]
    assert made.undecided == frozenset()


def test_what_was_rejected_is_not_proposed_again() -> None:
    files = {OLD: "- The port is 8080.\n", NEW: "- The port is 9090.\n"}
    (proposal,) = report(files).proposals
    rejected = RejectedEdits().with_rejected(
        Rejected(proposal.rejected_as, proposal.rejected_on, "no", "c0")
    )

    assert report(files, rejected=rejected).proposals == ()


def test_a_note_that_changed_since_it_was_read_waits() -> None:
    made = context({OLD: "- The port is 8080.\n", NEW: "- The port is 9090.\n"}, days=DAYS)
    later = replace(made, read=lambda path: None if path == OLD else made.read(path))

    found = DriftStage().propose(later)

    assert found.proposals == ()
    assert found.undecided == {OLD}


def test_a_person_who_comes_back_ends_it() -> None:
    files = {OLD: "- The port is 8080.\n", NEW: "- The port is 9090.\n"}

    found = report(files, cancelled=lambda: True)

    assert found.proposals == ()
    assert found.undecided == {OLD}


def test_a_full_cycle_leaves_what_it_did_not_come_to(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drift, "MOST_PAIRS", 3)
    files = {f"Memory/{x}/facts/Relay.md": "- The port is 8080.\n" for x in "abc"}
    files["Memory/d/facts/Relay.md"] = "- The port is 9090.\n"

    first = report(files)
    second = report(files, changed=first.undecided)

    assert (first.looked_at, second.looked_at) == (3, 3)
    assert first.undecided == {"Memory/b/facts/Relay.md", "Memory/c/facts/Relay.md"}
    assert second.undecided == {"Memory/c/facts/Relay.md"}


def test_what_was_superseded_before_the_cycle_was_cut_off_counts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(drift, "MOST_PROPOSALS", 3)
    files, days = dict[str, str](), dict[str, int]()
    for thing in ("Relay", "Pump", "Mast", "Buoy", "Winch"):
        old, new = f"Memory/a/facts/{thing}.md", f"Memory/a/later/{thing}.md"
        files |= {old: f"- The port of the {thing} is 8080.\n"}
        files |= {new: f"- The port of the {thing} is 9090.\n"}
        days |= {old: 100, new: 200}
    made = context(files, days=days)

    whole = DriftStage().propose(made).proposals
    done: dict[tuple[StageName, str], int] = {
        (StageName.DRIFT, Operation.SUPERSEDE): 1,
        (StageName.DRIFT, Operation.MARK_STALE): 1,
    }
    rest = DriftStage().propose(replace(made, earlier=done))

    assert len(whole) == 3
    assert rest.proposals == whole[:1]
    assert len(rest.undecided) == 4


def test_what_there_is_no_room_to_tell_tonight_is_told_the_next_night(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(drift, "MOST_PROPOSALS", 1)
    files = {
        f"Memory/{agent}/facts/{name}.md": f"- The port of the {name} is {port}.\n"
        for name in ("relay", "siren")
        for agent, port in (("ann", 8080), ("bob", 9090))
    }

    first = report(files)
    second = report(files, changed=first.undecided)

    told = [*first.proposals, *second.proposals]
    assert sorted(path for each in told for path in each.inputs) == sorted(files)
    assert second.undecided == frozenset()


def test_what_the_gate_refused_is_proposed_again_once_a_note_has_changed() -> None:
    files = {OLD: "- The port is 8080.\n- Tin.\n", NEW: "- The port is 9090.\n"}
    (proposal,) = report(files).proposals
    refused = RejectedEdits().with_rejected(
        Rejected(proposal.named, proposal.inputs, "answers got worse", "c0")
    )

    same = report(files, rejected=refused)
    changed = report({**files, OLD: files[OLD] + "- Grey.\n"}, rejected=refused)

    assert (len(same.proposals), len(changed.proposals)) == (0, 1)
