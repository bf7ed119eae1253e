"""Rename and move planned in full: which links change, and how (M-01 to M-24)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vaultmem.notes.canvas import read_canvas
from vaultmem.notes.json_spans import json_strings, splice_string
from vaultmem.notes.link_edits import EditReason, PlanWarningCode
from vaultmem.notes.model import Link, LinkKind
from vaultmem.notes.obsidian import ObsidianSettings
from vaultmem.notes.parse import parse_note
from vaultmem.notes.paths import file_kind
from vaultmem.notes.refusal import EditRefused
from vaultmem.notes.rename import (
    LinkUpdates,
    Move,
    RenamePlan,
    affected_link_keys,
    folder_moves,
    plan_folder_rename,
    plan_rename,
)
from vaultmem.notes.rename_heading import heading_link_keys, plan_heading_rename
from vaultmem.notes.resolve import NameIndex, link_name_key, resolve, resolve_exact
from vaultmem.notes.textedit import TextEdit, apply_edits, inverse_edits

Vault = Mapping[str, str]
ASKING = ObsidianSettings(always_update_links=False)


def plan(vault: Vault, *moves: tuple[str, str], **more: object) -> RenamePlan:
    given_: dict[str, object] = {"settings": ObsidianSettings(), "sources": vault, **more}
    return plan_rename(
        [Move(*move) for move in moves],
        lookup=NameIndex(vault),
        read=vault.get,
        **given_,  # type: ignore[arg-type]
    )


def carried_out(vault: Vault, made: RenamePlan) -> dict[str, str]:
    texts = {file.path: apply_edits(vault[file.path], file.edits) for file in made.files}
    moved = dict(made.moves)
    return {moved.get(path, path): texts.get(path, text) for path, text in vault.items()}


def after(vault: Vault, old: str, new: str) -> dict[str, str]:
    """The texts that differ afterwards, by the path they then have."""
    result = carried_out(vault, plan(vault, (old, new)).checked())
    before = {new if path == old else path: text for path, text in vault.items()}
    return {path: text for path, text in result.items() if text != before[path]}


@pytest.mark.parametrize(
    ("written", "then"),
    [
        ("[[ Old |x]]", "[[ New |x]]"),
        ("[[Old|]]", "[[New|]]"),
        ("[[Old#^b ]]", "[[New#^b ]]"),
        ("[[Old # Top]]", "[[New # Top]]"),
        ("[[OLD.MD]]", "[[New.md]]"),
        ("![[Old#Top|w]]", "![[New#Top|w]]"),
        ("[[Old|Old]]", "[[New|New]]"),  # M-06
        ("[[Old| Old ]]", "[[New| New ]]"),
        ("[[a/Old]]", "[[a/New]]"),
        ("[[/a/Old]]", "[[/a/New]]"),
        ("[[./a/Old]]", "[[./a/New]]"),
        ("[x](Old.md)", "[x](New.md)"),
        ("[x](Old)", "[x](New)"),
        ("[x](<Old.md>)", "[x](<New.md>)"),
        ('[x](a/Old.md#Top "Old")', '[x](a/New.md#Top "Old")'),
        ("[x](./a/Old.md)", "[x](./a/New.md)"),
        ("[Old](Old.md)", "[New](New.md)"),
        ("[x](O%6Cd.md%23Top)", "[x](New.md%23Top)"),
        ("[x](O&#108;d.md#T)", "[x](New.md#T)"),
        ("[![i](p.png)](Old.md)", "[![i](p.png)](New.md)"),
        ("> - **[[Old]]** ==[[Old]]==", "> - **[[New]]** ==[[New]]=="),
        ("# [[Old]] ^h", "# [[New]] ^h"),
        ("[^1]: [[Old]]", "[^1]: [[New]]"),
        ("up:: [[Old]]", "up:: [[New]]"),
        ("| [[Old\\|Old]] |\n|---|\n| [x](a/Old.md) |", "| [[New\\|New]] |\n|---|\n| [x](a/New.md) |"),
        ("%% [[Old]]\nmore %%", "%% [[New]]\nmore %%"),
        ("---\nup: '[[Old#Top|Old]]' # c\n---\n", "---\nup: '[[New#Top|New]]' # c\n---\n"),
        ('---\nm:\n  - {x: "[[Old]]"}\n---\n', '---\nm:\n  - {x: "[[New]]"}\n---\n'),
        ('---\nup: "[[\\u004fld]]"\n---\n', '---\nup: "[[New]]"\n---\n'),
        # what is no link, or none to the file, stays (M-11, M-12)
        ("`[[Old]]` $[[Old]]$ <!-- [[Old]] --> \\[[Old]]", None),
        ("```\n[[Old]]\n```", None),
        ("$$\n[[Old]]\n$$", None),
        ("<div>\n[[Old]]\n</div>", None),
        ("[[Older]] [[b/Old]] Old [[New]] [[Old.png]] [x](https://e.org/Old.md)", None),
        ("---\nup: [[Old]]\n---\n", None),
        ("---\nup: '[[Old'\nup: x\n---\n", None),
        ('---\naliases: ["[[Old]]"]\n---\n', None),
        ("[x][Old]\n\n[Old]: Old.md", None),
    ],
)  # fmt: skip
def test_each_form_of_link_follows_the_file_and_keeps_its_form(
    written: str, then: str | None
) -> None:
    for bom, tail in product(("", "\ufeff"), ("", " \r\n")):
        vault = {"a/Old.md": "", "Start.md": f"{bom}{written}{tail}"}
        expected = {} if then is None else {"Start.md": f"{bom}{then}{tail}"}
        assert after(vault, "a/Old.md", "a/New.md") == expected


@pytest.mark.parametrize(
    ("vault", "old", "new", "then"),
    [
        # M-02: what still leads there is left alone
        ({"Reef.md": "", "S.md": "[[Reef]] [x](Reef.md)"}, "Reef.md", "Coast/Reef.md", {}),
        ({"a/b/R.md": "", "S.md": "[[b/R]]"}, "a/b/R.md", "c/b/R.md", {}),
        # M-03, M-04
        (
            {"a/Old.md": "", "b/New.md": "", "S.md": "[[Old]]"},
            "a/Old.md", "long name/New.md", {"S.md": "[[long name/New]]"},
        ),
        ({"a/b/Old.md": "", "S.md": "[[b/Old]]"}, "a/b/Old.md", "a/b/New.md", {"S.md": "[[b/New]]"}),
        (
            {"a/b/Old.md": "", "c/b/New.md": "", "S.md": "[[b/Old]]"},
            "a/b/Old.md", "a/b/New.md", {"S.md": "[[a/b/New]]"},
        ),
        ({"a/Old.md": "", "b/S.md": "[[../a/Old]]"}, "a/Old.md", "c/Old.md", {"b/S.md": "[[../c/Old]]"}),
        ({"a/Old.md": "", "b/S.md": "[[../a/Old]]"}, "a/Old.md", "b/Old.md", {"b/S.md": "[[./Old]]"}),
        ({"a/Old.md": "", "a/S.md": "[[./Old]]"}, "a/Old.md", "Old.md", {"a/S.md": "[[../Old]]"}),
        ({"a/Old.md": "", "S.md": "[[a/Old]]"}, "a/Old.md", "Old.md", {"S.md": "[[Old]]"}),
        # names that only their extension tells from others
        ({"Old.md": "", "S.md": "[[Old]]"}, "Old.md", "v1.2.md", {"S.md": "[[v1.2]]"}),
        (
            {"Old.md": "", "p.png": "", "S.md": "[[Old]]"},
            "Old.md", "p.png.md", {"S.md": "[[p.png.md]]"},
        ),
        ({"v1.2.md": "", "S.md": "[[v1.2]]"}, "v1.2.md", "v1.3.md", {"S.md": "[[v1.3]]"}),
        ({"p.png": "", "S.md": "![[p.png|90]] ![a|9x9](p.png)"}, "p.png", "i/q r.PNG",
         {"S.md": "![[q r.PNG|90]] ![a|9x9](q%20r.PNG)"}),
        # M-08, L-40
        ({"Old.md": "", "S.md": "[x](Old.md)"}, "Old.md", "潮 50%25 (a.md",
         {"S.md": "[x](潮%2050%2525%20%28a.md)"}),
        ({"Old.md": "", "S.md": "[x](<Old.md>)"}, "Old.md", "a b.md", {"S.md": "[x](<a b.md>)"}),
        # M-09
        ({"Old.md": "", "S.md": "---\nu: '[[Old|Old]]'\n---\n"}, "Old.md", "Ann's.md",
         {"S.md": "---\nu: '[[Ann''s|Ann''s]]'\n---\n"}),
        # M-13
        (
            {"a/D.md": "[[R]] [x](../p.png) [[./E]] [[#T]] [[D#T]]", "a/R.md": "", "b/R.md": "",
             "p.png": "", "a/E.md": ""},
            "a/D.md", "b/D.md",
            {"b/D.md": "[[a/R]] [x](../p.png) [[../a/E]] [[#T]] [[D#T]]"},
        ),
        # M-14
        ({"Draft.md": "", "A/Plan.md": "", "S.md": "[[Plan|x]] [[A/Plan]]"}, "Draft.md", "Plan.md",
         {"S.md": "[[A/Plan|x]] [[A/Plan]]"}),
        ({"x.md": "", "p/p.png": "", "S.md": "![](p.png)"}, "x.md", "p.png.md", {}),
        ({"Note.md": "", "S.md": "[[note]] [[Note|Note]]"}, "Note.md", "NOTE.md", {}),  # M-16
        ({"Cafe\u0301.md": "", "S.md": "[[Caf\u00e9]]"}, "Cafe\u0301.md", "Tea\u0301.md",
         {"S.md": "[[Te\u00e1]]"}),
    ],
)  # fmt: skip
def test_moves(vault: Vault, old: str, new: str, then: dict[str, str]) -> None:
    if "\u0301" in new:  # new names are composed (N-07)
        made = plan(vault, (old, new))
        assert made.moves == (Move(old, "Te\u00e1.md"),)
        assert carried_out(vault, made)["S.md"] == then["S.md"]
        return
    assert after(vault, old, new) == then


def test_a_plan_says_what_changes_and_why() -> None:
    vault = {
        "a/Old.md": "[[R]]\n",
        "a/R.md": "",
        "b/c/R.md": "",
        "b/Plan.md": "",
        "S.md": "x\n[[Old|Old]]\n[[Plan]]\n",
    }
    made = plan(vault, ("a/Old.md", "b/c/Plan.md"))
    assert [(f.path, f.new_path) for f in made.files] == [
        ("S.md", "S.md"),
        ("a/Old.md", "b/c/Plan.md"),
    ]
    assert [(c.reason, c.before, c.after, c.line) for f in made.files for c in f.links] == [
        (EditReason.RENAMED, "[[Old|Old]]", "[[b/c/Plan|Plan]]", 1),
        (EditReason.PINNED, "[[R]]", "[[a/R]]", 0),
    ]
    assert made.files[0].edits == (TextEdit(4, 7, "b/c/Plan"), TextEdit(8, 11, "Plan"))
    assert [(w.code, w.path) for w in made.warnings] == [
        (PlanWarningCode.AMBIGUOUS_LINK, "a/Old.md")
    ]
    assert made.link_count == 2
    stolen = plan({"D.md": "", "a/P.md": "", "S.md": "[[P]]"}, ("D.md", "P.md"))
    assert [change.reason for change in stolen.files[0].links] == [EditReason.STOLEN]


def test_names_decide_which_files_can_hold_such_links() -> None:
    moves = [Move("a/Old.md", "v1.2.md"), Move("p.png", "q.png")]
    assert affected_link_keys(moves) == {"old.md", "old", "v1.2.md", "v1.2", "p.png", "q.png"}


def test_what_cannot_be_read_or_rewritten_is_told_and_left() -> None:
    vault = {"a/Old.md": "", "b/x`y/New.md": "", "S.md": "[[Old]]", "T.md": "[[Old]]"}
    made = plan_rename(
        [Move("a/Old.md", "c`d/New.md")],
        lookup=NameIndex(vault),
        sources=vault,
        read={**vault, "T.md": None}.get,
        settings=ObsidianSettings(),
    )
    assert [(w.code, w.path) for w in made.warnings] == [(PlanWarningCode.UNREADABLE, "T.md")]
    broken = {"Old.md": "", "C.canvas": "{", "D.canvas": ""}
    assert [w.code for w in plan(broken, ("Old.md", "New.md")).warnings] == [
        PlanWarningCode.UNREADABLE
    ]


# --- folders ---


def test_a_folder_rename_is_the_moves_of_its_files_settled_once() -> None:
    vault = {
        "d/One.md": "[[Two]] [[./Two]] [[d/Two]] [x](../S.md)",
        "d/e/Two.md": "[[../One]]",
        "d/Two.md": "",
        "dd/x.md": "",
        "S.md": "[[d/One]] [[One]] [[e/Two]]",
    }
    made = plan_folder_rename(
        "d", "n/k", paths=vault, lookup=NameIndex(vault), sources=vault, read=vault.get,
        settings=ObsidianSettings(),
    )  # fmt: skip
    assert made.moves == folder_moves("d", "n/k", vault)
    assert carried_out(vault, made) == {
        "n/k/One.md": "[[Two]] [[./Two]] [[n/k/Two]] [x](../../S.md)",
        "n/k/e/Two.md": "[[../One]]",
        "n/k/Two.md": "",
        "dd/x.md": "",
        "S.md": "[[n/k/One]] [[One]] [[e/Two]]",
    }


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("d", "E", "exists"),
        ("d", "d/x", "unsafe-name"),
        ("d", "a|b", "unsafe-name"),
        ("none", "x", "missing"),
        ("d", "D", None),
        ("d", "e2", None),
    ],
)
def test_folders_in_the_way(old: str, new: str, code: str | None) -> None:
    vault = {"d/One.md": "", "e/Two.md": ""}
    made = plan_folder_rename(
        old, new, paths=vault, lookup=NameIndex(vault), sources=vault, read=vault.get,
        settings=ObsidianSettings(),
    )  # fmt: skip
    assert [refusal.code for refusal in made.refusals] == ([] if code is None else [code])


# --- refusals ---


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("Old.md", "Other.md", "exists"),
        ("Old.md", "OTHER.md", "exists"),
        ("Old.md", "a/deep.md", "exists"),
        ("none.md", "x.md", "missing"),
        ("Old.md", "C#.md", "unsafe-name"),
        ("Old.md", "con.md", "unsafe-name"),
        ("Old.md", ".md", "unsafe-name"),
        ("Old.md", "a:b/Old.md", "unsafe-name"),
        ("Old.md", "../Old.md", "unsafe-name"),
        ("Old.md", "Old", "unsafe-name"),
        ("Old.md", "Old.txt", "unsafe-name"),
        ("Old.md", "x//Old.md", "unsafe-name"),
    ],
)
def test_what_stands_in_the_way(old: str, new: str, code: str) -> None:
    vault = {"Old.md": "", "Other.md": "", "A/Deep.md": "", "S.md": "[[Old]]"}
    made = plan(vault, (old, new))
    assert [refusal.code for refusal in made.refusals] == [code]
    assert made.files == ()
    with pytest.raises(EditRefused) as caught:
        made.checked()
    assert caught.value.code == code


def test_existing_names_are_not_judged() -> None:
    vault = {"C# old.md": "", "a#/x.md": ""}
    assert plan(vault, ("C# old.md", "deep/C# old.md")).refusals == ()
    assert plan(vault, ("a#/x.md", "a#/y.md")).refusals == ()
    assert plan(vault, ("C# old.md", "a#/ok.md"), is_folder=lambda p: p == "a#").refusals == ()


def test_files_may_swap_names_but_not_meet() -> None:
    vault = {"a.md": "", "b.md": "", "S.md": "[[a]] [[b]]"}
    swapped = plan(vault, ("a.md", "b.md"), ("b.md", "a.md")).checked()
    assert carried_out(vault, swapped)["S.md"] == "[[b]] [[a]]"
    meeting = plan(vault, ("a.md", "c.md"), ("b.md", "C.md"))
    assert [refusal.code for refusal in meeting.refusals] == ["exists"]


def test_links_change_only_with_consent() -> None:
    vault = {"Old.md": "", "S.md": "[[Old]]"}
    asked = plan(vault, ("Old.md", "New.md"), settings=ASKING)
    assert [refusal.code for refusal in asked.refusals] == ["needs-consent"]
    assert asked.link_count == 1  # what would be done can be shown
    said = plan(vault, ("Old.md", "New.md"), settings=ASKING, updates=LinkUpdates.YES)
    assert (said.refusals, said.link_count) == ((), 1)
    declined = plan(vault, ("Old.md", "New.md"), updates=LinkUpdates.NO)
    assert (declined.refusals, declined.files, len(declined.moves)) == ((), (), 1)
    assert plan(vault, ("S.md", "T.md"), settings=ASKING).refusals == ()


# --- canvases ---


def canvas_of(*nodes: str) -> str:
    inner = ",\n\t\t".join(nodes)
    return f'{{ "nodes":[\n\t\t{inner}\n\t],"edges":[], "x" : {{"y":[1,"Old.md"]}}}}\n'


@pytest.mark.parametrize(
    ("node", "then"),
    [
        ('{"type":"file","file":"a/Old.md","subpath":"#Old", "k":0.10}',
         '{"type":"file","file":"a/New.md","subpath":"#Old", "k":0.10}'),
        ('{"file":"a\\/\\u004fld.md","type":"file"}', '{"file":"a/New.md","type":"file"}'),
        ('{"type":"group","background":"a/Old.md"}', '{"type":"group","background":"a/New.md"}'),
        ('{"type":"text","text":"\\ud83d\\ude00 \\u00e9\\n[[Old|\\"Old\\"]] [[Old]]"}',
         '{"type":"text","text":"\\ud83d\\ude00 \\u00e9\\n[[New|\\"Old\\"]] [[New]]"}'),
        ('{"type":"text","text":"---\\nup: \\"[[Old]]\\"\\n---\\n"}',
         '{"type":"text","text":"---\\nup: \\"[[New]]\\"\\n---\\n"}'),
        ('{"type":"file","file":"x","file":"a/Old.md"}', '{"type":"file","file":"x","file":"a/New.md"}'),
        # an exact path only, and only where the kind of card says so
        ('{"type":"file","file":"Old.md"}', None),
        ('{"type":"link","url":"a/Old.md","file":"a/Old.md"}', None),
        ('{"type":"group","label":"[[Old]]"}', None),
        ('{"type":"text","text":"`[[Old]]`"}', None),
    ],
)  # fmt: skip
def test_a_canvas_changes_in_its_strings_only(node: str, then: str | None) -> None:
    vault = {"a/Old.md": "", "b/C.canvas": canvas_of('{"id":"1"}', node, "null", '"text"')}
    expected = {}
    if then is not None:
        expected = {"b/C.canvas": canvas_of('{"id":"1"}', then, "null", '"text"')}
    assert after(vault, "a/Old.md", "a/New.md") == expected


def test_relative_links_of_a_moved_canvas_follow() -> None:
    vault = {"a/C.canvas": canvas_of('{"type":"text","text":"[[../R]]"}'), "R.md": ""}
    expected = {"a/b/C.canvas": canvas_of('{"type":"text","text":"[[../../R]]"}')}
    assert after(vault, "a/C.canvas", "a/b/C.canvas") == expected


json_values = st.recursive(
    st.one_of(st.text(max_size=6), st.integers(), st.booleans(), st.none(), st.floats(0, 1)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=4), inner, max_size=4)
    ),
    max_leaves=12,
)


def strings_in(value: object, path: tuple[str | int, ...] = ()) -> dict[tuple[str | int, ...], str]:
    if isinstance(value, str):
        return {path: value}
    parts = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value if isinstance(value, list) else [])
    )
    return {
        key: held for name, part in parts for key, held in strings_in(part, (*path, name)).items()
    }


@settings(deadline=None)
@given(json_values, st.booleans(), st.sampled_from([None, 1, "\t"]))
def test_every_string_of_a_json_text_is_found(
    value: object, ascii_only: bool, indent: object
) -> None:
    text = "\ufeff" + json.dumps(value, ensure_ascii=ascii_only, indent=indent)  # type: ignore[arg-type]
    found = json_strings(text, 1)
    assert {path: held.value for path, held in found.items()} == strings_in(value)
    assert all(json.loads(f'"{text[s.start : s.end]}"') == s.value for s in found.values())


@settings(deadline=None)
@given(st.text(max_size=12), st.booleans(), st.data())
def test_a_string_is_spliced_where_its_value_is(
    value: str, ascii_only: bool, data: st.DataObject
) -> None:
    text = json.dumps({"a": [value, value]}, ensure_ascii=ascii_only)
    first, last = sorted(data.draw(st.tuples(*[st.integers(0, len(value))] * 2)))
    edit = TextEdit(first, last, data.draw(st.text(max_size=4)))
    string = json_strings(text)["a", 1]
    edited = apply_edits(text, splice_string(text, string, [edit]))
    assert json.loads(edited) == {"a": [value, apply_edits(value, [edit])]}
    assert edited[: string.start] == text[: string.start]


# --- headings ---

LOOM = "# Warp\n## Care\n# Weft\n## Care\n"


def headings_after(vault: Vault, old: str, new: str, path: str = "Loom.md") -> dict[str, str]:
    made = plan_heading_rename(
        path, old, new, lookup=NameIndex(vault), sources=vault, read=vault.get
    )
    result = carried_out(vault, made)
    return {path: text for path, text in result.items() if text != vault[path]}


@pytest.mark.parametrize(
    ("written", "then"),
    [
        ("[[Loom#Warp]] [[loom#warp!|w]] ![[Loom#Warp]]", "[[Loom#Yarn: x]] [[loom#Yarn: x|w]] ![[Loom#Yarn: x]]"),
        ("[[Loom#Warp#Care|c]] [[Loom#Care]]", "[[Loom#Yarn: x#Care|c]] [[Loom#Care]]"),
        ("[[Loom # Warp # Care ]]", "[[Loom # Yarn: x # Care ]]"),
        ("[m](Loom.md#Warp) [m](<Loom.md#Warp>)", "[m](Loom.md#Yarn%20x) [m](<Loom.md#Yarn: x>)"),
        ("[m](Loom.md%23W%61rp%23Care)", "[m](Loom.md%23Yarn%20x%23Care)"),
        ("---\nu: '[[Loom#Warp]]'\n---\n", "---\nu: '[[Loom#Yarn: x]]'\n---\n"),
        ("| [[Loom#Warp\\|w]] |\n|---|", "| [[Loom#Yarn: x\\|w]] |\n|---|"),
        ("[[Loom#Weft#Care]] [[Loom#Weft]] [[Loom#^Warp]] [[Loom]] [[#Warp]] `[[Loom#Warp]]`", None),
        ("[[Loom#Care#Warp]] [[Other#Warp]] Warp", None),
    ],
)  # fmt: skip
def test_links_to_a_heading_follow_it(written: str, then: str | None) -> None:
    vault = {"Loom.md": LOOM, "Other.md": "# Warp\n", "S.md": written}
    expected = {"Loom.md": LOOM.replace("Warp", "Yarn: x")}
    if then is not None:
        expected["S.md"] = then.replace("Yarn: x", "Yarn x")  # L-39
    assert headings_after(vault, "Warp", "Yarn: x") == expected


@pytest.mark.parametrize(
    ("text", "old", "then"),
    [
        ("[[#Old]]\n  ##  Old  ##  \n[[#Old]]", "Old", "[[#New]]\n  ##  New  ##  \n[[#New]]"),
        ("\ufeff# Old\r\nx\r\n", "old", "\ufeff# New\r\nx\r\n"),
        ("Old\n===\n[x](#Old)", "Old", "New\n===\n[x](#New)"),
        ("two\n lines\n---\n", "two lines", "New\n---\n"),
        ("# Old ^id\n[[#^id]] [[#Old ^id]]", "Old ^id", "# New ^id\n[[#^id]] [[#New id]]"),
        ("# A\n## Old\n# B\n## Old\n[[#Old]] [[#B#Old]]", "B#Old", "# A\n## Old\n# B\n## New\n[[#Old]] [[#B#New]]"),
        ("# A\n## Old\n# B\n## Old\n[[#Old]] [[#B#Old]]", "A#Old", "# A\n## New\n# B\n## Old\n[[#New]] [[#B#Old]]"),
        ("# Old [[Loom#Old]]\n[[#Old Loom Old]]", "Old [[Loom#Old]]", "# New\n[[#New]]"),
    ],
)  # fmt: skip
def test_the_heading_changes_in_its_text_only(text: str, old: str, then: str) -> None:
    assert headings_after({"Loom.md": text}, old, "New") == {"Loom.md": then}


def test_the_subpath_of_a_canvas_card_follows_the_heading() -> None:
    node = '{"type":"file","file":"Loom.md","subpath":"#Warp#Care"}'
    vault = {"Loom.md": LOOM, "C.canvas": canvas_of(node)}
    then = headings_after(vault, "Warp", "Yarn")
    assert then["C.canvas"] == canvas_of(node.replace("Warp", "Yarn"))


def test_a_heading_that_is_so_already_changes_nothing() -> None:
    assert headings_after({"Loom.md": LOOM, "S.md": "[[Loom#warp]]"}, "Warp", "Warp") == {}


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("Care", "x", "many-matches"),
        ("None", "x", "no-match"),
        ("Warp", " ", "unwritable-value"),
        ("Warp", "!?", "unwritable-value"),
        ("Warp", "x #", "unsafe-edit"),
    ],
)
def test_headings_that_cannot_be_renamed(old: str, new: str, code: str) -> None:
    with pytest.raises(EditRefused) as caught:
        headings_after({"Loom.md": LOOM}, old, new)
    assert caught.value.code == code


def test_a_link_that_would_lead_to_another_heading_is_told() -> None:
    vault = {"Loom.md": "# A\n# B\n", "S.md": "[[Loom#B]]"}
    made = plan_heading_rename(
        "Loom.md", "B", "A", lookup=NameIndex(vault), sources=vault, read=vault.get
    )
    assert [(w.code, w.path) for w in made.warnings] == [(PlanWarningCode.OTHER_HEADING, "S.md")]
    assert heading_link_keys("a/Loom.md") == {"loom.md", "loom"}


# --- for any vault ---

names = st.sampled_from(["A", "b", "C c", "v1.2", "é", "(d"])
folders = st.sampled_from(["", "x/", "x/y/", "Z z/"])
note_paths = st.builds(lambda folder, name: f"{folder}{name}.md", folders, names)
targets = st.builds(
    lambda lead, folder, name, tail: f"{lead}{folder}{name}{tail}",
    st.sampled_from(["", "", "", "/", "./", "../", "../../"]),
    st.sampled_from(["", "", "x/", "y/", "x/y/", "Z z/"]),
    st.one_of(names, st.sampled_from(["p.png", "missing"])),
    st.sampled_from(["", "", ".md", "#T", "#^i"]),
)
link_texts = st.builds(
    lambda shape, target: shape.format(target, target.replace(" ", "%20").replace("(", "%28")),
    st.sampled_from(
        [
            "[[{0}]]",
            "![[{0}]]",
            "[[{0}|A]]",
            "[t]({1})",
            "[A](<{0}>)",
            "| [[{0}\\|b]] |\n|---|",
            "`[[{0}]]`",
        ]
    ),
    targets,
)
bodies = st.lists(link_texts, max_size=5).map("\n\n".join)


@st.composite
def vaults(draw: st.DrawFn) -> dict[str, str]:
    vault = draw(st.dictionaries(note_paths, bodies, min_size=2, max_size=7))
    for path in draw(st.sets(st.sampled_from(["p.png", "x/p.png"]))):
        vault[path] = ""
    if draw(st.booleans()):
        card = json.dumps({"type": "text", "text": draw(bodies)})
        file = json.dumps({"type": "file", "file": draw(note_paths)})
        vault["x/Board.canvas"] = canvas_of(card, file)
    return vault


def links_of(path: str, text: str) -> list[Link]:
    if path.endswith(".canvas"):
        return list(read_canvas(text).links)
    return list(parse_note(text).links) if path.endswith(".md") else []


def leads_to(link: Link, source: str, lookup: NameIndex) -> str | None:
    if link.kind is LinkKind.CANVAS:
        return resolve_exact(link.target, lookup).path
    return resolve(link.target, source, lookup).path


@settings(max_examples=200, deadline=None)
@given(vaults(), st.data())
def test_every_link_leads_where_it_led(vault: dict[str, str], data: st.DataObject) -> None:
    old = data.draw(st.sampled_from(sorted(vault)))
    new = (
        data.draw(note_paths)
        if old.endswith(".md")
        else data.draw(folders) + old.rpartition("/")[2]
    )
    made = plan(vault, (old, new))
    if made.refusals:
        assert made.refusals[0].code == "exists"
        return
    then = carried_out(vault, made)
    before_index, after_index, moved = NameIndex(vault), NameIndex(then), dict(made.moves)
    told = {
        warning.path for warning in made.warnings if warning.code is PlanWarningCode.CANNOT_REWRITE
    }
    assert not told
    for path, text in vault.items():
        place = moved.get(path, path)
        for was, now in zip(links_of(path, text), links_of(place, then[place]), strict=True):
            led = leads_to(was, path, before_index)
            if led is None:
                assert (was.target, was.display) == (now.target, now.display)
            else:
                assert leads_to(now, place, after_index) == moved.get(led, led)
            assert was.subpath == now.subpath
            if leads_to(was, place, after_index) == (moved.get(led, led) if led else led):
                assert was.target == now.target  # M-02
    for file in made.files:
        text = vault[file.path]
        assert apply_edits(then[file.new_path], inverse_edits(text, file.edits)) == text


@settings(max_examples=200, deadline=None)
@given(vaults(), st.data())
def test_files_without_an_affected_name_need_not_be_read(
    vault: dict[str, str], data: st.DataObject
) -> None:
    old = data.draw(st.sampled_from(sorted(vault)))
    new = data.draw(note_paths)
    if file_kind(old) is not file_kind(new):
        return
    keys = affected_link_keys([Move(old, new)])
    named = [
        path
        for path, text in vault.items()
        if any(link_name_key(link.target) in keys for link in links_of(path, text))
    ]
    assert plan(vault, (old, new), sources=named) == plan(vault, (old, new))
