"""Links and tags inside text (L-02 to L-43, T-01 to T-12, T-21)."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vaultmem.notes.model import Link, LinkKind
from vaultmem.notes.parse import parse_note


def links(text: str) -> list[tuple[str, str, str | None]]:
    return [(link.target, link.subpath, link.display) for link in parse_note(text).links]


def targets(text: str) -> list[str]:
    return [link.target for link in parse_note(text).links]


def tags(text: str) -> list[str]:
    return [tag.name for tag in parse_note(text).tags]


def hidden(text: str) -> list[str]:
    return [text[start:end] for start, end in parse_note(text).hidden]


# --- wikilinks ---


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[[Reef]]", [("Reef", "", None)]),
        ("[[ Reef#Ore |x|y ]]", [("Reef", "#Ore", "x|y")]),
        ("[[a#b/c]]", [("a", "#b/c", None)]),
        ("[[#Here]] [[#^id|x]]", [("", "#Here", None), ("", "#^id", "x")]),
        ("[[]] [[  ]]", []),
        ("[[|x]] [[|]]", [("|x", "", None), ("|", "", None)]),
        ("[[Reef|]]", [("Reef", "", "")]),
        ("[[odd]name]]", [("odd]name", "", None)]),
        ("[[outer [[Reef]] rest]]", [("Reef", "", None)]),
        ("[[[Reef]]] [[Kelp]]]", [("Reef", "", None), ("Kelp", "", None)]),
        ("[[Re\nef]] [[Kelp]]", [("Kelp", "", None)]),
        ("[[a\\|b]]", [("a", "", "b")]),
        ("[[https://host/x]]", [("https://host/x", "", None)]),
        ("[[Reef%20two]]", [("Reef%20two", "", None)]),
        ("[[ open and [[Reef]]", [("Reef", "", None)]),
        ("x[[Reef]]y[[Kelp]]", [("Reef", "", None), ("Kelp", "", None)]),
        ("[[1]](https://host/x)", [("1", "", None)]),
        ("\\[[Reef]] \\[\\[Kelp\\]\\] \\\\[[Tide]]", [("Tide", "", None)]),
    ],
)
def test_wikilinks(text: str, expected: list[tuple[str, str, str | None]]) -> None:
    assert links(text) == expected


def test_a_wikilink_knows_its_spans() -> None:
    text = "é😀 ![[ Reef#Ore | the ore ]]\n"
    start = text.index("!")
    assert parse_note(text).links == (
        Link(
            LinkKind.WIKILINK,
            True,
            "Reef",
            "#Ore",
            "the ore",
            start,
            len(text) - 1,
            text.index("Reef"),
            text.index("Ore") + 3,
            0,
        ),
    )


@pytest.mark.parametrize(
    ("text", "display", "size"),
    [
        ("![[map.png|300]]", None, "300"),
        ("![[map.PNG| 300x200 ]]", None, "300x200"),
        ("![[map.png|old|300]]", "old", "300"),
        ("![[map.png|old map]]", "old map", None),
        ("![[Reef|300]]", "300", None),
        ("[[map.png|300]]", "300", None),
        ("![coast|120x80](map.png)", "coast", "120x80"),
        ("![90](map.png)", None, "90"),
        ("![](map.png)", "", None),
        ("[90](map.png)", "90", None),
    ],
)
def test_only_an_embedded_image_has_a_size(
    text: str, display: str | None, size: str | None
) -> None:
    (link,) = parse_note(text).links
    assert (link.display, link.size) == (display, size)


def test_a_table_cell_escapes_its_pipes() -> None:
    text = "| a | b |\n|---|---|\n| [[Reef\\|the reef]] | ![[map.png\\|80]] [x\\|y](Kelp.md) |\n"
    reef, image, kelp = parse_note(text).links
    assert (reef.target, reef.display, reef.in_table) == ("Reef", "the reef", True)
    assert text[reef.dest_start : reef.dest_end] == "Reef"
    assert (image.target, image.size, image.display) == ("map.png", "80", None)
    assert (kelp.target, kelp.display) == ("Kelp.md", "x|y")


def test_a_bare_pipe_in_a_cell_ends_the_cell() -> None:
    assert targets("| a | b |\n|---|---|\n| [[Reef|x]] | [[Kelp]] |\n") == ["Kelp"]


# --- Markdown links ---


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[x](Reef%20two.md#Low%20tide)", [("Reef two.md", "#Low tide", "x")]),
        ("[x](#Here)", [("", "#Here", "x")]),
        ("[x](<Reef two.md>) [y](<a>)", [("Reef two.md", "", "x"), ("a", "", "y")]),
        ("[x](Reef two.md)", []),
        (
            "[x](Reef.md \"a title\") [y](a.md 'b') [z](a.md (b))",
            [("Reef.md", "", "x")] + [("a.md", "", t) for t in "yz"],
        ),
        ("[x]( Reef.md )", [("Reef.md", "", "x")]),
        ("[x](Reef.md\n  'title')", [("Reef.md", "", "x")]),
        ("[x](Reef.md\n\n'title')", []),
        ("[x](https://host/a.md) [y](mailto:a@b) [z](note:a)", []),
        ("[]() [x]() [y](<>) [z](%20)", []),
        ("[x](a_(b).md) [y](a\\)b.md) [z](a(b.md)", [("a_(b).md", "", "x"), ("a)b.md", "", "y")]),
        ("[c](C%23%20notes.md)", [("C", "# notes.md", "c")]),
        ("[x][ref] [y] [ref]: a.md", []),
        ("[a [b] c](Reef.md)", [("Reef.md", "", "a [b] c")]),
        ("[a `]` b](Reef.md)", [("Reef.md", "", "a `]` b")]),
        ("[a \\] b](Reef.md)", [("Reef.md", "", "a \\] b")]),
        ("[a [b](Kelp.md) c](Reef.md)", [("Kelp.md", "", "b")]),
        ("[a](b.md)[c](d.md)", [("b.md", "", "a"), ("d.md", "", "c")]),
        ("\\[a](b.md) !\\[e](f.md) [c\\](d.md)", []),
        ("[x](a&amp;b.md)", [("a&b.md", "", "x")]),
    ],
)
def test_markdown_links(text: str, expected: list[tuple[str, str, str | None]]) -> None:
    assert links(text) == expected


def test_an_image_inside_a_link_makes_two_in_order_of_position() -> None:
    text = "[![the map](map.png) [[Kelp]]](Reef.md)"
    reef, image, kelp = parse_note(text).links
    assert (reef.target, reef.start, reef.end) == ("Reef.md", 0, len(text))
    assert (image.target, image.embed, text[image.start : image.end]) == (
        "map.png",
        True,
        "![the map](map.png)",
    )
    assert kelp.target == "Kelp"


def test_a_markdown_link_knows_its_spans() -> None:
    text = "a\n😀 [x](<Reef two.md> 't') b"
    (link,) = parse_note(text).links
    assert text[link.start : link.end] == "[x](<Reef two.md> 't')"
    assert text[link.dest_start : link.dest_end] == "Reef two.md"
    assert link.line == 1


@pytest.mark.parametrize(
    "text",
    [
        "[ref]: [[Reef]]",
        "[ref]: <a [[Reef]]> 'title'\n[two]: b#[[x]]",
        "[ref]:\n  [[Reef]]",
    ],
)
def test_a_reference_definition_yields_nothing(text: str) -> None:
    assert links(text) == []


def test_a_line_that_only_looks_like_a_definition_is_read() -> None:
    assert targets("[note]: see [[Reef]]\n\ntext\n[x]: [[Kelp]]") == ["Reef", "Kelp"]


# --- what hides, and what does not ---


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("`[[x]]` ``a ` [[x]]`` [[Reef]]", ["Reef"]),
        ("a lone ` and [[Reef]]\n\nnext ` one", ["Reef"]),
        ("`a\nb [[x]]` [[Reef]]", ["Reef"]),
        ("\\`[[Reef]]`", ["Reef"]),
        ("$x = [[x]]$ [[Reef]]", ["Reef"]),
        ("5 $ or [[Reef]] for 6 $ each", ["Reef"]),
        ("$5 and [[Reef]] for $6", ["Reef"]),
        ("only $a for [[Reef]]", ["Reef"]),
        ("\\$a [[Reef]]$", ["Reef"]),
        ("a $$[[x]]$$ [[Reef]] $$ [[Kelp]]", ["Reef", "Kelp"]),
        ("a <!-- [[x]] --> [[Reef]] <!-- [[Kelp]]", ["Reef", "Kelp"]),
        ("a <u>[[Reef]]</u> <b title='[[x]]'>", ["Reef"]),
        ("a < b [[Reef]] > c", ["Reef"]),
        ("a <?[[x]]?> <![CDATA[ [[x]] ]]> <!A [[x]]> [[Reef]]", ["Reef"]),
        ("<https://host/[[x]]> [[Reef]]", ["Reef"]),
        ("%% [[Reef]] %% 50 %% of [[Kelp]]", ["Reef", "Kelp"]),
        ("> `a\n> [[x]]` [[Reef]]", ["Reef"]),
        ("> <b\n> title='[[x]]'> [[Reef]]", ["Reef"]),
    ],
)
def test_links_in_code_math_and_html_are_none(text: str, found: list[str]) -> None:
    assert targets(text) == found


def test_hidden_spans_are_in_order_and_one_where_they_overlap() -> None:
    text = "```\nx\n```\n`a` $b$ [c `d`](https://host) https://host/e [#f](https://g)\n\n    h\n"
    assert hidden(text) == [
        "```\nx\n```",
        "`a`",
        "$b$",
        "[c `d`](https://host)",
        "https://host/e",
        "](https://g)",
        "h",
    ]


# --- tags ---


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("#sea #Żagle #海 #🌊 #a/b-c_d", ["sea", "Żagle", "海", "🌊", "a/b-c_d"]),
        ("#1984 #y1984 #1984- #7/7", ["y1984", "1984-", "7/7"]),
        ("#１９８４ #١٩٨٤ #１２ab #①", ["１２ab", "①"]),  # T-02, digits of any script
        ('x#a (#b) "#c" .#d /#e -#f #g\n\t#h', ["g", "h"]),
        ("#sea, #reef. #tide! #a;b #c\u2026 #d\u200de", ["sea", "reef", "tide", "a", "c", "d"]),
        ("# Head #in\n#tag\n####### x", ["in", "tag"]),
        ("#a#b #1#c ##d", ["a", "b"]),
        ("\\#a #b", ["b"]),
        ("`#a` $#b$ <!-- #c --> <b title='#d'> #e", ["e"]),
        ("%% #a %% %%#b%%", ["a", "b"]),
        ("[see #a](https://host/#b) [[Reef#c]] https://host/#d <https://host/#e>", ["a"]),
        ("[#a](Reef.md) [#b] ![#c](map.png)", ["a"]),
        ("https://host/*#a* https://host/a_(#b)", []),
        ("**#a** *#b* _#c_ __#d__ ==#e== ~~#f~~", ["a", "b", "c", "d", "e", "f"]),
        ("x*#a* **#b =#c=", []),
        ("[[Reef]]#a `x`#b", ["a", "b"]),
        (">#a\n>#b\n\n- #c\n- [ ] #d\n\n|#e|\n|-|\n|#f|", ["a", "b", "c", "d", "e", "f"]),
        ("[x]: #a", []),
        ("\u00a0#a\u3000#b", ["a", "b"]),
    ],
)
def test_tags(text: str, found: list[str]) -> None:
    assert tags(text) == found


def test_a_tag_knows_its_place() -> None:
    text = "😀\r\nx #sea."
    (tag,) = parse_note(text).tags
    assert (tag.name, tag.line, text[tag.start : tag.end], tag.in_property) == (
        "sea",
        1,
        "#sea",
        False,
    )


# --- linear time ---


@pytest.mark.parametrize(
    "piece",
    [
        "[[",
        "[a](",
        "[a](b '",
        "![",
        "`",
        "` `` ",
        "$a ",
        "<a ",
        '<a b="',
        "<!-- ",
        "<?",
        "#a",
        "**#a ",
        "[a:: ",
        "\\",
        "a://",
        "[#a",
        "[^1]: a\n",
        "> ",
        "a:: b\n",
        " ^a",
        "|a|\n|-|\n",
        "[a]: b\n",
        " " * 100_000,
    ],
)
@pytest.mark.parametrize("before", ["", "- [ ] a", "a:: "], ids=["text", "task", "field"])
def test_no_repeated_mark_takes_more_than_linear_time(before: str, piece: str) -> None:
    """Each of these took minutes with one search per mark; the suite would not end."""
    text = before + piece * (100_000 // len(piece)) + "b"
    assert parse_note(text).sections[-1].end == len(text)


INLINEISH = st.lists(
    st.sampled_from(
        [
            "[[",
            "]]",
            "[",
            "]",
            "(",
            ")",
            "![",
            "|",
            "#",
            "#tag",
            "^id",
            "a",
            "b c",
            " ",
            "\n",
            "`",
            "``",
            "$",
            "$$",
            "<",
            ">",
            "<b>",
            "<!--",
            "-->",
            "\\",
            "*",
            "_",
            "==",
            "%%",
            "://",
            "::",
            "key:: ",
            "https://x",
            "é",
            "😀",
            "\r\n",
            "\t",
            "'",
            '"',
            "- ",
            "> ",
            "|-|",
            "- [ ] ",
        ]
    ),
    max_size=30,
).map("".join)


@settings(deadline=None, max_examples=400)
@given(INLINEISH)
def test_whatever_is_found_stands_where_it_says(text: str) -> None:
    note = parse_note(text)
    for link in note.links:
        written = text[link.start : link.end]
        opening = "[[" if link.kind is LinkKind.WIKILINK else "["
        assert written.startswith("!" + opening if link.embed else opening)
        assert written.endswith("]]" if link.kind is LinkKind.WIKILINK else ")")
        assert link.start < link.dest_start <= link.dest_end < link.end
    assert [link.start for link in note.links] == sorted(link.start for link in note.links)
    for tag in note.tags:
        assert text[tag.start : tag.end] == "#" + tag.name
    assert [tag.start for tag in note.tags] == sorted(tag.start for tag in note.tags)
    ends = [0, *(end for _, end in note.hidden)]
    assert all(end <= start for end, (start, _) in zip(ends, note.hidden, strict=False))
    for block_id in note.block_ids:
        assert text[block_id.start : block_id.end] == "^" + block_id.id
