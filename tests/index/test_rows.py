"""From a note's text to rows: what each table gets, and that any text yields rows that can be kept."""

from __future__ import annotations

import marshal

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultmem.index.names import ListedNames
from vaultmem.index.reading import FileRead
from vaultmem.index.rows import (
    FileRows,
    canvas_rows,
    join_headings,
    note_rows,
    split_headings,
    textless_note_rows,
)
from vaultmem.index.writer import FileContent, check_in_step, drop_contents, put_contents
from vaultmem_schemas import index_ddl

NOTE = (
    "---\ntitle: Spring tides\ntype: reference\ntags: [sea]\naliases: [High water]\npermanent: true\n---\n"
    "Before any heading.\n\n# Causes\n\nMoon and [[Sun]]. ^why\n\n## 潮汐\n\nheight:: 4.2\n\n- [ ] measure #todo\n"
)


def test_a_note() -> None:
    rows = note_rows("Log/Tides.md", NOTE)

    assert rows.note is not None
    title, category, kind, text_state, frontmatter, _, aliases, permanent, stale, *_ = rows.note
    assert (title, category, kind, text_state, frontmatter, aliases, permanent, stale) == (
        "Spring tides", "Log", "reference", "ok", "ok", '["High water"]', 1, 0,
    )  # fmt: skip
    assert rows.block_ids == [(0, "why", 11)]
    assert rows.tags == [(0, "sea", "sea", 1, 3), (1, "todo", "todo", 0, 17)]
    assert [(row[3], row[1]) for row in rows.links] == [("Sun", "wikilink")]
    assert rows.fields == [(0, "height", "4.2", 15)]
    assert rows.tasks == [(0, " ", "measure #todo", 17)]


def test_blocks_are_what_search_works_on() -> None:
    blocks = note_rows("Log/Tides.md", NOTE).blocks

    assert [block.row[:3] for block in blocks] == [
        (0, 0, ""),
        (1, 1, "Causes"),
        (2, 2, "Causes\n潮汐"),
    ]
    assert [block.words[1] for block in blocks] == ["high water", "", ""]
    assert all("spring tides" in str(block.words[0]) for block in blocks)
    assert str(blocks[2].words[5]).startswith("潮汐 潮 汐")


@pytest.mark.parametrize(
    ("path", "properties", "category"),
    [
        ("a.md", "", ""),
        ("Log/Old/a.md", "", "Log"),
        ("Log/a.md", "category: tides", "tides"),
        ("Log/a.md", "category: [tides]", "Log"),
    ],
)
def test_the_category_is_named_or_the_first_folder(
    path: str, properties: str, category: str
) -> None:
    note = note_rows(path, f"---\n{properties}\n---\n").note

    assert note is not None
    assert note[1] == category


@pytest.mark.parametrize(
    ("text", "permanent"),
    [
        ("---\npermanent: true\n---\n", 1),
        ("---\npermanent: yes\n---\n", 0),
        ('---\npermanent: "true"\n---\n', 0),
        ("---\ntags: [PINNED]\n---\n", 1),
        ("text #permanent\n", 1),
        ("text #permanent/x\n", 0),
    ],
)
def test_permanent(text: str, permanent: int) -> None:
    note = note_rows("a.md", text).note

    assert note is not None
    assert note[7] == permanent


def test_a_note_without_text_is_found_by_its_name() -> None:
    rows = textless_note_rows("Log/High water.md", "absent")

    [block] = rows.blocks
    assert block.words == ("high water", "", "", "", "", "")
    assert block.substrings.strip() == "high water"
    assert rows.note is not None
    assert (rows.note[0], rows.note[3]) == ("High water", "absent")


HEADINGS = st.sampled_from(["Tide", "潮汐", "a b"]) | st.text(
    st.characters(exclude_categories=["Cc", "Cs"]), min_size=1
)


@given(st.lists(HEADINGS, max_size=4), HEADINGS)
def test_a_heading_path_survives_its_cell(path: list[str], title: str) -> None:
    assert split_headings(join_headings(tuple(path), title), title) == tuple(path)


MARKUP = st.text(
    st.sampled_from("#-[]()!|*_`~<>:^&%$\\\"'{}=+ \t\n\r\0\u2028\ufeffaé数🌊1.,"), max_size=150
)
TEXTS = MARKUP | st.text(max_size=80) | MARKUP.map(lambda text: f"---\n{text}\n---\n{text}")


@pytest.fixture(scope="module")
def index() -> apsw.Connection:
    connection = apsw.Connection(":memory:")
    connection.execute(index_ddl())
    return connection


def kept(index: apsw.Connection, rows: FileRows) -> None:
    """Writes the rows, checks that all three block tables agree, and takes them out again."""
    names = ListedNames([(1, "a.md")])
    owners = put_contents(index, [FileContent(1, "a.md", rows)], names)
    check_in_step(index)
    assert drop_contents(index, [1]) == [block for block, _ in owners]
    check_in_step(index)
    for table in ("notes_blocks", "notes_links", "notes_tags", "file_warnings", "notes_index"):
        assert index.execute(f"SELECT count(*) FROM {table}").get == 0


@given(TEXTS)
def test_any_text_gives_rows_that_can_be_kept(index: apsw.Connection, text: str) -> None:
    rows = note_rows("a.md", text)

    kept(index, rows)
    assert rows.note is not None
    body_start = rows.note[-2]
    assert isinstance(body_start, int)
    assert "".join(str(block.row[-1]) for block in rows.blocks) == text[body_start:]


@given(TEXTS | st.sampled_from(['{"nodes":[{"id":"\\ud800","type":"text","text":"[[\\udfff]]"}]}']))
def test_any_canvas_gives_rows_that_can_be_kept(index: apsw.Connection, text: str) -> None:
    kept(index, canvas_rows(text))


@given(TEXTS)
def test_rows_travel_between_processes(text: str) -> None:
    read = FileRead(1, "a.md", "", 1, 2, 3, 4, 5, b"6", note_rows("a.md", text))

    assert FileRead.from_tuple(marshal.loads(marshal.dumps(read.as_tuple()))) == read  # type: ignore[arg-type]
