"""A watcher on real files: each way to change them is one change to the index, and nothing stops it for good."""

from __future__ import annotations

import logging
import os
import shutil
import sys
from functools import partial
from pathlib import Path
from threading import Semaphore

import pytest

from tests.daemon.watched import PATIENCE_S, Watched, touched
from tests.vaults import age, found, rows, vault_at, verified, write
from vaultmem.errors import LockedError
from vaultmem.files.vouch import is_vouched_for
from vaultmem.vault import Vault
from vaultmem_daemon.debounce import Pace
from vaultmem_daemon.observing import NoEventsError, Observation
from vaultmem_daemon.report import WatchReport
from vaultmem_daemon.upkeep import Timing


def check(root: Path) -> None:
    """The index is what the files alone would make it."""
    with vault_at(root) as vault:
        verified(vault)


def ids(root: Path) -> dict[object, object]:
    """The ids of the files that the index knows."""
    with vault_at(root) as vault:
        return dict(rows(vault, "SELECT path, id FROM vault_files"))


def save_by_rename(place: Path, text: str) -> None:
    """As careful editors do."""
    aside = place.with_name(f".{place.name}.tmp")
    aside.write_text(text, encoding="utf-8")
    os.replace(aside, place)


def test_a_save_in_place(root: Path) -> None:
    with Watched(root) as watched:
        with (root / "Pump.md").open("a", encoding="utf-8") as file:
            file.write("And bollard.\n")
        reports = watched.taken_in("Pump.md")
    assert [(r.added, r.changed, r.moved, r.removed) for r in reports] == [
        ((), ("Pump.md",), (), ())
    ]
    assert reports[0].message.startswith("1 note changed, indexed in ")
    check(root)


def test_a_save_by_rename_is_one_edit_and_keeps_the_id(root: Path) -> None:
    before = ids(root)
    with Watched(root) as watched:
        write(root, {"4913": ""})  # editors try out the folder like this
        (root / "4913").unlink()
        write(root, {".Pump.md.swp": "swap barnacle", "Pump.md~": "The word is anchor.\n"})
        (root / "Pump.md~").unlink()
        save_by_rename(root / "Pump.md", "The word is capstan.\n")
        reports = watched.taken_in("Pump.md")
        with vault_at(root) as vault:
            assert (found(vault, "capstan"), found(vault, "anchor")) == (["Pump.md"], [])
            assert found(vault, "barnacle") == []
    assert {path for report in reports for path in touched(report)} == {"Pump.md"}
    assert [report.removed for report in reports] == [()]
    assert ids(root) == before


def test_a_burst_is_few_syncs(root: Path) -> None:
    names = [f"burst/{number:03}.md" for number in range(500)]
    with Watched(root) as watched:
        write(root, {name: f"sleet {name}\n" for name in names})
        reports = watched.taken_in(*names)
        for name in names:
            save_by_rename(root / name, f"hail {name}\n")
        after = watched.until(
            lambda said: {path for report in said for path in report.changed} >= set(names)
        )
    assert len(reports) <= 8
    assert len([report for report in after if report.did == "changed"]) <= 16
    check(root)


def test_a_folder_renamed_keeps_ids(root: Path) -> None:
    before = ids(root)
    with Watched(root) as watched:
        (root / "Log").rename(root / "Diary")
        reports = watched.taken_in("Diary/Ballast.md", "Diary/Bilge.md")
        write(root, {"Diary/Bilge.md": "Wet.\n"})  # what is in it is still watched
        watched.until(lambda said: any(report.changed == ("Diary/Bilge.md",) for report in said))
    assert [sorted(report.moved) for report in reports] == [
        [("Log/Ballast.md", "Diary/Ballast.md"), ("Log/Bilge.md", "Diary/Bilge.md")]
    ]
    assert {
        str(path).replace("Diary/", "Log/"): number for path, number in ids(root).items()
    } == before
    check(root)


def test_new_folders_are_watched(root: Path) -> None:
    with Watched(root) as watched:
        write(root, {"one/two/three/Deep.md": "fathoms\n"})
        watched.taken_in("one/two/three/Deep.md")
        write(root, {"one/two/three/Deep.md": "more fathoms\n"})
        watched.until(
            lambda said: any("one/two/three/Deep.md" in report.changed for report in said)
        )
    check(root)


def test_a_move_by_copy_and_delete_keeps_the_id(root: Path) -> None:
    before = ids(root)
    with Watched(root) as watched:
        shutil.copyfile(root / "Pump.md", root / "Log" / "Pump.md")
        (root / "Pump.md").unlink()
        watched.taken_in("Log/Pump.md")
    assert ids(root)["Log/Pump.md"] == before["Pump.md"]


def test_delete_and_return(root: Path) -> None:
    with Watched(root) as watched:
        text = (root / "Pump.md").read_text("utf-8")
        (root / "Pump.md").unlink()
        watched.until(lambda said: any(report.removed == ("Pump.md",) for report in said))
        write(root, {"Pump.md": text})
        watched.until(lambda said: any(report.added == ("Pump.md",) for report in said))
    check(root)


def test_hidden_places_and_our_own_writing_make_no_change(root: Path) -> None:
    with Watched(root) as watched:
        write(
            root,
            {".trash/Old.md": "kraken\n", ".git/HEAD.md": "kraken\n", "sub/.x/h.md": "kraken\n"},
        )
        with vault_at(root) as other:
            other.rebuild()
        save_by_rename(root / "Pump.md", "After that.\n")
        reports = watched.taken_in("Pump.md")
    assert [touched(report) for report in reports] == [{"Pump.md"}]
    check(root)


def test_a_change_that_another_process_took_in_is_no_second_change(root: Path) -> None:
    with Watched(root, pace=Pace(quiet_s=1, calm_s=1)) as watched, vault_at(root) as other:
        write(root, {"Pump.md": "The word is capstan.\n"})
        assert other.sync().changed == ("Pump.md",)
        write(root, {"Other.md": "Something else.\n"})
        reports = watched.taken_in("Other.md")
    assert [touched(report) for report in reports] == [{"Other.md"}]


def test_obsidians_settings_are_taken_in(root: Path) -> None:
    with Watched(root) as watched, vault_at(root) as vault:
        assert found(vault, "ballast") == ["Log/Ballast.md", "Log/Bilge.md"]
        write(root, {".obsidian/app.json": '{"userIgnoreFilters": ["Log/"]}'})
        write(root, {"Later.md": "An edit, which is reported as settings are not.\n"})
        watched.taken_in("Later.md")
        assert [hit.path for hit in vault.search("ballast", sync=False).hits] == []


def test_files_behind_a_link_are_watched(root: Path, tmp_path: Path) -> None:
    if sys.platform == "win32":
        pytest.skip("links need a privilege there")
    write(tmp_path / "outside", {"Far.md": "far\n"})
    (root / "Link").symlink_to(tmp_path / "outside")
    with Watched(root) as watched:
        write(tmp_path / "outside", {"Far.md": "farther\n"})
        watched.until(lambda said: any(r.changed == ("Link/Far.md",) for r in said))
    check(root)


def test_without_events_all_files_are_compared(root: Path) -> None:
    with Watched(root, poll=True) as watched:
        save_by_rename(root / "Pump.md", "The word is capstan.\n")
        watched.taken_in("Pump.md")
        (root / "Log").rename(root / "Diary")
        watched.taken_in("Diary/Ballast.md")
        assert not is_vouched_for(root / ".vaultmem")
    assert "every few seconds" in watched.reports[0].message
    check(root)


def test_an_observer_that_ends_is_begun_anew(root: Path) -> None:
    with Watched(root) as watched:
        (first,) = watched.observations
        assert first._observer is not None
        first._observer.stop()
        write(root, {"Lost.md": "following seas\n"})
        warned = watched.said("warned")
        watched.taken_in("Lost.md")
        watched.until(lambda said: len(watched.observations) == 2)
        write(root, {"Later.md": "fair winds\n"})
        watched.taken_in("Later.md")
    assert "has ended" in warned.message
    check(root)


def test_changes_without_events_are_found_and_the_observer_begun_anew(root: Path) -> None:
    timing = Timing(check_s=0.05, net_s=0.1, net_share=1, restart_s=0.05, heard_s=0.3)
    with Watched(root, timing=timing) as watched:
        (first,) = watched.observations
        assert first._observer is not None
        for emitter in first._observer.emitters:  # alive, and deaf
            vars(emitter)["queue_event"] = lambda _: None
        write(root, {"Lost.md": "following seas\n"})
        watched.taken_in("Lost.md")
        warned = watched.said("warned")
        watched.until(lambda said: len(watched.observations) == 2)
    assert "1 change came without an event" in warned.message


def test_what_the_library_warns_of_is_a_reason_to_compare_everything(root: Path) -> None:
    with Watched(root) as watched:
        logging.getLogger("watchdog.observers.inotify_c").warning(
            "Queue overflowed; events were lost"
        )
        warned = watched.said("warned")
        watched.until(lambda said: len(watched.observations) == 2)
        write(root, {"Later.md": "fair winds\n"})
        watched.taken_in("Later.md")
    assert "Queue overflowed" in warned.message


def test_a_vault_that_goes_and_comes_back(root: Path) -> None:
    elsewhere = root.with_name("elsewhere")
    with Watched(root) as watched:
        root.rename(elsewhere)
        watched.said("paused")
        assert not root.exists()
        write(elsewhere, {"Meanwhile.md": "while away\n"})
        elsewhere.rename(root)
        watched.said("resumed")
        watched.taken_in("Meanwhile.md")
        write(root, {"Later.md": "fair winds\n"})
        watched.taken_in("Later.md")
        assert [report.removed for report in watched.changes()] == [(), ()]
    check(root)


def test_an_empty_mount_point_is_not_the_vault(root: Path) -> None:
    elsewhere = root.with_name("elsewhere")
    with Watched(root) as watched:
        root.rename(elsewhere)
        root.mkdir()
        watched.said("paused")
        write(elsewhere, {"Meanwhile.md": "while away\n"})
        root.rmdir()  # empty still: no index was made in it
        elsewhere.rename(root)
        watched.taken_in("Meanwhile.md")
    check(root)


@pytest.fixture
def many(root: Path) -> Path:
    """The vault with forty notes more."""
    write(root, {f"many/{number}.md": f"herring {number}\n" for number in range(40)})
    with vault_at(root) as vault:
        vault.sync()
    return root


def test_mass_disappearance_stops_and_asks_until_the_notes_return(many: Path) -> None:
    with Watched(many) as watched:
        (many / "many").rename(many.with_name("away"))
        refused = watched.said("refused")
        assert "--accept-removals" in refused.message
        write(many, {"Pump.md": "Edited meanwhile.\n"})
        (many.with_name("away")).rename(many / "many")
        watched.said("resumed")
        watched.taken_in("Pump.md")
    assert [report.removed for report in watched.changes()] == [()]
    check(many)


def test_mass_disappearance_stops_and_asks_until_it_is_accepted(many: Path) -> None:
    with Watched(many) as watched:
        shutil.rmtree(many / "many")
        watched.said("refused")
        with vault_at(many) as other:
            assert len(other.sync(accept_removals=True).removed) == 40
        watched.said("resumed")
        write(many, {"Pump.md": "Edited later.\n"})
        watched.taken_in("Pump.md")
    check(many)


def test_a_folder_that_vaultmem_moves_with_most_of_the_notes_does_not_stop_it(many: Path) -> None:
    write(many, {f"many/{n}.md": f"herring [[many/{(n + 1) % 40}]]\n" for n in range(40)})
    with vault_at(many) as vault:
        vault.sync()
    with Watched(many) as watched:
        with vault_at(many) as other:
            assert other.edits.rename("many/", "shoal").note == ""
        write(many, {"Pump.md": "Edited later.\n"})
        watched.taken_in("Pump.md")
        (many / "shoal" / "0.md").unlink()
        watched.until(partial(_knows_of, "shoal/0.md"))
        assert [report for report in watched.reports if report.did == "refused"] == []
    check(many)


def _knows_of(removed: str, said: list[WatchReport]) -> bool:
    return any(removed in report.removed or report.did == "refused" for report in said)


def test_mass_disappearance_in_small_steps_stops_too(many: Path) -> None:
    with Watched(many, pace=Pace(calm_s=0.05)) as watched:
        for number in range(40):
            (many / "many" / f"{number}.md").unlink()
            if number % 10 == 0:
                watched.until(partial(_knows_of, f"many/{number}.md"))
        watched.said("refused")
    assert sum(len(report.removed) for report in watched.changes()) <= 22


class FaultyVault(Vault):
    """A vault in which one file cannot be taken in."""

    def sync_paths(self, paths, **more):  # type: ignore[no-untyped-def]
        if "Bad.md" in paths:
            raise ZeroDivisionError("a fault of ours")
        return super().sync_paths(paths, **more)


def test_a_fault_in_one_file_is_said_and_does_not_end_the_watch(root: Path) -> None:
    watched = Watched(root, pace=Pace(quiet_s=0.3))
    watched.vault.__class__ = FaultyVault
    with watched:
        write(root, {"Bad.md": "boom\n", "Good.md": "fair winds\n"})
        watched.taken_in("Good.md")
        warned = watched.said("warned")
        assert not is_vouched_for(root / ".vaultmem")
        write(root, {"Later.md": "following seas\n"})
        watched.taken_in("Later.md")
    assert "Bad.md" in warned.message


def test_a_second_watcher_is_told(root: Path) -> None:
    with (
        Watched(root),
        pytest.raises(LockedError, match="watched already by vaultmem watch"),
        Watched(root),
    ):
        pass


class CountingVault(Vault):
    """A vault that counts how often all files were compared."""

    compared: Semaphore

    def is_up(self) -> bool:
        try:
            return super().is_up()
        finally:
            self.compared.release()


def test_an_idle_watcher_writes_nothing(root: Path) -> None:
    with vault_at(root) as vault:
        age(vault)
    watched = Watched(root, timing=Timing(check_s=0.02, net_s=0.02, net_share=1))
    watched.vault.__class__ = CountingVault
    watched.vault.compared = compared = Semaphore(0)  # type: ignore[attr-defined]
    with watched:
        before = _stamps(root)
        for _ in range(5):
            assert compared.acquire(timeout=PATIENCE_S)
        for place in root.rglob("*.md"):
            place.read_bytes()
        for _ in range(5):
            assert compared.acquire(timeout=PATIENCE_S)
        assert _stamps(root) == before
    assert [report.did for report in watched.reports] == ["started", "stopped"]


def _stamps(root: Path) -> dict[str, tuple[int, int]]:
    return {
        str(place.relative_to(root)): (place.stat().st_mtime_ns, place.stat().st_size)
        for place in sorted(root.rglob("*"))
        if place.is_file()
    }


class DeafObservation(Observation):
    """File events where the system grants none."""

    def start(self) -> None:
        raise NoEventsError("inotify watch limit reached")


def test_where_the_system_grants_no_events_that_is_said_and_all_files_are_compared(
    root: Path,
) -> None:
    with Watched(root, observation=DeafObservation) as watched:
        warned = watched.said("warned")
        write(root, {"New.md": "fair winds\n"})
        watched.taken_in("New.md")
    assert warned.message == (
        "No file events: inotify watch limit reached. All files are compared every few seconds."
    )
