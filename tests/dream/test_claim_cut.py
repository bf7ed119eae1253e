"""A claim moved to the section of what no longer holds: given a text and a line, the text after."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultmem.dream.claim_cut import superseded
from vaultmem.notes.parse import parse_note
from vaultmem.notes.textedit import split_lines

SAID = "— corrected by [[Log]], 2026-11-30"


@pytest.mark.parametrize(
    ("before", "line", "after"),
    [
        pytest.param(
            "# Relay\n\n- Port is 8080.\n- Made of tin.\n",
            "- Port is 8080.",
            f"# Relay\n\n- Made of tin.\n\n## Superseded\n\n- Port is 8080.\n  {SAID}\n",
            id="a list line",
        ),
        pytest.param(
            "- Port is 8080. ^f-1\n- Made of tin. ^f-2\n",
            "- Port is 8080. ^f-1",
            "- Made of tin. ^f-2\n\n## Superseded\n\n- Port is 8080. ^f-1\n  - corrected by [[Log]], 2026-11-30\n",
            id="a fact keeps its block id at the end of its line",
        ),
        pytest.param(
            "One.\n\nThe port is 8080.\n\nTwo.\n",
            "The port is 8080.",
            f"One.\n\nTwo.\n\n## Superseded\n\nThe port is 8080.\n{SAID}\n",
            id="a paragraph, and one of the blank lines around it",
        ),
        pytest.param(
            "Tin is cheap.\nThe port is 8080.\nTin is soft.\n",
            "The port is 8080.",
            f"Tin is cheap.\nTin is soft.\n\n## Superseded\n\nThe port is 8080.\n{SAID}\n",
            id="a sentence on a line of its own",
        ),
        pytest.param(
            "- Port is 8080.\n- Tin.\n\n## Superseded\n\n- Port is 70.\n\n## Links\n\n- [[A]]\n",
            "- Port is 8080.",
            f"- Tin.\n\n## Superseded\n\n- Port is 70.\n- Port is 8080.\n  {SAID}\n\n## Links\n\n- [[A]]\n",
            id="the section that is there is used, wherever it is",
        ),
        pytest.param(
            "\ufeff- Port is 8080.\r\n- Tin.",
            "- Port is 8080.",
            f"\ufeff- Tin.\r\n\r\n## Superseded\r\n\r\n- Port is 8080.\r\n  {SAID}",
            id="byte order mark, line endings and a missing last break stay",
        ),
        pytest.param(
            "---\nport: 8080 # then\n---\n- Tin.\n- Port is 8080.",
            "- Port is 8080.",
            f"---\nport: 8080 # then\n---\n- Tin.\n\n## Superseded\n\n- Port is 8080.\n  {SAID}",
            id="the last line without a break",
        ),
        pytest.param(
            "- 端口是8080。\n- 很便宜。\n",
            "- 端口是8080。",
            f"- 很便宜。\n\n## Superseded\n\n- 端口是8080。\n  {SAID}\n",
            id="another script",
        ),
    ],
)
def test_the_line_moves_as_it_is(before: str, line: str, after: str) -> None:
    assert superseded(before, line, SAID) == after


@pytest.mark.parametrize(
    ("text", "line"),
    [
        pytest.param("- Port is 8080.\n  - Since May.\n", "- Port is 8080.", id="with a child"),
        pytest.param(
            "- Port is 8080.\n\n  More.\n", "- Port is 8080.", id="with a paragraph below"
        ),
        pytest.param("- Port is 8080.\n  and more\n", "- Port is 8080.", id="goes on"),
        pytest.param("- Port is 8080.\nand lazily more\n", "- Port is 8080.", id="goes on lazily"),
        pytest.param("- A\n  - Port is 8080.\n", "  - Port is 8080.", id="nested"),
        pytest.param("1. Port is 8080.\n2. Tin.\n", "1. Port is 8080.", id="numbered"),
        pytest.param("```\n- Port is 8080.\n```\n", "- Port is 8080.", id="code"),
        pytest.param("> Port is 8080.\n", "> Port is 8080.", id="quote"),
        pytest.param("| a | b |\n|---|---|\n| Port | 8080 |\n", "| Port | 8080 |", id="table"),
        pytest.param("- Port is 8080.\n\n- Port is 8080.\n", "- Port is 8080.", id="twice"),
        pytest.param("- Port is 8080.\n", "- Port is 9090.", id="not there"),
        pytest.param("The port is 8080.\n\nIt is slow.\n", "The port is 8080.", id="leant on"),
        pytest.param("Port is 8080.\nThis is slow.\n", "Port is 8080.", id="leant on by a line"),
        pytest.param("Ports:\n- Port is 8080.\n", "- Port is 8080.", id="led to"),
        pytest.param(
            "Tin is\nThe port is 8080.\n", "The port is 8080.", id="half a sentence before"
        ),
        pytest.param("Tin.\nThe port is 8080.\n---\n", "The port is 8080.", id="under a rule"),
        pytest.param("- Port is 8080.\n```\nopen\n", "- Port is 8080.", id="code without an end"),
        pytest.param("---\na: 1\nPort is 8080.\n---\n", "Port is 8080.", id="properties"),
        pytest.param(
            "- Port is 8080.\n# Superseded\n# Superseded\n", "- Port is 8080.", id="two sections"
        ),
    ],
)
def test_what_cannot_be_cut_without_harm_stays(text: str, line: str) -> None:
    assert superseded(text, line, SAID) is None


LINE = "- The port of the relay is 8080."
HELD = "- The port of the relay is 9090. — from [[Rack]], 2026-06-11"
BLOCKS = st.sampled_from(
    [
        "# Relay",
        "## Ports",
        "Title\n===",
        "Tin is cheap.",
        "Tin is cheap.\nIt is soft. ^p",
        "- one\n- two",
        "- one\n  - two\n    - three",
        "- one\n\n  more of one",
        "1. first\n2. second",
        "* star\n* star two ^f-ab",
        "- [ ] a task\n- [x] done",
        "```py\n- The port of the relay\n```",
        "~~~\n# no heading\n~~~",
        "    indented code",
        "| a | b |\n|---|---|\n| 1 | [[N\\|n]] |",
        "> quoted\n> - list",
        "> [!note] call\n> text",
        "$$\nx\n$$",
        "%% hidden %%",
        "<div>\nhtml\n</div>",
        "key:: [[Value]]",
        "端口是八。\n很便宜。",
        "---",
        "[^1]: foot",
        "## Superseded\n\n- older",
        "\ttabbed",
        "#tag and [[Link]]",
    ]
)
FRONT = st.sampled_from(["", "---\ntags: [a]\nport: 1 # c\n---\n", "---\n---\n", "\n"])


@given(
    front=FRONT,
    bom=st.booleans(),
    before=st.lists(BLOCKS, max_size=4),
    after=st.lists(BLOCKS, max_size=4),
    line=st.sampled_from([LINE, LINE[2:], f"{LINE} ^f-1"]),
    gap=st.sampled_from(["\n", "\n\n"]),
    ending=st.sampled_from(["\n", "\r\n", "\r"]),
    last=st.booleans(),
    instead=st.sampled_from(["", HELD]),
)
def test_every_line_is_kept_and_nothing_else_changes(
    front: str,
    bom: bool,
    before: list[str],
    after: list[str],
    line: str,
    gap: str,
    ending: str,
    last: bool,
    instead: str,
) -> None:
    instead = instead if line.startswith("- ") else instead[2:]
    text = ("\ufeff" if bom else "") + front + gap.join([*before, line, *after])
    text = (text + ("\n" if last else "")).replace("\n", ending)

    moved = superseded(text, line, SAID, instead)

    if moved is None:
        return
    old, new = (split_lines(one.removeprefix("\ufeff")) for one in (text, moved))
    added = list(new)
    for one in old:
        if one.strip():
            added.remove(one)
    told = [one for one in added if one.strip()]
    if instead in told:
        told.remove(instead)
        assert _differs_on_one_side_only(text, line, moved, instead)  # so it is in its very place
    headings = [parse_note(text).headings, parse_note(moved).headings]
    assert [one.strip() for one in told if not one.startswith("## ")] in (
        [SAID],
        [SAID.replace("—", "-")],
    )
    assert len(headings[1]) == len(headings[0]) + ("## Superseded" in told)
    assert moved.startswith("\ufeff") is bom
    assert moved.endswith(("\r", "\n")) is last
    if len(old) > 1:  # else there is no line ending to keep
        assert not set(moved.replace(ending, "")) & {"\r", "\n"}
    assert [link.target for link in parse_note(moved).links].count("Log") == 1
    assert superseded(moved, line, SAID) is None or _is_below(moved, line)


@pytest.mark.parametrize(
    ("before", "line", "instead", "after"),
    [
        pytest.param(
            "- Port is 8080. ^f-1\r\n- Tin.",
            "- Port is 8080. ^f-1",
            "- Port is 9090.",
            "- Port is 9090.\r\n- Tin.\r\n\r\n## Superseded\r\n\r\n- Port is 8080. ^f-1\r\n"
            "  - corrected by [[Log]], 2026-11-30",
            id="in the list",
        ),
        pytest.param(
            "Port is 8080.",
            "Port is 8080.",
            "Port is 9090.",
            f"Port is 9090.\n\n## Superseded\n\nPort is 8080.\n{SAID}",
            id="the only line",
        ),
        pytest.param(
            "Port is 8080.\n\nOne.\n",
            "Port is 8080.",
            "---",
            f"One.\n\n## Superseded\n\nPort is 8080.\n{SAID}\n",
            id="what would be no text there is left out",
        ),
        pytest.param(
            "- Port is 8080.\n- Tin.\n",
            "- Port is 8080.",
            "- [ ] Port is 9090.",
            f"- Tin.\n\n## Superseded\n\n- Port is 8080.\n  {SAID}\n",
            id="a task is left out",
        ),
        pytest.param(
            "Tin.\nPort is 8080.\nGrey.\n",
            "Port is 8080.",
            "Port is 9090.",
            f"Tin.\nGrey.\n\n## Superseded\n\nPort is 8080.\n{SAID}\n",
            id="among the sentences of a paragraph nothing is put",
        ),
    ],
)
def test_another_line_may_take_its_place(before: str, line: str, instead: str, after: str) -> None:
    assert superseded(before, line, SAID, instead) == after


def _differs_on_one_side_only(text: str, line: str, moved: str, instead: str) -> bool:
    """Whether all before the place, or all behind it, is as it was: the section may stand on either side."""
    before, _, behind = text.partition(line)
    return moved.startswith(before + instead) or moved.endswith(instead + behind)


def _is_below(text: str, line: str) -> bool:
    """Whether the line stands in the section already; the stage does not look at what is there."""
    return text.index("## Superseded") < text.rindex(line)


def test_a_note_of_a_megabyte_is_cut_in_seconds() -> None:
    filler = "".join(f"- Item {n} says something of no interest at all.\n" for n in range(18_000))
    began = time.perf_counter()

    moved = superseded(f"# Long\n\n{LINE}\n{filler}", LINE, SAID)

    assert moved == f"# Long\n\n{filler}\n## Superseded\n\n{LINE}\n  {SAID}\n"
    assert time.perf_counter() - began < 30
