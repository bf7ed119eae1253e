"""A whole note: order of what is found, marks of lines, huge notes, anything at all."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vaultmem.notes.model import BlockId, FactLine, InlineField, Task, WarningCode
from vaultmem.notes.parse import HUGE_NOTE, parse_note


def test_properties_come_first_then_the_body_in_order() -> None:
    text = '---\ntags: [z]\nup: "[[U]]"\naliases: [N]\n---\n# H [[a]] #b\n\n- [x](c.md) #z\n'
    note = parse_note(text)
    assert [link.target for link in note.links] == ["U", "a", "c.md"]
    assert [tag.name for tag in note.tags] == ["z", "b", "z"]
    assert [link.line for link in note.links] == [2, 5, 7]
    assert note.aliases == ("N",)
    assert [heading.text for heading in note.headings] == ["H [[a]] #b"]


def test_broken_properties_cost_only_themselves() -> None:
    note = parse_note('---\nup: "[[A]]\nx: [1\n---\nBody [[B]] #c\n')
    assert [link.target for link in note.links] == ["B"]
    assert [tag.name for tag in note.tags] == ["c"]
    assert [warning.code for warning in note.warnings] == [WarningCode.INVALID_FRONTMATTER]


# --- tasks ---


def test_tasks_are_list_items_with_a_check_box() -> None:
    text = "- [ ] open [[a]] ^t-1\n\t1. [x] done\n- [-] dropped\n- [x](a.md)\n- [ ]\n[ ] no item\n"
    assert parse_note(text).tasks == (
        Task(" ", "open [[a]]", 0, 2),
        Task("x", "done", 1, text.index("[x] done")),
        Task("-", "dropped", 2, text.index("[-]")),
    )


# --- block ids and facts ---


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("text ^a1\n", [("a1", 0)]),
        ("one\ntwo ^a-1  \n", [("a-1", 1)]),
        ("mid ^a text\n", []),
        ("word^a\n", []),
        ("at a line's end ^a\nline\n", [("a", 0)]),
        ("under ^a_b\n", []),
        ("other ^é\n", []),
        ("\\^a\n", []),
        ("- item ^a\n  - sub ^b\n- next\n", [("a", 0), ("b", 1)]),
        ("| a |\n|---|\n| b |\n^tbl\n", [("tbl", 3)]),
        ("| a |\n|---|\n| b ^no |\n", []),
        ("> q\n\n^quote\n", [("quote", 2)]),
        ("> q\n> ^in\n", [("in", 1)]),
        ("- a\n- b\n^list\n", [("list", 2)]),
        ("## Head ^h\n", [("h", 0)]),
        ("```\ncode ^c\n```\n\n^after\n", [("after", 4)]),
        ("crlf ^a\r\n\r\nb ^b\r\n", [("a", 0), ("b", 2)]),
    ],
)
def test_block_ids(text: str, ids: list[tuple[str, int]]) -> None:
    assert [(one.id, one.line) for one in parse_note(text).block_ids] == ids


def test_a_fact_is_a_list_line_with_a_fact_id() -> None:
    text = "- The hull is *oak* [[Hull]].  ^f-3k9x\n- Other ^x1\n\nText ^f-no\n"
    note = parse_note(text)
    assert note.facts == (FactLine("f-3k9x", "The hull is *oak* [[Hull]].", 0),)
    start = text.index("^f-3k9x")
    assert note.block_ids[0] == BlockId("f-3k9x", 0, start, start + 7)


def test_the_box_of_a_task_is_no_part_of_the_fact() -> None:
    text = "- [x] The hull is oak. ^f-1\n- [ ] [[Hull]] leaks\n  at the keel ^f-2\n- [a] b ^f-3\n"
    note = parse_note(text)
    assert [fact.text for fact in note.facts] == [
        "The hull is oak.",
        "[[Hull]] leaks at the keel",
        "b",
    ]
    assert [task.text for task in note.tasks] == ["The hull is oak.", "[[Hull]] leaks", "b"]


# --- inline fields ---


def test_a_field_on_a_line_of_its_own() -> None:
    text = (
        "up:: [[Hub]]\nworks at::  [[Acme]], [[Bolt]] \n\n- **role**:: mate ^f-1\n> year:: 2031\n"
    )
    note = parse_note(text)
    assert note.fields == (
        InlineField("up", "[[Hub]]", 0, 0, 12),
        InlineField("works at", "[[Acme]], [[Bolt]]", 1, 13, text.index(" \n\n")),
        InlineField("role", "mate", 3, text.index("**role"), text.index(" ^f-1")),
        InlineField("year", "2031", 4, text.index("year"), len(text) - 1),
    )
    assert [link.relation for link in note.links] == ["up", "works at", "works at"]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("a:: 1 ^x\nb:: 2 ^y", ["1", "2"]),
        ("- works_at:: [[Acme]] ^f-2\n  more", ["[[Acme]]"]),
        ("- a:: 1 ^f-2 \n  b:: 2\t^y  \n  c", ["1", "2"]),
        ("a:: ^x\nb:: 2^y\nc:: ^x 3", ["", "2^y", "^x 3"]),
    ],
)
def test_a_block_id_at_the_end_of_a_fields_line_is_no_part_of_it(
    text: str, values: list[str]
) -> None:
    assert [one.value for one in parse_note(text).fields] == values


def test_a_field_in_brackets_is_the_innermost() -> None:
    text = "a [k:: [[X]] y] [[Z]]\nl:: (m:: [[Y]]) [[W]]\n"
    note = parse_note(text)
    assert [(one.key, one.value) for one in note.fields] == [
        ("k", "[[X]] y"),
        ("l", "(m:: [[Y]]) [[W]]"),
        ("m", "[[Y]]"),
    ]
    assert [(link.target, link.relation) for link in note.links] == [
        ("X", "k"),
        ("Z", "mentions"),
        ("Y", "m"),
        ("W", "l"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Text, with a key:: [[X]]",
        "std::vector [[X]]",
        "`key:: v` [[X]]",
        "## key:: [[X]]",
        "```\nkey:: v\n```\n[[X]]",
        "[a:: b](c.md)",
        "[k:: unclosed [[X]]",
        "[[key:: X]]",
    ],
)
def test_these_are_no_fields(text: str) -> None:
    note = parse_note(text)
    assert note.fields == ()
    assert [link.relation for link in note.links] == ["mentions"]


# --- size ---


def test_a_huge_note_is_read_and_flagged() -> None:
    piece = "# A\n\nText [[x]] #t\n\n```\n[[no]]\n```\n\n- [ ] item ^id\n\n"
    text = "---\nb: 1\n---\n" + piece * (HUGE_NOTE // len(piece) + 1)
    note = parse_note(text)
    count = text.count("# A\n")
    assert [warning.code for warning in note.warnings] == [WarningCode.HUGE_NOTE]
    assert len(note.links) == len(note.tags) == len(note.headings) == len(note.tasks) == count
    assert note.sections[-1].end == len(text)


@pytest.mark.parametrize("piece", ["> ", "- ", "- a\n  ", "[[", "\n", "`", "<div>\n", "$$\n", "["])
def test_huge_nonsense_ends(piece: str) -> None:
    text = piece * (1_100_000 // len(piece))
    assert parse_note(text).sections[-1].end == len(text)


@settings(deadline=None, max_examples=300)
@given(st.text(max_size=80))
def test_no_text_makes_it_fail(text: str) -> None:
    note = parse_note(text)
    assert note.sections[-1].end == len(text)


@settings(deadline=None, max_examples=200)
@given(
    st.lists(
        st.sampled_from(
            [
                "# H\n",
                "[[a]] ",
                "#t ",
                "- [ ] x\n",
                "k:: v\n",
                "```\n",
                "> q\n",
                "\n",
                "x ^id\n",
                "|a|\n|-|\n",
                "    c\n",
                "\n\n",
                "😀 ",
                "`c` ",
                "- a\n\n      b\n",
                "é",
            ]
        ),
        max_size=15,
    ).map("".join)
)
def test_line_breaks_of_windows_change_only_offsets(text: str) -> None:
    one, other = parse_note(text), parse_note(text.replace("\n", "\r\n"))
    assert [(x.target, x.line, x.relation) for x in one.links] == [
        (x.target, x.line, x.relation) for x in other.links
    ]
    assert [(x.name, x.line) for x in one.tags] == [(x.name, x.line) for x in other.tags]
    assert [(x.text, x.line) for x in one.headings] == [(x.text, x.line) for x in other.headings]
    assert [(x.id, x.line) for x in one.block_ids] == [(x.id, x.line) for x in other.block_ids]
    assert [(x.key, x.value, x.line) for x in one.fields] == [
        (x.key, x.value, x.line) for x in other.fields
    ]
    assert [(x.status, x.text) for x in one.tasks] == [(x.status, x.text) for x in other.tasks]
