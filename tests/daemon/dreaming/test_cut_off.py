"""A cycle that was killed, called off or stopped by the disk goes on as the same cycle: its limits, its budget and what a
model cost hold over all its parts, and it is told as one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC
from pathlib import Path

import pytest

from tests.daemon.dreaming.nights import (
    AGAIN,
    FIRST_NIGHT_NS,
    TEXT,
    TWINS,
    managed,
    notes_of,
    settings_of,
    vault_with,
)
from tests.judge.model_server import ModelServer, answers
from tests.torture.disk import fill, small_disk
from tests.vaults import WORDS, write
from vaultmem.cycle_spending import Spending, SpendingFile
from vaultmem.cycles import CUT_OFF, cycles, explain_cycle, last_cycle, last_cycles, usage_of
from vaultmem.daemon_state import DaemonState, LastCycle, write_state
from vaultmem.dream import lint
from vaultmem.dream.answers import CycleLine
from vaultmem.dream.proposal import Operation
from vaultmem.dream.report import CycleReport, CycleState, Outcome
from vaultmem.errors import VaultmemError
from vaultmem.judge import Usage
from vaultmem.settings import JudgeSettings, Settings
from vaultmem.vault import Vault
from vaultmem_cli.console import Style
from vaultmem_cli.views.cycles import list_page
from vaultmem_cli.views.dream import explain_page
from vaultmem_daemon.dreaming.pipeline import run_cycle
from vaultmem_daemon.dreaming.stopped import CycleStoppedError

HOUR_NS = 3_600 * 10**9
ARCHIVED = "Memory/_archive/keeper/The winch.md"
LOGS = {
    f"Memory/keeper/Log of the {place}.md": managed(
        f"Log of the {place}", f"See [[Lantren in the {place}]]."
    )
    for place in ("attic", "boathouse", "cellar", "den", "entrance")
}
PUMPS = {
    "Memory/keeper/Pump.md": managed(
        "Pump", TEXT.replace("winch", "bilge pump").replace("drum", "valve"), created="2025-01-02"
    ),
    "Memory/keeper/The pump.md": managed(
        "The pump",
        AGAIN.replace("winch", "bilge pump").replace("drum", "valve"),
        created="2025-03-04",
    ),
}


class PulledPlug(BaseException):
    """The process ends here."""


def part(
    vault: Vault, hours: float = 0.0, cancelled: Callable[[], bool] = lambda: False
) -> CycleReport:
    """What runs so many hours after the first night began; each look at the clock takes a second."""
    now = FIRST_NIGHT_NS + int(hours * HOUR_NS)

    def clock_ns() -> int:
        nonlocal now
        now += 10**9
        return now

    return run_cycle(vault, clock_ns=clock_ns, zone=UTC, cancelled=cancelled)


def mended(vault: Vault) -> int:
    """How many of the logs have their link again."""
    return sum("[[lantern in the " in text for text in notes_of(vault).values())


def killed(vault: Vault, when: Callable[[], bool], hours: float = 0.0) -> None:
    """A part that is killed as soon as that is so."""

    def pull() -> bool:
        if when():
            raise PulledPlug
        return False

    with pytest.raises(PulledPlug):
        part(vault, hours, pull)


def is_merged(vault: Vault) -> bool:
    return (vault.root / ARCHIVED).exists()


# --- limits and budget -------------------------------------------------------------------------------------------------


def test_a_limit_of_a_night_holds_over_a_kill(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lint, "MOST_OF_A_KIND", 3)
    with vault_with(tmp_path / "v", LOGS) as vault:
        killed(vault, lambda: mended(vault) == 2)
        assert mended(vault) == 2
        report = part(vault, 1)
        assert (report.state, mended(vault)) == (CycleState.DONE, 3)
        part(vault, 24)
        assert mended(vault) == 5


def test_a_cycle_that_goes_on_after_midnight_is_the_same_one_and_has_one_budget(
    tmp_path: Path,
) -> None:
    with vault_with(tmp_path / "v", {**TWINS, **PUMPS}, settings=settings_of(edits=1)) as vault:
        before_midnight, after_it = 20.9, 21.2
        first = part(vault, before_midnight, lambda: _merges(vault) == 1)
        assert (first.cycle, first.state) == ("2025-12-21", CycleState.CANCELLED)

        second = part(vault, after_it)

        assert (second.cycle, second.state) == ("2025-12-21", CycleState.DONE)
        assert second.digest == "Memory/_dreams/2025-12-21.md"
        assert (_merges(vault), second.edits_left) == (1, 0)
        next_night = part(vault, after_it + 24)
        assert (next_night.cycle, _merges(vault)) == ("2025-12-23", 2)


def test_a_cycle_that_was_cut_off_is_over_by_the_next_night(tmp_path: Path) -> None:
    with vault_with(tmp_path / "v", {**TWINS, **PUMPS}, settings=settings_of(edits=1)) as vault:
        killed(vault, lambda: _merges(vault) == 1, 20.9)

        report = part(vault, 20.9 + 12.1)

        assert (report.cycle, report.state, _merges(vault)) == ("2025-12-22", CycleState.DONE, 2)
        assert "`vaultmem undo cycle:2025-12-21` takes them back." in report.said[0]
        told = [(line.cycle, line.state, line.applied) for line in _lines(vault)]
        assert told == [
            ("2025-12-22", CycleState.DONE, 1),
            ("2025-12-21", CycleState.FAILED, 1),
        ]


def _merges(vault: Vault) -> int:
    return len(list((vault.root / "Memory/_archive").rglob("*.md")))


# --- what a model costs ------------------------------------------------------------------------------------------------


@contextmanager
def with_a_model(root: Path, *, max_tokens: int) -> Iterator[tuple[Vault, ModelServer]]:
    """A vault with twins, and a model that says of all pairs that they are the same."""
    pytest.importorskip("pydantic_ai")
    with ModelServer(answers("MERGE")) as server:
        judge = JudgeSettings(
            model="openai:gpt-5-mini", base_url=f"{server.url}/v1", max_tokens=max_tokens
        )
        settings = Settings(embed=WORDS.embed, dream=WORDS.dream, judge=judge)
        with vault_with(root, TWINS, settings=settings) as vault:
            yield vault, server


@pytest.mark.parametrize("is_killed", [True, False])
def test_the_caps_of_a_model_hold_over_all_parts_of_a_cycle(
    tmp_path: Path, is_killed: bool
) -> None:
    with with_a_model(tmp_path / "v", max_tokens=4_400) as (vault, server):
        if is_killed:
            killed(vault, lambda: is_merged(vault))
        else:
            part(vault, cancelled=lambda: is_merged(vault))
        assert len(server.received) == 1
        before = usage_of(vault.root, None).total
        assert before.calls == 1
        assert before.tokens_in > 0
        write(vault.root, PUMPS)  # more to ask

        report = part(vault, 1)

        assert len(server.received) == 1
        assert "the cap of 4,400 tokens is reached" in report.model.note
        assert usage_of(vault.root, None).total == before
        assert usage_of(vault.root, None).looked_at == 1
        digest = notes_of(vault, ours=True)[report.digest]
        assert digest.count("1 call") == 1
        assert SpendingFile(vault.root).load() is None


def test_a_cycle_that_goes_on_adds_to_what_it_cost(tmp_path: Path) -> None:
    with with_a_model(tmp_path / "v", max_tokens=200_000) as (vault, server):
        killed(vault, lambda: is_merged(vault))
        write(vault.root, PUMPS)
        report = part(vault, 1)
        assert len(server.received) == 2
        (line,) = usage_of(vault.root, None).cycles
        assert (line.cycle, line.calls, report.model.calls) == (report.cycle, 2, 2)
        assert "2 calls" in notes_of(vault, ours=True)[report.digest]


def test_what_a_killed_cycle_cost_is_told_when_another_begins(tmp_path: Path) -> None:
    with with_a_model(tmp_path / "v", max_tokens=200_000) as (vault, _):
        killed(vault, lambda: is_merged(vault))
        write(vault.root, PUMPS)
        part(vault, 24)
        told = [(line.cycle, line.calls) for line in usage_of(vault.root, None).cycles]
        assert told == [("2025-12-22", 1), ("2025-12-21", 1)]


def test_what_is_kept_of_the_cost_is_read_back_or_counts_as_nothing(tmp_path: Path) -> None:
    with vault_with(tmp_path / "v", {}, fillers=False) as vault:
        file = SpendingFile(vault.root)
        assert file.load() is None
        kept = Spending("2025-12-21", 5, "some:model", Usage(1, 2, 3, None, 4.0, 1))
        file.save(kept)
        assert file.load() == kept
        (place,) = (vault.root / ".vaultmem/dream").glob("*.model.json")
        for damaged in ("", "[]", '{"cycle": "c"}', '{"cycle": "c", "began_ns": "x"}'):
            place.write_text(damaged)
            assert file.load() is None
        file.remove()
        assert not place.exists()


# --- told as one -------------------------------------------------------------------------------------------------------


def _lines(vault: Vault) -> list[CycleLine]:
    return list(last_cycles(vault.root, 10).cycles)


@pytest.mark.parametrize("is_killed", [True, False])
def test_a_cycle_of_two_parts_is_told_as_one(tmp_path: Path, is_killed: bool) -> None:
    with vault_with(tmp_path / "v", {**TWINS, **LOGS}) as vault:
        if is_killed:
            killed(vault, lambda: is_merged(vault))
        else:
            part(vault, cancelled=lambda: is_merged(vault))
        between = CycleState.FAILED if is_killed else CycleState.CANCELLED
        assert [(e.state, e.applied, e.parts) for e in _lines(vault)] == [(between, 1, 1)]

        report = part(vault, 2)

        (line,) = _lines(vault)
        parts = 1 if is_killed else 2  # a part that was killed is told by the one that goes on
        assert (line.cycle, line.state, line.applied) == (report.cycle, CycleState.DONE, 6)
        assert line.parts == parts
        assert line.seconds < 60
        answer = explain_cycle(vault.root, "last")
        assert (answer.parts, len(answer.of(Outcome.APPLIED))) == (parts, 6)
        assert len({d.event for d in answer.decisions}) == len(answer.decisions) == 6
        assert answer.seconds < 60
        last = last_cycle(vault.root)
        assert last is not None
        assert (last.cycle, last.state, last.applied) == (report.cycle, "done", 6)


def test_what_waits_is_told_once_although_both_parts_came_to_it(tmp_path: Path) -> None:
    hand = {"Log.md": "See [[Lantren in the forge]].\n"}
    with vault_with(tmp_path / "v", {**hand, **LOGS}) as vault:
        first = part(vault, cancelled=lambda: mended(vault) == 5)
        assert first.state is CycleState.CANCELLED
        assert len(first.of(Outcome.WAITING)) == 1
        part(vault, 1)
        (line,) = _lines(vault)
        assert (line.applied, line.waiting) == (5, 1)
        outcomes = [each.outcome for each in explain_cycle(vault.root, "last").decisions]
        assert sorted(outcomes) == [*[Outcome.APPLIED] * 5, Outcome.WAITING]


def test_the_last_cycles_are_as_many_as_are_asked_for_whatever_their_parts(
    tmp_path: Path,
) -> None:
    with vault_with(tmp_path / "v", TWINS) as vault:
        for night in range(3):
            write(vault.root, {f"House/New {night}.md": "New.\n"})
            for hours in (0, 0.5, 1):
                part(vault, 24 * night + hours, cancelled=lambda: True)
            part(vault, 24 * night + 2)
        for limit in (1, 2, 3):
            answer = last_cycles(vault.root, limit)
            assert [line.parts for line in answer.cycles] == [4] * limit
            assert answer.more is (limit < 3)


def test_a_cycle_that_runs_is_not_told_as_cut_off(tmp_path: Path) -> None:
    with vault_with(tmp_path / "v", {**TWINS, **LOGS}) as vault:
        seen = set[int]()

        def look() -> bool:
            seen.add(len(_lines(vault)))
            return False

        part(vault, cancelled=look)
        assert seen == {0}
        assert len(_lines(vault)) == 1


# --- a full disk -------------------------------------------------------------------------------------------------------


def test_a_disk_that_is_full_in_the_middle_leaves_a_cycle_that_is_told_and_can_be_undone(
    tmp_path: Path,
) -> None:
    with small_disk(tmp_path) as disk:
        if disk is None:
            pytest.skip("no small disk may be mounted here (needs root)")
        with vault_with(disk / "v", {**TWINS, **LOGS}) as vault:
            before = notes_of(vault)
            ballast: list[Path] = []

            def fill_up() -> bool:
                if is_merged(vault) and not ballast:
                    ballast.append(fill(disk, 0))
                return False

            with pytest.raises(VaultmemError) as stopped:
                part(vault, cancelled=fill_up)

            assert isinstance(stopped.value, CycleStoppedError)
            said = str(stopped.value)
            assert said.startswith("The cycle 2025-12-21 was cut off. ")
            assert "Its 1 edit stands. `vaultmem undo cycle:2025-12-21` takes it back" in said
            assert "Nothing was changed" not in said
            assert [(e.cycle, e.state, e.applied) for e in _lines(vault)] == [
                ("2025-12-21", CycleState.FAILED, 1)
            ]
            (decision,) = explain_cycle(vault.root, "last").of(Outcome.APPLIED)
            assert decision.operation is Operation.MERGE

            ballast[0].unlink()
            report = part(vault, 1)

            assert (report.cycle, report.state) == ("2025-12-21", CycleState.DONE)
            assert [(e.state, e.applied) for e in _lines(vault)] == [(CycleState.DONE, 6)]
            vault.history.undo(["cycle:2025-12-21"])
            assert notes_of(vault) == before


def test_what_is_not_remembered_is_gone_over_again_and_told_once(tmp_path: Path) -> None:
    """Where the dream keeps what it has looked at, there is a file of that name instead of a folder by then."""
    with vault_with(tmp_path / "v", {**TWINS, **LOGS}) as vault:
        folder = vault.root / ".vaultmem/dream"

        def block() -> bool:
            if is_merged(vault) and folder.is_dir():
                folder.rename(folder.with_name("aside"))
                folder.touch()
            return False

        with pytest.raises(CycleStoppedError, match=r"Its 6 edits stand\. `vaultmem undo"):
            part(vault, cancelled=block)
        folder.unlink()
        folder.with_name("aside").rename(folder)

        assert part(vault, 1).state is CycleState.DONE
        assert [(e.state, e.applied) for e in _lines(vault)] == [(CycleState.DONE, 6)]


def test_an_error_after_an_edit_is_kept_with_what_was_done_until_then(tmp_path: Path) -> None:
    """Where the index was, there is a folder by then."""
    with vault_with(tmp_path / "v", {**TWINS, **LOGS}) as vault:
        aside = vault.root / ".vaultmem/aside"

        def block() -> bool:
            if is_merged(vault) and not aside.exists():
                vault.index_path.rename(aside)
                vault.index_path.mkdir()
            return False

        with pytest.raises(CycleStoppedError, match="Its 6 edits stand"):
            part(vault, cancelled=block)
        (report,) = cycles(vault.root)
        assert (report.state, len(report.of(Outcome.APPLIED))) == (CycleState.FAILED, 6)
        assert report.said


# --- as a person reads it ----------------------------------------------------------------------------------------------


def test_of_a_killed_cycle_a_person_reads_what_is_known_and_no_noughts(tmp_path: Path) -> None:
    plain = Style(width=None)
    with vault_with(tmp_path / "v", {**TWINS, **LOGS}) as vault:
        killed(vault, lambda: is_merged(vault))
        listed = list_page(last_cycles(vault.root, 10), plain).lines
        explained = explain_page(explain_cycle(vault.root, "last"), plain)
        part(vault, 1, cancelled=lambda: mended(vault) == 2)
        part(vault, 2)
        whole = list_page(last_cycles(vault.root, 10), plain).lines
    assert [line.split("  ")[2:] for line in listed] == [["Consolidate", "1 edit", "failed"]]
    assert [line.split()[0] for line in explained.lines[:2]] == ["2025-12-21", "when"]
    assert explained.lines[2] == ""
    assert explained.notes == [f"warning: {CUT_OFF}"]
    assert [line.rpartition("  ")[0].split("  ")[2:] for line in whole] == [
        ["Consolidate", "6 edits"]
    ]
    assert whole[0].endswith(" in 2 parts")


def test_the_status_counts_all_parts_also_where_the_daemon_tells_of_the_last_one(
    tmp_path: Path,
) -> None:
    with vault_with(tmp_path / "v", {**TWINS, **LOGS}) as vault:
        first = part(vault, cancelled=lambda: is_merged(vault))
        second = part(vault, 2)
        ran = LastCycle(
            second.cycle, "2025-12-20", "done", "Consolidate", second.began_ns, second.ended_ns, 5
        )
        write_state(vault.index_dir, DaemonState(last_cycle=ran))
        told = vault.daemon_health().last_cycle
    assert told == replace(ran, applied=6, began_ns=first.began_ns)
