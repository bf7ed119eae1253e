"""The judge that asks a model, within caps, and that the heuristics stand behind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Final

from vaultmem.judge.caps import JudgeCaps, Meter
from vaultmem.judge.client import Fate, Reply, Request, Transport
from vaultmem.judge.heuristics import HeuristicJudge
from vaultmem.judge.model import (
    Drift,
    DriftJudgement,
    Duplicate,
    DuplicateJudgement,
    JudgeReport,
    as_drift,
    as_duplicate,
)
from vaultmem.judge.prices import Price
from vaultmem.judge.questions import (
    DRIFT,
    DUPLICATES,
    Answer,
    Pair,
    Task,
    UnusableAnswerError,
    answers,
    data,
    tokens_at_most,
)
from vaultmem.judge.usage import NOTHING, Usage
from vaultmem.judge.veto import hard_difference, merge_veto

MOST_PAIRS: Final = 20
"""In one question."""
MOST_CHARACTERS: Final = 40_000
"""Of the texts in one question."""
MOST_OF_A_PAIR: Final = 16_000
"""Characters; longer pairs are the heuristics' alone, since half a text is no ground for a verdict."""
OUT_FOR_A_QUESTION: Final = 3_000
"""Tokens, for a model that thinks before it answers."""
OUT_FOR_A_PAIR: Final = 100
MOST_TRIES: Final = 3
MOST_WAIT: Final = 30.0
"""Seconds between two tries; a server that asks for more is not asked again."""
MOST_FAILED_IN_A_ROW: Final = 3
"""Questions without an answer, after which the cycle goes on without the model."""
LEAST_CONFIDENCE: Final = 0.7
"""Of a model, to have anything changed."""
FORM_TOKENS: Final = 500
"""What the schema and the frame of a request take beside the texts, estimated from above."""

Keep = Callable[[Usage], str]
"""Keeps what was taken, for the case that the process is killed; why it could not be kept, "" when it was."""

UNLIKE: Final = "the model said something that is no verdict"
TORN: Final = "the model gave two verdicts"
LEFT_OUT: Final = "the model left the pair out"
DOUBTFUL: Final = "the model was not sure"
TOO_LONG: Final = "the texts are too long for the model"
WRONG_FORM: Final = "the answer had not the form that was asked for"


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What became of one pair."""

    answer: Answer | None
    why_not: str
    """Why there is no answer."""
    usage: Usage


class ModelJudge:
    """Decides by asking a model; fulfils ``Judge``.

    It asks nothing where the values of two texts forbid a merge, and a merge that they forbid does not stand
    (``merge_veto``). Where the model fails, is not sure, or a cap is reached, the heuristics or COEXIST and CONSISTENT
    answer, and the judgement says so. What was asked once in a cycle is not asked again.
    """

    def __init__(
        self,
        ask: Transport,
        *,
        name: str,
        caps: JudgeCaps,
        price: Price | None,
        timeout: float,
        clock: Callable[[], float],
        sleep: Callable[[float], None],
        stop: Callable[[], bool] = lambda: False,
        before: Usage = NOTHING,
        keep: Keep = lambda _: "",
    ) -> None:
        """``name``: the model as settings name it. ``price`` None: not known. ``timeout``: seconds for one try.
        ``before``: what the cycle has taken already, which counts for the caps and is not reported again.
        ``keep`` is told what all has come to, before each call as well: then with the most that this one may take.
        ``clock``: seconds that never go back. ``stop`` is asked five times a second and ends a question at once.
        """
        self._ask = ask
        self._name = name
        self._price = price
        self._timeout = timeout
        self._clock = clock
        self._sleep = sleep
        self._stop = stop
        self._keep = keep
        self._meter = Meter(caps, price, before)
        self._heuristics = HeuristicJudge()
        self._stopped = ""
        self._failed_in_a_row = 0
        self._degraded: Counter[str] = Counter()
        self._known: dict[bytes, DuplicateJudgement] = {}
        self._known_drift: dict[bytes, DriftJudgement] = {}

    def duplicate(self, a: str, b: str) -> DuplicateJudgement:
        """What should become of the two texts."""
        return self.duplicates([(a, b)])[0]

    def duplicates(self, pairs: Sequence[Pair]) -> list[DuplicateJudgement]:
        """What should become of each pair, in their order; up to twenty of them in one question."""
        keys = [_key(pair) for pair in pairs]
        fresh = {k: p for k, p in zip(keys, pairs, strict=True) if k not in self._known}
        open_: dict[bytes, Pair] = {}
        for key, pair in fresh.items():
            settled = self._without_model(*pair)
            if settled is None:
                open_[key] = pair
            else:
                self._known[key] = settled
        for key, outcome in self._outcomes(DUPLICATES, open_):
            self._known[key] = self._duplicate(open_[key], outcome)
        judged = []
        for key in keys:
            again = fresh.pop(key, None) is None
            judgement = self._known[key]
            judged.append(replace(judgement, usage=NOTHING) if again else self._tell(judgement))
        return judged

    def drift(self, a: str, b: str) -> DriftJudgement:
        """Whether the two texts can both hold."""
        key = _key((a, b))
        if known := self._known_drift.get(key):
            return replace(known, usage=NOTHING)
        found = self._heuristics.drift(a, b)
        if _same(a, b):
            judgement = found
        elif _too_long(a, b):
            judgement = replace(found, degraded=TOO_LONG)
        else:
            ((_, outcome),) = self._outcomes(DRIFT, {key: (a, b)})
            judgement = self._drift(found, outcome)
        self._known_drift[key] = judgement
        self._degraded.update([judgement.degraded] if judgement.degraded else [])
        return judgement

    def report(self) -> JudgeReport:
        """How it fared so far."""
        degraded = sorted(self._degraded.items(), key=lambda item: (-item[1], item[0]))
        return JudgeReport(
            self._name,
            self._meter.total,
            self._price is not None,
            self._stopped,
            tuple(degraded),
        )

    def _tell(self, judgement: DuplicateJudgement) -> DuplicateJudgement:
        self._degraded.update([judgement.degraded] if judgement.degraded else [])
        return judgement

    def _without_model(self, a: str, b: str) -> DuplicateJudgement | None:
        """The judgement where a model has nothing to say; None where it has."""
        if _same(a, b):
            return self._heuristics.duplicate(a, b)
        if _too_long(a, b):
            return replace(self._heuristics.duplicate(a, b), degraded=TOO_LONG)
        if reason := hard_difference(a, b):
            return DuplicateJudgement(Duplicate.COEXIST, reason, 0.95)
        return None

    def _duplicate(self, pair: Pair, outcome: _Outcome) -> DuplicateJudgement:
        answer = outcome.answer
        if answer is None:
            found = self._heuristics.duplicate(*pair)
            return replace(found, degraded=outcome.why_not, usage=outcome.usage)
        verdict = as_duplicate(answer.word)
        degraded = _doubt(answer, Duplicate, changes=verdict is not Duplicate.COEXIST)
        if not degraded and (veto := merge_veto(*pair, verdict)):
            degraded = f"the model said {verdict}, but {veto}"
        return DuplicateJudgement(
            Duplicate.COEXIST if degraded else verdict,
            degraded or answer.reason,
            answer.confidence,
            self._name,
            degraded,
            outcome.usage,
        )

    def _drift(self, found: DriftJudgement, outcome: _Outcome) -> DriftJudgement:
        answer = outcome.answer
        if answer is None:
            return replace(found, degraded=outcome.why_not, usage=outcome.usage)
        verdict = as_drift(answer.word)
        degraded = _doubt(answer, Drift, changes=verdict is not Drift.CONSISTENT)
        holds = bool(degraded) or verdict is Drift.CONSISTENT
        return DriftJudgement(
            Drift.CONSISTENT if holds else verdict,
            degraded or answer.reason,
            answer.confidence,
            found.suspicion if holds else max(found.suspicion, 0.5 + answer.confidence / 2),
            self._name,
            degraded,
            outcome.usage,
        )

    def _outcomes(self, task: Task, pairs: dict[bytes, Pair]) -> Iterator[tuple[bytes, _Outcome]]:
        for batch in _batches(pairs):
            outcomes = self._question(task, [pairs[key] for key in batch])
            yield from zip(batch, outcomes, strict=True)

    def _question(self, task: Task, pairs: Sequence[Pair]) -> list[_Outcome]:
        """Asks about the pairs until there is an answer, or reason to give up."""
        used: list[Usage] = []
        found, why_not = self._tries(task, pairs, used)
        if found is None and used:
            self._failed_in_a_row += 1
            if self._failed_in_a_row >= MOST_FAILED_IN_A_ROW and not self._stopped:
                self._stopped = f"{MOST_FAILED_IN_A_ROW} questions in a row had no answer, the last since {why_not}"
        elif found is not None:
            self._failed_in_a_row = 0
        shares = sum(used, NOTHING).shares(len(pairs))
        return [
            _Outcome(answer, "" if answer else why_not, share)
            for answer, share in zip(found or [None] * len(pairs), shares, strict=True)
        ]

    def _tries(
        self, task: Task, pairs: Sequence[Pair], used: list[Usage]
    ) -> tuple[list[Answer | None] | None, str]:
        """The answers, then why one of them is missing. Adds to ``used`` what each call took."""
        instructions, sent = task.instructions, data(pairs)
        most_in = tokens_at_most(instructions) + tokens_at_most(sent) + FORM_TOKENS
        most_out = OUT_FOR_A_QUESTION + OUT_FOR_A_PAIR * len(pairs)
        for tried in range(MOST_TRIES):
            if self._stopped:
                return None, self._stopped
            if refusal := self._meter.refusal(most_in, most_out):
                self._stopped = refusal
                return None, refusal
            timeout = min(self._timeout, self._meter.seconds_left())
            if fault := self._keep(self._meter.at_most(most_in, most_out, timeout)):
                self._stopped = fault
                return None, fault
            request = Request(instructions, sent, task.schema, most_out, timeout)
            began = self._clock()
            reply = self._ask(request, self._stop)
            found, why, fate, wait = _read(task, pairs, reply)
            billed = reply.failure is None or reply.failure.billed
            used.append(
                self._meter.call(
                    reply.tokens_in or (most_in if billed else 0),
                    reply.tokens_out or (most_out if billed and found is None else 0),
                    max(0.0, self._clock() - began),
                    failed=found is None,
                )
            )
            self._keep(self._meter.total)
            if found is not None:
                return found, LEFT_OUT
            if fate is Fate.NEVER:
                self._stopped = why
            if fate is not Fate.AGAIN or tried + 1 == MOST_TRIES:
                return None, why
            pause = 2.0**tried if wait is None else wait
            if pause > min(MOST_WAIT, self._meter.seconds_left()):
                return None, f"{why}, and it wants to be left alone for {pause:g} s"
            used.append(self._meter.pause(self._paused(pause)))
        raise AssertionError("the last try returns")

    def _paused(self, seconds: float) -> float:
        began = self._clock()
        self._sleep(seconds)
        return max(0.0, self._clock() - began)


def _read(
    task: Task, pairs: Sequence[Pair], reply: Reply
) -> tuple[list[Answer | None] | None, str, Fate, float | None]:
    """The answers if there are any; else why not, what that means for the next try, and how long to wait for it."""
    if reply.failure is not None:
        return None, reply.failure.reason, reply.failure.fate, reply.failure.wait
    try:
        return answers(task, pairs, reply.answer or {}), "", Fate.AGAIN, None
    except UnusableAnswerError:
        return None, WRONG_FORM, Fate.AGAIN, None


def _doubt(answer: Answer, verdicts: type[Duplicate] | type[Drift], *, changes: bool) -> str:
    """Why the answer counts for nothing; empty when it counts."""
    if answer.torn:
        return TORN
    if answer.word.strip().upper() not in verdicts.__members__:
        return UNLIKE
    return DOUBTFUL if changes and answer.confidence < LEAST_CONFIDENCE else ""


def _batches(pairs: dict[bytes, Pair]) -> Iterator[list[bytes]]:
    batch: list[bytes] = []
    size = 0
    for key, (a, b) in pairs.items():
        if batch and (len(batch) == MOST_PAIRS or size + len(a) + len(b) > MOST_CHARACTERS):
            yield batch
            batch, size = [], 0
        batch.append(key)
        size += len(a) + len(b)
    if batch:
        yield batch


def _key(pair: Pair) -> bytes:
    return b"".join(sha256(text.encode("utf-8", "surrogatepass")).digest() for text in pair)


def _same(a: str, b: str) -> bool:
    return a.split() == b.split()


def _too_long(a: str, b: str) -> bool:
    return len(a) + len(b) > MOST_OF_A_PAIR
