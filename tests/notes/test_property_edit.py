"""Changing one property, and nothing else (E-01 to E-19)."""

from __future__ import annotations

import json
from typing import TypeAlias

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from vaultmem.notes.frontmatter import read_frontmatter
from vaultmem.notes.model import FrontmatterState, PropertyValue
from vaultmem.notes.obsidian import ObsidianSettings
from vaultmem.notes.property_edit import (
    AddItem,
    PropertyChange,
    RemoveItem,
    RemoveProperty,
    SetProperty,
    plan_property_edit,
)
from vaultmem.notes.refusal import EditRefused
from vaultmem.notes.textedit import apply_edits, inverse_edits
from vaultmem.notes.yaml_render import double_quoted
from vaultmem.notes.yaml_splice import same_value

DEFAULTS = ObsidianSettings()


def edit(text: str, change: PropertyChange, path: str = "Note.md") -> str:
    return apply_edits(text, plan_property_edit(text, change, path=path, settings=DEFAULTS))


def edit_inner(inner: str, change: PropertyChange) -> str:
    """The lines between the fences after the change; fences and body must stay as they are."""
    after = edit(f"---\n{inner}---\nBody  \n", change)
    assert after.startswith("---\n")
    assert after.endswith("---\nBody  \n")
    return after.removeprefix("---\n").removesuffix("---\nBody  \n")


def refusal(text: str, change: PropertyChange, **more: object) -> str:
    given_: dict[str, object] = {"path": "Note.md", "settings": DEFAULTS, **more}
    with pytest.raises(EditRefused) as caught:
        plan_property_edit(text, change, **given_)  # type: ignore[arg-type]
    return str(caught.value.code)


Row: TypeAlias = tuple[str, PropertyChange, str]

SCALARS: list[Row] = [
    ("a: 1\nb: 2\n", SetProperty("a", 3), "a: 3\nb: 2\n"),
    ("a:\nb: 2\n", SetProperty("a", "x"), "a: x\nb: 2\n"),
    ("a:   \n", SetProperty("a", "x"), "a: x\n"),
    ("a: # none yet\n", SetProperty("a", "x"), "a: x # none yet\n"),
    ("a: x   # why\n", SetProperty("a", None), "a:   # why\n"),
    ("a: x  \n", SetProperty("a", None), "a:\n"),
    ("a: ~\n", SetProperty("a", "x"), "a: x\n"),
    ("a:\n  x\nb: 1\n", SetProperty("a", None), "a:\nb: 1\n"),
    ("a: one\n  two\n  three # c\n", SetProperty("a", "x"), "a: x # c\n"),
    ('a: "one\n  two"\n', SetProperty("a", "x"), 'a: "x"\n'),
    # the quote style stays where it fits (E-03)
    ("a: 'x'\n", SetProperty("a", 'it\'s "so"'), "a: 'it''s \"so\"'\n"),
    ('a: "x"\n', SetProperty("a", "plain"), 'a: "plain"\n'),
    ('a: "2031-01-01"\n', SetProperty("a", "2031-02-03"), 'a: "2031-02-03"\n'),
    ("a: 'x'\n", SetProperty("a", "two\nlines"), 'a: "two\\nlines"\n'),
    ("a: 'x'\n", SetProperty("a", 7), "a: 7\n"),
    ("a: x\n", SetProperty("a", "[[Reef]]"), 'a: "[[Reef]]"\n'),
    # keys as they are written
    ("'a': 1\n", SetProperty("a", 2), "'a': 2\n"),
    ("a : 1\n", SetProperty("a", 2), "a : 2\n"),
    ("  a: 1\n  b: 2\n", SetProperty("c", 3), "  a: 1\n  b: 2\n  c: 3\n"),
    ("a: 1\n# last words\n", SetProperty("b", 2), "a: 1\n# last words\nb: 2\n"),
    ("# only a comment\n", SetProperty("b", 2), "# only a comment\nb: 2\n"),
    ("", SetProperty("b", 2), "b: 2\n"),
    ("a: 1\n", SetProperty("2031", "x"), "a: 1\n2031: x\n"),
    ("a: 1\n", SetProperty("x: y", "z"), 'a: 1\n"x: y": z\n'),
    ("a: 1\n", SetProperty("true", "z"), 'a: 1\n"true": z\n'),
    ("? a\n: 1\nb: 2\n", SetProperty("b", 3), "? a\n: 1\nb: 3\n"),
    ("b: 1\na: !!str 5\n", SetProperty("a", "x"), "b: 1\na: x\n"),
    ("a: &x 1\nb: *x\n", SetProperty("b", 2), "a: &x 1\nb: 2\n"),
    ("a: &unused 1\n", SetProperty("a", 2), "a: 2\n"),
]

BLOCK_TEXTS: list[Row] = [
    ("a: |\n  x\n\nb: 1\n", SetProperty("a", "p\n\nq\n"), "a: |\n  p\n\n  q\n\nb: 1\n"),
    ("a: |  # why\n  x\nb: 1\n", SetProperty("a", "p\nq"), "a: |-  # why\n  p\n  q\nb: 1\n"),
    ("a: >\n    x\n    y\n", SetProperty("a", "p\n"), "a: |\n    p\n"),
    ("a: |+\n  x\n\n\nb: 1\n", SetProperty("a", "p\n\n"), "a: |+\n  p\n\nb: 1\n"),
    ("a: |-  # why\n  x\n  y\nb: 1\n", SetProperty("a", "p"), "a: p  # why\nb: 1\n"),
    ("a: |\n  x\nb: 1\n", SetProperty("a", " p\nq"), 'a: " p\\nq"\nb: 1\n'),
    ("a: |\n  x\nb: 1\n", SetProperty("a", None), "a:\nb: 1\n"),
    ("a: |\n  x\nb: 1\n", SetProperty("a", ["p"]), "a:\n  - p\nb: 1\n"),
    ("a: |\n  b: 1\nb: 2\n", SetProperty("b", 3), "a: |\n  b: 1\nb: 3\n"),
    ("a: |\n  x\n\nb: 1\n", RemoveProperty("a"), "\nb: 1\n"),
    ("a: |+\n  x\n\nb: 1\n", RemoveProperty("a"), "b: 1\n"),
    ("b: 1\na: |\n  x\n# after\n", RemoveProperty("a"), "b: 1\n# after\n"),
]

LISTS: list[Row] = [
    # block
    ("l:\n- a\n- b\n", AddItem("l", "c"), "l:\n- a\n- b\n- c\n"),
    ("l:\n    -   a\nk: 1\n", AddItem("l", "c"), "l:\n    -   a\n    -   c\nk: 1\n"),
    ("l:\n  - a # one\n  # mid\n  - b\n", RemoveItem("l", "b"), "l:\n  - a # one\n  # mid\n"),
    ("l:\n  - a\n  - a\n  - b\n", RemoveItem("l", "a"), "l:\n  - b\n"),
    ("l: # why\n  - a\n", RemoveItem("l", "a"), "l: # why\n"),
    ("l:\n  -\n  - a\n", AddItem("l", "b"), "l:\n  -\n  - a\n  - b\n"),
    ("l:\n  - |\n    x\n  - b\n", RemoveItem("l", "x\n"), "l:\n  - b\n"),
    ("l:\n  - b\n  - |\n    x\n", AddItem("l", "c"), "l:\n  - b\n  - |\n    x\n  - c\n"),
    ("l: &x\n  - a\nk: 1\n", AddItem("l", "b"), "l: &x\n  - a\n  - b\nk: 1\n"),
    ("l:\n  - a # one\n  - b\n", SetProperty("l", ["a", "c"]), "l:\n  - a # one\n  - c\n"),
    (
        "l:\n- a # one\n# mid\n- b\n- c\n",
        SetProperty("l", ["x", "a", "c"]),
        "l:\n- x\n- a # one\n# mid\n- c\n",
    ),
    ("l:\n  - 'a'\n", SetProperty("l", ["b"]), "l:\n  - 'b'\n"),
    ("l:\n  - a\nk: 1\n", SetProperty("l", []), "l: []\nk: 1\n"),
    ("l: # why\n  - a\nk: 1\n", SetProperty("l", "x"), "l: x # why\nk: 1\n"),
    ("l:\n  - - a\n    - b\n", SetProperty("l", [["b"], []]), "l:\n  - - b\n  - []\n"),
    # flow
    ("l: [a,b]\n", AddItem("l", "c"), "l: [a,b,c]\n"),
    ("l: [a] # why\n", AddItem("l", "b, c"), 'l: [a, "b, c"] # why\n'),
    ("l: []\n", AddItem("l", "a"), "l: [a]\n"),
    ("l: [a, 'b', c]\n", RemoveItem("l", "b"), "l: [a, c]\n"),
    ("l: [a, 'b']\n", RemoveItem("l", "b"), "l: [a]\n"),
    ("l: [a]\n", RemoveItem("l", "a"), "l: []\n"),
    ("l: [a, 'b']\n", SetProperty("l", ["x", "b", 1]), "l: [x, 'b', 1]\n"),
    ("l: [a]\n", SetProperty("l", [{"x": [1]}]), "l: [{x: [1]}]\n"),
    ("l: [\n  a,\n  b\n]\n", AddItem("l", "c"), "l: [\n  a,\n  b,\n  c\n]\n"),
    ("l: [\n  a,\n  b,\n]\n", AddItem("l", "c"), "l: [\n  a,\n  b,\n  c,\n]\n"),
    (
        "l: [\n  a, # one\n  b # two\n]\n",
        AddItem("l", "c"),
        "l: [\n  a, # one\n  b, # two\n  c\n]\n",
    ),
    ("l: [\n  a, # one\n  b # two\n]\n", RemoveItem("l", "b"), "l: [\n  a, # one\n]\n"),
    # from nothing and from a single value (E-11, E-12)
    ("k: 1\n", AddItem("l", "a"), "k: 1\nl:\n  - a\n"),
    ("l: # none\nk: 1\n", AddItem("l", "a"), "l: # none\n  - a\nk: 1\n"),
    (
        "aliases: Old one # why\n",
        AddItem("aliases", "New"),
        "aliases: # why\n  - Old one\n  - New\n",
    ),
    ("k: 1\n", SetProperty("tags", "sea"), "k: 1\ntags:\n  - sea\n"),
    ("tags: sea\n", SetProperty("tags", "coast"), "tags:\n  - coast\n"),
    ("tags: sea, coast\n", AddItem("tags", "reef"), "tags:\n  - sea\n  - coast\n  - reef\n"),
    ("tags: sea coast\n", RemoveItem("tags", "sea"), "tags:\n  - coast\n"),
    ("aliases: A, B\n", AddItem("aliases", "C"), "aliases:\n  - A, B\n  - C\n"),
    # tags are compared without case and mark (E-13)
    ("tags: [Sea]\n", AddItem("tags", "#coast"), "tags: [Sea, coast]\n"),
    ("tags: [Sea, '#sea', x]\n", RemoveItem("tags", "#SEA"), "tags: [x]\n"),
    ("TAGS: [Sea]\n", SetProperty("tags", ["x"]), "TAGS: [x]\n"),
    ("Status: a\n", SetProperty("status", "b"), "Status: a\nstatus: b\n"),
]

MAPS: list[Row] = [
    (
        "k: 1\n",
        SetProperty("m", {"a": {"b": [1, {"c": 2, "d": []}]}, "e": None}),
        "k: 1\nm:\n  a:\n    b:\n      - 1\n      - c: 2\n        d: []\n  e:\n",
    ),
    (
        "m:\n  a: 1 # one\n  b: 'two'\nz: 1\n",
        SetProperty("m", {"a": 1, "b": "three", "c": [1]}),
        "m:\n  a: 1 # one\n  b: 'three'\n  c:\n    - 1\nz: 1\n",
    ),
    ("m:\n  a: 1\n  b: 2 # two\n", SetProperty("m", {"b": 2}), "m:\n  b: 2 # two\n"),
    ("m: {a: 1, b: 'x'} # c\n", SetProperty("m", {"a": 1, "b": "y"}), "m: {a: 1, b: 'y'} # c\n"),
    ("m: {a: 1, b: 2}\n", SetProperty("m", {"b": 2}), "m: {b: 2}\n"),
    (
        "l:\n  - a: 1\n    b: 2 # c\n  - a: 3\n",
        SetProperty("l", [{"a": 1, "b": 2}, {"a": 4}]),
        "l:\n  - a: 1\n    b: 2 # c\n  - a: 4\n",
    ),
    ("m:\n  status: x\n", SetProperty("status", "y"), "m:\n  status: x\nstatus: y\n"),
    ("m:\n  a: 1\nk: 1\n", RemoveProperty("m"), "k: 1\n"),
]


@pytest.mark.parametrize(("before", "change", "after"), SCALARS + BLOCK_TEXTS + LISTS + MAPS)
def test_only_the_lines_of_the_property_change(
    before: str, change: PropertyChange, after: str
) -> None:
    assert edit_inner(before, change) == after


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("boat", "boat"),
        ("", '""'),
        (" x", '" x"'),
        ("true", '"true"'),
        ("Null", '"Null"'),
        ("~", '"~"'),
        ("007", '"007"'),
        ("-1.5e3", '"-1.5e3"'),
        ("0x1F", '"0x1F"'),
        (".inf", '".inf"'),
        ("yes", "yes"),  # text in YAML 1.2 (P-09)
        ("12:30", "12:30"),
        ("2031-02-03T04:05:06", "2031-02-03T04:05:06"),
        ("v1.2.3", "v1.2.3"),
        ("a: b", '"a: b"'),
        ("a:", '"a:"'),
        ("a:b", "a:b"),
        ("a #b", '"a #b"'),
        ("a#b", "a#b"),
        ("#a", '"#a"'),
        ("- a", '"- a"'),
        ("-a", "-a"),
        ("@home", '"@home"'),
        ("`x`", '"`x`"'),
        ("100%", "100%"),
        ("%x", '"%x"'),
        ("*x*", '"*x*"'),
        ('say "hi"', 'say "hi"'),
        ('"hi"', '"\\"hi\\""'),
        ("back\\slash", "back\\slash"),
        ("---", '"---"'),
        ("tab\there", '"tab\\there"'),
        ("\x07\u2028\ufeff", '"\\x07\\u2028\\ufeff"'),
        ("https://example.org/a?b=c", "https://example.org/a?b=c"),
        ("潮の表 🐚", "潮の表 🐚"),
        (True, "true"),
        (-4, "-4"),
        (1.5, "1.5"),
        (1e22, "1e+22"),
        ([], "[]"),
        ({}, "{}"),
    ],
)
def test_values_are_quoted_only_when_plain_text_would_change(
    value: PropertyValue, written: str
) -> None:
    assert edit_inner("k: 1\n", SetProperty("v", value)) == f"k: 1\nv: {written}\n"


@pytest.mark.parametrize(
    ("inner", "change"),
    [
        ("a: 1\n", SetProperty("a", 1)),
        ("a: 0x10\n", SetProperty("a", 16)),
        ("tags: sea\n", SetProperty("tags", "sea")),
        ("tags: [Sea]\n", AddItem("tags", "#sea")),
        ("l: [1]\n", AddItem("l", 1)),
        ("l: [1]\n", RemoveItem("l", True)),
        ("l:\n", RemoveItem("l", "x")),
        ("k: 1\n", RemoveItem("l", "x")),
        ("k: 1\n", RemoveProperty("l")),
        ("m: {b: 1, a: 2}\n", SetProperty("m", {"a": 2, "b": 1})),
        ("a: >-\n  one\n  two\n", SetProperty("a", "one two")),
    ],
)
def test_what_is_so_already_is_not_written(inner: str, change: PropertyChange) -> None:
    text = f"---\n{inner}---\n"
    assert plan_property_edit(text, change, path="Note.md", settings=DEFAULTS) == ()


@pytest.mark.parametrize(
    ("before", "change", "after"),
    [
        # the block comes and goes as a whole (E-06, E-09)
        ("", SetProperty("a", 1), "---\na: 1\n---\n"),
        ("\ufeffBody", SetProperty("a", 1), "\ufeff---\na: 1\n---\nBody"),
        ("x\r\ny", AddItem("l", "a"), "---\r\nl:\r\n  - a\r\n---\r\nx\r\ny"),
        ("---\n\nA rule, then text.\n", SetProperty("a", 1),
         "---\na: 1\n---\n---\n\nA rule, then text.\n"),
        ("---\n---\nBody", SetProperty("a", 1), "---\na: 1\n---\nBody"),
        ("\ufeff---\r\na: 1\r\n---\r\nBody", RemoveProperty("a"), "\ufeffBody"),
        ("---\n\na: 1\n\n---", RemoveProperty("a"), ""),
        ("---\n# why\na: 1\n---\nBody", RemoveProperty("a"), "---\n# why\n---\nBody"),
        # a body that would itself become the block keeps an empty one above it
        ("---\na: 1\n---\n---\nb: 2\n---\n", RemoveProperty("a"), "---\n---\n---\nb: 2\n---\n"),
        ("---\na: 1\n---\n\n---\nb: 2\n---\n", RemoveProperty("a"), "---\n---\n\n---\nb: 2\n---\n"),
        # the opening fence says how lines end (E-05)
        ("---\r\na: 1\n---\nBody\n", SetProperty("l", ["x"]), "---\r\na: 1\nl:\r\n  - x\r\n---\nBody\n"),
        ("---\ra: 1\r---\rBody\r", SetProperty("b", 2), "---\ra: 1\rb: 2\r---\rBody\r"),
        ("---\r\nl:\r\n  - a\r\n---", AddItem("l", "b"), "---\r\nl:\r\n  - a\r\n  - b\r\n---"),
    ],
)  # fmt: skip
def test_the_rest_of_the_file_keeps_its_bytes(
    before: str, change: PropertyChange, after: str
) -> None:
    assert edit(before, change) == after


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("---\na: [b\n---\n", "invalid-frontmatter"),
        ("---\n\ta: 1\n---\n", "invalid-frontmatter"),
        ("---\na: 1\na: 2\n---\n", "invalid-frontmatter"),
        ("---\nword\n---\n", "invalid-frontmatter"),
        ("---\n{{date}}: 1\n---\n", "invalid-frontmatter"),
        ('---\n{"a": 1}\n---\n', "json-frontmatter"),
        ("---\n# why\n{a: 1}\n---\n", "json-frontmatter"),
        (" ---\na: 1\n---\n", "ambiguous-frontmatter"),
        ("--- \na: 1\n---\n", "ambiguous-frontmatter"),
        ("\n\n---\na: 1\n---\n", "ambiguous-frontmatter"),
    ],
)
@pytest.mark.parametrize("change", [SetProperty("a", 3), AddItem("a", 3), RemoveProperty("a")])
def test_blocks_that_are_left_alone(text: str, code: str, change: PropertyChange) -> None:
    assert refusal(text, change) == code


@pytest.mark.parametrize(
    ("inner", "change", "code"),
    [
        ("a: &x 1\nb: *x\n", SetProperty("a", 2), "unsafe-edit"),
        ("a: &x [1]\nb: *x\n", AddItem("a", 2), "unsafe-edit"),
        ("a: &x 1\nb: *x\n", RemoveProperty("a"), "unsafe-edit"),
        ("? a\n: 1\nb: 2\n", SetProperty("a", 2), "unsafe-edit"),
        ("a: 1\n...\n", SetProperty("b", 2), "unsafe-edit"),
        ("a: boat\n", AddItem("a", "x"), "not-a-list"),
        ("a: {b: 1}\n", RemoveItem("a", "x"), "not-a-list"),
        ("tags: {b: 1}\n", AddItem("tags", "x"), "not-a-list"),
        ("a: 1\n", SetProperty("b", float("nan")), "unwritable-value"),
        ("a: 1\n", SetProperty("b", [{"c": "\ud83d"}]), "unwritable-value"),
        ("a: 1\n", SetProperty("b", 10**120), "unwritable-value"),
        ("a: 1\n", SetProperty(" ", 1), "unwritable-value"),
        ("a: 1\n", SetProperty("b\nc", 1), "unwritable-value"),
    ],
)
def test_what_no_splice_can_do_is_refused(inner: str, change: PropertyChange, code: str) -> None:
    assert refusal(f"---\n{inner}---\nBody\n", change) == code


def test_templates_and_other_files_are_refused() -> None:
    templates = ObsidianSettings(templates_folder="Templates")
    change = SetProperty("a", 1)
    assert refusal("", change, path="templates/Log.md", settings=templates) == "template-folder"
    assert refusal("", change, path="Board.canvas") == "not-a-note"
    assert plan_property_edit("", change, path="Log.MD", settings=templates)
    named = {"path": "Templates/Log.md", "settings": templates, "allow_template": True}
    assert plan_property_edit("", change, **named)  # type: ignore[arg-type]


# --- for any block ---

keys = st.sampled_from(["a", "kind", "tags", "aliases", "due date", "Ünï", "x-y", "z: q", "#"])
words = st.text(alphabet="ab :#-'\"[]{},|>&*!?\\\n\té潮😀1.~", max_size=12)
scalars = st.one_of(
    words,
    st.sampled_from(["true", "null", "0x1F", "1e3", "2031-02-03", "[[Reef]]", "- x", "...", "yes"]),
    st.integers(-(10**20), 10**20),
    st.floats(allow_nan=False, allow_infinity=False),
    st.booleans(),
    st.none(),
)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(keys, inner, max_size=3)),
    max_leaves=8,
)


@st.composite
def written(draw: st.DrawFn, indent: str = "") -> list[str]:
    """Lines of an entry as people and tools write them, comments and all."""
    quoted = draw(
        st.sampled_from(["x", "'x y'", '"x\\ty"', "7", "2031-02-03", '"[[Reef]]"', "~", ""])
    )
    comment = draw(st.sampled_from(["", "  # why", " # a: b"]))
    shape = draw(st.integers(0, 8))
    if shape <= 2:
        return [f" {quoted}{comment}".rstrip()]
    if shape == 3:
        return [f" [{draw(st.sampled_from(['', 'x', 'x,y', 'x, [y], {z: 1}', 'x, ']))}]{comment}"]
    if shape == 4:
        step = draw(st.sampled_from(["- ", "  - ", "    -   "]))
        items = draw(
            st.lists(st.sampled_from(["x", "'y'", "", "p: 1", "z # c"]), min_size=1, max_size=4)
        )
        lines = [f"{indent}{step}{item}".rstrip() for item in items]
        if draw(st.booleans()):
            lines.insert(1, f"{indent}  # between")
        return [comment, *lines]
    if shape == 5:
        header = draw(st.sampled_from(["|", "|-", "|+", ">", ">-"]))
        return [f" {header}{comment}", f"{indent}  one", "", f"{indent}   two: x", ""]
    if shape == 6:
        return [f" one{''}", f"{indent}   two", f"{indent}   three{comment}"]
    if shape == 7:
        return [" [", f"{indent}  x, # one", f"{indent}  'y'", f"{indent}]{comment}"]
    return [comment, f"{indent}  p: 1  # inner", f"{indent}  q:", f"{indent}    - r"]


@st.composite
def notes(draw: st.DrawFn) -> str:
    ending = draw(st.sampled_from(["\n", "\r\n"]))
    names = draw(
        st.lists(
            st.sampled_from(["a", "kind", "tags", "Aliases", "'q'", "l"]), unique=True, max_size=4
        )
    )
    lines: list[str] = []
    for name in names:
        if draw(st.booleans()):
            lines.append(draw(st.sampled_from(["# note", "", "  # indented"])))
        first, *rest = draw(written())
        lines += [f"{name}:{first}", *rest]
    body = draw(st.sampled_from(["", "Body", "\nBody\n", "---\nb: 1\n---\n", "# H\n\ntext  \n"]))
    block = "\n".join(["---", *lines, "---", body]) if draw(st.integers(0, 9)) else body
    bom = draw(st.sampled_from(["", "\ufeff"]))
    return bom + block.replace("\n", ending)


@settings(max_examples=200, deadline=None)
@given(notes(), keys, values)
def test_after_set_all_is_as_before_but_the_key(text: str, key: str, value: PropertyValue) -> None:
    before = read_frontmatter(text)
    assume(before.state is not FrontmatterState.INVALID and not before.warnings)
    edits = plan_property_edit(text, SetProperty(key, value), path="n.md", settings=DEFAULTS)
    edited = apply_edits(text, edits)
    after = read_frontmatter(edited)
    name = (
        next((k for k in before.values if k.lower() == key), key)
        if key in ("tags", "aliases")
        else key
    )
    wanted = dict(before.values)
    if name not in wanted or not same_value(wanted[name], value):
        single = key in ("tags", "aliases") and not isinstance(value, list | dict | None)
        wanted[name] = [value] if single else value
    assert same_value(dict(after.values), wanted)
    assert list(after.values) == list(wanted)
    assert edited[after.body_start :] == text[before.body_start :]
    assert edited.startswith("\ufeff") == text.startswith("\ufeff")
    assert apply_edits(edited, inverse_edits(text, edits)) == text
    if before.state is not FrontmatterState.NONE:
        assert all(before.inner_start <= e.start <= e.end <= before.inner_end for e in edits)
        kept = [line for line in text[: before.inner_end].splitlines() if is_other(line, name)]
        assert is_subsequence(kept, edited.splitlines())


def is_other(line: str, name: str) -> bool:
    """Whether the line surely belongs to another property than that name: a key at the margin, or a fence."""
    margin = line[:1].isalpha() or line.startswith(("'", "-"))
    return margin and line != "-" and not line.startswith((f"{name}:", "- "))


def is_subsequence(part: list[str], whole: list[str]) -> bool:
    rest = iter(whole)
    return all(line in rest for line in part)


@settings(max_examples=150, deadline=None)
@given(notes(), keys, st.sampled_from(["x", "boat", "two words", "[[Reef]]", 5]))
def test_add_then_remove_gives_the_items_back(text: str, key: str, item: PropertyValue) -> None:
    before = read_frontmatter(text)
    assume(before.state is not FrontmatterState.INVALID and not before.warnings)
    held = before.values.get(key, [])
    assume(isinstance(held, list))
    assert isinstance(held, list)
    assume(item not in held and key != "aliases")
    added = edit(text, AddItem(key, item))
    assert same_value(read_frontmatter(added).values[key], [*held, item])
    removed = edit(added, RemoveItem(key, item))
    assert read_frontmatter(removed).values[key] in ([*held], held or None)


@settings(max_examples=150, deadline=None)
@given(notes(), keys)
def test_remove_takes_one_key_and_leaves_the_rest(text: str, key: str) -> None:
    before = read_frontmatter(text)
    assume(before.state is not FrontmatterState.INVALID and not before.warnings)
    edited = edit(text, RemoveProperty(key))
    after = read_frontmatter(edited)
    left = {
        k: v
        for k, v in before.values.items()
        if k.lower() != key or (k != key and key not in ("tags", "aliases"))
    }
    assert json.dumps(dict(after.values)) == json.dumps(left)
    assert edited[after.body_start :] == text[before.body_start :]


plain_words = st.sampled_from(["boat", "old hull", "2031-02-03", "a:b", "yes", "潮の表", "it's"])


@settings(deadline=None)
@given(notes(), plain_words, plain_words)
def test_set_and_set_back_restores_a_plain_value(text: str, old: str, new: str) -> None:
    before = read_frontmatter(text)
    assume(before.state is not FrontmatterState.INVALID and not before.warnings)
    there = edit(text, SetProperty("hull", old))
    assert edit(edit(there, SetProperty("hull", new)), SetProperty("hull", old)) == there


@settings(deadline=None)
@given(words, words)
def test_set_and_set_back_restores_a_quoted_value(old: str, new: str) -> None:
    text = f"---\nk: 1 # one\nv: {double_quoted(old)} # two\n---\nBody"
    assert edit(edit(text, SetProperty("v", new)), SetProperty("v", old)) == text
