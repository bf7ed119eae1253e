"""The searches of one vault: each asks one state of the index, and finds faster what an earlier one has loaded."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol, TypeVar

import apsw

from vaultmem.embedder_choice import EmbedderChoice
from vaultmem.index.terms import storable
from vaultmem.search.engine import Asked, Found, search
from vaultmem.search.memory import SearchMemory
from vaultmem.search.model import Freshness, SearchAnswer, Trace

if TYPE_CHECKING:
    from vaultmem.search.trace import ScoredFact

_T = TypeVar("_T")


class Ask(Protocol):
    """Puts a question to the index, which is compared with the disk first unless the caller watches that."""

    def __call__(
        self, question: Callable[[apsw.Connection], _T], *, sync: bool = True
    ) -> tuple[_T, Freshness]:
        """The answer, and how fresh it is."""


class Searching:
    """What a vault's searches share: the way to the index, the embedder in use, and what was loaded for them."""

    def __init__(self, ask: Ask, choice: EmbedderChoice) -> None:
        self._ask = ask
        self._choice = choice
        self.memory = SearchMemory()

    def forget(self) -> None:
        """Lets go of what was loaded: what it was loaded from may be gone."""
        self.memory = SearchMemory()

    def answer(self, asked: Asked, *, sync: bool, why: bool) -> SearchAnswer:
        """The notes that answer, with what a person is told beside them; ``why`` asks for the trace."""
        began = time.perf_counter()
        said: list[str] = []

        def find(connection: apsw.Connection) -> tuple[Found, Trace | None]:
            said.clear()  # the question is put again where the index was mended on the way
            found = self._find(connection, asked, said)
            if not why:
                return found, None
            from vaultmem.search.trace import make_trace

            return found, make_trace(connection, found, asked.profile.name)

        (found, trace), freshness = self._ask(find, sync=sync)
        return SearchAnswer(
            storable(asked.text),
            found.hits,
            found.lanes,
            _telling(freshness, said),
            time.perf_counter() - began,
            found.did_you_mean,
            trace,
            found.told,
        )

    def facts(self, asked: Asked, *, sync: bool) -> tuple[tuple[ScoredFact, ...], Trace]:
        """The blocks that answer, each with its provenance, and how they came to their places."""
        from vaultmem.search.trace import make_trace, scored_facts

        by_block = replace(asked, by_block=True)

        def find(connection: apsw.Connection) -> tuple[tuple[ScoredFact, ...], Trace]:
            found = self._find(connection, by_block, [])
            trace = make_trace(connection, found, by_block.profile.name)
            return scored_facts(connection, found), trace

        return self._ask(find, sync=sync)[0]

    def found(self, asked: Asked) -> Found:
        """What a search finds and how, from the index as it is."""
        return self._ask(lambda connection: self._find(connection, asked, []), sync=False)[0]

    def _find(self, connection: apsw.Connection, asked: Asked, said: list[str]) -> Found:
        return search(
            connection,
            asked,
            embedder=lambda: self._choice.embedder_for(connection, said),
            memory=self.memory,
        )


def _telling(freshness: Freshness, said: list[str]) -> Freshness:
    """The freshness with what the embedder had to say, each sentence once."""
    if not said:
        return freshness
    notes = [freshness.note, *dict.fromkeys(said)]
    return replace(freshness, note=" ".join(filter(None, notes)))
