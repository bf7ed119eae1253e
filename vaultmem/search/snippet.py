"""The words around a match. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from vaultmem.index.terms import GROWING, fold
from vaultmem.notes.letters import MARKS
from vaultmem.notes.plain import plain_text
from vaultmem.search.model import Snippet
from vaultmem.search.query import Term

WIDTH = 180
"""Characters of a snippet."""

_BETWEEN = rf"(?:(?![{MARKS}])[\W_])+"
"""What may stand between the tokens of a phrase."""

_CLUSTER = re.compile(
    rf"[\u1100-\u11ff\ua960-\ua97c\ud7b0-\ud7ff]+|.(?:(?!\w)[{MARKS}\u3099\u309a])*",
    re.DOTALL,
)
"""Characters that may fold into fewer: a letter with its marks, a Hangul syllable in pieces."""


def make_snippet(markdown: str, terms: Sequence[Term], *, width: int = WIDTH) -> Snippet:
    """The stretch of the block with the most different terms in it, marks on each occurrence; its beginning
    when none occurs as such (a hit by meaning, or by the title)."""
    text = " ".join(plain_text(markdown).split())
    marks = find_marks(text, terms)
    start, end = _window(text, marks, width)
    shown = [
        (max(a, start) - start, min(b, end) - start) for a, b, _ in marks if a < end and b > start
    ]
    lead = "… " if start > 0 else ""
    tail = " …" if end < len(text) else ""
    shift = len(lead)
    return Snippet(
        f"{lead}{text[start:end]}{tail}", tuple((a + shift, b + shift) for a, b in shown)
    )


def find_marks(text: str, terms: Sequence[Term]) -> list[tuple[int, int, int]]:
    """(start, end, number of the term) of each place where a term stands in the text, in order, not overlapping.

    Words match as whole words first; a word that nowhere does matches as a part of words. CJK runs match as a
    whole, else pair by pair.
    """
    folded, places = _fold_with_places(text)
    terms = tuple(terms)
    found: list[tuple[int, int, int]] = []
    pattern = _whole_words(terms)
    if pattern is not None:
        found = [
            (match.start(), match.end(), int(match.lastgroup[1:]))
            for match in pattern.finditer(folded)
            if match.lastgroup is not None
        ]
    whole = {number for _, _, number in found}
    for number, term in enumerate(terms):
        if term.is_cjk:
            needles = [term.text] if term.text in folded else list(term.tokens)
            found += _parts(folded, needles, number)
        elif number not in whole and len(term.text) >= 3:
            found += _parts(folded, [term.text], number)
    if places is not None:
        found = [(places[a][0], places[b - 1][1], number) for a, b, number in found]
    return _without_overlaps(found)


@lru_cache(maxsize=32)
def _whole_words(terms: tuple[Term, ...]) -> re.Pattern[str] | None:
    """Matches each term that is not CJK as whole words; the group that matched bears the term's number. A word
    that touches CJK characters is found as a part, not as a whole."""
    words = sorted(
        ((number, term) for number, term in enumerate(terms) if not term.is_cjk),
        key=lambda numbered: -len(numbered[1].text),
    )
    if not words:
        return None
    options = "|".join(
        f"(?P<t{number}>{_BETWEEN.join(map(re.escape, term.tokens))})" for number, term in words
    )
    return re.compile(rf"(?<![^\W_])(?<![{MARKS}])(?:{options})(?![^\W_])(?![{MARKS}])")


def _fold_with_places(text: str) -> tuple[str, list[tuple[int, int]] | None]:
    """The text folded, and for each character of that the span in the text that it stands for; None when their
    places are the same."""
    folded = fold(text)
    # In compatibility form each character folds to one, but for lone marks, which fold to none, and for a few
    # letters that fold to two.
    if (
        len(folded) == len(text)
        and unicodedata.is_normalized("NFKC", text)
        and (text.isascii() or not GROWING.search(text))
    ):
        return folded, None
    parts: list[str] = []
    places: list[tuple[int, int]] = []
    for cluster in _CLUSTER.finditer(text):
        part = fold(cluster[0])
        parts.append(part)
        places += [cluster.span()] * len(part)
    return "".join(parts), places


def _parts(folded: str, needles: Sequence[str], number: int) -> list[tuple[int, int, int]]:
    places = []
    for needle in needles:
        at = folded.find(needle)
        while at >= 0:
            places.append((at, at + len(needle), number))
            at = folded.find(needle, at + len(needle))
    return places


def _without_overlaps(found: list[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    out: list[tuple[int, int, int]] = []
    for start, end, number in sorted(found, key=lambda m: (m[0], -m[1])):
        if out and start < out[-1][1]:
            if end > out[-1][1]:
                out[-1] = (out[-1][0], end, out[-1][2])
        else:
            out.append((start, end, number))
    return out


def _window(text: str, marks: list[tuple[int, int, int]], width: int) -> tuple[int, int]:
    if len(text) <= width:
        return 0, len(text)
    start = 0
    best = 0
    for first, _, _ in marks:
        at = max(0, first - width // 5)
        terms = len({number for a, b, number in marks if a >= at and b <= at + width})
        if terms > best:
            best, start = terms, at
    if start > 0:
        blank = text.find(" ", start)
        start = blank + 1 if 0 <= blank < start + 20 else start
    end = min(len(text), start + width)
    if end < len(text):
        blank = text.rfind(" ", end - 20, end)
        end = blank if blank > start else end
    return start, end
