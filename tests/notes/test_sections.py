"""Cutting a body into search blocks."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vaultmem.notes.model import Section
from vaultmem.notes.parse import parse_note
from vaultmem.notes.sections import LONG_SECTION, LONGEST_SECTION


def sections(text: str) -> list[tuple[tuple[str, ...], str]]:
    return [(one.heading_path, text[one.start : one.end]) for one in parse_note(text).sections]


def test_a_heading_starts_a_section_under_the_headings_above_it() -> None:
    text = "---\na: 1\n---\nIntro\n\n# A\nx\n### B\n## C\ny\n# D\n"
    assert sections(text) == [
        ((), "Intro\n\n"),
        (("A",), "# A\nx\n"),
        (("A", "B"), "### B\n"),
        (("A", "C"), "## C\ny\n"),
        (("D",), "# D\n"),
    ]
    assert [one.line for one in parse_note(text).sections] == [3, 5, 7, 8, 10]


def test_blank_lines_before_the_first_heading_belong_to_it() -> None:
    assert sections("\n\n# A\nx") == [(("A",), "\n\n# A\nx")]


@pytest.mark.parametrize("text", ["", "\n \n", "---\na: 1\n---\n", "\ufeff"])
def test_a_blank_body_is_one_section(text: str) -> None:
    note = parse_note(text)
    start = note.frontmatter.body_start
    line = text[:start].count("\n")
    assert note.sections == (Section(0, (), start, len(text), line),)


def test_headings_in_code_quotes_and_lists_start_no_section() -> None:
    assert len(sections("# A\n```\n# b\n```\n> # c\n\n- # d\n")) == 1


def test_a_long_section_is_cut_at_blank_lines_outside_code() -> None:
    paragraph = "word " * 100 + "\n\n"
    fence = "```\n" + "x\n\n" * 500 + "```\n\n"
    text = "# A\n" + paragraph * 3 + fence + paragraph * 6
    parts = sections(text)
    assert all(path == ("A",) for path, _ in parts)
    assert [part for _, part in parts] == [
        "# A\n" + paragraph * 3,
        fence,
        paragraph * 3,
        paragraph * 3,
    ]


def test_one_endless_line_is_cut_all_the_same() -> None:
    parts = [part for _, part in sections("x" * 20_000)]
    assert [len(part) for part in parts] == [6_000, 6_000, 6_000, 2_000]
    words = [part for _, part in sections("words " * 2_000)]
    assert all(len(part) <= LONGEST_SECTION and part.endswith(" ") for part in words)


@settings(deadline=None, max_examples=150)
@given(
    st.lists(
        st.sampled_from(
            [
                "# A\n",
                "## B\n",
                "\n",
                "\n\n",
                "text\n",
                "x" * 900,
                "```\n",
                "- a\n",
                "> q\n",
                "w " * 1200,
                "y\n" * 700,
                "Z\n===\n",
            ]
        ),
        max_size=14,
    ).map("".join),
    st.sampled_from(["", "---\na: 1\n---\n", "\ufeff"]),
)
def test_sections_follow_each_other_without_a_gap(body: str, before: str) -> None:
    text = before + body
    note = parse_note(text)
    edges = [(one.start, one.end) for one in note.sections]
    assert edges[0][0] == note.frontmatter.body_start
    assert edges[-1][1] == len(text)
    assert all(end == start for (_, end), (start, _) in itertools.pairwise(edges))
    assert all(end - start <= LONGEST_SECTION for start, end in edges)
    assert [one.ordinal for one in note.sections] == list(range(len(edges)))
    assert all(one.line == text.count("\n", 0, one.start) for one in note.sections)
    short = [end - start < LONG_SECTION / 8 for start, end in edges if end - start]
    assert short.count(True) <= len(note.headings) + 2 + len(edges) // 2
