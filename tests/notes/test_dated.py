"""The day that a note is about."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultmem.notes.dated import as_day, days_in, from_day, note_day
from vaultmem.notes.model import PropertyValue


@pytest.mark.parametrize(
    ("path", "properties", "day"),
    [
        ("a.md", {}, None),
        ("a.md", {"date": "2024-03-12"}, "2024-03-12"),
        ("a.md", {"Created": "2024/3/2 10:00"}, "2024-03-02"),
        ("a.md", {"created_at": "2024-03-12T08:00:00Z"}, "2024-03-12"),
        ("a.md", {"date": "[[2024-03-12]]"}, "2024-03-12"),
        ("a.md", {"date": 20240312}, "2024-03-12"),
        ("a.md", {"date": ["2024-03-12"]}, "2024-03-12"),
        ("a.md", {"date": "soon", "created": "2023-01-01"}, "2023-01-01"),
        ("2024-03-12.md", {"date": "2023-01-01"}, "2023-01-01"),
        ("2024-03-12.md", {"date": "2023-02-30"}, "2024-03-12"),
        ("Log/2024-03-12 Talk.md", {}, "2024-03-12"),
        ("Talk 20240312.md", {}, "2024-03-12"),
        ("2024年3月12日.md", {}, "2024-03-12"),
        ("2024-03.md", {}, "2024-03-01"),
        ("2024-W11.md", {}, "2024-03-11"),
        ("Log/2024/03/12.md", {}, "2024-03-12"),
        ("2024-13-40.md", {}, None),
        ("call 120240312.md", {}, None),
        ("a.md", {"date": True}, None),
    ],
)  # fmt: skip
def test_a_note_is_dated_by_its_properties_then_by_its_name(
    path: str, properties: dict[str, PropertyValue], day: str | None
) -> None:
    assert note_day(path, properties) == (None if day is None else as_day(date.fromisoformat(day)))


def test_days_in_a_text() -> None:
    text = "on 2024-03-12, 2024.03.13 and 2024/3/14, not 2024-02-30 or 12024-01-01"

    assert [day.isoformat() for day in days_in(text)] == ["2024-03-12", "2024-03-13", "2024-03-14"]


@given(st.dates())
def test_a_day_comes_back(day: date) -> None:
    assert from_day(as_day(day)) == day
