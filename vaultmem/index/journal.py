"""The journal in the index: each file of ``.vaultmem/journal`` is taken in as far as it goes, and then its new lines.

The outcome is the same whether the journal is read at once or line by line: what could make it differ (a file that
shrank or went, an event that comes late and has a folder's move to do with, one that a copy of a file has, too) makes
everything be read anew.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import apsw

from vaultmem.files.events import FileChange, from_json
from vaultmem.files.journal_copies import is_original
from vaultmem.files.scan import collector_paused
from vaultmem.index.connection import fetch
from vaultmem.index.terms import storable
from vaultmem.index.whereabouts import Order, Said, Told, Whereabouts

FOLDER = ".vaultmem/journal"
MARK = 32
"""Bytes before the next unread one, by which a file is known again."""

_ESCAPE = b"\\u"

FILES = "SELECT path, seen_bytes, read_bytes, mark, latest_ns FROM journal_files"
PUT_FILE = "INSERT OR REPLACE INTO journal_files VALUES (?, ?, ?, ?, ?)"
PATHS = "SELECT path_key, path, state, is_folder, content_hash, at_ns, file, place, event_id FROM journal_paths"
PATH = f"{PATHS} WHERE path_key = ?"
# Every key that begins with a text that ends in a slash: '0' is the character after it.
PATHS_BELOW = f"{PATHS} WHERE path_key > ? AND path_key < ?"
PUT_PATH = "INSERT OR REPLACE INTO journal_paths VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
EMPTY = ("DELETE FROM journal_files", "DELETE FROM journal_paths")
GET_NEWEST = "SELECT value FROM index_meta WHERE key = ?"
PUT_NEWEST = (
    "INSERT INTO index_meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value"
)
NEWEST, NEWEST_FOLDER = "journal_newest", "journal_newest_folder"


class JournalFile(NamedTuple):
    """How far a file was taken in."""

    path: str
    """Below the journal's folder."""
    seen_bytes: int
    """How long it was."""
    read_bytes: int
    """How many of those were whole lines."""
    mark: bytes
    """The last of them."""
    latest_ns: int


class _AnewError(Exception):
    """Only reading everything in its order gives the right outcome."""


def journal_sizes(root: Path) -> dict[str, int]:
    """How many bytes each file of the journal has, by its path below the journal's folder; none without one."""
    return _sizes(root, {})[0]


def _sizes(root: Path, known: Mapping[str, int]) -> tuple[dict[str, int], bool]:
    """The sizes, and whether all could be looked at: what lies in a folder that cannot be listed is as ``known``."""
    base = os.path.join(os.fsencode(root), *os.fsencode(FOLDER).split(b"/"))
    devices = _listed(base)
    if devices is None:
        return dict(known), False
    sizes: dict[str, int] = {}
    whole = True
    for device in devices:
        entries = _listed(device.path)
        if entries is None:
            whole = False
            folder = f"{os.fsdecode(device.name)}/"
            sizes.update((path, size) for path, size in known.items() if path.startswith(folder))
            continue
        for entry in entries:
            path = os.fsdecode(device.name + b"/" + entry.name)
            if entry.name.endswith(b".jsonl") and storable(path) == path:
                try:
                    sizes[path] = entry.stat().st_size
                except OSError:
                    continue
    return sizes, whole


def _listed(folder: bytes) -> list[os.DirEntry[bytes]] | None:
    """What is in the folder, in order; None when it cannot be listed."""
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError:
        return None


def has_news(connection: apsw.Connection, root: Path) -> bool:
    """Whether a file of the journal is not as long as the index knows it. Nothing is read but sizes."""
    known = {path: seen for path, seen, *_ in fetch(connection, FILES)}
    return _sizes(root, known)[0] != known


def whereabouts(connection: apsw.Connection) -> Whereabouts:
    """What the index knows of the journal; what is taken in on top stays in memory until it is kept."""
    return Whereabouts(
        lambda key: next((_said(row) for row in connection.execute(PATH, (key,))), None),
        lambda prefix: map(_said, fetch(connection, PATHS_BELOW, (prefix, f"{prefix[:-1]}0"))),
    )


def all_said(connection: apsw.Connection) -> dict[str, Said]:
    """What the journal says of every path, by key."""
    return {row[0]: _said(row) for row in connection.execute(PATHS)}


def take_in(connection: apsw.Connection, root: Path) -> set[str]:
    """Takes in what the journal says that the index does not know; the keys of the paths of which it says something
    else now. Lines that are no events are passed over, and what cannot be listed says what it said before. Call inside a
    transaction."""
    known = {row[0]: JournalFile._make(row) for row in connection.execute(FILES)}
    seen = {path: file.seen_bytes for path, file in known.items()}
    sizes, whole = _sizes(root, seen)
    if sizes == seen:
        return set()
    try:
        return _take_in_tails(connection, root, known, sizes)
    except _AnewError:
        return _take_in_all(connection, root, sizes) if whole else set()


def _take_in_tails(
    connection: apsw.Connection, root: Path, known: dict[str, JournalFile], sizes: dict[str, int]
) -> set[str]:
    if any(sizes.get(path, -1) < file.read_bytes for path, file in known.items()):
        raise _AnewError
    first = JournalFile("", 0, 0, b"", 0)
    tails = [
        _Tail(root, known.get(path, first._replace(path=path)), size)
        for path, size in sorted(sizes.items())
        if path not in known or known[path].seen_bytes != size
    ]
    said = whereabouts(connection)
    newest = _Newest.kept(connection)
    news = list(_all_of(tails))
    if not all(told.original for told in news) or _are_copied(root, sizes, news):
        raise _AnewError
    for told in sorted(news):
        newest.pass_on(told)
        said.take_in(told)
    return _keep(connection, tails, said, newest)


def _take_in_all(connection: apsw.Connection, root: Path, sizes: dict[str, int]) -> set[str]:
    before = all_said(connection)
    for statement in EMPTY:
        connection.execute(statement)
    tails = [
        _Tail(root, JournalFile(path, 0, 0, b"", 0), size) for path, size in sorted(sizes.items())
    ]
    said = Whereabouts()
    newest = _Newest()
    with collector_paused():
        for told in _once(sorted(_all_of(tails))):
            newest.pass_on(told)
            said.take_in(told)
    _keep(connection, tails, said, newest)
    after = said.changed
    return {key for key in before.keys() | after.keys() if before.get(key) != after.get(key)}


def _all_of(tails: Iterable[_Tail]) -> Iterator[Told]:
    for tail in tails:
        yield from tail.read()


def _once(every: Sequence[Told]) -> Iterator[Told]:
    """Those in their device's own files, and of those in copies what is nowhere else; each once, in order."""
    passed = {told.event_id for told in every if told.original}
    for told in every:
        if told.original or told.event_id not in passed:
            passed.add(told.event_id)
            yield told


def _are_copied(root: Path, sizes: dict[str, int], news: Sequence[Told]) -> bool:
    """Whether a copy of a file holds one of the events, so that it may have been taken in from there."""
    for path in sizes:
        if not _is_original(path):
            try:
                held = root.joinpath(*FOLDER.split("/"), *path.split("/")).read_bytes()
            except OSError:
                return True
            if any(told.event_id.encode() in held for told in news):
                return True
    return False


def _is_original(path: str) -> bool:
    folder, _, name = path.partition("/")
    return is_original(folder, name)


def _keep(
    connection: apsw.Connection, tails: Iterable[_Tail], said: Whereabouts, newest: _Newest
) -> set[str]:
    connection.executemany(
        PUT_PATH,
        [
            (s.key, s.path, s.state, s.is_folder, s.content_hash, *s.order, s.event_id)
            for s in said.changed.values()
        ],
    )
    connection.executemany(PUT_FILE, [tail.file for tail in tails])
    newest.keep(connection)
    return set(said.changed)


def _said(row: tuple[object, ...]) -> Said:
    key, path, state, is_folder, content_hash, *order, event_id = row
    return Said(key, path, state, bool(is_folder), content_hash, Order(*order), event_id)  # type: ignore[arg-type]


@dataclass(slots=True)
class _Newest:
    """The last event that was taken in, and the last of those that moved a folder."""

    any: Order | None = None
    folder: Order | None = None

    @classmethod
    def kept(cls, connection: apsw.Connection) -> _Newest:
        """As of the last time."""
        values = [connection.execute(GET_NEWEST, (key,)).get for key in (NEWEST, NEWEST_FOLDER)]
        return cls(*(Order(*json.loads(str(value))) if value else None for value in values))

    def keep(self, connection: apsw.Connection) -> None:
        """For the next time."""
        rows = [(NEWEST, self.any), (NEWEST_FOLDER, self.folder)]
        connection.executemany(
            PUT_NEWEST, [(key, json.dumps(order) if order else "") for key, order in rows]
        )

    def pass_on(self, told: Told) -> None:
        """Raises when the event came too late to be taken in after those that were."""
        moves_folder = any(change.is_folder for change in told.changes)
        if self.folder is not None and told.order < self.folder:
            raise _AnewError
        if moves_folder and self.any is not None and told.order < self.any:
            raise _AnewError
        self.any = told.order if self.any is None else max(self.any, told.order)
        if moves_folder:
            self.folder = told.order


class _Tail:
    """What of a file was not taken in; ``file`` says how far it was, once all is read."""

    def __init__(self, root: Path, known: JournalFile, size: int) -> None:
        self.file = known._replace(seen_bytes=size)
        self._place = root.joinpath(*FOLDER.split("/"), *known.path.split("/"))

    def read(self) -> Iterator[Told]:
        """The events of its whole lines. Raises when another file has taken its place; one that cannot be opened
        has none."""
        path, _, read, mark, latest = self.file
        rest = 0
        try:
            with open(self._place, "rb") as file:
                file.seek(read - len(mark))
                if file.read(len(mark)) != mark:
                    raise _AnewError
                for line in file:
                    if not line.endswith(b"\n"):
                        rest = len(line)  # it is being written, or a crash cut it off
                        break
                    start, read = read, read + len(line)
                    mark = (mark + line)[-MARK:]
                    told = _told(line, latest, path, start)
                    if told is not None:
                        latest = told.order.at_ns
                        yield told
        except OSError:
            return
        self.file = JournalFile(path, read + rest, read, mark, latest)


def _told(line: bytes, latest_ns: int, file: str, place: int) -> Told | None:
    """What a line says; None when it is no event."""
    try:
        event = from_json(line.decode())
    except ValueError:
        return None
    changes = event.changes
    if _ESCAPE in line:  # the one way for text into JSON that no database can hold
        changes = tuple(change for change in changes if _is_storable(change))
    order = Order(max(latest_ns, event.time_ns), file, place)
    original = file.startswith(f"{event.device}/") and _is_original(file)
    return Told(order, storable(event.id), changes, original)


def _is_storable(change: FileChange) -> bool:
    texts = (change.path, change.path_after, change.hash_before, change.hash_after)
    return all(text is None or storable(text) == text for text in texts)
