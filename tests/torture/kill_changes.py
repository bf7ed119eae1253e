"""``python -m tests.torture.kill_changes``: kill -9 in the middle of multi-file changes, then look at every byte.

After ``recover`` every file is of the same generation, the old or the new; no temporary file remains; and the
journal has exactly the changes that happened, with both versions of every file in the object store.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from tests.torture.changer import expected, generation_of, rules
from vaultmem.files.journal import Journal, JournalFault
from vaultmem.files.objects import ObjectStore
from vaultmem.files.recover import recover

MIDWAY = Path(".vaultmem/intents")


@dataclass
class Outcome:
    """What a run came to."""

    points: int = 0
    midway: int = 0
    """Kills that left an unfinished change."""
    generations: int = 0
    seconds: float = 0.0
    settled: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        settled = ", ".join(f"{count} {what}" for what, count in sorted(self.settled.items()))
        bad = len({fault.partition(":")[0] for fault in self.faults})
        return (
            f"{self.points - bad} of {self.points} kills left a whole vault; {self.midway} came in the middle of a "
            f"change ({settled or 'none'}); {self.generations} changes in {self.seconds:.0f} s"
        )


def torture(root: Path, points: int, *, seed: int, exchange: bool = True) -> Outcome:
    """Kills a changer ``points`` times in the vault ``root``, which is filled here, and looks after each time."""
    chance = random.Random(seed)
    for path, data in expected(0).items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
    outcome = Outcome()
    began = time.perf_counter()
    pace = 0.02
    for point in range(points):
        pace = _kill_once(root, point, chance, pace, exchange)
        outcome.midway += any((root / MIDWAY).glob("*.json"))
        _recover_and_be_killed(root, chance)
        for recovered in recover(root, rules=rules()):
            outcome.settled[recovered.outcome] += 1
        outcome.faults += [f"kill {point}: {fault}" for fault in faults(root)]
        outcome.points += 1
        if outcome.faults:
            break
    outcome.generations = generation_of(root)
    outcome.seconds = time.perf_counter() - began
    return outcome


def faults(root: Path) -> list[str]:
    """All that is wrong with the vault at rest."""
    generation = generation_of(root)
    wanted = expected(generation)
    found = {
        path.relative_to(root).as_posix(): path
        for path in root.rglob("*")
        if path.is_file() and ".vaultmem" not in path.relative_to(root).parts
    }
    wrong = [f"{path} is missing" for path in wanted.keys() - found.keys()]
    wrong += [f"{path} is too much" for path in found.keys() - wanted.keys()]
    wrong += [
        f"{path} is not of generation {generation}"
        for path in wanted.keys() & found.keys()
        if found[path].read_bytes() != wanted[path]
    ]
    return [*wrong, *_journal_faults(root, generation), *_state_faults(root)]


def _journal_faults(root: Path, generation: int) -> list[str]:
    broken: list[JournalFault] = []
    events = list(Journal(root).read(on_fault=broken.append))
    # A line may be torn by a kill in the middle of its write; then its change was done again or taken back.
    wrong = []
    causes = [event.cause for event in events]
    if causes != [f"to generation {number}" for number in range(1, generation + 1)]:
        wrong.append(f"the journal tells of {len(causes)} changes up to {causes[-1:]}")
    store = ObjectStore(root)
    return wrong + [
        f"a version of {change.path} is not stored"
        for event in events[-2:]
        for change in event.changes
        for digest in (change.hash_before, change.hash_after)
        if digest is not None and not store.has(digest)
    ]


def _state_faults(root: Path) -> list[str]:
    state = root / ".vaultmem"
    wrong = [f"intent {path.name} remains" for path in (state / "intents").glob("*")]
    wrong += [f"{path} remains" for path in (state / "incoming").glob("*")]
    return wrong


def _kill_once(
    root: Path, number: int, chance: random.Random, pace: float, exchange: bool
) -> float:
    """Kills a changer after a while of up to some changes; how long one change takes, about."""
    before = generation_of(root)
    process = _start("tests.torture.changer", str(root), str(number), str(int(exchange)))
    began = time.perf_counter()
    time.sleep(chance.random() * pace * 5)
    _kill(process)
    done = max(_newest(root) - before, 0)
    took = (time.perf_counter() - began) / done if done else pace * 1.2
    return min(max((pace + took) / 2, 0.002), 0.5)


def _recover_and_be_killed(root: Path, chance: random.Random) -> None:
    """Every third time the recovery is killed as well."""
    if chance.random() < 1 / 3:
        process = _start("tests.torture.changer", str(root), "0", "1", wait=False)
        time.sleep(0.15 + chance.random() * 0.1)
        _kill(process)


def _start(module: str, *arguments: str, wait: bool = True) -> subprocess.Popen[bytes]:
    process = subprocess.Popen([sys.executable, "-m", module, *arguments], stdout=subprocess.PIPE)
    assert process.stdout is not None
    if wait and process.stdout.readline() != b"ready\n":
        raise RuntimeError(f"the changer ended with {process.wait()}")
    return process


def _kill(process: subprocess.Popen[bytes]) -> None:
    if process.poll() not in (None, -signal.SIGKILL):
        raise RuntimeError(f"the changer ended by itself with {process.returncode}")
    process.send_signal(signal.SIGKILL)
    process.communicate()


def _newest(root: Path) -> int:
    """A generation that was begun; the vault need not be whole."""
    names = [name for name in os.listdir(root) if name.startswith("folder ")]
    return max((int(name.split()[1]) for name in names), default=0)


def main() -> int:
    """1 when a kill left a vault that is not whole."""
    parser = argparse.ArgumentParser(prog="python -m tests.torture.kill_changes")
    parser.add_argument("--points", type=int, default=1000, help="kills")
    parser.add_argument("--dir", type=Path, default=None, help="an existing folder to work in")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--no-exchange", action="store_true", help="as if names could not change places"
    )
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="vaultmem-kill-", dir=chosen.dir) as folder:
        outcome = torture(
            Path(folder), chosen.points, seed=chosen.seed, exchange=not chosen.no_exchange
        )
    print(outcome)
    for fault in outcome.faults[:20]:
        print(f"  {fault}")
    return 1 if outcome.faults else 0


if __name__ == "__main__":
    sys.exit(main())
