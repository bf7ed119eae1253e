"""How much of it: *very*, *slightly*, *barely*, *probably*. A claim in another degree is another claim. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from vaultmem.judge.lexicon import FUNCTION, NEGATIONS
from vaultmem.judge.tokens import Kind, Token

_SAME_DEGREE: Final = (
    "very", "lot lots", "quite", "rather", "too", "extremely exceedingly extraordinarily exceptionally", "highly", "hugely immensely enormously vastly",
    "incredibly unbelievably", "terribly awfully dreadfully", "strongly", "heavily", "severely", "intensely", "deeply", "particularly especially",
    "remarkably notably", "considerably substantially significantly markedly", "completely totally entirely fully wholly utterly absolutely",
    "perfectly", "thoroughly", "fairly moderately reasonably", "somewhat", "relatively comparatively", "slightly marginally", "mildly", "lightly", "weakly",
    "faintly", "minimally", "barely scarcely", "practically virtually", "overly excessively unduly", "sufficiently adequately", "insufficiently",
    "partly partially", "largely mainly chiefly primarily principally predominantly", "usually mostly generally normally commonly typically", "often frequently",
    "occasionally", "regularly", "irregularly", "infrequently", "constantly continuously", "probably presumably", "possibly maybe perhaps conceivably",
    "certainly definitely surely undoubtedly", "allegedly reportedly supposedly", "apparently seemingly", "strictly", "loosely", "roughly", "precisely",
    "sehr", "höchst", "überaus äußerst", "extrem", "ziemlich", "etwas", "kaum", "völlig vollständig", "ganz", "beinahe nahezu", "besonders", "stark", "schwach", "leicht",
    "geringfügig", "mäßig", "deutlich", "zumeist meistens", "oft häufig", "manchmal", "vielleicht", "wahrscheinlich vermutlich", "sicherlich", "teilweise",
    "매우 아주", "몹시 무척", "굉장히", "극히", "상당히", "꽤", "약간 조금", "다소", "살짝", "거의", "너무", "가장", "더", "덜", "훨씬", "완전히", "전혀", "자주", "가끔", "항상 늘", "아마 아마도",
)  # fmt: skip
"""Those in a line mean the same degree."""
_DEGREE: Final[Mapping[str, str]] = {
    word: line.split()[0] for line in _SAME_DEGREE for word in line.split()
}
_OF_A_STATE: Final = frozenset(("really", "so", "pretty", "just", "well", "far", "way"))  # fmt: skip
"""Degrees where they stand between *is* and a word such as *cold*; elsewhere these say other things."""
_STATES: Final = frozenset(("is", "are", "was", "were", "be", "been", "being", "seems", "seem", "looks", "look", "feels", "feel", "gets", "get", "got", "stays", "remains", "becomes", "turns"))  # fmt: skip
_OTHER_USE: Final = frozenset((("rather", "than"), ("quite", "a"), ("roughly", "the")))

_CHARACTERS: Final = tuple(
    (re.compile(pattern), degree)
    for pattern, degree in (
        ("非常|十分(?![钟鐘])|特别(?!是)|特別(?!な)", "very much"), ("极其|極其|极为|極めて|极度|きわめて", "extremely"), ("很(?!多|少)", "very"),
        ("相当|相當|かなり|ずいぶん|だいぶ", "considerably"), ("比较(?=[\u3400-\u9fff]的)|较为|較為|わりと|比較的", "relatively"),
        ("有点|有點|有些|稍微|略微|稍稍|少し|やや|ちょっと|いくらか", "slightly"), ("わずかに|轻微|輕微", "marginally"),
        ("几乎|幾乎|差不多|ほぼ|ほとんど|殆ど", "nearly"), ("过于|過於|太(?![阳陽太平空])|すぎ|過ぎ(?!た|る)|あまりに", "too"),
        ("更加|更(?![新换換改衣])|もっと|さらに|より一層", "more"), ("完全|全く|まったく|すっかり", "completely"),
        ("(?<!え)とても|すごく|大変(?!な)|たいへん|非常に", "very much"), ("最も|(?<!も)最(?![后後近初終终])", "most"), ("颇|頗|挺(?=[\u3400-\u9fff])", "quite"),
        ("大概|也许|也許|可能|たぶん|恐らく|おそらく", "perhaps"), ("经常|經常|常常|よく(?!な)|しばしば", "often"), ("偶尔|偶爾|有时|有時|時々|ときどき|たまに", "sometimes"),
        ("必ず|一定(?!の)", "certainly"), ("部分地|一部だけ", "partly"), ("大部分|大体|だいたい|大抵", "mostly"),
    )
)  # fmt: skip
_ANY_CHARACTER: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")


def degrees_of(found: Sequence[Token], text: str) -> Counter[str]:
    """The degrees that a claim names, each as one word for all that mean it.

    ``text`` is the claim, ``found`` its tokens.
    """
    told = Counter(_by_words(found))
    if _ANY_CHARACTER.search(text):
        for pattern, degree in _CHARACTERS:
            many = len(pattern.findall(text))
            if many:
                told[degree] += many
                text = pattern.sub(" ", text)
    return told


def _by_words(found: Sequence[Token]) -> list[str]:
    told: list[str] = []
    keys = ["", *(token.key for token in found), ""]
    for before, token, after in zip(keys, found, keys[2:], strict=False):
        if token.kind is not Kind.WORD or (token.key, after) in _OTHER_USE:
            continue
        known = _DEGREE.get(token.key)
        if known == "too":  # what there is too much of is told elsewhere
            continue
        if known is not None:
            told.append(known)
        elif token.key in _OF_A_STATE and before in _STATES and _says_something(after):
            told.append(token.key)
    return told


def _says_something(key: str) -> bool:
    return bool(key) and key[0].isalpha() and key not in FUNCTION and key not in NEGATIONS


def same_degree(a: str, b: str) -> bool:
    """Whether both words name one degree.

    >>> same_degree("mainly", "chiefly"), same_degree("very", "quite")
    (True, False)
    """
    known = _DEGREE.get(a)
    return known is not None and known == _DEGREE.get(b)


def compared(a: str, b: str) -> bool:
    """Whether one word is the other in a higher degree.

    >>> compared("low", "lower"), compared("late", "latest"), compared("dry", "drier"), compared("own", "keep")
    (True, True, True, False)
    """
    short, long = sorted((a, b), key=len)
    if len(short) < 3 or not long.endswith(("er", "est")):
        return False
    base = long.removesuffix("est") if long.endswith("est") else long.removesuffix("er")
    return base in (short, short[:-1] if short.endswith("e") else short, f"{short}{short[-1]}") or (
        short.endswith("y") and base == f"{short[:-1]}i"
    )
