"""Nights on which lessons are drawn: made once, taken back for good, counted, and stopped when nobody asks for them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from tests.daemon.dreaming.nights import FIRST_NIGHT_NS, dream, notes_of, vault_with
from tests.vaults import write
from vaultmem.dream.report import CycleReport, Strategy
from vaultmem.files.recalls import RecallEntry, RecallLog
from vaultmem.vault import Vault
from vaultmem_daemon.dreaming.memory import MemoryStore


def feedback(day: int, claim: str) -> str:
    return f"---\ntype: feedback\nmanaged_by: vaultmem\ndate: 2025-11-{day:02}\n---\n{claim}\n"


def taught(thing: str) -> dict[str, str]:
    """Three notes that say the same of it."""
    claim = f"Grease every {thing} before winter comes."
    return {f"Memory/keeper/{thing}/{day}.md": feedback(day, claim) for day in (1, 2, 3)}


LESSON = "Memory/keeper/lessons/Grease every winch before winter comes.md"


def outcomes(report: CycleReport) -> Counter[tuple[str, str]]:
    return Counter((str(d.operation), str(d.outcome)) for d in report.decisions)


def test_a_lesson_is_made_at_no_cost_of_the_budget_and_the_next_night_makes_nothing(
    tmp_path: Path,
) -> None:
    with vault_with(tmp_path / "v", taught("winch")) as vault:
        before = notes_of(vault)
        report = dream(vault)
        after = notes_of(vault)
        assert outcomes(report) == {("distill", "applied"): 1}
        assert set(after) - set(before) == {LESSON}
        assert report.edits_left == vault.settings.dream.edits
        assert "Grease every winch before winter comes." in after[LESSON]
        assert vault.search("grease winch winter").hits[0].path == LESSON
        assert dream(vault, 1).decisions == ()
        assert notes_of(vault) == after


def test_a_digest_links_to_the_lesson(tmp_path: Path) -> None:
    with vault_with(tmp_path / "v", taught("winch")) as vault:
        report = dream(vault)
        digest = (vault.root / report.digest).read_text()
        assert "- **Make the lesson [[Grease every winch before winter comes]] of 3 notes" in digest


def test_a_lesson_that_was_taken_back_is_gone_and_does_not_come_back(tmp_path: Path) -> None:
    with vault_with(tmp_path / "v", taught("winch")) as vault:
        before = notes_of(vault, ours=True)
        report = dream(vault)
        vault.history.undo([report.cycle])
        assert notes_of(vault, ours=True) == before
        dream(vault, 1)
        assert notes_of(vault) == {p: t for p, t in before.items() if "/_" not in p}


def test_a_preview_shows_the_lesson_and_writes_nothing(tmp_path: Path) -> None:
    with vault_with(tmp_path / "v", taught("winch")) as vault:
        before = notes_of(vault, ours=True)
        (decision,) = dream(vault, dry_run=True).decisions
        assert "+- Grease every winch before winter comes. ^f-" in decision.diff
        assert notes_of(vault, ours=True) == before


def test_conserve_distils_nothing(tmp_path: Path) -> None:
    with vault_with(tmp_path / "v", taught("winch")) as vault:
        assert dream(vault, strategy=Strategy.CONSERVE).decisions == ()


def test_many_new_facts_of_ours_make_a_night_of_overviews_but_not_the_first(tmp_path: Path) -> None:
    def fact(text: str) -> str:
        return feedback(1, text).replace("feedback", "fact")

    parts = ("hull", "deck", "mast", "ramp", "stern", "wheel")
    ferry = {
        f"Memory/keeper/Ferry {part}.md": fact(f"The {part} was painted blue.") for part in parts
    }
    others = {
        f"Memory/keeper/{word}.md": fact(
            f"Nobody has looked at {word} since the {part} was mended."
        )
        for part in parts
        for word in (f"{part}{letter}" for letter in ("an", "el", "ib", "ok", "um", "yx"))
    }
    with vault_with(tmp_path / "v", ferry) as vault:
        assert dream(vault).strategy is Strategy.CONSOLIDATE
        write(vault.root, others)
        report = dream(vault, 1)
        assert report.strategy is Strategy.CONSOLIDATE  # 36 are not many
        write(vault.root, {path: text + "\nAgain.\n" for path, text in {**ferry, **others}.items()})
        report = dream(vault, 2)
        assert report.strategy is Strategy.SYNTHESIZE
        assert "Memory/keeper/syntheses/Ferry (overview).md" in notes_of(vault)


def test_lessons_that_nobody_asks_for_end_distillation(tmp_path: Path) -> None:
    """Five lessons a night; useful ones would have been asked for by the time that twenty are there."""
    with vault_with(tmp_path / "v", {}) as vault:
        reports = [_night(vault, night, recalled=False) for night in range(8)]
        alarmed = [night for night, report in enumerate(reports) if report.alarms]
        assert alarmed
        first = alarmed[0]
        assert "wasted distillation" in reports[first].alarms[0]
        assert reports[first + 1].strategy is Strategy.CONSERVE
        assert outcomes(reports[first + 1])[("distill", "applied")] == 0


def test_lessons_that_are_asked_for_go_on(tmp_path: Path) -> None:
    with vault_with(tmp_path / "v", {}) as vault:
        reports = [_night(vault, night, recalled=True) for night in range(8)]
        assert [outcomes(report) for report in reports] == [{("distill", "applied"): 5}] * 8
        history = MemoryStore(vault.root).load().evolution.mutation.history
        assert [record.distilled for record in history] == [5] * 8
        assert [record.recalled for record in history] == [5] * 7 + [0]


THINGS = (
    "winch", "anchor", "pulley", "hinge", "crane", "axle", "barrow", "bearing", "gutter",
    "shackle", "hatch", "ladder", "pump", "piston", "rudder", "saw", "sluice", "spindle",
    "tackle", "valve", "vice", "wagon", "windlass", "wheel", "bolt", "bracket", "cable",
    "capstan", "chain", "clamp", "coupling", "davit", "drill", "engine", "ferrule", "flange",
    "gate", "gear", "hoist", "jack",
)  # fmt: skip


def _night(vault: Vault, night: int, *, recalled: bool) -> CycleReport:
    """A night before which five things more were taught."""
    for thing in THINGS[5 * night : 5 * night + 5]:
        for path, text in taught(thing).items():
            place = vault.root / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text)
    report = dream(vault, night)
    if recalled:
        made = tuple(d.notes[0] for d in report.decisions)
        for path in made:
            entry = RecallEntry(FIRST_NIGHT_NS, "person", f"what of {path}", (path,))
            RecallLog(vault.root).append(entry)
    return report
