"""Which stages a cycle has: assembled here and nowhere else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from vaultmem.dream.consolidate import ConsolidateStage
from vaultmem.dream.context import Stage
from vaultmem.dream.decay import DecayStage
from vaultmem.dream.distill import DistillStage
from vaultmem.dream.drift import DriftStage
from vaultmem.dream.lint import LintStage
from vaultmem.dream.report import Strategy


@dataclass(frozen=True, slots=True)
class DreamPipeline:
    """The stages of a cycle, in their order; communities and the digest, which propose nothing, follow them."""

    strategy: Strategy
    stages: tuple[Stage, ...]

    @classmethod
    def from_strategy(cls, strategy: Strategy) -> Self:
        """The stages of that strategy. Conserve has the same ones but for distillation: what it finds is told, and
        only what costs no budget is done. New overviews are made by Synthesize alone."""
        upkeep: tuple[Stage, ...] = (ConsolidateStage(), DriftStage(), LintStage(), DecayStage())
        if strategy is Strategy.CONSERVE:
            return cls(strategy, upkeep)
        return cls(strategy, (*upkeep, DistillStage(synthesize=strategy is Strategy.SYNTHESIZE)))
