"""What a change of the vault answers: its receipt."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """One file of the vault, or one folder with all in it, that was or would be changed."""

    path: str
    """Vault path before; of a new file, its path."""
    path_after: str | None
    """Vault path afterwards where it moves, to the trash too; null where it stays."""
    hash_before: str | None
    """BLAKE2b-128 of the bytes; null for a new file and for a folder."""
    hash_after: str | None
    """Of the bytes that were written and read back; null for a folder."""
    links: int
    """How many links in it are rewritten."""
    diff: str
    """Unified diff; empty where the text stays as it is, and in the receipt of a rename that was carried out."""


@dataclass(frozen=True, slots=True)
class WriteAnswer:
    """The receipt of a change: one event, all of it done and on the disk; or, with ``dry_run``, what it would be."""

    event: str | None
    """The event's id, for ``history`` and ``undo``; null when nothing was to be changed, and for a dry run."""
    kind: str
    """created, updated, renamed or deleted."""
    dry_run: bool
    files: tuple[ChangedFile, ...]
    """Moved ones first, then by path."""
    links: int
    """How many links are rewritten, in all files."""
    warnings: tuple[str, ...]
    """What a person should look at: ambiguous links, files whose links could not be read."""
    unread: tuple[str, ...]
    """Vault paths of files that could not be read, and in which a link may lead nowhere now."""
    note: str
    """What did not go as usual, such as an index that could not be brought up at once; else empty."""
    seconds: float
