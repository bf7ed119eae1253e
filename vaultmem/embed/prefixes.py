"""The words that a model wants before a question and before a passage, by the model's name."""

from __future__ import annotations

from typing import Final, NamedTuple

__all__ = ["Prefixes", "prefixes_of"]


class Prefixes(NamedTuple):
    """What is put before a text; "" for nothing."""

    query: str = ""
    passage: str = ""


_SEARCHING: Final = "Represent this sentence for searching relevant passages: "

# As the authors of each family say; the first whose part stands in the name holds.
_FAMILIES: Final = (
    ("bge-small-zh", Prefixes("为这个句子生成表示以用于检索相关文章：")),
    ("bge-m3", Prefixes()),
    ("bge-", Prefixes(_SEARCHING)),
    ("mxbai-embed", Prefixes(_SEARCHING)),
    ("snowflake-arctic-embed-m-v2", Prefixes("query: ")),
    ("snowflake-arctic-embed-l-v2", Prefixes("query: ")),
    ("snowflake-arctic-embed", Prefixes(_SEARCHING)),
    ("e5-", Prefixes("query: ", "passage: ")),
    ("nomic-embed-text", Prefixes("search_query: ", "search_document: ")),
    ("embeddinggemma", Prefixes("task: search result | query: ", "title: none | text: ")),
    (
        "qwen3-embedding",
        Prefixes(
            "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:"
        ),
    ),
)


def prefixes_of(name: str) -> Prefixes:
    """The prefixes of the model called so; none for a family that is not known."""
    low = name.lower()
    return next((prefixes for part, prefixes in _FAMILIES if part in low), Prefixes())
