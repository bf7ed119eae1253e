"""The journal and its events: appended whole, read in order, torn lines told (P5, D-04)."""

from __future__ import annotations

import dataclasses
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some

from vaultmem.files.device import device_id
from vaultmem.files.events import (
    ByteSpan,
    EventKind,
    FileChange,
    MemoryEvent,
    changed_spans,
    from_json,
    new_event_id,
    to_json,
)
from vaultmem.files.journal import Journal, JournalFault, is_cut_off

NOVEMBER = 1_795_000_000 * 10**9
DECEMBER = 1_796_500_000 * 10**9


YEAR = 366 * 86_400 * 10**9


def event(time_ns: int, device: str = "aaaa0000", **fields: object) -> MemoryEvent:
    base = MemoryEvent(
        new_event_id(time_ns), time_ns, device, EventKind.UPDATED, "vaultmem edit", "asked to"
    )
    return dataclasses.replace(base, **fields)  # type: ignore[arg-type]


FULL = event(
    NOVEMBER,
    kind=EventKind.RENAMED,
    changes=(
        FileChange("a.md", "b ü.md", "1" * 32, "2" * 32, (ByteSpan(3, 5, 0), ByteSpan(9, 9, 4))),
        FileChange("new.md", None, None, "3" * 32),
        FileChange("folder", "Folder"),
    ),
    cycle="2026-11-29",
    undoes="20261129-000000-000000-abcdef",
    note="line one\nline two",
    extra={"later": {"field": [1, None]}},
)


@pytest.mark.parametrize("one", [event(NOVEMBER), FULL])
def test_an_event_is_one_line_and_comes_back(one: MemoryEvent) -> None:
    line = to_json(one)
    assert "\n" not in line
    assert from_json(line) == one


def test_the_json_is_short_and_plain() -> None:
    assert json.loads(to_json(FULL))["changes"] == [
        {
            "path": "a.md",
            "to": "b ü.md",
            "before": "1" * 32,
            "after": "2" * 32,
            "spans": [[3, 5, 0], [9, 9, 4]],
        },
        {"path": "new.md", "after": "3" * 32},
        {"path": "folder", "to": "Folder"},
    ]


def test_a_kind_of_a_newer_version_is_unknown_and_kept() -> None:
    line = to_json(event(NOVEMBER)).replace('"updated"', '"dreamt"')
    read = from_json(line)
    assert read.kind is EventKind.UNKNOWN
    assert json.loads(to_json(read)) == json.loads(line)


@pytest.mark.parametrize(
    "line", ["", "{", "[]", "null", "{}", '{"id": 3}', to_json(event(1)).replace(":1,", ':"x",')]
)
def test_anything_else_is_no_event(line: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - every kind of it
        from_json(line)


def test_ids_sort_by_time_and_are_not_given_twice() -> None:
    times = [0, 999, 1_000, NOVEMBER, NOVEMBER + 1_000, DECEMBER]
    ids = [new_event_id(time) for time in times]
    assert [one[:22] for one in ids] == sorted(one[:22] for one in ids)
    assert len({new_event_id(NOVEMBER) for _ in range(200)}) == 200


@given(some.binary(max_size=40), some.binary(max_size=40))
def test_the_spans_make_the_one_version_of_the_other(before: bytes, after: bytes) -> None:
    made = bytearray()
    position = offset = 0
    for span in changed_spans(before, after):
        made += before[position : span.start]
        start = span.start + offset
        made += after[start : start + span.length]
        offset += span.length - (span.end - span.start)
        position = span.end
    assert bytes(made + before[position:]) == after


@pytest.mark.parametrize(
    ("before", "after", "span"),
    [
        (b"abcdef", b"abXdef", ByteSpan(2, 3, 1)),
        (b"abc", b"abcd", ByteSpan(3, 3, 1)),
        (b"aaa", b"aa", ByteSpan(2, 3, 0)),
        (b"", b"x", ByteSpan(0, 0, 1)),
    ],
)
def test_a_span_is_as_short_as_can_be(before: bytes, after: bytes, span: ByteSpan) -> None:
    assert changed_spans(before, after) == (span,)


def test_events_are_kept_by_device_and_month(tmp_path: Path) -> None:
    journal = Journal(tmp_path, "aaaa0000")
    journal.append(event(NOVEMBER))
    journal.append(event(DECEMBER))
    folder = tmp_path / ".vaultmem/journal/aaaa0000"
    assert sorted(path.name for path in folder.iterdir()) == ["2026-11.jsonl", "2026-12.jsonl"]


def test_the_devices_are_read_as_one_in_order_of_time(tmp_path: Path) -> None:
    one, other = Journal(tmp_path, "aaaa0000"), Journal(tmp_path, "bbbb0000")
    events = [event(NOVEMBER + n, "aaaa0000" if n % 3 else "bbbb0000") for n in range(9)]
    for each in events:
        (one if each.device == "aaaa0000" else other).append(each)
    assert list(one.read()) == events
    assert list(one.read(since_ns=NOVEMBER + 5)) == events[5:]
    assert list(one.newest()) == [each for each in reversed(events) if each.device == "aaaa0000"]


def test_a_clock_that_went_back_does_not_reorder_what_a_device_did(tmp_path: Path) -> None:
    journal = Journal(tmp_path, "aaaa0000")
    first, second = event(NOVEMBER + 100), event(NOVEMBER)
    journal.append(first)
    journal.append(second)
    assert list(journal.read()) == [first, second]


@pytest.mark.parametrize(
    "times",
    [
        [DECEMBER, NOVEMBER],
        [NOVEMBER, 0, DECEMBER, NOVEMBER + YEAR, NOVEMBER],
        [0, NOVEMBER],
        [DECEMBER + 2, NOVEMBER, DECEMBER + 1, DECEMBER],
    ],
)
def test_a_clock_that_went_back_over_the_border_of_a_month_does_not_either(
    tmp_path: Path, times: list[int]
) -> None:
    journal = Journal(tmp_path, "aaaa0000")
    events = [event(time) for time in times]
    for each in events:
        journal.append(each)
    assert list(journal.read()) == events
    assert list(journal.newest()) == list(journal.backward()) == events[::-1]
    assert [journal.holds(each) for each in events] == [True] * len(events)
    late = min(time for time in times if time) + 1
    assert list(journal.read(since_ns=late)) == [each for each in events if each.time_ns >= late]


COPIES = [
    "aaaa0000/2026-11.sync-conflict-20261130-080000-ABCDEFG.jsonl",
    "aaaa0000/2026-11 (conflicted copy).jsonl",
    "aaaa0000/2026-11 2.jsonl",
    "aaaa0000/.~2026-11.jsonl",
    "aaaa0000/old.jsonl",
    "aaaa0000 (copy)/2026-11.jsonl",
    "bbbb0000/2026-11.jsonl",
]


@pytest.mark.parametrize("copy", COPIES)
def test_an_event_comes_once_however_many_copies_there_are_of_it(tmp_path: Path, copy: str) -> None:
    journal = Journal(tmp_path, "aaaa0000")
    before = [event(NOVEMBER + 2), event(NOVEMBER), event(NOVEMBER + 3)]
    for each in before:
        journal.append(each)
    base = tmp_path / ".vaultmem/journal"
    (base / copy).parent.mkdir(exist_ok=True)
    shutil.copy(base / "aaaa0000/2026-11.jsonl", base / copy)
    after = [event(NOVEMBER + 4), event(NOVEMBER + 1)]
    for each in after:
        journal.append(each)
    events = [*before, *after]
    assert list(journal.read()) == events
    assert list(journal.newest()) == list(journal.backward()) == events[::-1]


@pytest.mark.parametrize("copy", COPIES)
def test_an_event_that_only_a_copy_has_comes_at_its_time(tmp_path: Path, copy: str) -> None:
    journal = Journal(tmp_path, "aaaa0000")
    first, lost, last = event(NOVEMBER), event(NOVEMBER + 1), event(NOVEMBER + 2)
    for each in (first, lost):
        journal.append(each)
    base = tmp_path / ".vaultmem/journal"
    (base / copy).parent.mkdir(exist_ok=True)
    (base / "aaaa0000/2026-11.jsonl").rename(base / copy)
    for each in (first, last):
        journal.append(each)
    assert list(journal.read()) == [first, lost, last]
    assert list(journal.backward()) == [last, lost, first]
    assert list(journal.backward(lambda line: lost.id.encode() in line)) == [lost]


def test_what_a_journal_cannot_hold_is_no_event(tmp_path: Path) -> None:
    journal = Journal(tmp_path, "aaaa0000")
    one = event(NOVEMBER)
    journal.append(one)
    (path,) = (tmp_path / ".vaultmem/journal/aaaa0000").iterdir()
    deep = to_json(one)[:-1] + ',"extra":' + "[" * 100_000 + "]" * 100_000 + "}"
    endless = to_json(one).replace(f'"time_ns":{NOVEMBER}', '"time_ns":1e999')
    late = to_json(one).replace(f'"time_ns":{NOVEMBER}', f'"time_ns":{10**30}')
    with path.open("a") as file:
        file.write(f"{deep}\n{endless}\n{late}\n")
    faults: list[JournalFault] = []
    assert list(journal.read(on_fault=faults.append)) == [one]
    assert [(fault.line, fault.torn) for fault in faults] == [(2, False), (3, False), (4, False)]
    assert list(journal.backward()) == [one]


@pytest.mark.parametrize("cut", [1, 40, -1])
def test_a_torn_line_is_told_and_the_next_event_starts_a_line(tmp_path: Path, cut: int) -> None:
    journal = Journal(tmp_path, "aaaa0000")
    first, torn, last = event(NOVEMBER), event(NOVEMBER + 1), event(NOVEMBER + 2)
    journal.append(first)
    (path,) = (tmp_path / ".vaultmem/journal/aaaa0000").iterdir()
    with path.open("ab") as file:
        file.write(to_json(torn).encode()[:cut])
    shown = ".vaultmem/journal/aaaa0000/2026-11.jsonl"
    faults: list[JournalFault] = []
    assert list(journal.read(on_fault=faults.append)) == [first]
    fault = JournalFault(shown, 2, torn=True, event="" if cut == 1 else torn.id)
    assert faults == [fault]
    journal.append(last)
    faults.clear()
    assert list(journal.read(on_fault=faults.append)) == [first, last]
    assert faults == [fault]
    assert list(journal.newest()) == [last, first]


@pytest.mark.parametrize(
    ("line", "cut_off"),
    [
        (b'{"id":"2026', True),
        (b'{"id":"x","changes":[{"path":"a}b', True),
        (b'{"id":"x","changes":[{"path":"a"}', True),
        (b'{"id":"x","note":"\xc3\0\0\0', True),
        (b"\0\0\0", True),
        (b'{"id":"x"}', False),
        (b'{"id":x"}', False),
        (b'"id":"x"}', False),
        (b"{}{", True),
        (b"5", False),
    ],
)
def test_a_line_that_was_cut_off_is_told_from_one_that_is_damaged(
    line: bytes, cut_off: bool
) -> None:
    assert is_cut_off(line + b"\n") == cut_off
    assert is_cut_off(line)


def test_an_event_is_found_by_its_id(tmp_path: Path) -> None:
    journal = Journal(tmp_path, "aaaa0000")
    inside, outside = event(NOVEMBER), event(NOVEMBER, note="names no other")
    assert not journal.holds(inside)
    journal.append(inside)
    journal.append(event(NOVEMBER, undoes=outside.id))
    assert journal.holds(inside)
    assert not journal.holds(outside)


def test_long_lines_are_read_backward(tmp_path: Path) -> None:
    journal = Journal(tmp_path, "aaaa0000")
    events = [event(NOVEMBER + n, note="x" * (n * 50_000)) for n in range(5)]
    for each in events:
        journal.append(each)
    assert list(journal.newest()) == events[::-1]


APPEND = """
import sys
from pathlib import Path
from vaultmem.files.events import EventKind, MemoryEvent, new_event_id
from vaultmem.files.journal import Journal
journal = Journal(Path(sys.argv[1]), "aaaa0000")
for number in range(50):
    time = 1_795_000_000 * 10**9 + number
    journal.append(MemoryEvent(new_event_id(time), time, "aaaa0000", EventKind.RECALLED, sys.argv[2], "x" * 5000))
"""


def test_processes_append_at_the_same_time(tmp_path: Path) -> None:
    processes = [
        subprocess.Popen([sys.executable, "-c", APPEND, str(tmp_path), str(number)])
        for number in range(3)
    ]
    assert [process.wait() for process in processes] == [0, 0, 0]
    faults: list[JournalFault] = []
    actors = [one.actor for one in Journal(tmp_path).read(on_fault=faults.append)]
    assert sorted(actors) == ["0"] * 50 + ["1"] * 50 + ["2"] * 50
    assert faults == []


def test_a_machine_keeps_its_name_and_shares_it_with_no_other(tmp_path: Path) -> None:
    name = device_id(tmp_path, "laptop")
    assert device_id(tmp_path, "laptop") == name
    assert device_id(tmp_path, "desktop") not in ("", name)
    assert Journal(tmp_path).device == device_id(tmp_path)


@pytest.mark.parametrize("left", ["", "abc", "no name\n"])
def test_a_half_written_name_is_made_anew(tmp_path: Path, left: str) -> None:
    device_id(tmp_path, "laptop")
    (path,) = (tmp_path / ".vaultmem/devices").iterdir()
    path.write_text(left)
    name = device_id(tmp_path, "laptop")
    assert path.read_text() == f"{name}\n"


def test_the_name_of_a_machine_outlives_its_host_name(tmp_path: Path) -> None:
    name = device_id(tmp_path, "its id", formerly="laptop, its id")
    assert device_id(tmp_path, "its id", formerly="laptop in another network, its id") == name


def test_the_name_that_an_older_version_made_stays(tmp_path: Path) -> None:
    """What that version left half is still our own, before and after the host name changes."""
    name = device_id(tmp_path, "laptop, its id")
    assert device_id(tmp_path, "its id", formerly="laptop, its id") == name
    assert device_id(tmp_path, "its id", formerly="another name, its id") == name


def test_a_copy_of_a_machine_keeps_the_name_that_it_had(tmp_path: Path) -> None:
    first = device_id(tmp_path, "laptop, one id")
    second = device_id(tmp_path, "copy, one id")
    assert device_id(tmp_path, "one id", formerly="laptop, one id") == first
    assert device_id(tmp_path, "one id", formerly="copy, one id") == second != first


CALLED = """
import platform, sys
from pathlib import Path
platform.node = lambda: sys.argv[2]
from vaultmem.files.device import device_id, machine_name
print(device_id(Path(sys.argv[1])), machine_name() == sys.argv[2])
"""


def test_a_system_with_an_id_is_known_by_it_alone(tmp_path: Path) -> None:
    one, other = (
        subprocess.run(
            [sys.executable, "-c", CALLED, str(tmp_path), host],
            capture_output=True,
            text=True,
            check=True,
        ).stdout.split()
        for host in ("desk", "cafe")
    )
    if one[1] == "True":
        pytest.skip("this system has no id of its own")
    assert one == other
