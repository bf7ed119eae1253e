"""Why an edit is refused: nothing was changed, and the caller learns what to do instead."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from vaultmem.errors import RefusedError


class RefusalCode(StrEnum):
    """What stands in the way of an edit."""

    INVALID_FRONTMATTER = "invalid-frontmatter"
    JSON_FRONTMATTER = "json-frontmatter"
    AMBIGUOUS_FRONTMATTER = "ambiguous-frontmatter"
    TEMPLATE_FOLDER = "template-folder"
    NOT_A_NOTE = "not-a-note"
    NOT_A_LIST = "not-a-list"
    """An item was to be added to or removed from a value that is no list."""
    UNWRITABLE_VALUE = "unwritable-value"
    """The asked value cannot be written in a note."""
    UNSAFE_EDIT = "unsafe-edit"
    """Made as a splice, the edit would change something that was not asked for."""
    NOT_UTF8 = "not-utf8"
    ZERO_FILLED = "zero-filled"
    NO_MATCH = "no-match"
    MANY_MATCHES = "many-matches"
    MISSING = "missing"
    """The file to be renamed is not there."""
    EXISTS = "exists"
    UNSAFE_NAME = "unsafe-name"
    NEEDS_CONSENT = "needs-consent"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A place that may have been meant."""

    heading_path: tuple[str, ...]
    """The headings above it and, for a heading, itself; empty before the first."""
    line: int
    """From 0, in the whole file."""
    text: str
    """The line as it stands there, blanks around it cut off."""


class EditRefused(RefusedError):  # noqa: N818 - a refusal is no fault; the tree of errors names it so
    """An edit that was not made: its ``code``, and the places it may have meant."""

    def __init__(
        self,
        code: RefusalCode,
        message: str,
        *,
        hint: str = "",
        candidates: tuple[Candidate, ...] = (),
    ) -> None:
        super().__init__(message, hint=hint)
        self.code = code
        self.candidates = candidates
