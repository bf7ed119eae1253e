"""What a model took for a decision stands with the decision, in the journal, too."""

from __future__ import annotations

from datetime import UTC
from pathlib import Path

import pytest

from tests.daemon.dreaming.nights import FIRST_NIGHT_NS, TWINS, dream, vault_with
from tests.judge.model_server import ModelServer, answers
from vaultmem.cycles import cycles
from vaultmem.judge import make_judge
from vaultmem.settings import JudgeSettings
from vaultmem_daemon.dreaming.pipeline import run_cycle

TOOK = ("calls", "tokens in", "tokens out", "dollars")


def test_a_decision_of_a_model_tells_what_it_took(tmp_path: Path) -> None:
    pytest.importorskip("pydantic_ai")
    with ModelServer(answers("MERGE")) as server, vault_with(tmp_path / "v", TWINS) as vault:
        settings = JudgeSettings(model="openai:gpt-5-mini", base_url=f"{server.url}/v1")
        judge = make_judge(settings, {}, clock=lambda: 1000.0, sleep=lambda _: None)
        run_cycle(vault, clock_ns=lambda: FIRST_NIGHT_NS, zone=UTC, judge=judge)
        (kept,) = cycles(vault.root)
    (decision,) = kept.decisions
    assert decision.decided_by == "openai:gpt-5-mini"
    told = [decision.figures[name] for name in TOOK]
    model = kept.model
    assert told == [model.calls, model.tokens_in, model.tokens_out, round(model.cost or 0.0, 6)]
    assert model.calls == 1
    assert model.tokens_in > 0


def test_a_decision_without_a_model_tells_nothing_of_that(tmp_path: Path) -> None:
    with vault_with(tmp_path / "v", TWINS) as vault:
        (decision,) = dream(vault).decisions
    assert not set(decision.figures) & set(TOOK)
