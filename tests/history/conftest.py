"""A vault whose clock stands still until it is set, changed by sets of changes as every command does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.files.vaults import AT_ONCE, contents, fill
from vaultmem.files.changes import ChangeSet, Creation, Edit, Move, apply_changes
from vaultmem.files.events import EventKind, FileChange, MemoryEvent, new_event_id
from vaultmem.files.journal import Journal
from vaultmem.files.objects import ObjectStore
from vaultmem.files.read import content_hash
from vaultmem.files.targets import WriteRules
from vaultmem.history.answers import UndoConflict
from vaultmem.history.history import History, UndoRefused

NOON = int(datetime(2026, 11, 20, 12, tzinfo=UTC).timestamp()) * 10**9
MINUTE = 60 * 10**9
DAY = 24 * 60 * MINUTE


@dataclass
class Lab:
    """A vault, what is done to it, and its history."""

    root: Path
    now: int = NOON
    synced: list[list[str]] = field(default_factory=list)

    @property
    def history(self) -> History:
        """As the vault object has it, on UTC."""
        return History(
            self.root,
            keep_days=30,
            clock_ns=lambda: self.now,
            rules=self.rules,
            find=self.find,
            bring_in=lambda paths: self.synced.append(list(paths)),
            zone=UTC,
        )

    @property
    def rules(self) -> WriteRules:
        return replace(AT_ONCE, clock=lambda: self.now)

    def find(self, name: str) -> str | None:
        """Names here are paths, with or without the ending."""
        for path in (name, f"{name}.md"):
            if (self.root / path).is_file():
                return path
        return None

    def read(self, path: str) -> bytes:
        return (self.root / path).read_bytes()

    def apply(
        self,
        *parts: Edit | Creation | Move,
        kind: EventKind = EventKind.UPDATED,
        actor: str = "agent",
        cause: str = "because",
        cycle: str | None = None,
    ) -> MemoryEvent:
        """A minute later, the change is made."""
        self.now += MINUTE
        changes = ChangeSet(
            kind,
            actor,
            cause,
            edits=tuple(part for part in parts if isinstance(part, Edit)),
            creations=tuple(part for part in parts if isinstance(part, Creation)),
            moves=tuple(part for part in parts if isinstance(part, Move)),
            cycle=cycle,
        )
        event = apply_changes(self.root, changes, rules=self.rules)
        assert event is not None
        return event

    def edit(self, path: str, data: bytes, **more: str | None) -> MemoryEvent:
        return self.apply(self.to(path, data), **more)  # type: ignore[arg-type]

    def to(self, path: str, data: bytes) -> Edit:
        return Edit(path, content_hash(self.read(path)), data)

    def moved(self, path: str, new: str) -> Move:
        place = self.root / path
        return Move(path, new, content_hash(place.read_bytes()) if place.is_file() else None)

    def move(self, path: str, new: str) -> MemoryEvent:
        return self.apply(self.moved(path, new), kind=EventKind.RENAMED)

    def trash(self, path: str) -> MemoryEvent:
        name = path.rpartition("/")[2]
        return self.apply(self.moved(path, f".trash/{name}"), kind=EventKind.DELETED)

    def by_hand(
        self, path: str, data: bytes, *, told: bool = False, captured: bool = False
    ) -> None:
        """A person saves the file; ``told``: a sync has seen it."""
        self.now += MINUTE
        place = self.root / path
        before = content_hash(place.read_bytes()) if place.is_file() else None
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
        if captured:
            ObjectStore(self.root).put(data)
        if told:
            change = FileChange(path, None, before, content_hash(data))
            self.tell(EventKind.EDITED_BY_HAND, (change,), actor="by hand")

    def tell(
        self, kind: EventKind, changes: Sequence[FileChange], *, actor: str = "agent"
    ) -> MemoryEvent:
        """An event is written down; nothing is done."""
        journal = Journal(self.root)
        event = MemoryEvent(
            new_event_id(self.now), self.now, journal.device, kind, actor, "seen", tuple(changes)
        )
        journal.append(event)
        return event


MakeLab = Callable[[dict[str, bytes]], Lab]


def refusal(lab: Lab, *words: str, keep_mine: bool = False) -> tuple[UndoConflict, ...]:
    """The conflicts of an undo that is refused, which leaves every file as it was."""
    before = contents(lab.root)
    with pytest.raises(UndoRefused) as caught:
        lab.history.undo(words, keep_mine=keep_mine)
    assert contents(lab.root) == before
    assert caught.value.exit_code == 4
    return caught.value.report.conflicts


@pytest.fixture
def make_lab(tmp_path: Path) -> MakeLab:
    """A vault with those files."""

    def make(files: dict[str, bytes]) -> Lab:
        fill(tmp_path, files)
        return Lab(tmp_path)

    return make


@pytest.fixture
def lab(make_lab: MakeLab) -> Lab:
    """A small vault."""
    return make_lab(
        {
            "Boat.md": b"one\ntwo\nthree\nfour\nfive\n",
            "Sea.md": b"# Sea\r\nsee [[Boat]]\r\n",
            "log/Day.md": b"a day with [[Boat]]",
        }
    )
