"""Filters: as SQL inside a search and as judges of a note in memory they come to the same."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import date, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.vaults import vault_at, write
from vaultmem.index.connection import fetch, open_index
from vaultmem.notes.resolve import NameIndex
from vaultmem.search.filters import (
    Before,
    Below,
    Compared,
    Filter,
    Filters,
    Has,
    Holds,
    LinksTo,
    Not,
    OfType,
    Placed,
    Property,
    Says,
    Tagged,
    note_facts,
    teach,
)
from vaultmem.search.model import Lane
from vaultmem.search.query import parse_query
from vaultmem.vault import Vault

NS = 1_000_000_000
TODAY = date(2026, 11, 30)

PLACES = ["Tide.md", "Coast/Tide.md", "coast/Reef Log.md", "2026-03-12 Walk.md", "Log/2024/05/07.md", "Küste/Ebbe_1.md"]  # fmt: skip
LINES = [
    "# Tide", "## Open questions", "low water at noon", "Low  *water*", "e-mail the Café", "数据库 wifi密码", "#coast/north",
    "#coast", "#Coasts", "- [ ] measure", "- [x] done", "![[Reef Log]]", "[[Tide]]", "[[Coast/Tide|the tide]]", "[[Nowhere]]",
    "[walk](2026-03-12%20Walk.md)", "depth:: 12", "- a fact ^f-1abc", "text ^id1", "🌊 wave", "Straße",
]  # fmt: skip
PROPERTIES = [
    "type: Meeting", "type: café", "status: Open", "status: [open, Done]", "depth: 12", "depth: 12.5", "depth: '9'",
    "date: 2025-06-01", "created: 2024-01-31T10:00", "tags: [coast, log/day]", "aliases: [The Tide]", "done: true",
    "Due Date: 2026-01-02", "up: '[[Tide]]'", "empty:", "naïve: yes",
]  # fmt: skip


@st.composite
def texts(draw: st.DrawFn) -> str:
    properties = draw(
        st.lists(st.sampled_from(PROPERTIES), unique_by=lambda line: line.split(":")[0], max_size=4)
    )
    body = draw(st.lists(st.sampled_from(LINES), max_size=8))
    front = "---\n" + "\n".join(properties) + "\n---\n" if properties else ""
    return front + "\n\n".join(body)


simple: st.SearchStrategy[Filter] = st.one_of(
    st.sampled_from(list(Has)).map(Holds),
    st.sampled_from(["coast", "coast/north", "log", "nothing"]).map(Tagged),
    st.sampled_from(["tide", "coast/", "kuste", "_", "%", "2024*07", "log*.md", ".md"]).map(Placed),
    st.sampled_from(["meeting", "cafe", "other"]).map(OfType),
    st.sampled_from(["tide", "questions", "ebbe", "2026-03"]).map(Below),
    st.sampled_from([date(2024, 2, 1), date(2025, 6, 1), date(2026, 1, 1), date.min, date.max]).map(Before),
    st.sampled_from(["tide", "coast/tide", "reef log", "nowhere", "2026-03-12 walk.md", "other"]).map(LinksTo),
    st.sampled_from(
        [(("low", "water"),), (("water",),), (("数据", "据库"),), (("wifi",), ("密码",)), (("cafe",),), (("symbol1f30a",),),
         (("strasse",),), (("absent",),), (("tide",),), (("e", "mail"),)]
    ).map(Says),
    st.builds(
        Property,
        st.sampled_from(["status", "depth", "done", "due date", "empty", "naïve", "up", "type"]),
        st.sampled_from(list(Compared)),
        st.sampled_from(["open", "12", "12.0", "9", "true", "2026-01-02", "2026", ""]),
    ),
)  # fmt: skip
filters = st.lists(simple | simple.map(Not), min_size=1, max_size=3).map(tuple).map(Filters)


@contextmanager
def vault_with(notes: dict[str, tuple[str, int]]) -> Iterator[Vault]:
    folder = Path(tempfile.mkdtemp())
    try:
        write(folder / "vault", {path: text for path, (text, _) in notes.items()})
        for path, (_, mtime) in notes.items():
            os.utime(folder / "vault" / path, ns=(mtime, mtime))
        with vault_at(folder / "vault") as vault:
            vault.rebuild(vectors=False)
            yield vault
    finally:
        shutil.rmtree(folder)


MOMENTS = [int(datetime(2025, 12, 31, 23, 59).timestamp()) * NS, int(datetime(2026, 1, 1).timestamp()) * NS, 0]  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(
    st.dictionaries(st.sampled_from(PLACES), st.tuples(texts(), st.sampled_from(MOMENTS)), min_size=1),
    st.lists(filters, min_size=1, max_size=12),
)  # fmt: skip
def test_in_the_index_and_in_memory_the_same_blocks_are_admitted(
    notes: dict[str, tuple[str, int]], asked: list[Filters]
) -> None:
    lookup = NameIndex(notes)
    facts = [note_facts(path, text, mtime, lookup) for path, (text, mtime) in notes.items()]

    with vault_with(notes) as vault, closing(open_index(vault.index_path)) as index:
        teach(index)
        for each in asked:
            clause = each.blocks()
            place = f"SELECT f.path, b.ordinal FROM notes_blocks AS b JOIN vault_files AS f ON f.id = b.note_id WHERE b.id IN ({clause.sql})"
            in_index = {tuple(row) for row in fetch(index, place, clause.values)}
            in_memory = {(note.path, ordinal) for note in facts for ordinal in each.admitted(note)}
            assert in_index == in_memory, each
            if not each.speak_of_blocks:
                clause = each.notes()
                of_notes = f"SELECT path FROM vault_files WHERE id IN ({clause.sql})"
                found = {path for (path,) in fetch(index, of_notes, clause.values)}
                assert found == {path for path, _ in in_memory}, each


NOTES = {
    "Coast/Tide.md": "---\ntype: place\nstatus: open\ndepth: 12\ndate: 2026-03-12\n---\n# Tide\nLow water at noon. [[Reef]]\n\n## Gauge\nThe gauge was mended. #coast/north",
    "Coast/Reef.md": "---\nstatus: [done, checked]\ndepth: 9\n---\n# Reef\nWater is low on the reef. ![[map.png]]\n- [ ] measure the gauge",
    "Log/2024-05-07.md": "draft: the gauge stood still #log",
    "Log/2025-05-07.md": "the gauge ran again ^run\nsee [[Tide]] and [[Nowhere]]",
}  # fmt: skip


@pytest.fixture(scope="module")
def coast() -> Iterator[Vault]:
    moment = int(datetime(2026, 6, 1, 12).timestamp()) * NS
    with vault_with({path: (text, moment) for path, text in NOTES.items()}) as vault:
        yield vault


TIDE, REEF, OLD, NEW = NOTES


@pytest.mark.parametrize(
    ("query", "paths"),
    [
        ("tag:coast", [TIDE]),
        ("tag:#Coast/North", [TIDE]),
        ("-tag:coast -tag:log", [REEF, NEW]),
        ("path:coast/", [REEF, TIDE]),
        ("path:log/*-05", [NEW, OLD]),
        ("type:Place", [TIDE]),
        ("in:gauge", [TIDE]),
        ("has:task", [REEF]),
        ("has:embed", [REEF]),
        ("has:block-id", [NEW]),
        ("has:link -has:property", [NEW]),
        ("before:2025", [OLD]),
        ("before:2026-06-01", [TIDE, NEW, OLD]),
        ("after:2026-03-12", [REEF]),
        ("-before:2026-03-12 -after:2026-03-12", [TIDE]),
        ('after:"two years ago" before:2026', [NEW]),
        ("link:Tide", [NEW]),
        ("link:coast/reef.md", [TIDE]),
        ("link:nowhere", [NEW]),
        ("prop:status", [REEF, TIDE]),
        ("prop:status=Done", [REEF]),
        ("prop:status!=done", [TIDE]),
        ("prop:depth>9.5", [TIDE]),
        ("prop:depth<=9", [REEF]),
        ("-prop:status=open", [REEF, NEW, OLD]),
        ('"low water"', [TIDE]),
        ("gauge -draft -mended", [REEF, NEW]),
        ('gauge -"gauge was"', [REEF, NEW, OLD]),
        ("gauge path:log before:2025", [OLD]),
    ],
)  # fmt: skip
def test_what_a_filter_means(coast: Vault, query: str, paths: list[str]) -> None:
    found = [hit.path for hit in coast.search(query, lanes=[Lane.KEYWORD]).hits]

    assert sorted(found) == sorted(paths)


def test_filters_alone_list_the_newest_note_first_and_say_so(coast: Vault) -> None:
    answer = coast.search("path:.md")

    assert [hit.path for hit in answer.hits] == [REEF, TIDE, NEW, OLD]
    assert answer.told == ("only filters: every note that they admit, newest first",)


def test_a_filter_acts_before_the_best_are_chosen(tmp_path: Path) -> None:
    crowd = {f"n{i}.md": "gauge gauge gauge" for i in range(400)}
    write(tmp_path / "v", {**crowd, "deep/one.md": f"a {'long ' * 300} text with a gauge #rare"})

    with vault_at(tmp_path / "v") as vault:
        assert [hit.path for hit in vault.search("gauge tag:rare", limit=1).hits] == ["deep/one.md"]
        assert [hit.path for hit in vault.search("aug tag:rare", lanes=[Lane.SUBSTRING]).hits] == ["deep/one.md"]  # fmt: skip


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("gauge before:yesterdayy", "before:yesterdayy was left out: it is no date"),
        ("gauge has:wings", "has:wings was left out: a note can be asked for link, embed"),
        ("gauge prop:=3", "prop:=3 was left out: write it as prop:key"),
        ('gauge tag:"#"', 'tag:"#" was left out: it names no tag'),
    ],
)
def test_a_wrong_value_is_told_and_does_not_act(coast: Vault, query: str, told: str) -> None:
    answer = coast.search(query, lanes=[Lane.KEYWORD])

    assert len(answer.hits) == 4
    assert [line[: len(told)] for line in answer.told] == [told]


def test_filters_beyond_the_most_are_told() -> None:
    query = parse_query(" ".join(f"tag:t{i}" for i in range(40)))

    assert len(query.filters.all_of) == 32
    assert query.told == ("tag:t32 and later filters were left out: at most 32 act",)
