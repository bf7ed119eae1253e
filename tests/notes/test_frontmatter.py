"""Reading the property block (P-01 to P-23, T-13 to T-20, L-24 to L-26)."""

import json

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from vaultmem.notes.frontmatter import read_frontmatter
from vaultmem.notes.model import FrontmatterState, Link, LinkKind, Tag, WarningCode
from vaultmem.notes.simple_yaml import load_simple
from vaultmem.notes.yaml12 import LoadedYaml, YamlFault, load_mapping


def block(inner: str) -> str:
    return f"---\n{inner}---\nBody\n"


def codes(text: str) -> list[str]:
    return [warning.code.value for warning in read_frontmatter(text).warnings]


# --- where the block stands ---


@pytest.mark.parametrize(
    ("text", "inner", "body"),
    [
        ("---\nkind: boat\n---\nBody", "kind: boat\n", "Body"),
        ("---\nkind: boat\n---", "kind: boat\n", ""),
        ("---\r\nkind: boat\r\n---\r\nBody", "kind: boat\r\n", "Body"),
        ("\ufeff---\nkind: boat\n---\nBody", "kind: boat\n", "Body"),
        ("---\n---\nBody", "", "Body"),
        ("---\r\n---\r\n", "", ""),
        ("---\na: 1\n---\n---\nb: 2\n---\n", "a: 1\n", "---\nb: 2\n---\n"),
        ("---\na: |\n  ---\n---\n", "a: |\n  ---\n", ""),
        ("---\rkind: boat\r---\rBody", "kind: boat\r", "Body"),
    ],
)
def test_a_block_stands_between_exact_fences(text: str, inner: str, body: str) -> None:
    read = read_frontmatter(text)
    assert read.state in (FrontmatterState.OK, FrontmatterState.EMPTY)
    assert text[read.inner_start : read.inner_end] == inner
    assert text[read.body_start :] == body


@pytest.mark.parametrize(
    "text",
    [
        "",
        "---",
        "---\n",
        "----\nkind: boat\n---\n",
        "# Title\n---\nkind: boat\n---\n",
        "---\nkind: boat\n\nno closing fence\n",
        "---\nkind: boat\n...\nBody\n",
        "---\nkind: boat\n----\n",
        "---\n\nA rule, then text.\n",
        "\n---\n\nTwo rules around text.\n\n---\n",
    ],
)
def test_anything_else_is_body_and_no_fault(text: str) -> None:
    read = read_frontmatter(text)
    assert (read.state, read.values, read.inner_start, read.inner_end, read.body_start) == (
        FrontmatterState.NONE,
        {},
        0,
        0,
        0,
    )
    assert read.warnings == ()


@pytest.mark.parametrize(
    "text",
    [
        "---  \nkind: boat\n---\nBody\n",
        "\n\n---\nkind: boat\n---\n",
        " ---\nkind: boat\n---\n",
        "---\nkind: boat\n--- \nBody\n",
        "---\t\r\nkind: boat\r\n---\r\n",
        '\n---\n# a comment\n"kind": boat\n---\n',
    ],
)
def test_a_near_miss_is_body_and_flagged(text: str) -> None:
    read = read_frontmatter(text)
    assert (read.state, read.body_start) == (FrontmatterState.NONE, 0)
    assert [warning.code for warning in read.warnings] == [WarningCode.NEAR_MISS_FRONTMATTER]
    assert read_frontmatter(text, template=True).warnings == ()


def test_a_byte_order_mark_is_no_part_of_the_body() -> None:
    assert read_frontmatter("\ufeffBody").body_start == 1


# --- values ---


@pytest.mark.parametrize(
    ("typed", "value"),
    [
        ("true", True),
        ("FALSE", False),
        ("yes", "yes"),
        ("off", "off"),
        ("null", None),
        ("~", None),
        ("", None),
        ('""', ""),
        ("'true'", "true"),
        ("12", 12),
        ("-3", -3),
        ("007", 7),
        ("0o17", 15),
        ("0x1F", 31),
        ("0b1", "0b1"),
        ("1_000", "1_000"),
        ("12.5", 12.5),
        (".5", 0.5),
        ("1e3", 1000.0),
        ("1e999", "1e999"),
        (".inf", ".inf"),
        (".NaN", ".NaN"),
        ("9" * 5000, "9" * 5000),
        ("12:30", "12:30"),
        ("2031-02-03", "2031-02-03"),
        ("2031-02-03T04:05:06", "2031-02-03T04:05:06"),
        ("!!str 5", "5"),
        ("!!int '5'", 5),
        ("!!float 5", 5.0),
        ("!!int word", "word"),
        ("!own 5", "5"),
        ("[[Reef]]", [["Reef"]]),
        ("{a: 1, b: [x]}", {"a": 1, "b": ["x"]}),
        ("a\u2028b\x85c", "a\u2028b\x85c"),
    ],
)
def test_plain_values_follow_the_yaml_12_core_schema(typed: str, value: object) -> None:
    read = read_frontmatter(block(f"key: {typed}\n"))
    assert (read.state, read.values) == (FrontmatterState.OK, {"key": value})
    assert type(read.values["key"]) is type(value)


def test_keys_are_text_as_written_and_nothing_is_merged() -> None:
    read = read_frontmatter(block("1: a\ntrue: b\nnull: c\nbase: &b {x: 1}\n<<: *b\n"))
    expected = {"1": "a", "true": "b", "null": "c", "base": {"x": 1}, "<<": {"x": 1}}
    assert read.values == expected


@pytest.mark.parametrize(
    ("inner", "line"),
    [
        ("name: boat: the second\n", 1),
        ("a: 1\nkind: boat\nkind: ship\n", 3),
        ("a: {b: 1, b: 2}\n", 1),
        ("hull:\n\twood: oak\n", 2),
        ("- boat\n", 1),
        ("tags:boat\n", 1),
        ('note: "open\n', None),
        ("? [a, b]\n: c\n", 1),
        ("a: &x [*x]\n", 1),
        ("a: *nowhere\n", 1),
        ("a: 1\n--- \nb: 2\n", 2),
        ("a: \x01\n", None),
        ("a: \ud800\n", None),
        ("a: " + "[" * 1_000_000 + "\n", 1),
        ("- " * 5000 + "a\n", 1),
        ("{" * 5000 + "\n", 1),
        ('{"a": 1, "a": 2}\n', 1),
    ],
)
@pytest.mark.parametrize("built_in_c", [True, False])
def test_what_is_no_mapping_is_invalid_and_yields_nothing(
    inner: str, line: int | None, built_in_c: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not built_in_c:
        monkeypatch.delattr(yaml, "CSafeLoader", raising=False)
    read = read_frontmatter(block(inner))
    assert read.state is FrontmatterState.INVALID
    assert (read.values, read.tags, read.aliases, read.links) == ({}, (), (), ())
    assert [warning.code for warning in read.warnings] == [WarningCode.INVALID_FRONTMATTER]
    if line is not None:
        assert read.warnings[0].line == line
    assert read_frontmatter(block(inner), template=True).warnings == ()


def test_aliases_of_aliases_cannot_explode() -> None:
    bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
        f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 9)
    )
    assert read_frontmatter(block(bomb)).state is FrontmatterState.INVALID


def test_a_comment_or_nothing_is_an_empty_block() -> None:
    for inner in ("", "\n", "# only a comment\n", "{}\n"):
        read = read_frontmatter(block(inner))
        assert (read.state, read.values, read.warnings) == (FrontmatterState.EMPTY, {}, ())


@pytest.mark.parametrize(
    ("inner", "values"),
    [
        ('{"kind": "boat", "n": [1, 2.5, null]}\n', {"kind": "boat", "n": [1, 2.5, None]}),
        ('{\n\t"a": "\\ud83d\\ude00"\n}\n', {"a": "😀"}),
        ('{"a": 1e999}\n', {"a": "1e999"}),
    ],
)
def test_a_json_object_is_read_and_marked(inner: str, values: object) -> None:
    read = read_frontmatter(block(inner))
    assert (read.state, read.values, read.is_json) == (FrontmatterState.OK, values, True)


# --- tags and aliases ---


@pytest.mark.parametrize(
    ("inner", "tags", "warnings"),
    [
        ("tags: [sea, coast/north]\n", ["sea", "coast/north"], []),
        ("TAGS:\n  - sea\n", ["sea"], []),
        ('tags: [sea, 42, null, low tide, "", true, reef, "a.b"]\n', ["sea", "reef"], []),
        ('tags:\n  - "#sea"\n  - #coast\n  - reef\n', ["sea", "reef"], ["commented-value"]),
        ("tags: sea\n", ["sea"], ["tags-not-list"]),
        ("tags: sea, coast\n", [], ["tags-not-list"]),
        ("tags: sea coast\n", [], ["tags-not-list"]),
        ("tags: 7\n", [], ["tags-not-list"]),
        ("tags:\n", [], []),
        ("tag: sea\nother: ['#x']\nmap:\n  tags: [y]\n", [], ["old-property"]),
        ("tags:\n  sea: coast\n", [], ["tags-not-list"]),
        ("tags: [2031, '2031', 2031-02-03]\n", ["2031-02-03"], []),
        ('{"tags": ["sea", "\\ud83d\\ude00"]}\n', ["sea", "😀"], []),
    ],
)
def test_property_tags(inner: str, tags: list[str], warnings: list[str]) -> None:
    assert [tag.name for tag in read_frontmatter(block(inner)).tags] == tags
    assert codes(block(inner)) == warnings


@pytest.mark.parametrize(
    ("inner", "message"),
    [
        ("tags: #house\n", "#house behind tags is a comment to YAML, so it counts for nothing."),
        ("aliases: #1 house\n", "#1 house behind aliases is a comment to YAML, so it counts for nothing."),
        ("tags:\n  - #house\n", "#house behind tags is a comment to YAML, so it counts for nothing."),
        ("created: 2026-13-45\n", "created is 2026-13-45, and there is no such day."),
        ("due: 2026-02-30T10:00\n", "due is 2026-02-30, and there is no such day."),
        ("cssclass: wide\n", "Obsidian no longer reads the property cssclass; cssclasses has taken its place."),
    ],
)  # fmt: skip
def test_what_does_not_say_what_is_meant_is_told(inner: str, message: str) -> None:
    assert [warning.message for warning in read_frontmatter(block(inner)).warnings] == [message]
    assert read_frontmatter(block(inner), template=True).warnings == ()


@pytest.mark.parametrize(
    "inner",
    [
        "tags: # of the house\n",
        "tags: [house] #home\n",
        "tags:\n  - house #home\n",
        "x: #house\n",
        "created: 2026-02-28\n",
        "created: 2026-02-28T10:00:00\n",
        "number: 2026-1345\n",
        "tag: a\ntags: [b]\n",
    ],
)
def test_what_says_what_is_meant_is_no_fault(inner: str) -> None:
    assert codes(block(inner)) == []


def test_a_property_tag_knows_its_place() -> None:
    text = block('a: 1\ntags: [sea, "#reef"]\n')
    expected = (
        Tag("sea", 2, text.index("sea"), text.index("sea") + 3, in_property=True),
        Tag("reef", 2, text.index('"#reef"'), text.index('"#reef"') + 7, in_property=True),
    )
    assert read_frontmatter(text).tags == expected


@pytest.mark.parametrize(
    ("inner", "aliases", "warnings"),
    [
        ('aliases:\n  - "  Skiff "\n  - ""\n  - 7\n  - Dinghy\n', ("Skiff", "Dinghy"), []),
        ("Aliases: [Skiff, Small boat]\n", ("Skiff", "Small boat"), []),
        ("aliases: Skiff, Dinghy\n", ("Skiff, Dinghy",), ["aliases-not-list"]),
        ("aliases:\n", (), []),
        ("alias: Skiff\n", (), ["old-property"]),
    ],
)
def test_aliases(inner: str, aliases: tuple[str, ...], warnings: list[str]) -> None:
    assert read_frontmatter(block(inner)).aliases == aliases
    assert codes(block(inner)) == warnings


# --- links ---


def test_property_links_know_their_key_relation_and_span() -> None:
    text = block(
        'up: "[[Reef#Ore| the ore ]]"\nrefs:\n  - x\n  - \'[[ Kelp ]]\'\nm:\n  s: "[[#Top]]"\n'
    )
    up, kelp, top = read_frontmatter(text).links
    start = text.index('"[[Reef')
    assert up == Link(
        LinkKind.PROPERTY,
        False,
        "Reef",
        "#Ore",
        "the ore",
        start,
        start + len('"[[Reef#Ore| the ore ]]"'),
        start + 3,
        start + 3 + len("Reef#Ore"),
        1,
        key="up",
        relation="up",
    )
    assert (kelp.target, kelp.key, kelp.relation, kelp.line) == ("Kelp", "refs.1", "refs", 4)
    assert text[kelp.dest_start : kelp.dest_end] == "Kelp"
    assert (top.target, top.subpath, top.key, top.relation) == ("", "#Top", "m.s", "m.s")


@pytest.mark.parametrize(
    "typed",
    [
        "[[Reef]]",
        '"see [[Reef]]"',
        '"[[Reef]] [[Kelp]]"',
        '"[r](Reef.md)"',
        '"[[]]"',
        '"![[Reef]]"',
        '"[[Reef"',
        '"[[a\\n]]"',
        "|\n  [[Reef]]",
    ],
)
def test_these_values_are_no_links(typed: str) -> None:
    assert read_frontmatter(block(f"up: {typed}\n")).links == ()


def test_a_link_written_with_escapes_keeps_the_place_of_its_brackets() -> None:
    text = block('up: "[[R\\u0065ef|x]]"\n')
    (link,) = read_frontmatter(text).links
    assert (link.target, text[link.dest_start : link.dest_end]) == ("Reef", "R\\u0065ef")


NAMES = st.text(st.sampled_from("abé漢😀 -_.'é"), min_size=1, max_size=8).filter(
    lambda name: bool(name.strip())
)


@settings(deadline=None)
@given(
    st.lists(st.tuples(NAMES, st.sampled_from("\"'"), st.booleans()), min_size=1, max_size=5),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from(["", "\ufeff"]),
    st.sampled_from(["", "key😀: 漢\n", "# 漢😀\n"]),
)
def test_the_span_of_a_property_link_is_its_quoted_text(
    links: list[tuple[str, str, bool]], newline: str, mark: str, before: str
) -> None:
    typed = [
        f"{quote}[[{name.replace(chr(39), chr(39) * 2) if quote == chr(39) else name}]]{quote}"
        for name, quote, _ in links
    ]
    lines = [
        f"k{number}: {value}" if flat else f"k{number}:\n  - {value}"
        for number, (value, (_, _, flat)) in enumerate(zip(typed, links, strict=True))
    ]
    text = mark + "---\n" + before + "\n".join(lines) + "\n---\n"
    text = text.replace("\n", newline)
    found = read_frontmatter(text).links
    assert [text[link.start : link.end] for link in found] == typed
    assert [link.target for link in found] == [name.strip() for name, _, _ in links]
    assert [text[link.start :].split(newline)[0] for link in found] == typed
    assert [text[: link.start].count("\n") for link in found] == [link.line for link in found]


# --- never an exception, always JSON ---

YAMLISH = st.lists(
    st.sampled_from(
        [
            "a",
            "tags",
            "aliases",
            ": ",
            ":",
            "- ",
            "\n",
            "\n",
            "\n  ",
            "[",
            "]",
            ", ",
            "{",
            "}",
            '"',
            "'",
            '"[[N|x]]"',
            "'[[M#h]]'",
            "[[N]]",
            "true",
            "12",
            "1.5",
            "2031-02-03",
            "~",
            "#",
            " #",
            "word",
            "k1: v\n",
            "k2: [x, y]\n",
            "k3:\n  - z\n",
            "é",
            "😀",
            "\xa0",
            "\t",
            "\r\n",
            "\r",
            "\u2028",
            "&a ",
            "*a",
            "!t ",
            "|",
            ">",
            "%",
            "@",
            "\\",
            "\x01",
            ".inf",
        ]
    ),
    max_size=16,
).map("".join)


@settings(deadline=None, max_examples=300)
@given(st.one_of(st.text(max_size=60), YAMLISH), st.booleans())
def test_reading_never_fails_and_values_are_json(inner: str, fenced: bool) -> None:
    text = f"---\n{inner}\n---\nBody" if fenced else inner
    read = read_frontmatter(text)
    assert json.loads(json.dumps(read.values, allow_nan=False)) == read.values
    assert 0 <= read.inner_start <= read.inner_end <= read.body_start <= len(text)
    assert all(text[link.start] in "\"'" for link in read.links)


def parsed(inner: str) -> LoadedYaml | None:
    try:
        return load_mapping(inner)
    except YamlFault:
        return None


@settings(deadline=None, max_examples=600)
@given(YAMLISH)
def test_the_quick_reader_says_what_the_parser_says(inner: str) -> None:
    quick = load_simple(inner)
    if quick is not None:
        assert repr(quick) == repr(parsed(inner))


@pytest.mark.parametrize(
    "inner",
    [
        "tags: [a, \"b c\", 'd,e']\ncreated: 2031-02-03\nn: 12\n",
        'aliases:\n  - One two\n  - "[[X]]"\n  -\nstatus: on\nurl: https://host/a:b#c\n',
        "up: '[[X]]'\r\nlist:\r\n- a\r\n- 1.5\r\n",
        "empty:\nflow: []\nlast: 😀 wörd (x)\n",
    ],
)
def test_the_quick_reader_reads_ordinary_blocks(inner: str) -> None:
    quick = load_simple(inner)
    assert quick is not None
    assert repr(quick) == repr(load_mapping(inner))
