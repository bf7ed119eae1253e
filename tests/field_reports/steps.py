"""What can happen: one function a step. It returns the library's answer, and raises the library's errors."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Final

from tests.cli.command import environment, spawn
from tests.field_reports import agents, daemon_steps, watching, writing
from tests.field_reports.case import Details, FaultError, Step, step_of
from tests.field_reports.child import ChildFaultError, held_in, killed_in, resumed
from tests.field_reports.dreaming import DREAM_STEPS
from tests.field_reports.embedders import CaseEmbedder, described
from tests.field_reports.files import decoded, encoded, filled, numbered
from tests.field_reports.tampering import tamper
from tests.field_reports.told import told_by
from tests.field_reports.watching import Watcher, WatcherFaultError
from tests.field_reports.world import Record, SkipError, World
from vaultmem.errors import VaultmemError
from vaultmem.search.model import Lane, SearchAnswer
from vaultmem.views import index_bytes

Act = Callable[[World, Step], object]

THREADS: Final = 8

MODES: Final[Mapping[str, tuple[Lane, ...] | None]] = {
    "": None,
    "hybrid": None,
    "keyword": (Lane.KEYWORD, Lane.SUBSTRING),
    "semantic": (Lane.VECTOR,),
}
"""Search modes of the format, by the lanes that they mean; None for all."""


def carry_out(world: World, step: Step) -> Record:
    """Does the step and keeps a record of how it went; raises SkipError and FaultError alone."""
    record = Record(step)
    watched = any(check.kind == "refused" for check in world.case.tied_to(step.label))
    before = world.snapshot() if watched and step.label else {}
    dreams, scans = _turned(world)
    said = {id(w): len(w.said()) for w in world.watchers}
    already = {id(world.embedder): len(world.embedder.texts)} if world.embedder else {}
    began = time.perf_counter()
    try:
        record.answer = _done(world, step)
        record.told = told_by(record.answer)
    except VaultmemError as error:
        record.error = error
        record.told = (str(error),)
    except (ChildFaultError, WatcherFaultError) as fault:
        record.crash = str(fault)
    except (SkipError, FaultError):
        raise
    except Exception as error:  # noqa: BLE001 - a step that crashes the library is what cases look for
        record.crash = f"{type(error).__name__}: {error}"
    record.seconds = time.perf_counter() - began
    after = _turned(world)
    record.dreams = tuple(after[0][len(dreams) :])
    record.scans = after[1] - scans
    record.said = "".join(w.said()[said.get(id(w), 0) :] for w in world.watchers)
    if watched and step.label:
        record.changes = _changes(before, world.snapshot())
    if world.embedder:
        record.embedded = tuple(world.embedder.texts[already.get(id(world.embedder), 0) :])
    record.index_bytes = index_bytes(world.index)
    world.records.append(record)
    return record


def _turned(world: World) -> tuple[list[datetime], int]:
    """Dreams and scans so far of a daemon whose clock the case turns."""
    return ([], 0) if world.turned is None else (world.turned.dreams, world.turned.scans)


def _changes(before: Mapping[str, object], after: Mapping[str, object]) -> tuple[str, ...]:
    return tuple(sorted(p for p in {*before, *after} if before.get(p) != after.get(p)))


def _done(world: World, step: Step) -> object:
    act = STEPS[step.do]
    if step.do == "group_notes":
        return act(world, step)  # its fault is one of data
    fault = step.details.part("fault") if step.details.has("fault") else None
    if fault is not None and fault.has("raise"):
        daemon_steps.arm(world, fault.text("raise"), step.details.text("path"))
    elif fault is not None:
        killed_in(world, step, fault.text("kill"))
        return None
    if step.details.has("pause"):
        world.held[step.label] = held_in(world, step, step.details.text("pause"))
        return None
    return act(world, step)


# -- upkeep ------------------------------------------------------------------------------------------------------


def index(world: World, step: Step) -> object:
    """Builds the index anew, with the model or embedder that the step names."""
    _choose_embedder(world, step.details)
    if step.details.has("env"):
        return _by_command(world, step, "rebuild")
    return world.vault.rebuild(vectors=world.embedder is not None)


def sync(world: World, step: Step) -> object:
    if step.details.has("env"):
        return _by_command(world, step, "sync")
    return world.vault.sync()


def _by_command(world: World, step: Step, command: str) -> object:
    """What the command says in a process of its own with that environment; in full, results and notices."""
    given = step.details.part("env")
    environ = environment(world.folder / "home", **{key: given.text(key) for key in given.held})
    environ.setdefault("VAULTMEM_EMBEDDER", "static" if world.embedder else "none")
    world.close()
    ran = spawn(command, "--vault", str(world.root), environ=environ)
    if ran.code not in (0, 5):
        raise ChildFaultError(f"{command} ended with {ran.code}: {ran.err[-300:]}")
    return [ran.out, ran.err]


def rebuild(world: World, step: Step) -> object:
    return world.vault.rebuild(vectors=world.embedder is not None)


def verify(world: World, step: Step) -> object:
    return world.vault.verify()


def doctor(world: World, step: Step) -> object:
    """What the doctor says; with ``repair``, after doing what it advises where it found an error."""
    report = world.vault.doctor()
    if step.details.flag("repair") and not report.healthy:
        world.vault.rebuild(vectors=world.embedder is not None)
        report = world.vault.doctor()
    return report


def configure(world: World, step: Step) -> object:
    _choose_embedder(world, step.details)
    world.close()
    return None


def _choose_embedder(world: World, details: Details) -> None:
    if details.has("model"):
        model = details.part("model")
        world.embedder = CaseEmbedder(model.text("name"), model.count("dim", 0))
    elif details.has("embedder"):
        words = details.text("embedder")
        world.embedder = described(words)
        if world.embedder is None:
            raise SkipError(f"no embedder known for: {words}")
    else:
        return
    world.close()


def stop(world: World, step: Step) -> object:
    world.close()
    return daemon_steps.stop(world, step)


def start(world: World, step: Step) -> object:
    return world.vault.status()


def restart(world: World, step: Step) -> object:
    is_turned = world.turned is not None and world.turned.daemon is not None
    was_watched = is_turned or world.watcher is not None
    stop(world, step)
    if was_watched:
        daemon_start(world, step)
    return None


def index_tamper(world: World, step: Step) -> object:
    if not tamper(world.index, step.details.text("how")):
        raise SkipError(f"no damage known for: {step.details.text('how')}")
    return None


# -- questions ---------------------------------------------------------------------------------------------------


def search(world: World, step: Step) -> SearchAnswer:
    return ask(world, step.details.text("query"), step.details.text("mode", ""))


def search_each(world: World, step: Step) -> dict[str, object]:
    """The answer to each query, or the error that said why there is none."""
    answers: dict[str, object] = {}
    for query in step.details.texts("queries"):
        try:
            answers[query] = ask(world, query, step.details.text("mode", ""))
        except VaultmemError as error:
            answers[query] = error
    return answers


def ask(world: World, query: str, mode: str, limit: int | None = None) -> SearchAnswer:
    """The answer to a query; with a watcher at work it is the watcher that has to keep the index up."""
    if mode not in MODES:
        raise FaultError(f"there is no search mode {mode!r}")
    watched = world.watcher is not None
    return world.vault.search(query, lanes=MODES[mode], limit=limit, sync=not watched)


def links(world: World, step: Step) -> object:
    return world.vault.links(step.details.text("path"))


def backlinks(world: World, step: Step) -> object:
    return world.vault.backlinks(step.details.text("path"))


def unlinked(world: World, step: Step) -> object:
    return world.vault.unlinked(step.details.text("path"))


def tags(world: World, step: Step) -> object:
    if step.details.has("path"):
        return world.vault.note(step.details.text("path")).tags
    return world.vault.tags(step.details.text("tag") if step.details.has("tag") else None)


def read_note(world: World, step: Step) -> object:
    return world.vault.note(step.details.text("path"))


# -- other programs ----------------------------------------------------------------------------------------------


def fs(world: World, step: Step) -> object:
    """A change made by another program."""
    _change(world, step.details.text("op"), step.details.text("path"), step.details)
    return None


def fs_bulk(world: World, step: Step) -> object:
    """The same change to many files, as fast as it goes."""
    details = step.details
    for number in range(details.count("first"), details.count("last") + 1):
        held = dict(details.held)
        if details.has("numbered"):
            held["text"] = numbered(details.text("numbered"), number)
        if details.has("to"):
            held["to"] = numbered(details.text("to"), number)
        path = numbered(details.text("path"), number)
        _change(world, details.text("op"), path, replace(details, held=held))
    return None


def _change(world: World, op: str, path: str, details: Details) -> None:
    if op not in CHANGES:
        raise SkipError(f"no change by another program is called {op!r}")
    place = world.root / path
    place.parent.mkdir(parents=True, exist_ok=True)
    CHANGES[op](world, place, details)


def _bytes(world: World, details: Details) -> bytes:
    if details.has("b64"):
        return decoded(details.text("b64"))
    return encoded(filled(details.text("text"), world.folder))


def _write(world: World, place: Path, details: Details) -> None:
    place.write_bytes(_bytes(world, details))
    world.planted[_vault_path(world, place)] = place.read_bytes()


def _append(world: World, place: Path, details: Details) -> None:
    with place.open("ab") as file:
        file.write(_bytes(world, details))
    world.planted[_vault_path(world, place)] = place.read_bytes()


def _replace_by_rename(world: World, place: Path, details: Details) -> None:
    aside = place.with_name(f".{place.name}.tmp")
    aside.write_bytes(_bytes(world, details))
    aside.replace(place)
    world.planted[_vault_path(world, place)] = place.read_bytes()


def _rename(world: World, place: Path, details: Details) -> None:
    to = world.root / details.text("to")
    to.parent.mkdir(parents=True, exist_ok=True)
    if to.exists() and not details.flag("replace") and not to.samefile(place):
        raise FaultError(f"{to} is there already, and the step does not say replace")
    place.replace(to)
    before, after = _vault_path(world, place), _vault_path(world, to)
    for path in [p for p in world.planted if p == before or p.startswith(f"{before}/")]:
        world.planted[after + path[len(before) :]] = world.planted.pop(path)


def _delete(world: World, place: Path, details: Details) -> None:
    if place.is_dir() and not place.is_symlink():
        shutil.rmtree(place)
    else:
        place.unlink()
    gone = _vault_path(world, place)
    for path in [p for p in world.planted if p == gone or p.startswith(f"{gone}/")]:
        del world.planted[path]


def _touch(world: World, place: Path, details: Details) -> None:
    if details.has("mtime"):
        os.utime(place, (details.number("mtime"),) * 2)
    else:
        place.touch()


def _chmod(world: World, place: Path, details: Details) -> None:
    place.chmod(int(details.text("mode"), 8))


def _mkdir(world: World, place: Path, details: Details) -> None:
    place.mkdir(exist_ok=True)


def _symlink(world: World, place: Path, details: Details) -> None:
    place.symlink_to(filled(details.text("to"), world.folder))


def _copy(world: World, place: Path, details: Details) -> None:
    to = world.root / details.text("to")
    to.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(place, to)
    world.planted[_vault_path(world, to)] = to.read_bytes()


def _vault_path(world: World, place: Path) -> str:
    return place.relative_to(world.root).as_posix()


CHANGES: Final[Mapping[str, Callable[[World, Path, Details], None]]] = {
    "write": _write,
    "append": _append,
    "replace_by_rename": _replace_by_rename,
    "rename": _rename,
    "move": _rename,
    "delete": _delete,
    "touch": _touch,
    "chmod": _chmod,
    "mkdir": _mkdir,
    "symlink": _symlink,
    "copy": _copy,
}
"""Changes that another program can make."""


# -- processes ---------------------------------------------------------------------------------------------------


def daemon_start(world: World, step: Step) -> object:
    """Starts a watcher, which must come up unless the case expects a refusal; in cases about the daemon the daemon."""
    if world.case.kind == daemon_steps.KIND or daemon_steps.turns_the_clock(world.case):
        return daemon_steps.start(world, step)
    model = "static" if world.embedder else "none"
    watcher = Watcher.start(world.root, world.folder, VAULTMEM_EMBEDDER=model)
    if not watcher.came_up():  # it ended by itself, and says why
        raise VaultmemError(watcher.said())
    world.watchers.append(watcher)
    watcher.wait_idle(world.root, world.index)
    return None


def wait_seconds(world: World, step: Step) -> object:
    if world.turned is not None:
        world.turned.advance(step.details.number("seconds"))
    else:
        time.sleep(step.details.number("seconds"))
    return None


def resume(world: World, step: Step) -> object:
    return resumed(world.held.pop(step.details.text("step")))


def parallel(world: World, step: Step) -> object:
    """Does the inner steps so many times at once; within one time they follow each other."""
    inner = list(inner_steps(step))
    times = step.details.count("times", 1)

    def once(number: int) -> list[Record]:
        return [carry_out(world, inner_step.filled(number)) for inner_step in inner]

    with ThreadPoolExecutor(THREADS) as pool:
        records = [record for once_ in pool.map(once, range(1, times + 1)) for record in once_]
    crashes = [record.crash for record in records if record.crash]
    if crashes:
        raise ChildFaultError(f"{len(crashes)} of {len(records)} inner steps: {crashes[0]}")
    return None


def inner_steps(step: Step) -> Iterator[Step]:
    """The steps within a step; none for most."""
    held = step.details.held.get("steps", [])
    if not isinstance(held, list):
        raise FaultError(f"{step.details.what} takes the list 'steps'")
    yield from map(step_of, held)


def require(world: World, step: Step) -> object:
    """Nothing: whether the machine offers it was asked before the case began."""
    return None


def _writing(do: str) -> Act:
    return lambda world, step: writing.WRITERS[do](world.vault, step.details)


STEPS: Final[Mapping[str, Act]] = {
    "index": index,
    "sync": sync,
    "rebuild": rebuild,
    "verify": verify,
    "status": daemon_steps.status,
    "doctor": doctor,
    "configure": configure,
    "stop": stop,
    "start": start,
    "restart": restart,
    "index_tamper": index_tamper,
    "search": search,
    "search_each": search_each,
    "links": links,
    "backlinks": backlinks,
    "unlinked": unlinked,
    "tags": tags,
    "read_note": read_note,
    "fs": fs,
    "fs_bulk": fs_bulk,
    "daemon_start": daemon_start,
    "daemon_stop": daemon_steps.stop,
    "clock": daemon_steps.clock,
    "suspend_resume": daemon_steps.suspend_resume,
    "advance_real": daemon_steps.advance_real,
    "observe": daemon_steps.observe_it,
    "read_all_files": daemon_steps.read_all_files,
    "fault": daemon_steps.fault,
    "wait_idle": daemon_steps.wait_idle,
    "wait_seconds": wait_seconds,
    "resume": resume,
    "parallel": parallel,
    "require": require,
    **DREAM_STEPS,
    "mcp_start": agents.start,
    "mcp_call": agents.call,
    "mcp_each": agents.each,
    "mcp_send_raw": agents.send_raw,
    **{do: _writing(do) for do in writing.WRITE_STEPS},
}

CHANGING: Final = frozenset(
    ("index", "sync", "rebuild", "verify", "configure", "start", "restart", *writing.WRITE_STEPS)
)
"""Steps that have to succeed, unless the case says that they are refused."""


def needs(step: Step) -> Iterator[str]:
    """What the library does not offer yet of what the step needs, in words; nothing for most steps."""
    if step.do in LATER_STEPS:
        yield f"{LATER}: {step.do}"
    elif step.do not in STEPS:
        yield f"the runner knows no step {step.do!r}"
    if step.do in writing.WRITE_STEPS and step.do not in writing.WRITERS:
        yield writing.NOT_YET
    if step.do == "daemon_start" and not watching.exists():
        yield watching.NOT_YET
    for inner in inner_steps(step):
        yield from needs(inner)


LATER: Final = "later"

LATER_STEPS: Final = frozenset(
    {
        "remember",
        "recall",
        "consolidate",
        "capture_conversation",
        "as_owner",
        "dump_everything",
    }
)
"""Steps of parts that the library does not have yet."""
