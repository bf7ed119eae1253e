"""The terms that may name a community: words, tags, and of scripts without blanks what stands whole somewhere. Pure.

What is a word of Chinese, Japanese or Korean only a dictionary knows. The vault is one: what is a whole tag, a whole
alias or a whole part of a title is a word, and stands for itself in longer titles; pieces of words stand nowhere whole.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from vaultmem.graph.snapshot import GraphSnapshot
from vaultmem.index.terms import CJK_RUN, fold
from vaultmem.search.stopwords import ENGLISH

__all__ = ["Labels", "is_dated", "labels_of"]

LONGEST: Final = 30
"""Characters of a tag that names something; a longer one is a sentence."""
LONGEST_PART: Final = 8
"""Characters of a word of a script without blanks."""

_WORD: Final = re.compile(r"[^\W\d_][\w'’-]+")
_DATED: Final = re.compile(r"[\d\s.,:_/年月日周号第wqWQ-]+")
_SCRIPTS: Final = re.compile(
    "[\u30a1-\u30ff\u31f0-\u31ff]+|[\u3041-\u3096\u309d-\u309f]+|[\u1100-\u11ff\u3131-\u318e\ua960-\ua97c\uac00-\ud7ff]+"
    "|[^\u3041-\u30ff\u31f0-\u31ff\u1100-\u11ff\u3131-\u318e\ua960-\ua97c\uac00-\ud7ff]+"
)
"""Katakana, Hiragana, Hangul, and the signs of Chinese."""
_HIRAGANA: Final = re.compile("[\u3041-\u3096\u309d-\u309f]+")
_HANGUL: Final = re.compile("[\u1100-\u11ff\u3131-\u318e\ua960-\ua97c\uac00-\ud7ff]+")

# Words that hold a particle's sign and are no particle, then what parts the words of a Chinese title.
_CHINESE: Final = re.compile(
    "(目的|的确|和平|和谐|总和|饱和|缓和|温和|参与|给与|与会|普及|及时|及格|涉及|埃及|存在|现在|正在|所在|潜在|内在|外在|在线|"
    "在职|实在|是非|了解|了结|把握|把控|把手|被子|被动|让步|自我|我国|其他|他人|很多|之前|之后|之间|之外|总之|反之|也许)|"
    "(为什么|什么时候|什么|怎么样|怎么|怎样|如何|为何|哪些|哪个|哪里|那些|那个|那么|这些|这个|这么|这样|一个|一些|一种|我们|你们|"
    "他们|她们|它们|自己|可以|应该|需要|以及|或者|还是|就是|不是|是否|但是|因为|所以|如果|虽然|关于|对于|没有|有关|不如|不要|"
    "真的|有的|他的|的|了|和|与|及|在|是|吗|呢|吧|啊|把|被|让|我|你|您|他|她|它|们|这|那|很|之|也|或)"
)
_BEFORE: Final = re.compile("中(?![国文心间央年学医华])|要(?![素求点领闻])")
"""What belongs to the words before, when a part begins with it."""
_KOREAN_PARTICLE: Final = re.compile(
    "(에서|에게|으로|이란|까지|부터|처럼|보다|하는|하기|의|를|을|은|는|이|가|에|와|과|도|로|란)$"
)


@dataclass(frozen=True, slots=True)
class Labels:
    """What may name each note."""

    terms: list[frozenset[str]]
    """Of each note the words of its title, its aliases, its tags and of a category that it names itself."""
    folders: list[frozenset[str]]
    """Of each note the words of a category that is only the folder it lies in."""
    whole: frozenset[str]
    """Those that are a whole tag, title or alias somewhere."""


def labels_of(graph: GraphSnapshot, aliases: Mapping[int, Sequence[str]]) -> Labels:
    """The labels of every note; ``aliases`` are those of the nodes that have any."""
    spoken = [_spoken(graph, node, aliases.get(node, ())) for node in range(len(graph))]
    whole: set[str] = set()
    for node, texts in enumerate(spoken):
        whole.update(map(fold, texts))
        whole.update(part for tag in graph.tags[node] for part in fold(tag).split("/"))
    known = _Words(spoken, graph.tags)
    once = _remembered(known.words)
    terms, folders = [], []
    for node, texts in enumerate(spoken):
        own = graph.categories[node]
        is_folder = own.casefold() == graph.paths[node].split("/")[0].casefold()
        words = known.words_of(texts) | frozenset().union(*map(once, graph.tags[node]))
        folders.append(once(own) if is_folder else frozenset())
        terms.append(words if is_folder else words | once(own))
    return Labels(terms, folders, frozenset(whole))


def is_dated(title: str) -> bool:
    """Whether a title is a mere date or number, which names nothing.

    >>> is_dated("2023-02-08"), is_dated("2023 Japan Trip")
    (True, False)
    """
    return _DATED.fullmatch(title) is not None


def _spoken(graph: GraphSnapshot, node: int, aliases: Sequence[str]) -> tuple[str, ...]:
    return (graph.titles[node], *aliases)


def _remembered(words: Callable[[str], frozenset[str]]) -> Callable[[str], frozenset[str]]:
    """The same, each text looked at once."""
    known: dict[str, frozenset[str]] = {}

    def found(text: str) -> frozenset[str]:
        if text not in known:
            known[text] = words(text)
        return known[text]

    return found


class _Words:
    """Words of texts, in the light of all texts of a vault."""

    def __init__(self, spoken: Iterable[Sequence[str]], tags: Iterable[Sequence[str]]) -> None:
        notes = [
            {part for text in texts for part in _parts(fold(text))}
            | {run for tag in own for run in CJK_RUN.findall(fold(tag))}
            for texts, own in zip(spoken, tags, strict=True)
        ]
        known = {part for parts in notes for part in parts if 2 <= len(part) <= LONGEST_PART}
        known |= _stems(known)
        # A word that no second note has names nothing, and would hide the words within it.
        shared = Counter(
            found for parts in notes for found in {w for p in parts for w in _within(p, known)}
        )
        self._known = frozenset(word for word in known if shared[word] > 1)

    def words_of(self, texts: Iterable[str]) -> frozenset[str]:
        """The words of several texts together."""
        return frozenset().union(*map(self.words, texts))

    def words(self, text: str) -> frozenset[str]:
        """The words of a text: those between blanks, a whole tag also with its hyphens; of scripts without blanks
        those known."""
        folded = fold(text)
        found = {word for word in _WORD.findall(CJK_RUN.sub(" ", folded)) if len(word) <= LONGEST}
        for part in _parts(folded):
            found |= self._cut(part)
        found.update(run for run in CJK_RUN.findall(folded) if run in self._known)
        return frozenset(found) - ENGLISH

    def _cut(self, part: str) -> set[str]:
        """The known words of a part from left to right, the longest first, none across another's end; and of each
        those that it begins or ends with."""
        found: set[str] = set()
        at = 0
        while at < len(part):
            sizes = range(min(LONGEST_PART, len(part) - at), 1, -1)
            word = next((part[at : at + n] for n in sizes if part[at : at + n] in self._known), "")
            if word:
                inner = {word[:n] for n in range(2, len(word))}
                inner |= {word[-n:] for n in range(2, len(word))}
                found |= {word} | (inner & self._known)
            at += len(word) or 1
        return found


def _within(part: str, known: set[str]) -> set[str]:
    """The known words that stand in a part."""
    ends = range(2, LONGEST_PART + 1)
    return {part[at : at + n] for n in ends for at in range(len(part) - n + 1)} & known


def _parts(folded: str) -> list[str]:
    """The parts of what is written without blanks: cut where the script changes and at particles."""
    parts: list[str] = []
    for run in CJK_RUN.findall(folded):
        pieces = _SCRIPTS.findall(run)
        is_japanese = any(_HIRAGANA.fullmatch(piece) for piece in pieces)
        for piece in pieces:
            if _HIRAGANA.fullmatch(piece) and len(pieces) > 1:
                continue  # between words of other scripts these are particles and endings
            parts += [piece] if is_japanese or _HANGUL.fullmatch(piece) else _between(piece)
    return parts


def _between(piece: str) -> list[str]:
    """What stands between the particles of a Chinese text."""
    parts, begin = [], 0
    for found in _CHINESE.finditer(piece):
        if found[2]:
            parts.append(piece[begin : found.start()])
            begin = found.end()
    shorn = [part[1:] if _BEFORE.match(part) else part for part in [*parts, piece[begin:]]]
    return [part for part in shorn if part]


def _stems(known: Iterable[str]) -> set[str]:
    """The Korean words that stand with two endings, or with one and without: only then is it an ending."""
    forms: dict[str, set[str]] = {}
    for word in known:
        if _HANGUL.fullmatch(word):
            forms.setdefault(word, set()).add("")
            if (ending := _KOREAN_PARTICLE.search(word)) and ending.start() >= 2:
                forms.setdefault(word[: ending.start()], set()).add(ending[0])
    return {word for word, endings in forms.items() if len(endings) > 1}
