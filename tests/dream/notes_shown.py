"""The notes that the dream writes, from made-up cycles, as golden texts.

``python -m tests.dream.notes_shown`` writes them anew into ``tests/dream/golden/``.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from vaultmem.dream.context import Finding
from vaultmem.dream.digest_note import render_digest
from vaultmem.dream.proposal import NewPlace, NewText, NoteText, Operation, Proposal, StageName
from vaultmem.dream.report import (
    CommunityChange,
    CycleReport,
    CycleState,
    DecisionRecord,
    GateFigures,
    Health,
    ModelUse,
    Outcome,
    Strategy,
)
from vaultmem.dream.review_item import review_item
from vaultmem.dream.review_note import render_review
from vaultmem.notes.paths import stem

GOLDEN: Final = Path(__file__).parent / "golden"
BEGAN: Final = int(datetime(2026, 11, 30, 3, 12, 5, tzinfo=UTC).timestamp()) * 1_000_000_000
SECOND: Final = 1_000_000_000


def link_of(path: str) -> str:
    """A wikilink by name."""
    return f"[[{stem(path)}]]"


def reader(texts: dict[str, str]) -> Callable[[str], NoteText | None]:
    """Notes given by path."""
    return lambda path: NoteText(path, texts[path], "00") if path in texts else None


def quiet() -> CycleReport:
    """A night on which nothing had changed."""
    return CycleReport(
        cycle="2026-11-30-a1",
        strategy=Strategy.CONSOLIDATE,
        why_strategy="",
        state=CycleState.NOTHING,
        began_ns=BEGAN,
        ended_ns=BEGAN + SECOND // 5,
        notes=812,
        changed=0,
    )


def decision(
    outcome: Outcome, title: str, *notes: str, event: str = "", reason: str = ""
) -> DecisionRecord:
    """A decision; drift's where it concerns one note, else consolidate's."""
    return DecisionRecord(
        proposal="0123456789",
        stage=StageName.CONSOLIDATE if len(notes) > 1 else StageName.DRIFT,
        operation=Operation.MERGE if len(notes) > 1 else Operation.SUPERSEDE,
        title=title,
        reason=reason,
        outcome=outcome,
        notes=notes,
        event=event,
    )


def rich() -> CycleReport:
    """A night with something of everything."""
    gate = GateFigures("Reject", "three questions lost their answer", 212, 0.98, 0.97, 0, 3, 0.125)
    refused = DecisionRecord(
        proposal="9876543210",
        stage=StageName.CONSOLIDATE,
        operation=Operation.MERGE,
        title='Merge "Ports" into "Servers"',
        reason="Most claims are the same.",
        outcome=Outcome.GATE,
        notes=("Memory/a/Servers.md", "Memory/a/Ports.md"),
        gate=gate,
    )
    findings = (
        Finding(
            "broken-link",
            "Garden.md",
            "[[Garden]] links to [[Compst]], which is not there; [[Compost]] is.",
        ),
        Finding(
            "broken-link", "Ideas.md", "[[Ideas]] links to [[Lighthouse trip]], which is not there."
        ),
        Finding(
            "broken-link", "Reading.md", "[[Reading]] links to [[Dune 2]], which is not there."
        ),
        Finding("orphan", "Old list.md", "[[Old list]]"),
        Finding("orphan", "Scratch.md", "[[Scratch]]"),
    )
    return CycleReport(
        cycle="2026-11-30-b7",
        strategy=Strategy.CONSOLIDATE,
        why_strategy="23 notes changed since the last cycle",
        state=CycleState.DONE,
        began_ns=BEGAN,
        ended_ns=BEGAN + 42 * SECOND,
        notes=1_812,
        changed=23,
        decisions=(
            decision(
                Outcome.APPLIED,
                'Merge "Backup plan 2" into "Backup plan"',
                "Memory/a/Backup plan.md",
                "Memory/a/Backup plan 2.md",
                event="3kq81f",
                reason="All six claims of one stand in the other, word for word or nearly.",
            ),
            decision(
                Outcome.APPLIED,
                'Move an outdated claim of "Database" to Superseded',
                "Memory/a/Database.md",
                event="3kq82a",
                reason="It says port 8080; [[Deployment]] of 2026-11-12 says 9090",
            ),
            decision(
                Outcome.WAITING,
                'Merge "Sourdough (old)" into "Sourdough"',
                "Kitchen/Sourdough.md",
                "Kitchen/Sourdough (old).md",
                reason="Both hold the same recipe.",
            ),
            decision(
                Outcome.WAITING,
                'Mend a link in "Garden": `[[../Seed lst|seeds]]` → `[[Seed list|seeds]]`',
                "Garden.md",
                reason="`[[../Seed lst|seeds]]` leads nowhere; nearly the same name.",
            ),
            refused,
            decision(Outcome.BUDGET, 'Merge "X" into "Y"', "Memory/a/Y.md", "Memory/a/X.md"),
            decision(Outcome.BUDGET, 'Merge "U" into "V"', "Memory/a/V.md", "Memory/a/U.md"),
        ),
        findings=findings,
        finding_counts={"broken-link": 40, "orphan": 2, "empty-note": 4},
        suspects=("Memory/a/Firewall.md",),
        communities=(
            CommunityChange("Baking", 12, 0, "Kitchen/Sourdough.md"),
            CommunityChange("Servers", 31, 27, "Memory/a/Servers.md"),
            CommunityChange("Old move", 0, 6, ""),
        ),
        insights=(Finding("bridge", "Water.md", "[[Water]] alone connects Baking and Garden"),),
        health=Health(212, 0.981, 0.985, 0.985),
        model=ModelUse(
            "small-judge", 12, 3_400, 510, 0.0123, failures=1, note="One call took too long"
        ),
        review="Memory/_review/Review.md",
    )


def merge() -> Proposal:
    """Of two notes of a person."""
    return Proposal(
        stage=StageName.CONSOLIDATE,
        operation=Operation.MERGE,
        title='Merge "Sourdough (old)" into "Sourdough"',
        reason="Both hold the same recipe; the older one says nothing that the newer does not.",
        confidence=0.94,
        inputs={"Kitchen/Sourdough.md": "a1", "Kitchen/Sourdough (old).md": "b2"},
        edits=(NewText("Kitchen/Sourdough.md", SOURDOUGH + "- Feed the starter on Fridays\n"),),
        move=NewPlace("Kitchen/Sourdough (old).md", "Memory/_archive/Kitchen/Sourdough (old).md"),
        keeper="Kitchen/Sourdough.md",
    )


def supersede() -> Proposal:
    """A claim that another note corrects; the note holds a fenced block that looks like a decision."""
    after = "# Server\n\n```yaml\n- [x] trap ^r-0123456789\n```\n\n## Superseded\n\n- The port is 8080\n"
    return Proposal(
        stage=StageName.DRIFT,
        operation=Operation.SUPERSEDE,
        title='Move a claim of "Server" to Superseded',
        reason="[[Deployment]] is newer and names another port.",
        confidence=0.88,
        inputs={"Server.md": "c3", "Deployment.md": "d4"},
        edits=(NewText("Server.md", after),),
        keeper="Deployment.md",
        claims=(
            ("Server.md", "The port is 8080"),
            ("Deployment.md", "The port is 9090 since 12 November"),
        ),
    )


def look() -> Proposal:
    """Two claims of which a person must say which holds."""
    return Proposal(
        stage=StageName.DRIFT,
        operation=Operation.NOTE_ONLY,
        title='"Trip" and "Budget" name different sums',
        reason="Neither has a date, so it cannot be told which one holds.",
        confidence=0.7,
        inputs={"Trip.md": "e5", "Budget.md": "f6"},
        claims=(("Trip.md", "The ferry costs 120 €"), ("Budget.md", "The ferry costs 140 €")),
    )


SOURDOUGH: Final = "# Sourdough\n\n- 500 g flour\n- 350 g water\n- 10 g salt\n"
SERVER: Final = "# Server\n\n- The port is 8080\n\n```yaml\n- [x] trap ^r-0123456789\n```\n"
TEXTS: Final = {"Kitchen/Sourdough.md": SOURDOUGH, "Server.md": SERVER}


def digests() -> str:
    """A quiet cycle, and a rich one later on the same day."""
    first = render_digest(quiet(), None, zone=UTC, link_of=link_of)
    return render_digest(rich(), first, zone=UTC, link_of=link_of)


def review() -> str:
    """Two proposals and something to look at."""
    items = [review_item(each, reader(TEXTS)) for each in (merge(), supersede(), look())]
    return render_review(items, None, link_of=link_of)


SHOWN: Final[dict[str, Callable[[], str]]] = {
    "digest-quiet.md": lambda: render_digest(quiet(), None, zone=UTC, link_of=link_of),
    "digest-rich.md": digests,
    "review.md": review,
}


def main() -> None:
    """Write the golden texts."""
    for name, make in SHOWN.items():
        (GOLDEN / name).write_text(make(), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
