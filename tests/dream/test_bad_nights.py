"""Nights on which everything is wrong: what is there, what vanishes, what the judge says, what the disk takes."""

from __future__ import annotations

import dataclasses
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import UTC
from pathlib import Path

import pytest

from tests.daemon.dreaming.nights import (
    AGAIN,
    FILLERS,
    FIRST_NIGHT_NS,
    TEXT,
    TWINS,
    dream,
    managed,
    notes_of,
    settings_of,
    vault_with,
)
from tests.judge.model_server import (
    Behaviour,
    ModelServer,
    answers,
    fails,
    hangs_up,
    keeps_silent,
    says,
    sends,
)
from tests.torture.disk import fill, small_disk
from tests.vaults import WORDS
from vaultmem.dream.proposal import DESTRUCTIVE
from vaultmem.dream.report import CycleReport, CycleState, Strategy
from vaultmem.errors import LockedError, VaultmemError
from vaultmem.judge import Duplicate, DuplicateJudgement, HeuristicJudge, make_judge
from vaultmem.settings import JudgeSettings
from vaultmem.vault import Vault
from vaultmem_daemon.dreaming.pipeline import run_cycle
from vaultmem_daemon.dreaming.reviews import Reviews

KEPT, GONE = "Memory/keeper/Winch.md", "Memory/keeper/The winch.md"
ARCHIVED = "Memory/_archive/keeper/The winch.md"


def outcomes(report: CycleReport) -> Counter[tuple[str, str]]:
    return Counter((str(d.operation), str(d.outcome)) for d in report.decisions)


class Meddling:
    """Is asked whether the dream should end, and does something the n-th time."""

    def __init__(self, at: int, act: Callable[[], object]) -> None:
        self.left = at
        self._act = act

    def __call__(self) -> bool:
        self.left -= 1
        if self.left == 0:
            self._act()
        return False


@pytest.mark.parametrize("at", range(1, 9))
@pytest.mark.parametrize("path", [KEPT, GONE])
def test_a_note_of_a_pair_that_vanishes_takes_nothing_with_it(
    tmp_path: Path, path: str, at: int
) -> None:
    with vault_with(tmp_path / "v", TWINS) as vault:
        vault.sync()
        place = vault.root / path
        dream(vault, cancelled=Meddling(at, lambda: place.unlink(missing_ok=True)))
        after = {p: text for p, text in notes_of(vault).items() if p not in FILLERS}
        other = GONE if path == KEPT else KEPT
        if ARCHIVED in after:  # the merge was done before
            assert AGAIN in after[ARCHIVED]
            assert after.keys() == {KEPT, ARCHIVED} - {path}
        else:
            assert after == {other: TWINS[other]}
        dream(vault, 1)
        again = {p: text for p, text in notes_of(vault).items() if p not in FILLERS}
        assert again == after


LEFT_ALONE = {
    "two languages": {
        KEPT: managed("Winch", TEXT),
        GONE: managed(
            "The winch",
            "Die Winde am Slip braucht vor dem Frühling eine neue Klinke. Die Trommel wird jede Woche mit dem dicken "
            "schwarzen Fett aus der Schmiede geschmiert. Niemand hebt damit mehr als zweihundert Kilogramm.",
        ),
        "Memory/keeper/绞车.md": managed(
            "绞车", "滑道上的绞车在春天前需要一个新的棘爪。每周用铁匠铺的黑色润滑脂润滑它的滚筒。"
        ),
    },
    "both languages in one note": {
        KEPT: managed("Winch", f"{TEXT}\n\n春天前需要一个新的棘爪。每周润滑它的滚筒。"),
        GONE: managed("The winch", f"{TEXT}\n\n春天前需要两个新的棘爪。每周润滑它的滚筒。"),
    },
    "daily notes": {
        f"Memory/keeper/2030-01-0{day}.md": managed(
            f"2030-01-0{day}", f"## Plan\n\n{TEXT}\n\n## Done"
        )
        for day in range(1, 8)
    },
    "forms to be filled in": {
        f"Memory/keeper/Form {kind}.md": managed(
            f"Form {kind}", f"{{{{date}}}} {TEXT}\n\nName: {{{{name}}}}"
        )
        for kind in ("for guests", "for the guests")
    },
    "a numbered series": {
        f"Memory/keeper/Winch {n}.md": managed(f"Winch {n}", TEXT) for n in range(1, 12)
    },
    "a ring of successors": {
        KEPT: managed("Winch", TEXT, supersedes='"[[The winch]]"', superseded_by='"[[The winch]]"'),
        GONE: managed("The winch", AGAIN, supersedes='"[[Winch]]"', superseded_by='"[[Winch]]"'),
    },
    "a note that supersedes itself": {
        KEPT: managed("Winch", TEXT, superseded_by='"[[Winch]]"'),
    },
}


@pytest.mark.parametrize("files", LEFT_ALONE.values(), ids=LEFT_ALONE)
def test_what_only_looks_alike_is_left_alone(tmp_path: Path, files: dict[str, str]) -> None:
    with vault_with(tmp_path / "v", files) as vault:
        before = notes_of(vault)
        report = dream(vault)
        assert report.state is CycleState.DONE
        assert [d.title for d in report.decisions if d.operation in DESTRUCTIVE] == []
        after = notes_of(vault)  # where an overview may have been added
        assert {path: after.get(path) for path in before} == before


def test_a_note_of_a_megabyte_is_no_duplicate_and_takes_no_time(tmp_path: Path) -> None:
    page = "The keeper of the light wrote down wind and weather, and which ships had passed by."
    large = "\n\n".join(f"On page {n}: {page}" for n in range(10_000))
    files = {
        **TWINS,
        "Memory/keeper/Book.md": managed("Book", large),
        "Memory/keeper/The book.md": managed("The book", large),
    }
    with vault_with(tmp_path / "v", files) as vault:
        began = time.process_time()
        report = dream(vault)
        assert outcomes(report) == {("merge", "applied"): 1}
        after = notes_of(vault)
        assert {after["Memory/keeper/Book.md"], after["Memory/keeper/The book.md"]} == {
            files["Memory/keeper/Book.md"],
            files["Memory/keeper/The book.md"],
        }
        assert time.process_time() - began < 60


def test_with_a_budget_of_zero_it_looks_and_tells(tmp_path: Path) -> None:
    with vault_with(tmp_path / "v", TWINS, settings=settings_of(edits=0)) as vault:
        before = notes_of(vault)
        report = dream(vault)
        assert report.strategy is Strategy.CONSERVE
        assert outcomes(report) == {("merge", "resting"): 1}
        assert notes_of(vault) == before


def test_with_a_budget_of_no_bytes_nothing_is_merged(tmp_path: Path) -> None:
    with vault_with(tmp_path / "v", TWINS, settings=settings_of(kilobytes=0)) as vault:
        before = notes_of(vault)
        assert outcomes(dream(vault)) == {("merge", "over budget"): 1}
        assert notes_of(vault) == before


def test_a_second_dream_is_told_of_the_first(tmp_path: Path) -> None:
    told: list[str] = []
    with vault_with(tmp_path / "v", TWINS) as vault, vault_with(tmp_path / "v", {}) as other:

        def dream_as_well() -> None:
            with pytest.raises(LockedError) as refused:
                dream(other)
            told.append(str(refused.value))

        report = dream(vault, cancelled=Meddling(2, dream_as_well))
        assert outcomes(report) == {("merge", "applied"): 1}
        assert "A dream is running" in told[0]


# --- the disk ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("pages", [0, 1, 2, 4, 8, 14, 22, 40, 80])
def test_a_full_disk_costs_no_note(tmp_path: Path, pages: int) -> None:
    with small_disk(tmp_path) as disk:
        if disk is None:
            pytest.skip("no small disk may be mounted here (needs root)")
        with vault_with(disk / "v", TWINS) as vault:
            vault.sync()
            before = notes_of(vault)
            ballast = fill(disk, pages)
            try:
                code = 0 if dream(vault).state is CycleState.DONE else -1
            except VaultmemError as error:
                code = error.exit_code if str(error) else -1
            assert code in (0, 1, 4, 5)
            part = notes_of(vault)
            assert part == before or ARCHIVED in part
            ballast.unlink()
            dream(vault, 1)
            assert ARCHIVED in notes_of(vault)
            assert vault.history.prove().faults in ((), [])
            assert vault.verify().identical


def test_on_a_full_disk_what_was_accepted_is_told_as_done_or_is_not_done(tmp_path: Path) -> None:
    links = {"Log.md": "See [[Lantren]].\n", "Lantern.md": "It hangs in the attic.\n"}
    told = Counter[str]()
    with small_disk(tmp_path) as disk:
        if disk is None:
            pytest.skip("no small disk may be mounted here (needs root)")
        with vault_with(disk / "v", links, fillers=False) as vault:
            before = notes_of(vault)
            dream(vault)
            for pages in range(12):
                reviews = Reviews(vault, time.time_ns)
                (waiting,) = reviews.waiting()
                ballast = fill(disk, pages)
                outcome = reviews.accept([waiting.id])
                ballast.unlink()
                done = notes_of(vault) != before
                assert [title for title, _ in outcome.applied] == ([waiting.title] if done else [])
                assert len(outcome.failed) == (not done)
                told["done" if done else "failed"] += 1
                told["done, the note behind"] += done and bool(outcome.warnings)
                if done:
                    vault.history.undo([outcome.applied[0][1]])
                    reviews.offer([waiting])
    assert min(told.values()) > 0


@pytest.fixture
def imported(tmp_path: Path) -> None:
    """What Python reads when it is first used, is read: another user may not be allowed to."""
    with vault_with(tmp_path / "imported", TWINS) as vault:
        dream(vault, dry_run=True)
        dream(vault)


def test_read_only_media_can_be_looked_at_and_are_not_dreamed_over(
    imported: None, users_folder: Path
) -> None:
    root = users_folder / "v"
    with vault_with(root, TWINS) as vault:
        vault.sync()
    before = {p.relative_to(root): p.is_file() and p.read_bytes() for p in root.rglob("*")}
    places = [root, *(place for place in root.rglob("*") if place.is_dir())]
    for place in places:
        place.chmod(0o500)
    with vault_with_nothing_written(root) as vault:
        shown = dream(vault, dry_run=True)
        assert outcomes(shown) == {("merge", "previewed"): 1}
        with pytest.raises(VaultmemError, match=r"writable|read-only|could not be") as refused:
            dream(vault)
        assert refused.value.hint
    for place in places:
        place.chmod(0o700)
    after = {p.relative_to(root): p.is_file() and p.read_bytes() for p in root.rglob("*")}
    assert after == before


def vault_with_nothing_written(root: Path) -> Vault:
    cache = root.with_name(f"{root.name}-cache")
    return Vault(root, WORDS, cache_root=cache, cores=1)


# --- the judge ---------------------------------------------------------------------------------------------------------

SCRIPTS: dict[str, Sequence[Behaviour]] = {
    "says MERGE to everything": [answers("MERGE")],
    "an unknown verdict": [answers("OBLITERATE")],
    "prose": [says("These two notes look very much the same to me, so merge them!")],
    "no JSON": [sends(b"<html>502</html>", "text/html")],
    "500": [fails(500)],
    "429": [fails(429, {"Retry-After": "1"})],
    "hangs up": [hangs_up],
    "silence": [keeps_silent],
}
PORTS = {
    "Memory/keeper/Port.md": managed(
        "Port", f"The gateway listens on port 8080 since the move to the cellar. {TEXT}"
    ),
    "Memory/keeper/The port.md": managed(
        "The port", f"The gateway listens on port 9090 since the move to the cellar. {TEXT}"
    ),
}


@pytest.mark.parametrize("script", SCRIPTS.values(), ids=SCRIPTS)
def test_whatever_a_model_says_no_value_is_lost(
    tmp_path: Path, script: Sequence[Behaviour]
) -> None:
    pytest.importorskip("pydantic_ai")
    waited = [1000.0]

    def sleep(seconds: float) -> None:
        waited[0] += seconds

    with ModelServer(*script) as server, vault_with(tmp_path / "v", {**TWINS, **PORTS}) as vault:
        settings = JudgeSettings(
            model="openai:gpt-5-mini", base_url=f"{server.url}/v1", timeout_seconds=1
        )
        judge = make_judge(settings, {}, clock=lambda: waited[0], sleep=sleep)
        report = run_cycle(vault, clock_ns=lambda: FIRST_NIGHT_NS, zone=UTC, judge=judge)
        after = notes_of(vault)
        assert report.state is CycleState.DONE
        assert {path: after.get(path) for path in PORTS} == PORTS
        for text in (TEXT, AGAIN):
            assert any(text in each for each in after.values())


class Raising(HeuristicJudge):
    """A judge that breaks its promise never to raise."""

    def duplicates(self, pairs: Sequence[tuple[str, str]]) -> list[DuplicateJudgement]:
        raise RuntimeError("the judge has lost its mind")


class Reckless(HeuristicJudge):
    """A judge of one's own that merges whatever it is shown, with a confidence that means nothing."""

    def duplicates(self, pairs: Sequence[tuple[str, str]]) -> list[DuplicateJudgement]:
        return [DuplicateJudgement(Duplicate.MERGE, "why not", 7.5) for _ in pairs]


def test_a_judge_that_raises_ends_its_own_stage_alone(tmp_path: Path) -> None:
    files = {**TWINS, "Memory/keeper/Log.md": managed("Log", "See [[Winhc]] for that.")}
    with vault_with(tmp_path / "v", files) as vault:
        before = notes_of(vault)
        report = run_cycle(vault, clock_ns=lambda: FIRST_NIGHT_NS, zone=UTC, judge=Raising())
        assert report.state is CycleState.DONE
        assert [line for line in report.said if "consolidate" in line]
        after = notes_of(vault)
        assert {path: after.get(path) for path in TWINS} == TWINS
        assert before.keys() == after.keys()
        assert outcomes(dream(vault, 1))[("merge", "applied")] == 1


def test_a_reckless_judge_cannot_merge_what_differs_in_a_value(tmp_path: Path) -> None:
    with vault_with(tmp_path / "v", PORTS) as vault:
        run_cycle(vault, clock_ns=lambda: FIRST_NIGHT_NS, zone=UTC, judge=Reckless())
        after = notes_of(vault)
        assert {path: after.get(path) for path in PORTS} == PORTS


# --- texts -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mark", ["", "\ufeff"], ids=["no BOM", "BOM"])
@pytest.mark.parametrize("keeps", ["\n", "\r\n"], ids=["LF", "CRLF"])
@pytest.mark.parametrize("goes", ["\n", "\r\n"], ids=["LF", "CRLF"])
def test_line_ends_and_byte_order_marks_stay_as_they_are(
    tmp_path: Path, mark: str, keeps: str, goes: str
) -> None:
    more = f"{AGAIN}\n\nThe spare pawl hangs behind the door of the boathouse."
    files = {
        KEPT: (
            mark + managed("Winch", f"{TEXT}\n\nIt was built by the brothers in the forge.")
        ).replace("\n", keeps),
        GONE: (mark + managed("The winch", AGAIN)).replace("\n", goes),
        "Memory/keeper/Winch again.md": managed("Winch again", more).replace("\n", goes),
    }
    with vault_with(tmp_path / "v", files) as vault:
        for night in range(3):
            dream(vault, night)
        kept = (vault.root / KEPT).read_bytes().decode()
        assert kept.startswith(mark)
        assert "superseded_by" not in kept
        bare = kept.replace("\r\n", "")
        assert ("\n" in bare, "\r" in bare) == ((True, False) if keeps == "\n" else (False, False))
        archived = (vault.root / ARCHIVED).read_bytes().decode()
        left = archived.replace(f'superseded_by: "[[Winch]]"{goes}', "")
        assert left == files[GONE]


def test_what_cannot_be_read_is_left_alone(tmp_path: Path) -> None:
    with vault_with(tmp_path / "v", TWINS) as vault:
        latin = vault.root / "Memory/keeper/Winde.md"
        latin.write_bytes(managed("Winde", "Die Winde ist groß.").encode("latin-1"))
        broken = vault.root / "Memory/keeper/Broken.md"
        broken.write_bytes(b"---\nmanaged_by: [vaultmem\n---\nNobody knows.\n")
        before = latin.read_bytes(), broken.read_bytes()
        report = dream(vault)
        assert outcomes(report) == {("merge", "applied"): 1}
        assert (latin.read_bytes(), broken.read_bytes()) == before


@pytest.mark.skipif(sys.platform == "win32", reason="permissions are another matter there")
def test_a_note_without_leave_to_read_it_stops_nobody(imported: None, users_folder: Path) -> None:
    root = users_folder / "v"
    with vault_with(root, TWINS) as vault:
        secret = root / "Memory/keeper/Secret.md"
        secret.write_text(managed("Secret", TEXT))
        os.chmod(secret, 0)
        report = dream(vault)
        os.chmod(secret, 0o600)
        assert outcomes(report) == {("merge", "applied"): 1}
        assert secret.read_text() == managed("Secret", TEXT)


def test_excluded_notes_are_neither_touched_nor_quoted(tmp_path: Path) -> None:
    secret = "The combination of the safe is 4711 since the move."
    files = {
        **TWINS,
        "Private/Winch.md": managed("Winch", f"{AGAIN} {secret}"),
        "Private/Safe.md": f"{secret} See [[Nowhere at all]].\n",
        "Memory/keeper/Private/Safe.md": managed("Safe", secret),
        "Memory/keeper/Safe.md": managed(
            "Safe", "The combination of the safe is 1234 since the move."
        ),
        ".obsidian/app.json": '{"userIgnoreFilters": ["Private/", "Memory/keeper/Private/"]}',
    }
    with vault_with(tmp_path / "v", files) as vault:
        report = dream(vault)
        after = notes_of(vault, ours=True)
        for path in files:
            if "Private" in path:
                assert after[path] == files[path]
        elsewhere = [text for path, text in after.items() if "Private" not in path]
        assert not any("4711" in text or "Private" in text for text in elsewhere)
        assert "4711" not in str(dataclasses.asdict(report))
