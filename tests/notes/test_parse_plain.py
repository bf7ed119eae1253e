"""The words a reader sees."""

import time

import pytest

from vaultmem.notes.plain import plain_text


@pytest.mark.parametrize(
    ("markdown", "shown"),
    [
        ("# Head **line** ##", "Head line"),
        (
            "see [[Reef]], [[Reef#Ore]], [[#Here]], [[Reef|the reef]]",
            "see Reef, Reef > Ore, Here, the reef",
        ),
        ("![[map.png|300]] ![coast|120x80](a.png)", "map.png coast"),
        ("![300](a.png) ![coast|300](https://host/x)", "coast"),
        # L-11: digits are a size in an image's embed alone
        ("[[Log|2024]] ![[Log|2024]] [[map.png|2024]]", "2024 2024 2024"),
        ("[2024](Log.md) [a|2024](map.png) ![2024](Log.md)", "2024 a|2024 2024"),
        ("[text](https://host/x_(y) 'title') and [b](<c d>)", "text and b"),
        ("[![alt](i.png)](N.md)", "alt"),
        ("<https://host/x> <u>under</u> <!-- gone --> a < b", "https://host/x under  a < b"),
        ("- [x] done\n* item\n2) two\n> quote\n> [!note]- Title", "done\nitem\ntwo\nquote\nTitle"),
        (
            "*a* _b_ **c**d ~~e~~ ==f== 5 * 3 snake_case_name a == b",
            "a b cd e f 5 * 3 snake_case_name a == b",
        ),
        ("text ^id-1\n\n^alone", "text"),
        ("%% secret %% said[^1]\n\n[^1]: note", "secret  said\n\nnote"),
        ("| a | [[x\\|y]] |\n|---|:-:|\n| 1 | 2 |", "a   y\n\n1   2"),
        ("`a_b_` and ``x ` *y*`` and ` alone", "a_b_ and x ` *y* and ` alone"),
        ("```py\nx = **y**  # [[z]]\n```\n*after*", "x = **y**  # [[z]]\nafter"),
        ("Set\n===\n\n---\n\n\n\nlast", "Set\n\nlast"),
        ("\\*kept\\* 1\\. \\#x", "*kept* 1. #x"),
        ("key:: value #tag", "key:: value #tag"),
        ("", ""),
    ],
)
def test_marks_go_and_words_stay(markdown: str, shown: str) -> None:
    assert plain_text(markdown) == shown


@pytest.mark.parametrize(
    "piece", ["`", "` `` ", "[a](b ", "[[", "<a ", "*a ", "_", "|", "[^", "<!--", "- - "]
)
def test_it_takes_linear_time(piece: str) -> None:
    assert isinstance(plain_text(piece * 30_000), str)


def test_a_long_run_of_blanks_takes_linear_time() -> None:
    blanks = " " * 300_000
    began = time.process_time()
    assert plain_text(f"a{blanks}b{blanks}") == f"a{blanks}b"
    assert time.process_time() - began < 5
