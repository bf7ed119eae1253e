"""``python -m tests.dream.hand_edits --cycles 50``: a person writes at random while the dream runs.

Another program adds a line with a mark of its own to a note, again and again: in place, or by a new file that is renamed over
the old one, as editors do. Each mark must be found in the end: in a note, or, where a later save of the same program replaced
it, among the stored versions. No cycle may die of it. Exit code 1 where that is not so.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC
from pathlib import Path
from zlib import crc32

from tests.dream.never_hurts import BEGIN, Clock, lay_out, put
from tests.dream.tended import tended_vault
from tests.torture.linked import files_of
from vaultmem.dream.report import Outcome as Became
from vaultmem.errors import VaultmemError
from vaultmem.files.displaced import sweep
from vaultmem.files.objects import ObjectStore
from vaultmem.files.targets import WriteRules
from vaultmem.settings import EmbedSettings, Settings
from vaultmem.vault import Vault
from vaultmem_daemon.dreaming.pipeline import run_cycle

EDITORS = 2
QUIET_S = 0.1
"""So long a note must not have been saved for us to change it: shorter than the usual, so that there is more to meet."""


@dataclass(slots=True)
class Outcome:
    """What a run came to."""

    cycles: int = 0
    seconds: float = 0.0
    saves: Counter[str] = field(default_factory=Counter)
    became: Counter[str] = field(default_factory=Counter)
    kept: int = 0
    """Marks that are among the stored versions only."""
    lost: list[str] = field(default_factory=list)
    died: list[str] = field(default_factory=list)

    def lines(self) -> Iterator[str]:
        """The figures as a person reads them."""
        yield f"{self.cycles} cycles in {self.seconds:.0f} s; proposals: {dict(self.became)}"
        yield f"{self.saves.total()} saves by hand: {dict(self.saves)}; only among the versions: {self.kept}"
        for fault in [*self.lost[:10], *self.died[:10]]:
            yield f"FAULT {fault}"
        yield f"{len(self.lost)} hand edits lost, {len(self.died)} cycles died"


def write_by_hand(root: Path, seed: int, pause: float, stop: Path, log: Path) -> None:
    """Saves notes until ``stop`` is there, then tells in ``log`` which marks it wrote, in which way."""
    chance = random.Random(seed)
    saved: list[tuple[str, str, str]] = []
    while not stop.exists():
        time.sleep(chance.random() * pause * 2)
        notes = _notes_below(root)
        # Each program has notes of its own: two that save one note lose each other's edits by themselves.
        place = chance.choice(
            [n for n in notes if crc32(n.stem.encode()) % EDITORS == seed % EDITORS]
        )
        mark = f"mark-{seed}-{len(saved)}-{chance.getrandbits(32):08x}"
        how = chance.choice(("in place", "by rename"))
        try:
            text = place.read_bytes()
            data = text if text.endswith(b"\n") else text + b"\n"
            data += f"\nBy hand: {mark}\n".encode()
            if how == "in place":
                with place.open("r+b") as file:  # never makes anew what has just been moved away
                    file.write(data)
                    file.truncate()
            else:
                aside = place.with_name(f"{place.name}.{seed}.tmp")
                aside.write_bytes(data)
                if not place.exists():
                    aside.unlink()
                    continue
                os.replace(aside, place)
        except OSError:
            continue
        saved.append((mark, place.relative_to(root).as_posix(), how))
    log.write_text(json.dumps(saved))


def _notes_below(root: Path) -> list[Path]:
    """The notes that a person sees, in order."""
    found = []
    for folder, names, files in os.walk(root):
        names[:] = [name for name in names if not name.startswith(".")]
        found += [Path(folder, name) for name in files if name.endswith(".md")]
    return sorted(found)


def torture(
    folder: Path,
    *,
    cycles: int,
    notes: int,
    pause: float,
    seed: int,
    say: Callable[[str], None] = lambda _: None,
) -> Outcome:
    """Dreams ``cycles`` times in a vault below the folder while two editors write."""
    root = folder / "vault"
    root.mkdir(parents=True)
    maker = tended_vault(notes, 0, seed)
    lay_out(root, maker)
    stop = folder / "stop"
    logs = [folder / f"hand {n}.json" for n in range(EDITORS)]
    outcome = Outcome()
    began = time.perf_counter()
    editors = [
        subprocess.Popen(
            [
                *(sys.executable, "-m", "tests.dream.hand_edits", "--write", str(root)),
                *("--seed", str(seed + n), "--pause", str(pause)),
                *("--stop", str(stop), "--log", str(log)),
            ]
        )
        for n, log in enumerate(logs)
    ]
    try:
        _dream(root, maker.added, cycles, outcome, say)
    finally:
        stop.touch()
        failed = [editor.args for editor in editors if editor.wait(timeout=60)]
    if failed:
        raise RuntimeError(f"an editor failed: {failed}")
    outcome.seconds = time.perf_counter() - began
    _judge(root, [json.loads(log.read_text()) for log in logs], outcome)
    return outcome


def _dream(
    root: Path,
    added: Callable[..., tuple[str, str]],
    cycles: int,
    outcome: Outcome,
    say: Callable[[str], None],
) -> None:
    settings = Settings(embed=EmbedSettings(model="none"))
    clock = Clock(BEGIN)
    rules = WriteRules(quiet=QUIET_S)
    cache = root.with_name("cache")
    with Vault(root, settings, cache_root=cache, cores=1, write_rules=rules) as vault:
        for number in range(cycles):
            clock.next_day()
            for _ in range(
                3
            ):  # so that there is something to do each night: a note, and the same again
                path, text = added(BEGIN)
                put(root, path, text, time.time_ns() - 3600 * 1_000_000_000)
                again = path.replace(".md", " again.md")
                put(root, again, text, time.time_ns() - 1800 * 1_000_000_000)
            outcome.cycles += 1
            try:
                report = run_cycle(vault, clock_ns=clock, zone=UTC)
            except VaultmemError as error:
                outcome.died.append(f"cycle {number + 1}: {error!r}")
                continue
            found = Counter(str(decision.outcome) for decision in report.decisions)
            outcome.became.update(found)
            say(
                f"{number + 1:4} {dict(found)} {len(report.of(Became.CONFLICT))} {' '.join(report.said)}"
            )


def _judge(root: Path, logs: list[list[tuple[str, str, str]]], outcome: Outcome) -> None:
    late = sweep(root, now_ns=time.time_ns(), age=0)
    store = ObjectStore(root)
    store.put_all(save.data for save in late)
    here = b"\n".join(files_of(root).values())
    stored = b"\n".join(store.get(digest) for digest in store.walk())
    for log in logs:
        for mark, path, how in log:
            outcome.saves[how] += 1
            if mark.encode() in here:
                continue
            if mark.encode() in stored:
                outcome.kept += 1
            else:
                outcome.lost.append(f"{mark}, saved {how} in {path}")


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.dream.hand_edits",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--cycles", type=int, default=50)
    parser.add_argument("--notes", type=int, default=200)
    parser.add_argument(
        "--pause", type=float, default=0.05, help="seconds between two saves, about"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=Path, help="an existing folder to work in")
    parser.add_argument("--quiet", action="store_true", help="figures only")
    parser.add_argument("--write", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--stop", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--log", type=Path, help=argparse.SUPPRESS)
    o = parser.parse_args()
    if o.write:
        write_by_hand(o.write, o.seed, o.pause, o.stop, o.log)
        return 0
    with tempfile.TemporaryDirectory(prefix="vaultmem-hand-", dir=o.folder) as folder:
        say: Callable[[str], None] = (
            (lambda _: None) if o.quiet else (lambda s: print(s, flush=True))
        )
        outcome = torture(
            Path(folder), cycles=o.cycles, notes=o.notes, pause=o.pause, seed=o.seed, say=say
        )
    for line in outcome.lines():
        print(line)
    return 1 if outcome.lost or outcome.died else 0


if __name__ == "__main__":
    sys.exit(main())
