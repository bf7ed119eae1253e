"""``python -m tests.dream.kill --tries 500``: a process that dreams is killed at random moments, and started again until it ends.

Each time the same vault is dreamed over under a tight budget. When a process was killed, a new one opens the vault, as any
command does, and then: every event was carried out whole or not at all (no note with ``superseded_by`` whose keeper lacks what
it was to get, and none the other way round), each planted claim is in some note, the journal can be proved, the budget is
kept over all starts together, and no file of ours is left. In the end the notes are those of a cycle that nobody killed, but
for the digest and the review note, which tell of another night. Exit code 1 at the first try where that is not so.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC
from functools import partial
from pathlib import Path
from typing import Final

from tests.dream.never_hurts import BEGIN, Clock, lay_out, opened, spent_by
from tests.dream.tended import Tended, tended_vault, told_by
from tests.torture.linked import files_of
from tests.torture.moments import run
from vaultmem.files.lock import WriterLock
from vaultmem.files.temporary import parse_name
from vaultmem.settings import EmbedSettings, Settings
from vaultmem_daemon.dreaming.aside import PREFIX
from vaultmem_daemon.dreaming.pipeline import run_cycle

STATE: Final = ".vaultmem"
CYCLE: Final = BEGIN.isoformat()
STAYS: Final = re.compile(
    r"memory\.db(-wal|-shm)?|embeddings\.db(-wal|-shm)?|(writer|changes|dream)\.lock|devices/[0-9a-f]{16}|"
    r"(journal|recalls)/[0-9a-f]{8}/\d{4}-\d\d\.jsonl|objects/[0-9a-f]{2}/[0-9a-f]{30}|"
    r"dream/[0-9a-f]{8}(-shown|-known|\.model)?\.json|proposals/[0-9a-f]+\.(json|aside)|displaced/.+"
)
"""All files that may be in ``.vaultmem`` at rest."""
ASIDE: Final = re.compile(
    rf"{STATE}/(dream|proposals)/\.[0-9a-f]+(-shown|\.model)?\.(json|aside)\.\d+"
)
"""What a killed process was writing when it was to replace what the dream remembers; the next one takes it away."""
AGAIN: Final = 0.4
"""How often the process that goes on is killed as well."""
MOST_STARTS: Final = 8
OWN: Final = ("Memory/_dreams/", "Memory/_review/", ".trash/")


@dataclass(slots=True)
class Bench:
    """The vault at rest, and what an undisturbed cycle makes of it."""

    base: Path
    planted: Tended
    settings: Settings
    whole: dict[str, bytes] = field(default_factory=dict)
    seconds: float = 0.0
    charged: int = 0


@dataclass(slots=True)
class Outcome:
    """What a run came to."""

    tries: int = 0
    kills: int = 0
    starts: int = 0
    seconds: float = 0.0
    found: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)

    def lines(self) -> Iterator[str]:
        """The figures as a person reads them."""
        for name, count in sorted(self.found.items()):
            yield f"  {name:52} {count:5}"
        for fault in self.faults:
            yield f"FAULT {fault}"
        good = self.tries - bool(self.faults)
        yield f"{good} of {self.tries} tries converged; {self.kills} kills, {self.starts} starts, {self.seconds:.0f} s"


def settings_of(edits: int) -> Settings:
    """A budget that ends before the work does, and no vectors."""
    base = Settings(embed=EmbedSettings(model="none"))
    return replace(base, dream=replace(base.dream, edits=edits))


def night(root: Path, settings: Settings, tell: Callable[[bytes], None]) -> None:
    """One cycle, in a process of its own."""
    clock = Clock(BEGIN)
    with opened(root, clock, settings) as vault:
        run_cycle(vault, clock_ns=clock, zone=UTC)
    tell(b"ended")


def come_back(root: Path, settings: Settings, tell: Callable[[bytes], None]) -> None:
    """What a new process finds: mends what was half done, and proves all."""
    with opened(root, Clock(BEGIN), settings) as vault:
        vault.sync()
        for name in ("writer.lock", "changes.lock", "dream.lock"):
            with WriterLock(root / STATE / name, timeout=5):
                pass
        proof = vault.history.prove()
        told = {
            "faults": [
                f"{fault.code} {fault.message}"
                for fault in proof.faults
                if fault.code != "no-event"  # the torn last line, which is told
            ],
            "edited": [*proof.edited_since, *proof.gone_since],
        }
    tell(json.dumps(told).encode())


def set_bench(folder: Path, *, notes: int, edits: int, seed: int) -> Bench:
    """Makes the vault and lets a cycle run undisturbed."""
    maker = tended_vault(notes, 0, seed)
    bench = Bench(folder / "base" / "vault", maker.made, settings_of(edits))
    bench.base.mkdir(parents=True)

    def prepare(tell: Callable[[bytes], None]) -> None:
        lay_out(bench.base, maker)
        with opened(bench.base, Clock(BEGIN), bench.settings) as vault:
            vault.sync()

    ran = run(prepare)
    if ran.status:
        raise RuntimeError(ran.told.decode())
    root = _copy(bench.base, folder / "undisturbed")
    ran = run(partial(night, root, bench.settings))
    if ran.told != b"ended":
        raise RuntimeError(ran.told.decode())
    bench.whole, bench.seconds = notes_of(root), ran.seconds
    bench.charged, _ = spent_by(root, CYCLE)
    return bench


def notes_of(root: Path) -> dict[str, bytes]:
    """The notes without those that tell of the night."""
    return {path: data for path, data in files_of(root).items() if not path.startswith(OWN)}


def _copy(base: Path, folder: Path) -> Path:
    root = folder / "vault"
    shutil.copytree(base, root, symlinks=True)
    return root


def torture(
    folder: Path,
    tries: int,
    *,
    notes: int = 90,
    edits: int = 8,
    seed: int = 1,
    say: Callable[[str], None] = lambda _: None,
) -> Outcome:
    """Kills and starts again ``tries`` times in vaults below ``folder``; stops at the first fault."""
    chance = random.Random(seed)
    bench = set_bench(folder, notes=notes, edits=edits, seed=seed)
    say(f"undisturbed: {bench.seconds:.1f} s, {bench.charged} destructive edits of {edits} allowed")
    outcome, began = Outcome(), time.perf_counter()
    for number in range(tries):
        outcome.tries += 1
        place = folder / f"try {number}"
        root = _copy(bench.base, place)
        wrong = _one(root, bench, chance, outcome)
        outcome.seconds = time.perf_counter() - began
        if wrong:
            outcome.faults += [f"try {number} of seed {seed}: {fault}" for fault in wrong]
            break
        shutil.rmtree(place, ignore_errors=True)
        if number % 20 == 19:
            say(f"{number + 1} tries, {outcome.kills} kills, {outcome.seconds:.0f} s")
    return outcome


def _one(root: Path, bench: Bench, chance: random.Random, outcome: Outcome) -> list[str]:
    for start in range(MOST_STARTS):
        outcome.starts += 1
        delay: float | None = None
        if start == 0 or (start < MOST_STARTS - 1 and chance.random() < AGAIN):
            delay = chance.random() * bench.seconds * 1.05
        ran = run(partial(night, root, bench.settings), kill_after_s=delay)
        outcome.kills += ran.killed
        if ran.failed:
            return [f"a cycle died: {ran.told.decode('utf-8', 'replace')[-1500:]}"]
        half = any((root / STATE / "intents").glob("*.json"))
        outcome.found["found: a change half done"] += half
        wrong = _look(root, bench, outcome)
        if not ran.killed:
            wrong += [f"{path} is left" for path in leftovers(root)]
        if wrong:
            return [
                f"after start {start + 1}, {f'killed at {delay:.2f} s' if delay else 'ended'}: {w}"
                for w in wrong
            ]
        if not ran.killed:
            return _compare(root, bench)
    return ["it never came to an end"]


def _look(root: Path, bench: Bench, outcome: Outcome) -> list[str]:
    back = run(partial(come_back, root, bench.settings))
    if back.status:
        return [back.told.decode("utf-8", "replace")[-1500:]]
    told = json.loads(back.told)
    wrong = [
        *(f"prove: {f}" for f in told["faults"]),
        *(f"not as told: {p}" for p in told["edited"]),
    ]
    texts = {p: d.decode() for p, d in notes_of(root).items() if p.endswith(".md")}
    said = {sentence for text in texts.values() for sentence in told_by(text)}
    wrong += [f"lost: {claim}" for claim in sorted(bench.planted.claims - said)][:5]
    wrong += half_merges(texts, bench)
    left = leftovers(root)
    asides = [path for path in left if ASIDE.fullmatch(path)]
    outcome.found["found: half a file of what it remembers"] += len(asides)
    wrong += [f"{path} is left" for path in left if path not in asides]
    charged, _ = spent_by(root, CYCLE)
    outcome.found[f"found: {charged:2} destructive edits done"] += 1
    if charged > bench.settings.dream.edits:
        wrong.append(f"{charged} destructive edits")
    return wrong


_SUPERSEDED_BY: Final = re.compile(r'^superseded_by: "?\[\[([^\]|]+)', re.MULTILINE)


def half_merges(texts: dict[str, str], bench: Bench) -> list[str]:
    """Notes of which one says that it was taken over, and the other does not."""
    by_name = {path.rpartition("/")[2].removesuffix(".md"): path for path in texts}
    wrong = []
    for path, text in texts.items():
        found = _SUPERSEDED_BY.search(text)
        archived = path.startswith("Memory/_archive/")
        if found is None:
            continue
        name = path.rpartition("/")[2].removesuffix(".md")
        keeper = texts.get(by_name.get(found[1].rpartition("/")[2], ""), "")
        if archived and f"[[{name}]]" not in keeper and f"{name}]]" not in keeper:
            wrong.append(f"{path} is archived for {found[1]}, which does not know")
    for path, text in texts.items():
        whole = bench.whole.get(path)
        if "\nsupersedes:" in text and whole is not None and text.encode() != whole:
            wanted = whole.decode().partition("\n## From ")[2].splitlines()
            wrong += [f"{path} lacks {line!r}" for line in wanted if line and line not in text]
    return wrong


def leftovers(root: Path) -> list[str]:
    """Files of ours that should not be there."""
    wrong = []
    for place in root.rglob("*"):
        path = place.relative_to(root).as_posix()
        if place.is_dir():
            continue
        if path.startswith(f"{STATE}/"):
            if not STAYS.fullmatch(path.removeprefix(f"{STATE}/")):
                wrong.append(path)
        elif parse_name(place.name.encode()) or place.name.startswith("."):
            wrong.append(path)
    return wrong


def _compare(root: Path, bench: Bench) -> list[str]:
    files = notes_of(root)
    return [
        f"{path} is {'missing' if path not in files else 'not wanted' if path not in bench.whole else 'another'}"
        for path in sorted(files.keys() | bench.whole.keys())
        if files.get(path) != bench.whole.get(path)
    ][:8]


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.dream.kill",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--tries", type=int, default=500)
    parser.add_argument("--notes", type=int, default=90)
    parser.add_argument("--edits", type=int, default=8, help="the budget of the cycle")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=Path, help="an existing folder to work in")
    parser.add_argument("--keep", action="store_true", help="leave the vault of a fault for a look")
    o = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="vaultmem-dreamkill-", dir=o.folder))
    # What is tried out goes below the folder as well, so that what is left of it shows.
    os.environ["TMPDIR"] = tempfile.tempdir = str(folder)
    outcome = torture(
        folder, o.tries, notes=o.notes, edits=o.edits, seed=o.seed, say=partial(print, flush=True)
    )
    for line in outcome.lines():
        print(line)
    left = len(list(folder.glob(f"{PREFIX}*")))
    print(
        f"{left} folders of killed processes wait for the next dream, in a minute, to be cleared away"
    )
    if outcome.faults and o.keep:
        print(f"The vault is in {folder}.")
    else:
        shutil.rmtree(folder, ignore_errors=True)
    return 1 if outcome.faults else 0


if __name__ == "__main__":
    sys.exit(main())
