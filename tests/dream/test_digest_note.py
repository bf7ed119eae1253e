"""The digest: what it says, and that what a person wrote beside it stays."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, date, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.dream.adversary import ODD_TEXT
from tests.dream.notes_shown import GOLDEN, SHOWN, decision, link_of, quiet, rich
from vaultmem.dream.context import Finding
from vaultmem.dream.digest_note import digest_path, latest_digest, render_digest
from vaultmem.dream.report import CommunityChange, CycleReport, CycleState, GateFigures, Outcome
from vaultmem.notes.parse import parse_note


def rendered(report: CycleReport, previous: str | None = None) -> str:
    return render_digest(report, previous, zone=UTC, link_of=link_of)


@pytest.mark.parametrize("name", sorted(SHOWN))
def test_the_notes_look_as_they_were_judged_to_look(name: str) -> None:
    assert SHOWN[name]() == (GOLDEN / name).read_bytes().decode()


@pytest.mark.parametrize(
    ("root", "path"),
    [
        ("Memory", "Memory/_dreams/2026-11-30.md"),
        ("a/b/", "a/b/_dreams/2026-11-30.md"),
        ("", "_dreams/2026-11-30.md"),
    ],
)
def test_the_digest_of_a_day_has_its_path(root: str, path: str) -> None:
    assert digest_path(root, date(2026, 11, 30)) == path


TODAY = date(2026, 11, 30)
YESTERDAY = TODAY - timedelta(days=1)


@pytest.mark.parametrize(
    ("texts", "found"),
    [
        ({TODAY: "t", YESTERDAY: "y"}, (TODAY, "t")),
        ({YESTERDAY: "y"}, (YESTERDAY, "y")),
        ({TODAY: " \n", YESTERDAY: "y"}, (YESTERDAY, "y")),
        ({TODAY - timedelta(days=2): "old"}, None),
        ({}, None),
    ],
)
def test_the_latest_digest_is_of_today_or_yesterday(
    texts: dict[date, str], found: tuple[date, str] | None
) -> None:
    assert latest_digest(texts, TODAY) == found


@pytest.mark.parametrize(
    ("report", "sentence"),
    [
        (quiet(), "At 03:12 nothing had changed since the last cycle, so there was nothing to do."),
        (
            replace(quiet(), state=CycleState.DONE, changed=3),
            "At 03:12 the dream looked through 812 notes, 3 of them new or changed, and found nothing to do.",
        ),
        (
            replace(quiet(), state=CycleState.CANCELLED),
            "At 03:12 the dream began (812 notes, 0 of them new or changed) and stopped, as somebody was at work.",
        ),
    ],
)
def test_a_quiet_cycle_is_one_sentence(report: CycleReport, sentence: str) -> None:
    body = rendered(report).split("---\n")[2]
    assert re.sub(r"%%.*%%", "", body).strip() == sentence


def test_the_time_is_the_persons() -> None:
    zone = timezone(timedelta(hours=-5))
    text = render_digest(quiet(), None, zone=zone, link_of=link_of)
    assert "At 22:12 " in text
    assert "date: 2026-11-29\n" in text


def test_each_edit_and_the_cycle_have_an_undo_line() -> None:
    events = [f"e{number}" for number in range(60)]
    decisions = tuple(
        decision(Outcome.APPLIED, 'Merge "A" into "B"', "B.md", "A.md", event=event)
        for event in events[:40]
    )
    text = rendered(replace(quiet(), state=CycleState.DONE, decisions=decisions))
    assert re.findall(r"`vaultmem undo (e\d+)`", text) == events[:40]
    assert text.count("`vaultmem undo cycle:2026-11-30-a1`") == 1


def test_long_lists_are_cut_with_a_count() -> None:
    decisions = tuple(
        decision(Outcome.APPLIED, 'Merge "A" into "B"', "B.md", "A.md", event=f"e{number}")
        for number in range(77)
    )
    findings = tuple(Finding("orphan", "a.md", f"[[Note {number}]]") for number in range(9))
    report = replace(
        quiet(),
        state=CycleState.DONE,
        decisions=decisions,
        findings=findings,
        finding_counts={"orphan": 40},
    )
    text = rendered(report)
    assert "- and 37 more: `vaultmem dream explain 2026-11-30-a1`\n" in text
    orphans = "".join(f"    - [[Note {number}]]\n" for number in range(3))
    assert f"- **Orphan** (40)\n{orphans}    - and 37 more\n" in text


def test_a_broken_link_is_shown_and_not_made_again() -> None:
    told = Finding("broken-link", "a.md", "`[[Visitor handbook]]` leads nowhere")

    text = rendered(replace(quiet(), state=CycleState.DONE, findings=(told,)))

    assert "[[a]]: `[[Visitor handbook]]` leads nowhere" in text
    assert "Visitor handbook" not in {link.target for link in parse_note(text).links}


def test_a_mended_link_is_shown_as_code_and_not_made() -> None:
    mended = decision(
        Outcome.WAITING,
        'Mend a link in "Garden": `[[../Seed lst\\|seeds]]` → `[[Seed list\\|"Garden"]]`',
        "Garden.md",
    )

    text = rendered(replace(quiet(), state=CycleState.DONE, decisions=(mended,)))

    shown = 'Mend a link in [[Garden]]: `[[../Seed lst\\|seeds]]` → `[[Seed list\\|"Garden"]]`'
    assert f"\n- {shown}\n" in text
    assert [link.target for link in parse_note(text).links] == ["Garden"]


@pytest.mark.parametrize(
    ("reasons", "told"),
    [
        (("fewer than 60 known questions",) * 2, "2 refused by the gate (fewer than 60 known questions)."),
        (("1 answers worse, 0 better", "answers 1.3 % worse"), "2 refused by the gate."),
    ],
)  # fmt: skip
def test_why_the_gate_refused_is_told_where_it_is_one_reason(
    reasons: tuple[str, ...], told: str
) -> None:
    refused = [
        replace(
            decision(Outcome.GATE, 'Merge "A" into "B"', "B.md", "A.md"),
            gate=GateFigures("Reject", reason, 34, 1.0, 1.0, 0, 0, 1.0),
        )
        for reason in reasons
    ]

    text = rendered(replace(quiet(), state=CycleState.DONE, decisions=tuple(refused)))

    assert f"### Not done\n\n{told} Each with its numbers:" in text


def test_the_name_obsidian_keeps_its_capital() -> None:
    links = Finding("breaks-in-obsidian", "a.md", "`[[The shop]]` leads nowhere in Obsidian")
    old = Finding(
        "property-fault",
        "b.md",
        "Obsidian no longer reads the property tag; tags has taken its place",
    )

    text = rendered(replace(quiet(), state=CycleState.DONE, findings=(links, old)))

    assert text.split("### Seen on the way\n\n")[1].split("\n\n###")[0] == (
        "- **Breaks in Obsidian** (1)\n"
        "    - [[a]]: `[[The shop]]` leads nowhere in Obsidian\n"
        "- **Property fault** (1)\n"
        "    - [[b]]: Obsidian no longer reads the property tag; tags has taken its place"
    )


def test_what_is_found_in_several_notes_is_told_once_with_their_names() -> None:
    text = "`[[Sourdogh bread]]` leads nowhere; nearly the same name: [[Sourdough bread]]"
    same = [Finding("broken-link", f"{name}.md", text) for name in "abcde"]
    others = [Finding("broken-link", "f.md", f"`[[{name}]]` leads nowhere") for name in "xyz"]
    findings = (*same[:3], *others, *same[3:])

    told = rendered(
        replace(
            quiet(),
            state=CycleState.DONE,
            findings=findings,
            finding_counts={"broken-link": 10},
        )
    )

    assert told.split("### Seen on the way\n\n")[1].split("\n\n###")[0] == (
        "- **Broken link** (10)\n"
        f"    - [[a]], [[b]], [[c]] and 2 more: {text}\n"
        "    - [[f]]: `[[x]]` leads nowhere\n"
        "    - [[f]]: `[[y]]` leads nowhere\n"
        "    - and 3 more\n\n"
        "More of them: `vaultmem dream explain 2026-11-30-a1 --seen`"
    )


def test_a_finding_that_names_another_note_is_told_with_its_own() -> None:
    found = Finding("ambiguous-link", "a.md", "`[[Tide]]` may mean [[x/Tide]], [[yy/Tide]]")

    assert "    - [[a]]: `[[Tide]]` may mean [[x/Tide]], [[yy/Tide]]\n" in rendered(
        replace(quiet(), state=CycleState.DONE, findings=(found,))
    )


def test_a_preview_says_that_nothing_was_written() -> None:
    previewed = decision(Outcome.PREVIEWED, 'Merge "A" into "B"', "B.md", "A.md")
    text = rendered(replace(quiet(), state=CycleState.DONE, dry_run=True, decisions=(previewed,)))
    assert "A preview: nothing was written. 1 change would be made." in text
    assert "- **Merge [[A]] into [[B]].**" in text
    assert "undo" not in text


def test_alarms_and_faults_stand_in_a_callout() -> None:
    failed = replace(
        quiet(), state=CycleState.FAILED, said=("No room on the disk",), alarms=("A loop",)
    )
    assert (
        "> [!warning] The cycle did not end well\n"
        "> - The cycle ended with a fault; what is listed here was done before it.\n"
        "> - A loop\n> - No room on the disk\n"
    ) in rendered(failed)


# --- what a person wrote ---


def test_a_later_cycle_of_the_day_stands_above_the_earlier_one() -> None:
    first = rendered(quiet())
    later = rendered(rich(), first)
    assert later.replace(part_of(later, "2026-11-30-b7") + "\n\n", "") == first


def part_of(text: str, cycle: str) -> str:
    begin, end = f"%% vaultmem:begin {cycle} %%", f"%% vaultmem:end {cycle} %%"
    return text[text.index(begin) : text.index(end) + len(end)]


@pytest.mark.parametrize(
    "written",
    [
        "My own note\n",
        "---\nmine: 1\n---\n\n# Head\n",
        "---\nmine: 1\n---",
        "\ufeffwith a mark\r\nand lines\r\n",
        "```\nleft open\n",
        "%% left open\n",
        "%% vaultmem:begin 2026-11-30-a1 %%\nits end is gone\n",
        "%% vaultmem:end 2026-11-30-a1 %%\nits beginning is gone\n",
    ],
)
def test_a_note_that_a_person_made_is_kept_to_the_byte(written: str) -> None:
    text = rendered(quiet(), written)
    line_break = "\r\n" if "\r\n" in written else "\n"
    part = part_of(rendered(quiet()), "2026-11-30-a1").replace("\n", line_break)
    assert text.replace(part + line_break * 2, "") in (
        written,
        written + "\n",
    )


REMARK = st.text(st.sampled_from("ab \t\r\n%-[]x`>#"), max_size=30) | st.text(max_size=20)


@given(st.lists(REMARK, min_size=3, max_size=3), st.booleans())
def test_remarks_around_the_parts_survive_every_cycle(remarks: list[str], crlf: bool) -> None:
    both = rendered(rich(), rendered(quiet()))
    if crlf:
        both = both.replace("\n", "\r\n")
    line_break = "\r\n" if crlf else "\n"
    parts = [part_of(both, cycle) for cycle in ("2026-11-30-b7", "2026-11-30-a1")]
    before, after = both[: both.index(parts[0])], line_break
    text = before + remarks[0] + line_break + parts[0] + line_break + remarks[1] + line_break
    text += parts[1] + line_break + remarks[2] + after
    for again in (quiet(), rich()):
        assert rendered(again, text) == text
    third = replace(quiet(), cycle="c9")
    more = rendered(third, text)
    assert more.replace(part_of(more, "c9") + line_break * 2, "", 1) == text
    assert rendered(third, more) == more


@given(ODD_TEXT, ODD_TEXT, ODD_TEXT, st.sampled_from(sorted(Outcome)))
def test_no_title_breaks_the_note(title: str, path: str, text: str, outcome: Outcome) -> None:
    odd = decision(outcome, f'Merge "{path}" {title}', path, title, event="e1", reason=text)
    report = replace(
        rich(),
        decisions=(odd,),
        findings=(Finding(title, path, text),),
        insights=(Finding("bridge", path, text),),
        alarms=(text,),
        said=(title,),
        why_strategy=title,
        review=path or "Review.md",
    )
    note = rendered(report)
    assert len(re.findall("%%", note)) == 4
    assert note == rendered(report, note)
    parsed = parse_note(note)
    allowed = {"Waits for you", "Not done", "Seen on the way", "What changed", "What would change"}
    allowed |= {"03:12 · Consolidate", "Communities and insights", "Health and cost"}
    assert {heading.text for heading in parsed.headings} <= allowed
    assert (parsed.tasks, parsed.block_ids, parsed.fields, parsed.tags) == ((), (), (), ())
    assert not any(link.embed for link in parsed.links)
    assert "### Health and cost" in note.splitlines()


def communities_told(*changes: CommunityChange, insights: tuple[Finding, ...] = ()) -> list[str]:
    text = rendered(replace(quiet(), state=CycleState.DONE, communities=changes, insights=insights))
    part = text.split("### Communities and insights\n\n")[1].split("\n\n### ")[0]
    return part.split("\n")


def test_a_first_night_tells_of_the_largest_communities_and_counts_the_others() -> None:
    found = [CommunityChange(f"C{size}", size, 0, f"Hub {size}.md") for size in range(40, 1, -1)]

    assert communities_told(*found) == [
        *(
            f"- **C{size}** around [[Hub {size}]] is new: {size} notes"
            for size in range(40, 35, -1)
        ),
        "- and 34 smaller ones: `vaultmem graph communities`",
    ]


def test_of_later_nights_what_moved_most_is_told_and_small_changes_are_counted() -> None:
    changes = (
        CommunityChange("Whole", 101, 100, "A.md"),
        CommunityChange("Tiny", 3, 0, "B.md"),
        CommunityChange("Shrunk", 20, 26, "C.md"),
        CommunityChange("Grown", 60, 40, "D.md"),
        CommunityChange("Gone", 0, 8, ""),
    )

    assert communities_told(*changes) == [
        "- **Grown** around [[D]] grew: 40 → 60 notes",
        "- **Gone** is gone (it had 8 notes)",
        "- **Shrunk** around [[C]] shrank: 26 → 20 notes",
        "- and 2 smaller changes: `vaultmem graph communities`",
    ]


def test_insights_are_told_one_of_each_kind_first() -> None:
    found = tuple(
        Finding(kind, "A.md", f"{kind} {number}")
        for kind in ("sparse", "bridge", "surprising")
        for number in range(3)
    )

    assert communities_told(insights=found) == [
        "- sparse 0",
        "- bridge 0",
        "- surprising 0",
        "- and 6 more: `vaultmem graph insights`",
    ]
