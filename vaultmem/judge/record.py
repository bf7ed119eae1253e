"""A judgement as the journal keeps it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from vaultmem.files.events import JsonValue
from vaultmem.judge.model import DriftJudgement, DuplicateJudgement
from vaultmem.judge.usage import NOTHING, Usage, number


class Question(StrEnum):
    """What a judge was asked."""

    DUPLICATE = "duplicate"
    DRIFT = "drift"


@dataclass(frozen=True, slots=True)
class JudgementRecord:
    """Who judged, and what it said and took. It holds no text of a note and nothing that a model wrote: verdict and
    reason are words of ours."""

    question: str
    """A member of ``Question``, or what a newer vaultmem wrote there."""
    by: str
    """"heuristic", or the model as settings name it."""
    verdict: str
    reason: str
    confidence: float
    degraded: str = ""
    usage: Usage = NOTHING

    def as_json(self) -> dict[str, JsonValue]:
        """For an event's ``extra``."""
        return {
            "question": self.question,
            "by": self.by,
            "verdict": self.verdict,
            "reason": self.reason,
            "confidence": self.confidence,
            "degraded": self.degraded,
            "usage": self.usage.as_json(),
        }

    @classmethod
    def from_json(cls, raw: Mapping[str, object]) -> JudgementRecord:
        """What ``as_json`` made; a field that is missing or of a wrong type is empty."""
        return cls(
            _text(raw.get("question")),
            _text(raw.get("by")),
            _text(raw.get("verdict")),
            _text(raw.get("reason")),
            number(raw.get("confidence")),
            _text(raw.get("degraded")),
            Usage.from_json(raw.get("usage")),
        )


def record_of(judgement: DuplicateJudgement | DriftJudgement) -> JudgementRecord:
    """What the journal keeps of a judgement."""
    asked = Question.DUPLICATE if isinstance(judgement, DuplicateJudgement) else Question.DRIFT
    return JudgementRecord(
        asked.value,
        judgement.by,
        judgement.verdict.value,
        judgement.reason,
        judgement.confidence,
        judgement.degraded,
        judgement.usage,
    )


def _text(raw: object) -> str:
    return raw if isinstance(raw, str) else ""
