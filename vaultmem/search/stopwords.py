"""English words that say next to nothing in a query."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from vaultmem.search.languages import stop_words_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vaultmem.search.query import Query, Term

ENGLISH: Final = frozenset(
    [
        "a",
        "about",
        "am",
        "an",
        "and",
        "any",
        "are",
        "as",
        "at",
        "be",
        "been",
        "being",
        "but",
        "by",
        "can",
        "could",
        "did",
        "do",
        "does",
        "doing",
        "done",
        "during",
        "each",
        "few",
        "for",
        "from",
        "further",
        "had",
        "has",
        "have",
        "having",
        "he",
        "her",
        "here",
        "hers",
        "him",
        "his",
        "how",
        "i",
        "if",
        "in",
        "into",
        "is",
        "it",
        "its",
        "just",
        "me",
        "more",
        "most",
        "my",
        "no",
        "nor",
        "not",
        "now",
        "of",
        "off",
        "on",
        "once",
        "only",
        "or",
        "other",
        "our",
        "out",
        "over",
        "own",
        "same",
        "she",
        "should",
        "so",
        "some",
        "such",
        "than",
        "that",
        "the",
        "their",
        "them",
        "then",
        "there",
        "these",
        "they",
        "this",
        "those",
        "through",
        "to",
        "too",
        "under",
        "until",
        "up",
        "us",
        "very",
        "was",
        "we",
        "were",
        "what",
        "when",
        "where",
        "which",
        "while",
        "who",
        "whom",
        "whose",
        "why",
        "will",
        "with",
        "would",
        "you",
        "your",
        "yours",
        "d",
        "ll",
        "m",
        "re",
        "s",
        "t",
        "ve",
        "don",
        "doesn",
        "didn",
        "isn",
        "wasn",
        "won",
    ]
)


def are_stop_words(terms: Sequence[Term]) -> bool:
    """Whether none of the terms is anything else."""
    others = stop_words_of((term.text for term in terms), ENGLISH)
    return all(term.text in ENGLISH | others for term in terms)


def without_stop_words(query: Query) -> tuple[Term, ...]:
    """The query's terms without stop words: English ones, and those of another language that it is plainly in; all of
    them when nothing else is left."""
    others = stop_words_of((t.text for t in query.terms), ENGLISH)
    idle = (ENGLISH | others) - query.said
    kept = tuple(t for t in query.terms if t.text not in idle)
    return kept or query.terms
