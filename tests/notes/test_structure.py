"""Block structure: what the reference says, and that the quick reader says the same or nothing."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vaultmem.notes import fast_structure
from vaultmem.notes.model import Heading
from vaultmem.notes.structure import Region, RegionKind, Structure, flatten, read_structure


def texts(text: str) -> list[str]:
    return [text[region.start : region.end] for region in read_structure(text, 0).regions]


def hidden(text: str) -> list[str]:
    return [text[start:end] for start, end in read_structure(text, 0).hidden]


@pytest.mark.parametrize(
    ("text", "regions"),
    [
        ("one\ntwo\n\nthree", ["one\ntwo", "three"]),
        ("# A ##\n####### b\n", ["A", "####### b"]),
        ("- a\n  - b\n\n    c\n- d\n", ["a", "b", "c", "d"]),
        ("> [!note] T\n> x\nlazy\n", ["[!note] T\n> x\nlazy"]),
        ("| a | b\\|c |\n|---|---|\n| 1 | |\n2\n", ["a", "b\\|c", "1", "2"]),
        ("[^1]: foot\n\n    more\n", ["foot", "more"]),
        ("a\n===\nb\n---\n", ["a", "b"]),
        ("$$ a\n\n[[x]]\n", ["$$ a", "[[x]]"]),
        ("text\n    still text\n", ["text\n    still text"]),
    ],
)
def test_regions_are_the_runs_of_text(text: str, regions: list[str]) -> None:
    assert texts(text) == regions


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("```\nx\n```\ny", ["```\nx\n```"]),
        ("````\n```\nx\n````", ["````\n```\nx\n````"]),
        ("```\nx\n``` info\ny\n```", ["```\nx\n``` info\ny\n```"]),
        ("~~~ md\nx\n\ny\n", ["~~~ md\nx\n\ny"]),
        ("> ```\n> x\n> ```\n> y", ["```\n> x\n> ```"]),
        ("- a\n  ```\n  x\n  ```\n- b", ["```\n  x\n  ```"]),
        ("a\n\n    x\n\n    y\n\nb", ["x\n\n    y"]),
        ("<div>\nx\n\ny", ["<div>\nx"]),
        ("<!--\nx\n\ny\n-->\nz", ["<!--\nx\n\ny\n-->"]),
        ("$$\nx\n\ny\n$$\nz", ["$$\nx\n\ny\n$$"]),
        ("a\n$$ x\ny $$\nz", ["$$ x\ny $$"]),
        ("$$x$$ y\n\n$$", []),
        ("<u>x</u> y", []),
    ],
)
def test_hidden_spans_are_the_blocks_that_are_not_read(text: str, spans: list[str]) -> None:
    assert hidden(text) == spans


def test_headings_are_those_at_the_top_level() -> None:
    text = "# A [[x]] ##\n> # quoted\n\n- # listed\n\nB\nc\n---\n ### \n"
    assert read_structure(text, 0).headings == [
        Heading(1, "A [[x]]", 0, 0, 13),
        Heading(2, "B c", 5, text.index("B"), text.index(" ###")),
        Heading(3, "", 8, text.index(" ###"), len(text)),
    ]


def test_a_region_knows_its_place_and_kind() -> None:
    text = "---\na: 1\n---\n> - x\n\n|h|\n|-|\n"
    assert read_structure(text, 13) == Structure(
        [
            Region(17, 18, 3, RegionKind.TEXT, 1, True),
            Region(21, 22, 5, RegionKind.CELL, 0, False),
        ],
        [],
        [],
    )


@pytest.mark.parametrize("newline", ["\r\n", "\r"])
def test_other_line_breaks_change_no_offset(newline: str) -> None:
    text = "# A\n te\txt\n\n```\nx\n```\n\n> - b\n>   c\n".replace("\n", newline)
    flat = flatten(text)
    assert len(flat) == len(text)
    structure = read_structure(flat, 0)
    found = [text[region.start : region.end] for region in structure.regions]
    assert found == ["A", "te\txt", f"b{newline}>   c"]
    assert [region.line for region in structure.regions] == [0, 1, 7]
    assert [text[start:end] for start, end in structure.hidden] == [f"```{newline}x{newline}```"]


# --- the quick reader ---

FRAGMENTS = [
    *[
        "# ",
        "## H",
        "#tag",
        "a",
        "b c",
        "- ",
        "* ",
        "+ ",
        "1. ",
        "2. ",
        "10) ",
        "-",
        "*",
        "> ",
        ">",
    ],
    *[">>", "[!note] t", "```", "~~~", "````", "``` x", "---", "***", "___", "===", "=", "--"],
    *["- - -", "| a | b |", "|---|---|", "--|--", "|-|", "a|b", ":-:", "|", "    ", "  ", " "],
    *["\t", "\n", "\n", "\n", "\n\n", "[^1]: ", "[^1]:", "[x]: y", "[ ] ", "$$", "$$ x", "x $$"],
    *[
        "$",
        "<div>",
        "</div>",
        "<!-- ",
        "-->",
        "<!-- c -->",
        "<u>x</u>",
        "<span>",
        "</span>",
        "<br>",
    ],
    *["<https://a.b>", "<", "<a href='x'>", "\\|", "\\", "`c`", "^id", "text line", "# h #", "#"],
    *[
        "-\t",
        "-     x",
        "1.",
        "100000000. ",
        "0. ",
        "\xa0",
        "é",
        "<pre>",
        "<?",
        "?>",
        "\x0b",
        "\u2028",
    ],
]
MARKDOWNISH = st.lists(
    st.tuples(st.sampled_from(FRAGMENTS), st.sampled_from(["", "\n"])), max_size=16
).map(lambda pairs: "".join(fragment + end for fragment, end in pairs))


@settings(deadline=None, max_examples=600)
@given(MARKDOWNISH)
def test_the_quick_reader_says_what_the_reference_says(text: str) -> None:
    quick = fast_structure.read(text, 0)
    if quick is not None:
        assert quick == read_structure(text, 0)


@pytest.mark.parametrize("depth", [1, 5, 11, 12, 13, 20, 40])
@pytest.mark.parametrize("mark", ["> ", "- ", ">"])
def test_the_two_agree_on_deep_nesting(mark: str, depth: int) -> None:
    nested = "".join("\t" * level + "- x\n" for level in range(depth))
    for text in (mark * depth + "- x\n", nested, "".join("> " * 11 + line for line in nested)):
        quick = fast_structure.read(text, 0)
        assert quick is None or quick == read_structure(text, 0)


ORDINARY = [
    "# Title\n\nText with [[link]]\nand more.\n\n## Part ##\n\n- a\n- b\n\t- c\n\t\t- d\n- [ ] e ^id\n",
    "> [!note] Box\n> text\n> - item\n>\n> > inner\n\n```py\nx = 1\n```\n\n1. one\n2. two\n",
    "| a | b |\n| --- | :-: |\n| [[x\\|y]] | 2 |\n\n***\nText\n---\n\n[^1]: note\n",
    "Text\n\n$$\nx\n\ny\n$$\n\n<!-- c -->\n\n<div>\nx\n</div>\n\n<span>s</span> t\n",
]


@pytest.mark.parametrize("text", ORDINARY)
def test_the_quick_reader_reads_ordinary_notes(text: str) -> None:
    assert fast_structure.read(text, 0) == read_structure(text, 0)
    assert fast_structure.read(text, 0) is not None


@pytest.mark.parametrize("text", ORDINARY)
def test_the_rough_reader_reads_ordinary_notes_alike(text: str) -> None:
    assert fast_structure.read_roughly(text, 0) == read_structure(text, 0)


@settings(deadline=None, max_examples=300)
@given(MARKDOWNISH)
def test_the_rough_reader_never_fails_and_keeps_order(text: str) -> None:
    structure = fast_structure.read_roughly(text, 0)
    starts = [region.start for region in structure.regions]
    assert starts == sorted(starts)
    assert all(region.start <= region.end <= len(text) for region in structure.regions)
