"""The text of links: taken apart (L-01 to L-14, L-27, L-33, L-34) and put together (L-37 to L-42, R-14)."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultmem.errors import RefusedError
from vaultmem.notes.linktext import (
    encode_destination,
    heading_for_link,
    make_link,
    shown_target,
    split_destination,
    split_wikilink,
)
from vaultmem.notes.obsidian import LinkFormat, ObsidianSettings
from vaultmem.notes.parse import parse_note
from vaultmem.notes.resolve import NameIndex, resolve


@pytest.mark.parametrize(
    ("inner", "target", "subpath", "display"),
    [
        ("Reef", "Reef", "", None),
        ("Reef.md", "Reef.md", "", None),
        ("Coast/Reef|coral", "Coast/Reef", "", "coral"),
        ("Reef|a|b", "Reef", "", "a|b"),  # L-02
        ("Reef#Low/tide", "Reef", "#Low/tide", None),  # L-03
        ("a/b#C#D|x#y", "a/b", "#C#D", "x#y"),
        ("Reef#^b1", "Reef", "#^b1", None),  # L-04
        ("#Local", "", "#Local", None),  # L-05
        ("#^b1|here", "", "#^b1", "here"),
        (" a ", "a", "", None),  # L-06
        ("a |x", "a", "", "x"),
        ("a#^b ", "a", "#^b", None),
        (" a # b | c ", "a", "# b", "c"),
        ("|x", "|x", "", None),  # L-07
        ("|", "|", "", None),
        ("|#p", "|", "#p", None),
        ("|x|y", "|x", "", "y"),
        (" |x", "|x", "", None),
        ("", "", "", None),
        ("  ", "", "", None),
        ("Note|", "Note", "", ""),  # L-08
        ("Note| ", "Note", "", ""),
        ("p.png|100x80", "p.png", "", "100x80"),
        (r"Note\|x", "Note", "", "x"),  # L-14
        (r"Note#H\|x", "Note", "#H", "x"),
        ("Reef%20two", "Reef%20two", "", None),  # L-33
        ("https://host/x", "https://host/x", "", None),  # L-36
        ("C#", "C", "#", None),
        ("a]b", "a]b", "", None),
    ],
)
def test_wikilinks_are_split(inner: str, target: str, subpath: str, display: str | None) -> None:
    assert split_wikilink(inner) == (target, subpath, display)


@pytest.mark.parametrize(
    ("inner", "target", "subpath", "display"),
    [
        (r"Tide table\|tides", "Tide table", "", "tides"),  # L-13
        (r"Tide table#Springs\|springs", "Tide table", "#Springs", "springs"),
        (r"Reef\|a\|b", "Reef", "", "a|b"),
        (r"Reef \| x ", "Reef", "", "x"),
        ("Reef", "Reef", "", None),
    ],
)
def test_wikilinks_in_a_table_lose_the_backslash(
    inner: str, target: str, subpath: str, display: str | None
) -> None:
    assert split_wikilink(inner, in_table=True) == (target, subpath, display)


@pytest.mark.parametrize(
    ("dest", "target", "subpath"),
    [
        ("Reef.md", "Reef.md", ""),
        ("Reef%20two.md#Low%20tide", "Reef two.md", "#Low tide"),
        ("#Low%20tide", "", "#Low tide"),
        ("%C5%BBaba.md", "Żaba.md", ""),
        ("Żaba.md", "Żaba.md", ""),
        ("C%23.md", "C", "#.md"),  # L-34
        ("50%.md", "50%.md", ""),
        ("50%25.md", "50%.md", ""),
        ("50%2525.md", "50%25.md", ""),
        ("%zz.md", "%zz.md", ""),
        ("%FF.md", "%FF.md", ""),  # no UTF-8
        ("%E2%82.md", "%E2%82.md", ""),
        ("scan.pdf#page=3", "scan.pdf", "#page=3"),
        (" Reef.md ", "Reef.md", ""),
    ],
)
def test_destinations_are_decoded_and_split(dest: str, target: str, subpath: str) -> None:
    assert split_destination(dest) == (target, subpath)


@pytest.mark.parametrize(
    ("target", "subpath", "shown"),
    [
        ("Reef", "", "Reef"),
        ("a/Reef", "#Coral#Sand", "a/Reef > Coral > Sand"),  # L-37
        ("", "#Coral", "Coral"),
        ("Reef", "#^b1", "Reef > ^b1"),
        ("C", "#", "C"),
    ],
)
def test_what_a_link_without_display_text_shows(target: str, subpath: str, shown: str) -> None:
    assert shown_target(target, subpath) == shown


@pytest.mark.parametrize(
    ("heading", "safe"),
    [
        ("Sand: fine | coarse", "Sand fine coarse"),  # L-39
        ("C# ^ \\ x", "C x"),
        ("100%% sure, 50% not", "100 sure, 50% not"),
        ("About [[Thread]] and **dye**", "About Thread and **dye**"),
        ("Line\r\nbreak", "Line break"),
        ("See [x](y)", "See [x](y)"),
        ("Tasks [ ]", "Tasks ["),
    ],
)
def test_headings_are_made_safe(heading: str, safe: str) -> None:
    assert heading_for_link(heading) == safe


@pytest.mark.parametrize(
    ("path", "dest"),
    [
        ("b/Reef two.md", "b/Reef%20two.md"),
        ("b/Żaba 50%25.md", "b/Żaba%2050%2525.md"),  # L-40
        ("50% off.md", "50%%20off.md"),
        ("潮の表.md", "潮の表.md"),
        ("Heron (boat).md", "Heron%20(boat).md"),
        ("Heron (boat.md", "Heron%20%28boat.md"),
        ("a)b(c.md", "a%29b%28c.md"),
        ("tab\there.md", "tab%09here.md"),
        ("back\\slash.md", "back%5Cslash.md"),
        ("a|b.md", "a%7Cb.md"),
        ("<a>.md", "%3Ca%3E.md"),
        ("`a$.md", "%60a%24.md"),
        ("a&amp;b.md", "a%26amp;b.md"),
        ("a&b.md", "a&b.md"),
        ("note: x.md", "note%3A%20x.md"),
        ("a/b: x.md", "a/b:%20x.md"),
        ("Reef.md#Low tide", "Reef.md#Low%20tide"),
    ],
)
def test_destinations_are_encoded(path: str, dest: str) -> None:
    assert encode_destination(path) == dest


@given(st.text(alphabet="ab %25()<>\\|&;:é/.潮\u00a0[]*_~`'\"", max_size=12))
def test_an_encoded_destination_reads_back(path: str) -> None:
    dest = encode_destination(path)
    assert not set(dest) & set(" \\|")
    assert split_destination(dest) == (path.strip(), "")


def settings(style: str = "shortest", *, markdown: bool = False) -> ObsidianSettings:
    return ObsidianSettings(new_link_format=LinkFormat(style), use_markdown_links=markdown)


def made(vault: list[str], source: str, to: str, given: ObsidianSettings, **more: Any) -> str:
    return make_link(
        source=source, target_path=to, settings=given, lookup=NameIndex([*vault, source]), **more
    )


@pytest.mark.parametrize(
    ("vault", "source", "to", "style", "wikilink", "markdown"),
    [
        (["Coast/Reef.md"], "S.md", "Coast/Reef.md", "shortest", "[[Reef]]", "[Reef](Reef.md)"),
        (
            ["a/Reef.md", "b/Reef.md"],
            "S.md",
            "b/Reef.md",
            "shortest",
            "[[b/Reef]]",
            "[Reef](b/Reef.md)",
        ),
        # it resolves from there, although another note has the name
        (
            ["a/Reef.md", "b/Reef.md"],
            "b/S.md",
            "b/Reef.md",
            "shortest",
            "[[Reef]]",
            "[Reef](Reef.md)",
        ),
        (
            ["b/Reef two.md"],
            "a/S.md",
            "b/Reef two.md",
            "relative",
            "[[../b/Reef two]]",
            "[Reef two](../b/Reef%20two.md)",
        ),
        (["a/Reef.md"], "a/S.md", "a/Reef.md", "relative", "[[Reef]]", "[Reef](Reef.md)"),
        (
            ["a/Reef.md", "Reef.md"],
            "a/S.md",
            "a/Reef.md",
            "relative",
            "[[./Reef]]",
            "[Reef](./Reef.md)",
        ),
        (["a/b/Reef.md"], "a/S.md", "a/b/Reef.md", "relative", "[[b/Reef]]", "[Reef](b/Reef.md)"),
        (["Reef.md"], "a/b/S.md", "Reef.md", "relative", "[[../../Reef]]", "[Reef](../../Reef.md)"),
        (["b/Reef.md"], "a/S.md", "b/Reef.md", "absolute", "[[b/Reef]]", "[Reef](b/Reef.md)"),
        (["img/p.png"], "S.md", "img/p.png", "shortest", "[[p.png]]", "[p.png](p.png)"),
        (["v1.2.md"], "S.md", "v1.2.md", "shortest", "[[v1.2]]", "[v1.2](v1.2.md)"),
        # names that only their extension tells from others
        (
            ["Log.md", "Log.md.md"],
            "S.md",
            "Log.md.md",
            "shortest",
            "[[Log.md.md]]",
            "[Log.md](Log.md.md)",
        ),
        (["v1.2", "v1.2.md"], "S.md", "v1.2.md", "shortest", "[[v1.2.md]]", "[v1.2](v1.2.md)"),
        (["Cafe\u0301.md"], "S.md", "Cafe\u0301.md", "shortest", "[[Caf\u00e9]]", None),
    ],
)
def test_new_links_follow_the_settings(
    vault: list[str], source: str, to: str, style: str, wikilink: str, markdown: str | None
) -> None:
    assert made(vault, source, to, settings(style)) == wikilink
    if markdown is not None:
        assert made(vault, source, to, settings(style, markdown=True)) == markdown


@pytest.mark.parametrize(
    ("more", "wikilink", "markdown"),
    [
        ({"display": "AR"}, "[[Reef|AR]]", "[AR](Reef.md)"),
        ({"display": "a [x] b"}, "[[Reef|a [x] b]]", r"[a \[x\] b](Reef.md)"),
        ({"display": "[[x]]"}, "[[Reef|[ [x] ] ]]", r"[\[\[x\]\]](Reef.md)"),
        ({"display": "two\nlines"}, "[[Reef|two lines]]", "[two lines](Reef.md)"),
        ({"display": "Reef"}, "[[Reef]]", "[Reef](Reef.md)"),
        ({"embed": True}, "![[Reef]]", "![](Reef.md)"),
        ({"display": "x", "in_table": True}, r"[[Reef\|x]]", "[x](Reef.md)"),  # L-42
        ({"display": "a|b", "in_table": True}, r"[[Reef\|a\|b]]", r"[a\|b](Reef.md)"),
        ({"subpath": "#Low tide"}, "[[Reef#Low tide]]", "[Reef](Reef.md#Low%20tide)"),
        ({"subpath": "#Sand: fine | coarse"}, "[[Reef#Sand fine coarse]]", None),
        ({"subpath": "#A#B"}, "[[Reef#A#B]]", "[Reef](Reef.md#A#B)"),
        ({"subpath": "#Using C# well"}, "[[Reef#Using C well]]", None),
        ({"subpath": "#^b-1"}, "[[Reef#^b-1]]", "[Reef](Reef.md#^b-1)"),
    ],
)
def test_parts_of_a_link(more: dict[str, object], wikilink: str, markdown: str | None) -> None:
    assert made(["Reef.md"], "S.md", "Reef.md", settings(), **more) == wikilink
    if markdown is not None:
        found = made(["Reef.md"], "S.md", "Reef.md", settings(markdown=True), **more)
        assert found == markdown


def test_a_place_in_the_same_note_needs_no_name() -> None:
    assert made([], "a/S.md", "a/S.md", settings(), subpath="#Low tide") == "[[#Low tide]]"
    markdown = made([], "a/S.md", "a/S.md", settings(markdown=True), subpath="#Low tide")
    assert markdown == "[Low tide](#Low%20tide)"
    assert made([], "a/S.md", "a/S.md", settings()) == "[[S]]"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a|b.md", "[a|b](a%7Cb.md)"),
        ("a^b.md", "[a^b](a^b.md)"),
        ("a[[b.md", r"[a\[\[b](a[[b.md)"),
        ("a`b.md", r"[a\`b](a%60b.md)"),
    ],
)
def test_a_name_that_no_wikilink_can_hold_gets_a_markdown_link(name: str, text: str) -> None:
    assert made([name], "S.md", name, settings()) == text


def test_a_name_that_ends_in_a_bracket_keeps_its_extension() -> None:
    assert made(["list [a].md"], "S.md", "list [a].md", settings()) == "[[list [a].md]]"


@pytest.mark.parametrize("name", ["C#.md", "Makefile"])
def test_a_name_that_no_link_can_address_is_refused(name: str) -> None:
    with pytest.raises(RefusedError, match=name):
        made([name, "C.md"], "S.md", name, settings())


names = st.text(alphabet="aAbé .%()[]|&#^`$<:\\\u00a0潮", min_size=1, max_size=6).filter(
    lambda name: not name.startswith(".")
)
paths = st.builds(
    lambda folders, name, end: "/".join([*folders, name + end]),
    st.lists(st.sampled_from(["a", "b", "a b", "é"]), max_size=2),
    st.one_of(names, st.sampled_from(["Reef", "v1.2", "Reef.md"])),
    st.sampled_from([".md", ".MD", ".png"]),
)


@given(
    vault=st.lists(paths, min_size=1, max_size=6, unique=True),
    source=paths,
    style=st.sampled_from(LinkFormat),
    markdown=st.booleans(),
    display=st.none() | st.text(alphabet="ab[]|\\ #", max_size=5),
    in_table=st.booleans(),
)
def test_a_made_link_leads_back_to_its_file(
    vault: list[str],
    source: str,
    style: LinkFormat,
    markdown: bool,
    display: str | None,
    in_table: bool,
) -> None:
    lookup = NameIndex([*vault, source])
    wanted = vault[0]
    try:
        text = make_link(
            source=source,
            target_path=wanted,
            settings=settings(style, markdown=markdown),
            lookup=lookup,
            display=display,
            in_table=in_table,
        )
    except RefusedError:
        assert (
            "#" in wanted or wanted != wanted.strip() or "/ " in wanted or clashing(vault, source)
        )
        return
    note = f"| a |\n| --- |\n| {text} |\n" if in_table else f"See {text}.\n"
    (link,) = parse_note(note).links
    assert note[link.start : link.end] == text
    assert link.subpath == ""
    assert resolve(link.target, source, lookup).path == wanted


def clashing(vault: list[str], source: str) -> bool:
    """Whether the first path has a twin that no spelling tells from it."""
    lookup = NameIndex([*vault, source])
    return resolve(vault[0], source, lookup).path != vault[0]
