"""``python -m tests.torture.kill --points 1000 [--seed N] [--folder DIR]``: kill -9, look at every byte, and again.

Renames, batches, creations, edits, removals, undo, sync and rebuild are killed: half of them before a chosen one of the
calls by which they change the disk, half after a random part of the time they take. Every fourth time the process that
opens the vault next is killed as well. Then a new process opens it, as any command does, and

- every note is its old or its new self byte for byte, and all files of one event agree;
- what was reported as done is done;
- no temporary file is left, in the vault or in ``.vaultmem`` (replaced versions stay a minute in
  ``.vaultmem/displaced``, on purpose: they are gone when the vault is opened two minutes later);
- the index says what the files say (``verify``);
- the journal has exactly the events that happened, hand edits once each, and can be proved (``prove``);
- both locks are free.

Exit code 1 at the first point where that is not so; the line printed says how to repeat it.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TypedDict

from tests.torture.linked import files_of
from tests.torture.moments import Ran, can_trace, run
from tests.torture.scenes import MEANING, SCENES, Scene, make, opened
from tests.vaults import WORDS
from vaultmem.files.events import EventKind
from vaultmem.files.journal import Journal, JournalFault
from vaultmem.files.lock import WriterLock
from vaultmem.files.temporary import parse_name
from vaultmem.settings import Settings

STATE = ".vaultmem"
STAYS = re.compile(
    r"memory\.db(-wal|-shm)?|embeddings\.db(-wal|-shm)?|writer\.lock|changes\.lock|config\.toml|"
    r"devices/[0-9a-f]{16}|journal/[0-9a-f]{8}/\d{4}-\d\d\.jsonl|objects/[0-9a-f]{2}/[0-9a-f]{30}"
)
"""All files that may be in ``.vaultmem`` at rest."""
DISPLACED = re.compile(r"displaced/\d+-\d+-[0-9a-f]{8}/.+/[0-9a-f]*-[0-9a-f]*")
SECOND_KILLS = 0.25
"""How often the process that opens the vault next is killed, too."""
WITH_VECTORS = 5
"""Every such point has an index with vectors."""


class Told(TypedDict):
    """What a process that came back has found."""

    left: list[str]
    differing: list[str]
    identical: bool
    faults: list[str]
    torn: list[bool]
    edited: list[str]


@dataclass
class Stage:
    """A scene with its vault at rest, and what it comes to when nobody kills it."""

    scene: Scene
    settings: Settings
    base: Path
    states: list[dict[str, bytes]]
    """The files at rest and after each step."""
    moments: int
    seconds: float
    order: Iterator[int] = field(default_factory=lambda: iter(()))
    hand: set[tuple[str, str | None, str | None, str | None]] = field(default_factory=set)
    """What a sync tells of the edits that were made outside."""
    events: int = 0
    """Of the journal at rest."""


@dataclass
class Outcome:
    """What a run came to."""

    points: int = 0
    seconds: float = 0.0
    by_scene: Counter[str] = field(default_factory=Counter)
    by_kind: Counter[str] = field(default_factory=Counter)
    found: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)

    def lines(self) -> Iterator[str]:
        """The figures as a person reads them."""
        for name, count in self.by_scene.items():
            yield f"  {name:28} {count:5} kills"
        for name, count in sorted({**self.by_kind, **self.found}.items()):
            yield f"  {name:52} {count:5}"
        for fault in self.faults:
            yield f"FAULT {fault}"
        whole = self.points - bool(self.faults)
        yield f"{whole} of {self.points} kills left a whole vault, in {self.seconds:.0f} s"


def copy(base: Path, to: Path) -> Path:
    """A copy of the vault, times kept."""
    if to.exists():
        shutil.rmtree(to)
    shutil.copytree(base, to, symlinks=True)
    return to


def do(root: Path, scene: Scene, settings: Settings, tell: Callable[[bytes], None]) -> None:
    """All steps; tells of each when it has returned."""
    with opened(root, settings) as vault:
        for step in scene.steps:
            step(vault)
            tell(b".")


def set_stage(folder: Path, scene: Scene, notes: int, settings: Settings, trace: bool) -> Stage:
    """Makes the vault and finds out what the scene comes to."""
    base = folder / "base"
    # In a process of its own, so that this one, which is forked for every point, never holds an open index.
    _succeed(run(lambda tell: make(base, scene, notes, settings)))
    if scene.outside is not None:
        scene.outside(base)
    states = [files_of(base)]
    for count in range(1, len(scene.steps) + 1):
        root = copy(base, folder / "vault")
        part = Scene(scene.name, scene.steps[:count])
        last = count == len(scene.steps)
        ran = _succeed(run(partial(do, root, part, settings), trace=trace and last))
        if scene.writes:
            states.append(files_of(root))
    events = len(_events(base))
    stage = Stage(scene, settings, base, states, ran.moments, ran.seconds, events=events)
    if not scene.writes:
        new = _events(root)[stage.events :]
        stage.hand = {change for event in new for change in event[1]}
    return stage


def torture(
    folder: Path,
    points: int,
    *,
    seed: int,
    notes: int = 48,
    scenes: tuple[Scene, ...] = SCENES,
    say: Callable[[str], None] = lambda line: None,
) -> Outcome:
    """Kills ``points`` times in vaults below ``folder``; stops at the first fault."""
    chance = random.Random(seed)
    trace = can_trace()
    if not trace:
        say("Processes cannot be traced here: all kills come after a random time.")
    stages: dict[tuple[int, Settings], Stage] = {}

    def stage_of(number: int, settings: Settings) -> Stage:
        """Made when it is first needed, so that a short run does not wait for all."""
        if (number, settings) not in stages:
            place = folder / f"{number}-{settings.embed.model}"
            place.mkdir()
            stage = set_stage(place, scenes[number], notes, settings, trace)
            stage.order = _in_any_order(stage.moments, chance)
            stages[number, settings] = stage
        return stages[number, settings]

    outcome = Outcome()
    began = time.perf_counter()
    for point in range(points):
        turn, number = divmod(point, len(scenes))
        stage = stage_of(number, MEANING if turn % WITH_VECTORS == 2 else WORDS)
        outcome.points += 1
        outcome.by_scene[stage.scene.name] += 1
        exact = trace and turn % 2 == 0
        try:
            wrong = _one(folder / "vault", stage, chance, exact, outcome)
        except ChildError as error:
            wrong = [str(error)]
        if wrong:
            about = (
                f"point {point} of seed {seed}, {stage.scene.name}, {stage.settings.embed.model}"
            )
            outcome.faults += [f"{about}: {fault}" for fault in wrong]
            break
        if point % 100 == 99:
            say(f"{point + 1} kills, {time.perf_counter() - began:.0f} s")
    outcome.seconds = time.perf_counter() - began
    return outcome


class ChildError(Exception):
    """A child that should have ended well did not."""


def _succeed(ran: Ran) -> Ran:
    if ran.status or ran.killed:
        raise ChildError(ran.told.decode("utf-8", "replace"))
    return ran


def _in_any_order(moments: int, chance: random.Random) -> Iterator[int]:
    """Every moment once before any comes again."""
    while moments:
        numbers = list(range(1, moments + 1))
        chance.shuffle(numbers)
        yield from numbers


def _one(
    place: Path, stage: Stage, chance: random.Random, exact: bool, outcome: Outcome
) -> list[str]:
    root = copy(stage.base, place)
    work = partial(do, root, stage.scene, stage.settings)
    if exact:
        moment = next(stage.order)
        ran = run(work, kill_before=moment)
        how = f"killed before call {moment} of {stage.moments}"
        outcome.by_kind["kill: before a chosen call"] += ran.killed
    else:
        delay = chance.random() * stage.seconds * 1.1
        ran = run(work, kill_after_s=delay)
        how = f"killed after {delay * 1000:.1f} ms of {stage.seconds * 1000:.0f}"
        outcome.by_kind["kill: after a random time"] += ran.killed
    outcome.by_kind["kill: came when all was done"] += not ran.killed
    if ran.failed:
        return [f"the work failed: {ran.told.decode('utf-8', 'replace')}"]
    done = ran.told.count(b".")
    if any((root / STATE / "intents").glob("*.json")):
        outcome.found["found: a change half done"] += 1
    if chance.random() < SECOND_KILLS:
        again = run(
            partial(come_back, root, stage.settings),
            kill_after_s=chance.random() * stage.seconds,
        )
        outcome.by_kind["kill: the process that mends, too"] += again.killed
        if again.failed:
            return [f"{how}: {again.told.decode('utf-8', 'replace')}"]
    back = run(partial(come_back, root, stage.settings))
    if back.status:
        return [f"{how}: {back.told.decode('utf-8', 'replace')}"]
    told = json.loads(back.told)
    return [f"{how}: {fault}" for fault in faults(root, stage, done, told, outcome)]


def come_back(root: Path, settings: Settings, tell: Callable[[bytes], None]) -> None:
    """What a new process finds: opens the vault, brings the index up, and proves all."""
    with opened(root, settings) as vault:
        vault.sync()
        left = leftovers(root)
        for name in ("writer.lock", "changes.lock"):
            with WriterLock(root / STATE / name, timeout=0):
                pass
        verified = vault.verify()
        proof = vault.history.prove()
        vault.search("heron")
    with opened(root, settings, later_s=120) as vault:
        vault.sync()
    told: Told = {
        "left": left + leftovers(root, later=True),
        "differing": [table.table for table in verified.tables if not table.identical],
        "identical": verified.identical,
        "faults": [f"{fault.code} {fault.event} {fault.message}" for fault in proof.faults],
        "torn": [fault.code == "no-event" for fault in proof.faults],
        "edited": [*proof.edited_since, *proof.gone_since],
    }
    tell(json.dumps(told).encode())


def leftovers(root: Path, *, later: bool = False) -> list[str]:
    """Files that should not be there; what was replaced a moment ago may, if it is not ``later``."""
    wrong = []
    for place in root.rglob("*"):
        if place.is_dir():
            continue
        path = place.relative_to(root).as_posix()
        if path.startswith(f"{STATE}/"):
            name = path.removeprefix(f"{STATE}/")
            if not STAYS.fullmatch(name) and (later or not DISPLACED.fullmatch(name)):
                wrong.append(path)
        elif parse_name(place.name.encode()) or place.name.startswith("."):
            wrong.append(path)
    return wrong


def faults(root: Path, stage: Stage, done: int, told: Told, outcome: Outcome) -> list[str]:
    """All that is wrong with the vault; ``done`` steps were reported as done."""
    files = files_of(root)
    wrong = [f"{path} is left" for path in told["left"]]
    reached = [number for number, state in enumerate(stage.states) if state == files]
    if not reached:
        wrong += _differences(files, stage.states)
    elif stage.scene.writes:
        outcome.found[f"found: {_stood(reached[-1], stage)}"] += 1
        if reached[-1] < done:
            wrong.append(f"{done} steps were reported as done, and {reached[-1]} are")
    if not told["identical"]:
        wrong.append(f"verify: {told['differing']}")
    if not all(told["torn"]):
        wrong.append(f"prove: {told['faults']}")
    if told["torn"]:
        outcome.found["found: a torn line of the journal, reported"] += 1
    if told["edited"]:
        wrong.append(f"prove: not as the journal says: {told['edited']}")
    return wrong + _journal_faults(root, stage, reached)


def _stood(step: int, stage: Stage) -> str:
    steps = len(stage.scene.steps)
    return "all old" if step == 0 else "all new" if step == steps else "some steps done, whole"


def _differences(files: dict[str, bytes], states: list[dict[str, bytes]]) -> list[str]:
    """Against the state that is nearest."""

    def apart(state: dict[str, bytes]) -> list[str]:
        paths = sorted(files.keys() | state.keys())
        return [path for path in paths if files.get(path) != state.get(path)]

    number, paths = min(
        ((number, apart(state)) for number, state in enumerate(states)), key=lambda at: len(at[1])
    )
    known = [{state.get(path) for state in states} for path in paths]
    return [
        f"{path} is {'missing' if path not in files else 'of another state' if files[path] in of else 'neither'}"
        f" (nearest: step {number})"
        for path, of in zip(paths, known, strict=True)
    ]


Changed = tuple[str, str | None, str | None, str | None]


def _events(root: Path) -> list[tuple[EventKind, list[Changed]]]:
    broken: list[JournalFault] = []
    return [
        (event.kind, [(c.path, c.path_after, c.hash_before, c.hash_after) for c in event.changes])
        for event in Journal(root).read(on_fault=broken.append)
    ]


def _journal_faults(root: Path, stage: Stage, reached: list[int]) -> list[str]:
    new = _events(root)[stage.events :]
    by_hand = [
        change for kind, changes in new if kind == EventKind.EDITED_BY_HAND for change in changes
    ]
    ours = [kind for kind, _ in new if kind != EventKind.EDITED_BY_HAND]
    wrong = []
    if sorted(by_hand, key=str) != sorted(stage.hand, key=str):
        twice = Counter(by_hand) - Counter(stage.hand)
        missing = Counter(stage.hand) - Counter(by_hand)
        wrong.append(f"hand edits in the journal: too many {list(twice)}, missing {list(missing)}")
    if stage.scene.writes and reached and len(ours) not in reached:
        wrong.append(f"the files are at step {reached}, the journal tells of {len(ours)}")
    if not stage.scene.writes and ours:
        wrong.append(f"events of a scene without changes: {ours}")
    return wrong


def folders(given: Path | None) -> list[Path]:
    """Where to work: the folder named, or memory and disk."""
    if given is not None:
        return [given]
    memory = Path("/dev/shm")
    return [*([memory] if memory.is_dir() else []), Path(tempfile.gettempdir())]


def main() -> int:
    """1 when a kill left a vault that is not whole."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.torture.kill",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--points", type=int, default=1000, help="kills, in each folder")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--notes", type=int, default=48)
    parser.add_argument(
        "--only", default="", help="scenes whose name holds one of these, with commas"
    )
    parser.add_argument(
        "--folder", type=Path, help="an existing folder to work in (default: memory, then disk)"
    )
    parser.add_argument("--keep", action="store_true", help="leave the vault of a fault for a look")
    chosen = parser.parse_args()
    scenes = tuple(
        scene for scene in SCENES if any(part in scene.name for part in chosen.only.split(","))
    )
    bad = False
    for place in folders(chosen.folder):
        folder = Path(tempfile.mkdtemp(prefix="vaultmem-kill-", dir=place))
        print(f"{place}:", flush=True)
        outcome = torture(
            folder,
            chosen.points,
            seed=chosen.seed,
            notes=chosen.notes,
            scenes=scenes,
            say=partial(print, flush=True),
        )
        for line in outcome.lines():
            print(line, flush=True)
        bad = bad or bool(outcome.faults)
        if outcome.faults and chosen.keep:
            print(f"The vault is in {folder / 'vault'}.")
        else:
            shutil.rmtree(folder)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
