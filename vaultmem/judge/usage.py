"""What judging took: calls, tokens, money, time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from vaultmem.files.events import JsonValue


@dataclass(frozen=True, slots=True)
class Usage:
    """What one decision took, or many of them together; nothing, when made without arguments."""

    calls: int = 0
    """Requests that were sent to a model, failed ones included."""
    tokens_in: int = 0
    """As the model counts them; estimated from above where it did not say."""
    tokens_out: int = 0
    cost: float | None = 0.0
    """In US dollars; None where the model's price is not known."""
    seconds: float = 0.0
    """Of waiting for the model, pauses before another try included."""
    failures: int = 0
    """How many of the calls brought no answer that could be used."""

    def __add__(self, other: Usage) -> Usage:
        cost = None if self.cost is None or other.cost is None else self.cost + other.cost
        return Usage(
            self.calls + other.calls,
            self.tokens_in + other.tokens_in,
            self.tokens_out + other.tokens_out,
            cost,
            self.seconds + other.seconds,
            self.failures + other.failures,
        )

    def shares(self, parts: int) -> tuple[Usage, ...]:
        """The same in ``parts`` equal shares, whole numbers as even as can be: together they are this usage again.

        A call for twenty pairs is told as one call in the first share and none in the others.
        """
        return tuple(
            Usage(
                _share(self.calls, parts, i),
                _share(self.tokens_in, parts, i),
                _share(self.tokens_out, parts, i),
                None if self.cost is None else self.cost / parts,
                self.seconds / parts,
                _share(self.failures, parts, i),
            )
            for i in range(parts)
        )

    def as_figures(self) -> dict[str, float | str]:
        """For a decision's numbers, by name as a person reads it; empty when no model was asked."""
        if not self.calls and not self.tokens_in:
            return {}
        told: dict[str, float | str] = {
            "tokens in": self.tokens_in,
            "tokens out": self.tokens_out,
            "dollars": "unknown" if self.cost is None else round(self.cost, 6),
        }
        return {"calls": self.calls, **told} if self.calls else told

    def as_json(self) -> dict[str, JsonValue]:
        """For the journal."""
        return {
            "calls": self.calls,
            "tokens_in": self.tokens_in,
            "tokens_out": self.tokens_out,
            "cost": self.cost,
            "seconds": self.seconds,
            "failures": self.failures,
        }

    @classmethod
    def from_json(cls, raw: object) -> Usage:
        """What ``as_json`` made; a field that is missing or of a wrong type counts as nothing."""
        held = raw if isinstance(raw, Mapping) else {}
        cost = held.get("cost", 0.0)
        return cls(
            _whole(held.get("calls")),
            _whole(held.get("tokens_in")),
            _whole(held.get("tokens_out")),
            None if cost is None else number(cost),
            number(held.get("seconds")),
            _whole(held.get("failures")),
        )


NOTHING: Final = Usage()


def number(raw: object) -> float:
    """The number; 0 for anything else."""
    return float(raw) if isinstance(raw, int | float) and not isinstance(raw, bool) else 0.0


def _whole(raw: object) -> int:
    return raw if isinstance(raw, int) and not isinstance(raw, bool) else 0


def _share(total: int, parts: int, index: int) -> int:
    whole, rest = divmod(total, parts)
    return whole + (index < rest)
