"""Little words that carry no claim of their own and yet turn one around: *and* and *or*, *from* and *to*, *is* and
*was*, *my* and *your*, a question mark. Pure.

That such a word comes or goes changes nothing; that one stands for another of its kind does.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from vaultmem.judge.lexicon import IRREGULAR, NEGATIONS, root
from vaultmem.judge.reading import Reading
from vaultmem.judge.tokens import Kind


def _kinds(**groups: str) -> Mapping[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for name, words in groups.items():
        for word in words.split():
            found.setdefault(word, set()).add(name)
    return {word: frozenset(names) for word, names in found.items()}


_CHOICE: Final = _kinds(all="and", one="or")
_TENSE: Final = _kinds(
    now="is are am has have do does", past="was were had did", ahead="will", doubt="would"
)
_REASON: Final = _kinds(
    condition="if when whenever", cause="because since", concession="although though but however"
)
_PERSON: Final = _kinds(
    speaker="i me my we us our", reader="you your", he="he him his", she="she her", they="they them their", it="it its"
)  # fmt: skip
_PLACE: Final = _kinds(
    to="to into onto", source="from", inside="in into at within", on="on onto", by="by", use="for"
)
_ONLY_MEANT: Final[Mapping[str, str]] = {
    root(word): group.split()[0]
    for group in (
        "try attempt", "want wish desire", "hope", "plan intend", "refuse decline", "forget forgot forgotten", "promise", "offer", "agree",
        "threaten", "pretend", "claim allege assert argue say state maintain think believe report", "seem", "suggest propose recommend", "suspect assume suppose guess", "expect", "doubt",
        "consider", "deny", "regret", "hesitate", "fail", "want", "manage",    )
    for word in group.split()
}  # fmt: skip
"""What makes of a deed one that is only meant, refused or said: *tried to sell*, *claims that it is paid*."""
_MEANT_IN_GERMAN: Final[Mapping[str, str]] = {
    word: group.split()[0]
    for group in ("versuchen versucht versuchte", "wollen wollte wollten", "hoffen hofft hoffte", "vergessen vergaß", "behaupten behauptet behauptete", "möchte möchten")
    for word in group.split()
}  # fmt: skip
_MEANT_BY_SIGNS: Final = tuple(
    (re.compile(pattern), word)
    for pattern, word in (
        ("会(?![员員议議计社])(?<!社会)(?<!机会)(?<!开会)", "will"), ("应该|应当|應該|必须|必須|要(?=[去做把])", "must"), ("可以|能够|能夠", "may"),
        ("想(?=[要买卖去做把])|打算|希望(?=[能买卖])", "want"), ("试图|試圖", "try"), ("拒绝|拒絕", "refuse"), ("忘了|忘记|忘記", "forget"), ("似乎|好像", "seem"),
        ("据说|據說|声称|聲稱", "claim"), ("つもり|予定", "plan"), ("ようとし", "try"), ("たい(?=[。です]|と思|$)", "want"),
        ("려고", "try"), ("고 싶", "want"), ("다고 주장", "claim"), ("것 같", "seem"),
    )
)  # fmt: skip
_OF_A_SUBJECT: Final = ("이", "가", "은", "는", "께서")
_OF_AN_OBJECT: Final = ("을", "를", "에게", "한테")


def turned(a: Reading, b: Reading) -> str:
    """Which little words make the claims say different things, in words; empty when none do."""
    if _asks(a) != _asks(b):
        return "one of them asks"
    only_a, only_b = _rest(a, b), _rest(b, a)
    for kinds in (_CHOICE, _TENSE, _REASON, _PERSON):
        left = [word for word in only_a if word in kinds]
        right = [word for word in only_b if word in kinds]
        told, other = _union(left, kinds), _union(right, kinds)
        if told and other and told != other:
            return f"little words differ: {left[0]} / {right[0]}"
    if _who(a) != _who(b) and Counter(_who(a)) == Counter(_who(b)):
        return "the same persons in another order"
    if clash := _clash(_places(a), _places(b)):
        return f"little words differ: {clash}"
    if (meant := _meant(a)) != (other := _meant(b)):
        return f"only meant in one of them: {', '.join(sorted(meant ^ other))}"
    if _tensed(a, b) or _tensed(b, a) or _ended_before(a) != _ended_before(b):
        return "times of verbs differ"
    if _limited(a) != _limited(b):
        return "limits differ: 만"
    if _too(a) != _too(b):
        return "limits differ: too"
    if _in_other_roles(a, b):
        return "the same words in other roles"
    return "the same characters in another order" if _signs_moved(a, b) else ""


def _asks(reading: Reading) -> bool:
    return reading.text.rstrip(" \t\"'”’)」』*_").endswith(("?", "？"))


def _rest(reading: Reading, other: Reading) -> list[str]:
    left = Counter(t.key for t in reading.tokens) - Counter(t.key for t in other.tokens)
    return list(left)


def _union(words: Sequence[str], kinds: Mapping[str, frozenset[str]]) -> frozenset[str]:
    return frozenset(name for word in words for name in kinds[word])


def _who(reading: Reading) -> list[frozenset[str]]:
    return [_PERSON[t.key] for t in reading.tokens if t.key in _PERSON]


def _places(reading: Reading) -> dict[str, set[str]]:
    """By what follows them, the little words of place."""
    found: dict[str, set[str]] = {}
    said = {id(t) for t in (*reading.words, *reading.values)}
    last = ""
    for token in reading.tokens:
        if token.key in _PLACE:
            last = token.key
        elif last and (id(token) in said or token.key in reading.times):
            found.setdefault(root(token.key), set()).add(last)
            last = ""
    return found


def _clash(a: Mapping[str, set[str]], b: Mapping[str, set[str]]) -> str:
    for word in sorted(a.keys() & b.keys()):
        left, right = sorted(a[word]), sorted(b[word])
        if not _union(left, _PLACE) & _union(right, _PLACE):
            return f"{left[0]} {word} / {right[0]} {word}"
    return ""


def _meant(reading: Reading) -> frozenset[str]:
    """What makes of its deeds some that are only meant: such words before *to*, *that* or a German verb."""
    pairs = zip(reading.tokens, (*(t.key for t in reading.tokens[1:]), ""), strict=True)
    words = {
        _ONLY_MEANT[root(token.key)]
        for token, after in pairs
        if after in ("to", "that") and root(token.key) in _ONLY_MEANT
    }
    words |= {_MEANT_IN_GERMAN[t.key] for t in reading.tokens if t.key in _MEANT_IN_GERMAN}
    signs = {word for pattern, word in _MEANT_BY_SIGNS if pattern.search(reading.text)}
    return frozenset(words | signs)


def _tensed(past: Reading, now: Reading) -> bool:
    """Whether the first tells as past what the second tells of now, in the same word: *called*, *calls*."""
    keys = [t.key for t in past.tokens]
    held = {t.key for t in now.tokens}
    present = {root(t.key) for t in now.words if t.key not in keys and _is_present(t.key)}
    for token in past.words:
        if token.key in held or not _is_past(token.key) or root(token.key) not in present:
            continue
        if not _HELPERS.intersection(keys[: keys.index(token.key)][-3:]):
            return True
    return False


_HELPERS: Final = frozenset(
    ("is", "are", "was", "were", "be", "been", "being", "has", "have", "had", "get", "gets", "got", "a", "an", "the", "its")
)  # fmt: skip


def _is_past(key: str) -> bool:
    return (key.endswith("ed") and not key.endswith("eed")) or (
        key in IRREGULAR and not key.endswith(("er", "es", "n"))
    )


def _is_present(key: str) -> bool:
    return not key.endswith(("ed", "ing", "er", "ion")) and key not in IRREGULAR


_PAST_JA: Final = re.compile(
    r"(?:した|った|いた|いだ|えた|けた|れた|せた|てた|でた|めた|べた|ました|きた|見た|んだ)[。\s]*$"
)
_NOT_PAST_JA: Final = re.compile(r"(?:[るうくすつぬむぐぶ]|ます|ません)[。\s]*$")


_HEARD_JA: Final = re.compile(r"(?:そうです|と聞きました|とのことです)[。\s]*$")
"""What a claim that was told ends with."""


def _ended_before(reading: Reading) -> str:
    """Whether a sentence in Japanese ends in the past or not; empty where it is neither."""
    told = _HEARD_JA.sub("", reading.text)
    if _PAST_JA.search(told):
        return "past"
    return "now" if _NOT_PAST_JA.search(told) else ""


def _limited(reading: Reading) -> frozenset[str]:
    """What Korean says of this alone: *철수만*."""
    return frozenset(
        t.key
        for t in reading.tokens
        if t.text == f"{t.key}만" and len(t.key) > 1 and t.key != "하지"
    )


def _too(reading: Reading) -> int:
    """How often it says of a property that there is too much of it; at the end, *too* is *also*."""
    pairs = zip(reading.tokens, reading.tokens[1:], strict=False)
    return sum(x.key == "too" and y.kind is Kind.WORD for x, y in pairs)


def _in_other_roles(a: Reading, b: Reading) -> bool:
    """Whether who does it and to whom it is done have changed places, by the particles of Korean."""
    one, other = _roles(a), _roles(b)
    changed = {(one[key], other[key]) for key in one.keys() & other.keys()}
    return any({(x, y), (y, x)} <= changed for x, y in (("subject", "object"), ("source", "goal")))


def _roles(reading: Reading) -> dict[str, str]:
    found = {}
    for token in reading.tokens:
        particle = token.text[len(token.key) :] if token.text.startswith(token.key) else ""
        if particle in _OF_A_SUBJECT:
            found[token.key] = "subject"
        elif particle in _OF_AN_OBJECT:
            found[token.key] = "object"
        elif particle in ("에서", "부터"):
            found[token.key] = "source"
        elif particle in ("까지", "으로", "로"):
            found[token.key] = "goal"
    return found


def _signs_moved(a: Reading, b: Reading) -> bool:
    """Whether the same Chinese or Japanese characters stand in another order, their particles included."""
    left, right = ([t.key for t in r.tokens if t.kind is Kind.SIGN] for r in (a, b))
    return left != right and Counter(left) == Counter(right)


def in_order(reading: Reading) -> list[str]:
    """What the claim says in its order: roots of its words and values, its limits, and its negations as one word."""
    said = {id(t) for t in (*reading.words, *reading.values)}
    found = []
    for token in reading.tokens:
        if token.key in NEGATIONS:
            found.append("not")
        elif id(token) in said or token.key in reading.polar:
            found.append(root(token.key))
    return found
