"""What the methods of a history give back. The JSON Schemas of the commands are made from these classes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """One event, as far as it is about the note that was asked for; about the whole vault else."""

    event: str
    """The event's id, as ``undo`` takes it."""
    time_ns: int
    """Nanoseconds since 1970."""
    what: str
    """What happened, in plain words."""
    kind: str
    """The event's kind, for programs."""
    actor: str
    """Who did it."""
    cause: str
    """Why."""
    path: str
    """Where the note was after it; of an event of the vault, the first of its files. May be empty."""
    files: int
    """How many files and folders the event is about."""
    added: int | None
    """Lines that came; None when a version is not stored, and for an event of many files."""
    removed: int | None
    """Lines that went; None as above."""
    undone_by: str | None
    """The event that took it back and still stands."""


@dataclass(frozen=True, slots=True)
class HistoryAnswer:
    """Events, newest first."""

    path: str | None
    """The note's path in the vault, or its last one; None for the whole vault."""
    exists: bool
    """Whether the note is there now; true for the whole vault."""
    entries: tuple[HistoryEntry, ...]
    """Each event."""
    more: bool
    """Whether there are older ones that were not asked for."""


@dataclass(frozen=True, slots=True)
class VersionView:
    """A note as it was at a time."""

    path: str
    """Where the note was then."""
    at_ns: int
    """The time that was asked for, in nanoseconds since 1970."""
    since_ns: int | None
    """Since when it was so; None when no event tells."""
    event: str | None
    """The event that made this version; None when it is older than all events."""
    content_hash: str
    """blake2b-128 of the bytes, hex."""
    text: str
    """The whole text."""
    note: str
    """What makes it less than certain; empty when nothing does."""


@dataclass(frozen=True, slots=True)
class DiffHunk:
    """Lines that changed, with those around them."""

    old_start: int
    """The first line in the old text, from 1."""
    old_lines: int
    """How many lines of the old text it covers."""
    new_start: int
    """The first line in the new text, from 1."""
    new_lines: int
    """How many lines of the new text it covers."""
    lines: tuple[str, ...]
    """Each line without its line break, after a blank, ``-`` or ``+``; ``\\`` begins a remark."""


@dataclass(frozen=True, slots=True)
class FileDiff:
    """The net change of one file."""

    path: str
    """Where it is afterwards; where it was, for one that is gone."""
    path_before: str | None
    """Where it was before, when it was moved; else None."""
    status: str
    """added, changed, moved, deleted"""
    known: bool
    """Whether both versions are at hand; without, there are no hunks."""
    note: str
    """Why there are no hunks, or what else is to be known; may be empty."""
    added: int
    """Lines that came."""
    removed: int
    """Lines that went."""
    hunks: tuple[DiffHunk, ...]
    """What changed in the text."""
    events: tuple[str, ...]
    """The events that it comes from, oldest first."""
    actors: tuple[str, ...]
    """Who made them, each once."""


@dataclass(frozen=True, slots=True)
class DiffAnswer:
    """The net change of each file in a span of time."""

    since_ns: int
    """From then on, in nanoseconds since 1970."""
    until_ns: int
    """Up to then."""
    subject: str
    """What was looked for; empty for all."""
    by: str
    """Whose changes; empty for all."""
    files: tuple[FileDiff, ...]
    """In order of path."""


@dataclass(frozen=True, slots=True)
class KeptPart:
    """Lines that could not be taken back, since a hand touched them or the ones next to them."""

    line: int
    """Where, in the file as it is now, from 1."""
    lines: tuple[str, ...]
    """What the event had put there."""
    was: tuple[str, ...]
    """What was there before it."""


@dataclass(frozen=True, slots=True)
class UndoneFile:
    """What an undo does with one file or folder."""

    path: str
    """Where it is before the undo; where it comes back, for one that is gone."""
    path_after: str
    """Where it is afterwards."""
    action: str
    """restored, moved, moved and restored, trashed, brought back, left"""
    hunks: tuple[DiffHunk, ...]
    """What changes in the text."""
    kept: tuple[KeptPart, ...]
    """What was left as it is (``--keep-mine``)."""
    note: str
    """Anything else; may be empty."""


@dataclass(frozen=True, slots=True)
class UndoConflict:
    """Why an undo is not done: what came after the event."""

    path: str
    """The file."""
    event: str
    """The event that cannot be taken back."""
    reason: str
    """In a sentence."""
    keep_mine: bool
    """Whether ``--keep-mine`` would help."""
    hunks: tuple[DiffHunk, ...]
    """What was edited since, when both versions are at hand."""


@dataclass(frozen=True, slots=True)
class UndoReport:
    """What was undone, would be, or stood in the way."""

    done: bool
    """Whether anything was written."""
    dry_run: bool
    """Whether it was only to be shown."""
    event: str | None
    """The event of the undo itself, which can be undone as well."""
    undone: tuple[str, ...]
    """The events that are taken back, newest first."""
    files: tuple[UndoneFile, ...]
    """Each file, in order of path."""
    conflicts: tuple[UndoConflict, ...]
    """What forbids it: then nothing was written."""
    note: str = ""
    """What did not go as usual, such as an index that could not be brought up at once; else empty."""

    @property
    def kept(self) -> int:
        """How many parts were left as they are for the sake of hand edits."""
        return sum(len(file.kept) + (file.action == "left") for file in self.files)


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that does not agree with the journal."""

    code: str
    """missing-version, damaged-version, outside-span, wrong-span, no-event, missing-event"""
    event: str
    """The event's id; the file and line of the journal for a line that is none."""
    path: str
    """The file it is about; may be empty."""
    message: str
    """What is wrong, in a sentence."""


@dataclass(frozen=True, slots=True)
class Proof:
    """What a replay of all receipts has shown."""

    proven: bool
    """Whether there is no fault."""
    events: int
    """Events of all devices."""
    receipts: int
    """Changes of a file whose bytes before and after were compared and are as the receipt says."""
    versions: int
    """Different stored versions that were read and have their hash."""
    files: int
    """Files that the journal knows and that should be there."""
    matched: int
    """Of those, how many hold the bytes that the journal tells of last."""
    hash_only: int
    """Changes of which a version is known by its hash only: hand edits that were not captured."""
    let_go: int
    """Changes of which a version was let go by ``gc``."""
    gaps: int
    """Times that a file was changed between two events and no event tells of it."""
    cut_off: tuple[str, ...]
    """Lines of the journal that a crash or a full disk cut off, each as its file and number. By themselves they are no
    fault: a change counts as done only when its line is whole on the disk."""
    unnamed: int
    """Stored versions that no event names: what they were stored for did not come about, or its journal is lost or
    on another device."""
    edited_since: tuple[str, ...]
    """Files that hold other bytes than the journal tells of last, or are back although it says they went."""
    gone_since: tuple[str, ...]
    """Files that are no longer where the journal says."""
    faults: tuple[Fault, ...]
    """Each fault."""
    seconds: float
    """How long it took."""


@dataclass(frozen=True, slots=True)
class Collected:
    """What ``gc`` removed, or would remove."""

    dry_run: bool
    """Whether it was only to be shown."""
    keep_days: int
    """How many days versions are kept; 0: for ever."""
    until_ns: int | None
    """Versions that only events before then need were let go; None when they are kept for ever."""
    let_go: int
    """Versions that were let go for their age."""
    orphans: int
    """Stored versions that no event names, as old as those."""
    bytes_freed: int
    """On the disk, both together."""
    kept: int
    """Stored versions that stay."""
    event: str | None
    """The event that tells of it; None when no version was let go."""
