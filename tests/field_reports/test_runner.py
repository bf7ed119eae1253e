"""The runner tells what holds from what does not, and survives cases that are none."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.conformance.case import Malformed
from tests.conformance.runner import Outcome
from tests.field_reports import writing
from tests.field_reports.__main__ import main
from tests.field_reports.case import Details, read_case
from tests.field_reports.checks import Standing
from tests.field_reports.child import command
from tests.field_reports.files import fake_secret, generated
from tests.field_reports.privileges import can_be_normal, normal_user
from tests.field_reports.runner import Result, run_line

GOOD = {
    "id": "X-1",
    "kind": "search",
    "source": "none",
    "files": [{"path": "a.md", "text": "the word is kelp\n"}, {"path": "b.md", "text": "[[a]]\n"}],
    "steps": [{"do": "index"}, {"do": "search", "query": "kelp", "label": "s"}],
    "expect": [{"check": "found", "query": "kelp", "paths": ["a.md"], "first": True}],
    "why": "it is there",
}


def _file(folder: Path, *lines: object) -> str:
    path = folder / "cases.jsonl"
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    path.write_text("\n".join(texts) + "\n", encoding="utf-8")
    return str(path)


def _run(**changes: object) -> Result:
    return run_line(read_case(json.dumps({**GOOD, **changes}).encode(), "here"))


def _says(result: Result) -> str:
    return "\n".join(
        [result.reason, *result.surprises, *(v.found for v in result.standing(Standing.BROKEN))]
    )


def test_what_holds_passes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([_file(tmp_path, GOOD)]) == 0
    assert capsys.readouterr().out == "1 passed, 0 failed, 0 skipped\n"


def test_what_does_not_hold_fails_and_is_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = {**GOOD, "expect": [{"check": "found", "query": "kelp", "paths": ["b.md"]}]}
    assert main([_file(tmp_path, wrong, GOOD)]) == 1
    printed = capsys.readouterr().out.splitlines()
    assert printed[:4] == [
        "FAILED X-1  search",
        "  why     it is there",
        '  broken  found {"query": "kelp", "paths": ["b.md"]}',
        "          ['b.md'] not in ['a.md']",
    ]
    assert printed[-1] == "1 passed, 1 failed, 0 skipped"


def test_prose_is_listed_with_what_was_seen(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = {**GOOD, "expect": [{"check": "prose", "text": "It is good."}]}
    assert main([_file(tmp_path, told)]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert printed[:2] == ["to be judged X-1", "  outcome It is good."]
    assert any("step search kelp [s]" in line and "['a.md']" in line for line in printed)
    assert printed[-1] == "1 passed, 0 failed, 0 skipped"


def test_what_is_only_wanted_is_said_and_fails_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wish = {"check": "not_found", "query": "kelp", "paths": "any", "level": "should"}
    assert main([_file(tmp_path, {**GOOD, "expect": [wish]})]) == 0
    assert capsys.readouterr().out.splitlines()[0].startswith("wanted X-1: not_found")


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"kind": "memory"}, "later"),
        ({"steps": [{"do": "consolidate"}]}, "later: consolidate"),
        ({"steps": [{"do": "group_notes", "vault": "a maze"}]}, "no vault known for: a maze"),
        ({"steps": [{"do": "group_notes", "fault": "bad luck"}]}, "no fault known for: bad luck"),
        ({"steps": [{"do": "sing"}]}, "the runner knows no step 'sing'"),
        (
            {"steps": [{"do": "parallel", "times": 2, "steps": [{"do": "sing"}]}]},
            "the runner knows no step 'sing'",
        ),
        ({"expect": [{"check": "joy"}]}, "the runner knows no check 'joy'"),
        ({"steps": [{"do": "require", "what": "a full moon"}]}, "needs: a full moon"),
        ({"steps": [{"do": "sync", "fault": {"kill": "at teatime"}}]}, "no moment known for"),
        ({"steps": [{"do": "sync", "fault": {"raise": "anywhere"}}]}, "no fault known for: raise"),
        (
            {"steps": [{"do": "index"}, {"do": "index_tamper", "how": "sing to it"}]},
            "no damage known for: sing to it",
        ),
        ({"steps": [{"do": "index", "embedder": "a poet"}]}, "no embedder known for: a poet"),
    ],
)
def test_what_cannot_be_put_is_skipped_with_its_reason(
    changes: dict[str, object], reason: str
) -> None:
    result = _run(**changes)
    assert (result.outcome, result.reason[: len(reason)]) == (Outcome.SKIPPED, reason)


@pytest.mark.parametrize("do", sorted(writing.WRITE_STEPS.keys() - writing.WRITERS.keys()))
def test_a_step_of_the_write_path_waits_for_it(do: str) -> None:
    assert _run(steps=[{"do": do, "path": "a.md"}]).reason == writing.NOT_YET


@pytest.mark.parametrize(
    ("line", "name", "fault"),
    [
        ("{", "cases.jsonl:1", "not JSON"),
        ("[]", "cases.jsonl:1", "not a JSON object"),
        ({"id": "X-2"}, "X-2", "kind is not a text"),
        ({**GOOD, "steps": {}}, "X-1", "steps is not a list"),
        ({**GOOD, "files": [{"path": "a.md"}]}, "X-1", "the file 'a.md' has no content"),
        ({**GOOD, "files": [{"path": "../a.md", "text": ""}]}, "X-1", "no path inside a vault"),
        ({**GOOD, "files": [{"path": "a.md", "b64": "?"}]}, "X-1", "not base64"),
        (
            {**GOOD, "expect": [{"check": "no_crash", "after": "z"}]},
            "X-1",
            "tied to 'z', which labels no step",
        ),
        (
            {**GOOD, "expect": [{"check": "no_crash", "level": "perhaps"}]},
            "X-1",
            "the unknown level 'perhaps'",
        ),
        ({**GOOD, "steps": [{"do": "search"}]}, "X-1", "takes the text 'query'"),
        ({**GOOD, "expect": [{"check": "hit_count", "query": "x"}]}, "X-1", "the number 'n'"),
    ],
)
def test_a_malformed_case_fails_and_the_run_goes_on(
    line: object, name: str, fault: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([_file(tmp_path, line, GOOD)]) == 1
    printed = capsys.readouterr().out
    assert printed.startswith(f"FAILED {name}")
    assert fault in printed
    assert printed.endswith("1 passed, 1 failed, 0 skipped\n")


@pytest.mark.parametrize("words", [[], ["--fast"], ["no-such-file.jsonl"]])
def test_wrong_usage(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    assert capsys.readouterr().out == ""


BROKEN: list[tuple[dict[str, object], str]] = [
    ({"check": "found", "query": "rope", "paths": []}, "nothing was found"),
    ({"check": "found", "query": "kelp", "paths": ["b.md"], "first": True}, "first is"),
    ({"check": "found", "filter": {"tag": "sea"}, "paths": ["a.md"]}, "not in []"),
    ({"check": "not_found", "query": "kelp", "paths": "any"}, "found ['a.md']"),
    ({"check": "not_first", "query": "kelp", "path": "a.md"}, "first of"),
    ({"check": "hit_count", "query": "kelp", "n": 2}, "1, not 2"),
    ({"check": "entry_count", "n": 3}, "2, not 3"),
    ({"check": "one_entry", "path": "c.md"}, "[], not ['c.md']"),
    ({"check": "one_entry", "path": "A.md"}, "['a.md'], not ['A.md']"),
    ({"check": "title_of", "path": "a.md", "title": "A"}, "'a', not 'A'"),
    ({"check": "property", "path": "a.md", "key": "k", "value": 1}, "no property 'k'"),
    ({"check": "tags_of", "path": "a.md", "tags": ["x"]}, "[], not ['x']"),
    ({"check": "links_from", "path": "b.md", "targets": []}, "['a.md'], not []"),
    ({"check": "unresolved_from", "path": "b.md", "targets": ["c"]}, "[], not ['c']"),
    ({"check": "backlinks_of", "path": "a.md", "sources": []}, "['b.md'], not []"),
    ({"check": "bytes_unchanged", "paths": ["c.md"]}, "FileNotFoundError"),
    ({"check": "text_equals", "path": "b.md", "text": "[[a]]"}, "it is '[[a]]\\n'"),
    ({"check": "contains", "path": "b.md", "text": "c"}, "not in"),
    ({"check": "not_contains", "path": "b.md", "text": "a"}, "in '[[a]]\\n'"),
    ({"check": "file_exists", "path": "c.md"}, "it is not there"),
    ({"check": "file_absent", "path": "a.md"}, "it is there"),
    ({"check": "warning", "about": ["a.md"]}, "no word of ['a.md']"),
    ({"check": "refused", "step": "s", "because": "x"}, "it was done"),
    ({"check": "within", "step": "s", "seconds": 0}, "it took"),
]


@pytest.mark.parametrize(("check", "says"), BROKEN, ids=[str(c["check"]) for c, _ in BROKEN])
def test_no_check_holds_of_everything(check: dict[str, object], says: str) -> None:
    result = _run(expect=[check])
    assert result.outcome is Outcome.FAILED
    assert says in _says(result)


def test_outcomes_tied_to_a_step_are_judged_right_after_it() -> None:
    result = _run(
        steps=[
            {"do": "index", "label": "before"},
            {"do": "fs", "op": "delete", "path": "a.md"},
            {"do": "sync", "label": "after"},
        ],
        expect=[
            {"check": "entry_count", "n": 2, "after": "before"},
            {"check": "entry_count", "n": 1, "after": "after"},
            {"check": "file_absent", "path": "a.md"},
        ],
    )
    assert result.outcome is Outcome.PASSED, _says(result)


def test_what_another_program_wrote_is_what_must_stay_unchanged() -> None:
    steps = [{"do": "fs", "op": "write", "path": "a.md", "text": "anew"}, {"do": "index"}]
    result = _run(steps=steps, expect=[{"check": "bytes_unchanged", "paths": ["a.md"]}])
    assert result.outcome is Outcome.PASSED, _says(result)


def test_a_step_that_must_be_refused_is() -> None:
    steps = [{"do": "index"}, {"do": "read_note", "path": "none.md", "label": "r"}]
    result = _run(steps=steps, expect=[{"check": "refused", "step": "r", "because": "none"}])
    assert result.outcome is Outcome.PASSED, _says(result)


def test_an_upkeep_that_fails_fails_the_case_whatever_it_asks() -> None:
    many = {"path": "{i}.md", "gen": {"numbered": "note {i}\n", "from": 1, "to": 30}}
    gone = {"do": "fs_bulk", "op": "delete", "path": "{i}.md", "first": 1, "last": 30}
    result = _run(files=[many], steps=[{"do": "index"}, gone, {"do": "sync"}], expect=[])
    assert result.outcome is Outcome.FAILED
    assert "looks unmounted" in _says(result)


def test_a_moment_that_never_comes_fails_the_case() -> None:
    step = {"do": "sync", "fault": {"kill": "after the vector was stored"}}
    result = _run(steps=[{"do": "index"}, step], expect=[{"check": "no_crash"}])
    assert result.outcome is Outcome.FAILED
    assert "never came to" in _says(result)


def test_the_text_of_files_is_written_exactly() -> None:
    files = [
        {"path": "a.md", "text": "\ufeff---\r\na: 1\r\n---\r\nlast"},
        {"path": "b.md", "b64": "/wA="},
        {"path": "sub/c.md", "gen": {"repeat": "ab", "times": 3, "then": "!"}},
        {"path": "../out.md", "text": "{ABS}", "outside": True},
        {"path": "l.md", "symlink_to": "{ABS}/out.md"},
        {"path": "h.md", "hardlink_to": "a.md"},
    ]
    expect = [
        {"check": "text_equals", "path": "a.md", "text": "\ufeff---\r\na: 1\r\n---\r\nlast"},
        {"check": "text_equals", "path": "h.md", "text": "\ufeff---\r\na: 1\r\n---\r\nlast"},
        {"check": "text_equals", "path": "sub/c.md", "text": "ababab!"},
        {"check": "text_equals", "path": "l.md", "text": "{ABS}"},
        {"check": "bytes_unchanged", "paths": ["a.md", "b.md", "sub/c.md"]},
    ]
    result = _run(files=files, steps=[{"do": "index"}], expect=expect)
    assert result.outcome is Outcome.PASSED, _says(result)


@pytest.mark.parametrize(
    ("gen", "files"),
    [
        ({"repeat": "x", "times": 3}, [("n.md", b"xxx")]),
        ({"repeat_byte": 0, "times": 2}, [("n.md", b"\0\0")]),
        ({"numbered": "<{i}>", "from": 2, "to": 3}, [("n.md", b"<2>"), ("n.md", b"<3>")]),
        ({"numbered": "{i}", "from": 1, "to": 1, "pad_to_bytes": 4}, [("n.md", b"1   ")]),
    ],
)
def test_generated_files(gen: dict[str, object], files: list[tuple[str, bytes]]) -> None:
    details = Details(gen, "gen")  # type: ignore[arg-type]
    assert list(generated("n.md", details)) == files


@pytest.mark.parametrize("name", ["API_KEY", "CLOUD_KEY_ID", "PEM_BLOCK", "DB_URL", "BEARER"])
def test_fake_secrets_are_the_same_each_time(name: str) -> None:
    assert len(fake_secret(name)) > 15
    assert fake_secret(name) == fake_secret(name)


@pytest.mark.skipif(not can_be_normal(), reason="needs: file permissions that count")
def test_a_normal_user_cannot_read_a_locked_file(tmp_path: Path) -> None:
    locked = tmp_path / "locked.md"
    locked.write_bytes(b"secret")
    locked.chmod(0)

    with normal_user(), pytest.raises(PermissionError):
        locked.read_bytes()

    if os.geteuid() == 0:
        assert locked.read_bytes() == b"secret"


SAVE = """
import os
from pathlib import Path
from tests.field_reports.triggers import trigger_for

def replace(aside, note):
    aside.replace(note)

def after():
    pass

note, words = Path({note!r}), {words!r}
trigger_for(words)(lambda: os._exit(7), note.parent, note)
aside = note.with_name(".aside")
aside.write_bytes(b"new")
replace(aside, note)
after()
"""
"""A program that saves as careful ones do, and ends with 7 at its moment."""


@pytest.mark.parametrize(
    ("words", "note", "aside"),
    [
        ("after the new content was half written, before it replaced the note", b"old", b"new"),
        ("right after the note was replaced", b"new", None),
        ("after the text is computed, before anything is written", b"old", None),
    ],
)
def test_moments_come_when_they_should(
    words: str, note: bytes, aside: bytes | None, tmp_path: Path
) -> None:
    place, beside = tmp_path / "note.md", tmp_path / ".aside"
    place.write_bytes(b"old")

    ended = subprocess.run(
        command(f"exec({SAVE.format(note=str(place), words=words)!r})"), check=False
    )

    assert ended.returncode == 7
    left = beside.read_bytes() if beside.exists() else None
    assert (place.read_bytes(), left) == (note, aside)


def test_every_due_malformed_line_is_a_result() -> None:
    result = run_line(Malformed("X-9", "it is none"))
    assert (result.outcome, result.reason) == (Outcome.FAILED, "malformed case: it is none")


GROUPED = {
    "files": [
        {"path": "a.md", "text": "[[b]] [[c]]\n"},
        {"path": "b.md", "text": "[[c]]\n"},
        {"path": "c.md", "text": "[[a]]\n"},
        {"path": "alone.md", "text": "kelp\n"},
    ],
    "steps": [
        {"do": "group_notes", "vault": "empty", "label": "g0"},
        {"do": "group_notes", "vault": "two notes without links", "label": "g1"},
        {"do": "group_notes", "label": "g2"},
        {"do": "group_notes", "fault": "one edge weight is infinite", "label": "g3"},
    ],
}


@pytest.mark.parametrize(
    ("text", "standing"),
    [
        ("g0 is empty and g1 has two groups.", Standing.HELD),
        ("g0 is empty and g1 has one group.", Standing.BROKEN),
        ("In g2 a, b and c are together; alone is alone.", Standing.HELD),
        ("In g2 a and b are together.", Standing.BROKEN),
        ("In g2 a and alone are each alone.", Standing.BROKEN),
        ("The missing target 'b' is no member.", Standing.BROKEN),
        ("g2 equals g2, group names included.", Standing.HELD),
        ("g2 equals g1.", Standing.BROKEN),
        ("Every group is connected when only its own notes are looked at.", Standing.HELD),
        ("g3 rejects or repairs bad weights with a message.", Standing.HELD),
        ("g2 rejects or repairs bad weights with a message.", Standing.BROKEN),
        ("g0 is empty and pleasant to look at.", Standing.PROSE),
        ("In g9 a and b are together.", Standing.PROSE),
    ],
)
def test_prose_about_groups_is_judged_where_every_clause_is_known(
    text: str, standing: Standing
) -> None:
    result = _run(**GROUPED, expect=[{"check": "prose", "text": text}])
    assert [verdict.standing for verdict in result.verdicts] == [standing], _says(result)


HALVES = [
    {"path": "a.md", "text": "# Oakum\n\nThe first barrel holds 40 litres.\n"},
    {"path": "b.md", "text": "# Oakum\n\nThe second barrel holds 60 litres.\n"},
    {"path": "c.md", "text": "See [[b]].\n"},
]


def test_notes_that_the_judge_keeps_apart_are_merged_with_all_that_either_says() -> None:
    result = _run(
        files=HALVES,
        steps=[{"do": "index"}, {"do": "merge_notes", "paths": ["a.md", "b.md"], "label": "m"}],
        expect=[
            {"check": "contains", "path": "b.md", "text": "The second barrel holds 60 litres."},
            {"check": "contains", "path": "b.md", "text": "The first barrel holds 40 litres."},
            {"check": "contains", "path": "Memory/_archive/a.md", "text": "superseded_by"},
            {"check": "prose", "text": "It was never written from the old text."},
        ],
    )
    assert result.outcome is Outcome.PASSED, _says(result)


@pytest.mark.parametrize(
    "paths", [["a.md", "gone.md"], ["a.md", "a.md"], ["a.md", "Templates/b.md"]]
)
def test_a_merge_that_makes_no_sense_is_refused(paths: list[str]) -> None:
    files = [*HALVES, {"path": "Templates/b.md", "text": "x\n"}]
    step = {"do": "merge_notes", "paths": paths, "label": "m"}
    refused = [{"check": "refused", "step": "m"}]
    result = _run(files=files, steps=[{"do": "index"}, step], expect=refused)
    assert result.outcome is Outcome.PASSED, _says(result)


def test_a_merge_whose_note_changes_is_planned_again_from_the_new_text() -> None:
    typed = "# Oakum\n\nThe first barrel holds 45 litres.\n\nTyped: marlinspike.\n"
    result = _run(
        files=HALVES,
        steps=[
            {"do": "index"},
            {
                "do": "merge_notes",
                "paths": ["a.md", "b.md"],
                "pause": "before anything is written",
                "label": "m",
            },
            {"do": "fs", "op": "write", "path": "a.md", "text": typed},
            {"do": "resume", "step": "m"},
            {"do": "sync"},
        ],
        expect=[
            {"check": "contains", "path": "b.md", "text": "Typed: marlinspike."},
            {"check": "contains", "path": "b.md", "text": "holds 45 litres"},
            {"check": "not_contains", "path": "b.md", "text": "holds 40 litres"},
            {"check": "file_absent", "path": "a.md"},
        ],
    )
    assert result.outcome is Outcome.PASSED, _says(result)
