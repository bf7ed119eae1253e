"""Odd vaults, odd questions, odd clocks: every one gets an answer."""

from __future__ import annotations

import time
from datetime import datetime
from pathlib import Path

import pytest

from tests.conftest import VaultOf
from tests.vaults import WORDS, write
from vaultmem.search.model import Lane
from vaultmem.settings import Settings
from vaultmem.vault import Vault

SEA = {
    "Tide.md": "# Tide\nThe tide turns at noon. 潮",
    "شراع.md": "القارب الأزرق في الميناء",
    "Mixed.md": "wifi密码 and пароль of the harbour 🌊",
    "2031-01-02 Plan.md": "a plan for the tide mill",
    "2025-03-12 Walk.md": "a walk at low tide",
    "To be.md": "to be or not to be",
}


def paths(vault: Vault, query: str) -> list[str]:
    return [hit.path for hit in vault.search(query).hits]


QUERIES = [
    "tide", "tag:none tide", "-tide", "last spring", "before:2024", '"low tide"', "?!…", "🌊", "潮", "to be or not to be",
]  # fmt: skip


@pytest.mark.parametrize("query", QUERIES)
def test_an_empty_vault(vault_of: VaultOf, query: str) -> None:
    assert vault_of().search(query).hits == ()


@pytest.mark.parametrize("query", ["tide", "tide tag:none", "has:task"])
def test_no_vectors_yet(vault_of: VaultOf, query: str) -> None:
    vault = vault_of(SEA, settings=Settings())
    vault.rebuild(vectors=False)

    answer = vault.search(query)

    assert bool(answer.hits) is (query == "tide")
    assert not next(report for report in answer.lanes if report.lane == Lane.VECTOR).ran


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("潮", "Tide.md"),
        ("الأزرق", "شراع.md"),
        ('"القارب الأزرق"', "شراع.md"),
        ("密码 пароль", "Mixed.md"),
        ('"wifi密码"', "Mixed.md"),
        ("🌊", "Mixed.md"),
        ("to be or not to be", "To be.md"),
        ("не was last spring tide 去年 الميناء", "شراع.md"),
    ],
)
def test_any_script_is_found(vault_of: VaultOf, query: str, path: str) -> None:
    assert path in paths(vault_of(SEA), query)


@pytest.mark.parametrize(
    "query", ["?!…---", "🦑", '""', "-", "tag:", '-"', "“”", "::", "before: after:"]
)
def test_nothing_to_find(vault_of: VaultOf, query: str) -> None:
    assert [hit for hit in vault_of(SEA).search(query).hits if hit.path == "Tide.md"] == []


@pytest.mark.parametrize(
    "query",
    [
        " ".join(f"word{i}" for i in range(10_000)) + " tide",
        "-x " * 10_000,
        "tag:a " * 10_000,
        "before:yesterdayy " * 5_000,
        '"a b" ' * 10_000,
        '"' * 10_000,
        "prop:" + "x" * 10_000,
        "path:" + "%*_" * 5_000,
        "last year " * 2_000,
    ],
    ids=lambda query: query[:10],
)
def test_ten_thousand_words(vault_of: VaultOf, query: str) -> None:
    vault = vault_of(SEA)
    vault.rebuild()
    began = time.process_time()

    vault.search(query)

    assert time.process_time() - began < 3


def test_a_filter_that_matches_nothing_says_so(vault_of: VaultOf) -> None:
    answer = vault_of(SEA).search("tide tag:none")

    assert (answer.hits, answer.told) == ((), ("no note passes the filters",))


FAR = [1, -(2**62), 2**62, 2**80, int(datetime(1903, 1, 1).timestamp()) * 10**9]


@pytest.mark.parametrize("clock_ns", FAR)
@pytest.mark.parametrize(
    "query", ["tide last year", "tide tomorrow", "tide before:yesterday", "after:today", "去年"]
)
def test_a_clock_that_is_far_off(tmp_path: Path, clock_ns: int, query: str) -> None:
    write(tmp_path / "v", SEA)
    with Vault(tmp_path / "v", WORDS, cache_root=tmp_path / "c", clock_ns=time.time_ns) as vault:
        vault.rebuild()
    with Vault(
        tmp_path / "v", WORDS, cache_root=tmp_path / "c", clock_ns=lambda: clock_ns
    ) as vault:
        found = {hit.path for hit in vault.search(query, sync=False).hits}

    assert found <= set(SEA)


def test_a_note_of_the_future_has_its_date(vault_of: VaultOf) -> None:
    vault = vault_of(SEA)

    assert paths(vault, "after:2030") == ["2031-01-02 Plan.md"]
    assert paths(vault, "path:.md")[0] == "2031-01-02 Plan.md"
    assert paths(vault, "tide in 2031")[0] == "2031-01-02 Plan.md"


def test_a_time_lifts_and_leaves_nothing_out(vault_of: VaultOf) -> None:
    vault = vault_of(SEA)

    found = paths(vault, "tide in March 2025")

    assert found[0] == "2025-03-12 Walk.md"
    assert set(found) >= {"Tide.md", "2031-01-02 Plan.md"}


def test_a_day_in_a_heading_dates_its_block(vault_of: VaultOf) -> None:
    log = "# Log\n## 2025-03-12\nboiler cleaned\n## 2025-09-01\nboiler mended\n"
    [hit] = vault_of({"Log.md": log}).search("boiler in September 2025").hits

    assert hit.heading_path == ("Log", "2025-09-01")


def test_a_query_that_says_only_when_lists_what_is_dated_so(vault_of: VaultOf) -> None:
    answer = vault_of(SEA).search("in March 2025")

    assert answer.hits[0].path == "2025-03-12 Walk.md"
    assert answer.told == (
        "“March 2025” was read as 2025-03-01 to 2025-03-31; what is dated so comes first",
    )


def test_words_in_capitals_or_quotes_are_no_stop_words(vault_of: VaultOf) -> None:
    vault = vault_of({"a.md": "US tax", "b.md": "a long tax tax tax"})

    assert paths(vault, "US tax")[0] == "a.md"


def test_a_phrase_that_no_note_has_beside_other_words_is_looked_for_as_words(
    vault_of: VaultOf,
) -> None:
    vault = vault_of({"Mill.md": "The tide mill, and its low wheel.", "Oak.md": "An oak."})

    beside_words = vault.search('when does the mill have "low tide"')
    alone = vault.search('"low tide"')
    with_a_filter = vault.search('mill "low tide" tag:none')

    assert [hit.path for hit in beside_words.hits] == ["Mill.md"]
    assert beside_words.told == (
        "no note that passes has the words in quotes in a row; they were looked for as words",
    )
    assert alone.hits == with_a_filter.hits == ()


def test_a_phrase_that_a_note_has_leaves_out_all_others(vault_of: VaultOf) -> None:
    vault = vault_of({"Mill.md": "The tide mill, mill, mill.", "Ebb.md": "Low tide at the mill."})

    answer = vault.search('mill "low tide"')

    assert [hit.path for hit in answer.hits] == ["Ebb.md"]
