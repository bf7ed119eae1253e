"""Changing the body: under headings, by block id, by exact text."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vaultmem.notes.body_edit import (
    add_section,
    append_text,
    delete_block,
    insert_under_heading,
    replace_block,
    replace_section,
    replace_text,
)
from vaultmem.notes.parse import parse_note
from vaultmem.notes.refusal import Candidate, EditRefused
from vaultmem.notes.textedit import TextEdit, apply_edits, inverse_edits

Edits = tuple[TextEdit, ...]

LOG = "# Log\n\n- one\n- two\n\n## Old\ntext\n\n# Next\n"


@pytest.mark.parametrize(
    ("text", "addition", "after"),
    [
        ("", "x", "x\n"),
        ("abc", "x", "abc\n\nx"),  # the last line break is missing still
        ("abc\n", "x\n\n", "abc\n\nx\n"),
        ("- a\n", "- b", "- a\n- b\n"),
        ("- a\n", "1. b", "- a\n\n1. b\n"),
        ("> a\n", "> b", "> a\n> b\n"),
        ("| a |\n|---|\n", "| b |", "| a |\n|---|\n| b |\n"),
        ("abc\n\n\n", "x", "abc\n\nx\n\n\n"),
        ("\r\nabc\r\n", "x\ny", "\r\nabc\r\n\r\nx\r\ny\r\n"),
        ("\ufeff", "x", "\ufeffx\n"),
        ("---\na: 1\n---", "x", "---\na: 1\n---\nx"),
        ("---\na: 1\n---\n", "x", "---\na: 1\n---\nx\n"),
        ("# Title", "x", "# Title\n\nx"),
        ("abc\n", " \n", "abc\n"),
    ],
)
def test_text_goes_to_the_end_of_the_note(text: str, addition: str, after: str) -> None:
    assert apply_edits(text, append_text(text, addition)) == after


@pytest.mark.parametrize(
    ("heading", "addition", "after"),
    [
        ("Log", "- three", "# Log\n\n- one\n- two\n- three\n\n## Old\ntext\n\n# Next\n"),
        ("log", "para", "# Log\n\n- one\n- two\n\npara\n\n## Old\ntext\n\n# Next\n"),
        ("Log#Old", "- x", "# Log\n\n- one\n- two\n\n## Old\ntext\n\n- x\n\n# Next\n"),
        ("## Old", "- x", "# Log\n\n- one\n- two\n\n## Old\ntext\n\n- x\n\n# Next\n"),
        ("Next", "- x", LOG + "- x\n"),
    ],
)
def test_text_goes_to_the_end_of_a_headings_own_text(
    heading: str, addition: str, after: str
) -> None:
    assert apply_edits(LOG, append_text(LOG, addition, heading=heading)) == after


@pytest.mark.parametrize(
    ("text", "heading", "addition", "after"),
    [
        (LOG, "Log", "- zero", LOG.replace("- one", "- zero\n- one")),
        (LOG, "Log", "para", LOG.replace("- one", "para\n\n- one")),
        (LOG, "Old", "- x", LOG.replace("text", "- x\n\ntext")),
        (LOG, "Next", "- x", LOG + "- x\n"),
        ("# A\n\n# B", "A", "x", "# A\nx\n\n# B"),
        ("# A", "A", "x", "# A\nx"),
        ("# A\r\nb\r\n", "A", "x\ny", "# A\r\nx\r\ny\r\n\r\nb\r\n"),
    ],
)
def test_text_goes_right_below_a_heading(
    text: str, heading: str, addition: str, after: str
) -> None:
    assert apply_edits(text, insert_under_heading(text, heading, addition)) == after


@pytest.mark.parametrize(
    ("text", "heading", "new", "after"),
    [
        (LOG, "Log", "new\n", "# Log\n\nnew\n\n## Old\ntext\n\n# Next\n"),
        (LOG, "Log", "", "# Log\n\n\n## Old\ntext\n\n# Next\n"),
        (LOG, "Old", "a\nb", "# Log\n\n- one\n- two\n\n## Old\na\nb\n\n# Next\n"),
        (LOG, "Next", "a", LOG + "a\n"),
        ("# A\r\nold\r\n", "A", "x\ny", "# A\r\nx\r\ny\r\n"),
        ("# A\nold", "A", "x", "# A\nx"),
    ],
)
def test_a_headings_own_text_is_replaced(text: str, heading: str, new: str, after: str) -> None:
    assert apply_edits(text, replace_section(text, heading, new)) == after


def test_a_section_is_replaced_with_its_subsections_only_when_asked() -> None:
    edits = replace_section(LOG, "Log", "new", subsections=True)
    assert apply_edits(LOG, edits) == "# Log\n\nnew\n\n# Next\n"


@pytest.mark.parametrize(
    ("text", "heading", "body", "under", "after"),
    [
        ("", "A", "", None, "## A\n"),
        ("text\n", "A", "b\n", None, "text\n\n## A\n\nb\n"),
        ("text", "A", "b", None, "text\n\n## A\n\nb"),
        (
            LOG,
            "New",
            "b",
            "Log",
            "# Log\n\n- one\n- two\n\n## Old\ntext\n\n## New\n\nb\n\n# Next\n",
        ),
        (LOG, "New", "", "Next", LOG + "## New\n"),
        (LOG, "Old", "", "Next", LOG + "## Old\n"),  # the same words elsewhere
        ("a\r\n", "A", "b", None, "a\r\n\r\n## A\r\n\r\nb\r\n"),
    ],
)
def test_a_section_is_added(
    text: str, heading: str, body: str, under: str | None, after: str
) -> None:
    assert apply_edits(text, add_section(text, heading, body, under=under)) == after


FACTS = "- port is 8080 ^f-1\n- [ ] call home ^f-2\n  - soon\n\nA paragraph\nof two lines. ^p1\n\nlast ^p2"


@pytest.mark.parametrize(
    ("block_id", "new", "line", "after"),
    [
        ("f-1", "port is 9090", "- port is 8080 ^f-1", "- port is 9090 ^f-1"),
        ("^F-1", "- port is 9090", "- port is 8080 ^f-1", "- port is 9090 ^f-1"),
        ("f-2", "call Ann", "- [ ] call home ^f-2", "- [ ] call Ann ^f-2"),
        ("f-2", "[x] call Ann", "- [ ] call home ^f-2", "- [x] call Ann ^f-2"),
        ("p1", "One.", "A paragraph\nof two lines. ^p1", "One. ^p1"),
        ("p2", "the end", "last ^p2", "the end ^p2"),
    ],
)
def test_the_text_of_a_block_is_replaced_and_its_id_stays(
    block_id: str, new: str, line: str, after: str
) -> None:
    assert apply_edits(FACTS, replace_block(FACTS, block_id, new)) == FACTS.replace(line, after)


@pytest.mark.parametrize(
    ("block_id", "gone"),
    [
        ("f-1", "- port is 8080 ^f-1\n"),
        ("p1", "A paragraph\nof two lines. ^p1\n"),
        ("p2", "\nlast ^p2"),
    ],
)
def test_a_block_is_deleted_with_its_id(block_id: str, gone: str) -> None:
    assert apply_edits(FACTS, delete_block(FACTS, block_id)) == FACTS.replace(gone, "")


def test_an_exact_text_is_replaced() -> None:
    text = "---\nport: 8080\n---\r\nport 8080\r\nin use\r\n"
    edits = replace_text(text, "8080\nin", "9090\nis\nin")
    assert apply_edits(text, edits) == "---\nport: 8080\n---\r\nport 9090\r\nis\r\nin use\r\n"


MANY = "> one\n> two ^a\n> three ^b\n\n- x ^c\n  more ^d\n"


def test_an_id_ends_its_block_inside_a_paragraph() -> None:
    assert apply_edits(MANY, replace_block(MANY, "b", "3")) == MANY.replace("three", "3")
    assert apply_edits(MANY, delete_block(MANY, "b")) == MANY.replace("> three ^b\n", "")
    assert apply_edits(MANY, replace_block(MANY, "a", "1")) == MANY.replace("one\n> two", "1")
    assert apply_edits(MANY, delete_block(MANY, "d")) == MANY.replace("  more ^d\n", "")
    with pytest.raises(EditRefused):
        delete_block(MANY, "c")


# --- refusals ---

TWINS = "# A\n## Care\nx ^b\n# B\n## Care\nx ^B\n"


@pytest.mark.parametrize(
    ("edit", "code", "candidates"),
    [
        (
            lambda: append_text(TWINS, "x", heading="Care"),
            "many-matches",
            [(("A", "Care"), 1, "## Care"), (("B", "Care"), 4, "## Care")],
        ),
        (
            lambda: insert_under_heading(TWINS, "Cure", "x"),
            "no-match",
            [
                (("A",), 0, "# A"),
                (("A", "Care"), 1, "## Care"),
                (("B",), 3, "# B"),
                (("B", "Care"), 4, "## Care"),
            ],
        ),
        (
            lambda: delete_block(TWINS, "b"),
            "many-matches",
            [(("A", "Care"), 2, "x ^b"), (("B", "Care"), 5, "x ^B")],
        ),
        (
            lambda: replace_block(TWINS, "c", "x"),
            "no-match",
            [(("A", "Care"), 2, "x ^b"), (("B", "Care"), 5, "x ^B")],
        ),
        (
            lambda: replace_text(TWINS, "x ^", "y ^"),
            "many-matches",
            [(("A", "Care"), 2, "x ^b"), (("B", "Care"), 5, "x ^B")],
        ),
        (lambda: replace_text("aaa", "aa", "b"), "many-matches", [((), 0, "aaa"), ((), 0, "aaa")]),
        (lambda: replace_text("abc", "x", "b"), "no-match", []),
        (lambda: replace_text("abc", "", "b"), "no-match", []),
        (
            lambda: add_section(TWINS, "care!", under="A"),
            "exists",
            [(("A", "Care"), 1, "## Care")],
        ),
    ],
)
def test_a_target_that_is_not_there_exactly_once_is_refused_with_the_candidates(
    edit: Callable[[], Edits], code: str, candidates: list[tuple[tuple[str, ...], int, str]]
) -> None:
    with pytest.raises(EditRefused) as caught:
        edit()
    assert caught.value.code == code
    assert caught.value.candidates == tuple(Candidate(*one) for one in candidates)


def test_of_headings_alike_the_one_written_as_asked_is_meant() -> None:
    text = "# Care!\n# Care\n# care\n"
    assert (
        apply_edits(text, append_text(text, "x", heading="Care")) == "# Care!\n# Care\nx\n# care\n"
    )


@pytest.mark.parametrize(
    ("edit", "code"),
    [
        # an open fence would swallow the next heading
        (lambda: append_text("# A\nx\n# B\n", "```\ncode", heading="A"), "unsafe-edit"),
        (lambda: replace_text("x y\n\n# B\n", "x", "<!--"), "unsafe-edit"),
        # a line of dashes would make the paragraph above a heading
        (lambda: replace_text("Title\n===\n", "Title", "a\n\nb"), None),
        (lambda: append_text("para\nmore\n===\n# B\n", "x", heading="B"), None),
        # properties out of nothing
        (lambda: replace_text("x\na: 1\n---\n", "x", "---"), "unsafe-edit"),
        (lambda: delete_block("x ^a\n---\na: 1\n---\n", "a"), "unsafe-edit"),
        # ids that name no line
        (lambda: replace_block("| a |\n|---|\n\n^t\n", "t", "x"), "unsafe-edit"),
        (lambda: replace_block("# H ^t\n", "t", "x"), "unsafe-edit"),
        (lambda: delete_block(FACTS, "f-2"), "unsafe-edit"),
        (lambda: replace_block(FACTS, "f-1", "`open"), None),
        (lambda: replace_block(FACTS, "f-1", "a\nb"), "unwritable-value"),
        (lambda: replace_block(FACTS, "f-1", " "), "unwritable-value"),
        (lambda: append_text("", "\ud83d"), "unwritable-value"),
        (lambda: add_section("", " # "), "unwritable-value"),
        (lambda: add_section("", "x", level=7), "unwritable-value"),
        (lambda: add_section("###### Deep\n", "x", under="Deep"), "unwritable-value"),
        (lambda: add_section("```\nopen\n", "x"), "unsafe-edit"),
    ],
)
def test_what_would_change_something_else_is_refused(
    edit: Callable[[], Edits], code: str | None
) -> None:
    if code is None:
        assert edit()
        return
    with pytest.raises(EditRefused) as caught:
        edit()
    assert caught.value.code == code


lines = st.sampled_from(
    [
        "# A",
        "## B",
        "text",
        "- item",
        "  more",
        "",
        "```",
        "> quote",
        "x ^id",
        "| a |",
        "<!--",
        "===",
    ]
)


@settings(deadline=None)
@given(st.lists(lines, max_size=12), st.sampled_from(["\n", "\r\n"]), st.booleans(), lines)
def test_other_bytes_stay_and_the_inverse_restores(
    held: list[str], ending: str, last_break: bool, addition: str
) -> None:
    text = ending.join(held) + (ending if last_break and held else "")
    planned: tuple[Callable[[], Edits], ...] = (
        lambda: append_text(text, addition),
        lambda: append_text(text, addition, heading="A"),
        lambda: insert_under_heading(text, "B", addition),
        lambda: replace_section(text, "A", addition),
        lambda: add_section(text, "New", addition),
        lambda: delete_block(text, "id"),
        lambda: replace_block(text, "id", addition),
    )
    for edit in planned:
        try:
            edits = edit()
        except EditRefused:
            continue
        after = apply_edits(text, edits)
        assert apply_edits(after, inverse_edits(text, edits)) == text
        assert len(edits) <= 1
        if "\r\n" in text:
            assert "\n" not in after.replace("\r\n", "")
        before = [(one.level, one.text) for one in parse_note(text).headings]
        rest = iter([(one.level, one.text) for one in parse_note(after).headings])
        assert all(one in rest for one in before)


def test_a_line_keeps_its_own_line_break() -> None:
    """In a file of both kinds, what is appended has the break of the line before it, which stays as it is."""
    assert apply_edits("a\r\n\r\nb\n", append_text("a\r\n\r\nb\n", "new")) == (
        "a\r\n\r\nb\n\nnew\n"
    )
    assert apply_edits("a\n\nb\r\n", append_text("a\n\nb\r\n", "new")) == ("a\n\nb\r\n\r\nnew\r\n")


@pytest.mark.parametrize(
    ("before", "level", "is_there"),
    [
        ("# Log\n\n## Spring\n", 2, True),
        ("# Log\n\n## Spring\n\n### Bees\n", 2, True),
        ("## Spring\n", 2, True),
        ("# Log\n\n## Spring\n\n# Plans\n", 2, False),
        ("# Log\n\n## Spring\n", 3, False),
        ("# Log\n\n## Spring\n", 1, False),
    ],
)
def test_a_heading_is_not_added_where_it_is_there_already(
    before: str, level: int, is_there: bool
) -> None:
    if not is_there:
        assert apply_edits(before, add_section(before, "Spring", level=level)) == (
            f"{before}\n{'#' * level} Spring\n"
        )
        return
    with pytest.raises(EditRefused) as refused:
        add_section(before, "spring", level=level)
    assert refused.value.code == "exists"


def test_headings_that_nothing_tells_apart_must_be_told_apart_by_hand() -> None:
    with pytest.raises(EditRefused) as refused:
        append_text("## Spring\n\na\n\n## Spring\n\nb\n", "x", heading="Spring")
    assert (refused.value.code, refused.value.hint) == (
        "many-matches",
        "They are alike, and so is all above them: give one another text by hand first.",
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Line one.\nLine two.\n", "Line one.\nLine two.\nnew\n"),
        ("# Log\n\n06:10 calm\n07:10 rain", "# Log\n\n06:10 calm\n07:10 rain\nnew"),
        ("One paragraph.\n", "One paragraph.\n\nnew\n"),
        ("One.\n\nTwo\nlines.\n", "One.\n\nTwo\nlines.\n\nnew\n"),
        ("Title\n=====\n", "Title\n=====\n\nnew\n"),
        ("- item\nlazy\n", "- item\nlazy\n\nnew\n"),
    ],
)
def test_a_line_goes_on_lines_that_are_kept_without_blanks(before: str, after: str) -> None:
    """A log kept line by line gets a line; text in paragraphs gets a paragraph."""
    assert apply_edits(before, append_text(before, "new")) == after
