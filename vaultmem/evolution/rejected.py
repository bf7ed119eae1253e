"""Edits that were rejected once and are not proposed again while nothing has changed. Pure."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

MOST: Final = 2000
"""Rejections that are kept; the oldest go first."""
_PART: Final = "~"


def fingerprint(operation: str, inputs: Mapping[str, str]) -> str:
    """The identity of an edit: its operation and the content hashes of its inputs, whatever their order."""
    told = json.dumps([operation, sorted(inputs.items())], ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(told.encode()).hexdigest()


def on_these_notes(operation: str, notes: Iterable[str]) -> str:
    """The identity of an edit of these notes, whatever they say."""
    return fingerprint(operation, dict.fromkeys(notes, ""))


def in_the_note(what: str) -> str:
    """An input that is a part of a note, as the rest of which may change: it stands in place of the note's hash."""
    return _PART + hashlib.sha256(what.encode("utf-8", "surrogatepass")).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class Rejected:
    """An edit that was rejected."""

    operation: str
    inputs: Mapping[str, str]
    """Content hash by note, or what of the note it is about (``in_the_note``)."""
    reason: str
    cycle: str

    @property
    def fingerprint(self) -> str:
        """The identity of the edit."""
        return fingerprint(self.operation, self.inputs)


@dataclass(frozen=True, slots=True)
class RejectedEdits:
    """The buffer, oldest first; at most ``MOST``."""

    entries: Mapping[str, Rejected] = field(default_factory=dict)
    """By fingerprint."""

    def find(self, operation: str, inputs: Mapping[str, str]) -> Rejected | None:
        """The rejection of this edit on these very inputs; None when there is none, or an input has changed since."""
        return self.entries.get(fingerprint(operation, inputs))

    def with_rejected(self, edit: Rejected) -> RejectedEdits:
        """The buffer with one more, as its newest."""
        kept = {key: entry for key, entry in self.entries.items() if key != edit.fingerprint}
        kept[edit.fingerprint] = edit
        return RejectedEdits(dict(list(kept.items())[-MOST:]))

    def followed(self, note: str, before: str, after: str) -> RejectedEdits:
        """The buffer once an edit of ours has changed a note a little: what was rejected on it before is rejected still."""
        return RejectedEdits(
            {
                entry.fingerprint: entry
                for entry in (
                    replace(held, inputs={**held.inputs, note: after})
                    if held.inputs.get(note) == before
                    else held
                    for held in self.entries.values()
                )
            }
        )

    def still_valid(self, hashes: Mapping[str, str]) -> RejectedEdits:
        """The buffer without rejections of which an input has changed or is gone; ``hashes`` of all notes as they are."""
        return RejectedEdits(
            {
                key: entry
                for key, entry in self.entries.items()
                if all(_stands(hashes.get(note), held) for note, held in entry.inputs.items())
            }
        )


def _stands(now: str | None, held: str) -> bool:
    """Whether an input may be as it was: a part of a note is not looked up, only a proposal about the same part is turned down."""
    return now is not None and (held.startswith(_PART) or now == held)
