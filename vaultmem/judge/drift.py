"""Whether two texts can both hold, without a model. Pure.

Claims that speak of the same thing are held against each other. They do not when each names something that the other
does not, when their times or conditions differ, or when they differ in more than one way: then they speak of two things.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, NamedTuple

from vaultmem.judge.amounts import other_amounts
from vaultmem.judge.claims import Form, claims
from vaultmem.judge.differences import Differences, differences
from vaultmem.judge.lexicon import (
    CONDITIONS,
    NEGATIONS,
    RECURRING_STEMS,
    root,
)
from vaultmem.judge.model import Drift, DriftJudgement
from vaultmem.judge.pairing import MOST_PAIRS
from vaultmem.judge.predicates import holds_once
from vaultmem.judge.reading import Reading, likeness, read
from vaultmem.judge.tokens import Kind, Token
from vaultmem.judge.units import maybe_same

LEAST_SHARED: Final = 0.6
"""Of what the shorter claim says, that the longer one must say as well, to speak of the same thing."""
FEWEST_SHARED: Final = 2
"""Words and units that both must say."""
LEAST_LIKENESS: Final = 0.25
"""Of two claims to be held against each other."""
SURE_LIKENESS: Final = 0.6
"""Of claims in Chinese and Japanese for a negation to be one of the same thing, as what it negates is not told apart."""
MOST_LONGER: Final = 1.3
"""Times that one such claim may be as long as the other."""
MOST_EXTRA: Final = 4
"""Words that a claim may have in addition and still be held against the other."""


class Finding(NamedTuple):
    """What two claims say about each other."""

    verdict: Drift
    reason: str
    confidence: float


def judge_drift(a: str, b: str) -> DriftJudgement:
    """Whether the two texts can both hold. Anything doubtful is CONSISTENT.

    What both say word for word contradicts nothing, and is compared with nothing.
    """
    told_a, told_b = _told(a), _told(b)
    both = {x.text for x in told_a} & {y.text for y in told_b}
    left = [x for x in told_a if x.text not in both]
    right = [y for y in told_b if y.text not in both]
    series_a, series_b = _Series(told_a), _Series(told_b)
    best = Finding(Drift.CONSISTENT, "nothing contradicts", 0.0)
    suspicion = 0.0
    if len(left) * len(right) > MOST_PAIRS:
        return DriftJudgement(Drift.CONSISTENT, "too much to compare", 0.0, 0.0)
    for x in left:
        for y in right:
            alike = likeness(x, y)
            if alike < LEAST_LIKENESS:
                suspicion = max(suspicion, _unlike(x, y, alike))
                continue
            found = differences(x, y)
            suspicion = max(suspicion, _suspicion(found, alike))
            finding = _finding(x, y, found)
            if finding is None or finding.confidence <= best.confidence:
                continue
            if not series_a.holds(x) and not series_b.holds(y):
                best = finding
    if best.verdict is Drift.CONSISTENT:
        return DriftJudgement(best.verdict, best.reason, 1 - suspicion, suspicion)
    return DriftJudgement(best.verdict, best.reason, best.confidence, 0.5 + best.confidence / 2)


def _told(text: str) -> tuple[Reading, ...]:
    """The claims of a text that can contradict others: sentences and list lines."""
    return tuple(read(claim.text) for claim in claims(text) if claim.form is Form.PROSE)


class _Series:
    """Which claims belong to a series: their own text says otherwise, too. *Step 1*, *step 2* are no contradiction."""

    def __init__(self, told: tuple[Reading, ...]) -> None:
        self._told = told
        self._known: dict[str, bool] = {}

    def holds(self, claim: Reading) -> bool:
        """Whether the claim, one of the text, belongs to a series."""
        if claim.text not in self._known:
            self._known[claim.text] = any(
                other.text != claim.text
                and likeness(claim, other) >= LEAST_LIKENESS
                and _finding(claim, other, differences(claim, other)) is not None
                for other in self._told
            )
        return self._known[claim.text]


def _finding(a: Reading, b: Reading, found: Differences) -> Finding | None:
    """What contradicts, if these claims speak of the same thing and differ in one way."""
    if not _same_thing(a, b, found):
        return None
    if a.ended != b.ended and not _other_one(found):
        return Finding(Drift.STALE, f"has ceased: {(a if a.ended else b).text}", 0.85)
    if any(found.words) and _conditional(a, b):
        return None
    if _other_signs(found) or _days_of_telling(a, b) or other_amounts(a, b, found):
        return None
    ways = [way for test in _TESTS if (way := test(a, b, found))]
    if len(ways) != 1 or _other_condition(a, b):
        return None
    verdict, reason, confidence = ways[0]
    return _in_time(a, b, found, Finding(verdict, f"{reason}: {a.text} / {b.text}", confidence))


def _same_thing(a: Reading, b: Reading, found: Differences) -> bool:
    left, right = found.words
    named = [[t for t in side if t.kind in (Kind.NAME, Kind.PATH)] for side in found.values]
    if all(found.words) or len(left) + len(right) > MOST_EXTRA:
        return False
    if (left or named[0]) and (right or named[1]) and not _single(a, b, found):
        return False
    shorter = min(a.keys.total(), b.keys.total())
    differing = min(len(found.values[0]), len(found.values[1])) + min(map(len, found.times))
    shared = (a.keys & b.keys).total() + found.soft + len(found.opposites)
    units = [{t.amount.unit for t in side if t.amount and t.amount.unit} for side in found.values]
    shared += len(units[0] & units[1])
    if not found.soft and not found.opposites and not (_said(a) & _said(b)):
        return False
    return shared >= FEWEST_SHARED and shared >= LEAST_SHARED * (shorter - differing)


def _other_one(found: Differences) -> bool:
    """Whether what stands before the thing tells it from the other: *the old pump*, *the new pump*."""
    return any(_ONES.issuperset(pair) for pair in found.opposites)


_ONES: Final = frozenset(
    ("old", "new", "left", "right", "first", "last", "upper", "lower", "north", "south", "east", "west", "black", "white", "big", "small")
)  # fmt: skip


def _other_signs(found: Differences) -> bool:
    """Whether characters stand for others that are not their opposites: then it is another thing, another time, or it is
    worded anew, and which of these is not told apart."""
    opposites = [(x, y) for x, y in found.opposites if not x.isascii()]
    apart = [(x, y) for x, y in found.signs if x and y]
    return any(not any(p in x and q in y for p, q in opposites) for x, y in apart)


_TELLING: Final = frozenset(
    (
        "today",
        "yesterday",
        "tomorrow",
        "tonight",
        "heute",
        "gestern",
        "morgen",
        "오늘",
        "어제",
        "내일",
    )
)
_TELLING_SIGNS: Final = re.compile("今天|昨天|明天|今日|昨日|明日|きょう|きのう|あした")


def _days_of_telling(a: Reading, b: Reading) -> bool:
    """Whether both tell of the day on which they were written, which is another one for each."""
    return all(
        any(t.key in _TELLING for t in r.tokens) or bool(_TELLING_SIGNS.search(r.text))
        for r in (a, b)
    )


def _said(reading: Reading) -> set[str]:
    """What it says besides values: roots of words, characters in twos."""
    signs = reading.signs
    return _stems(reading) | {signs[i : i + 2] for i in range(len(signs) - 1)}


def _in_time(a: Reading, b: Reading, found: Differences, finding: Finding) -> Finding | None:
    """The finding, seen that the claims may speak of different times."""
    if all(found.times) and not all(t.isdigit() for side in found.times for t in side):
        return None
    dates = [[t for t in side if t.kind is Kind.DATE] for side in found.values]
    dated = all(found.times) or (all(dates) and not finding.reason.startswith("dates differ"))
    if not dated:
        return finding
    if a.present or b.present:
        return Finding(Drift.STALE, f"a newer one says otherwise: {a.text} / {b.text}", 0.75)
    return None


def _other_condition(a: Reading, b: Reading) -> bool:
    """Whether the claims begin with different conditions: *in summer*, *with the patch*."""
    return _condition(a) != _condition(b) and bool(_condition(a) and _condition(b))


def _conditional(a: Reading, b: Reading) -> bool:
    return any(t.key in ("if", "when", "unless", "whether") for t in (*a.tokens, *b.tokens))


def _condition(reading: Reading) -> tuple[str, ...]:
    """The words of the condition; none when it is a date or a year, which is no condition but a time."""
    start = reading.tokens[:3]
    if not start or start[0].key not in CONDITIONS:
        return ()
    timed = any(
        t.kind is Kind.DATE or (t.kind is Kind.NUMBER and t.key in reading.times) for t in start
    )
    return () if timed else tuple(t.key for t in start)


Way = tuple[Drift, str, float]


def _numbers(_a: Reading, _b: Reading, found: Differences) -> Way | None:
    left, right = ([t for t in side if t.kind is Kind.NUMBER] for side in found.values)
    if not left or not right or len(left) != len(right):
        return None
    apart = [pair for pair in zip(left, right, strict=True) if not _maybe_same(*pair)]
    for x, y in apart:
        unit_x, unit_y = x.amount and x.amount.unit, y.amount and y.amount.unit
        if unit_x != unit_y and x.amount and y.amount and x.text.split()[0] != y.text.split()[0]:
            return None
    return (Drift.CONTRADICTORY, "numbers differ", 0.9) if apart else None


def _maybe_same(x: Token, y: Token) -> bool:
    if x.amount is None or y.amount is None or x.amount.unit is None:
        return False
    return maybe_same(x.amount, y.amount)


def _versions(_a: Reading, _b: Reading, found: Differences) -> Way | None:
    left, right = ([t for t in side if t.kind is Kind.VERSION] for side in found.values)
    return (Drift.CONTRADICTORY, "versions differ", 0.9) if left and right else None


def _dates(a: Reading, _b: Reading, found: Differences) -> Way | None:
    left, right = ([t for t in side if t.kind is Kind.DATE] for side in found.values)
    if not left or not right or _stems(a) & RECURRING_STEMS or _within(left, right):
        return None
    if any(":" in t.key for t in left) != any(":" in t.key for t in right):
        return None  # a day and a time of day
    if any(":" in t.key for t in left) and any(t.key in _TIMETABLE for t in a.tokens):
        return None  # the next bus
    if "as of" in a.text.lower():
        return None
    others = [t for side in found.values for t in side if t.kind is not Kind.DATE]
    negates = found.negated or found.opposites
    return None if others or negates else (Drift.CONTRADICTORY, "dates differ", 0.85)


_TIMETABLE: Final = frozenset(
    ("bus", "buses", "train", "trains", "tram", "trams", "ferry", "ferries", "boat", "flight", "flights", "bell", "zug", "fähre", "straßenbahn")
)  # fmt: skip
"""What goes more than once a day."""


def _within(a: list[Token], b: list[Token]) -> bool:
    """Whether one date is only less exact than the other."""
    return any(
        all(
            p == q or "?" in p + q for p, q in zip(x.key.split("-"), y.key.split("-"), strict=False)
        )
        for x in a
        for y in b
    )


FEWEST_SAID: Final = 2
"""Words of a claim; a name alone says nothing that another could contradict."""


def _names(a: Reading, b: Reading, found: Differences) -> Way | None:
    if min(a.weight, b.weight) < FEWEST_SAID:
        return None
    return (Drift.CONTRADICTORY, "only one can be", 0.8) if _single(a, b, found) else None


def _single(a: Reading, b: Reading, found: Differences) -> bool:
    """Whether another name stands with a predicate that holds of one thing at a time."""
    names = [[t for t in side if t.kind in (Kind.NAME, Kind.PATH)] for side in found.values]
    if not all(names) or any(found.words):
        return False
    return holds_once(a, b, names[0][0], names[1][0])


def _stems(reading: Reading) -> set[str]:
    return {root(t.key) for t in reading.words}


def _negation(a: Reading, b: Reading, found: Differences) -> Way | None:
    opposites = [pair for pair in found.opposites if not NEGATIONS.intersection(pair)]
    odd = found.negated != (len(opposites) % 2 == 1)
    if not odd:
        return None
    if opposites:
        pair = " / ".join(opposites[0])
        return Drift.CONTRADICTORY, f"opposites ({pair})", 0.85
    more, less = (a, b) if a.negations > b.negations else (b, a)
    lengths = sorted((len(a.signs), len(b.signs)))
    if more.signs and (likeness(a, b) < SURE_LIKENESS or lengths[1] > MOST_LONGER * lengths[0]):
        return None
    if more.tokens[0].key in NEGATIONS and "," in more.text:
        return None  # "never the lower ring, it is rusty": only what stands before the comma is negated
    if not _negates_shared(more, less):
        return None
    return Drift.CONTRADICTORY, "one of them negates", 0.85


def _negates_shared(more: Reading, less: Reading) -> bool:
    """Whether what is negated is something that the other claim says, too; else it says something in addition."""
    if more.signs or not any(t.key in NEGATIONS for t in more.tokens):
        return True
    if _is_exclamation(more.text):
        return False
    shared = _stems(less) | {t.key for t in less.values}
    for i, token in enumerate(more.tokens):
        if token.key in NEGATIONS:
            after = [t for t in more.tokens[i + 1 :] if t in more.words or t in more.values][:1]
            before = [t for t in more.tokens[:i] if t in more.words or t in more.values][-1:]
            near = after or before
            if near and (root(near[0].key) in shared or near[0].key in shared):
                return True
    return False


_CLAUSE: Final = re.compile(r"[,;:—–]")
_VERBS: Final = re.compile(
    r"\b(?:is|are|was|were|be|has|have|had|do|does|did|can|could|may|might|must|shall|should|will|would|\w+n['’]t)\b",
    re.IGNORECASE,
)


def _is_exclamation(text: str) -> bool:
    """Whether the negation stands in a clause without a verb, beside one that has one: *never the lower ring, it is
    rusted through* denies nothing of the ring."""
    clauses = _CLAUSE.split(text)
    negated = [c for c in clauses if any(t.key in NEGATIONS for t in read(c.strip()).tokens)]
    others = [c for c in clauses if c not in negated]
    return bool(others) and not any(map(_VERBS.search, negated)) and any(map(_VERBS.search, others))


_TESTS: Final[tuple[Callable[[Reading, Reading, Differences], Way | None], ...]] = (
    _numbers,
    _versions,
    _dates,
    _names,
    _negation,
)


def _suspicion(found: Differences, alike: float) -> float:
    """How much speaks for a contradiction where there is no verdict."""
    score = 0.15 * (1 - alike)
    if found.negated:
        score += 0.3 + 0.2 * alike
    if found.opposites:
        score += 0.2 + 0.15 * alike
    numbers = [[t for t in side if t.kind is Kind.NUMBER] for side in found.values]
    if all(numbers):
        score += 0.15 * alike
    if all(found.words) or any(x and y for x, y in found.signs):
        score += 0.08
    return min(score, 0.95)


def _unlike(a: Reading, b: Reading, alike: float) -> float:
    return 0.1 + (0.15 if (a.negations - b.negations) % 2 else 0.0) - 0.2 * alike
