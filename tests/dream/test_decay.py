"""What fades: given managed notes and their use, what the stage proposes."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.dream.contexts import ARCHIVE, TODAY, applied, context, digest
from vaultmem.dream import kinds
from vaultmem.dream.context import StageReport
from vaultmem.dream.decay import MOST, DecayStage
from vaultmem.dream.proposal import NewPlace, NewText, Operation, Proposal, StageName

NOTE = "Memory/a/facts/Kim.md"
LONG_AGO = 8_000
"""1991."""
PLACE = f"{ARCHIVE}/a/facts/Kim.md"


def report(files: dict[str, str], **more: object) -> StageReport:
    return DecayStage().propose(context(files, **more))  # type: ignore[arg-type]


def done(text: str, age: float, others: dict[str, str] | None = None, **more: object) -> list[str]:
    """Operations on a note that was last changed so many days ago."""
    files = {NOTE: text, **(others or {})}
    return [str(p.operation) for p in report(files, modified={NOTE: TODAY - age}, **more).proposals]


def typed(kind: str, more: str = "") -> str:
    return f"---\ntype: {kind}\n{more}---\nText.\n"


# --- when a note is demoted ---


@pytest.mark.parametrize(
    ("kind", "days"),
    [("episode", 60), ("log", 60), ("observation", 180), ("", 360), ("idea", 360), ("fact", 730), ("synthesis", 730)],
)  # fmt: skip
def test_a_note_counts_less_after_two_half_lives_of_its_kind(kind: str, days: int) -> None:
    assert done(typed(kind), days - 1) == []
    assert done(typed(kind), days + 1) == ["demote"]


def test_the_half_life_grows_with_use() -> None:
    support = 3 / (3 + 3)

    assert done(typed("episode"), 60 * (1 + support) - 1, recalls={NOTE: 3}) == []
    assert done(typed("episode"), 60 * (1 + support) + 1, recalls={NOTE: 3}) == ["demote"]


def test_its_age_counts_from_the_last_time_it_was_asked_for() -> None:
    assert done(typed("episode"), 900, last_recalled={NOTE: TODAY - 50}) == []


def test_a_day_that_is_later_than_the_last_change_counts() -> None:
    assert done(typed("episode", "date: 2026-10-20\n"), 900) == []


@pytest.mark.parametrize("unknown", [0, 3_652])
def test_a_note_of_unknown_age_does_not_fade(unknown: int) -> None:
    assert report({NOTE: typed("episode")}, modified={NOTE: unknown}).proposals == ()


@pytest.mark.parametrize(
    ("text", "others"),
    [
        pytest.param(typed("episode", "permanent: true\n"), {}, id="permanent"),
        pytest.param(typed("episode", "tags: [Pinned]\n"), {}, id="pinned"),
        pytest.param(typed("episode", "severity: high\n"), {}, id="severe"),
        pytest.param(typed("episode", "severity: Critical\n"), {}, id="critical"),
        pytest.param(typed("episode"), {"Mine.md": "[[Kim]]\n"}, id="a person links to it"),
        pytest.param(typed("episode") + "supersedes:: [[Old]]\n", {"Memory/Old.md": "x"}, id="it stands for another"),
        pytest.param(typed("episode"), {"Memory/Old.md": "superseded_by:: [[Kim]]\n"}, id="another names it"),
    ],
)  # fmt: skip
def test_what_is_exempt_stays_at_any_age(text: str, others: dict[str, str]) -> None:
    files = {NOTE: text, **others}

    made = report(files, modified=dict.fromkeys(files, LONG_AGO)).proposals

    assert [p for p in made if NOTE in p.touched] == []


def test_a_medium_severity_makes_the_half_life_twice_as_long() -> None:
    assert done(typed("episode", "severity: medium\n"), 119) == []
    assert done(typed("episode", "severity: medium\n"), 121) == ["demote"]


@pytest.mark.parametrize("path", ["Kim.md", "Diary/Kim.md", f"{ARCHIVE}/a/Kim.md"])
def test_notes_of_a_person_and_archived_ones_are_left_alone(path: str) -> None:
    assert (
        report({path: typed("episode", "strength: low\n")}, modified={path: LONG_AGO}).proposals
        == ()
    )


def test_the_demotion_is_one_property() -> None:
    files = {NOTE: "---\ntype: episode # kind\n---\nText.\n"}

    (proposal,) = report(files, modified={NOTE: TODAY - 90}).proposals

    assert proposal == Proposal(
        stage=StageName.DECAY,
        operation=Operation.DEMOTE,
        title='Let "Kim" count less',
        reason=(
            "Not used for 90 days, with a half-life of 30 days: strength 0.125. It was never asked for."
        ),
        confidence=0.8,
        inputs={NOTE: digest(files[NOTE])},
        edits=(NewText(NOTE, "---\ntype: episode # kind\nstrength: low\n---\nText.\n"),),
        decided_by="age and use",
        figures={"strength": 0.125, "age in days": 90.0, "half-life in days": 30.0},
        detail="strength",
    )


def test_a_person_who_comes_back_ends_it() -> None:
    assert done(typed("episode"), 900, cancelled=lambda: True) == []


# --- when it is archived ---

LOW = typed("episode", "strength: low\n")


@pytest.mark.parametrize(
    ("text", "age", "more", "expected"),
    [
        pytest.param(typed("episode"), 9000, {}, ["demote"], id="never at once"),
        pytest.param(LOW, 59, {}, [], id="two half-lives after the demotion, not before"),
        pytest.param(LOW, 61, {}, ["archive"], id="two half-lives after the demotion"),
        pytest.param(LOW, 9000, {"recalls": {NOTE: 1}}, [], id="only what was never recalled"),
        pytest.param(LOW, 9000, {"last_recalled": {NOTE: 1}}, [], id="however long ago that was"),
        pytest.param(LOW, 9000, {"others": {"Mine.md": "[[Kim]]\n"}}, [], id="a person links to it"),
        pytest.param(LOW, 90, {"last_recalled": {NOTE: TODAY - 1}}, ["fix-property"], id="asked for since: counts again"),
        pytest.param(typed("episode", "strength: low\nseverity: high\n"), 9000, {}, ["fix-property"], id="severe since"),
    ],
)  # fmt: skip
def test_archiving(text: str, age: float, more: dict[str, object], expected: list[str]) -> None:
    assert done(text, age, **more) == expected  # type: ignore[arg-type]


def test_it_moves_below_the_archive_with_the_rest_of_its_path() -> None:
    (proposal,) = report({NOTE: LOW}, modified={NOTE: LONG_AGO}).proposals

    assert (proposal.move, proposal.edits) == (NewPlace(NOTE, PLACE), ())


def test_a_place_that_is_taken_is_not_overwritten() -> None:
    (proposal,) = report({NOTE: LOW, PLACE: "older\n"}, modified={NOTE: LONG_AGO}).proposals

    assert proposal.move == NewPlace(NOTE, f"{ARCHIVE}/a/facts/Kim 1.md")


# --- what is superseded ---

BY = "superseded_by:: [[New]]\n"


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        pytest.param({NOTE: BY, "Memory/New.md": "x"}, [NOTE], id="superseded"),
        pytest.param({NOTE: BY, "Memory/New.md": "x", "Mine.md": "[[Kim]]"}, [NOTE], id="its links keep leading to it"),
        pytest.param({NOTE: BY, "Memory/New.md": "x", "Mine.md": "[[a/facts/Kim]]"}, [], id="a person's link would change"),
        pytest.param({NOTE: f"#permanent\n{BY}", "Memory/New.md": "x"}, [], id="permanent"),
        pytest.param({NOTE: BY}, [], id="by what is not there"),
        pytest.param({NOTE: BY, "Memory/New.md": "superseded_by:: [[Kim]]\n"}, [], id="each by the other"),
        pytest.param({"Kim.md": BY, "Memory/New.md": "x"}, [], id="a person's"),
        pytest.param({PLACE: BY, "Memory/New.md": "x"}, [], id="archived already"),
    ],
)  # fmt: skip
def test_a_superseded_note_is_archived(files: dict[str, str], expected: list[str]) -> None:
    made = report(files).proposals

    assert [(str(p.operation), p.move and p.move.path) for p in made] == [
        ("archive", path) for path in expected
    ]


def test_notes_that_supersede_each_other_are_told() -> None:
    made = report({NOTE: BY, "Memory/New.md": "superseded_by:: [[Kim]]\n"})

    assert [(one.kind, one.path) for one in made.findings] == [
        (kinds.SUPERSEDE_CYCLE, "Memory/New.md"),
        (kinds.SUPERSEDE_CYCLE, NOTE),
    ]


# --- laws ---

TEXTS = st.builds(
    lambda kind, more, ending: typed(kind, "".join(more)).replace("\n", ending),
    st.sampled_from(["episode", "fact", ""]),
    st.lists(st.sampled_from(["severity: high\n", "permanent: true\n", "x: 1 # c\n"]), unique=True),
    st.sampled_from(["\n", "\r\n"]),
)
VAULTS = st.dictionaries(
    st.sampled_from([NOTE, "Memory/b/Tom.md", "Memory/b/Ann.md", "Mine.md"]), TEXTS, min_size=1
)


@given(VAULTS, st.integers(0, 3000), st.randoms(use_true_random=False))
def test_nothing_is_deleted_a_second_run_finds_nothing_and_order_does_not_matter(
    files: dict[str, str], age: int, rng: object
) -> None:
    def shuffled(notes: list[object]) -> list[object]:
        rng.shuffle(notes)  # type: ignore[attr-defined]
        return notes

    old = dict.fromkeys(files, TODAY - age)
    first = report(files, modified=old)
    after = applied(files, first.proposals)

    assert report(files, modified=old, order=shuffled) == first
    assert len(after) == len(files)
    for path, text in files.items():
        for line in text.splitlines(keepends=True):
            assert line in after[path]
    written = {path: TODAY if after[path] != files[path] else TODAY - age for path in files}
    assert report(after, modified=written).proposals == ()


def test_what_was_done_before_the_cycle_was_killed_counts() -> None:
    files = {
        f"Memory/a/b/Note {n}.md": f"---\nmanaged_by: vaultmem\n---\nNote {n}.\n" for n in range(20)
    }
    made = context(files, modified=dict.fromkeys(files, TODAY - 900))

    whole = DecayStage().propose(made).proposals
    earlier: dict[tuple[StageName, str], int] = {
        (StageName.DECAY, Operation.DEMOTE): len(whole) - 2
    }
    rest = DecayStage().propose(replace(made, earlier=earlier)).proposals

    assert [p.operation for p in whole] == [Operation.DEMOTE] * MOST
    assert rest == whole[:2]
