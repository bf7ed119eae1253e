"""A claim as tokens: what is a value, and which spellings are one."""

from __future__ import annotations

import pytest

from vaultmem.judge.tokens import Kind, tokens


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("8,080 boxes", [(Kind.NUMBER, "8080"), (Kind.WORD, "boxes")]),
        ("seven boxes", [(Kind.NUMBER, "7"), (Kind.WORD, "boxes")]),
        ("within 1.5 h", [(Kind.WORD, "within"), (Kind.NUMBER, "5400 s")]),
        ("500ms", [(Kind.NUMBER, "0.5 s")]),
        ("$40", [(Kind.NUMBER, "40 usd")]),
        ("8 % off", [(Kind.NUMBER, "8 %"), (Kind.WORD, "off")]),
        ("on 5 March 2026", [(Kind.WORD, "on"), (Kind.DATE, "2026-03-05")]),
        ("March 5th, 2026", [(Kind.DATE, "2026-03-05")]),
        ("05.03.2026", [(Kind.DATE, "2026-03-05")]),
        ("2026年3月5日", [(Kind.DATE, "2026-03-05")]),
        ("2026년 3월 5일", [(Kind.DATE, "2026-03-05")]),
        ("March 2026", [(Kind.DATE, "2026-03-??")]),
        ("at 09:30", [(Kind.WORD, "at"), (Kind.DATE, "9:30")]),
        ("v2.1", [(Kind.VERSION, "2.1")]),
        ("release 1.4.0-rc1", [(Kind.WORD, "release"), (Kind.VERSION, "1.4.0-rc1")]),
        ("in /etc/app.conf.", [(Kind.WORD, "in"), (Kind.PATH, "/etc/app.conf")]),
        ("run `make x`", [(Kind.WORD, "run"), (Kind.PATH, "make x")]),
        ("see https://a.example/b?c", [(Kind.WORD, "see"), (Kind.PATH, "https://a.example/b?c")]),
        ("ask Ada", [(Kind.WORD, "ask"), (Kind.NAME, "ada")]),
        ("relay-7 up", [(Kind.NAME, "relay-7"), (Kind.WORD, "up")]),
        ("see [[Old Plan|plan]]", [(Kind.WORD, "see"), (Kind.NAME, "old plan|plan")]),
        ("don’t", [(Kind.WORD, "dont")]),
        ("端口", [(Kind.SIGN, "端"), (Kind.SIGN, "口")]),
        ("포트는", [(Kind.WORD, "포트")]),
        ("", []),
        ("— … !", []),
    ],
)
def test_tokens_of_a_claim(claim: str, expected: list[tuple[Kind, str]]) -> None:
    assert [(t.kind, t.key) for t in tokens(claim)] == expected
