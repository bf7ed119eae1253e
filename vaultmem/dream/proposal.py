"""What a stage proposes: a change as a value, with the reasons for it, to be applied, or shown to a person. Pure.

A proposal holds the whole text that each edited note would have, and the hash of the bytes that it was made from, so
what is shown is what is done, and what was planned on other bytes is not done at all.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import islice, product
from typing import Final

from vaultmem.evolution import fingerprint, in_the_note

ID_LETTERS: Final = 10
"""Hexadecimal digits of a proposal's id: short enough to type."""


class StageName(StrEnum):
    """The steps of a cycle, in the order in which they run."""

    CONSOLIDATE = "consolidate"
    DRIFT = "drift"
    LINT = "lint"
    DECAY = "decay"
    DISTILL = "distill"
    COMMUNITIES = "communities"
    DIGEST = "digest"


class Operation(StrEnum):
    """What a proposal would do."""

    MERGE = "merge"
    """One note gets the claims of two; the other is archived."""
    SUPERSEDE = "supersede"
    """A claim moves to the section of what no longer holds."""
    MARK_STALE = "mark-stale"
    DEMOTE = "demote"
    """A note that nobody asks for counts less."""
    ARCHIVE = "archive"
    """A note moves to the archive."""
    FIX_LINK = "fix-link"
    FIX_PROPERTY = "fix-property"
    DISTILL = "distill"
    """A note is made of what others say, or such a note is brought up to date."""
    NOTE_ONLY = "note-only"
    """Nothing to be done by machine: a person should look."""


ASKED_BELOW: Final = 0.6
"""Confidence in what a link or property means, below which it is a guess that a person decides about, in any note."""

DESTRUCTIVE: Final = frozenset((Operation.MERGE, Operation.SUPERSEDE, Operation.ARCHIVE))
"""What needs room in the budget, and the gate's leave."""

CLAIMS: Final = "claims"
"""As what a rejection of anything about two claims counts."""
MOST_PAIRS: Final = 64
"""Pairs of claims that one rejection holds for."""
_ABOUT_CLAIMS: Final = frozenset((Operation.SUPERSEDE, Operation.MARK_STALE, Operation.NOTE_ONLY))


@dataclass(frozen=True, slots=True)
class NoteText:
    """A note as it was read."""

    path: str
    text: str
    hash: str
    """Of its bytes, in hex."""


@dataclass(frozen=True, slots=True)
class NewText:
    """Another text for a note."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class NewPlace:
    """Another path for a note; links to it are kept working."""

    path: str
    path_after: str


@dataclass(frozen=True, slots=True)
class Proposal:
    """A change that a stage would make, all of it or none. At most one note is moved."""

    stage: StageName
    operation: Operation
    title: str
    """What it would do, as a heading for a person: ``Merge "A" into "B"``."""
    reason: str
    """Why, in a sentence or two for a person."""
    confidence: float
    """0 to 1."""
    inputs: Mapping[str, str]
    """Hash in hex by path of every note that it was made from; it means nothing once one of them has changed."""
    edits: tuple[NewText, ...] = ()
    """Of notes that are among the inputs."""
    made: tuple[NewText, ...] = ()
    """New notes, where nothing is yet."""
    move: NewPlace | None = None
    keeper: str = ""
    """Of a merge, the note that stays; of a contradiction, the one that holds; the note that is distilled."""
    decided_by: str = "heuristic"
    """The judge, or the rule."""
    figures: Mapping[str, float | str] = field(default_factory=dict)
    """The numbers that spoke for it, by name."""
    detail: str = ""
    """What tells this proposal from others of the same operation and inputs: the link, the property."""
    claims: tuple[tuple[str, str], ...] = ()
    """(path, text) of what was held against each other, as written: for the person who decides."""
    kind: str = ""
    """What it makes, where its stage makes several things of one operation, so many of each in a cycle."""
    known_as: str = ""
    """The id that a person knows it by, where it was made from other bytes than it is for now."""

    @property
    def counted(self) -> str:
        """What it is one more of, where there may be so many in a cycle."""
        return self.kind or str(self.operation)

    @property
    def id(self) -> str:
        """The same for the same change to the same bytes, on every device; it stays when the proposal goes on on other bytes."""
        return self.known_as or self.own_id

    @property
    def own_id(self) -> str:
        """The id that it would have if it were made now."""
        what = fingerprint(self.named, self.inputs)
        return hashlib.sha256(f"{what}\n{self.detail}".encode()).hexdigest()[:ID_LETTERS]

    @property
    def named(self) -> str:
        """The operation, and what tells it from others: as what the gate's refusal of it counts, while no input changes."""
        return f"{self.operation}:{self.detail}" if self.detail else str(self.operation)

    @property
    def rejected_as(self) -> str:
        """The operation in the words of the rejected-edit buffer. Whatever is proposed about two claims is turned down with
        the first proposal about them: a later edit may make the other one the newer."""
        return CLAIMS if self._is_about_claims else self.named

    @property
    def rejected_on(self) -> Mapping[str, str]:
        """By path what its rejection lasts for: while the link, the property, the claims that it is about are as they are,
        whatever else is written into their notes; for a merge, an archiving or a distilled note, while no input changes."""
        if self.operation in (Operation.FIX_LINK, Operation.FIX_PROPERTY):
            # The title names the link and its fix, the reason the value of the property.
            what = (
                self.title
                if self.operation is Operation.FIX_LINK
                else f"{self.title} {self.reason}"
            )
            return {path: in_the_note(what) for path in self.inputs}
        if self._is_about_claims:
            said = {
                path: [claim for of, claim in self.claims if of == path] for path in self.inputs
            }
            return {path: in_the_note("\n".join(sorted(claims))) for path, claims in said.items()}
        return self.inputs

    @property
    def rejections(self) -> tuple[Mapping[str, str], ...]:
        """What its rejection lasts for, one by one: each claim of one note against each of the other, so that one more that is
        found later does not bring back the rest."""
        if not self._is_about_claims:
            return (self.rejected_on,)
        said: dict[str, list[str]] = {}
        for path, claim in self.claims:
            said.setdefault(path, []).append(claim)
        pairs = product(*([(path, claim) for claim in claims] for path, claims in said.items()))
        return tuple(claims_apart(dict(pair)) for pair in islice(pairs, MOST_PAIRS))

    @property
    def _is_about_claims(self) -> bool:
        return bool(self.claims) and self.operation in _ABOUT_CLAIMS

    @property
    def destructive(self) -> bool:
        """Whether it needs room in the budget and the gate's leave."""
        return self.operation in DESTRUCTIVE

    @property
    def is_guess(self) -> bool:
        """Whether it would mend what may be meant otherwise, so that it is done in nobody's notes unasked."""
        mends = self.operation in (Operation.FIX_LINK, Operation.FIX_PROPERTY)
        return mends and self.confidence < ASKED_BELOW

    @property
    def does_something(self) -> bool:
        """Whether there is anything to apply."""
        return bool(self.edits or self.made or self.move)

    @property
    def touched(self) -> tuple[str, ...]:
        """The paths of the notes that it would change by itself, in order; links elsewhere may change with a move."""
        paths = {edit.path for edit in self.edits}
        if self.move is not None:
            paths.add(self.move.path)
        return tuple(sorted(paths))


def claims_apart(claims: Mapping[str, str]) -> Mapping[str, str]:
    """On what a rejection of two claims lasts, each by the path of its note."""
    return {path: in_the_note(claim) for path, claim in claims.items()}


def to_text(proposal: Proposal) -> str:
    """The proposal as JSON."""
    told = {
        "stage": str(proposal.stage),
        "operation": str(proposal.operation),
        "title": proposal.title,
        "reason": proposal.reason,
        "confidence": proposal.confidence,
        "inputs": dict(proposal.inputs),
        "edits": [[edit.path, edit.text] for edit in proposal.edits],
        "made": [[new.path, new.text] for new in proposal.made],
        "move": [proposal.move.path, proposal.move.path_after] if proposal.move else None,
        "keeper": proposal.keeper,
        "decided_by": proposal.decided_by,
        "figures": dict(proposal.figures),
        "detail": proposal.detail,
        "claims": [list(claim) for claim in proposal.claims],
        "kind": proposal.kind,
        "known_as": proposal.known_as,
    }
    return json.dumps(told, ensure_ascii=False, sort_keys=True, indent=1)


def from_text(text: str) -> Proposal | None:
    """The proposal; None when the text is damaged, or of a newer version that this one does not understand."""
    try:
        told = json.loads(text)
        move = told["move"]
        return Proposal(
            stage=StageName(told["stage"]),
            operation=Operation(told["operation"]),
            title=str(told["title"]),
            reason=str(told["reason"]),
            confidence=float(told["confidence"]),
            inputs={str(path): str(held) for path, held in told["inputs"].items()},
            edits=tuple(NewText(*_two(edit)) for edit in told["edits"]),
            made=tuple(NewText(*_two(new)) for new in told.get("made", ())),
            move=NewPlace(*_two(move)) if move else None,
            keeper=str(told["keeper"]),
            decided_by=str(told["decided_by"]),
            figures={
                str(name): value if isinstance(value, str) else float(value)
                for name, value in told["figures"].items()
            },
            detail=str(told["detail"]),
            claims=tuple(_two(claim) for claim in told["claims"]),
            kind=str(told.get("kind", "")),
            known_as=str(told.get("known_as", "")),
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def _two(pair: Sequence[object]) -> tuple[str, str]:
    first, second = pair
    if not (isinstance(first, str) and isinstance(second, str)):
        raise TypeError("two texts are needed")
    return first, second
