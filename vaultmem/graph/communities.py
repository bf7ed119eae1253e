"""Communities of notes: found, kept from one time to the next, and called by what their notes have in common. Pure."""

from __future__ import annotations

import json
import struct
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from vaultmem.graph.labels import Labels, is_dated, labels_of
from vaultmem.graph.partition import connected_parts, moved, partition
from vaultmem.graph.snapshot import GraphSnapshot
from vaultmem.graph.weights import Weights, signatures
from vaultmem.index.terms import CJK_RUN

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "NONE",
    "Community",
    "Grouping",
    "describe",
    "from_bytes",
    "group",
    "to_bytes",
]

NONE: Final = 0
"""The community of notes that are in none."""
SMALLEST: Final = 3
"""Notes; what is smaller goes to the neighbour that it has most to do with, or is no community."""
ANEW: Final = 0.3
"""Share of the notes that may have changed before all are grouped anew, setting out from the last grouping."""
TERMS: Final = 5
NAMED_BY: Final = 3
WHOLE: Final = 1.5
"""How much better a term is for being a whole tag, title or alias somewhere."""


@dataclass(frozen=True, slots=True)
class Grouping:
    """Which note is in which community, and what it was worked out from."""

    paths: list[str]
    ids: NDArray[np.int64]
    """The community of each path; ``NONE`` for those in none."""
    signatures: NDArray[np.uint64]
    next_id: int
    """Ids are given once."""
    recalled: str = ""
    """The mark of what came up together."""


@dataclass(frozen=True, slots=True)
class Community:
    """One community, described."""

    id: int
    name: str
    terms: tuple[str, ...]
    nodes: tuple[int, ...]
    """Its notes, the best connected within it first."""
    inside: float
    """Share of its notes' weight that stays in it."""


def group(
    graph: GraphSnapshot,
    weights: Weights,
    last: Grouping | None,
    *,
    anew: bool = False,
    recalled: str = "",
) -> Grouping:
    """The communities of the graph. With nothing changed since the last grouping it is that one; after some changes
    the notes concerned find their place and all others stay; after many, or ``anew``, all are grouped again, setting
    out from nothing when ``anew``. Communities keep their ids as long as most of their notes stay together. ``recalled`` is
    the mark of what came up together, by which it is known later that this has not changed."""
    import numpy as np

    marks = signatures(graph, weights)
    same = last is not None and not anew and last.paths == graph.paths
    if last is not None and same and np.array_equal(last.signatures, marks):
        return replace(last, recalled=recalled) if last.recalled != recalled else last
    tamed = weights.tamed()
    if last is None or anew:
        found = partition(tamed)
    else:
        before, changed = _carried(graph, tamed, last, marks)
        if changed.sum() > ANEW * max(1, len(graph)):
            found = partition(tamed, before)
        else:
            found = moved(tamed, before, changed)
    whole = _folded(tamed, connected_parts(tamed, found))
    ids, next_id = _named_ids(graph, whole, last)
    return Grouping(graph.paths, ids, marks, next_id, recalled)


def _carried(
    graph: GraphSnapshot, weights: Weights, last: Grouping, marks: NDArray[np.uint64]
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """The last communities of the notes as a partition, and which notes are new or differ. Those that were in none,
    and new ones, begin with the heaviest neighbour's."""
    import numpy as np

    place_of = {path: place for place, path in enumerate(last.paths)}
    place = np.array([place_of.get(path, -1) for path in graph.paths], np.int64)
    known = place >= 0
    ids = np.where(known, last.ids[place], NONE) if len(last.paths) else np.zeros_like(place)
    changed = ~known
    changed[known] = last.signatures[place[known]] != marks[known]
    order = np.argsort(weights.weight, kind="stable")  # the heaviest is written last
    near = np.full(len(graph), -1, np.int64)
    near[weights.first[order]] = weights.second[order]
    near[weights.second[order]] = np.where(
        ids[weights.first[order]] != NONE, weights.first[order], near[weights.second[order]]
    )
    lone = ids == NONE
    joined = lone & (near >= 0)
    ids[joined] = ids[near[joined]]
    alone = np.flatnonzero(ids == NONE)
    ids[alone] = ids.max(initial=0) + 1 + np.arange(len(alone))
    return np.unique(ids, return_inverse=True)[1].reshape(-1), changed


def _folded(weights: Weights, parts: NDArray[np.int64]) -> NDArray[np.int64]:
    """The parts, those too small joined to the one that they have most to do with; -1 for what has none such."""
    import numpy as np

    parts = parts.copy()
    for _ in range(SMALLEST):
        size = np.bincount(parts, minlength=int(parts.max(initial=-1)) + 1)
        small = size < SMALLEST
        if not small.any():
            break
        a, b = parts[weights.first], parts[weights.second]
        pair = np.concatenate([np.stack([a, b]), np.stack([b, a])], axis=1)
        heavy = np.concatenate([weights.weight, weights.weight])
        leaving = small[pair[0]] & (pair[0] != pair[1])
        if not leaving.any():
            break
        key = pair[0][leaving] * len(size) + pair[1][leaving]
        way, place = np.unique(key, return_inverse=True)
        total = np.bincount(place.reshape(-1), heavy[leaving])
        # The heaviest way out of each small part; of equals that to the larger, then the first.
        origin, goal = way // len(size), way % len(size)
        order = np.lexsort((goal, -size[goal], -total, origin))
        first = np.flatnonzero(np.diff(origin[order], prepend=-1))
        target = np.arange(len(size))
        for one, other in zip(origin[order][first], goal[order][first], strict=True):
            # Two small ones that would swap places meet at the smaller number.
            if not (small[other] and target[other] == one):
                target[one] = target[other]
        parts = target[parts]
    size = np.bincount(parts, minlength=1)
    return np.where(size[parts] < SMALLEST, -1, parts)


def _named_ids(
    graph: GraphSnapshot, parts: NDArray[np.int64], last: Grouping | None
) -> tuple[NDArray[np.int64], int]:
    """The id of each note's community, and the next one that is free. A community takes the id of the last one with
    which it shares most, largest shares first; what is new is numbered by size."""
    import numpy as np

    size = Counter(part for part in parts.tolist() if part >= 0)
    first: dict[int, int] = {}
    for node, part in enumerate(parts.tolist()):
        first.setdefault(part, node)
    chosen: dict[int, int] = {}
    taken: set[int] = set()
    next_id = last.next_id if last is not None else 1
    if last is not None:
        was = dict(zip(last.paths, last.ids.tolist(), strict=True))
        shared = Counter(
            (part, was.get(path, NONE))
            for path, part in zip(graph.paths, parts.tolist(), strict=True)
        )
        for (part, old), _ in sorted(shared.items(), key=lambda item: (-item[1], item[0])):
            if part >= 0 and old != NONE and part not in chosen and old not in taken:
                chosen[part] = old
                taken.add(old)
    for part in sorted(size, key=lambda part: (-size[part], first[part])):
        if part not in chosen:
            chosen[part] = next_id
            next_id += 1
    chosen[-1] = NONE
    return np.array([chosen[part] for part in parts.tolist()], np.int64), next_id


# -- what they are called ----------------------------------------------------------------------------------------


def describe(
    graph: GraphSnapshot,
    weights: Weights,
    ids: NDArray[np.int64],
    names: Mapping[int, tuple[str, tuple[str, ...]]],
    aliases: Mapping[int, Sequence[str]] | None = None,
) -> list[Community]:
    """The communities, largest first. One that has a name among ``names`` keeps it while its first term is still
    among those that describe it and the others that it is made of are still words of its notes; no two have the same.
    ``aliases`` are those of the nodes that have any."""
    import numpy as np

    one, other = ids[weights.first], ids[weights.second]
    own = weights.weight * (one == other)
    within = np.bincount(weights.first, own, len(ids)) + np.bincount(weights.second, own, len(ids))
    order = np.lexsort((np.arange(len(ids)), -within, ids))
    members: dict[int, list[int]] = {}
    for node in order.tolist():
        members.setdefault(int(ids[node]), []).append(node)
    members.pop(NONE, None)
    labels = labels_of(graph, aliases or {})
    usual = Counter(term for terms in labels.terms for term in terms)
    found = []
    called: set[str] = set()
    for community in sorted(members, key=lambda each: (-len(members[each]), each)):
        nodes = members[community]
        terms = _best_terms(labels, nodes, usual)
        hub = next((node for node in nodes if not is_dated(graph.titles[node])), nodes[0])
        kept, was = names.get(community, ("", ()))
        if terms:
            is_kept = was[:1] and was[0] in terms and _have(labels.terms, nodes, was[:NAMED_BY])
            name = kept if is_kept else ", ".join(terms[:NAMED_BY])
        else:
            is_kept = any(kept == graph.titles[node] for node in nodes)
            terms = tuple(sorted(frozenset().union(*(labels.folders[node] for node in nodes))))
            terms = terms[:TERMS]
            is_dull = is_dated(graph.titles[hub])
            name = ", ".join(terms[:NAMED_BY]) if is_dull and terms else graph.titles[hub]
            name = kept if is_kept and not is_dated(kept) else name
        if name in called:
            name = f"{name} ({graph.titles[hub]})"
        if name in called:
            name = f"{name} {community}"
        called.add(name)
        total = float(weights.strength[nodes].sum())
        inside = float(within[nodes].sum()) / total if total else 0.0
        found.append(Community(community, name, terms, tuple(nodes), round(inside, 4)))
    return found


def _have(terms: Sequence[frozenset[str]], nodes: Sequence[int], wanted: Sequence[str]) -> bool:
    """Whether each of the terms is one of a note's."""
    return set(wanted) <= frozenset().union(*(terms[node] for node in nodes))


def _best_terms(labels: Labels, nodes: Sequence[int], usual: Counter[str]) -> tuple[str, ...]:
    """The terms that tell these notes from others, best first: in many of them, rare, and in few others, so that a folder
    that holds half the vault names nothing, nor what is as usual elsewhere. What stands whole in a tag or title goes before what is only a part. A word
    and its plural count once, as do a word and its part."""
    import math

    notes = len(labels.terms)
    counted = Counter(term for node in nodes for term in labels.terms[node])
    least = min(2, len(nodes))
    scores = {
        term: math.sqrt(count / len(nodes))
        * (count / usual[term])
        * math.log((1 + notes) / (0.5 + usual[term]))
        * (WHOLE if term in labels.whole else 1.0)
        for term, count in counted.items()
        if count >= least and count * notes >= usual[term] * len(nodes)
    }
    best: list[str] = []
    # Of parts of a run that stand in the same notes the longest is the word.
    longest = {term: -len(term) if CJK_RUN.fullmatch(term) else 0 for term in scores}
    for term in sorted(scores, key=lambda term: (-scores[term], longest[term], term)):
        if not any(_same_word(term, chosen) for chosen in best):
            best.append(term)
        if len(best) == TERMS:
            break
    return tuple(best)


def _same_word(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    if CJK_RUN.fullmatch(short):
        return any(short[at : at + 2] in long for at in range(len(short) - 1))
    return (long.startswith(short) and len(long) - len(short) <= 2) or short in long.split("-")


# -- kept --------------------------------------------------------------------------------------------------------


def to_bytes(grouping: Grouping) -> bytes:
    """The grouping for keeping."""
    told = [grouping.paths, grouping.next_id, grouping.recalled]
    text = json.dumps(told, ensure_ascii=False).encode("utf-8", "surrogatepass")
    arrays = grouping.ids.astype("<i8").tobytes() + grouping.signatures.astype("<u8").tobytes()
    return struct.pack("<Q", len(text)) + text + arrays


def from_bytes(kept: bytes) -> Grouping | None:
    """What :func:`to_bytes` made bytes of; None when it is something else."""
    import numpy as np

    if len(kept) < 8:
        return None
    (size,) = struct.unpack_from("<Q", kept)
    rest = kept[8 + size :]
    if len(kept) < 8 + size:
        return None
    told = json.loads(kept[8 : 8 + size].decode("utf-8", "surrogatepass"))
    paths, next_id, recalled = (*told, "")[:3]  # earlier versions kept no mark
    if len(rest) != 16 * len(paths):
        return None
    half = len(rest) // 2
    return Grouping(
        paths,
        np.frombuffer(rest[:half], "<i8").astype(np.int64),
        np.frombuffer(rest[half:], "<u8").astype(np.uint64),
        next_id,
        recalled,
    )
