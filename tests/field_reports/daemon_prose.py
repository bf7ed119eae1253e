"""Outcomes in prose about the daemon, judged by code: each by a pattern for what it says."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from datetime import date, datetime
from typing import Final

from tests.field_reports.case import Check
from tests.field_reports.daemon_steps import observation_of
from tests.field_reports.world import Record, World
from vaultmem.answers import Status
from vaultmem_cli.console import Style
from vaultmem_cli.views.daemon import status_page

Judged = Callable[[World, Check, re.Match[str]], str]

_MONTHS: Final = (
    *("january", "february", "march", "april", "may", "june", "july"),
    *("august", "september", "october", "november", "december"),
)
_DAY: Final = re.compile(r"(\d{1,2})(?: \([^)]*\))?((?:, | and |, and )?)(?=[\d ])")
_NUMBERS: Final = {
    word: number
    for number, word in enumerate(
        ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
    )
}


def judged(world: World, check: Check) -> str | None:
    """What is wrong with the outcome, "" when nothing is; None when it is not known how to judge it."""
    text = check.details.text("text")
    for pattern, judge in PATTERNS.items():
        if found := re.search(pattern, text, re.IGNORECASE | re.DOTALL):
            return judge(world, check, found)
    return None


def _labelled(world: World, label: str) -> Record | None:
    return next((r for r in reversed(world.records) if r.step.label == label), None)


def _once_per_night(world: World, check: Check, found: re.Match[str]) -> str:
    """Each of the nights named has one run within the step, and the step has no other; a bound that is named after an hour
    that does not exist is kept."""
    record = _labelled(world, found[1])
    if record is None:
        return f"there is no step {found[1]!r}"
    wanted = _dates(found[2], record.dreams[0].year if record.dreams else 0)
    got = Counter(dream.date() for dream in record.dreams)
    if got != Counter(wanted):
        return f"it ran at {[f'{dream:%m-%d %H:%M}' for dream in record.dreams]}"
    after = re.search(r"(\d{1,2}) [A-Z]?[a-z]* ?\([^)]*shortly after (\d{2}):(\d{2})", found[2])
    if after:
        [run] = [dream for dream in record.dreams if dream.day == int(after[1])]
        minutes = (run.hour - int(after[2])) * 60 + run.minute - int(after[3])
        if not 0 <= minutes <= 5:
            return f"on that day it ran at {run:%H:%M}"
    return ""


def _dates(text: str, year: int) -> list[date]:
    """The dates that a sentence lists; a month stands for all days before it that have none."""
    plain = re.sub(r"\([^)]*\)", "", text)
    days: list[date] = []
    open_days: list[int] = []
    for word in re.findall(r"\d{1,2}|[A-Za-z]+", plain):
        if word.isdigit():
            open_days.append(int(word))
        elif word.lower() in _MONTHS:
            month = _MONTHS.index(word.lower()) + 1
            days += [date(year or 1, month, day) for day in open_days]
            open_days = []
    return days


def _since_start(world: World, label: str) -> tuple[list[datetime], int]:
    """Dreams and scans from the last start of the daemon to the end of the step with that label."""
    dreams: list[datetime] = []
    scans = 0
    for record in world.records:
        if record.step.do == "daemon_start":
            dreams, scans = [], 0
        dreams += record.dreams
        scans += record.scans
        if record.step.label == label:
            break
    return dreams, scans


def _has_run_once(world: World, check: Check, found: re.Match[str]) -> str:
    dreams, scans = _since_start(world, found[1])
    if len(dreams) != 1:
        return f"the nightly job ran {len(dreams)} times: {dreams}"
    if re.search(r"\bscan\b.*once", found[2], re.IGNORECASE) and scans != 1:
        return f"the scan ran {scans} times"
    return ""


def _shows_last_and_late(world: World, check: Check, found: re.Match[str]) -> str:
    if world.turned is None:
        return "no daemon ran"
    health = world.turned.health()
    cycle = health.last_cycle
    if cycle is None or not cycle.ended_ns:
        return "it tells of no run"
    if not cycle.late:
        return "it does not say that it was late"
    shown = "\n".join(status_page(health, Style(False, None)).lines)
    return "" if re.search(r"\d{4}-\d\d-\d\d.*late", shown) else f"it shows {shown!r}"


def _scans_in_each(world: World, check: Check, found: re.Match[str]) -> str:
    low, high = (_number(found[2]), _number(found[3]))
    minutes = _number(found[1])
    wrong = [
        f"{record.step.label}: {record.scans}"
        for record in world.records
        if record.step.do == "advance_real"
        and record.step.details.number("minutes", 0) == minutes
        and not low <= record.scans <= high
    ]
    return ", ".join(wrong)


def _number(word: str) -> int:
    return int(word) if word.isdigit() else _NUMBERS.get(word.lower(), -1)


def _no_flood(world: World, check: Check, found: re.Match[str]) -> str:
    """No stretch of elapsed time holds many more scans than fit into it, nor none where some are due."""
    assert world.turned is not None
    every_s = world.turned.scan_s
    for record in world.records:
        if record.step.do == "advance_real":
            due = record.step.details.number("minutes", 0) * 60 / every_s
            if not due - 1 <= record.scans <= due + 1:
                return f"{record.step.label}: {record.scans} scans where {due:.0f} are due"
        elif record.step.do == "clock" and record.scans > 1:
            return f"setting the clock started {record.scans} scans"
    return ""


def _quiet(world: World, check: Check, found: re.Match[str]) -> str:
    most = re.search(r"CPU below (\d+(?:\.\d+)?) percent", check.details.text("text"))
    for label in re.findall(r"[\w-]+", found[1].replace(" and ", " ")):
        record = _labelled(world, label)
        seen = observation_of(record.answer) if record else None
        if seen is None:
            return f"nothing was observed in {label!r}"
        if seen.written or seen.log_growth > 0:
            return f"{label}: written {seen.written}, the log grew by {seen.log_growth} bytes"
        if "indexed" in seen.said:
            return f"{label}: {seen.said}"
        if most and seen.cpu_share * 100 >= float(most[1]):
            return f"{label}: {seen.cpu_share:.1%} of a core"
    return ""


def _indexed_once(world: World, check: Check, found: re.Match[str]) -> str:
    """From the first change of the file by another program on, the daemon took in one change, and left the bytes."""
    path, times = found[1], 0
    begun = False
    for record in world.records:
        begun = begun or (record.step.do == "fs" and record.step.details.text("path") == path)
        if begun:
            times += len(re.findall(r"^\d+ notes? (?:changed|added).*indexed", record.said, re.M))
    if times != 1:
        return f"{times} times something was taken in"
    return "" if (world.root / path).read_bytes() == world.planted[path] else "it was rewritten"


def _names_the_restart(world: World, check: Check, found: re.Match[str]) -> str:
    statuses = [r.answer for r in world.records if isinstance(r.answer, Status)]
    dream = statuses[-1].dream if statuses else None
    if dream is None or dream.watcher is None:
        return "no status tells of a watcher"
    shown = "\n".join(status_page(dream, Style(False, None)).lines)
    if not dream.watcher.restarts or "restarted" not in shown:
        return f"the status does not name it: {shown!r}"
    return _never_healthy_when_dead(world, check, found)


def _never_healthy_when_dead(world: World, check: Check, found: re.Match[str]) -> str:
    """Once its watcher had ended, the daemon said so within moments, and was never called healthy before the next."""
    for record in world.records:
        if record.step.do == "fault" and isinstance(record.answer, list) and record.answer:
            last = record.answer[-1]
            restarted = last.watcher is not None and last.watcher.restarts > 0
            if last.health == "healthy" and not restarted:
                return "it went on to call itself healthy"
    return ""


PATTERNS: Final[Mapping[str, Judged]] = {
    r"In '([\w-]+)' the (?:nightly )?job runs exactly once per night on (.*)": _once_per_night,
    r"By ([\w-]+) the nightly job (.*?has run once.*)": _has_run_once,
    r"status.*shows the time of the last run.*late": _shows_last_and_late,
    r"In each (\w+)-minute stretch the scan runs (\w+) to (\w+) times": _scans_in_each,
    r"does not start [\d,]+ scans": _no_flood,
    r"In ([\w-]+(?: and [\w-]+)*): no rescans": _quiet,
    r"edit ([\w./-]+) is indexed once and is not rewritten": _indexed_once,
    r"status names the watcher restart": _names_the_restart,
    r"never reports itself healthy": _never_healthy_when_dead,
}
"""What is known to be judged, by a pattern of what it says."""
