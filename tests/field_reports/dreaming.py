"""Steps of the dream as cases use them: notes in groups, and two notes made one through the dream's own code."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tests.field_reports.case import Details, FaultError, Step
from tests.field_reports.world import CaseVault, SkipError, World
from vaultmem.dream.consolidate import plan_merge
from vaultmem.dream.context import DreamContext
from vaultmem.edits.answers import WriteAnswer
from vaultmem.errors import RefusedError
from vaultmem.evolution import RejectedEdits
from vaultmem.files.obsidian_config import read_obsidian_config
from vaultmem.files.refusals import ChangedSinceRead, WriteConflict
from vaultmem.graph.communities import NONE, describe, group
from vaultmem.graph.snapshot import GraphSnapshot
from vaultmem.graph.weights import weights_of
from vaultmem.judge import HeuristicJudge
from vaultmem.vault import Vault
from vaultmem_daemon.dreaming.applying import apply_proposal
from vaultmem_daemon.dreaming.corpus import read_corpus, read_text
from vaultmem_daemon.dreaming.places import DreamPlaces

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ATTEMPTS: Final = 3
"""Times that a merge is planned when its notes change under it."""
NOW_NS: Final = 1_766_286_000 * 1_000_000_000

# -- groups ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Groups:
    """The notes of a vault, each in one group: its community, or alone."""

    named: tuple[tuple[str, frozenset[str]], ...]
    """(name, paths), in order of the first path."""
    links: frozenset[frozenset[str]]
    """The pairs of notes that are linked, or have to do with each other otherwise."""
    said: str = ""
    """What the user is told."""

    @property
    def groups(self) -> tuple[frozenset[str], ...]:
        """The paths of each group."""
        return tuple(paths for _, paths in self.named)


def group_notes(world: World, step: Step) -> Groups:
    """The groups of the case's vault, or of a small one that the step describes; with a fault, of its links with the
    weights spoilt."""
    fault = step.details.text("fault", "")
    if step.details.has("vault"):
        files = described_vault(step.details.text("vault"))
        if files is None:
            raise SkipError(f"no vault known for: {step.details.text('vault')}")
        root = world.folder / f"group-{len(world.records)}"
        root.mkdir()
        for path, text in files.items():
            (root / path).write_text(text)
        with closing(CaseVault(root, world.folder / "cache", None)) as vault:
            return _groups(vault, fault)
    return _groups(world.vault, fault)


def _groups(vault: Vault, fault: str) -> Groups:
    graph = vault.graph.snapshot()
    if fault:
        return _with_spoilt_weights(graph, fault)
    answer = vault.graph.communities()
    named = []
    for each in answer.communities:
        (whole,) = vault.graph.communities(each.hub).communities
        named.append((each.name, frozenset(whole.paths)))
    return _with_loose(graph, named, answer.freshness.note)


def _with_spoilt_weights(graph: GraphSnapshot, words: str) -> Groups:
    """The groups by the library's own pure parts, of links whose confidence is what the words say."""

    spoilt = spoilt_weights(words)
    if spoilt is None:
        raise FaultError(f"no fault known for: {words}")
    confidence: NDArray[np.float32] = graph.confidence.copy()
    for place, value in zip(range(len(confidence)), spoilt, strict=False):
        confidence[place] = value
    weights = weights_of(replace(graph, confidence=confidence))
    grouping = group(graph, weights, None)
    found = describe(graph, weights, grouping.ids, {})
    assert int((grouping.ids == NONE).sum()) + sum(len(c.nodes) for c in found) == len(graph)
    named = [(each.name, frozenset(graph.paths[node] for node in each.nodes)) for each in found]
    return _with_loose(graph, named, weights.said)


def _with_loose(
    graph: GraphSnapshot, named: Sequence[tuple[str, frozenset[str]]], said: str
) -> Groups:
    grouped = frozenset().union(*(paths for _, paths in named))
    alone = [(path, frozenset([path])) for path in graph.paths if path not in grouped]
    weights = weights_of(graph)
    links = frozenset(
        frozenset((graph.paths[a], graph.paths[b]))
        for a, b in zip(weights.first.tolist(), weights.second.tolist(), strict=True)
    )
    order = sorted([*named, *alone], key=lambda one: min(one[1]))
    return Groups(tuple(order), links, said)


_NUMBERS: Final = {"no": 0, "a": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5}


def described_vault(words: str) -> Mapping[str, str] | None:
    """The notes of a vault in words, by path; None for words that are not known.

    >>> described_vault("one note without links")
    {'n1.md': 'note 1\\n'}
    """
    if re.fullmatch(r"(?:an )?empty(?: vault)?", words):
        return {}
    match = re.fullmatch(
        r"(\w+) (?:notes?|files?) (?:without|with no) links?|(\w+) notes? that links? to (?:itself|themselves)",
        words,
    )
    if match is None:
        return None
    number = match[1] or match[2]
    count = int(number) if number.isdecimal() else _NUMBERS.get(number)
    if count is None:
        return None
    own = "[[n{0}]]\n" if match[2] else "note {0}\n"
    return {f"n{i}.md": own.format(i) for i in range(1, count + 1)}


_SPOILT: Final[Mapping[str, float]] = {
    r"zero|0": 0.0,
    r"negative|below zero": -1.0,
    r"not a number|nan": float("nan"),
    r"infinite|infinity|inf": float("inf"),
    r"huge|too large": 3.0e38,
}


def spoilt_weights(words: str) -> list[float] | None:
    """The weights that the words name, one an edge; None when they speak of none, or of something else as well.

    >>> spoilt_weights("one edge weight is zero, one negative")
    [0.0, -1.0]
    """
    if not re.search(r"\bweights?\b", words):
        return None
    found = []
    for part in re.split(r",| and ", words):
        value = next(
            (v for p, v in _SPOILT.items() if re.search(rf"\b(?:{p})\b", part, re.I)), None
        )
        if value is None:
            return None
        found.append(value)
    return found


# -- merges ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Merged:
    """What a merge came to."""

    keeper: str
    """The note that stays."""
    archived: str
    """Where the other one is now."""
    receipt: WriteAnswer
    attempts: int
    """How often it was planned."""


def merge_notes(world: World, step: Step) -> tuple[Merged, ...]:
    """Makes one note of several, two at a time, through the dream's plan and its way of writing."""
    paths = step.details.texts("paths")
    if len(paths) < 2:
        raise FaultError(f"{step.details.what} takes two paths")
    done: list[Merged] = []
    first = paths[0]
    for other in paths[1:]:
        done.append(_merged(world.vault, first, other))
        first = done[-1].keeper
    return tuple(done)


def _merged(vault: Vault, first: str, other: str) -> Merged:
    """One merge; it is planned again when a note has changed since it was read. Raises RefusedError where the notes
    cannot be one, and as every edit does."""
    for attempt in range(1, ATTEMPTS + 1):
        vault.sync()
        a, b = (vault.note(path).path for path in (first, other))
        context = _context(vault)
        for path in (a, b):
            if path not in context.by_path:
                raise RefusedError(f"{path} is left out of the dream, so it is not merged.")
        if a == b:
            raise RefusedError(f"{a} cannot be merged with itself.")
        proposal = plan_merge(context, context.by_path[a], context.by_path[b])
        if proposal is None or proposal.move is None:
            raise RefusedError(f"{a} and {b} cannot be made one note.")
        try:
            receipt = apply_proposal(vault, proposal, cycle=None, by="you")
        except (ChangedSinceRead, WriteConflict):
            continue  # the person's text wins: look again
        return Merged(proposal.keeper, proposal.move.path_after, receipt, attempt)
    raise RefusedError(f"{first} and {other} change all the time; nothing was merged.")


def _context(vault: Vault) -> DreamContext:
    corpus, places = read_corpus(vault), DreamPlaces.of(vault)
    return DreamContext(
        cycle="",
        now_ns=NOW_NS,
        today=NOW_NS // (86_400 * 1_000_000_000),
        notes=corpus.notes,
        changed=frozenset(corpus.by_path),
        links=corpus.links,
        faults=corpus.faults,
        file_names=corpus.paths,
        judge=HeuristicJudge(),
        read=lambda path: read_text(vault.root, path),
        recalls={},
        last_recalled_ns={},
        rejected=RejectedEdits(),
        settings=read_obsidian_config(vault.root),
        memory_root=places.memory,
        archive=places.archive,
        by_path=corpus.by_path,
    )


DREAM_STEPS: Final[Mapping[str, Callable[[World, Step], object]]] = {
    "group_notes": group_notes,
    "merge_notes": merge_notes,
}


def unknown_fault(step: Step) -> str:
    """Why a step of the dream cannot be put, of its vault and fault in words; "" when it can."""
    details: Details = step.details
    if details.has("vault") and described_vault(details.text("vault")) is None:
        return f"no vault known for: {details.text('vault')}"
    if details.has("fault") and spoilt_weights(details.text("fault")) is None:
        return f"no fault known for: {details.text('fault')}"
    return ""


def texts_of(root: Path) -> dict[str, str]:
    """Every note on the disk by path, those in the archive too; what is no UTF-8 with marks in its place."""
    return {
        place.relative_to(root).as_posix(): place.read_bytes().decode("utf-8", "replace")
        for place in sorted(root.rglob("*.md"))
        if place.is_file() and place.relative_to(root).parts[0] != ".vaultmem"
    }
