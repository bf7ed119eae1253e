"""``dream.hand_notes = "write"``: the dream does in a person's notes what it would have proposed, under the same gate, as
events of the cycle that can be undone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from time import time_ns

from tests.daemon.dreaming.nights import (
    AGAIN,
    FILLERS,
    TEXT,
    dream,
    notes_of,
    settings_of,
    vault_with,
)
from tests.vaults import vault_at, write
from vaultmem.dream.proposal import Operation
from vaultmem.dream.report import CycleReport, CycleState
from vaultmem.files.events import EventKind
from vaultmem.files.journal import Journal
from vaultmem.vault import Vault
from vaultmem_daemon.dreaming.reviews import Reviews

WRITE = settings_of(hand_notes="write")
TWINS = {
    "Tools/Winch.md": f"# Winch\n\n{TEXT}\n",
    "Old/The winch.md": f"---\ntags: [tools]\n---\n# The winch\n\n{AGAIN}\n",
}
PORTS = {
    "Port.md": "---\ndate: 2025-01-01\n---\n# Port\n\nThe gateway in the cellar listens on port 8080.\n",
    "Port again.md": (
        "---\ndate: 2025-11-01\n---\n# Port again\n\n"
        "The gateway in the cellar listens on port 9090. See [[Port]].\n"
    ),
}
LOG = {"Log.md": "See [[Lantren in the attic]], [[Ancohr in the attic]] and [[Winch]].\n"}
DIARY = {"Diary.md": "---\ntags: idea, shore\nalias: Di # mine\n---\nNothing new.\n"}


def outcomes(report: CycleReport) -> Counter[tuple[str, str]]:
    return Counter((str(d.operation), str(d.outcome)) for d in report.decisions)


def hand_notes(vault: Vault) -> dict[str, str]:
    """The notes but for the fillers, digests and reviews."""
    return {path: text for path, text in notes_of(vault).items() if path not in FILLERS}


def test_what_is_written_to_a_hand_note_is_what_would_have_been_proposed(tmp_path: Path) -> None:
    with vault_with(tmp_path / "v", {**TWINS, **PORTS, **DIARY}, settings=WRITE) as vault:
        report = dream(vault)
        assert outcomes(report) == {
            ("merge", "applied"): 1,
            ("supersede", "applied"): 1,
            ("fix-property", "applied"): 1,
        }
        assert hand_notes(vault) == {
            # What a person wrote in the other one, and no property of ours.
            "Tools/Winch.md": f"---\ntags:\n  - tools\naliases:\n  - The winch\n---\n{TWINS['Tools/Winch.md']}",
            "Memory/_archive/Old/The winch.md": TWINS["Old/The winch.md"].replace(
                "tags: [tools]\n", 'tags: [tools]\nsuperseded_by: "[[Winch]]"\n'
            ),
            "Port again.md": PORTS["Port again.md"],
            "Port.md": (
                "---\ndate: 2025-01-01\n---\n# Port\n\n"
                "The gateway in the cellar listens on port 9090. — from [[Port again]], 2025-11-01\n\n"
                "## Superseded\n\nThe gateway in the cellar listens on port 8080.\n"
                "— corrected by [[Port again]], 2025-12-21\n"
            ),
            "Diary.md": "---\ntags:\n  - idea\n  - shore\nalias: Di # mine\n---\nNothing new.\n",
        }


def test_what_was_rejected_is_not_done_after_another_mend_of_the_same_note(tmp_path: Path) -> None:
    diary = "---\ntags: idea, shore\n---\n"
    files = {"Diary.md": f"{diary}See [[Lantren in the attic]].\n"}
    with vault_with(tmp_path / "v", files) as vault:
        dream(vault)
        desk = Reviews(vault, time_ns)
        desk.reject([p.id for p in desk.waiting() if p.operation is Operation.FIX_PROPERTY])
    with vault_at(tmp_path / "v", settings=WRITE) as vault:
        write(vault.root, {"New.md": "See [[Diary]].\n"})
        mended = outcomes(dream(vault, 1))
        write(vault.root, {"Log.md": "See [[Diary]].\n"})
        later = outcomes(dream(vault, 2))
        assert hand_notes(vault)["Diary.md"] == f"{diary}See [[lantern in the attic]].\n"
    assert (mended, later) == ({("fix-link", "applied"): 1}, {})


def test_by_default_the_same_waits_and_nothing_is_written(tmp_path: Path) -> None:
    with vault_with(tmp_path / "v", {**TWINS, **PORTS, **DIARY}) as vault:
        before = notes_of(vault)
        report = dream(vault)
        assert outcomes(report) == {
            ("merge", "waiting"): 1,
            ("supersede", "waiting"): 1,
            ("fix-property", "waiting"): 1,
        }
        assert notes_of(vault) == before


def test_an_edit_of_a_hand_note_is_gated(tmp_path: Path) -> None:
    with vault_with(tmp_path / "v", TWINS, settings=WRITE) as vault:
        (decision,) = dream(vault).decisions
        assert decision.gate is not None
        assert decision.gate.probes >= 60
    with vault_with(tmp_path / "w", TWINS, settings=WRITE, fillers=False) as vault:
        before = notes_of(vault)
        assert outcomes(dream(vault)) == {("merge", "refused by the gate"): 1}
        assert notes_of(vault) == before


def test_an_edit_of_a_hand_note_costs_the_budget(tmp_path: Path) -> None:
    settings = settings_of(hand_notes="write", edits=1)
    with vault_with(tmp_path / "v", {**TWINS, **PORTS}, settings=settings) as vault:
        report = dream(vault)
        assert report.edits_left == 0
        assert sorted(outcomes(report)) == [("merge", "applied"), ("supersede", "over budget")]


def test_edits_of_hand_notes_are_events_of_the_cycle_and_can_be_undone(tmp_path: Path) -> None:
    with vault_with(tmp_path / "v", {**TWINS, **PORTS, **DIARY}, settings=WRITE) as vault:
        before = notes_of(vault, ours=True)
        report = dream(vault)
        done = {
            event.id: (event.kind, event.actor, [change.path for change in event.changes])
            for event in Journal(vault.root).read()
            if event.cycle == report.cycle
        }
        assert [done[decision.event] for decision in report.decisions] == [
            (
                EventKind.MERGED,
                "vaultmem dream: consolidate",
                ["Tools/Winch.md", "Old/The winch.md"],
            ),
            (EventKind.SUPERSEDED, "vaultmem dream: drift", ["Port.md"]),
            (EventKind.UPDATED, "vaultmem dream: lint", ["Diary.md"]),
        ]
        vault.history.undo([f"cycle:{report.cycle}"])
        assert notes_of(vault, ours=True) == before
        again = dream(vault, 1)
        assert outcomes(again)[("merge", "applied")] == 0
        assert notes_of(vault) == {p: t for p, t in before.items() if "/_" not in p}


def test_two_faults_of_a_hand_note_are_mended_one_a_night(tmp_path: Path) -> None:
    with vault_with(tmp_path / "v", {**LOG, **TWINS}, settings=WRITE) as vault:
        said = [outcomes(dream(vault, night)) for night in range(3)]
        assert [each[("fix-link", "applied")] for each in said] == [1, 1, 0]
        assert not any("changed meanwhile" in outcome for each in said for _, outcome in each)
        text = hand_notes(vault)["Log.md"]
        assert "[[lantern in the attic" in text
        assert "[[anchor in the attic" in text


def test_a_hand_edit_that_comes_meanwhile_wins(tmp_path: Path) -> None:
    mine = DIARY["Diary.md"] + "Typed at night.\n"
    seen = Counter[tuple[str, str]]()
    for look in range(1, 9):
        root = tmp_path / str(look)
        with vault_with(root, DIARY, settings=WRITE, fillers=False) as vault:
            report = dream(vault, cancelled=typing_at(look, root / "Diary.md", mine))
            assert report.state is CycleState.DONE
            assert (root / "Diary.md").read_text().endswith("Typed at night.\n")
            seen += outcomes(report)
    assert seen[("fix-property", "the note changed meanwhile")] > 0
    assert seen[("fix-property", "applied")] > 0


def typing_at(look: int, place: Path, text: str) -> Callable[[], bool]:
    """Asked whether to end for the so manieth time, a person saves the note, once; and it never has to end."""
    looks = 0

    def look_up() -> bool:
        nonlocal looks
        looks += 1
        if looks == look:
            place.write_text(text)
        return False

    return look_up
