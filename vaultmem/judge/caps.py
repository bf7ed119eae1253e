"""How much judging may take in one cycle, and what it has taken so far."""

from __future__ import annotations

from dataclasses import dataclass

from vaultmem.judge.prices import ASSUMED, Price
from vaultmem.judge.usage import NOTHING, Usage


@dataclass(frozen=True, slots=True)
class JudgeCaps:
    """The most that one cycle may take from a model. 0 of any of them: no call."""

    max_tokens: int = 200_000
    """Sent and received."""
    max_cost: float = 0.5
    """US dollars."""
    max_minutes: float = 15.0
    """Of waiting for answers."""


class Meter:
    """Counts what a cycle takes, and refuses the call that might take it over a cap."""

    def __init__(self, caps: JudgeCaps, price: Price | None, before: Usage = NOTHING) -> None:
        """``price`` None: not known, so the money cap counts with one that is higher than any known. ``before``: what
        the cycle took already, before it was cut off."""
        self._caps = caps
        self._before = before
        self._price = price
        self.total = Usage() if price else Usage(cost=None)
        """Everything so far, but for what was before."""

    def seconds_left(self) -> float:
        """Until the cap of minutes; never below 0."""
        taken = self._before.seconds + self.total.seconds
        return max(0.0, self._caps.max_minutes * 60 - taken)

    def refusal(self, tokens_in: int, tokens_out: int) -> str:
        """Why a call that may take so many tokens does not fit any more; empty when it fits."""
        caps, total = self._caps, self._before + self.total
        if total.tokens_in + total.tokens_out + tokens_in + tokens_out > caps.max_tokens:
            return f"the cap of {caps.max_tokens:,} tokens is reached"
        price = self._price or ASSUMED
        spent = price.cost(total.tokens_in + tokens_in, total.tokens_out + tokens_out)
        if spent > caps.max_cost or caps.max_cost <= 0:
            unknown = (
                "" if self._price else " (the model's price is not known, so the highest counts)"
            )
            return f"the cap of {caps.max_cost:.2f} dollars is reached{unknown}"
        if self.seconds_left() <= 0:
            return f"the cap of {caps.max_minutes:g} minutes is reached"
        return ""

    def at_most(self, tokens_in: int, tokens_out: int, seconds: float) -> Usage:
        """What it all comes to if a call takes so much and brings nothing."""
        cost = self._price.cost(tokens_in, tokens_out) if self._price else None
        return self.total + Usage(1, tokens_in, tokens_out, cost, seconds, 1)

    def call(self, tokens_in: int, tokens_out: int, seconds: float, *, failed: bool) -> Usage:
        """Counts one call, and returns it."""
        cost = self._price.cost(tokens_in, tokens_out) if self._price else None
        usage = Usage(1, tokens_in, tokens_out, cost, seconds, int(failed))
        self.total += usage
        return usage

    def pause(self, seconds: float) -> Usage:
        """Counts a wait between two calls, and returns it."""
        usage = Usage(seconds=seconds)
        self.total += usage
        return usage
