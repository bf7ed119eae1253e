"""``python -m tests.torture.disk``: the disk is full, shut, or gone, at every step of every kind of change.

- *full*: a small disk of its own is filled until so many pages are free, for more and more pages, until the work succeeds.
- *shut*: the vault, a note, a folder, the journal, the stored versions or the index may not be written, for a normal user.
- *gone*: the vault's folder is renamed away before a call in the middle of a cascade or of a sync, and comes back.

Each time the real command is run. It succeeds or says one clear line with an exit code; every note is byte for byte its
old or its new self; and once there is room (or leave, or the vault) again, the next command puts everything right: all
files of one state, index and journal as the files are. Exit code 1 where anything is not so. What cannot be tried here is
said to be skipped.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Final

from tests.benchmarks.measure import console_script
from tests.torture.kill import copy, do
from tests.torture.linked import HUB, files_of, linked_vault, put
from tests.torture.moments import can_trace, run
from tests.torture.scenes import SCENES, Scene, opened, rename
from tests.vaults import WORDS

STATE: Final = ".vaultmem"
PAGE: Final = 4096
DISK_PAGES: Final = 1100
"""Of the small disk: room for the vault and all that a change of it makes."""
NEW: Final = "Else where/New name.md"
DONE_IN_PART: Final = 5
BEHIND: Final = "the index does not have it yet"
"""What a command says whose bytes are written, and for the index there was no room."""
EXIT_CODES: Final = (1, 4, 5)
"""Of a command that the disk stops."""


@dataclass(frozen=True, slots=True)
class Command:
    """What is run, and what it comes to."""

    name: str
    words: tuple[str, ...]
    before: Callable[[Path], None] = lambda root: None
    """Done to the vault first."""
    takes_back: bool = False
    """Whether the state after is that before ``before``."""


def _renamed(root: Path) -> None:
    with opened(root) as vault:
        rename(HUB, NEW)(vault)


def _edited_outside(root: Path) -> None:
    for number in (1, 8, 15):
        place = root / "notes 1" / f"note {number}.md"
        if place.exists():
            place.write_bytes(place.read_bytes() + b"\nBy hand.\n" + b"more words " * 900)


def _without_index(root: Path) -> None:
    for place in (root / STATE).glob("memory.db*"):
        place.unlink()


COMMANDS: Final = (
    Command("create", ("create", "fresh/made", "# Made\n\n[[note 3]]")),
    Command("edit", ("append", HUB, "A line more.")),
    Command("rename", ("mv", HUB, NEW)),
    Command("remove", ("rm", "note 8")),
    Command("undo", ("undo", "last"), _renamed),
    Command("sync", ("sync",), _edited_outside),
    Command("rebuild", ("rebuild",)),
    Command("rebuild from nothing", ("rebuild",), _without_index),
)


@dataclass
class Outcome:
    """What a run came to."""

    tried: Counter[str] = field(default_factory=Counter)
    codes: Counter[str] = field(default_factory=Counter)
    skipped: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def lines(self) -> Iterator[str]:
        """The figures as a person reads them."""
        for what, count in self.tried.items():
            yield f"  {what:44} {count:4}"
        yield "  exit codes: " + ", ".join(f"{what} ×{n}" for what, n in sorted(self.codes.items()))
        for what in self.skipped:
            yield f"SKIPPED {what}"
        for fault in self.faults[:30]:
            yield f"FAULT {fault}"
        good = self.tried.total() - len({fault.partition(": ")[0] for fault in self.faults})
        yield f"{good} of {self.tried.total()} tries lost nothing and were put right"


@dataclass(frozen=True, slots=True)
class Bench:
    """A vault at rest and what the command makes of it."""

    command: Command
    base: Path
    old: dict[str, bytes]
    new: dict[str, bytes]


def set_up(folder: Path, command: Command, notes: int) -> Bench:
    """The vault at rest, and the command carried out on a copy of it."""
    base = folder / "base" / "vault"

    def prepare(tell: Callable[[bytes], None]) -> None:
        put(base, linked_vault(notes))
        with opened(base) as vault:
            vault.sync()
        command.before(base)

    ran = run(prepare)
    if ran.status:
        raise RuntimeError(ran.told.decode())
    trial = copy(base, folder / "trial")
    done = call(trial, command.words)
    if done.returncode:
        raise RuntimeError(f"{command.name} fails by itself: {done.stderr}")
    bench = Bench(command, base, files_of(base), files_of(trial))
    shutil.rmtree(trial)
    return bench


def call(
    root: Path, words: Sequence[str], *, normal: bool = False
) -> subprocess.CompletedProcess[str]:
    """The real command, as a normal user if asked for."""
    environment = {
        **os.environ,
        "VAULTMEM_EMBEDDER": "none",
        "XDG_CACHE_HOME": str(root.with_name("cache")),
    }
    return subprocess.run(
        [console_script(), *words, "--vault", str(root)],
        capture_output=True,
        text=True,
        env=environment,
        preexec_fn=_become_normal if normal else None,
        check=False,
    )


def _become_normal() -> None:
    """Leaves the superuser's leave to pass over permissions out of what a command may have."""
    if os.geteuid() == 0:
        libc = ctypes.CDLL(None)
        drop_from_bounding_set = 24
        for capability in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
            libc.prctl(drop_from_bounding_set, capability, 0, 0, 0)


# --- what has to hold -----------------------------------------------------------------------------------------------


def judge(
    bench: Bench, root: Path, done: subprocess.CompletedProcess[str], mend: Callable[[], None]
) -> list[str]:
    """All that is wrong just after the command, and after ``mend`` and the next command."""
    wrong = said_faults(done)
    left_out = _left_out(bench, done.stderr)
    wrong += _part_faults(bench, files_of(root), done.returncode, left_out)
    mend()
    after = call(root, ("sync",))
    if after.returncode:
        wrong.append(f"the next command failed with {after.returncode}: {after.stderr.strip()}")
    files = files_of(root)
    is_new = _same(files, bench.new, left_out)
    if files != bench.old and not is_new:
        wrong.append(f"afterwards neither old nor new: {_apart(files, bench)}")
    if done.returncode == 0 and not is_new:
        wrong.append("it was reported as done and is not")
    proof = run(partial(_prove, root))
    wrong += filter(None, proof.told.decode("utf-8", "replace").split("\n"))
    wrong += [f"{path} is left" for path in files if ".vaultmem-" in path]
    return wrong


def _left_out(bench: Bench, said: str) -> set[str]:
    """The notes of which a warning says that they could not be read: nothing can be done to them."""
    named = [line for line in said.splitlines() if "cannot be read" in line]
    return {path for path in bench.old if any(path in line for line in named)}


def _same(files: dict[str, bytes], state: dict[str, bytes], left_out: set[str]) -> bool:
    """Whether the files are of the state, those left out aside."""
    paths = (files.keys() | state.keys()) - left_out
    return all(files.get(path) == state.get(path) for path in paths)


def _prove(root: Path, tell: Callable[[bytes], None]) -> None:
    """Tells of what index and journal say otherwise than the files."""
    with opened(root) as vault:
        if not vault.verify().identical:
            tell(b"verify: index and files differ\n")
        proof = vault.history.prove()
        for fault in proof.faults:
            tell(f"prove: {fault.code} {fault.message}\n".encode())
        for path in (*proof.edited_since, *proof.gone_since):
            tell(f"prove: not as told: {path}\n".encode())


def said_faults(done: subprocess.CompletedProcess[str]) -> list[str]:
    """Whether a command that failed said so as it should."""
    if done.returncode == 0:
        return []
    said = done.stderr.strip()
    wrong = []
    if done.returncode not in EXIT_CODES:
        wrong.append(f"exit code {done.returncode}: {said}")
    if "Traceback" in said or "Error:" in said.replace("error:", ""):
        wrong.append(f"a traceback: {said[-900:]}")
    errors, warnings = (
        sum(line.startswith(begin) for line in said.splitlines())
        for begin in ("error:", "warning:")
    )
    # What was done in part says of each note that it could not reach which it is.
    if errors != 1 and not (done.returncode == DONE_IN_PART and warnings and not errors):
        wrong.append(f"not one clear line: {said!r}")
    return wrong


def _part_faults(bench: Bench, files: dict[str, bytes], code: int, left_out: set[str]) -> list[str]:
    """Each note has its old or its new bytes, at its old or its new place."""
    allowed = set(bench.old.values()) | set(bench.new.values())
    wrong = [
        f"{path} holds neither old nor new bytes"
        for path, data in files.items()
        if data not in allowed and ".vaultmem-" not in path
    ]
    either = bench.old.keys() & bench.new.keys()
    wrong += [f"{path} is missing" for path in either if path not in files]
    if not (code or _same(files, bench.new, left_out)):
        wrong.append("exit code 0, and not all is new")
    return wrong


def _apart(files: dict[str, bytes], bench: Bench) -> list[str]:
    paths = sorted(files.keys() | bench.old.keys() | bench.new.keys())
    return [
        path
        for path in paths
        if files.get(path) not in (bench.old.get(path, b""), bench.new.get(path, b""))
    ] or ["some old, some new"]


def record(outcome: Outcome, kind: str, name: str, code: int, faults: list[str]) -> None:
    """Counts one try."""
    outcome.tried[kind] += 1
    outcome.codes[str(code)] += 1
    outcome.faults += [f"{kind}, {name}: {fault}" for fault in faults]


# --- full -------------------------------------------------------------------------------------------------------------


def _mount(place: Path) -> bool:
    """A small disk at the place; False when that is not allowed."""
    place.mkdir()
    size = f"size={DISK_PAGES * PAGE}"
    command = ["mount", "-t", "tmpfs", "-o", size, "tmpfs", str(place)]
    with suppress(FileNotFoundError):
        if subprocess.run(command, capture_output=True, check=False).returncode == 0:
            return True
    image = place.with_suffix(".img")
    with suppress(FileNotFoundError, subprocess.CalledProcessError):
        image.write_bytes(b"")
        os.truncate(image, DISK_PAGES * PAGE)
        for words in (["mkfs.ext4", "-q", "-O", "^has_journal", str(image)],):
            subprocess.run(words, capture_output=True, check=True)
        command = ["mount", "-o", "loop", str(image), str(place)]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    return False


@contextmanager
def small_disk(folder: Path) -> Iterator[Path | None]:
    """A small disk; None when none may be made here."""
    place = folder / "disk"
    mounted = sys.platform == "linux" and _mount(place)
    try:
        yield place if mounted else None
    finally:
        if mounted:
            subprocess.run(["umount", "-l", str(place)], check=True)


def free_pages() -> Iterator[int]:
    """0, 1, 2 …, in longer and longer steps."""
    pages = 0
    while pages < DISK_PAGES:
        yield pages
        pages += 1 if pages < 12 else 2 if pages < 40 else 5 if pages < 100 else 15


def fill(disk: Path, leave: int) -> Path:
    """A file that takes all but so many pages."""
    ballast = disk / "ballast"
    space = os.statvfs(disk)
    room = space.f_bavail * space.f_frsize - leave * PAGE
    with open(ballast, "wb", buffering=0) as file, suppress(OSError):
        while room > 0:
            room -= file.write(b"\0" * min(room, 1 << 20))
    return ballast


def full(
    folder: Path, outcome: Outcome, commands: Sequence[Command], notes: int, every: int
) -> None:
    """The disk is full at each step of each command."""
    with small_disk(folder) as disk:
        if disk is None:
            outcome.skipped.append("full disk: no small disk may be mounted here (needs root)")
            return
        for command in commands:
            place = folder / command.name
            place.mkdir()
            bench = set_up(place, command, notes)
            for at, pages in enumerate(free_pages()):
                if at % every:
                    continue
                root = copy(bench.base, disk / "vault")
                ballast = fill(disk, pages)
                done = call(root, command.words)
                faults = judge(bench, root, done, partial(ballast.unlink, missing_ok=True))
                record(outcome, f"full, {command.name}", f"{pages} pages", done.returncode, faults)
                shutil.rmtree(root)
                if done.returncode == 0 and BEHIND not in done.stderr:
                    break
            else:
                record(outcome, f"full, {command.name}", "an empty disk", 1, ["it never succeeds"])


# --- shut -------------------------------------------------------------------------------------------------------------

SHUT: Final = (
    ("the vault", "."),
    ("a note", "notes 1/note 1.md"),
    ("a folder", "notes 1"),
    ("our folder", STATE),
    ("the journal", f"{STATE}/journal"),
    ("the stored versions", f"{STATE}/objects"),
    ("the index", f"{STATE}/memory.db"),
)


def shut(folder: Path, outcome: Outcome, commands: Sequence[Command], notes: int) -> None:
    """Something may not be written, or not even be read."""
    for command in commands:
        place = folder / f"shut {command.name}"
        place.mkdir()
        bench = set_up(place, command, notes)
        for what, path in SHUT:
            for mode, how in ((0o500, "read-only"), (0, "no leave at all")):
                if mode == 0 and what in ("the vault", "our folder"):
                    continue  # then there is no vault for this user
                root = copy(bench.base, place / "vault")
                target = root / path
                if not target.exists():
                    continue
                before = target.stat().st_mode & 0o777
                target.chmod(mode if target.is_dir() else mode & 0o444)
                done = call(root, command.words, normal=True)
                faults = judge(bench, root, done, partial(target.chmod, before))
                record(outcome, f"shut, {how}", f"{what}, {command.name}", done.returncode, faults)
                shutil.rmtree(root)


# --- gone -------------------------------------------------------------------------------------------------------------


def gone(folder: Path, outcome: Outcome, notes: int, tries: int, seed: int) -> None:
    """The vault is renamed away in the middle, and comes back."""
    if not can_trace():
        outcome.skipped.append("vanished vault: processes cannot be traced here")
        return
    chance = random.Random(seed)
    by_name = {scene.name: scene for scene in SCENES}
    for command, scene_name in (
        (COMMANDS[2], "rename with many links"),
        (COMMANDS[5], "sync after outside edits"),
    ):
        place = folder / f"gone {command.name}"
        place.mkdir()
        bench = set_up(place, command, notes)
        scene = Scene(scene_name, by_name[scene_name].steps)
        root = copy(bench.base, place / "vault")
        moments = run(partial(do, root, scene, WORDS), trace=True).moments
        for _ in range(tries):
            root = copy(bench.base, place / "vault")
            away = place / "away"
            at = chance.randrange(1, moments)
            ran = run(
                partial(_said, root, scene),
                stop_before=at,
                while_stopped=partial(os.rename, root, away),
            )
            code, _, said = ran.told.decode("utf-8", "replace").partition(" ")
            done = subprocess.CompletedProcess((), int(code) if code.isdigit() else 99, "", said)
            stray = files_of(root) if root.exists() else {}
            faults = [f"{path} was made where the vault had been" for path in stray]
            if root.exists():
                shutil.rmtree(root)
            os.rename(away, root)
            faults += judge(bench, root, done, lambda: None)
            name = f"before call {at} of {moments}"
            record(outcome, f"gone, {command.name}", name, done.returncode, faults)


def _said(root: Path, scene: Scene, tell: Callable[[bytes], None]) -> None:
    """What the command line makes of it: exit code and line."""
    from vaultmem.errors import VaultmemError

    try:
        do(root, scene, WORDS, lambda _: None)
    except VaultmemError as error:
        tell(f"{error.exit_code} error: {error}".replace("\n", " ").encode())
    else:
        tell(b"0 ")


def torture(
    folder: Path,
    *,
    notes: int = 30,
    every: int = 1,
    tries: int = 40,
    seed: int = 1,
    kinds: Sequence[str] = ("full", "shut", "gone"),
    commands: Sequence[Command] = COMMANDS,
) -> Outcome:
    """All of it below ``folder``; ``every`` so manieth number of free pages is tried."""
    outcome = Outcome()
    if "full" in kinds:
        full(folder, outcome, commands, notes, every)
    if "shut" in kinds:
        shut(folder, outcome, commands, notes)
    if "gone" in kinds:
        gone(folder, outcome, notes, tries, seed)
    return outcome


def main() -> int:
    """1 when anything was lost, unclear, or not put right."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.torture.disk",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--notes", type=int, default=30)
    parser.add_argument("--every", type=int, default=1, help="try every so manieth free page")
    parser.add_argument("--tries", type=int, default=40, help="of a vanishing vault, per command")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="full,shut,gone", help="kinds, with commas")
    parser.add_argument("--command", default="", help="commands whose name holds this")
    parser.add_argument("--folder", type=Path, help="an existing folder to work in")
    chosen = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="vaultmem-disk-", dir=chosen.folder))
    try:
        outcome = torture(
            folder,
            notes=chosen.notes,
            every=chosen.every,
            tries=chosen.tries,
            seed=chosen.seed,
            kinds=chosen.only.split(","),
            commands=[command for command in COMMANDS if chosen.command in command.name],
        )
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    for line in outcome.lines():
        print(line)
    return 1 if outcome.faults else 0


if __name__ == "__main__":
    sys.exit(main())
