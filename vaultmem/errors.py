"""Every error that vaultmem raises on purpose.

    VaultmemError
    ├── UsageError            exit 2   the call's words are off
    ├── NotFoundError         exit 3   no such note, vault or tag
    │   ├── VaultNotFoundError
    │   └── NoteNotFoundError
    ├── RefusedError          exit 4   a promise forbids it; nothing was changed
    │   ├── LockedError                another process holds the writer's lock
    │   ├── NotReadyError              the index is still being built
    │   ├── UndoRefused                hand edits came after what is to be taken back
    │   ├── EditRefused                the note cannot be changed so (its ``code`` says why)
    │   └── WriteRefused               the file must not be written now (its ``code`` says why)
    │       └── WriteConflict          it holds other bytes than were read
    │           └── ChangedSinceRead   other ones than the caller read
    ├── PartlyDoneError       exit 5   a change failed midway, and not all of it could be taken back
    ├── CycleStoppedError     exit 5   a dream's cycle was ended by an error, and what it had done before stands
    └── FailedError           exit 1   it was tried and did not work
        ├── IndexDamagedError          the index cannot be trusted; a rebuild mends it
        ├── IndexReadOnlyError         the index cannot be written where it lies
        ├── EmbedderError              the embedding model is missing or broken
        │   └── TextRejectedError      it works, but does not take one of the texts
        ├── SettingsError              a settings file or variable cannot be read
        ├── VaultVanishedError         the vault went away while it was being read
        ├── UnreadableFile             a file's bytes cannot be had
        ├── WriteFailed                the disk did not take it; what was there is still there
        ├── UnsettledError             it did not take the way back either; ``recover`` goes it later
        ├── JournalUnreadableError     what the journal tells cannot be known
        ├── ObjectMissingError         an older version is not stored
        └── ObjectDamagedError         what is stored is not what was put in
            └── ObjectUnreadableError  it cannot be read

A message says what happened, to which path, and (in ``hint``) what to do next. Only the outermost layer
turns an error into an exit code, an MCP error or a status.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar


def listed(names: Sequence[str], most: int, separator: str = ", ") -> str:
    """The names for a message, so many at most; of more it says how many.

    >>> listed(["a", "b", "c"], 2)
    'a, b and 1 more'
    """
    more = len(names) - most
    return separator.join(names[:most]) + (f" and {more} more" if more > 0 else "")


class VaultmemError(Exception):
    """The base of the tree: a sentence of what happened, and one of what to do."""

    exit_code: ClassVar[int] = 1

    quoted: str | None = None
    """Text of the vault that belongs to the message and is not in it, for those who keep the two apart; None where the
    message may hold such text."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()


class UsageError(VaultmemError):
    """The caller asked for something that has no meaning."""

    exit_code = 2


class NotFoundError(VaultmemError):
    """What was asked for is not there."""

    exit_code = 3


class VaultNotFoundError(NotFoundError):
    """No vault at the given place, or none found upward from the current folder."""


class NoteNotFoundError(NotFoundError):
    """No note of that name or path."""


class RefusedError(VaultmemError):
    """Doing it would break a promise; nothing was changed."""

    exit_code = 4


class LockedError(RefusedError):
    """Another process is writing and did not finish in time."""


class FailedError(VaultmemError):
    """It was tried and did not work; the old state stands."""


class IndexDamagedError(FailedError):
    """The index file is not a database, is truncated, or its tables disagree."""

    def __init__(self, message: str, *, hint: str = "", reason: str = "") -> None:
        """``reason`` goes on after "damaged:"; what the message says, where it is left out."""
        super().__init__(message, hint=hint)
        begins_a_word = message[1:2].islower() or message[1:2] == " "
        first = message[:1].lower() if begins_a_word else message[:1]
        self.reason = reason or (first + message[1:]).rstrip(".")


class IndexReadOnlyError(FailedError):
    """The index cannot be written where it lies."""


class EmbedderError(FailedError):
    """The embedding model is missing or cannot be read."""


class TextRejectedError(EmbedderError):
    """The embedding model does not take one of the texts it was given: too long, or refused."""


class SettingsError(FailedError):
    """A settings file or variable cannot be read or has a wrong value."""


class VaultVanishedError(FailedError):
    """The vault's folder is gone or unreadable."""
