"""Where the ``#…`` of a link leads: headings, chains of headings, blocks, fragments."""

import pytest

from vaultmem.notes.model import BlockId, Heading, SubpathKind, SubpathTarget
from vaultmem.notes.subpath import heading_key, resolve_subpath


def headings(*texts: str) -> list[Heading]:
    """One heading per line, its level by its marks."""
    found = []
    for line, text in enumerate(texts):
        level = len(text) - len(text.lstrip("#"))
        found.append(Heading(level, text[level:].strip(), line, 0, 0))
    return found


def blocks(*names: str) -> list[BlockId]:
    return [BlockId(name, line, 0, 0) for line, name in enumerate(names)]


LOOM = headings(
    "# Parts",  # 0
    "## Warp",  # 1
    "### Care",  # 2
    "# Use",  # 3
    "## Weft",  # 4
    "### Care",  # 5
    "## Band 2.4 vs. 5.0 (GHz)!",  # 6
    "# Sailor's knot",  # 7
    "# About [[Thread]] and **dye**",  # 8
    "# Use",  # 9
    "## Only here",  # 10
)
BLOCKS = blocks("good-1", "Knot-A", "good-1")


def heading(line: int) -> SubpathTarget:
    return SubpathTarget(SubpathKind.HEADING, LOOM[line].text, line)


MISSING = SubpathTarget(SubpathKind.MISSING)


@pytest.mark.parametrize(
    ("subpath", "found"),
    [
        ("#Warp", heading(1)),
        ("#WARP", heading(1)),
        ("# warp ", heading(1)),
        ("#band 2 4 vs 5 0 GHz", heading(6)),  # H-01
        ("#Band 2.4 vs. 5.0 (GHz)!", heading(6)),
        ("#sailor's knot", heading(7)),
        ("#Sailors knot", MISSING),
        ("#About Thread and dye", heading(8)),
        ("#Care", heading(2)),  # H-03
        ("#Use#Care", heading(5)),  # H-02, a level skipped
        ("#Use#Weft#Care", heading(5)),
        ("#Parts#Warp#Care", heading(2)),
        ("#Parts#Weft", heading(4)),  # H-02, later and deeper is enough
        ("#Warp#Care", heading(2)),
        ("#Weft#Warp", MISSING),
        ("#Use#Warp", MISSING),  # Warp is not below Use
        ("#Care#Use", MISSING),
        ("#Weft#Weft", MISSING),
        ("#Use#Only here", heading(10)),  # below the second of two equal headings
        ("#Use##Care", heading(5)),
        ("#sailor-s-knot", MISSING),  # H-05
        ("#Nothing", MISSING),
        ("#", MISSING),
        ("# #", MISSING),
    ],
)
def test_headings(subpath: str, found: SubpathTarget) -> None:
    assert resolve_subpath(subpath, LOOM, BLOCKS) == found


@pytest.mark.parametrize(
    ("subpath", "found"),
    [
        ("#^good-1", SubpathTarget(SubpathKind.BLOCK, "good-1", 0)),
        ("#^knot-a", SubpathTarget(SubpathKind.BLOCK, "Knot-A", 1)),  # H-08
        ("#^ good-1", SubpathTarget(SubpathKind.BLOCK, "good-1", 0)),
        ("#Use#^good-1", SubpathTarget(SubpathKind.BLOCK, "good-1", 0)),
        ("#^bad_1", MISSING),  # H-06
        ("#^Warp", MISSING),
        ("#^", MISSING),
    ],
)
def test_blocks(subpath: str, found: SubpathTarget) -> None:
    assert resolve_subpath(subpath, LOOM, BLOCKS) == found


def test_without_a_subpath_there_is_nothing_to_find() -> None:
    assert resolve_subpath("", LOOM, BLOCKS) is None


@pytest.mark.parametrize("fragment", ["#page=4", "#height=400", "#outline", "#Warp"])
def test_a_file_that_is_no_note_has_fragments(fragment: str) -> None:
    expected = SubpathTarget(SubpathKind.FRAGMENT, fragment)
    assert resolve_subpath(fragment, (), (), is_note=False) == expected


def test_a_footnote_is_no_heading_of_that_name() -> None:
    found = resolve_subpath("#[^warp]", LOOM, BLOCKS)
    assert found == SubpathTarget(SubpathKind.FRAGMENT, "#[^warp]")


def test_every_mark_of_the_rule_is_a_blank_in_a_heading_and_no_other_is() -> None:
    assert heading_key('a!"#$%&()*+,.:;<=>?@^{|}~/[]`\\b') == "a b"
    assert heading_key("It's a-b _c_  d") == "it's a-b _c_ d"
    assert heading_key("Cafe\u0301") == heading_key("CAF\u00c9")
