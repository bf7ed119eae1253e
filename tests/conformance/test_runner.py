"""The runner tells right from wrong answers, and survives cases that are none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conformance.__main__ import main
from tests.conformance.case import Json, Malformed, read_case
from tests.conformance.compare import answers
from tests.conformance.runner import Outcome, run_line

GOOD = {
    "id": "X-1",
    "rule": "R-06",
    "files": {"a.md": "[[b]]\n", "deep/b.md": ""},
    "ask": "resolve",
    "args": {"link": "b", "from": "a.md"},
    "expect": {"path": "deep/b.md", "subpath": None},
    "why": "the only file of that name",
}


def _file(folder: Path, *lines: object) -> str:
    path = folder / "cases.jsonl"
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    path.write_text("\n".join(texts) + "\n", encoding="utf-8")
    return str(path)


def test_a_right_answer_passes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([_file(tmp_path, GOOD)]) == 0
    assert capsys.readouterr().out == "1 passed, 0 failed, 0 skipped\n"


def test_a_wrong_answer_fails_and_is_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = {**GOOD, "expect": {"path": None, "subpath": None}}
    assert main([_file(tmp_path, GOOD, wrong)]) == 1
    assert capsys.readouterr().out.splitlines() == [
        'FAILED X-1  R-06  resolve {"link": "b", "from": "a.md"}',
        "  why       the only file of that name",
        '  files     {"a.md": "[[b]]\\n", "deep/b.md": ""}',
        '  expected  {"path": null, "subpath": null}',
        '  got       {"path": "deep/b.md", "subpath": null}',
        "1 passed, 1 failed, 0 skipped",
    ]


def test_what_cannot_be_asked_here_is_skipped_with_its_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    needy = {**GOOD, "needs": ["a-disk-of-cheese"]}
    assert main([_file(tmp_path, needy)]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "skipped 1: needs a-disk-of-cheese",
        "0 passed, 0 failed, 1 skipped",
    ]


def test_a_rename_is_carried_out_and_told(tmp_path: Path) -> None:
    case = read_case(
        json.dumps(
            {
                **GOOD,
                "files": {"a.md": "[[b]]\r\n", "b.md": "x", "c.md": "[[a]]"},
                "ask": "rename",
                "args": {"from": "b.md", "to": "deep/d.md"},
                "expect": {"changed": {"a.md": "[[d]]\r\n", "c.md": "[[a]]"}},
            }
        ).encode(),
        "here",
    )
    assert not isinstance(case, Malformed)
    assert run_line(case).outcome is Outcome.PASSED


@pytest.mark.parametrize(
    ("line", "name", "fault"),
    [
        ("{", "cases.jsonl:1", "not JSON"),
        ("[]", "cases.jsonl:1", "not a JSON object"),
        ({"id": "X-2"}, "X-2", "no expect"),
        ({**GOOD, "files": None}, "X-1", "files is not an object"),
        ({**GOOD, "files": {"a.md": 3}}, "X-1", "the text of 'a.md' is not a text"),
        ({**GOOD, "files": {"../a.md": ""}}, "X-1", "'../a.md' is no path inside a vault"),
        ({**GOOD, "files": {"/a.md": ""}}, "X-1", "'/a.md' is no path inside a vault"),
        ({**GOOD, "ask": 1}, "X-1", "ask is not a text"),
        ({**GOOD, "ask": "divine"}, "X-1", "no ask 'divine'"),
        ({**GOOD, "args": {}}, "X-1", "resolve takes the text 'link'"),
        ({**GOOD, "files": {"a.md": "", "a.md/b.md": ""}}, "X-1", "FileExistsError"),
        (
            {**GOOD, "args": {"path": "none.md"}, "ask": "links"},
            "X-1",
            "There is no note 'none.md'",
        ),
    ],
)
def test_a_malformed_case_fails_and_the_run_goes_on(
    line: object, name: str, fault: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([_file(tmp_path, line, GOOD)]) == 1
    printed = capsys.readouterr().out
    assert printed.startswith(f"FAILED {name}  ")
    assert fault in printed
    assert printed.endswith("1 passed, 1 failed, 0 skipped\n")


@pytest.mark.parametrize("words", [[], ["--fast"], ["no-such-file.jsonl"]])
def test_wrong_usage(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    assert capsys.readouterr().out == ""


def test_the_text_of_a_file_is_written_exactly() -> None:
    text = "\ufeff---\r\na: 1\r\n---\r\nlast line\rwithout an end"
    case = read_case(
        json.dumps(
            {
                **GOOD,
                "files": {"a.md": text},
                "ask": "properties",
                "args": {"path": "a.md"},
                "expect": {"values": {"a": 1}, "body": "last line\rwithout an end"},
            }
        ).encode(),
        "here",
    )
    assert not isinstance(case, Malformed)
    assert run_line(case).outcome is Outcome.PASSED


NFD = "Cafe\u0301.md"
NFC = "Caf\u00e9.md"

SAME: list[tuple[str, Json, Json]] = [
    ("tag_query", {"files": ["a.md", "b.md"]}, {"files": ["b.md", "a.md"]}),
    ("resolve", {"path": NFC, "subpath": None}, {"path": NFD, "subpath": None}),
    ("resolve", {"path": {"any_of": [None, NFC]}, "subpath": None}, {"path": NFD, "subpath": None}),
    ("backlinks", {"backlinks": {NFC: 1}}, {"backlinks": {NFD: 1}}),
    ("index", {"notes": [NFC]}, {"notes": [NFD], "bases": []}),
    ("index", {"clashes": [["A.md", "a.md"]]}, {"clashes": [["a.md", "A.md"]]}),
    ("graph", {"nodes": ["a", "b"], "edges": []}, {"nodes": ["b", "a"], "edges": []}),
    ("tags", {"tags": ["x"]}, {"tags": ["x"], "warnings": ["tags-not-list"]}),
    (
        "tags",
        {"tags": ["x"], "warnings": ["tags-not-list"]},
        {"tags": ["x"], "warnings": ["invalid-frontmatter", "tags-not-list"]},
    ),
    ("name_check", {"any_of": [{"ok": True}, {"ok": False}]}, {"ok": False}),
    ("properties", {"values": {"n": 1.0}}, {"values": {"n": 1}, "state": "ok"}),
    (
        "tag_query",
        {"files": [{"any_of": ["a", "b"]}, "a"]},
        {"files": ["a", "b"]},
    ),
]

DIFFERENT: list[tuple[str, Json, Json]] = [
    ("tags", {"tags": ["x", "y"]}, {"tags": ["y", "x"]}),
    ("tags", {"tags": [NFC]}, {"tags": [NFD]}),
    ("tags", {"tags": [], "warnings": ["tags-not-list"]}, {"tags": [], "warnings": []}),
    ("tag_query", {"files": ["a"]}, {"files": ["a", "a"]}),
    ("tag_query", {"files": []}, {"files": [], "more": 1}),
    ("graph", {"nodes": [], "edges": [["a", "b"]]}, {"nodes": [], "edges": [["b", "a"]]}),
    ("properties", {"values": {"n": 1}}, {"values": {"n": True}}),
    ("properties", {"values": {"n": "1"}}, {"values": {"n": 1}}),
    ("properties", {"values": {}}, {"values": {"n": None}}),
    ("properties", {"body": "a\n"}, {"body": "a\r\n"}),
    ("resolve", {"path": {"any_of": ["a", "b"]}, "subpath": None}, {"path": "c", "subpath": None}),
    ("links", {"links": []}, {"links": [{"to": None}]}),
]


@pytest.mark.parametrize(("ask", "expected", "got"), SAME)
def test_equal_answers(ask: str, expected: Json, got: Json) -> None:
    assert answers(ask, expected, got)


@pytest.mark.parametrize(("ask", "expected", "got"), DIFFERENT)
def test_different_answers(ask: str, expected: Json, got: Json) -> None:
    assert not answers(ask, expected, got)
