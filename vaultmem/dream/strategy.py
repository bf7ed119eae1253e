"""Which strategy a cycle follows, and why. Pure."""

from __future__ import annotations

from typing import Final, NamedTuple

from vaultmem.dream.report import Strategy
from vaultmem.evolution import MutationGate

MANY_NEW: Final = 40
"""Changed notes of ours from which a night is for what is new."""


class Selected(NamedTuple):
    """The strategy, and why in a sentence; "" where it is the usual one."""

    strategy: Strategy
    why: str


def select_strategy(
    mutation: MutationGate,
    *,
    changed: int,
    writable: bool,
    budget: int,
    can_distil: bool,
    asked: Strategy | None = None,
) -> Selected:
    """What a cycle is for. ``asked`` is a person's choice, which is followed but for the rest after an alarm: a loop
    does not stop for being wished. ``changed`` counts our own notes that are new or other. ``can_distil`` says that there are notes of ours to put together (see
    ``distill.can_distil``): then a night after many new notes is for overviews, too. No model is needed for it."""
    if mutation.conserve:
        return Selected(
            Strategy.CONSERVE,
            f"A loop was seen in earlier cycles: {_cycles(mutation.rest)} without merges.",
        )
    if not writable:
        return Selected(Strategy.CONSERVE, "The vault cannot be written.")
    if budget < 1:
        return Selected(Strategy.CONSERVE, "The budget for edits is 0.")
    if asked is not None:
        return Selected(asked, "It was asked for.")
    if can_distil and changed >= MANY_NEW:
        return Selected(Strategy.SYNTHESIZE, f"{changed} notes of ours are new or changed.")
    return Selected(Strategy.CONSOLIDATE, "")


def _cycles(count: int) -> str:
    return "one more cycle" if count == 1 else f"{count} more cycles"
