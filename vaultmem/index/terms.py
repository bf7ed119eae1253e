"""How text becomes search terms: folding, and the cutting of Chinese, Japanese and Korean runs and of emoji.

The same functions serve the index and the query, so that what was written and what is asked meet.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from vaultmem.notes.letters import MARKS

CJK_CLASS = (
    "\u1100-\u11ff\u3005-\u3007\u3021-\u3029\u3031-\u3035\u303b\u3041-\u3096\u309d-\u309f"
    "\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f\u3131-\u318e\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf"
    "\u4e00-\u9fff\ua960-\ua97c\uac00-\ud7ff\uf900-\ufaff\U0001b000-\U0001b16f\U00020000-\U0003ffff"
)
"""The characters of scripts written without blanks between words (Hangul too: particles stick to its words), in
folded text. Only those that SQLite's tokenizer takes for letters: no radicals, no lone voicing marks."""

CJK_RUN = re.compile(f"[{CJK_CLASS}]+")

_NO_WORD = re.compile(rf"[{CJK_CLASS}]+|[^\w{MARKS}\x00-\x7f]+")
"""What ends a word outside ASCII. SQLite's tokenizer knows an older Unicode, in which a newer emoji is a letter."""

SYMBOL = re.compile("[⌀-⏿■-➿⬀-⯿\U0001f000-\U0001f3fa\U0001f400-\U0001faff]")
"""Emoji and pictographs, each a term of its own: people file by 🔵 and ✅. A skin tone is none, nor are plain
arrows, mathematics and the lines of boxes, which stand in text for other ends."""

_RUN = re.compile(f"[{CJK_CLASS}]+|{SYMBOL.pattern}")

_SURROGATE = re.compile("[\ud800-\udfff]")

_MARKED = re.compile("[\u00c0-\u058f\u1e00-\u1fff]")
"""Latin, Greek and Cyrillic letters that may carry a mark; marks of other scripts change the letter."""


_SPELLED_OUT = str.maketrans(
    {"ß": "ss", "æ": "ae", "œ": "oe", "þ": "th", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "ħ": "h"}
    | {"ŧ": "t", "ı": "i"}
)
"""Lower-case letters that no decomposition takes apart, as they are written where a keyboard lacks them."""

GROWING = re.compile("[ßæœþ]", re.IGNORECASE)
"""Letters that fold into two."""


def fold(text: str) -> str:
    """The form in which texts are compared: compatibility form (NFKC), lower case, no Latin, Greek or
    Cyrillic marks. ``Ｃafé`` and ``cafe`` fold to the same, ``Straße`` and ``strasse``, ``Økland`` and ``okland``;
    the kana ``が`` keeps its mark. A NUL, at which SQLite's tokenizers stop, becomes a blank."""
    text = text.replace("\0", " ")
    if text.isascii():
        return text.lower()
    folded = unicodedata.normalize("NFKC", text).lower()
    return _MARKED.sub(_without_marks, folded)


def _without_marks(match: re.Match[str]) -> str:
    base = unicodedata.normalize("NFD", match[0])
    return "".join(c for c in base if not unicodedata.combining(c)).translate(_SPELLED_OUT)


def storable(text: str) -> str:
    """The text with lone surrogates, which no database can hold, as U+FFFD."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def cjk_grams(folded: str) -> str:
    """For each CJK run its overlapping pairs, then its single characters, blanks between; for each symbol its word.

    Pairs stand in a row, so a phrase query of pairs finds any substring of a run; the single characters
    between one run's pairs and the next's keep a phrase from reaching across runs.
    """
    if folded.isascii():
        return ""
    out: list[str] = []
    for run in _RUN.findall(folded):
        if SYMBOL.match(run):
            out.append(symbol_word(run))
            continue
        out += [run[i : i + 2] for i in range(len(run) - 1)]
        out += run
    return " ".join(out)


def symbol_word(symbol: str) -> str:
    """The word that stands for a symbol in the word index, whose tokenizer takes no symbol for a letter.

    >>> symbol_word("🔵")
    'symbol1f535'
    """
    return f"symbol{ord(symbol):x}"


def split_runs(folded: str) -> Iterator[tuple[str, bool]]:
    """The pieces of a text without blanks: CJK runs and symbols, for which the second member is True, and what
    stands between them."""
    at = 0
    for run in _RUN.finditer(folded):
        if run.start() > at:
            yield folded[at : run.start()], False
        yield run[0], True
        at = run.end()
    if at < len(folded):
        yield folded[at:], False


def without_cjk(folded: str) -> str:
    """The text with a blank for each CJK run, and for all else outside ASCII that is no part of a word: what
    unicode61 cuts as we do."""
    return folded if folded.isascii() else _NO_WORD.sub(" ", folded)


def words_and_grams(folded: str) -> str:
    """Words and CJK grams in one string, for columns that have no CJK column of their own."""
    words, grams = without_cjk(folded), cjk_grams(folded)
    return f"{words} {grams}" if grams else words
