"""Unlinked mentions (B-04, B-06)."""

import pytest

from vaultmem.notes.mentions import find_mentions
from vaultmem.notes.model import Mention
from vaultmem.notes.parse import parse_note


def found(text: str, *names: str) -> list[str]:
    """The mentions as written, each checked to stand where it says."""
    mentions = find_mentions(text, parse_note(text), names)
    for mention in mentions:
        assert text[mention.start : mention.end] == mention.name
        assert text.count("\n", 0, mention.start) == mention.line
    assert mentions == sorted(mentions, key=lambda mention: mention.start)
    return [mention.name for mention in mentions]


@pytest.mark.parametrize(
    ("text", "mentions"),
    [
        ("The reef and the REEF, not reefs.", ["reef", "REEF"]),
        ("reef", ["reef"]),
        ('(reef) "reef" reef\'s reef-like', ["reef", "reef", "reef", "reef"]),
        ("coralreef reef2 reef_x x_reef", []),
        ("_reef_ **reef** __reef__ ==reef==", ["reef", "reef", "reef", "reef"]),
        ("# Reef\n\n- reef\n> reef\n", ["Reef", "reef", "reef"]),
        ("| a | b |\n| - | - |\n| reef | x |\n", ["reef"]),
        # links of every kind
        ("[[Reef]] [[x|reef]] ![[Reef]] [[Reef#reef]] [[lost reef]]", []),
        ("[reef](Reef.md) [see reef](https://host/reef) ![reef](p.png)", []),
        ("[reef][1] and [1]\n\n[1]: https://host/reef reef\n", []),
        ("https://host/reef/x www.reef.org <https://host/reef> mail reef@host.org", []),
        # what is no text
        ("`reef` ``a reef``\n\n```\nreef\n```\n\n    reef\n", []),
        ("$reef$ <!-- reef -->", []),
        ("---\nup: reef\naliases: [reef]\n---\nbody", []),
        ("#reef #a/reef line ^reef", []),
        # and what is
        ("%% reef %%", ["reef"]),
        ("- [ ] reef\n- [x] reef", ["reef", "reef"]),
        ("[^1]: reef\n\n  [1]: reef", ["reef"]),
        ("[x]: reef", []),
        ("a [box] reef (reef)", ["reef", "reef"]),
    ],
)
def test_whole_words_outside_links(text: str, mentions: list[str]) -> None:
    assert found(text, "Reef") == mentions


def test_a_mention_says_where_it_stands() -> None:
    text = "---\na: 1\n---\nOne.\nThe reef.\n"
    assert find_mentions(text, parse_note(text), ["Reef"]) == [Mention("reef", 22, 26, 4)]


@pytest.mark.parametrize(
    ("names", "text", "mentions"),
    [
        (["Reef", "Reef crab"], "a reef crab and a reef", ["reef crab", "reef"]),
        (["Reef", "Reef crab"], "reef crabs", ["reef"]),
        (["coral bank"], "coral  bank, coral\tbank, coral\u00a0bank", None),
        (["coral bank"], "a coral\nbank, a coral  \r\n bank", ["coral\nbank", "coral  \r\n bank"]),
        (["coral bank"], "> a coral\n> bank", ["coral\n> bank"]),
        (["coral bank"], "> a coral\nbank", ["coral\nbank"]),
        (["coral bank"], "- coral\n  bank", ["coral\n  bank"]),
        (["coral bank"], "coral\nbank\n===\n", ["coral\nbank"]),
        (["coral bank"], "coral\n\nbank, coral\n- bank, coral\n> bank", []),
        (["coral bank"], "# coral\nbank\n\ncoral\n# bank", []),
        (["coral bank"], "a | coral\n-|-\na | coral\nbank | b", []),
        (["C", "C++", "C+x"], "C, C++, C+x, C+xy", ["C", "C++", "C+x", "C"]),
        (["C++"], "C++ and c++, not C+", ["C++", "c++"]),
        (["AR"], "[[AR]] and AR", ["AR"]),
        ([".NET"], "use .NET now", [".NET"]),
        (["Caf\u00e9"], "cafe\u0301 and CAF\u00c9", ["cafe\u0301", "CAF\u00c9"]),
        (["Cafe\u0301"], "caf\u00e9", ["caf\u00e9"]),
        (["a.b"], "axb a.b", ["a.b"]),
        (["^a", "]b", "-c", "\\d"], "x ^a ]b -c \\d 5", ["^a", "]b", "-c", "\\d"]),
        (
            [f"Name {number}" for number in range(300)],
            "name 7, name 77, name 777",
            ["name 7", "name 77"],
        ),
        (["", "  "], "anything", []),
        ([], "anything", []),
        # no blanks between words
        (["灯台"], "灯台のレンズ", ["灯台"]),
        (["レンズ"], "灯台のレンズを交換", ["レンズ"]),
        (["등대"], "등대를 새로", ["등대"]),
        (["job-alpha"], "今晚先停job-alpha再换", ["job-alpha"]),
        (["alpha"], "停alpha再 alphabet", ["alpha"]),
        # a vowel sign is a part of the word
        (["हिन्द"], "हिन्दी हिन्द", ["हिन्द"]),
        (["cafe"], "cafe\u0301", []),
    ],
)
def test_names(names: list[str], text: str, mentions: list[str] | None) -> None:
    if mentions is None:
        mentions = ["coral  bank", "coral\tbank", "coral\u00a0bank"]
    assert found(text, *names) == mentions
