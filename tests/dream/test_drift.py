"""Which claims no longer hold: given a vault, what the stage proposes."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.dream.claims import claim_pairs
from tests.dream.contexts import TODAY, applied, context, digest
from tests.dream.words import Half
from vaultmem.dream import drift, kinds
from vaultmem.dream.context import DreamContext, StageReport
from vaultmem.dream.drift import DriftStage
from vaultmem.dream.proposal import Operation, Proposal, StageName
from vaultmem.dream.when import stated_day
from vaultmem.evolution import Rejected, RejectedEdits
from vaultmem.judge import Drift, DriftJudgement, HeuristicJudge

OLD, NEW = "Memory/a/facts/Relay.md", "Memory/a/later/Relay.md"
LOG = "Memory/a/notes/Rack.md"
DAYS = {OLD: 100, NEW: 200, LOG: 200, "Relay.md": 100}


def report(files: dict[str, str], **more: object) -> StageReport:
    return DriftStage().propose(context(files, **{"days": DAYS, **more}))  # type: ignore[arg-type]


def proposed(files: dict[str, str], **more: object) -> list[tuple[Operation, str]]:
    """Operation and the note that changes or, where none does, "" """
    return [
        (p.operation, "".join(edit.path for edit in p.edits))
        for p in report(files, **more).proposals
    ]


# --- what is found ---


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        pytest.param(
            {OLD: "- The port is 8080.\n", NEW: "- The port is 9090.\n"},
            [(Operation.SUPERSEDE, OLD)],
            id="two notes about one thing",
        ),
        pytest.param(
            {OLD: "- Listens on port 8080.\n", LOG: "[[a/facts/Relay]] listens on port 9090.\n"},
            [(Operation.SUPERSEDE, OLD)],
            id="a link, and the claim names what the other note is about",
        ),
        pytest.param(
            {OLD: "- owner:: Ada\n- made of tin\n", NEW: "owner:: Tom\n"},
            [(Operation.SUPERSEDE, OLD)],
            id="a field that can have one value only",
        ),
        pytest.param(
            {OLD: "Tom works for Velora.\n", NEW: "Tom no longer works for Velora.\n"},
            [(Operation.MARK_STALE, OLD)],
            id="what has ceased, in a short note",
        ),
        pytest.param(
            {
                OLD: "- Tom works for Velora.\n"
                + "".join(f"- Likes tea {c}.\n" for c in "abcdefg"),
                NEW: "Tom no longer works for Velora.\n",
            },
            [(Operation.SUPERSEDE, OLD)],
            id="what has ceased, in a long note: the claim alone",
        ),
        pytest.param(
            {"Relay.md": "- The port is 8080.\n", NEW: "The port is 9090.\n"},
            [(Operation.SUPERSEDE, "Relay.md")],
            id="the same proposal for a note of a person",
        ),
        pytest.param(
            {OLD: "The port is 8080. It is made of tin.\n", NEW: "The port is 9090.\n"},
            [(Operation.NOTE_ONLY, "")],
            id="a sentence within a line is not cut out",
        ),
    ],
)
def test_what_contradicts_is_proposed(
    files: dict[str, str], expected: list[tuple[Operation, str]]
) -> None:
    assert proposed(files) == expected


@pytest.mark.parametrize(
    "files",
    [
        pytest.param({OLD: "- Port: 8080\n", LOG: "- Port: 9090\n- by [[Relay]]\n"}, id="another thing"),
        pytest.param(
            {"Sprint 3.md": "- Took 4 days.\n", "Sprint 4.md": "- Took 5 days.\n- after [[Sprint 3]]\n"},
            id="numbered series",
        ),
        pytest.param(
            {"Log/2026-01-02.md": "Tom ran 5 km.\n", "Log/2026-01-03.md": "Tom ran 7 km. [[2026-01-02]]\n"},
            id="each true of its day",
        ),
        pytest.param({OLD: "permanent\n#permanent\nThe port is 8080.\n", NEW: "The port is 9090.\n"}, id="permanent"),
        pytest.param(
            {OLD: "---\nsuperseded_by: '[[a/later/Relay]]'\n---\nThe port is 8080.\n", NEW: "The port is 9090.\n"},
            id="superseded",
        ),
        pytest.param({OLD: "---\nstale: true\n---\nTom works for Velora.\n", NEW: "Tom no longer works for Velora.\n"}, id="stale already"),
        pytest.param({OLD: "Tin.\n\n## Superseded\n\nThe port is 8080.\n", NEW: "The port is 9090.\n"}, id="in the section already"),
        pytest.param({OLD: "```\nThe port is 8080.\n```\n", NEW: "The port is 9090.\n"}, id="code"),
        pytest.param({OLD: "> The port is 8080.\n", NEW: "The port is 9090.\n"}, id="quoted"),
        pytest.param({OLD: "- [ ] The port is 8080.\n", NEW: "The port is 9090.\n"}, id="task"),
        pytest.param({OLD: "Is the port 8080?\n", NEW: "The port is 9090.\n"}, id="question"),
        pytest.param({OLD: "<% the port is 8080 %>\n", NEW: "The port is 9090.\n"}, id="template"),
        pytest.param({OLD: "- Port 1 is 8080.\n- Port 2 is 8081.\n", NEW: "- Port 1 is 8080.\n- Port 2 is 8081.\n"}, id="the same"),
        pytest.param({OLD: "- The port is 8080.\n- The port is 7070.\n", NEW: "The port is 9090.\n"}, id="a series of its own"),
        pytest.param({OLD: "- 4. [[Rack]]\n", LOG: "Rack 5 is in [[Relay]].\n"}, id="a link says nothing"),
        pytest.param({OLD: "It has no port.\n", NEW: "It has no port (see the 'none' entry).\n"}, id="explained"),
        pytest.param({"A/Budget.md": "- The sum is 100.\n", "B/Budget.md": "- The sum is 200.\n"}, id="an everyday name"),
    ],
)  # fmt: skip
def test_what_need_not_contradict_is_left_alone(files: dict[str, str]) -> None:
    assert proposed(files) == []


def test_a_quiet_vault_asks_no_judge() -> None:
    files = {OLD: "The port is 8080.\n", NEW: "The port is 9090.\n"}

    assert report(files, changed=(), judge=_Silent()) == StageReport()


class _Silent(HeuristicJudge):
    def drift(self, a: str, b: str) -> DriftJudgement:
        raise AssertionError("a quiet vault costs nothing")


# --- what is done ---


def test_the_claim_moves_and_says_where_it_was_corrected() -> None:
    files = {
        OLD: "# Relay\n\n- The port is 8080. ^f-1\n- Made of tin. ^f-2\n",
        NEW: "The port is 9090.\n",
    }

    (proposal,) = report(files).proposals

    assert proposal == Proposal(
        stage=DriftStage.name,
        operation=Operation.SUPERSEDE,
        title='Move an outdated claim of "Relay" to its section Superseded',
        reason=f'“The port is 8080.” against “The port is 9090.” in "{NEW}": numbers differ.',
        confidence=0.9,
        inputs={OLD: digest(files[OLD]), NEW: digest(files[NEW])},
        edits=(
            replace(
                proposal.edits[0],
                text="# Relay\n\n- The port is 9090. — from [[Memory/a/later/Relay]], 1970-07-20\n"
                "- Made of tin. ^f-2\n\n## Superseded\n\n- The port is 8080. ^f-1\n"
                "  - corrected by [[Memory/a/later/Relay]], 2026-11-30\n",
            ),
        ),
        keeper=NEW,
        figures={"confidence": 0.9, "support": 0.0, "needed": 0.6, "evidence": "enough"},
        detail="The port is 8080.",
        claims=((OLD, "The port is 8080."), (NEW, "The port is 9090.")),
    )


@pytest.mark.parametrize(
    ("old", "new", "after"),
    [
        pytest.param(
            "Tin.\n\nThe port is 8080.\n",
            "The port is 9090.\n",
            "Tin.\n\nThe port is 9090. — from [[Memory/a/later/Relay]], 1970-07-20\n",
            id="a paragraph",
        ),
        pytest.param(
            "* The port is 8080.\n* Tin.\n",
            "As of 2026-11-02 the port is 9090.\n",
            "* As of 2026-11-02 the port is 9090. — from [[Memory/a/later/Relay]], 2026-11-02\n* Tin.\n",
            id="the day that the claim states",
        ),
        pytest.param(
            "- The port is 8080.\n- Tin.\n",
            "- The port is 9090. — from [[Rack]], 1970-05-01\n",
            "- The port is 9090. — from [[Rack]], 1970-05-01\n- Tin.\n",
            id="what was taken over before keeps its origin",
        ),
        pytest.param("- owner:: Ada\n- Tin.\n", "- owner:: Tom\n", "- Tin.\n", id="a field"),
        pytest.param(
            "- It has port 8080.\n- Tin.\n", "- It has port 9090.\n", "- Tin.\n", id="what leans"
        ),
        pytest.param(
            "- The port is 8080.\n- Tin.\n",
            "- The port is 9090 #net.\n",
            "- Tin.\n",
            id="a tag is its own note's",
        ),
        pytest.param(
            "- The port is 8080.\n- Tin.\n",
            "- The port [is](x.md) 9090.\n",
            "- Tin.\n",
            id="a link by path",
        ),
        pytest.param(
            "Tin.\nThe port is 8080.\nGrey.\n",
            "The port is 9090.\n",
            "Tin.\nGrey.\n",
            id="a line among the sentences of a paragraph",
        ),
    ],
)
def test_in_its_place_comes_what_holds_in_the_words_of_the_newer_note(
    old: str, new: str, after: str
) -> None:
    assert _after({OLD: old, NEW: new}).partition("\n## Superseded")[0] == after


@pytest.mark.parametrize("key", ["owner", "agent", "project"])
def test_words_of_a_note_that_is_for_others_stay_there(key: str) -> None:
    old, new = "- The port is 8080.\n- Tin.\n", "- The port is 9090.\n"

    def mine(value: str, body: str) -> str:
        return f"---\n{key}: {value}\n---\n{body}"

    assert "- The port is 9090." in _after({OLD: mine("Ann", old), NEW: mine("Ann", new)})
    assert "9090" not in _after({OLD: mine("Ann", old), NEW: new})
    assert "9090" not in _after({OLD: old, NEW: mine("Ann", new)})
    assert proposed({OLD: mine("Ann", old), NEW: mine("Tom", new)}) == []


def test_of_two_agents_that_say_different_things_a_person_is_told_and_neither_note_is_changed() -> (
    None
):
    theirs, everybodys = "Memory/b/facts/Relay.md", "Network/Relay.md"
    old, new = "- The port is 8080.\n- Tin.\n", "- The port is 9090.\n"

    days = {OLD: 100, theirs: 200, everybodys: 200}

    (told,) = report({OLD: old, theirs: new}, days=days).proposals
    (changed,) = report({OLD: old, everybodys: new}, days=days).proposals

    assert (told.operation, told.edits, told.reason.endswith(drift.APART)) == (
        Operation.NOTE_ONLY,
        (),
        True,
    )
    assert (changed.operation, changed.keeper) == (Operation.SUPERSEDE, everybodys)


def _after(files: dict[str, str]) -> str:
    """The older note once all is done."""
    return applied(files, report(files).proposals)[OLD]


def test_a_claim_is_taken_over_into_a_note_about_something_else_only_where_it_names_its_thing() -> (
    None
):
    rack = "- [[a/facts/Relay]] listens on port 8080.\n- Grey.\n"
    old, new = "- Listens on port 9090.\n", "- The relay listens on port 9090.\n"

    without, with_name = (
        applied(files, report(files, days={LOG: 100, OLD: 200}).proposals)[LOG]
        for files in ({LOG: rack, OLD: old}, {LOG: rack, OLD: new})
    )

    assert without.startswith("- Grey.\n")
    assert with_name.startswith(
        "- The relay listens on port 9090. — from [[Relay]], 1970-07-20\n- Grey.\n"
    )


def test_what_was_taken_over_is_as_old_as_it_is_there() -> None:
    files = {
        OLD: "- Listens on port 9090. — from [[a/later/Relay]], 1970-07-20\n- Tin.\n",
        LOG: "[[a/facts/Relay]] listens on port 7070.\n",
    }

    assert proposed(files, days={OLD: 100, LOG: 150}) == [(Operation.SUPERSEDE, LOG)]
    assert proposed(files, days={OLD: 100, LOG: 250}) == [(Operation.SUPERSEDE, OLD)]


def test_where_both_differ_the_note_is_right_that_the_claim_is_from() -> None:
    files = {
        OLD: "- The port is 9090. — from [[Memory/a/later/Relay]], 1970-07-20\n- Tin.\n",
        NEW: "- The port is 7070.\n",
    }

    made = report(files, days={OLD: 300, NEW: 200}).proposals

    assert applied(files, made)[OLD].startswith(
        "- The port is 7070. — from [[Memory/a/later/Relay]], 1970-07-20\n"
    )


def test_a_second_night_finds_nothing_more() -> None:
    files = {OLD: "- The port is 8080.\n- Tin.\n", NEW: "- The port is 9090.\n"}
    after = applied(files, report(files).proposals)

    assert after != files
    assert report(after) == StageReport(looked_at=1)


def test_a_line_is_taken_over_once_for_all_claims_that_it_overtakes() -> None:
    files = {OLD: "- The port is 8080. ^a\n- The port is 8080. ^b\n", NEW: "- The port is 9090.\n"}

    after = applied(files, report(files).proposals)[OLD]

    assert after == (
        "- The port is 9090. — from [[Memory/a/later/Relay]], 1970-07-20\n"
        "\n## Superseded\n\n"
        "- The port is 8080. ^a\n  - corrected by [[Memory/a/later/Relay]], 2026-11-30\n"
        "- The port is 8080. ^b\n  - corrected by [[Memory/a/later/Relay]], 2026-11-30\n"
    )


@pytest.mark.parametrize(
    ("new", "day"),
    [("- The port is 9090.\n", TODAY + 60), ("- Since 2027-03-01 the port is 9090.\n", 200)],
)
def test_what_is_to_hold_one_day_sets_nothing_aside_today(new: str, day: int) -> None:
    files = {OLD: "- The port is 8080.\n- Tin.\n", NEW: new}

    (proposal,) = report(files, days={OLD: 100, NEW: day}).proposals

    assert (proposal.operation, proposal.keeper) == (Operation.NOTE_ONLY, NEW)
    assert proposal.reason.endswith(drift.AHEAD)


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


def test_a_note_that_took_the_claim_over_is_suspect() -> None:
    other = "Memory/a/notes/Ports.md"
    files = {
        OLD: "- The port is 8080.\n- Tin.\n",
        NEW: "- The port is 9090.\n",
        other: "- The port is 8080. — from [[a/facts/Relay]], 1970-04-11\n",
    }

    (finding,) = report(files, days={**DAYS, other: 100}).findings

    assert (finding.kind, finding.path, finding.text) == (
        kinds.SUSPECT,
        other,
        "took a claim over from [[Memory/a/facts/Relay]] that is outdated there: “The port is 8080.”",
    )


def test_a_note_whose_only_claim_has_ceased_names_its_successor() -> None:
    files = {OLD: "Tom works for Velora.\n", NEW: "Tom no longer works for Velora.\n"}

    (proposal,) = report(files).proposals

    assert proposal.edits[0].text == (
        '---\nstale: true\nsuperseded_by: "[[Memory/a/later/Relay]]"\n---\nTom works for Velora.\n'
    )


def test_a_note_that_is_much_asked_for_needs_more_confidence() -> None:
    files = {OLD: "- The port is 8080.\n", NEW: "- The port is 9090.\n"}

    (proposal,) = report(files, recalls={OLD: 27}).proposals

    assert proposal.figures == {
        "confidence": 0.9,
        "support": 0.9,
        "needed": 0.96,
        "evidence": "not enough",
    }


def test_what_was_made_from_an_outdated_note_is_suspect() -> None:
    made = "Memory/a/synthesis/Ports.md"
    files = {
        OLD: "- The port is 8080.\n",
        NEW: "- The port is 9090.\n",
        made: '---\nsource_notes:\n  - "[[a/facts/Relay]]"\n---\nAll ports are even.\n',
    }

    found = report(files)

    assert found.suspects == {made}
    assert [(one.kind, one.path, one.text) for one in found.findings] == [
        (
            kinds.SUSPECT,
            made,
            "was made from [[Memory/a/facts/Relay]], which has an outdated claim: “The port is 8080.”",
        )
    ]


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
        Rejected(proposal.rejected_as, proposal.inputs, "no", "c0")
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


# --- which side holds ---


@pytest.mark.parametrize(
    ("a", "b", "more", "outdated"),
    [
        pytest.param("", "", {"days": {OLD: 2, NEW: 1}}, NEW, id="the later day"),
        pytest.param("", "", {"days": {}, "modified": {OLD: 20_005, NEW: 20_009}}, OLD, id="changed later"),
        pytest.param("", "", {"days": {}, "modified": {OLD: 20_005, NEW: 20_005.5}}, "", id="changed at a time"),
        pytest.param("", "", {"days": {}, "modified": {OLD: 0, NEW: 20_009}}, "", id="a disk that knows no time"),
        pytest.param("", "", {"days": {OLD: 20_009}, "modified": {NEW: 20_005}}, NEW, id="not changed since the day"),
        pytest.param("Since 2026-03-01 ", "Since 2026-02-01 ", {"days": {}}, NEW, id="the date it gives"),
        pytest.param("Since 2026-03-01 ", "", {"days": {NEW: 20_000, OLD: 19_000}}, "", id="signs disagree"),
    ],
)  # fmt: skip
def test_the_newer_claim_holds(a: str, b: str, more: dict[str, object], outdated: str) -> None:
    files = {OLD: f"- {a}the port is 8080.\n", NEW: f"- {b}the port is 9090.\n"}

    (proposal,) = report(files, **more).proposals

    assert [edit.path for edit in proposal.edits] == ([outdated] if outdated else [])
    assert (proposal.operation is Operation.NOTE_ONLY) is not bool(outdated)


@pytest.mark.parametrize(
    ("claim", "day"),
    [
        ("As of 2026-03-01 the club has 40 members.", 20_513),
        ("2026-03-01: the port is 8080.", 20_513),
        ("The port is 8080 (2026-03-01).", 20_513),
        ("The lease ends on 2026-03-01.", None),
        ("The port is 8080.", None),
    ],
)
def test_only_a_date_of_the_statement_dates_it(claim: str, day: int | None) -> None:
    assert stated_day(claim) == day


def test_a_dated_note_overtakes_another_but_is_never_outdated_itself() -> None:
    log = "Memory/a/log/2026-05-01 Rack.md"
    told = {OLD: "- Listens on port 8080.\n", log: "- [[Relay]] listens on port 9090.\n"}

    assert proposed(told, days={OLD: 100}) == [(Operation.SUPERSEDE, OLD)]
    assert proposed(told, days={OLD: 30_000}) == []


# --- laws ---

CLAIM = st.sampled_from(
    [
        "- The port is 8080.",
        "- The port is 9090. ^f-1",
        "The owner of the relay is Ada.",
        "The owner of the relay is Tom.",
        "- The relay is enabled.",
        "- The relay is not enabled.",
        "- owner:: Ada",
        "- owner:: Tom",
        "Ada no longer works for Velora.",
        "Ada works for Velora.",
        "端口是8080。",
        "端口是9090。",
    ]
)
OTHER = st.sampled_from(
    ["# Head", "```\nThe port is 1.\n```", "- a\n  - nested port is 2.", "| a |\n|---|\n| 1 |", "[[Rack]]", "> quoted"]
)  # fmt: skip
TEXT = st.tuples(
    st.sampled_from(["", "\ufeff", "---\nsource: x\n---\n"]),
    st.lists(st.one_of(CLAIM, OTHER), max_size=5),
    st.sampled_from(["\n", "\r\n"]),
).map(lambda parts: (parts[0] + "\n\n".join([*parts[1], ""])).replace("\n", parts[2]))
PATHS = (OLD, NEW, "Relay.md", LOG, "Rack.md")
FILES = st.dictionaries(st.sampled_from(PATHS), TEXT, min_size=2)


def made_of(files: dict[str, str], **more: object) -> DreamContext:
    days = {path: 100 * number for number, path in enumerate(PATHS)}
    return context(files, **{"days": days, **more})  # type: ignore[arg-type]


@given(FILES)
def test_no_claim_is_lost_and_line_endings_stay(files: dict[str, str]) -> None:
    for proposal in DriftStage().propose(made_of(files)).proposals:
        for edit in proposal.edits:
            before = files[edit.path]
            for line in before.removeprefix("\ufeff").split("\n"):
                assert line.strip("\r") in edit.text
            assert ("\r\n" in edit.text) is ("\r\n" in before)
            assert edit.text.replace("\r\n", "").count("\n") == 0 or "\r\n" not in before
            assert edit.text.startswith("\ufeff") is before.startswith("\ufeff")


@given(FILES)
def test_its_own_result_gives_it_nothing_more_to_do(files: dict[str, str]) -> None:
    changed: frozenset[str] = frozenset(files)
    for _ in range(12):
        found = DriftStage().propose(made_of(files, changed=changed))
        after = applied(files, found.proposals)
        changed = found.undecided | {path for path in files if files[path] != after[path]}
        files = after
        if not changed:
            break
    again = DriftStage().propose(made_of(files))

    assert not changed
    assert [p for p in again.proposals if p.does_something] == []


@given(FILES, st.randoms(use_true_random=False))
def test_the_order_of_notes_does_not_matter(files: dict[str, str], rng: object) -> None:
    def shuffled(notes: list[object]) -> list[object]:
        rng.shuffle(notes)  # type: ignore[attr-defined]
        return notes

    assert DriftStage().propose(made_of(files)) == DriftStage().propose(
        made_of(files, order=shuffled)
    )


# --- in numbers ---


def test_typed_pairs_in_two_notes_about_one_thing() -> None:
    right = {"consistent": 0, "contradictory": 0, "stale": 0}
    total = dict.fromkeys(right, 0)
    for pair in claim_pairs(360, Half.HELD_OUT, 11):
        found = proposed({OLD: f"{pair.a}\n", NEW: f"{pair.b}\n"})
        total[pair.label] += 1
        right[pair.label] += bool(found) is (pair.label != "consistent")

    assert right["consistent"] == total["consistent"]
    assert right["contradictory"] >= 0.8 * total["contradictory"]


def test_two_notes_of_a_megabyte_take_seconds() -> None:
    filler = "".join(f"- Item {n} says {n * 7} things of no interest.\n" for n in range(20_000))
    files = {OLD: f"{filler}- The port is 8080.\n", NEW: f"- The port is 9090.\n{filler}"}
    began = time.perf_counter()

    found = proposed(files)

    assert found == [(Operation.SUPERSEDE, OLD)]
    assert time.perf_counter() - began < 30


def test_what_a_judge_does_not_know_counts_as_consistent() -> None:
    class Unsure(HeuristicJudge):
        def drift(self, a: str, b: str) -> DriftJudgement:
            return DriftJudgement(Drift.CONSISTENT, "unsure", 0.5, 0.9)

    files = {OLD: "- The port is 8080.\n", NEW: "- The port is 9090.\n"}

    assert proposed(files, judge=Unsure()) == []


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
