"""``python -m tests.dream.never_hurts --cycles 100 --notes 5000``: many nights of dreaming on a vault that wants tending.

The vault is generated (``tests.dream.tended``), twice: one copy is dreamed over, the other is left alone, and both get the
same edits by hand. Days go by between the cycles. After each, held questions, worded apart from the claims that answer
them and unknown to the dream, are put to both: an answer is right when the first note holds the claim that is true now.
Measured are points (hundredths of the questions) against the vault that was left alone; whether every planted claim is still in
some note, word for word; whether look-alikes were merged; the budget of each cycle by the journal; and whether undoing
all cycles, newest first, leaves the same bytes as if there had been none. Exit code 1 where a target is missed.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Final

from tests.dream.figures import Figure, tell
from tests.dream.tended import Held, Maker, tended_vault, told_by
from tests.torture.linked import files_of
from vaultmem.dream.passages import SUPERSEDED
from vaultmem.dream.proposal import Operation
from vaultmem.dream.report import CycleReport, Outcome
from vaultmem.files.events import EventKind
from vaultmem.files.journal import Journal
from vaultmem.files.recalls import RecallEntry, RecallLog
from vaultmem.files.targets import WriteRules
from vaultmem.search.engine import Asked
from vaultmem.settings import Settings
from vaultmem.vault import Vault
from vaultmem_daemon.dreaming.pipeline import run_cycle

BEGIN: Final = date(2026, 12, 1)
NS_OF_DAY: Final = 86_400 * 1_000_000_000
CHARGED: Final = frozenset((EventKind.MERGED, EventKind.SUPERSEDED, EventKind.ARCHIVED))


class Clock:
    """A clock that stands still until it is told to go on."""

    def __init__(self, day: date) -> None:
        at = datetime(day.year, day.month, day.day, 2, tzinfo=UTC)
        self.now_ns = int(at.timestamp()) * 1_000_000_000

    def __call__(self) -> int:
        self.now_ns += 1_000_000  # two events are never of one moment
        return self.now_ns

    def next_day(self) -> None:
        """The same hour of the day after."""
        self.now_ns = (self.now_ns // NS_OF_DAY + 1) * NS_OF_DAY + 2 * 3600 * 1_000_000_000


def opened(root: Path, clock: Callable[[], int], settings: Settings | None = None) -> Vault:
    """The vault, in which a note that was saved a moment ago may be changed."""
    return Vault(
        root,
        settings or Settings(),
        cache_root=root.with_name("cache"),
        clock_ns=clock,
        cores=1,
        write_rules=WriteRules(quiet=0, clock=clock),
    )


def put(root: Path, path: str, text: str, time_ns: int) -> None:
    """Writes a note as of that time."""
    place = root / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(text.encode())
    os.utime(place, ns=(time_ns, time_ns))


def lay_out(root: Path, maker: Maker) -> None:
    """The vault on the disk, with what was asked of it so far."""
    made = maker.made
    for path, text in made.files.items():
        day = made.days[path]
        at = int(datetime(day.year, day.month, day.day, 12, tzinfo=UTC).timestamp())
        put(root, path, text, at * 1_000_000_000)
    log = RecallLog(root)
    start = int(datetime(BEGIN.year, BEGIN.month, BEGIN.day, tzinfo=UTC).timestamp())
    for n, (query, path) in enumerate(made.asked):
        asked_ns = (start - 10 * 86_400 + n) * 1_000_000_000
        log.append(RecallEntry(asked_ns, "agent", query, (path,)))


@dataclass(slots=True)
class Night:
    """What came of one cycle."""

    seconds: float
    cpu: float
    """Seconds of a core in this process; what works out the communities is another."""
    points: float
    """Of the held questions, against the vault that was left alone."""
    right: Mapping[str, int]
    """Questions that were answered right, by kind."""
    outdated: int
    """Questions whose first note says what held once."""
    charged: int
    size: int
    report: CycleReport


@dataclass(slots=True)
class Outcomes:
    """What a run came to."""

    nights: list[Night] = field(default_factory=list)
    asked: Counter[str] = field(default_factory=Counter)
    alone: Counter[str] = field(default_factory=Counter)
    """Questions that the vault left alone answered right at the end, by kind."""
    outdated: int = 0
    """Questions whose first note there says what held once."""
    claims: int = 0
    lost: list[str] = field(default_factory=list)
    alike: int = 0
    alike_merged: list[str] = field(default_factory=list)
    alike_moved: list[str] = field(default_factory=list)
    strangers: list[str] = field(default_factory=list)
    """Merges of notes that were not planted as duplicates."""
    set_aside: list[str] = field(default_factory=list)
    """Claims that hold now and were taken for outdated."""
    merged: int = 0
    duplicates: int = 0
    differing: list[str] = field(default_factory=list)
    """Paths whose bytes are not those of the vault left alone, once all was undone."""
    undone: int = 0
    undo_seconds: float = 0.0


class Run:
    """Both vaults, and what is done to them."""

    def __init__(self, folder: Path, *, notes: int, questions: int, seed: int) -> None:
        self._random = Random(f"hand {seed}")
        self._maker = tended_vault(notes, questions, seed)
        self._clock = Clock(BEGIN)
        self._dreamed, self._alone = folder / "dreamed" / "vault", folder / "alone" / "vault"
        for root in (self._dreamed, self._alone):
            root.mkdir(parents=True)
            lay_out(root, self._maker)
        self.outcomes = Outcomes(asked=Counter(held.kind for held in self._maker.made.held))

    def nights(self, cycles: int, edits: int, say: Callable[[str], None]) -> Outcomes:
        """So many cycles with so many edits by hand before each but the first; then everything is undone."""
        found = self.outcomes
        with (
            opened(self._dreamed, self._clock) as dreamed,
            opened(self._alone, self._clock) as alone,
        ):
            for number in range(cycles):
                if number:
                    self._clock.next_day()
                    self._edit_by_hand(edits)
                night = self._night(dreamed, alone)
                found.nights.append(night)
                say(_line(number, night))
            self._look(dreamed)
            self._undo(dreamed)
        return found

    def _night(self, dreamed: Vault, alone: Vault) -> Night:
        began, busy = time.perf_counter(), time.process_time()
        report = run_cycle(dreamed, clock_ns=self._clock, zone=UTC)
        seconds, cpu = time.perf_counter() - began, time.process_time() - busy
        self._date_changes()
        held = self._maker.made.held
        (mine, stale), (theirs, self.outcomes.outdated) = (
            answered(dreamed, held),
            answered(alone, held),
        )
        self.outcomes.alone = by_kind(held, theirs)
        charged, size = spent_by(self._dreamed, report.cycle)
        points = 100 * (sum(mine) - sum(theirs)) / len(held)
        return Night(seconds, cpu, points, by_kind(held, mine), stale, charged, size, report)

    def _date_changes(self) -> None:
        """What was written in this night bears its date, as it would."""
        now_ns = self._clock()
        real_ns = time.time_ns() - 3600 * 1_000_000_000
        for place in self._dreamed.glob("Memory/**/*.md"):
            if real_ns < place.stat().st_mtime_ns < real_ns + 2 * 3600 * 1_000_000_000:
                os.utime(place, ns=(now_ns, now_ns))

    def _edit_by_hand(self, count: int) -> None:
        """The same in both: a new note, and lines put into notes that lie where they always did."""
        now_ns = self._clock()
        day = datetime.fromtimestamp(now_ns / 1e9, UTC).date() - timedelta(days=1)
        path, text = self._maker.added(day)
        for root in (self._dreamed, self._alone):
            put(root, path, text, now_ns)
        there = [path for path in self._maker.made.files if (self._dreamed / path).exists()]
        for path in self._random.sample(there, min(count, len(there))):
            line = self._maker.line()
            for root in (self._dreamed, self._alone):
                text = (root / path).read_bytes().decode()
                put(root, path, with_line(text, line), now_ns)

    # -- what came of it ---------------------------------------------------------------------------------------------

    def _look(self, dreamed: Vault) -> None:
        found, made = self.outcomes, self._maker.made
        texts = {p: d.decode() for p, d in files_of(self._dreamed).items() if p.endswith(".md")}
        own = {p: t for p, t in texts.items() if not p.startswith(("Memory/_dr", "Memory/_rev"))}
        said = {sentence for text in own.values() for sentence in told_by(text)}
        found.claims = len(made.claims)
        missing = [claim for claim in sorted(made.claims) if claim not in said]
        found.lost = [c for c in missing if not any(c in text for text in own.values())]
        live = {sentence for text in own.values() for sentence in told_by(living(text))}
        rights = {claim for held in made.held for claim in held.right}
        found.set_aside = sorted(claim for claim in rights if claim in said and claim not in live)
        planted = {frozenset(pair) for pair in made.duplicates}
        alike = {frozenset((each.first, each.second)) for each in made.look_alikes}
        in_alike = {path for pair in alike for path in pair}
        found.alike, found.duplicates = len(alike), len(planted)
        for night in found.nights:
            for decision in night.report.of(Outcome.APPLIED):
                notes = frozenset(decision.notes)
                if decision.operation is Operation.MERGE:
                    found.merged += notes in planted
                    if notes in alike:
                        found.alike_merged.append(decision.title)
                    elif notes not in planted:
                        found.strangers.append(decision.title)
                elif decision.operation in (Operation.SUPERSEDE, Operation.MARK_STALE):
                    found.alike_moved += [decision.title] if notes & in_alike else []

    def _undo(self, dreamed: Vault) -> None:
        began = time.perf_counter()
        for night in reversed(self.outcomes.nights):
            if changes_of(self._dreamed, night.report.cycle):
                dreamed.history.undo([night.report.cycle], keep_mine=True)
                self.outcomes.undone += 1
        self.outcomes.undo_seconds = time.perf_counter() - began
        mine, theirs = files_of(self._dreamed), files_of(self._alone)
        self.outcomes.differing = sorted(
            path
            for path in mine.keys() | theirs.keys()
            if mine.get(path) != theirs.get(path) and not path.startswith(".trash/")
        )


def answered(vault: Vault, held: Sequence[Held]) -> tuple[list[bool], int]:
    """Whether each question's first note holds the claim that is true now, and not among what is set aside; and how many
    first notes hold what was true once."""
    vault.sync()
    texts: dict[str, str] = {}
    right, outdated = list[bool](), 0
    for question in held:
        hits = vault.found(Asked(question.query, 1, set_aside=vault.set_aside, snippets=False)).hits
        if hits and hits[0].path not in texts:
            texts[hits[0].path] = living((vault.root / hits[0].path).read_bytes().decode())
        text = texts[hits[0].path] if hits else ""
        right.append(any(claim in text for claim in question.right))
        outdated += not right[-1] and any(claim in text for claim in question.wrong)
    return right, outdated


def living(text: str) -> str:
    """The text without its section of what no longer holds."""
    return text.partition(f"\n## {SUPERSEDED}")[0]


def by_kind(held: Sequence[Held], right: Sequence[bool]) -> Counter[str]:
    """How many were right of each kind."""
    return Counter(each.kind for each, is_right in zip(held, right, strict=True) if is_right)


def with_line(text: str, line: str) -> str:
    """The text with a line of its own before its first paragraph."""
    head, mark, body = text.partition("\n---\n") if text.startswith("---\n") else ("", "", text)
    return f"{head}{mark}{line}\n\n{body}"


def spent_by(root: Path, cycle: str) -> tuple[int, int]:
    """Destructive edits and the bytes that they changed, by the journal."""
    events = [
        e
        for e in Journal(root).backward(lambda line: f'"{cycle}"'.encode() in line)
        if e.cycle == cycle and e.kind in CHARGED
    ]
    size = sum(
        max(span.end - span.start, span.length)
        for event in events
        for change in event.changes
        for span in change.spans
    )
    return len(events), size


def changes_of(root: Path, cycle: str) -> bool:
    """Whether the cycle changed any file."""
    events = Journal(root).backward(lambda line: f'"{cycle}"'.encode() in line)
    return any(event.cycle == cycle and event.changes for event in events)


def _line(number: int, night: Night) -> str:
    outcomes = Counter(str(d.outcome) for d in night.report.decisions)
    done = Counter(str(d.operation) for d in night.report.of(Outcome.APPLIED))
    return (
        f"{number + 1:4} {night.report.state:9} {night.seconds:6.1f} s ({night.cpu:.1f})  {night.points:+6.2f}  charged {night.charged:3} "
        f"{night.size / 1024:5.1f} K  {dict(done)}  {dict(outcomes)}"
    )


def figures(found: Outcomes, settings: Settings) -> list[Figure]:
    """The figures with their targets."""
    points = [night.points for night in found.nights]
    times = [night.seconds for night in found.nights]
    kept = 1 - len(found.lost) / max(1, found.claims)
    budget = settings.dream
    over = sum(n.charged > budget.edits or n.size > budget.kilobytes * 1024 for n in found.nights)
    questions = found.asked.total()
    made = [
        Figure("held questions, worst cycle, points", min(points), least=-0.5, of=questions),
        Figure("held questions, after the last cycle, points", points[-1], least=3, of=questions),
    ]
    last = found.nights[-1].right
    for kind, count in found.asked.items():
        made.append(
            Figure(f"  {kind}: right without dreaming", found.alone[kind] / count, of=count)
        )
        made.append(
            Figure(f"  {kind}: right after the last cycle", last.get(kind, 0) / count, of=count)
        )
    return [
        *made,
        Figure("outdated claims in first place without dreaming", found.outdated, of=questions),
        Figure("outdated claims in first place", found.nights[-1].outdated, of=questions),
        Figure("planted claims still in a note, word for word", kept, least=0.999, of=found.claims),
        Figure("look-alikes merged", len(found.alike_merged), most=0, of=found.alike),
        Figure("claims of look-alikes moved", len(found.alike_moved), most=0, of=found.alike),
        Figure("merges of notes that are no duplicates", len(found.strangers), most=0),
        Figure("claims that hold, set aside", len(found.set_aside), most=0, of=questions),
        Figure("duplicates merged", found.merged / max(1, found.duplicates), of=found.duplicates),
        Figure("cycles over their budget", over, most=0, of=len(found.nights)),
        Figure("most destructive edits in a cycle", max(n.charged for n in found.nights)),
        Figure(
            "files that differ once all is undone", len(found.differing), most=0, of=found.undone
        ),
        Figure("seconds, first cycle", times[0]),
        Figure("seconds of a core, first cycle", found.nights[0].cpu),
        Figure(
            "seconds of a core, other cycles, mean",
            sum(n.cpu for n in found.nights[1:]) / max(1, len(times) - 1),
        ),
        Figure("seconds, other cycles, mean", sum(times[1:]) / max(1, len(times) - 1)),
        Figure("seconds, other cycles, longest", max(times[1:], default=0.0)),
        Figure("seconds to undo all", found.undo_seconds, of=found.undone),
    ]


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.dream.never_hurts",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--cycles", type=int, default=100)
    parser.add_argument("--notes", type=int, default=5000)
    parser.add_argument("--questions", type=int, default=400)
    parser.add_argument("--edits", type=int, default=3, help="lines added by hand between cycles")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=Path, help="an existing folder to work in")
    parser.add_argument("--quiet", action="store_true", help="figures only")
    o = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="vaultmem-nights-", dir=o.folder) as folder:
        run = Run(Path(folder), notes=o.notes, questions=o.questions, seed=o.seed)
        say: Callable[[str], None] = (
            (lambda _: None) if o.quiet else (lambda s: print(s, flush=True))
        )
        found = run.nights(o.cycles, o.edits, say)
    for kind, told in (
        ("lost", found.lost),
        ("look-alikes merged", found.alike_merged),
        ("look-alikes moved", found.alike_moved),
        ("no duplicates", found.strangers),
        ("set aside", found.set_aside),
        ("differs", found.differing),
    ):
        for each in told[:10]:
            print(f"{kind}: {each}")
    return tell(figures(found, Settings()))


if __name__ == "__main__":
    sys.exit(main())
