"""Trying edits out before they are written: the same questions to a copy of the index, without the edit and with it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from vaultmem.dream.context import DreamNote
from vaultmem.dream.probes import LOOKED_AT, Probe, plain, probe_set, score
from vaultmem.dream.proposal import Operation, Proposal
from vaultmem.errors import FailedError
from vaultmem.evolution import BestHealth, GateResult, evaluate_gate
from vaultmem.index.connection import fetch
from vaultmem.index.rehearsal import Keep, Rehearsal, Trial
from vaultmem.search.engine import Asked, search
from vaultmem.search.memory import SearchMemory
from vaultmem.vault import Vault
from vaultmem_daemon.dreaming.aside import aside
from vaultmem_daemon.dreaming.recalls import asked_probes

TEXT: Final = """
SELECT b.text FROM notes_blocks AS b JOIN vault_files AS f ON f.id = b.note_id WHERE f.path = ? ORDER BY b.ordinal
"""
SUCCESSIONS: Final = """
SELECT s.path, t.path FROM notes_links AS l JOIN vault_files AS s ON s.id = l.source_id
JOIN vault_files AS t ON t.id = l.target_id WHERE l.relation = 'superseded_by'
"""


def probes_for(
    root: Path, notes: Sequence[DreamNote], proposals: Sequence[Proposal]
) -> list[Probe]:
    """The questions by which these proposals are judged. None are made from notes that would be archived since nobody
    asks for them, and none from claims that would be superseded: those are to leave."""
    leaving = {
        path
        for proposal in proposals
        if proposal.operation is Operation.ARCHIVE
        for path in proposal.touched
    }
    touched = dict.fromkeys(path for proposal in proposals for path in proposal.inputs)
    staying = [note for note in notes if note.path not in leaving]
    outdated = {
        plain(text)
        for proposal in proposals
        if proposal.operation is Operation.SUPERSEDE
        for path, text in proposal.claims
        if path in proposal.touched
    }
    probes = probe_set(
        staying, [path for path in touched if path not in leaving], asked_probes(root)
    )
    return [
        probe
        for probe in probes
        if not probe.claim
        or not any(probe.claim in text or text in probe.claim for text in outdated)
    ]


class Gatekeeper:
    """Scores the vault as it would be. ``with`` makes the copy of the index, asks all questions, and in the end removes
    the copy."""

    def __init__(self, vault: Vault, probes: Sequence[Probe]) -> None:
        self._vault = vault
        self._probes = probes
        self._open = ExitStack()
        self._rehearsal: Rehearsal | None = None
        self._memory = SearchMemory()
        self._texts: dict[str, str] = {}
        """The plain texts of notes that answered, by path, as the copy has them."""
        self.current: Mapping[str, float] = {}
        """How well each probe is answered by the vault with all that was kept, 0 to 1."""
        self.after: Mapping[str, float] = {}
        """The same of the state that was judged last."""

    def __enter__(self) -> Self:
        """Raises FailedError, RefusedError where nothing can be tried out."""
        try:
            with ExitStack() as opening:
                folder = opening.enter_context(aside())
                self._rehearsal = opening.enter_context(self._vault.rehearse(folder))
                self.current = self._scores()
                self._open = opening.pop_all()
        except OSError as error:
            raise FailedError(f"Nothing can be tried out: {error}.") from error
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._rehearsal = None
        self._open.close()

    @contextmanager
    def judging(
        self, trials: Sequence[Trial], best: BestHealth | None
    ) -> Iterator[tuple[GateResult, Keep]]:
        """The gate's decision about what would stand there. The copy stays with it when the yielded ``Keep`` is told
        that it was really made; else it is as it was before."""
        with self._trying(trials) as keep:
            after = self._scores()
            self.after = after
            yield evaluate_gate(after, self.current, self.best_now(best)), keep
            if keep.kept:
                self.current = after

    def loses(self, trials: Sequence[Trial], probes: Collection[str]) -> bool:
        """Whether one of these probes would be answered worse with it."""
        with self._trying(trials):
            after = self._scores(probes)
        return any(score < self.current[probe] for probe, score in after.items())

    def lost(self) -> frozenset[str]:
        """The probes that were answered worse in the state that was judged last."""
        return frozenset(p for p, score in self.after.items() if score < self.current[p])

    def adopt(self, trials: Sequence[Trial]) -> None:
        """Keeps what was made, and scores the state anew."""
        with self._trying(trials) as keep:
            self.current = self._scores()
            keep.keep()

    @contextmanager
    def _trying(self, trials: Sequence[Trial]) -> Iterator[Keep]:
        memory, texts = self._memory, self._texts
        touched = {path for trial in trials for path in (trial.path, trial.path_after)}
        self._memory = memory.forked()
        self._texts = {path: text for path, text in texts.items() if path not in touched}
        keep = Keep()
        try:
            with self._copy.trying(trials) as copy:
                yield keep
                if keep.kept:
                    copy.keep()
        finally:
            if not keep.kept:
                self._memory, self._texts = memory, texts

    def best_now(self, best: BestHealth | None) -> Mapping[str, float] | None:
        """The best state on those of the probes of now that it was asked, too; None where it was asked none."""
        if best is None:
            return None
        return {name: best.scores[name] for name in self.current if name in best.scores} or None

    @property
    def _copy(self) -> Rehearsal:
        if self._rehearsal is None:
            raise ValueError("the gatekeeper is used outside of its with block")
        return self._rehearsal

    def _scores(self, chosen: Collection[str] | None = None) -> dict[str, float]:
        """By probe, of those chosen, or of all."""
        connection = self._copy.connection
        successors = {str(a): str(b) for a, b in fetch(connection, SUCCESSIONS)}

        def text_of(path: str) -> str:
            if path not in self._texts:
                rows = fetch(connection, TEXT, (path,))
                self._texts[path] = plain("".join(text for (text,) in rows))
            return self._texts[path]

        return {
            probe.id: score(probe, self._hits(probe), text_of, successors)
            for probe in self._probes
            if chosen is None or probe.id in chosen
        }

    def _hits(self, probe: Probe) -> list[str]:
        connection = self._copy.connection
        found = search(
            connection,
            Asked(probe.query, LOOKED_AT, set_aside=self._vault.set_aside, snippets=False),
            embedder=lambda: self._vault.embedder_for(connection),
            memory=self._memory,
        )
        return [hit.path for hit in found.hits]
