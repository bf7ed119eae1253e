"""``python -m tests.torture.concurrent_saves``: rival editors of all kinds against our writes.

Each save of an editor carries a token of its own. A token whose save returned is lost when it is neither in the file,
nor replaced by a later save of an editor, nor in the object store. No token may be lost.
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
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.torture import rivals
from tests.torture.rivals import Save, first_content, token_of
from vaultmem.files.changes import ChangeSet, Edit, apply_changes
from vaultmem.files.displaced import sweep
from vaultmem.files.events import EventKind
from vaultmem.files.execution import PartlyDoneError
from vaultmem.files.objects import ObjectStore
from vaultmem.files.read import NoteRead, UnreadableFile, content_hash, read_note_bytes
from vaultmem.files.refusals import WriteRefused
from vaultmem.files.swap import replace
from vaultmem.files.targets import WriteRules

_FILES = 3
"""Files that each editor has for itself."""


@dataclass
class Outcome:
    """What a run came to."""

    seconds: float = 0.0
    attempts: int = 0
    written: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    saves: Counter[str] = field(default_factory=Counter)
    late: int = 0
    """Saves that went into a file just replaced, and were found there."""
    kept: int = 0
    """Saves that are only in the object store now."""
    lost: list[str] = field(default_factory=list)
    left_over: list[str] = field(default_factory=list)
    """Temporary files of ours that remain."""

    def __str__(self) -> str:
        refused = ", ".join(f"{code} {count}" for code, count in sorted(self.refused.items()))
        saves = ", ".join(f"{kind} {count}" for kind, count in sorted(self.saves.items()))
        return (
            f"{self.attempts} writes tried in {self.seconds:.1f} s "
            f"({self.attempts / self.seconds:.0f}/s): {self.written} written, "
            f"{self.refused.total()} refused ({refused})\n"
            f"{self.saves.total()} saves by editors ({saves}); late {self.late}, "
            f"only in the object store {self.kept}\n"
            f"{len(self.left_over)} temporary files left, {len(self.lost)} hand edits lost"
        )


Write = Callable[[Path, dict[str, NoteRead], dict[str, bytes], WriteRules], None]
"""Writes new bytes, by name, over those that were read."""


def write_alone(
    vault: Path, read: dict[str, NoteRead], data: dict[str, bytes], rules: WriteRules
) -> None:
    """Each file by itself."""
    for name, new in data.items():
        replace(vault, name, expected=read[name].hash, data=new, rules=rules)


def write_together(
    vault: Path, read: dict[str, NoteRead], data: dict[str, bytes], rules: WriteRules
) -> None:
    """All of them or none."""
    edits = tuple(Edit(name, read[name].hash, new) for name, new in data.items())
    plan = ChangeSet(EventKind.UPDATED, actor="torture", cause="torture", edits=edits)
    apply_changes(vault, plan, rules=rules)


def write_carelessly(
    vault: Path, read: dict[str, NoteRead], data: dict[str, bytes], rules: WriteRules
) -> None:
    """What we must not do: compare, then rename over. It shows that losses are seen here."""
    for name, new in data.items():
        place = vault / name
        if content_hash(place.read_bytes()) == read[name].hash:
            beside = vault / f".{name}.careless"
            with beside.open("wb") as file:
                file.write(new)
                os.fsync(file.fileno())
            time.sleep(0.001)  # as on a disk that is slower than memory
            os.replace(beside, place)


def torture(
    folder: Path,
    ops: int,
    *,
    seed: int,
    rules: WriteRules,
    write: Write = write_alone,
    together: int = 1,
) -> Outcome:
    """Writes ``ops`` times against four editors in the empty ``folder``, and counts what became of their saves."""
    vault = folder / "vault"
    vault.mkdir()
    own = {kind: [f"own-{kind}-{n}.md" for n in range(_FILES)] for kind in rivals.KINDS}
    shared = [f"shared-{n}.md" for n in range(2)]
    names = [*shared, *(name for group in own.values() for name in group)]
    for name in names:
        (vault / name).write_bytes(first_content(name))
    stop = folder / "stop"
    logs = {kind: folder / f"{kind}.json" for kind in rivals.KINDS}
    processes = [
        subprocess.Popen(
            [
                sys.executable,
                "-m",
                "tests.torture.rivals",
                *(str(vault), kind, ",".join(own[kind] + shared), str(stop)),
                *(str(logs[kind]), str(seed + number)),
            ]
        )
        for number, kind in enumerate(rivals.KINDS)
    ]
    outcome = Outcome()
    try:
        _write(vault, names, ops, random.Random(seed), rules, outcome, write, together)
    finally:
        stop.touch()
        failed = [process.args for process in processes if process.wait(timeout=60)]
    if failed:
        raise RuntimeError(f"an editor failed: {failed}")
    late = sweep(vault, now_ns=time.time_ns(), age=0)
    ObjectStore(vault).put_all(save.data for save in late)
    outcome.late = len(late)
    _judge(vault, names, [json.loads(log.read_text()) for log in logs.values()], outcome)
    return outcome


def _write(
    vault: Path,
    names: list[str],
    ops: int,
    chance: random.Random,
    rules: WriteRules,
    outcome: Outcome,
    write: Write,
    together: int,
) -> None:
    began = time.perf_counter()
    for _ in range(ops):
        outcome.attempts += 1
        chosen = chance.sample(names, together)
        try:
            read = {name: read_note_bytes(vault, name) for name in chosen}
            write(vault, read, {name: _counted(read[name].data) for name in chosen}, rules)
            outcome.written += 1
        except UnreadableFile:
            outcome.refused["unreadable"] += 1
        except PartlyDoneError:
            outcome.refused["partly done"] += 1
        except WriteRefused as refusal:
            outcome.refused[refusal.code] += 1
        except (ValueError, IndexError):
            outcome.refused["half a save seen"] += 1
        except FileNotFoundError:
            outcome.refused["careless"] += 1
    outcome.seconds = time.perf_counter() - began


def _counted(data: bytes) -> bytes:
    """The content with our count one higher; the rest is the editor's."""
    first, _, rest = data.partition(b"\n")
    return f"ours: {int(first.split()[1]) + 1}\n".encode() + rest


def _judge(
    vault: Path, names: list[str], logs: list[dict[str, list[Any]]], outcome: Outcome
) -> None:
    saves = [Save(*save) for log in logs for save in log["saves"]]
    missing = {token for log in logs for token in log["missing"]}
    outcome.saves.update(save.token.partition("-" + save.token.split("-")[-2])[0] for save in saves)
    store = ObjectStore(vault)
    stored = {token_of(store.get(digest)) for digest in store.walk()}
    for name in names:
        here = [save for save in saves if save.file == name]
        final = token_of((vault / name).read_bytes()) if (vault / name).exists() else None
        ended = max((save.ended for save in here if save.token == final), default=0)
        missing |= {save.token for save in here if save.began > ended}
    outcome.kept = len(missing & stored)
    outcome.lost = sorted(missing - stored)
    outcome.left_over = sorted(name for name in os.listdir(vault) if ".vaultmem-" in name)


def _folders(given: Path | None) -> list[Path]:
    if given is not None:
        return [given]
    memory = Path("/dev/shm")
    return [*([memory] if memory.is_dir() else []), Path(tempfile.gettempdir())]


def main() -> int:
    """Runs the torture on the folder named, or on memory and disk; 1 when a hand edit was lost."""
    parser = argparse.ArgumentParser(prog="python -m tests.torture.concurrent_saves")
    parser.add_argument("--ops", type=int, default=20_000, help="writes of ours to try")
    parser.add_argument("--dir", type=Path, help="an existing folder to work in")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--no-exchange", action="store_true", help="as if names could not change places"
    )
    parser.add_argument("--no-leases", action="store_true", help="as if open files did not show")
    parser.add_argument("--together", type=int, default=1, help="files in one change")
    parser.add_argument("--careless", action="store_true", help="as one must not: to see losses")
    parser.add_argument("--keep", action="store_true", help="leave the folder for a look")
    chosen = parser.parse_args()
    rules = WriteRules(quiet=0, exchange=not chosen.no_exchange, leases=not chosen.no_leases)
    bad = False
    for place in _folders(chosen.dir):
        folder = Path(tempfile.mkdtemp(prefix="vaultmem-torture-", dir=place))
        write = write_carelessly if chosen.careless else write_alone
        outcome = torture(
            folder,
            chosen.ops,
            seed=chosen.seed,
            rules=rules,
            write=write_together if chosen.together > 1 else write,
            together=chosen.together,
        )
        print(f"{place}: {outcome}", flush=True)
        for token in outcome.lost[:20]:
            print(f"  lost: {token}")
        bad = bad or bool(outcome.lost or outcome.left_over)
        if not chosen.keep:
            with suppress(OSError):
                subprocess.run(["rm", "-rf", str(folder)], check=False)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
