"""Whether to dream now: the order of the questions, and what holds over any course of clocks and people."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vaultmem.daemon_state import NightRecord
from vaultmem.dream.window import Window
from vaultmem_daemon import minute_check
from vaultmem_daemon.minute_check import Decision, Facts, Nights, Why, decide, idle_since

BERLIN = ZoneInfo("Europe/Berlin")
KNOWN = Nights(first="2031-01-01")


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=BERLIN).astimezone(UTC)


def tried(state: str, tries: int = 0, when: str = "2031-05-02T01:30") -> Nights:
    record = NightRecord("2031-05-02", state, tries, int(at(when).timestamp() * 1e9))
    return replace(KNOWN, records=(record,))


DUE = Facts(
    now=at("2031-05-02T02:00"),
    zone=BERLIN,
    enabled=True,
    window=Window.parse("01:00-06:00"),
    idle_s=3600,
    idle_needed_s=900,
    running=False,
    nights=KNOWN,
)
AWAKE = replace(KNOWN, attended="2031-05-02", attended_s=3 * 3600)
DOZED = replace(KNOWN, attended="2031-05-02", attended_s=2 * 3600)


@pytest.mark.parametrize(
    ("changes", "why", "late"),
    [
        ({}, Why.RUN, False),
        # In the order of the design: what comes first is what is said.
        ({"enabled": False, "idle_s": 0, "running": True}, Why.DISABLED, False),
        ({"now": at("2031-05-02T00:59"), "idle_s": 0, "nights": Nights()}, Why.OUTSIDE, True),
        ({"idle_s": 899, "running": True, "nights": tried("done")}, Why.BUSY, False),
        ({"idle_s": 900}, Why.RUN, False),
        ({"running": True, "nights": tried("done")}, Why.RUNNING, False),
        ({"nights": tried("done")}, Why.DONE, False),
        ({"nights": tried("cancelled")}, Why.RUN, False),
        # After a failure: a quarter of an hour, half an hour, and then no more.
        ({"nights": tried("failed", 1, "2031-05-02T01:46")}, Why.WAITING, False),
        ({"nights": tried("failed", 1, "2031-05-02T01:45")}, Why.RUN, False),
        ({"nights": tried("failed", 2, "2031-05-02T01:45")}, Why.WAITING, False),
        ({"nights": tried("failed", 2, "2031-05-02T01:30")}, Why.RUN, False),
        ({"nights": tried("failed", 3, "2031-05-02T00:30")}, Why.GIVEN_UP, False),
        # A failure in the future was noted by a clock that went wrong.
        ({"nights": tried("failed", 1, "2031-06-02T01:00")}, Why.RUN, False),
        # The window's end is not in it; a night that was slept through is made up, one that was not is not.
        ({"now": at("2031-05-02T06:00"), "nights": AWAKE}, Why.OUTSIDE, True),
        ({"now": at("2031-05-02T06:00"), "nights": DOZED}, Why.RUN, True),
        ({"now": at("2031-05-02T06:00"), "nights": DOZED, "idle_s": 0}, Why.BUSY, True),
        ({"now": at("2031-05-02T20:00"), "nights": tried("done")}, Why.OUTSIDE, True),
        ({"now": at("2031-05-02T20:00"), "nights": tried("skipped")}, Why.OUTSIDE, True),
        ({"now": at("2031-05-02T20:00"), "nights": tried("cancelled")}, Why.RUN, True),
        ({"now": at("2031-05-02T20:00"), "nights": Nights(first="2031-05-03")}, Why.OUTSIDE, True),
        ({"window": Window.parse("any"), "now": at("2031-05-02T12:00")}, Why.RUN, False),
    ],
)
def test_the_answer(changes: dict[str, object], why: Why, late: bool) -> None:
    decision = decide(replace(DUE, **changes))  # type: ignore[arg-type]
    assert (decision.why, decision.late) == (why, late)
    assert decision.said


@pytest.mark.parametrize(
    ("window", "now", "night"),
    [
        ("23:00-02:00", "2031-05-01T23:30", "2031-05-01"),
        ("23:00-02:00", "2031-05-02T01:30", "2031-05-01"),
        ("01:00-06:00", "2031-05-02T01:30", "2031-05-02"),
        ("any", "2031-05-02T00:00", "2031-05-02"),
    ],
)
def test_a_window_across_midnight_belongs_to_the_day_on_which_it_began(
    window: str, now: str, night: str
) -> None:
    decision = decide(replace(DUE, window=Window.parse(window), now=at(now)))
    assert (decision.why, decision.night.day) == (Why.RUN, date.fromisoformat(night))


def test_idle_counts_from_the_latest_sign_of_a_person() -> None:
    assert idle_since((None, None), 100.0) == 100.0
    assert idle_since((50.0, None), 100.0) == 100.0
    assert idle_since((150.0, 120.0, None), 100.0) == 150.0


# -- any course of things ------------------------------------------------------------------------------------------


@dataclass
class Life:
    """A daemon's days in the pure functions: what it remembers, and each night that it ran."""

    window: Window
    zone: ZoneInfo
    now: datetime
    nights: Nights = field(default_factory=Nights)
    idle_s: float = 0.0
    since_last_s: float = 0.0
    runs: list[tuple[Decision, str, float]] = field(default_factory=list)

    def check(self, outcome: str) -> None:
        night = self.window.latest(self.now, self.zone)
        self.nights = minute_check.attend(self.nights, night, self.now, self.since_last_s)
        self.since_last_s = 0.0
        facts = Facts(self.now, self.zone, True, self.window, self.idle_s, 900, False, self.nights)
        decision = decide(facts)
        if decision.run:
            now_ns = int(self.now.timestamp() * 1e9)
            self.nights = minute_check.begun(self.nights, night, now_ns)
            self.nights = minute_check.ended(self.nights, night, outcome, now_ns)
            self.runs.append((decision, outcome, self.idle_s))

    def go_on(self, minutes: int, outcome: str) -> None:
        for _ in range(minutes):
            self.now += timedelta(minutes=1)
            self.idle_s += 60
            self.since_last_s += 60
            self.check(outcome)

    def set_by(self, hours: int) -> None:
        before, self.now = self.now, self.now + timedelta(hours=hours)
        self.nights = minute_check.after_clock_was_set(
            self.nights, self.window, before, self.now, self.zone
        )


OUTCOMES = st.sampled_from(["done", "nothing", "cancelled", "failed"])
MOVES = st.one_of(
    st.tuples(st.just("go on"), st.integers(1, 400), OUTCOMES),
    st.tuples(st.just("sleep"), st.integers(1, 100), OUTCOMES),
    st.tuples(st.just("set"), st.sampled_from([-960, -25, -1, 1, 25, 960]), OUTCOMES),
    st.tuples(st.just("use"), st.just(0), OUTCOMES),
    st.tuples(st.just("restart"), st.integers(0, 50), OUTCOMES),
)
WINDOWS = st.sampled_from(["01:00-06:00", "02:30-02:45", "23:00-02:30", "any", "12:00-11:59"])
STARTS = st.sampled_from(
    ["2031-03-29T12:00", "2031-10-25T12:00", "2031-05-01T02:00", "2031-12-31T23:50"]
)


@settings(max_examples=150, deadline=None)
@given(WINDOWS, STARTS, st.lists(MOVES, min_size=1, max_size=12))
def test_no_night_is_done_twice_and_none_runs_that_may_not(
    window: str, start: str, moves: list[tuple[str, int, str]]
) -> None:
    life = Life(Window.parse(window), BERLIN, at(start))
    for what, amount, outcome in moves:
        if what == "go on":
            life.go_on(amount, outcome)
        elif what == "sleep":
            life.now += timedelta(hours=amount)
            life.idle_s = 0
        elif what == "set":
            life.set_by(amount)
        elif what == "use":
            life.idle_s = 0
        else:
            life.now += timedelta(hours=amount)
            life.nights = minute_check.after_a_crash(life.nights)
            life.idle_s = life.since_last_s = 0.0

    ended = Counter(d.night.day for d, outcome, _ in life.runs if outcome in ("done", "nothing"))
    assert all(times == 1 for times in ended.values())
    failed = Counter(d.night.day for d, outcome, _ in life.runs if outcome == "failed")
    assert all(times <= minute_check.MOST_TRIES for times in failed.values())
    done: set[date] = set()
    for decision, outcome, idle_s in life.runs:
        assert decision.night.day not in done
        assert idle_s >= 900
        assert decision.night.day.isoformat() >= life.nights.first or not decision.late
        if outcome in ("done", "nothing"):
            done.add(decision.night.day)


@settings(max_examples=60, deadline=None)
@given(
    st.datetimes(datetime(2031, 1, 1), datetime(2032, 1, 1)),
    st.integers(0, 23 * 60 + 59),
    st.integers(1, 23 * 60),
    st.sampled_from(["Europe/Berlin", "America/St_Johns", "Australia/Lord_Howe", "Asia/Kathmandu"]),
)
def test_nights_follow_each_other_without_one_missing(
    now: datetime, start: int, length: int, zone_name: str
) -> None:
    zone = ZoneInfo(zone_name)
    end = (start + length) % (24 * 60)
    window = Window.parse(f"{start // 60}:{start % 60:02}-{end // 60}:{end % 60:02}")
    night = window.latest(now.replace(tzinfo=UTC), zone)
    assert night.begins <= now.replace(tzinfo=UTC)
    for _ in range(3):
        after = window.after(night, zone)
        assert after.day == night.day + timedelta(days=1)
        assert night.begins < night.ends
        assert night.begins < after.begins
        assert window.latest(after.begins, zone) == after
        assert window.latest(after.begins - timedelta(seconds=1), zone) == night
        night = after


@pytest.mark.parametrize(
    "text", ["", "1", "01:00", "24:00-01:00", "1:00-1:00", "a-b", "01:60-02:00"]
)
def test_what_is_no_window(text: str) -> None:
    with pytest.raises(ValueError, match=rf"\A{re.escape(text)}\Z"):
        Window.parse(text)


def test_a_date_that_does_not_exist_has_no_night() -> None:
    apia = ZoneInfo("Pacific/Apia")
    assert Window.parse("01:00-06:00").night(date(2011, 12, 30), apia) is None
    latest = Window.parse("01:00-06:00").latest(datetime(2011, 12, 31, 0, tzinfo=apia), apia)
    assert latest.day == date(2011, 12, 29)
