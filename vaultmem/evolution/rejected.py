"""Edits that were rejected once and are not proposed again while nothing has changed. Pure."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

MOST: Final = 2000
"""Rejections that are kept; the oldest go first."""


def fingerprint(operation: str, inputs: Mapping[str, str]) -> str:
    """The identity of an edit: its operation and the content hashes of its inputs, whatever their order."""
    told = json.dumps([operation, sorted(inputs.items())], ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(told.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Rejected:
    """An edit that was rejected."""

    operation: str
    inputs: Mapping[str, str]
    """Content hash by note."""
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
                if all(hashes.get(note) == content for note, content in entry.inputs.items())
            }
        )
