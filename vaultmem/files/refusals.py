"""Why a write was not made. The file is as it was, or as another program meanwhile left it."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from vaultmem.errors import FailedError, RefusedError

LOOK: Final = "Is the disk full, read-only or gone?"


class RefusalCode(StrEnum):
    """The kinds of refusal, for programs; the message is for people."""

    CONFLICT = "conflict"
    """The bytes are not those that were read."""
    BUSY = "busy"
    """Another program has the file open for writing."""
    TOO_FRESH = "too-fresh"
    """It was saved a moment ago: its editor may not be done (D-03)."""
    EXISTS = "exists"
    """Something is at the new path, compared without case (M-17)."""
    UNSAFE_PATH = "unsafe-path"
    UNSAFE_NAME = "unsafe-name"
    HIDDEN = "hidden"
    """Below a name that starts with a dot (D-03, F-02)."""
    OFFLOADED = "offloaded"
    CONFLICT_COPY = "conflict-copy"
    LINKED = "linked-folder"
    """Reached through a link to a folder (F-11)."""
    OUTSIDE = "outside-vault"
    NOT_REGULAR = "not-a-regular-file"
    READ_ONLY = "read-only"


class WriteRefused(RefusedError):  # noqa: N818 - a decision, not a fault
    """Nothing was changed at the vault path ``path``, for the reason ``code``."""

    def __init__(self, code: RefusalCode, path: str, message: str, *, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.code = code
        self.path = path


class WriteConflict(WriteRefused):
    """The file does not hold the bytes that the change was made for: plan it again (P2, D-01)."""

    def __init__(self, path: str, *, expected: str, found: str | None) -> None:
        state = "is gone" if found is None else "was changed meanwhile"
        super().__init__(
            RefusalCode.CONFLICT,
            path,
            f"{path} {state} and was not written.",
            hint="Read it and plan the change again.",
        )
        self.expected = expected
        """The hash that was read."""
        self.found = found
        """The hash that is there now; None when there is no such file."""


class ChangedSinceRead(WriteConflict):
    """The file does not hold the bytes that the caller read: planning again would not mend that."""

    def __init__(self, path: str, *, expected: str, found: str | None) -> None:
        super().__init__(path, expected=expected, found=found)
        self.message = f"{path} has changed since it was read, and was not written."
        self.hint = "Read it again, and decide anew."


class WriteFailed(FailedError):  # noqa: N818 - named as its siblings are
    """The disk did not take it: full, not permitted, gone. What was there is still there."""

    def __init__(self, path: str, error: OSError) -> None:
        super().__init__(
            f"{path} could not be written: {error.strerror or error}.",
            hint=f"Nothing was changed; {LOOK[0].lower()}{LOOK[1:]}",
        )
        self.path = path


def busy(path: str) -> WriteRefused:
    """The refusal for a file that another program is writing at this moment."""
    return WriteRefused(
        RefusalCode.BUSY,
        path,
        f"{path} is open for writing in another program.",
        hint="Try again when it is saved and closed there.",
    )
