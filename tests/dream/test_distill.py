"""Given notes of ours, what is distilled of them, and what is not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.dream.contexts import applied, context
from vaultmem.dream import kinds
from vaultmem.dream.consolidate import ConsolidateStage
from vaultmem.dream.context import DreamContext, StageReport
from vaultmem.dream.distill import DistillStage, can_distil
from vaultmem.dream.distilled_note import is_untouched
from vaultmem.dream.drift import DriftStage
from vaultmem.dream.proposal import Operation, Proposal, StageName, from_text, to_text
from vaultmem.dream.proposal_texts import proposal_diff
from vaultmem.evolution import Rejected, RejectedEdits

UNITS = "Recipes use metric units."
TESTS = "Run the tests before you push."


def note(day: int, *lines: str, kind: str = "feedback", **properties: str) -> str:
    """A note of ours of that day of March 2026."""
    more = "".join(f"{key}: {value}\n" for key, value in properties.items())
    body = "".join(f"- {line}\n" for line in lines)
    return f"---\ntype: {kind}\nmanaged_by: vaultmem\ndate: 2026-03-{day:02}\n{more}---\n{body}"


def distilled(files: Mapping[str, str], *, synthesize: bool = False) -> StageReport:
    return DistillStage(synthesize=synthesize).propose(context(files))


def made(report: StageReport) -> dict[str, str]:
    """The new notes by path."""
    return {new.path: new.text for proposal in report.proposals for new in proposal.made}


def listed(text: str) -> list[str]:
    """The lines of a list, without marks."""
    return [
        line.removeprefix("- ").rpartition(" ^")[0]
        for line in text.splitlines()
        if line.startswith("- ")
    ]


THREE = {
    "Memory/keeper/Lunch.md": note(1, UNITS),
    "Memory/keeper/Dinner.md": note(2, UNITS, "The oven is slow."),
    "Memory/keeper/Bread.md": note(3, UNITS),
}
LESSON_PATH = "Memory/keeper/lessons/Recipes use metric units.md"
LESSON = """\
---
type: lesson
managed_by: vaultmem
date: 2026-03-03
source_notes:
  - "[[Bread]]"
  - "[[Dinner]]"
  - "[[Lunch]]"
---
# Recipes use metric units

- Recipes use metric units. ^f-uuuuuu
"""


def test_a_claim_of_three_notes_becomes_a_lesson() -> None:
    report = distilled(THREE)
    (proposal,) = report.proposals
    ((path, text),) = made(report).items()
    assert path == LESSON_PATH
    mark = text.rpartition("^f-")[2].strip()
    assert text == LESSON.replace("uuuuuu", mark)
    assert (proposal.operation, proposal.destructive, proposal.touched) == (
        Operation.DISTILL,
        False,
        (),
    )
    assert set(proposal.inputs) == set(THREE)
    assert proposal.title == 'Make the lesson "Recipes use metric units" of 3 notes'
    assert proposal.reason == "“Recipes use metric units.” stands in 3 notes of 3 days."


def without(*paths: str, **more: str) -> dict[str, str]:
    return {path: text for path, text in {**THREE, **more}.items() if path not in paths}


def with_(path: str, text: str) -> dict[str, str]:
    return {**THREE, path: text}


BREAD = "Memory/keeper/Bread.md"


@dataclass(frozen=True)
class Row:
    what: str
    files: Mapping[str, str]
    lessons: Sequence[Sequence[str]] = ()
    """The claims of each lesson."""


TABLE = [
    Row("three notes of three days", THREE, [[UNITS]]),
    Row("two notes only", without(BREAD), []),
    Row("three notes of one day", {path: note(1, UNITS) for path in THREE}, []),
    Row("three notes of two days", with_(BREAD, note(2, UNITS)), [[UNITS]]),
    Row("an episode and an observation count", {
        "Memory/keeper/A.md": note(1, UNITS, kind="episode"),
        "Memory/keeper/B.md": note(2, UNITS, kind="observation"),
        "Memory/keeper/C.md": note(3, UNITS),
    }, [[UNITS]]),
    Row("a fact does not teach", with_(BREAD, note(3, UNITS, kind="fact")), []),
    Row("a person's note does not count", {**without(BREAD), "Kitchen/Bread.md": note(3, UNITS)}, []),
    Row("nor does one in the archive", {**without(BREAD), "Memory/_archive/keeper/Bread.md": note(3, UNITS)}, []),
    Row("nor one that is stale", with_(BREAD, note(3, UNITS, stale="true")), []),
    Row("nor one that was superseded", with_(BREAD, note(3, UNITS, superseded_by='"[[Lunch]]"')), []),
    Row("nor one that was made of others", with_(BREAD, note(3, UNITS, source_notes='["[[Lunch]]"]')), []),
    Row("nor an overview", with_(BREAD, note(3, UNITS, kind="synthesis")), []),
    Row("notes of another agent are another's", {**without(BREAD), "Memory/guest/Bread.md": note(3, UNITS)}, []),
    Row("and those of another owner", with_(BREAD, note(3, UNITS, owner="berta")), []),
    Row("the newest wording stands", with_(BREAD, note(3, "Recipes utilise metric units.")),
        [["Recipes utilise metric units."]]),
    Row("a value differs", with_(BREAD, note(3, "Recipes use 2 metric units.")), []),
    Row("one negates", with_(BREAD, note(3, "Recipes never use metric units.")), []),
    Row("a limit differs", with_(BREAD, note(3, "Only recipes use metric units.")), []),
    Row("a word that may be what matters", with_(BREAD, note(3, "Recipes use nautical units.")), []),
    Row("a fourth note contradicts", with_("Memory/keeper/Jam.md", note(4, "Recipes do not use metric units.")), []),
    Row("a fact contradicts", with_("Memory/keeper/Jam.md", note(4, "Recipes do not use metric units.", kind="fact")), []),
    Row("nothing is said", {path: note(i, "All good.") for i, path in enumerate(THREE, 1)}, []),
    Row("it is not said of what", {path: note(i, "It uses metric units.") for i, path in enumerate(THREE, 1)}, []),
    Row("an embed", {path: note(i, "Recipes use metric units ![[chart.png]].") for i, path in enumerate(THREE, 1)}, []),
    Row("a question", {path: note(i, "Do all recipes use metric units?") for i, path in enumerate(THREE, 1)}, []),
    Row("a task", {path: note(i, "[ ] Teach recipes metric units.") for i, path in enumerate(THREE, 1)}, []),
    Row("what no longer holds", {
        path: text + "\n## Superseded\n\n- The oven burns bread on the left.\n" for path, text in THREE.items()
    }, [[UNITS]]),
    Row("two claims of notes that share a word of their titles", {
        f"Memory/keeper/Kitchen {day}.md": note(day, UNITS, "Bread rests one night before it is baked.")
        for day in (1, 2, 3)
    }, [["Bread rests one night before it is baked.", UNITS]]),
    Row("two claims of notes that share a tag", {
        path: note(day, UNITS, "Bread rests one night before it is baked.", tags="[kitchen]")
        for day, path in enumerate(THREE, 1)
    }, [["Bread rests one night before it is baked.", UNITS]]),
    Row("two claims of notes that share nothing", {
        path: note(day, UNITS, "Bread rests one night before it is baked.") for day, path in enumerate(THREE, 1)
    }, [["Bread rests one night before it is baked."], [UNITS]]),
    Row("two claims of other notes", {
        **THREE, **{f"Memory/keeper/Push {day}.md": note(day, TESTS) for day in (4, 5, 6)}
    }, [[UNITS], [TESTS]]),
    Row("Chinese", {path: note(day, "所有菜谱都用公制单位。") for day, path in enumerate(THREE, 1)}, [["所有菜谱都用公制单位。"]]),
    Row("at most five", {
        f"Memory/keeper/{thing}{day}.md": note(day, f"Grease every {thing} before winter comes.")
        for thing in ("winch", "anchor", "pulley", "hinge", "crane", "axle") for day in (1, 2, 3)
    }, [[f"Grease every {thing} before winter comes."] for thing in ("winch", "anchor", "pulley", "hinge", "crane")]),
]  # fmt: skip


@pytest.mark.parametrize("row", TABLE, ids=[row.what for row in TABLE])
def test_what_becomes_a_lesson(row: Row) -> None:
    report = distilled(row.files)
    lessons = [listed(text) for text in made(report).values()]
    if row.what == "at most five":
        assert len(lessons) == len(row.lessons)
        assert len(report.undecided) == 3
    else:
        assert sorted(map(sorted, lessons)) == sorted(map(sorted, row.lessons))


def lesson_of(files: Mapping[str, str]) -> dict[str, str]:
    """The files with what is distilled of them."""
    return {**files, **made(distilled(files))}


def test_a_second_run_proposes_nothing() -> None:
    assert distilled(lesson_of(THREE)).proposals == ()


AFTER: list[tuple[str, dict[str, str], list[Proposal]]] = [
    ("a person took the claim out", {LESSON_PATH: LESSON.replace(UNITS, "Ask the cook.")}, []),
    ("a person changed the wording", {LESSON_PATH: LESSON.replace("use", "must have")}, []),
    ("the lesson is in the archive", {LESSON_PATH: "", LESSON_PATH.replace("Memory", "Memory/_archive", 1): LESSON}, []),
    ("it was outdated once", {LESSON_PATH: LESSON.replace("- Rec", "## Superseded\n\n- Rec")}, []),
    ("a fourth note says it", {"Memory/keeper/Jam.md": note(4, UNITS)}, []),
    ("a source says it no more", {BREAD: note(5, "The oven is mended.")}, []),
]  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "lessons"), [row[1:] for row in AFTER], ids=[row[0] for row in AFTER]
)
def test_what_was_taught_is_not_taught_again(
    changes: Mapping[str, str], lessons: Sequence[Proposal]
) -> None:
    files = {path: text for path, text in {**lesson_of(THREE), **changes}.items() if text}
    assert list(distilled(files).proposals) == list(lessons)


def test_a_source_that_changes_before_it_is_written_stops_it() -> None:
    report = distilled(THREE)
    changed = with_(BREAD, note(3, "Recipes use imperial units."))
    assert applied(changed, report.proposals) == changed


def test_only_where_a_note_has_changed() -> None:
    quiet = context(THREE, changed=[])
    assert DistillStage().propose(quiet) == StageReport()
    assert len(DistillStage().propose(context(THREE, changed=[BREAD])).proposals) == 1


def test_a_name_that_a_file_has_or_a_link_waits_for_is_not_taken() -> None:
    taken = with_("Notes/recipes use metric units.md", "Mine.\n")
    assert list(made(distilled(taken))) == [LESSON_PATH.replace(".md", " 2.md")]
    waited_for = with_("Notes/Todo.md", "[[Recipes use metric units]]\n")
    assert list(made(distilled(waited_for))) == [LESSON_PATH.replace(".md", " 2.md")]


def test_a_rejected_lesson_does_not_come_back_and_makes_room() -> None:
    (proposal,) = distilled(THREE).proposals
    rejected = RejectedEdits().with_rejected(
        Rejected(proposal.rejected_as, proposal.rejected_on, "it was undone", "c0")
    )
    assert DistillStage().propose(context(THREE, rejected=rejected)).proposals == ()


def test_what_is_made_stands_in_its_text_and_diff() -> None:
    (proposal,) = distilled(THREE).proposals
    assert from_text(to_text(proposal)) == proposal
    assert proposal.does_something
    assert "+- Recipes use metric units. ^f-" in proposal_diff(proposal, lambda _: None)


# --- feedback against a lesson ---


@pytest.mark.parametrize(
    ("files", "suspect"),
    [
        ({"Memory/keeper/Jam.md": note(4, "Recipes do not use metric units.")}, True),
        ({"Memory/keeper/Jam.md": note(4, "Recipes need no scale.")}, False),
        ({"Memory/keeper/Jam.md": note(1, "Recipes do not use metric units.")}, False),
        ({"Memory/guest/Jam.md": note(4, "Recipes do not use metric units.")}, False),
        ({"Memory/keeper/Jam.md": note(4, "Recipes do not use metric units.", kind="fact")}, False),
    ],
)
def test_feedback_that_was_noted_since_makes_a_lesson_suspect(
    files: Mapping[str, str], suspect: bool
) -> None:
    report = DistillStage().propose(context({**lesson_of(THREE), **files}, changed=files))
    assert report.suspects == (frozenset([LESSON_PATH]) if suspect else frozenset())
    assert [f.kind for f in report.findings] == ([kinds.SUSPECT] if suspect else [])
    if suspect:
        assert (
            report.findings[0].text == "[[Jam]] says otherwise: “Recipes do not use metric units.”"
        )


# --- overviews ---

FERRY = {
    f"Memory/keeper/Ferry {name}.md": note(day, *lines, kind="fact")
    for day, (name, lines) in enumerate(
        {
            "timetable": ("The first boat leaves at 06:10.", "The last boat leaves at 22:40."),
            "fare": ("A ticket costs 4 euros.",),
            "crew": ("Imke steers the boat in summer.", "The last boat leaves at 22:40."),
            "engine": ("The engine was built in 1987.",),
            "pier": ("The pier has two ramps.",),
            "storm": ("No boat leaves above 9 Beaufort.",),
        }.items(),
        1,
    )
}
OVERVIEW_PATH = "Memory/keeper/syntheses/Ferry (overview).md"
OVERVIEW = """\
---
type: synthesis
managed_by: vaultmem
distilled_hash: HASH
about: ferry
source_notes:
  - "[[Ferry crew]]"
  - "[[Ferry engine]]"
  - "[[Ferry fare]]"
  - "[[Ferry pier]]"
  - "[[Ferry storm]]"
  - "[[Ferry timetable]]"
---
# Ferry (overview)

- Imke steers the boat in summer. — [[Ferry crew]]
- The last boat leaves at 22:40. — [[Ferry crew]]
- The engine was built in 1987. — [[Ferry engine]]
- A ticket costs 4 euros. — [[Ferry fare]]
- The pier has two ramps. — [[Ferry pier]]
- No boat leaves above 9 Beaufort. — [[Ferry storm]]
- The first boat leaves at 06:10. — [[Ferry timetable]]
"""


def overview_of(files: Mapping[str, str]) -> dict[str, str]:
    return {**files, **made(distilled(files, synthesize=True))}


def test_six_notes_about_one_thing_get_an_overview() -> None:
    ((path, text),) = made(distilled(FERRY, synthesize=True)).items()
    mark = text.partition("distilled_hash: ")[2].partition("\n")[0]
    assert (path, text) == (OVERVIEW_PATH, OVERVIEW.replace("HASH", mark))
    assert is_untouched(text)
    assert distilled(FERRY).proposals == ()
    assert distilled(overview_of(FERRY), synthesize=True).proposals == ()
    assert can_distil(context(FERRY).notes)


def five(**more: str) -> dict[str, str]:
    return {path: text for path, text in FERRY.items() if "storm" not in path} | more


@pytest.mark.parametrize(
    ("files", "count"),
    [
        (five(), 0),
        (five(x=note(1, "Boats are blue.", kind="fact")), 0),
        ({**five(), "Memory/keeper/Gale.md": note(1, "Gales blow.", kind="fact", tags="[ferry]")}, 1),
        ({**five(), "Memory/keeper/Ferry gale.md": note(1, "Gales blow.", kind="observation")}, 1),
        ({**five(), "Memory/keeper/Ferry gale.md": note(1, "Gales blow.")}, 0),
        ({**five(), "Memory/keeper/Ferry gale.md": note(1, "Gales blow.", kind="fact", stale="true")}, 0),
        ({**five(), "Ferry gale.md": note(1, "Gales blow.", kind="fact")}, 0),
        ({f"Memory/keeper/Ferry {w}.md": note(1, f"The {w} is blue.", kind="fact") for w in
          (f"{a}{b}" for a in "bdfgk" for b in ("an", "el", "ip", "or", "um", "ast", "ent", "ink", "olt"))}, 0),
    ],
    ids=["five notes", "a sixth about something else", "a sixth by its tag", "an observation", "feedback", "stale",
         "a person's", "forty-five"],
)  # fmt: skip
def test_what_is_a_thing(files: Mapping[str, str], count: int) -> None:
    assert len(made(distilled(files, synthesize=True))) == count


def test_at_most_three_overviews_and_forty_lines() -> None:
    files = {
        f"Memory/keeper/{thing} {part}.md": note(
            1, *(f"The {part} of the {thing} has {n} parts." for n in range(12)), kind="fact"
        )
        for thing in ("Ferry", "Winch", "Crane", "Buoy")
        for part in ("hull", "drum", "cable", "brake", "motor", "deck")
    }
    texts = made(distilled(files, synthesize=True))
    assert [text.count("\n- ") for text in texts.values()] == [40, 40, 40]


@pytest.mark.parametrize(
    ("kind", "done", "left"),
    [("lesson", 5, (0, 1)), ("overview", 3, (1, 0)), ("overview brought up to date", 5, (1, 1))],
)
def test_what_was_made_before_the_cycle_was_cut_off_counts_each_by_itself(
    kind: str, done: int, left: tuple[int, int]
) -> None:
    earlier = {(StageName.DISTILL, kind): done}
    found = DistillStage(synthesize=True).propose(
        replace(context({**THREE, **FERRY}), earlier=earlier)
    )
    kinds_made = [proposal.counted for proposal in found.proposals]
    assert (kinds_made.count("lesson"), kinds_made.count("overview")) == left


def renewed(files: Mapping[str, str]) -> tuple[Proposal, ...]:
    return distilled(files).proposals


FARE = "Memory/keeper/Ferry fare.md"


def test_an_overview_of_ours_follows_its_sources() -> None:
    before = overview_of(FERRY)
    changed = {**before, FARE: note(9, "A ticket costs 5 euros.", kind="fact")}
    (proposal,) = renewed(changed)
    after = applied(changed, [proposal])
    assert "- A ticket costs 5 euros. — [[Ferry fare]]" in after[OVERVIEW_PATH]
    assert "4 euros" not in after[OVERVIEW_PATH]
    assert is_untouched(after[OVERVIEW_PATH])
    assert renewed(after) == ()


def test_an_overview_follows_when_a_source_is_gone() -> None:
    files = {path: text for path, text in overview_of(FERRY).items() if path != FARE}
    (proposal,) = DistillStage().propose(context(files, changed=[])).proposals
    assert "Ferry fare" not in applied(files, [proposal])[OVERVIEW_PATH]


def test_an_overview_that_a_person_edited_is_left_alone() -> None:
    before = overview_of(FERRY)
    edited = before[OVERVIEW_PATH] + "Mine.\n"
    changed = {**before, OVERVIEW_PATH: edited, FARE: note(9, "A ticket costs 5 euros.", kind="fact")}  # fmt: skip
    assert renewed(changed) == ()
    assert not is_untouched(edited)


# --- any notes ---

_SUBJECTS = (
    "The winch",
    "Bread",
    "Every recipe",
    "“Kim”",
    "`make test`",
    "[[Pump|The pump]]",
    "船",
)
_VERBS = ("needs", "requires", "never needs", "uses", "e.g. uses")
_OBJECTS = (
    "black grease",
    "two nights",
    "metric units",
    "**care** and water",
    "油",
    "a link [[x]]",
)
_ENDS = (".", "", ";", "!", ' (as said). "So."', ". And more text follows here.")

CLAIMS = st.builds(
    lambda a, b, c, d: f"{a} {b} {c}{d}",
    st.sampled_from(_SUBJECTS), st.sampled_from(_VERBS), st.sampled_from(_OBJECTS), st.sampled_from(_ENDS),
)  # fmt: skip
PATHS = [f"Memory/{agent}/Note on sea {n}.md" for agent in ("a", "b") for n in range(7)]
NOTES = st.lists(CLAIMS, min_size=1, max_size=4).flatmap(
    lambda pool: st.dictionaries(
        st.sampled_from(PATHS),
        st.builds(
            lambda day, lines, kind: note(day, *lines, kind=kind),
            st.integers(1, 4),
            st.lists(st.sampled_from(pool), min_size=1, max_size=4),
            st.sampled_from(("feedback", "feedback", "observation")),
        ),
        min_size=3,
        max_size=14,
    )
)
"""Few claims in many notes, so that most of them recur."""


@settings(max_examples=60, deadline=None)
@given(NOTES)
def test_every_line_stands_in_a_source_and_nothing_is_made_twice(files: dict[str, str]) -> None:
    report = distilled(files, synthesize=True)
    for proposal in report.proposals:
        sources = "\n".join(files[path] for path in proposal.inputs)
        (new,) = proposal.made
        assert {path.split("/")[1] for path in proposal.inputs} == {new.path.split("/")[1]}
        lines = [line for line in new.text.splitlines() if line.startswith("- ")]
        assert lines
        for line in lines:
            claim, mark, _ = line.removeprefix("- ").rpartition(" ^f-")
            if not mark:
                claim = line.removeprefix("- ").rpartition(" — ")[0]
            assert claim in sources
    after = applied_made(files, report)
    left = DistillStage(synthesize=True).propose(context(after))
    assert len(report.proposals) == 5 or left.proposals == ()


def applied_made(files: Mapping[str, str], report: StageReport) -> dict[str, str]:
    return {**files, **made(report)}


@settings(max_examples=40, deadline=None)
@given(NOTES, st.randoms(use_true_random=False))
def test_the_order_of_the_notes_does_not_matter(files: dict[str, str], chance: object) -> None:
    shuffled: DreamContext = context(
        files, order=lambda notes: sorted(notes, key=lambda _: chance.random())  # type: ignore[attr-defined]
    )  # fmt: skip
    stage = DistillStage(synthesize=True)
    assert stage.propose(shuffled) == stage.propose(context(files))


def test_days_come_from_headings_too() -> None:
    start = date(2026, 3, 1)
    files = {
        f"Memory/keeper/Log {n}.md": f"---\ntype: episode\n---\n## {start + timedelta(days=n)}\n\n- {UNITS}\n"
        for n in range(3)
    }
    assert [listed(text) for text in made(distilled(files)).values()] == [[UNITS]]


# --- what other stages make of it ---


def test_a_lesson_is_no_duplicate_of_its_source_and_an_overview_contradicts_nobody() -> None:
    long = "Every boat that lies on the slip over winter gets its hull scraped, dried and painted twice in blue."
    again = f"{long} The keel is greased with the black grease from the forge, and the mast lies under a roof."
    twins = {
        "Memory/keeper/Winter.md": note(1, again, kind="fact"),
        "Memory/keeper/The winter.md": note(1, again, kind="fact"),
    }
    taught = {**twins, "Memory/keeper/The winter.md": note(1, again, kind="lesson")}
    assert len(ConsolidateStage().propose(context(twins)).proposals) == 1
    assert ConsolidateStage().propose(context(taught)).proposals == ()

    facts = {
        "Memory/keeper/Pump.md": note(1, "The pump takes 2 litres of oil.", kind="fact"),
        "Memory/keeper/Pump again.md": note(9, "The pump takes 3 litres of oil.", kind="fact"),
    }
    overview = {**facts, "Memory/keeper/Pump again.md": facts["Memory/keeper/Pump again.md"].replace("fact", "synthesis")}  # fmt: skip
    assert len(DriftStage().propose(context(facts)).proposals) == 1
    assert DriftStage().propose(context(overview)).proposals == ()
