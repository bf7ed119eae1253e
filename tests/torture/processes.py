"""``python -m tests.torture.processes --writers 6 --readers 4 --seconds 20``: many processes on one vault.

Writers edit, create, rename and remove, the odd ones by the command line, the even ones through one ``Vault`` each;
readers search and show; a watcher runs; two other programs append to notes all the while. Nobody may hear of a lock or a
busy database; no reader may wait longer than the limit; writers of one kind get their turns about equally often; every
line that was reported as written, and every line of the other programs, is there at the end; then the index is as the
files are, and the journal can be proved. Exit code 1 when any of that is not so.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from tests.benchmarks.measure import console_script, percentile
from tests.torture.linked import files_of, linked_vault, put
from tests.torture.scenes import opened
from vaultmem.errors import LockedError, VaultmemError
from vaultmem.files.lock import WriterLock
from vaultmem.files.objects import ObjectStore
from vaultmem.notes.note_edit import AppendText
from vaultmem.notes.rename import LinkUpdates
from vaultmem.vault import Vault

READER_LIMIT_S = 6.0
"""A reader gives another writer five seconds before it answers with what it has."""
FAIR = 2.0
"""The most turns of a writer by the median of its kind."""
APPENDING = 2
"""Other programs that add lines."""

BETWEEN_SAVES = 10.0
"""Seconds between two lines that other programs add to one note, about. A note that was saved in the last two seconds is
left alone (D-03), so that who writes waits his turn for it."""

DENIED = ("locked", "is being written by", "are being changed by", "busy", "Traceback")
"""Words that must not come to anybody's eyes."""

Log = dict[str, object]


@dataclass
class Outcome:
    """What a run came to."""

    turns: dict[str, list[int]] = field(default_factory=dict)
    """By kind of writer, the changes that each made."""
    writes: list[float] = field(default_factory=list)
    reads: list[float] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)
    appended: int = 0
    faults: list[str] = field(default_factory=list)

    def lines(self) -> Iterator[str]:
        """The figures as a person reads them."""
        for kind, turns in self.turns.items():
            share = max(turns) / max(median(turns), 1)
            yield f"writers by {kind}: {sorted(turns)} changes each, most / median {share:.2f}"
        for name, times in (("write", self.writes), ("read", self.reads)):
            found = ", ".join(
                f"{percentile(times or [0.0], at) * 1000:.0f}" for at in (0.5, 0.95, 1.0)
            )
            yield f"{len(times)} {name}s: p50, p95, max {found} ms"
        yield f"{self.appended} lines appended by other programs"
        yield f"refused to writers: {dict(self.refused) or 'nothing'}"
        for fault in self.faults[:20]:
            yield f"FAULT {fault}"


# --- the processes ---------------------------------------------------------------------------------------------


def write(root: Path, number: int, until: float, log: Log) -> None:
    """Changes the vault again and again: through one ``Vault``, or by commands when the number is odd."""
    chance = random.Random(number)
    tokens: list[str] = []
    times: list[float] = []
    errors: list[str] = []
    refused: Counter[str] = Counter()
    with opened(root) as vault:
        while time.time() < until:
            token = f"token-{number}-{len(times)}-{chance.getrandbits(32):08x}"
            began = time.perf_counter()
            try:
                act = _by_command if number % 2 else _by_vault
                if act(vault, chance, token):
                    tokens.append(token)
                times.append(time.perf_counter() - began)
            except LockedError as error:
                errors.append(f"writer {number}: {error}")
            except _Said as said:
                refused[f"exit code {said.code}"] += 1
                if said.code == 1 or any(word in str(said) for word in DENIED):
                    errors.append(f"writer {number}: {said}")
            except VaultmemError as error:
                refused[type(error).__name__] += 1
                if error.exit_code == 1:
                    errors.append(f"writer {number}: {error!r}")
    log.update(tokens=tokens, times=times, errors=errors, refused=refused, number=number)


def _by_vault(vault: Vault, chance: random.Random, token: str) -> bool:
    """One change; whether it wrote the token."""
    names = _names(vault.root)
    name, what = chance.choice(names), chance.random()
    if what < 0.7:
        return bool(vault.edits.edit(name, [AppendText(token)]).event)
    if what < 0.8:
        vault.edits.create(f"made/{token}", f"# {token}\n\n[[{Path(name).stem}]]\n")
        return True
    if what < 0.95:
        to = f"moved {chance.randrange(4)}/{Path(name).stem} {token[-3:]}.md"
        vault.edits.rename(name, to, links=LinkUpdates.YES)
    else:
        vault.edits.remove(name)
    return False


class _Said(Exception):
    def __init__(self, code: int, words: str) -> None:
        super().__init__(words)
        self.code = code


def _by_command(vault: Vault, chance: random.Random, token: str) -> bool:
    name, what = chance.choice(_names(vault.root)), chance.random()
    if what < 0.7:
        command = ["append", name, token]
    elif what < 0.8:
        command = ["create", f"made/{token}", token]
    elif what < 0.95:
        command = ["mv", name, f"moved {chance.randrange(4)}/{Path(name).stem} {token[-3:]}.md"]
    else:
        command = ["rm", name]
    done = subprocess.run(
        [console_script(), *command, "--vault", str(vault.root)],
        capture_output=True,
        text=True,
        env=_environment(),
        check=False,
    )
    if done.returncode:
        raise _Said(done.returncode, done.stderr.strip())
    return what < 0.8


def _names(root: Path) -> list[str]:
    return sorted(path for path in files_of_names(root) if path.endswith(".md"))


def files_of_names(root: Path) -> Iterator[str]:
    """Vault paths of all files that are not hidden."""
    for folder, names, files in os.walk(root):
        names[:] = [name for name in names if not name.startswith(".")]
        for name in files:
            if not name.startswith("."):
                yield Path(folder, name).relative_to(root).as_posix()


def _environment() -> dict[str, str]:
    return {**os.environ, "VAULTMEM_EMBEDDER": "none"}


def read(root: Path, number: int, until: float, log: Log) -> None:
    """Searches and shows again and again."""
    chance = random.Random(number)
    times: list[float] = []
    errors: list[str] = []
    with opened(root) as vault:
        while time.time() < until:
            began = time.perf_counter()
            try:
                found = vault.search(chance.choice(("heron", "token", "note", "target")))
                if any(word in found.freshness.note for word in DENIED) and not found.hits:
                    errors.append(f"reader {number}: {found.freshness.note}")
                times.append(time.perf_counter() - began)
                if found.hits:
                    began = time.perf_counter()
                    vault.note(chance.choice(found.hits).path)
                    times.append(time.perf_counter() - began)
            except LockedError as error:
                errors.append(f"reader {number}: {error}")
            except VaultmemError as error:  # the note went between search and show
                if error.exit_code != 3:
                    errors.append(f"reader {number}: {error!r}")
            time.sleep(0.01)
    log.update(times=times, errors=errors)


def append(root: Path, number: int, until: float, log: Log) -> None:
    """Another program that adds lines to notes where they are."""
    chance = random.Random(number)
    tokens: list[str] = []
    while time.time() < until:
        names = _names(root)
        token = f"outside-{number}-{len(tokens)}-{chance.getrandbits(32):08x}"
        with suppress(FileNotFoundError):
            descriptor = os.open(root / chance.choice(names), os.O_WRONLY | os.O_APPEND)
            try:
                os.write(descriptor, f"\n{token}\n".encode())
            finally:
                os.close(descriptor)
            tokens.append(token)
        time.sleep(chance.uniform(0.5, 1.5) * BETWEEN_SAVES * APPENDING / len(names))
    log.update(tokens=tokens)


ROLES: dict[str, Callable[[Path, int, float, Log], None]] = {
    "write": write,
    "read": read,
    "append": append,
}


# --- the whole ---------------------------------------------------------------------------------------------------


def torture(
    root: Path, *, writers: int, readers: int, seconds: float, limit_s: float = READER_LIMIT_S
) -> Outcome:
    """Makes a vault in ``root``, lets all of them loose on it, and looks at what is left."""
    put(root, linked_vault(120, 200))
    with opened(root) as vault:
        vault.sync()
    watcher = subprocess.Popen(
        [console_script(), "watch", "--vault", str(root), "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=_environment(),
    )
    assert watcher.stdout is not None
    watcher.stdout.readline()
    until = time.time() + seconds + 1.5
    started = [
        (role, _start(role, root, number, until))
        for role, count in (("write", writers), ("read", readers), ("append", APPENDING))
        for number in range(count)
    ]
    logs = [(role, *_ended(process)) for role, process in started]
    watcher.terminate()
    _, complaint = watcher.communicate()
    outcome = Outcome()
    if complaint:
        outcome.faults.append(f"watcher: {complaint.decode()}")
    _count(outcome, logs, limit_s)
    _look(root, outcome, logs)
    return outcome


def _start(role: str, root: Path, number: int, until: float) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.torture.processes", "--role", role]
    command += ["--folder", str(root), "--number", str(number), "--until", str(until)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def _ended(process: subprocess.Popen[str]) -> tuple[Log, str]:
    told, complaint = process.communicate()
    return (json.loads(told) if told else {}), complaint


def _count(outcome: Outcome, logs: list[tuple[str, Log, str]], limit_s: float) -> None:
    for role, log, complaint in logs:
        if complaint:
            outcome.faults.append(f"{role}: {complaint}")
            continue
        outcome.faults += _list(log, "errors")
        times = [float(time) for time in _list(log, "times")]
        if role == "write":
            kind = "command" if int(str(log["number"])) % 2 else "Vault"
            outcome.turns.setdefault(kind, []).append(len(times))
            outcome.writes += times
            outcome.refused.update(log["refused"])  # type: ignore[call-overload]
        elif role == "read":
            outcome.reads += times
        else:
            outcome.appended += len(_list(log, "tokens"))
    outcome.writes.sort()
    outcome.reads.sort()
    if outcome.reads and outcome.reads[-1] > limit_s:
        outcome.faults.append(f"a reader waited {outcome.reads[-1]:.1f} s")
    for kind, turns in outcome.turns.items():
        if max(turns) > FAIR * max(median(turns), 1) + 3:
            outcome.faults.append(f"unequal turns of writers by {kind}: {sorted(turns)}")
        if min(turns) == 0:
            outcome.faults.append(f"a writer by {kind} got no turn")


def _list(log: Log, name: str) -> list[str]:
    found = log.get(name, [])
    assert isinstance(found, list)
    return found


def _look(root: Path, outcome: Outcome, logs: list[tuple[str, Log, str]]) -> None:
    """At what is left, two minutes later: then what came late into replaced files has been settled."""
    with opened(root, later_s=120) as vault:
        vault.sync()
        if not vault.verify().identical:
            outcome.faults.append("verify: index and files differ")
        proof = vault.history.prove()
        outcome.faults += [f"prove: {fault.code} {fault.message}" for fault in proof.faults]
        outcome.faults += [f"prove: not as told: {path}" for path in proof.edited_since]
        outcome.faults += [f"prove: gone: {path}" for path in proof.gone_since]
    for name in ("writer.lock", "changes.lock"):
        with WriterLock(root / ".vaultmem" / name, timeout=0):
            pass
    store = ObjectStore(root)
    kept = b"\n".join((*files_of(root).values(), *(store.get(digest) for digest in store.walk())))
    for role, log, _ in logs:
        lost = [token for token in _list(log, "tokens") if token.encode() not in kept]
        outcome.faults += [f"{role}: {token} is lost" for token in lost]
    outcome.faults += [f"{path} is left" for path in files_of(root) if ".vaultmem-" in path]


def main() -> int:
    """1 when anybody was turned away, or anything is not as it should be at the end."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.torture.processes",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--writers", type=int, default=6)
    parser.add_argument("--readers", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--limit", type=float, default=READER_LIMIT_S, help="seconds for a reader")
    parser.add_argument("--folder", type=Path, help="an existing folder to work in")
    parser.add_argument("--role", choices=ROLES, help=argparse.SUPPRESS)
    parser.add_argument("--number", type=int, default=0, help=argparse.SUPPRESS)
    parser.add_argument("--until", type=float, default=0, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.role:
        log: Log = {}
        ROLES[chosen.role](chosen.folder, chosen.number, chosen.until, log)
        print(json.dumps(log))
        return 0
    folder = Path(tempfile.mkdtemp(prefix="vaultmem-processes-", dir=chosen.folder))
    try:
        outcome = torture(
            folder / "vault",
            writers=chosen.writers,
            readers=chosen.readers,
            seconds=chosen.seconds,
            limit_s=chosen.limit,
        )
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    for line in outcome.lines():
        print(line)
    return 1 if outcome.faults else 0


if __name__ == "__main__":
    sys.exit(main())
