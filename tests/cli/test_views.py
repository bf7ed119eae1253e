"""Pages for answers that a healthy vault never gives, and the small arithmetic of layout."""

from __future__ import annotations

import io
from dataclasses import replace
from datetime import datetime

import pytest

from vaultmem.answers import (
    BacklinksAnswer,
    DoctorReport,
    Finding,
    LinksAnswer,
    LinkView,
    SyncAnswer,
    TableComparison,
    VerifyReport,
    WarningView,
)
from vaultmem.notes.model import SubpathKind, SubpathTarget
from vaultmem.search.model import (
    Freshness,
    Hit,
    Lane,
    LaneRank,
    LaneReport,
    SearchAnswer,
    Snippet,
)
from vaultmem_cli.console import Page, Style
from vaultmem_cli.progress import LiveProgress, progress_line
from vaultmem_cli.textwidth import cells, clean, pad, shorten, wrap
from vaultmem_cli.views.health import doctor_page, verify_page
from vaultmem_cli.views.linkage import backlinks_page, links_page
from vaultmem_cli.views.search import search_page
from vaultmem_cli.views.upkeep import sync_page

PLAIN = Style()
FRESH = Freshness(checked=True, synced_ns=1, applied=0, pending=0)

DIFFERING = VerifyReport(
    vault="/v",
    identical=False,
    tables=(
        TableComparison("vault_files", 3, 3, True, ()),
        TableComparison("notes_links", 2, 3, False, ("a.md link 0: to b.md live, to c.md built",)),
    ),
    queries=9,
    queries_differing=("low water",),
    skipped=("locked.md",),
    seconds=2.0,
)


def test_verify_names_what_differs() -> None:
    assert verify_page(DIFFERING, PLAIN) == Page(
        lines=[
            "✗ different: the index does not say what the files say  2.0 s",
            "  notes_links          2 rows live, 3 from the files",
            "    a.md link 0: to b.md live, to c.md built",
            "  question 'low water' is answered differently",
        ],
        notes=[
            "warning: 1 file could not be read and compared:",
            "  locked.md",
            "hint: `vaultmem rebuild` makes the index anew from the files.",
        ],
    )


def test_doctor_marks_how_grave_a_finding_is() -> None:
    levels = ("error", "warning", "advice", "ok")
    findings = tuple(Finding(level, "code", f"{level}.", "Do this.", ("a.md",)) for level in levels)
    page = doctor_page(DoctorReport("/v", "/v/memory.db", findings), PLAIN)
    assert [line for line in page.lines if not line.startswith(" ")] == [
        "✗ error.",
        "! warning.",
        "· advice.",
        "✓ ok.",
    ]
    assert page.notes == ["2 things to look at."]


@pytest.mark.parametrize(
    ("levels", "said"),
    [
        (["ok"], "All is well."),
        (["advice", "ok"], "Nothing is broken; 1 thing could be better."),
        (["warning", "advice"], "1 thing to look at."),
    ],
)
def test_doctor_says_that_all_is_well_only_where_nothing_was_found(
    levels: list[str], said: str
) -> None:
    findings = tuple(Finding(level, "code", "Said.", "") for level in levels)

    assert doctor_page(DoctorReport("/v", "/v/memory.db", findings), PLAIN).notes == [said]


NOON_NS = int(datetime(2026, 1, 2, 12).timestamp()) * 10**9
"""Noon on the local clock."""


def _link(**changes: object) -> LinkView:
    fields: dict[str, object] = {
        "source": "a.md", "kind": "wikilink", "embed": False, "target": "b", "subpath": "", "display": None,
        "size": None, "key": None, "relation": "mentions", "line": 9, "to": "b.md", "status": "resolved",
        "resolved_by": "name", "confidence": 1.0, "end": None,
    }  # fmt: skip
    return LinkView(**{**fields, **changes})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("link", "line"),
    [
        (_link(), "10  [[b]]  → b.md"),
        (_link(embed=True, size="100x50"), "10  ![[b|100x50]]  → b.md"),
        (_link(display="shown"), "10  [[b|shown]]  → b.md"),
        (_link(kind="markdown", display="shown", subpath="#H"), "10  [shown](b#H)  → b.md"),
        (_link(kind="property", key="refs.0"), "10  refs.0: [[b]]  → b.md"),
        (_link(kind="canvas", target="b.md"), "10  b.md  → b.md"),
        (_link(to=None, status="unresolved"), "10  [[b]]  ✗ no such file"),
        (
            _link(to=None, status="deleted", gone_path="b.md", gone_ns=NOON_NS),
            "10  [[b]]  ✗ deleted 2026-01-02",
        ),
        (
            _link(status="ambiguous", confidence=1 / 3),
            "10  [[b]]  ! b.md, the first of 3 that match",
        ),
        (
            _link(subpath="#H", end=SubpathTarget(SubpathKind.MISSING)),
            "10  [[b#H]]  ! b.md has no such heading",
        ),
        (
            _link(subpath="#^x", end=SubpathTarget(SubpathKind.MISSING)),
            "10  [[b#^x]]  ! b.md has no such block",
        ),
    ],
)
def test_a_link_is_shown_as_written_with_its_end(link: LinkView, line: str) -> None:
    assert links_page(LinksAnswer("a.md", (link,), FRESH), PLAIN).lines == [line]


@pytest.mark.parametrize(
    ("state", "notes"),
    [
        ("present", ["No file links to b.md."]),
        ("deleted", ["No file links to b.md.", "note: b.md was deleted."]),
        ("missing", ["No file links to b.md.", "note: there is no note b.md yet."]),
    ],
)
def test_backlinks_say_why_the_note_is_not_there(state: str, notes: list[str]) -> None:
    page = backlinks_page(BacklinksAnswer("b.md", (), state, FRESH), PLAIN)
    assert (page.lines, page.notes) == ([], notes)


def _search(*, freshness: Freshness = FRESH, lanes: tuple[LaneReport, ...] = ()) -> SearchAnswer:
    snippet = Snippet("the low water mark", ((4, 7), (8, 13)))
    hit = Hit(
        "Sea/Tides.md",
        "Tides",
        1.0,
        ("Tides", "Low"),
        4,
        1,
        snippet,
        (LaneRank(Lane.KEYWORD, 2, 1.5),),
    )
    return SearchAnswer("low water", (hit,), lanes, freshness, 0.0123)


def test_a_hit_in_a_pipe() -> None:
    assert search_page(_search(), PLAIN).lines == [
        "1  Tides  Sea/Tides.md:5  keyword 2",
        "   Low",
        "   the low water mark",
    ]


def test_a_hit_on_a_terminal_is_marked_and_wrapped() -> None:
    *_, first, second = search_page(_search(), Style(color=True, width=14)).lines
    assert first == "   the \x1b[1;33mlow\x1b[0m"
    assert second == "   \x1b[1;33mwater\x1b[0m mark"


@pytest.mark.parametrize(
    ("original", "label"),
    [("Tides.md", "a sync conflict copy of Tides.md"), ("", "a sync conflict copy")],
)
def test_a_hit_that_is_a_conflict_copy_says_so(original: str, label: str) -> None:
    answer = _search()
    copy = replace(answer.hits[0], conflict_of=original)

    assert search_page(replace(answer, hits=(copy,)), PLAIN).lines[1] == f"   {label}"


def test_a_slip_in_the_query_is_named() -> None:
    answer = replace(_search(), did_you_mean="low water")

    assert search_page(answer, PLAIN).notes[-1] == "note: Did you mean: low water?"


def test_notes_cannot_steer_the_terminal() -> None:
    fresh = replace(FRESH, note="a\x1b[31m\nb")
    lanes = (LaneReport(Lane.KEYWORD, True, 9, "too common to rank: \x07"),)

    said = search_page(_search(freshness=fresh, lanes=lanes), PLAIN).notes

    assert said[0] == "note: keyword lane: too common to rank: \ufffd"
    assert said[-1] == "note: a\ufffd[31m b"


def test_ten_of_the_files_left_out_are_named_and_the_others_counted() -> None:
    left_out = tuple(
        WarningView(f"{n:02}.md", "not-utf8", f"{n:02}.md is not in UTF-8.", None)
        for n in range(12)
    )
    answer = SyncAnswer((), (), (), (), 12, (), 0, False, 0.5, left_out=left_out)

    notes = sync_page(answer, PLAIN).notes

    assert notes[:2] == [
        "warning: 12 files not in the index, or by name only:",
        "  00.md is not in UTF-8.",
    ]
    assert notes[10:] == ["  09.md is not in UTF-8.", "  … and 2 more"]


def test_a_search_says_which_lanes_ran_how_fresh_it_is_and_why_a_lane_is_off() -> None:
    answer = _search(
        freshness=Freshness(True, 1, 0, 3, "Another process is writing."),
        lanes=(
            LaneReport(Lane.KEYWORD, True, 9),
            LaneReport(Lane.VECTOR, False, 0, "the index has no vectors."),
        ),
    )
    assert search_page(answer, PLAIN).notes == [
        "note: vector lane did not run: the index has no vectors.",
        "1 note · keyword · 3 edits not in the index yet · 12 ms",
        "note: Another process is writing.",
    ]


def test_a_sync_lists_changes_by_kind_and_cuts_long_lists() -> None:
    answer = SyncAnswer(
        added=tuple(f"{n:02}.md" for n in range(30)),
        changed=("c.md",),
        moved=(("old.md", "new.md"),),
        removed=("gone.md",),
        unchanged=1200,
        unreadable=("locked.md",),
        unseen=2,
        rebuilt=False,
        seconds=0.5,
    )
    page = sync_page(answer, PLAIN)
    assert list(page.lines[19:]) == [
        "+ 19.md",
        "+ … and 10 more",
        "~ c.md",
        "→ old.md → new.md",
        "- gone.md",
        "30 added, 1 changed, 1 moved, 1 removed, 1,200 unchanged  500 ms",
    ]
    assert list(page.notes) == [
        "warning: 2 files could not be looked at; the index keeps what it knew of them.",
        "warning: 1 file could not be read:",
        "  locked.md",
    ]


@pytest.mark.parametrize(
    ("done", "total", "seconds", "line"),
    [
        (0, 10, 0.0, "reading 0/10"),
        (5_000, 10_000, 2.0, "reading 5,000/10,000 · 2,500/s · 2 s left"),
        (1, 200, 1.0, "reading 1/200 · 1/s · 3 min 19 s left"),
        (1, 20_000, 1.0, "reading 1/20,000 · 1/s · 5 h 33 min left"),
        (10, 10, 3.0, "reading 10/10"),
    ],
)
def test_progress_line(done: int, total: int, seconds: float, line: str) -> None:
    assert progress_line("read", done, total, seconds) == line


def test_live_progress_redraws_one_line_at_most_ten_times_a_second_and_then_goes() -> None:
    times = iter([0.0, 0.05, 0.2, 0.21, 0.22])
    stream = io.StringIO()
    live = LiveProgress(stream, 80, clock=lambda: next(times))
    for step, done in (("read", 0), ("read", 1), ("read", 2), ("read", 4), ("embed", 0)):
        live(step, done, 4)
    live.clear()
    drawn = stream.getvalue().split("\r\x1b[2K")
    assert drawn == [
        "",
        "reading 0/4",
        "reading 2/4 · 10/s · 1 s left",
        "reading 4/4",
        "embedding 0/4",
        "",
    ]


def test_width_counts_columns_not_characters() -> None:
    assert [cells(text) for text in ("tide", "潮間", "e\u0301", "\u200d")] == [4, 4, 1, 0]
    assert pad("潮", 4) == "潮  "
    assert shorten("潮間帯の観察", 7) == "潮間帯…"
    assert [("潮間帯の観察"[a:b]) for a, b in wrap("潮間帯の観察", 6)] == ["潮間帯", "の観察"]
    assert clean("a\nb\x00c\x9bd") == "a b\ufffdc\ufffdd"
