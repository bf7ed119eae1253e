"""What models cost. List prices of November 2026, without discounts for cached or batched tokens."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

PER: Final = 1_000_000
"""Tokens that a price is for."""


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for a million tokens."""

    tokens_in: float
    tokens_out: float

    def cost(self, tokens_in: int, tokens_out: int) -> float:
        """In US dollars."""
        return (tokens_in * self.tokens_in + tokens_out * self.tokens_out) / PER


FREE: Final = Price(0.0, 0.0)

PRICES: Final[tuple[tuple[str, Price], ...]] = (
    (r"ollama:.*(?<!cloud)", FREE),
    (r"openai:gpt-6\.1-terra", Price(1.0, 5.0)),
    (r"openai:gpt-6(\.1)?-sol", Price(2.0, 10.0)),
    (r"openai:gpt-6-luna", Price(0.1, 0.5)),
    (r"openai:gpt-6-astra", Price(10.0, 50.0)),
    (r"openai:gpt-5\.6-luna", Price(0.2, 1.2)),
    (r"openai:gpt-5\.6-terra", Price(2.0, 12.0)),
    (r"openai:gpt-5\.6-sol", Price(4.0, 20.0)),
    (r"openai:gpt-5\.5", Price(5.0, 30.0)),
    (r"openai:gpt-5\.4", Price(2.5, 15.0)),
    (r"openai:gpt-5\.4-mini", Price(0.75, 4.5)),
    (r"openai:gpt-5\.4-nano", Price(0.2, 1.25)),
    (r"openai:gpt-5\.[23]", Price(1.75, 14.0)),
    (r"openai:gpt-5(\.1)?", Price(1.25, 10.0)),
    (r"openai:gpt-5-mini", Price(0.25, 2.0)),
    (r"openai:gpt-5-nano", Price(0.05, 0.4)),
    (r"openai:gpt-4\.1", Price(2.0, 8.0)),
    (r"openai:gpt-4\.1-mini", Price(0.4, 1.6)),
    (r"openai:gpt-4\.1-nano", Price(0.1, 0.4)),
    (r"openai:gpt-4o", Price(2.5, 10.0)),
    (r"openai:gpt-4o-mini", Price(0.15, 0.6)),
    (r"openai:o3", Price(2.0, 8.0)),
    (r"openai:o[34]-mini", Price(1.1, 4.4)),
    (r"anthropic:claude-haiku-5-5", Price(0.1, 0.5)),
    (r"anthropic:claude-haiku-4-5", Price(1.0, 5.0)),
    (r"anthropic:claude-sonnet-5(-5)?", Price(2.0, 10.0)),
    (r"anthropic:claude-sonnet-4-[0-6]", Price(3.0, 15.0)),
    (r"anthropic:claude-opus-5-5", Price(4.0, 20.0)),
    (r"anthropic:claude-opus-(5|4-[5-8])", Price(5.0, 25.0)),
    (r"anthropic:claude-opus-4-[01]", Price(15.0, 75.0)),
    (r"anthropic:claude-fable-5(-1)?", Price(10.0, 50.0)),
    (r"anthropic:claude-(fable|mythos)-5-2", Price(8.0, 40.0)),
)
"""By pattern of the model's name, a date at its end left out. Prices that rise with long prompts are those of short
ones: a question of ours has fewer than 100,000 tokens."""

ASSUMED: Final = Price(30.0, 180.0)
"""What a model of unknown price counts for under the money cap: more than any in the table."""

_DATED: Final = r"(?:-(?:20\d\d-?\d\d-?\d\d|latest))?"


def price_of(model: str) -> Price | None:
    """The price of a model named ``PROVIDER:NAME``; None when it is not known.

    >>> price_of("openai:gpt-5-mini-2025-08-07"), price_of("openai:my-own")
    (Price(tokens_in=0.25, tokens_out=2.0), None)
    """
    for pattern, price in PRICES:
        if re.fullmatch(pattern + _DATED, model):
            return price
    return None


def read_price(text: str) -> Price | None:
    """The price in a text such as "0.25/2" (in, out); None when it is no price.

    >>> read_price("0.25/2"), read_price("cheap")
    (Price(tokens_in=0.25, tokens_out=2.0), None)
    """
    found = re.fullmatch(
        r"\s*(\d{1,6}(?:\.\d{1,6})?)\s*/\s*(\d{1,6}(?:\.\d{1,6})?)\s*", text, re.ASCII
    )
    return Price(float(found[1]), float(found[2])) if found else None
