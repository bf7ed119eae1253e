"""What is wrong with the form of a vault: given its files, findings and proposals."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.dream.contexts import MEMORY, applied, context, digest
from vaultmem.dream import kinds, lint
from vaultmem.dream.closest import KnownNames, plain
from vaultmem.dream.context import StageReport
from vaultmem.dream.lint import LintStage
from vaultmem.dream.proposal import NewText, Operation, Proposal, StageName
from vaultmem.notes.parse import parse_note


def report(files: dict[str, str], **more: object) -> StageReport:
    return LintStage().propose(context(files, **more))  # type: ignore[arg-type]


def found(kind: str, files: dict[str, str], **more: object) -> list[tuple[str, str]]:
    return [(f.path, f.text) for f in report(files, **more).findings if f.kind == kind]


def mended(text: str, others: dict[str, str], **more: object) -> str:
    """The text of the note A once all is done that is proposed."""
    files = {"A.md": text, **others}
    while proposals := report(files, **more).proposals:
        files = applied(files, proposals)
    return files["A.md"]


REEF = {"Coast/Reef notes.md": "---\naliases: [RN]\ntitle: All about reefs\n---\n[[A]]\n"}


# --- links ---


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("[[Reef-notes]]", "[[Reef notes|Reef-notes]]"),
        ("[[reefnotes|shown]]", "[[Reef notes|shown]]"),
        ("[[Reef notse]]", "[[Reef notes]]"),
        ("[[Reef notse#Low tide|low]]", "[[Reef notes#Low tide|low]]"),
        ("![[Reef notse]]", "![[Reef notes]]"),
        ("[reef](Reef%20notse.md)", "[reef](Reef%20notes.md)"),
        ("[[RN]]", "[[Reef notes|RN]]"),
        ("[[RN#^b1]]", "[[Reef notes#^b1|RN > ^b1]]"),
        ("[[all about reefs]]", "[[Reef notes|all about reefs]]"),
        ("[[Reef notse]] and [[Reef notse|x]]", "[[Reef notes]] and [[Reef notes|x]]"),
        ("| a |\n|---|\n| [[RN]] |", "| a |\n|---|\n| [[Reef notes\\|RN]] |"),
        ('---\nup: "[[RN]]"  # then\n---', '---\nup: "[[Reef notes|RN]]"  # then\n---'),
        ("\ufeff[[RN]]\r\n`[[RN]]`\r\n", "\ufeff[[Reef notes|RN]]\r\n`[[RN]]`\r\n"),
        ("```\n[[Reef notse]]\n```", "```\n[[Reef notse]]\n```"),
    ],
)
def test_a_link_whose_target_is_plain_is_mended_in_its_place(before: str, after: str) -> None:
    assert mended(before, REEF) == after


@pytest.mark.parametrize(
    ("link", "others"),
    [
        pytest.param("[[Moss]]", ["Loss.md", "Mass.md"], id="short names"),
        pytest.param("[[Chapter one 2]]", ["Chapter one 3.md"], id="another number"),
        pytest.param("[[Reef notse]]", ["Reef notes.md", "Reef notsy.md"], id="two could be meant"),
        pytest.param(
            "[[背部肌肉训练的技术细节]]", ["肩部肌肉训练的技术细节.md"], id="another character"
        ),
        pytest.param("[[{{title}} note]]", ["title note.md"], id="placeholder"),
        pytest.param("[[Reef-notes.png]]", ["Reef notes.md"], id="a picture is no note"),
        pytest.param("[[Garden planing]]", [], id="nothing near"),
        pytest.param("[[C++]]", ["C#.md", "C.md"], id="a sign that makes the name"),
        pytest.param("[[.NET]]", ["NET.md"], id="a point that makes the name"),
        pytest.param(
            "[[Programming in C++]]", ["Programming in C#.md"], id="such a sign at the end"
        ),
        pytest.param("[[Old/Boiler]]", ["House/Boiler.md", "Old/Tap.md"], id="its folder is there"),
        pytest.param(
            "[[Old/Biolers]]", ["House/Boilers.md", "My/Old/x/Tap.md"], id="a folder in it is there"
        ),
        pytest.param(
            "[[./Old/Boiler]]", ["House/Boiler.md", "Old/Tap.md"], id="by a relative path"
        ),
    ],
)
def test_a_link_that_may_be_meant_otherwise_is_left(link: str, others: list[str]) -> None:
    assert mended(link, dict.fromkeys(others, "[[A]]\n")) == link


def test_a_target_that_several_notes_want_is_a_note_to_come() -> None:
    wanting = {f"{n}.md": "[[Reef notse]] [[A]]\n" for n in range(3)}

    assert mended("[[Reef notse]]", {**REEF, **wanting}) == "[[Reef notse]]"


def test_a_link_to_a_moved_file_leads_to_where_it_is() -> None:
    assert (
        mended("[[Old/Tide]] [[Old/Tide.md|t]]", {"New/Ebb.md": "[[A]]"}, moved={"Old/Tide.md": "New/Ebb.md"})
        == "[[New/Ebb]] [[New/Ebb.md|t]]"
    )  # fmt: skip


@pytest.mark.parametrize(
    ("link", "others", "title", "reason", "confidence"),
    [
        ("[[Lena  Fisher]]", ["Lena Fisher.md"], "`[[Lena␣␣Fisher]]` → `[[Lena Fisher]]`", "only the number or kind of blanks differs", 0.95),
        ("[[LenaFisher]]", ["Lena Fisher.md"], "`[[LenaFisher]]` → `[[Lena Fisher|LenaFisher]]`", "only blanks differ", 0.95),
        ("[[Lena_Fisher]]", ["Lena Fisher.md"], "`[[Lena_Fisher]]` → `[[Lena Fisher|Lena_Fisher]]`", "only blanks and punctuation differ", 0.95),
        ("[[Lena Fisher!]]", ["Lena Fisher.md"], "`[[Lena Fisher!]]` → `[[Lena Fisher|Lena Fisher!]]`", "only punctuation differs", 0.95),
        ("[[Ｌena Fisher]]", ["Lena Fisher.md"], "`[[Ｌena Fisher]]` → `[[Lena Fisher|Ｌena Fisher]]`", "only the form of letters differs", 0.95),
        ("[[Old/Boiler]]", ["House/Boiler.md"], "`[[Old/Boiler]]` → `[[House/Boiler|Old/Boiler]]`", "the same name in another folder", 0.5),
        ("[[./Old/Boiler]]", ["House/Boiler.md"], "`[[./Old/Boiler]]` → `[[./House/Boiler|./Old/Boiler]]`", "the same name in another folder", 0.5),
        ("[[Old/Boiler!]]", ["House/Boiler.md"], "`[[Old/Boiler!]]` → `[[House/Boiler|Old/Boiler!]]`", "nearly the same name in another folder", 0.5),
        ("[[Old/Biolers]]", ["House/Boilers.md"], "`[[Old/Biolers]]` → `[[House/Boilers]]`", "nearly the same name in another folder", 0.5),
        ("[[House/Biolers]]", ["My/House/Boilers.md", "Old/Boilers.md"], "`[[House/Biolers]]` → `[[My/House/Boilers]]`", "nearly the same name", 0.8),
        ("[[House/Boiler!]]", ["House/Boiler.md", "Old/Boiler.md"], "`[[House/Boiler!]]` → `[[House/Boiler|House/Boiler!]]`", "only punctuation differs", 0.95),
    ],
)  # fmt: skip
def test_the_reason_of_a_fix_is_what_differs(
    link: str, others: list[str], title: str, reason: str, confidence: float
) -> None:
    [fix] = report({"A.md": link, **dict.fromkeys(others, "[[A]]\n")}).proposals

    shown = title.split(" → ")[0]
    assert (fix.title, fix.reason, fix.confidence) == (
        f'Mend a link in "A": {title}',
        f"{shown} leads nowhere; {reason}.",
        confidence,
    )
    assert fix.is_guess is ("folder" in reason)


def test_a_guess_is_put_before_a_person_and_takes_no_turn_from_what_is_sure() -> None:
    files = {"Memory/A.md": "[[Old/Boiler]] [[RN]]\n", "House/Boiler.md": "[[A]]\n", **REEF}

    made = report(files)

    assert [(p.detail, p.is_guess) for p in made.proposals] == [("RN", False), ("Old/Boiler", True)]
    assert made.undecided == frozenset()


ASIDE = ["Memory/_archive/x/Reef notes.md", "Memory/_review/Reef notes.md", "Memory/_dreams/Reef notes.md"]  # fmt: skip


@pytest.mark.parametrize("path", ASIDE)
@pytest.mark.parametrize("link", ["[[Reef notse]]", "[[Reef-notes]]", "[[Reef log]]", "[[RN]]"])
def test_no_link_is_led_to_what_is_archived_or_the_dream_s_own(link: str, path: str) -> None:
    files = {"A.md": link, path: "---\naliases: [RN]\n---\n[[A]]\n"}
    broken = f"`{link}` leads nowhere"

    made = report(files, moved={"Reef log.md": path})

    assert made.proposals == ()
    assert [f.text for f in made.findings if f.kind == kinds.BROKEN_LINK] == [broken]


def test_a_name_is_not_ambiguous_for_a_note_in_the_archive() -> None:
    files = {"A.md": "[[Tide]]\n", "x/Tide.md": "[[A]]", "Memory/_archive/Tide.md": "b"}

    assert found(kinds.AMBIGUOUS_LINK, files) == []


@pytest.mark.parametrize(
    ("leaving", "after", "reason"),
    [
        ({}, "[[Reef notes]]", "nearly the same name"),
        ({"Coast/Reef notes.md": ""}, "[[Reef notse]]", ""),
        ({"Coast/Reef notes.md": "A.md"}, "[[Reef notse]]", ""),
        (
            {"Coast/Reef notes.md": "Coral.md"},
            "[[Coral|Reef notse]]",
            'nearly the same name as "Reef notes", which is to be merged into this one',
        ),
        (
            {"Coast/Reef notes.md": "Shoal.md", "Shoal.md": "Coral.md"},
            "[[Coral|Reef notse]]",
            'nearly the same name as "Reef notes", which is to be merged into this one',
        ),
        ({"Coast/Reef notes.md": "Coral.md", "Coral.md": "Coast/Reef notes.md"}, "[[Reef notse]]", ""),
    ],
)  # fmt: skip
def test_a_link_to_a_note_that_is_to_go_is_led_to_the_one_that_takes_its_place(
    leaving: dict[str, str], after: str, reason: str
) -> None:
    files = {"A.md": "[[Reef notse]]", **REEF, "Coral.md": "[[A]]", "Shoal.md": "[[A]]"}

    proposals = report(files, leaving=leaving).proposals

    assert applied(files, proposals)["A.md"] == after
    assert [p.reason for p in proposals] == (
        [f"`[[Reef notse]]` leads nowhere; {reason}."] if reason else []
    )


def test_of_two_of_a_name_the_one_that_stays_is_meant() -> None:
    files = {"A.md": "[[Read-me]]", "x/Read me.md": "[[A]]", "y/Read me.md": "[[A]]"}

    assert report(files).proposals == ()
    [fix] = report(files, leaving={"y/Read me.md": "x/Read me.md"}).proposals
    assert fix.title == 'Mend a link in "A": `[[Read-me]]` → `[[Read me|Read-me]]`'


def test_the_proposal_says_what_it_does() -> None:
    files = {"A.md": "See [[Reef notse]].\n", **REEF}

    assert report(files).proposals == (
        Proposal(
            stage=StageName.LINT,
            operation=Operation.FIX_LINK,
            title='Mend a link in "A": `[[Reef notse]]` → `[[Reef notes]]`',
            reason="`[[Reef notse]]` leads nowhere; nearly the same name.",
            confidence=0.8,
            inputs={"A.md": digest(files["A.md"])},
            edits=(NewText("A.md", "See [[Reef notes]].\n"),),
            detail="Reef notse",
        ),
    )


@pytest.mark.parametrize(
    ("kind", "files", "expected"),
    [
        (
            kinds.BROKEN_LINK,
            {"A.md": "[[Tides of june]]\n"},
            [("A.md", "`[[Tides of june]]` leads nowhere")],
        ),
        (
            kinds.BROKEN_LINK,
            {"A.md": "[[Reef notse]]\n", **REEF},
            [("A.md", "`[[Reef notse]]` leads nowhere; nearly the same name: [[Reef notes]]")],
        ),
        (
            kinds.OBSIDIAN_LINK,
            {"A.md": "[[RN]]\n", **REEF},
            [("A.md", "`[[RN]]` leads nowhere in Obsidian; this note has that title or alias: [[Reef notes]]")],
        ),
        (
            kinds.AMBIGUOUS_LINK,
            {"A.md": "[[Tide]]\n", "x/Tide.md": "a", "yy/Tide.md": "b"},
            [("A.md", "`[[Tide]]` may mean [[x/Tide]], [[yy/Tide]]")],
        ),
        (
            kinds.ORPHAN,
            {"A.md": "[[B]]\n", "B.md": "text\n", "C.md": "alone\n", "2026-01-02.md": "a day\n"},
            [("C.md", "[[C]] has no links, and none lead to it")],
        ),
        (
            kinds.EMPTY_NOTE,
            {"A.md": "---\ntags: [a]\n---\n", "B.md": "", "C.md": "---\nauthor: Ada\n---\n", "D.md": "![[x.png]]"},
            [("A.md", "[[A]] is empty"), ("B.md", "[[B]] is empty")],
        ),
        (
            kinds.DUPLICATE_ALIAS,
            {
                "A.md": "---\naliases: [Sea, B]\n---\n[[B]]\n",
                "B.md": "---\naliases: [sea]\n---\n[[A]]\n",
            },
            [
                ("A.md", "the alias “B” is the name of [[B]]"),
                ("A.md", "the alias “Sea” is also one of [[B]]"),
            ],
        ),
        (
            kinds.RELATION_DRIFT,
            {
                "A.md": "Works-At:: [[B]]\n",
                "P.md": "---\npermanent: true\n---\nworks_ats:: [[B]]\n",
                **{f"{n}.md": "works_at:: [[B]]\n" for n in range(5)},
                "B.md": "x\n",
            },
            [("A.md", "the relation Works-At is called works_at in 5 other places")],
        ),
        (
            kinds.DEEP_DERIVATION,
            {
                f"{MEMORY}/a.md": 'sources:: [[b]]\n',
                f"{MEMORY}/b.md": 'source_notes:: [[c]]\n',
                f"{MEMORY}/c.md": "said\n",
            },
            [(f"{MEMORY}/a.md", "was made from [[b]], itself made from other notes")],
        ),
        (
            kinds.PROPERTY_FAULT,
            {"A.md": "---\ntag: x\n---\n[[B]]\n", "B.md": "---\ntags: a b\n---\nx\n"},
            [
                ("A.md", "Obsidian no longer reads the property tag; tags has taken its place."),
                ("B.md", "tags is not a list, so Obsidian may not read it as tags."),
            ],
        ),
    ],
)  # fmt: skip
def test_findings(kind: str, files: dict[str, str], expected: list[tuple[str, str]]) -> None:
    assert found(kind, files) == expected


def test_an_empty_note_of_a_person_is_never_to_be_archived() -> None:
    assert [p for p in report({"A.md": "", "B.md": "[[A]]"}).proposals if p.move] == []


# --- properties ---


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("---\ntags: sea\nx: 1 # c\n---\n", "---\ntags:\n  - sea\nx: 1 # c\n---\n"),
        ("---\ntags: sea, tide\n---\n", "---\ntags:\n  - sea\n  - tide\n---\n"),
        ("---\naliases: Low tide\n---\n", "---\naliases:\n  - Low tide\n---\n"),
        ("---\ntags: sea tide\n---\n", None),
        ("---\naliases: Low, high\n---\n", None),
        ("---\ntags: {a: b}\n---\n", None),
        (" ---\ntags: sea\n---\n", None),
        ("---\ntags: #sea\nx: 1 # c\n---\n", "---\ntags: [sea]\nx: 1 # c\n---\n"),
        ("---\r\nTags: #sea, #low/tide\r\n---\r\n", "---\r\nTags: [sea, low/tide]\r\n---\r\n"),
        ("---\ntags:\n  - #sea\n  - tide # mine\n- x\n---\n", None),
        (
            "---\ntags:\n- #sea\n- tide # mine\n- #low\nx: 1\n---\n",
            "---\ntags:\n- sea\n- tide # mine\n- low\nx: 1\n---\n",
        ),
        ("---\naliases: #1 reef\n---\n", '---\naliases: ["#1 reef"]\n---\n'),
        ("---\naliases:\n  - #1 reef\n---\n", '---\naliases:\n  - "#1 reef"\n---\n'),
        ("---\ntags: # of the sea\n---\n", None),
        ("---\ntags: #sea (the big one)\n---\n", None),
        ("---\ntags: #sea\n  - tide\n---\n", None),
        ("---\nlinks: #sea\n---\n", None),
        ("---\ntags: [sea\n---\n", None),
    ],
)
def test_a_text_is_made_a_list_only_where_its_items_are_plain(
    before: str, after: str | None
) -> None:
    assert mended(before, {}) == (before if after is None else after)


def test_what_is_meant_by_a_comment_is_a_guess() -> None:
    files = {"A.md": "---\ntags: #sea\n---\nThe [[A]] of it.\n"}

    assert report(files).proposals == (
        Proposal(
            stage=StageName.LINT,
            operation=Operation.FIX_PROPERTY,
            title='Read sea as tags of "A"',
            reason="Behind #, YAML takes it for a comment, so it counts for nothing. It would stand there as tags.",
            confidence=0.5,
            inputs={"A.md": digest(files["A.md"])},
            edits=(NewText("A.md", files["A.md"].replace("#sea", "[sea]")),),
            detail="tags behind #",
        ),
    )
    assert report(files).proposals[0].is_guess


# --- bounds and laws ---


def test_the_most_linked_notes_come_first_and_the_rest_is_left_for_later(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(lint, "MOST_OF_A_KIND", 2)
    files = {f"Memory/{n}.md": "[[Reef notse]]\n" for n in "pq"} | {"r.md": "[[RN]]\n"} | REEF
    files |= {"hub.md": "[[r]] [[q]]\n", "hub2.md": "[[r]]\n"}

    made = report(files)

    assert [p.edits[0].path for p in made.proposals] == ["r.md", "Memory/q.md"]
    assert made.undecided == {"Memory/p.md"}


def test_what_the_notes_of_one_agent_are_called_is_not_written_into_those_of_another() -> None:
    link = "- Paid as [[Ines pay]].\n"
    log = "Memory/{}/Salary of Ines.md"
    called = "---\naliases: [Ines pay]\n---\n12 a day.\n"

    theirs = report({"Memory/ann/Log.md": link, log.format("bob"): called})
    own = report({"Memory/ann/Log.md": link, log.format("ann"): called})

    assert (len(theirs.proposals), len(own.proposals)) == (0, 1)


def test_a_managed_note_gets_one_proposal_a_cycle_a_person_gets_all() -> None:
    two = "[[Reef notse]] [[RN]]\n"

    assert len(report({"A.md": two, **REEF}).proposals) == 2
    assert len(report({"Memory/A.md": two, **REEF}).proposals) == 1


def test_a_person_who_comes_back_ends_it() -> None:
    assert report({"A.md": "[[RN]]", **REEF}, cancelled=lambda: True).proposals == ()


def test_a_quiet_vault_is_not_looked_at() -> None:
    assert report({"A.md": "[[Reef notse]]", **REEF}, changed=()) == StageReport()


LINKS = st.sampled_from(
    ["[[Reef notse]]", "[[RN|r]]", "![[RN]]", "[[Reef-notes#a]]", "`[[RN]]`", "| [[RN]] |", "[x](RN.md)", "[[A]]", "text", "#tag",
     "> [[RN]]", "- [ ] [[RN]]", "```\n[[RN]]\n```", "[[RN\\|x]]", "%% [[RN]] %%"]
)  # fmt: skip


@given(
    st.lists(LINKS, max_size=8),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from(["", "\ufeff", '---\nup: "[[RN]]"\ntags: x\n---\n']),
)
def test_only_destinations_change_and_once(parts: list[str], ending: str, front: str) -> None:
    text = (front + "\n\n".join(parts)).replace("\n", ending)
    files = {"A.md": text, **REEF}
    for _ in range(6):
        proposals = report(files).proposals
        if not proposals:
            break
        files = applied(files, proposals)
    after = files["A.md"]

    assert report(files).proposals == ()
    old, new = parse_note(text), parse_note(after)
    assert [link.kind for link in old.links] == [link.kind for link in new.links]
    assert [link.subpath for link in old.links] == [link.subpath for link in new.links]
    assert old.hidden == () or len(old.hidden) == len(new.hidden)
    assert after.count("\r") == text.count("\r") + (ending == "\r\n") * ("tags:" in text)
    assert after.startswith("\ufeff") is text.startswith("\ufeff")


@given(
    st.lists(st.text("abcdefgh ", min_size=1, max_size=14), unique=True),
    st.text("abcdefgh ", max_size=14),
)
def test_the_closest_name_is_that_of_a_walk_over_all(names: list[str], wanted: str) -> None:
    def apart(name: str) -> int:
        a, b = plain(wanted), plain(name)
        rows = [
            [max(i, j) if not i * j else 0 for j in range(len(b) + 1)] for i in range(len(a) + 1)
        ]
        for i in range(1, len(a) + 1):
            for j in range(1, len(b) + 1):
                rows[i][j] = min(
                    rows[i - 1][j] + 1,
                    rows[i][j - 1] + 1,
                    rows[i - 1][j - 1] + (a[i - 1] != b[j - 1]),
                )
                if i > 1 and j > 1 and a[i - 1] == b[j - 2] and a[i - 2] == b[j - 1]:
                    rows[i][j] = min(rows[i][j], rows[i - 2][j - 2] + 1)
        return rows[-1][-1]

    length = len(plain(wanted))
    most = 2 if length >= 12 else 1 if length >= 6 else 0
    ranked = sorted((apart(name), plain(name)) for name in {plain(n): n for n in names}.values())
    best = [one for one in ranked if one[0] == ranked[0][0]] if ranked else []
    clear = bool(best) and best[0][0] <= most and len(best) == 1
    clear = clear and not any(
        distance == best[0][0] + 1 and distance <= 2 for distance, _ in ranked
    )

    assert KnownNames((plain(name), plain(name)) for name in names).closest(wanted) == (
        (best[0][1], best[0][0]) if clear and most else None
    )


def test_what_was_mended_before_the_cycle_was_cut_off_counts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(lint, "MOST_OF_A_KIND", 3)
    files = {f"Memory/{n}.md": "[[RN]]\n" for n in "pqrst"} | REEF
    made = context(files)

    whole = LintStage().propose(made).proposals
    earlier: dict[tuple[StageName, str], int] = {
        (StageName.LINT, Operation.FIX_LINK): 2,
        (StageName.DECAY, Operation.DEMOTE): 9,
    }
    rest = LintStage().propose(replace(made, earlier=earlier)).proposals

    assert len(whole) == 3
    assert rest == whole[:1]


def test_a_note_of_a_person_gets_one_too_where_the_dream_may_write_it() -> None:
    made = replace(context({"A.md": "[[Reef notse]] [[RN]]\n", **REEF}), hand_notes=True)

    found = LintStage().propose(made)

    assert len(found.proposals) == 1
    assert found.undecided == {"A.md"}
