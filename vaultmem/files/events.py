"""The record of what was done to the vault: who, why, when, and to which bytes. Values and their JSON form."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Final, NamedTuple, TypeAlias

JsonValue: TypeAlias = (
    "bool | int | float | str | Sequence[JsonValue] | Mapping[str, JsonValue] | None"
)


class EventKind(StrEnum):
    """What happened."""

    CREATED = "created"
    UPDATED = "updated"
    REINFORCED = "reinforced"
    MERGED = "merged"
    SUPERSEDED = "superseded"
    DECAYED = "decayed"
    ARCHIVED = "archived"
    DELETED = "deleted"
    """Moved to the trash."""
    FORGOTTEN = "forgotten"
    QUARANTINED = "quarantined"
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    PINNED = "pinned"
    RENAMED = "renamed"
    RECALLED = "recalled"
    CYCLE = "cycle"
    UNDONE = "undone"
    LET_GO = "let-go"
    """Old versions were removed from the object store; ``LET_GO_UNTIL`` in ``extra`` says how old."""
    EDITED_BY_HAND = "edited-by-hand"
    UNKNOWN = "unknown"
    """Written by a newer vaultmem; the word itself is in ``MemoryEvent.extra`` under ``kind``."""


class ByteSpan(NamedTuple):
    """Bytes ``start`` to ``end`` of the version before gave way to ``length`` bytes."""

    start: int
    end: int
    length: int


@dataclass(frozen=True, slots=True)
class FileChange:
    """What became of one file, or of one folder with all in it: then both hashes are None."""

    path: str
    """Vault path before."""
    path_after: str | None = None
    """Vault path afterwards, where it moved; None where it stayed."""
    hash_before: str | None = None
    """None for a file that was made."""
    hash_after: str | None = None
    spans: tuple[ByteSpan, ...] = ()
    """In order, not overlapping; empty for a file that was made or only moved."""

    @property
    def is_folder(self) -> bool:
        """Whether a folder was moved."""
        return self.hash_before is None and self.hash_after is None

    @property
    def final_path(self) -> str:
        """Where it is afterwards."""
        return self.path if self.path_after is None else self.path_after


@dataclass(frozen=True, slots=True)
class MemoryEvent:
    """One change of the vault, all of it or none."""

    id: str
    """Sorts by time; see ``new_event_id``."""
    time_ns: int
    """Nanoseconds since 1970."""
    device: str
    kind: EventKind
    actor: str
    """Who did it: a person's command, an agent, a stage."""
    cause: str
    """Why, for a person to read."""
    changes: tuple[FileChange, ...] = ()
    cycle: str | None = None
    undoes: str | None = None
    """The id of the event whose changes this one takes back; the first of several."""
    also_undoes: tuple[str, ...] = ()
    """The ids of the others that it takes back together with that one."""
    note: str = ""
    extra: Mapping[str, JsonValue] = field(default_factory=dict)
    """Fields that this version does not know, kept as they were."""

    @property
    def undone(self) -> tuple[str, ...]:
        """The ids of all events that this one takes back."""
        return () if self.undoes is None else (self.undoes, *self.also_undoes)


LET_GO_UNTIL: Final = "let_go_until_ns"
"""In the ``extra`` of an event LET_GO: versions that only events before that time need may be gone."""

LATEST_NS: Final = (1 << 63) - 1
"""No clock says more; SQLite cannot hold it, either."""

LATE_SAVE: Final = "late_save"
"""In the ``extra`` of the events of one late save: which one, so that none is told twice."""

FOLLOWS: Final = "follows"
"""In the ``extra`` of an event: ids of the events that it only brought a note of ours up with. The last change that a person
means is one of these."""

MADE_FOLDERS: Final = "made_folders"
"""In the ``extra`` of an event: vault paths of the folders that were made for it, the outer before the inner."""

_KNOWN: Final = frozenset(
    (
        *("id", "time_ns", "device", "kind", "actor", "cause"),
        *("changes", "cycle", "undoes", "also_undoes", "note"),
    )
)
_LETTERS: Final = "0123456789abcdefghjkmnpqrstvwxyz"


def new_event_id(time_ns: int) -> str:
    """An id that sorts by time and no other event has: date, time, microseconds, and six letters of chance.

    >>> new_event_id(0)[:-6]
    '19700101-000000-000000-'
    """
    seconds, nanoseconds = divmod(time_ns, 10**9)
    when = datetime.fromtimestamp(seconds, UTC).strftime("%Y%m%d-%H%M%S")
    chance = "".join(secrets.choice(_LETTERS) for _ in range(6))
    return f"{when}-{nanoseconds // 1000:06}-{chance}"


def changed_spans(before: bytes, after: bytes) -> tuple[ByteSpan, ...]:
    """The one stretch in which the two differ, as short as can be; none when they are equal."""
    if before == after:
        return ()
    limit = min(len(before), len(after))
    start = _common(before, after, limit)
    tail = _common(before[::-1], after[::-1], limit - start)
    return (ByteSpan(start, len(before) - tail, len(after) - tail - start),)


def carried_path(path: str, folders: Iterable[FileChange]) -> str:
    """Where a file is after the folders have moved, one after the other."""
    for folder in folders:
        if path.startswith(f"{folder.path}/"):
            path = folder.final_path + path[len(folder.path) :]
    return path


def to_json(event: MemoryEvent) -> str:
    """One line, without a line break; what is empty is left out."""
    fields: dict[str, JsonValue] = {
        "id": event.id,
        "time_ns": event.time_ns,
        "device": event.device,
        "kind": str(event.kind),
        "actor": event.actor,
        "cause": event.cause,
    }
    if event.changes:
        fields["changes"] = [_change_fields(change) for change in event.changes]
    if event.cycle is not None:
        fields["cycle"] = event.cycle
    if event.undoes is not None:
        fields["undoes"] = event.undoes
    if event.also_undoes:
        fields["also_undoes"] = list(event.also_undoes)
    if event.note:
        fields["note"] = event.note
    return json.dumps(fields | dict(event.extra), ensure_ascii=False, separators=(",", ":"))


def from_json(line: str) -> MemoryEvent:
    """The event that ``to_json`` wrote. Raises ValueError for anything else."""
    try:
        fields = json.loads(line)
        kind, extra = _kind(fields["kind"])
        return MemoryEvent(
            id=_text(fields["id"]),
            time_ns=_time(fields["time_ns"]),
            device=_text(fields["device"]),
            kind=kind,
            actor=_text(fields["actor"]),
            cause=_text(fields["cause"]),
            changes=tuple(_change(change) for change in fields.get("changes", ())),
            cycle=_optional(fields.get("cycle")),
            undoes=_optional(fields.get("undoes")),
            also_undoes=tuple(map(_text, fields.get("also_undoes", ()))),
            note=_text(fields.get("note", "")),
            extra={key: value for key, value in fields.items() if key not in _KNOWN} | extra,
        )
    except (KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        raise ValueError(f"no event: {error}") from error


def _time(value: int | float | str) -> int:
    time_ns = int(value)
    if not 0 <= time_ns <= LATEST_NS:
        raise ValueError("no clock says that")
    return time_ns


def _kind(word: str) -> tuple[EventKind, dict[str, JsonValue]]:
    try:
        return EventKind(word), {}
    except ValueError:
        return EventKind.UNKNOWN, {"kind": _text(word)}


def _change_fields(change: FileChange) -> dict[str, JsonValue]:
    fields: dict[str, JsonValue] = {"path": change.path}
    if change.path_after is not None:
        fields["to"] = change.path_after
    if change.hash_before is not None:
        fields["before"] = change.hash_before
    if change.hash_after is not None:
        fields["after"] = change.hash_after
    if change.spans:
        fields["spans"] = [list(span) for span in change.spans]
    return fields


def _change(fields: Mapping[str, object]) -> FileChange:
    spans = fields.get("spans", ())
    if not isinstance(spans, list | tuple):
        raise TypeError("spans is no list")
    return FileChange(
        path=_text(fields["path"]),
        path_after=_optional(fields.get("to")),
        hash_before=_optional(fields.get("before")),
        hash_after=_optional(fields.get("after")),
        spans=tuple(ByteSpan(*map(int, span)) for span in spans),
    )


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is no text")
    return value


def _optional(value: object) -> str | None:
    return None if value is None else _text(value)


def _common(one: bytes, other: bytes, limit: int) -> int:
    """How many bytes the two have in common at their beginning, at most ``limit``."""
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
