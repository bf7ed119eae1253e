"""A judge that asks a server on this machine, at a time that only waiting moves, about texts that only a model can judge."""

from __future__ import annotations

import dataclasses

from tests.judge.model_server import ModelServer
from vaultmem.judge import HeuristicJudge, Judge, make_judge
from vaultmem.settings import JudgeSettings

FERN = "Water the fern weekly. It likes shade and grows well there."
SHADY = "The fern enjoys a shady corner. Give it water each week so it thrives."
"""The same in other words, which only a model sees."""
HEURISTIC = HeuristicJudge()
MODELS = ("openai:gpt-5-mini", "ollama:llama3.2", "anthropic:claude-haiku-4-5")
PLANTS = (
    "fern moss reed sedge rush flax hemp oat rye vetch bean pea leek "
    "kale beet dill mint sage thyme cress chive sorrel"
)


class Time:
    """A clock that only waiting moves."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.waits: list[float] = []

    def clock(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now += seconds


def judge(
    server: ModelServer, settings: JudgeSettings | None = None, at: Time | None = None
) -> Judge:
    """A judge that asks this server."""
    settings = settings or JudgeSettings(model=MODELS[0])
    path = "" if settings.model.startswith("anthropic") else "/v1"
    at = at or Time()
    return make_judge(
        dataclasses.replace(settings, base_url=settings.base_url or server.url + path),
        {},
        clock=at.clock,
        sleep=at.sleep,
    )


def pairs(count: int) -> list[tuple[str, str]]:
    """Pairs that only a model can decide about, no two alike."""
    return [(FERN.replace("fern", w), SHADY.replace("fern", w)) for w in PLANTS.split()[:count]]
