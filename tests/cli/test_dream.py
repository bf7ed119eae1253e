"""The dream on the command line: cycles, what waits, what it cost, how it is stopped, and what of it is undone."""

from __future__ import annotations

import io
import json
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import Ran, arguments, as_user, environment, run
from tests.cli.test_json import _checked
from tests.cli.transcripts import SAMPLE_VAULT, sample_vault
from vaultmem import cycles
from vaultmem.dream.proposal import Operation, StageName
from vaultmem.dream.report import (
    CycleReport,
    CycleState,
    DecisionRecord,
    ModelUse,
    Outcome,
    StageSummary,
    Strategy,
)
from vaultmem_cli.console import Console
from vaultmem_cli.stopping import Stop, stopping

GRINDER = "Memory/keeper/kitchen/Coffee grinder.md"
TWINS = ("Memory/ferry/Ferry timetable.md", "Memory/ferry/Ferry timetable copy.md")
TWIN = b"""\
---
managed_by: vaultmem
---
# Ferry timetable

The ferry takes twelve passengers. It leaves the slip at nine on weekdays. Tickets are sold on board, cash only.
"""
REVIEW = "Memory/_review/Review.md"
WRACK = "95351e8473"
"""The proposal about the tags of Ideas/Wrack diary.md."""

QUIET = Console.of(io.StringIO(), io.StringIO(), {})


def plant(vault: Path) -> None:
    """Two notes that are one."""
    for path in TWINS:
        (vault / path).parent.mkdir(parents=True, exist_ok=True)
        (vault / path).write_bytes(TWIN)


@pytest.fixture
def planted(sample: Path) -> Path:
    """The sample vault with twins, before any cycle."""
    plant(sample)
    return sample


@pytest.fixture(scope="module")
def dreamt_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same after a cycle that merged them, superseded a claim, and left a proposal."""
    folder = tmp_path_factory.mktemp("dreamt")
    with sample_vault(folder):
        plant(folder / "vault")
        assert run("dream", "run", "--quiet") == Ran(0, "", "")
    return folder / "vault"


@pytest.fixture
def dreamt(dreamt_once: Path, tmp_path: Path) -> Iterator[Path]:
    """A copy of it as the vault that every command means."""
    vault = tmp_path / "vault"
    shutil.copytree(dreamt_once, vault)
    with as_user(environment(tmp_path / "home", VAULTMEM_VAULT=str(vault))):
        yield vault


@pytest.fixture
def before() -> dict[str, bytes]:
    """The files of that vault before the cycle."""
    return {**files(SAMPLE_VAULT), **dict.fromkeys(TWINS, TWIN)}


def files(vault: Path) -> dict[str, bytes]:
    """The files that Obsidian sees, by vault path."""
    return {
        path.relative_to(vault).as_posix(): path.read_bytes()
        for path in sorted(vault.rglob("*"))
        if path.is_file() and not {".vaultmem", ".trash"} & {*path.relative_to(vault).parts}
    }


def answer(*words: str, schema: str) -> dict[str, Any]:
    return _checked(run(*words, "--json"), schema)


# -- a cycle -----------------------------------------------------------------------------------------------------


def test_a_preview_has_every_diff_and_writes_nothing_and_the_cycle_does_just_that(
    planted: Path,
) -> None:
    before = files(planted)
    preview = answer("dream", "run", "--dry-run", schema="dream-cycle")
    assert files(planted) == before
    assert run("dream", "list").code == 3
    assert (preview["dry_run"], preview["state"], preview["digest"]) == (True, "done", "")
    assert {d["outcome"] for d in preview["decisions"]} == {"previewed", "waiting"}
    assert all(d["diff"] for d in preview["decisions"])

    told = answer("dream", "run", schema="dream-cycle")

    key = ("proposal", "title", "reason")
    assert [[d[k] for k in key] for d in told["decisions"]] == [
        [d[k] for k in key] for d in preview["decisions"]
    ]
    assert {d["outcome"] for d in told["decisions"]} == {"applied", "waiting"}
    assert (planted / told["digest"]).is_file()
    assert told["review"] == REVIEW


def test_where_nothing_changed_one_line_says_so(dreamt: Path) -> None:
    ran = run("dream", "run")
    assert (ran.code, ran.out.count("\n"), ran.err) == (0, 1, "")
    assert ran.out.startswith("Nothing has changed since the last cycle")


def test_conserve_changes_nothing_of_weight(planted: Path) -> None:
    told = answer("dream", "run", "--strategy", "conserve", schema="dream-cycle")
    assert told["strategy"] == "Conserve"
    heavy = [d["outcome"] for d in told["decisions"] if d["operation"] in ("merge", "supersede")]
    assert set(heavy) == {"resting"}


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["dream", "run", "--strategy", "forget"], 2),
        (["dream", "explain", "last"], 3),
        (["dream", "list"], 3),
        (["review", "accept", "0"], 3),
        (["review", "accept"], 2),
        (["review", "accept", "--all"], 2),
        (["usage", "--since", "soon"], 2),
        (["usage"], 0),
        (["review"], 0),
    ],
)
def test_exit_codes(vault: Path, words: list[str], code: int) -> None:
    assert run(*words, "--vault", str(vault)).code == code


# -- looking back ------------------------------------------------------------------------------------------------


def test_a_cycle_is_explained_by_its_name_and_each_decision_by_its_id(dreamt: Path) -> None:
    told = answer("dream", "explain", "last", schema="dream-cycle")
    merge = next(d for d in told["decisions"] if d["operation"] == "merge")
    assert merge["gate"]["decision"].startswith("Accept")
    again = answer("dream", "explain", f"cycle:{told['cycle']}", schema="dream-cycle")
    assert again == told
    one = answer("dream", "explain", "last", WRACK[:4], schema="dream-cycle")
    assert [d["proposal"] for d in one["decisions"]] == [WRACK]
    assert run("dream", "explain", "last", "zz").code == 3


def report(cycle: str, hour: int, **more: Any) -> CycleReport:
    """A report of a cycle in that hour of the first of November 2026."""
    began = (1_793_491_200 + hour * 3600) * 10**9
    return CycleReport(
        cycle, Strategy.CONSOLIDATE, "", CycleState.DONE, began, began + 10**9, 5, 2, **more
    )


def test_a_cycle_that_was_cancelled_and_went_on_is_explained_whole(vault: Path) -> None:
    def decided(title: str) -> DecisionRecord:
        return DecisionRecord(title, StageName.LINT, Operation.FIX_LINK, title, "", Outcome.WAITING)

    assert run("sync", "--vault", str(vault)).code == 0
    first = report("2026-11-01", 1, decisions=(decided("aa"),))
    for part in (first, report("2026-11-01", 2, decisions=(decided("bb"),))):
        cycles.record_cycle(vault, part)
    told = answer("dream", "explain", "last", "--vault", str(vault), schema="dream-cycle")
    assert [d["title"] for d in told["decisions"]] == ["aa", "bb"]
    listed = answer("dream", "list", "-n", "1", "--vault", str(vault), schema="dream-list")
    assert [line["parts"] for line in listed["cycles"]] == [2]
    assert listed["more"] is False


def test_usage_is_summed_by_cycle_and_model(vault: Path) -> None:
    assert run("sync", "--vault", str(vault)).code == 0
    uses = (
        ModelUse("openai:small", 3, 900, 60, 0.01, 1),
        ModelUse("openai:small", 2, 600, 40, 0.02),
        ModelUse("ollama:qwen", 4, 100, 10, None),
        ModelUse(),
    )
    for hour, use in enumerate(uses):
        cycles.record_cycle(vault, report(f"2026-11-01.{hour}", hour, model=use))
    told = answer("usage", "--vault", str(vault), schema="usage")
    assert told["looked_at"] == 4
    assert [line["cycle"] for line in told["cycles"]] == [
        "2026-11-01.2",
        "2026-11-01.1",
        "2026-11-01.0",
    ]
    assert [(m["model"], m["calls"], m["cost"], m["unpriced"]) for m in told["models"]] == [
        ("openai:small", 5, 0.03, 0),
        ("ollama:qwen", 4, 0.0, 4),
    ]
    total = told["total"]
    assert (total["calls"], total["tokens_in"], total["tokens_out"]) == (9, 1600, 110)
    assert (total["cost"], total["failures"]) == (0.03, 1)
    later = ("usage", "--since", "2026-11-02", "--vault", str(vault))
    assert answer(*later, schema="usage")["cycles"] == []
    shown = run("usage", "--vault", str(vault)).out.splitlines()
    assert shown[0].startswith("2026-11-01.2  ollama:qwen ")
    assert shown[0].endswith("price not known")
    assert shown[-1].endswith("$0.0300 + 4 calls of unknown price  1 failed")


# -- what waits --------------------------------------------------------------------------------------------------


def test_what_is_accepted_is_done_once(dreamt: Path) -> None:
    (waiting,) = answer("review", schema="review-list")["suggestions"]
    assert (waiting["id"], waiting["diff"], waiting["changed_since"]) == (WRACK, "", [])
    (shown,) = answer("review", "show", WRACK, schema="review-list")["suggestions"]
    assert "+  - shoreline\n" in shown["diff"]
    done = answer("review", "accept", WRACK[:5], f"^r-{WRACK}", schema="review-decided")
    assert [title for title, _ in done["applied"]] == ['Write tags of "Wrack diary" as a list']
    assert (done["void"], done["waiting"]) == ([], 0)
    assert b"tags:\n  - idea\n" in (dreamt / "Ideas" / "Wrack diary.md").read_bytes()
    assert run("undo", done["applied"][0][1]).code == 0


def test_what_is_rejected_does_not_come_back(dreamt: Path) -> None:
    assert run("review", "reject", WRACK).out == 'rejected  Write tags of "Wrack diary" as a list\n'
    told = answer("dream", "run", "--now", schema="dream-cycle")
    assert told["decisions"] == []


def test_what_was_made_from_other_bytes_is_void(dreamt: Path) -> None:
    note = dreamt / "Ideas" / "Wrack diary.md"
    note.write_bytes(note.read_bytes() + b"One more line.\n")
    (waiting,) = answer("review", schema="review-list")["suggestions"]
    assert waiting["changed_since"] == ["Ideas/Wrack diary.md"]
    ran = run("review", "accept", WRACK)
    assert (ran.code, ran.out) == (4, 'void      Write tags of "Wrack diary" as a list\n')
    assert note.read_bytes().endswith(b"One more line.\n")


def test_sync_does_what_is_ticked(dreamt: Path) -> None:
    note = dreamt / REVIEW
    note.write_text(note.read_text("utf-8").replace("- [ ] Write", "- [x] Write"), "utf-8")
    ran = run("sync")
    assert ran.code == 0
    assert ran.out.splitlines()[0] == f"~ {REVIEW}"
    assert ran.out.splitlines()[-1] == 'done      Write tags of "Wrack diary" as a list'
    assert ran.err.startswith("To take it back: vaultmem undo ")
    assert answer("sync", schema="sync")["review"] is None


# -- going back --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("word", ["cycle:last", "cycle:{}", "{}"])
def test_a_cycle_is_undone_to_the_byte(dreamt: Path, before: dict[str, bytes], word: str) -> None:
    cycle = answer("dream", "list", schema="dream-list")["cycles"][0]["cycle"]
    assert files(dreamt) != before
    assert run("undo", word.format(cycle)).code == 0
    assert files(dreamt) == before
    assert answer("dream", "explain", cycle, schema="dream-cycle")["undone"]


def merged() -> tuple[str, str]:
    """The twin that stayed, and the other."""
    told = answer("dream", "explain", "last", schema="dream-cycle")
    merge = next(d for d in told["decisions"] if TWINS[0] in d["notes"])
    stays, other = merge["notes"]
    return stays, other


def test_a_hand_edit_after_a_cycle_stays_when_it_is_undone(
    dreamt: Path, before: dict[str, bytes]
) -> None:
    stays, _ = merged()
    note = dreamt / stays
    note.write_bytes(note.read_bytes() + b"\nDogs go free.\n")

    ran = run("undo", "cycle:last", "--json")

    assert ran.code == 0
    assert files(dreamt) == {**before, stays: TWIN + b"\nDogs go free.\n"}


def test_what_cannot_be_taken_back_for_a_hand_edit_is_told(
    dreamt: Path, before: dict[str, bytes]
) -> None:
    note = dreamt / GRINDER
    note.write_bytes(note.read_bytes() + b"Mine.\n")  # next to what the cycle has written

    ran = run("undo", "cycle:last")

    assert ran.code == 5
    assert "  line 12 stays, edited since:\n" in ran.out
    assert "1 part of yours left as it is" in ran.err
    assert note.read_bytes().endswith(b"Mine.\n")
    assert {path for path, data in files(dreamt).items() if data != before[path]} == {GRINDER}


def test_a_note_that_came_to_the_old_place_stays(dreamt: Path) -> None:
    _, other = merged()
    place = dreamt / other
    place.write_bytes(b"Another note, by hand.\n")

    ran = run("undo", "cycle:last")

    assert ran.code in (0, 5)
    assert f"There is another file at {other} now, so it stays here." in ran.out
    assert place.read_bytes() == b"Another note, by hand.\n"


# -- stopping ----------------------------------------------------------------------------------------------------


def test_a_signal_asks_and_a_second_one_from_the_keyboard_insists() -> None:
    stop = Stop(QUIET)
    stop.on_signal(signal.SIGTERM, None)
    assert stop.is_asked()
    stop.on_signal(signal.SIGTERM, None)
    with pytest.raises(KeyboardInterrupt):
        stop.on_signal(signal.SIGINT, None)


def test_signals_are_as_before_afterwards() -> None:
    before = signal.getsignal(signal.SIGTERM)
    with stopping(QUIET) as stop:
        os.kill(os.getpid(), signal.SIGTERM)
        assert stop.is_asked()
    assert signal.getsignal(signal.SIGTERM) == before


def test_a_cycle_that_is_stopped_ends_with_5_and_the_next_goes_on(planted: Path) -> None:
    process = subprocess.Popen(
        [*arguments("dream", "run", "--json")],
        env=os.environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    lock = planted / ".vaultmem" / "dream.lock"
    while not lock.exists() and process.poll() is None:
        pass  # until it has begun
    process.send_signal(signal.SIGTERM)
    out, _ = process.communicate(timeout=60)
    told = json.loads(out)
    assert process.returncode == 5
    assert told["state"] == "cancelled"
    assert told["left"]
    again = answer("dream", "run", schema="dream-cycle")
    assert again["cycle"] == told["cycle"]
    done = [d for d in (*told["decisions"], *again["decisions"]) if d["event"]]
    assert sorted(d["operation"] for d in done)[0] == "merge"
    assert len({d["proposal"] for d in done}) == len(done)


@pytest.mark.parametrize(
    ("strategy", "left"),
    [
        (Strategy.CONSOLIDATE, "drift, lint, decay, distill, communities"),
        (Strategy.CONSERVE, "drift, lint, decay, communities"),
    ],
)
def test_what_is_left_of_a_stopped_cycle_is_said(strategy: Strategy, left: str) -> None:
    from vaultmem.dream.answers import cycle_answer
    from vaultmem_cli.console import Style
    from vaultmem_cli.views.dream import run_page

    stage = StageSummary(StageName.CONSOLIDATE, 9, 3, 0, 0, 0.1)
    stopped = CycleReport("c", strategy, "", CycleState.CANCELLED, 0, 1, 5, 2, stages=(stage,))
    page = run_page(cycle_answer([stopped]), Style())
    assert page.notes[0] == (
        f"It was stopped. Left: 3 proposals, {left}. What was done stays; the next run goes on."
    )
