"""Given clocks that are turned, the daemon dreams once a night, and its intervals follow elapsed time."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from tests.daemon.stepping import Stepped, TurnedClock, berlin
from tests.vaults import WORDS, vault_at, write
from vaultmem.activity import ACTIVITY_NAME, mark_activity
from vaultmem.daemon_state import DaemonHealth, read_state
from vaultmem.dream.report import CycleState
from vaultmem.errors import LockedError
from vaultmem.settings import DreamSettings, Settings

Begin = Callable[..., Stepped]


def nightly(window: str = "02:30-06:00", **more: object) -> Settings:
    """Settings with that window."""
    return replace(WORDS, dream=DreamSettings(window=window, **more))  # type: ignore[arg-type]


@pytest.fixture
def begin(root: Path) -> Iterator[Begin]:
    """Begins daemons on the vault, and ends them."""
    begun: list[Stepped] = []

    def begin_one(at: str = "2031-05-01T12:00", **more: object) -> Stepped:
        clock = TurnedClock(berlin(at), ZoneInfo("Europe/Berlin"))
        given = {"settings": nightly(), **more}
        begun.append(Stepped(root, clock, **given))  # type: ignore[arg-type]
        return begun[-1]

    yield begin_one
    for each in begun:
        each.end()


def health(root: Path, at: Stepped) -> DaemonHealth:
    from vaultmem.daemon_state import daemon_health

    folder = root / ".vaultmem"
    return daemon_health(folder, enabled=True, window="any", now_ns=at.clock.wall_ns())


@pytest.mark.parametrize(
    ("at", "until", "nights"),
    [
        (
            "2031-03-29T12:00",
            "2031-04-01T12:00",
            ["03-30 03:00", "03-31 02:30", "04-01 02:30"],  # on the 30th there is no 02:30
        ),
        (
            "2031-10-25T12:00",
            "2031-10-28T12:00",
            ["10-26 02:30", "10-27 02:30", "10-28 02:30"],  # on the 26th there are two
        ),
    ],
)
def test_each_night_once_whatever_the_clocks_do(
    begin: Begin, at: str, until: str, nights: list[str]
) -> None:
    stepped = begin(at)
    stepped.advance_to(berlin(until))
    assert stepped.nights == nights


def test_a_person_at_work_is_not_disturbed_and_an_idle_vault_is_tended(
    begin: Begin, root: Path
) -> None:
    stepped = begin()
    stepped.advance_to(berlin("2031-05-02T02:20"))
    os.utime(_mark(root), ns=(stepped.clock.wall,) * 2)
    stepped.advance_to(berlin("2031-05-02T02:34"))
    assert stepped.nights == []
    assert stepped.daemon.state.decision == "busy"
    stepped.advance(5)
    assert stepped.nights == ["05-02 02:35"]


def _mark(root: Path) -> Path:
    mark_activity(root / ".vaultmem")
    return root / ".vaultmem" / ACTIVITY_NAME


def test_an_edit_by_hand_is_activity_and_one_of_ours_is_not(begin: Begin, root: Path) -> None:
    stepped = begin()
    stepped.advance_to(berlin("2031-05-02T02:25"))
    write(root, {"Pump.md": "The word is capstan.\n"})
    with vault_at(root) as vault:
        vault.sync()  # as a watcher would
    stepped.advance_to(berlin("2031-05-02T02:35"))
    assert stepped.nights == []
    with vault_at(root) as vault:
        vault.edits.create("Ours", "text")
    stepped.advance_to(berlin("2031-05-02T02:45"))
    assert stepped.nights == ["05-02 02:40"]


def test_when_a_person_returns_the_cycle_yields_and_the_night_is_done_later(
    begin: Begin, root: Path
) -> None:
    stepped = begin()
    place = _mark(root)
    stepped.dream.during = lambda: os.utime(place, ns=(stepped.clock.wall,) * 2)
    stepped.advance_to(berlin("2031-05-02T02:35"))
    stepped.dream.during = lambda: None
    stepped.advance_to(berlin("2031-05-02T12:00"))
    assert [run.state for run in stepped.dream.runs] == [CycleState.CANCELLED, CycleState.DONE]
    assert stepped.nights == ["05-02 02:30", "05-02 02:46"]
    assert "somebody uses the vault" in " ".join(stepped.said)


def test_nights_that_the_machine_slept_through_are_made_up_once(begin: Begin, root: Path) -> None:
    stepped = begin()
    stepped.clock.sleep(80 * 3600)  # until 05-04 20:00
    stepped.advance(10)
    assert stepped.nights == []  # whoever opened the machine may want to use it
    stepped.advance(120)
    assert stepped.nights == ["05-04 20:15"]
    last = read_state(root / ".vaultmem").last_cycle
    assert last is not None
    assert (last.night, last.late, last.state) == ("2031-05-04", True, "done")
    stepped.end()
    stepped.clock.go_on(26 * 3600)
    stepped.begin()
    stepped.advance(60)
    assert stepped.nights[1:] == ["05-06 00:25"]


def test_nights_before_its_first_start_are_not_its_business(begin: Begin) -> None:
    stepped = begin()
    stepped.advance(120)
    assert stepped.nights == []


def test_a_night_in_which_a_person_worked_throughout_is_not_made_up(
    begin: Begin, root: Path
) -> None:
    stepped = begin()
    place = _mark(root)
    stepped.advance_to(berlin("2031-05-02T02:25"))
    while stepped.clock.now < berlin("2031-05-02T06:00"):
        os.utime(place, ns=(stepped.clock.wall,) * 2)
        stepped.advance(10)
    stepped.advance_to(berlin("2031-05-02T20:00"))
    assert stepped.nights == []
    assert stepped.daemon.state.said == "The next window opens on 2031-05-03 at 02:30."


def test_intervals_follow_elapsed_time_whatever_is_set(begin: Begin) -> None:
    stepped = begin(scan_s=60.0)
    counts = []
    for hours in (-1, 40 * 24, -40 * 24):
        stepped.clock.set_by(hours * 3600)
        before = stepped.scans
        stepped.advance(5)
        counts.append(stepped.scans - before)
    assert all(4 <= count <= 6 for count in counts), counts
    stepped.advance(60)
    assert stepped.nights == []  # no night has passed, whatever the clock said


def test_a_clock_that_is_set_back_runs_no_night_twice(begin: Begin) -> None:
    stepped = begin()
    stepped.advance_to(berlin("2031-05-02T02:45"))
    stepped.clock.set_by(-3600)
    stepped.advance_to(berlin("2031-05-02T12:00"))
    assert stepped.nights == ["05-02 02:30"]


def test_a_failing_cycle_is_tried_three_times_with_pauses_and_tells_no_text(
    begin: Begin, root: Path
) -> None:
    stepped = begin()
    stepped.dream.fails = 9
    stepped.advance_to(berlin("2031-05-02T12:00"))
    assert stepped.nights == ["05-02 02:30", "05-02 02:46", "05-02 03:17"]
    stepped.advance_to(berlin("2031-05-03T02:40"))
    assert stepped.nights[3:] == ["05-03 02:30"]
    assert "RuntimeError in stepping.py" in " ".join(stepped.said)
    assert "secret" not in " ".join(stepped.said) + (root / ".vaultmem/daemon.json").read_text()


def test_what_a_killed_daemon_left_running_counts_as_a_failure(begin: Begin, root: Path) -> None:
    class Killed(BaseException):
        pass

    def die() -> None:
        raise Killed

    stepped = begin()
    stepped.advance_to(berlin("2031-05-02T02:29"))
    stepped.dream.during = die
    for tries in range(3):
        stepped.clock.go_on(3600)
        with pytest.raises(Killed):
            stepped.daemon.check()
        stepped.daemon._release()  # as the system does for whoever dies
        stepped.begin()
        assert read_state(root / ".vaultmem").nights[-1].tries == tries + 1
    stepped.clock.go_on(1800)
    stepped.daemon.check()
    assert stepped.daemon.state.decision == "given-up"


def test_switched_off_it_never_dreams(begin: Begin) -> None:
    stepped = begin(settings=nightly(enabled=False))
    stepped.advance_to(berlin("2031-05-02T12:00"))
    assert (stepped.nights, stepped.daemon.state.decision) == ([], "disabled")


def test_settings_are_read_anew(begin: Begin) -> None:
    stepped = begin()
    stepped.settings = nightly("13:00-14:00")
    stepped.advance_to(berlin("2031-05-01T15:00"))
    assert stepped.nights == ["05-01 13:00"]


def test_while_another_cycle_runs_it_waits(begin: Begin, root: Path) -> None:
    from vaultmem.files.dream_lock import dream_lock

    stepped = begin()
    with dream_lock(root):
        stepped.advance_to(berlin("2031-05-02T02:40"))
        assert (stepped.nights, stepped.daemon.state.decision) == ([], "running")
    stepped.advance(2)
    assert stepped.nights == ["05-02 02:40"]


def test_a_second_daemon_is_refused(begin: Begin, root: Path) -> None:
    begin()
    with pytest.raises(LockedError, match=r"has a daemon already: vaultmem daemon \(process "):
        begin()


def test_a_vault_that_goes_away_is_waited_for(begin: Begin, root: Path, tmp_path: Path) -> None:
    stepped = begin()
    away = tmp_path / "away"
    root.rename(away)
    stepped.advance_to(berlin("2031-05-02T03:00"))
    assert stepped.nights == []
    assert not root.exists()
    assert stepped.said[-1].endswith("is not there. Waiting until it is back.")
    root.mkdir()  # an empty mount point
    stepped.advance(5)
    assert list(root.iterdir()) == []
    root.rmdir()
    away.rename(root)
    stepped.advance_to(berlin("2031-05-02T03:30"))
    assert stepped.nights == ["05-02 03:20"]
    assert sum("is not there" in line for line in stepped.said) == 1


def test_a_vault_without_an_index_folder_is_a_vault(begin: Begin, root: Path) -> None:
    stepped = begin()
    shutil.rmtree(root / ".vaultmem")
    stepped.advance_to(berlin("2031-05-02T03:00"))
    assert stepped.nights == ["05-02 02:30"]


def test_its_state_is_written_when_something_changes_and_seldom_otherwise(
    begin: Begin, root: Path
) -> None:
    stepped = begin()
    stepped.advance(10)
    place = root / ".vaultmem" / "daemon.json"
    times = set()
    for _ in range(60):
        stepped.advance(1)
        times.add(place.stat().st_mtime_ns)
    assert len(times) <= 13
    assert health(root, stepped).health == "healthy"
    stepped.clock.go_on(3600)
    assert "not been heard of for 6" in health(root, stepped).why


def test_a_state_that_is_no_state_is_begun_anew(begin: Begin, root: Path) -> None:
    place = root / ".vaultmem" / "daemon.json"
    for text in ("", "[]", '{"nights": 3}', '{"nights": [{"night": 1, "state": "done"}]}', "null"):
        place.write_text(text)
        stepped = begin()
        stepped.advance(2)
        assert json.loads(place.read_text())["decision"] == "outside"
        stepped.end()
