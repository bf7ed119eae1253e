"""Pairs of texts that say the same with a tenth of their words changed, and should be merged."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Final

from tests.dream.lookalikes import MAKERS, LookAlike, value_pair
from tests.dream.sentences import context
from tests.dream.words import Half, half_of

SHARE: Final = 0.1
"""Of the words of a text that are changed."""

SYNONYMS: Final = (
    ("started", "began"), ("small", "little"), ("quiet", "calm"), ("work", "effort"), ("wrote", "composed"),
    ("check", "inspect"), ("group", "circle"), ("old", "former"), ("slow", "sluggish"), ("approach", "method"),
    ("wait", "hold on"), ("spare", "extra"), ("keep", "store"), ("beside", "next to"), ("trouble", "problems"),
    ("badly", "poorly"), ("helps", "is good"), ("early", "soon"), ("soil", "earth"), ("short", "brief"),
    ("nobody", "no one"), ("ask", "enquire"), ("said", "told us"), ("often", "frequently"), ("takes longer", "needs longer"),
    ("remember", "do not forget"), ("close", "shut"), ("remove", "take out"), ("otherwise", "or else"),
    ("appears", "shows up"), ("only", "just"), ("at once", "simultaneously"), ("aim", "goal"), ("quick", "fast"),
    ("really", "actually"), ("thinks", "believes"), ("simplest", "easiest"), ("fix", "remedy"), ("show", "display"),
    ("total", "sum"), ("blinks", "flashes"), ("a little", "a moment"), ("long", "lengthy"), ("finally", "in the end"),
    ("common", "shared"), ("warm", "heated"), ("damp", "moist"), ("explains", "describes"), ("big", "large"),
    ("customers", "clients"), ("usually", "mostly"), ("return", "come back"), ("likes", "enjoys"), ("current", "present"),
    ("want", "wish"), ("begin", "start"), ("gently", "carefully"), ("colleague", "co-worker"), ("help", "assist"),
    ("build", "construct"), ("needs", "requires"), ("repair", "mending"), ("near", "close to"), ("mainly", "chiefly"),
    ("quickly", "swiftly"), ("looks", "appears"), ("talk", "lecture"), ("send", "forward"), ("everyone", "everybody"),
    ("holds", "contains"), ("daily", "every day"), ("chose", "picked"), ("steps", "stages"), ("easy", "simple"),
    ("cabinet", "cupboard"), ("sorted", "ordered"), ("walk", "stroll"), ("visit", "trip"), ("notes", "records"),
    ("stay", "remain"), ("saves", "spares"), ("house", "home"), ("reviewed", "examined"), ("tried", "tested"),
    ("argues", "claims"), ("habits", "routines"), ("slowly", "gradually"), ("matter", "count"), ("a lot", "very much"),
    ("write down", "note"), ("reason", "grounds"), ("hard", "difficult"), ("recall", "recollect"), ("later", "afterwards"),
)  # fmt: skip
"""Either may stand for the other where these sentences use them."""

SMALL: Final = (
    (" because ", " since "), (" so that ", " so "), (" and then ", " then "), (" the ", " "), (" a ", " one "),
    (" which ", " that "), (", but ", " although "), (" is ", " is also "), (" are ", " are still "),
    (" when ", " whenever "), (" we ", " our people "), (" before ", " ahead of "),
)  # fmt: skip
"""Words that carry no claim."""

CJK_CHANGES: Final = {
    "zh": (
        ("我们", "咱们"), ("然后", "之后"), ("旧的", "老的"), ("因为", "由于"), ("请把", "请将"), ("效果最好", "最有效"),
        ("每周", "每星期"), ("简短", "简要"), ("同时", "一起"), ("常常", "经常"), ("以后", "将来"), ("理由", "原因"),
    ),
    "ja": (
        ("まず", "最初に"), ("始めて", "開始して"), ("方法", "やり方"), ("必要があった", "必要だった"), ("横", "隣"),
        ("良いです", "よいです"), ("まとめ", "要約"), ("同時に", "一緒に"), ("ときだけ", "場合だけ"), ("とき", "時"),
        ("多いそうです", "多いと聞きました"), ("理由", "わけ"), ("後で", "あとで"),
    ),
    "ko": (
        ("먼저", "우선"), ("뒤에", "후에"), ("예전", "옛날"), ("방식", "방법"), ("옆의", "옆에 있는"), ("좋습니다", "낫습니다"),
        ("짧은", "간단한"), ("때만", "경우에만"), ("나타납니다", "발생합니다"), ("동안에는", "기간에는"), ("이유", "까닭"),
        ("적어 둡니다", "써 둡니다"),
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class RealDuplicate:
    """Two texts that say the same, the share of words changed, and their language."""

    a: str
    b: str
    changed: float
    language: str = "en"


def duplicates(count: int, half: Half, seed: int) -> Iterator[RealDuplicate]:
    """That many pairs of 25 to 90 words, every sixth one in Chinese, Japanese or Korean."""
    rng = Random(f"duplicates {half} {seed}")
    while count:
        pair = _cjk(half, rng) if count % 6 == 0 else _english(half, rng)
        if pair is not None:
            count -= 1
            yield pair


def _english(half: Half, rng: Random) -> RealDuplicate | None:
    sentences = context(rng.randint(2, 5), half, rng)
    if rng.random() < 0.5:
        fact = value_pair(rng.choice(list(MAKERS)), half, rng)[0]
        sentences.insert(rng.randint(0, len(sentences)), _stopped(fact))
    a = " ".join(sentences)
    words = len(a.split())
    wanted = max(1, round(SHARE * words))
    if rng.random() < 0.3:
        rng.shuffle(sentences)
    b, changed = _changed(" ".join(sentences), wanted, half, rng)
    if changed < wanted:
        return None
    return RealDuplicate(a, b, changed / words)


def reworded_look_alikes(count: int, half: Half, seed: int) -> Iterator[LookAlike]:
    """That many pairs that differ in one value, all kinds in turn, and in a tenth of the other words."""
    rng = Random(f"reworded {half} {seed}")
    kinds = list(MAKERS)
    for i in range(count):
        kind = kinds[i % len(kinds)]
        first, second, template = value_pair(kind, half, rng)
        around = context(rng.randint(2, 4), half, rng)
        place = rng.randint(0, len(around))
        before, after = " ".join(around[:place]), " ".join(around[place:])
        wanted = max(1, round(SHARE * len(" ".join(around).split())))
        changed_before, done = _changed(before, wanted // 2, half, rng)
        changed_after, _ = _changed(after, wanted - done, half, rng)
        a = f"{before} {_stopped(first)} {after}".strip()
        b = f"{changed_before} {_stopped(second)} {changed_after}".strip()
        yield LookAlike(kind, a, b, template)


def reworded(text: str, half: Half, rng: Random, share: float = SHARE) -> str:
    """The text with about that share of its words changed, and what it claims the same."""
    return _changed(text, max(1, round(share * len(text.split()))), half, rng)[0]


def _stopped(sentence: str) -> str:
    return sentence if sentence.endswith(".") else f"{sentence}."


def _changed(text: str, wanted: int, half: Half, rng: Random) -> tuple[str, int]:
    """The text with up to ``wanted`` words changed, three of four times by a word of the same meaning."""
    meanings = [
        pair
        for x, y in half_of(SYNONYMS, half)
        for pair in ((f" {x} ", f" {y} "), (f" {y} ", f" {x} "))
    ]
    changes = rng.sample(meanings, len(meanings)) + rng.sample(SMALL, len(SMALL))
    done = 0
    small = [c for c in changes if c in SMALL]
    large = [c for c in changes if c not in SMALL]
    touched: set[str] = set()
    while done < wanted and (small or large):
        pool = small if not large or (small and rng.random() < 0.25) else large
        old, new = pool.pop()
        if old in text and old not in touched:
            text = text.replace(old, new, 1)
            touched |= {old, new}
            done += 1
    return text, done


def _cjk(half: Half, rng: Random) -> RealDuplicate | None:
    language = rng.choice(list(CJK_CHANGES))
    joint = " " if language == "ko" else ""
    a = joint.join(context(rng.randint(2, 4), half, rng, language))
    b = a
    changed = 0
    for old, new in rng.sample(CJK_CHANGES[language], len(CJK_CHANGES[language])):
        if old in b and changed < max(2, SHARE * len(a)):
            b = b.replace(old, new, 1)
            changed += len(old)
    return RealDuplicate(a, b, changed / len(a), language) if changed >= 2 else None
