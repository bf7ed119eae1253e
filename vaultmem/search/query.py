"""From the words a person typed to what each lane asks. Pure.

No user text is ever FTS syntax: every term is quoted by us.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from vaultmem.index.terms import SYMBOL, fold, split_runs, storable, symbol_word, without_cjk
from vaultmem.notes.letters import LETTER

MAX_TERMS = 64
"""Terms of a query that are looked up; the answer says so when there were more."""

MAX_TOKENS = 100
"""Tokens of a term that are looked up: enough to tell it from any other."""

MAX_SUBSTRING = 100
"""Characters of a word that the substring lane compares."""

_WORD = re.compile(f"{LETTER}+")


@dataclass(frozen=True, slots=True)
class Term:
    """A piece of the query between blanks, or a CJK run or symbol within one."""

    text: str
    """Folded, as typed."""
    tokens: tuple[str, ...]
    """What the word index would cut it into; several make a phrase (``e-mail``), CJK pairs included."""
    is_cjk: bool
    """It is a CJK run or a symbol: found by its characters, wherever they stand."""


@dataclass(frozen=True, slots=True)
class Query:
    """A query taken apart."""

    text: str
    """As typed, trimmed."""
    terms: tuple[Term, ...]
    """Distinct, in order, at most ``MAX_TERMS``."""
    cut: int
    """Terms beyond those."""


def parse_query(text: str) -> Query:
    """The query's terms; none for a text without a letter, digit or emoji.

    >>> [term.tokens for term in parse_query('E-Mail "数据库" NOT').terms]
    [('e', 'mail'), ('数据', '据库'), ('not',)]
    """
    terms: dict[str, Term] = {}
    text = storable(text)
    for piece in fold(text).split():
        for part, is_cjk in split_runs(piece):
            tokens = _cjk_tokens(part) if is_cjk else tuple(_WORD.findall(part))
            if tokens:
                terms.setdefault(part, Term(part, tokens[:MAX_TOKENS], is_cjk))
    kept = tuple(terms.values())[:MAX_TERMS]
    return Query(text.strip(), kept, len(terms) - len(kept))


def _cjk_tokens(run: str) -> tuple[str, ...]:
    if SYMBOL.match(run):
        return (symbol_word(run),)
    return (run,) if len(run) == 1 else tuple(run[i : i + 2] for i in range(len(run) - 1))


def match_any(terms: Sequence[Term]) -> str:
    """An FTS5 expression that any of the terms satisfies. A CJK run is satisfied as a whole or by any of its
    pairs, so that a question in a language without blanks still finds its words."""
    parts: list[str] = []
    for term in terms:
        parts.append(_phrase(term.tokens))
        if term.is_cjk and len(term.tokens) > 1:
            parts += [_phrase((token,)) for token in dict.fromkeys(term.tokens)]
    return " OR ".join(parts)


def match_whole(term: Term) -> str:
    """An FTS5 expression that the term satisfies as it stands, its words in a row."""
    return _phrase(term.tokens)


def match_all(terms: Sequence[Term]) -> str:
    """An FTS5 expression that all of the terms together satisfy, each as a whole."""
    return " AND ".join(_phrase(term.tokens) for term in terms)


def has_trigram(word: str) -> bool:
    """Whether the trigram index, which sees a blank for marks outside ASCII, can look for the word."""
    return len(without_cjk(word)) >= 3


def match_substrings(words: Sequence[str]) -> str:
    """An expression for the trigram index that every block with all the words in it satisfies (and others: the
    index knows which trigrams a block has, not where). For words with :func:`has_trigram`."""
    grams = dict.fromkeys(
        seen[i : i + 3]
        for seen in map(without_cjk, words)
        for i in range(min(len(seen), MAX_SUBSTRING) - 2)
    )
    return " AND ".join(_quoted(gram) for gram in grams)


def _phrase(tokens: Iterable[str]) -> str:
    return _quoted(" ".join(tokens))


def _quoted(text: str) -> str:
    return '"' + text.replace("\0", " ").replace('"', '""') + '"'
