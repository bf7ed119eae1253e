"""What the methods of a graph give back. The JSON Schemas of the commands are made from these classes."""

from __future__ import annotations

from dataclasses import dataclass

from vaultmem.search.model import Freshness


@dataclass(frozen=True, slots=True)
class GraphNote:
    """A note of the graph."""

    path: str
    """Path in the vault."""
    title: str
    """The property ``title``, else the file's name."""
    category: str
    """The property ``category``, else the first folder, in the vault's most used spelling; may be empty."""
    tags: tuple[str, ...]
    """Its tags in small letters, each once."""
    severity: str
    """The property ``severity``, else empty."""
    current: str
    """The note that supersedes it, at the end of the row if that one is superseded, too; empty when none does."""


@dataclass(frozen=True, slots=True)
class Superseded:
    """A note of the answer that another one stands for."""

    path: str
    """The superseded note."""
    current: str
    """What stands for it now; empty when the notes supersede each other in a ring."""
    chain: tuple[str, ...]
    """The notes from its successor to the current one; of a ring, once around."""
    ring: bool
    """Whether they supersede each other in a ring, so that none is current."""


@dataclass(frozen=True, slots=True)
class GraphEdge:
    """The links of one note to another under one relation."""

    source: str
    """The note that holds the link."""
    target: str
    """The note it leads to."""
    relation: str
    """The property or inline field that holds it, in small letters, else ``mentions``."""
    confidence: float
    """1, or 1 divided by the number of files that the link may mean."""
    links: int
    """How many written links."""


@dataclass(frozen=True, slots=True)
class PathStep:
    """One link of a path, as it is walked."""

    note: GraphNote
    """Where it leads to on the way."""
    edge: GraphEdge
    """The link, which may be followed against its direction."""
    forward: bool
    """Whether it is followed from the note that holds it."""


@dataclass(frozen=True, slots=True)
class PathAnswer:
    """How two notes are connected."""

    start: GraphNote
    """The first note."""
    end: GraphNote
    """The last one."""
    found: bool
    """Whether there is a path."""
    steps: tuple[PathStep, ...]
    """One with the fewest links; empty when there is none, and when both are the same note."""
    current_start: str
    """Where the current path begins; empty when there is none to tell."""
    current: tuple[PathStep, ...]
    """When the path begins, ends or passes at a superseded note: the path between what is current, without such notes.
    Empty when there is none, or nothing to tell."""
    superseded: tuple[Superseded, ...]
    """The notes of the path that others stand for."""
    freshness: Freshness
    """Whether the answer knows the last edit."""


@dataclass(frozen=True, slots=True)
class Neighbor:
    """A note near another one."""

    note: GraphNote
    """The note."""
    distance: int
    """Links away; 0 when it is here only because it stands for a superseded one."""
    via: str
    """The note from which it is reached."""
    edges: tuple[GraphEdge, ...]
    """The links between the two, those with a relation by name first."""


@dataclass(frozen=True, slots=True)
class NeighborsAnswer:
    """What is near a note, nearest first."""

    note: GraphNote
    """The note that was asked for."""
    depth: int
    """Links away at most."""
    direction: str
    """Which way links were followed: out, in or both."""
    neighbors: tuple[Neighbor, ...]
    """The notes, nearest first; those with a relation by name before others."""
    total: int
    """How many there are, shown or not."""
    superseded: tuple[Superseded, ...]
    """The notes of the answer that others stand for."""
    freshness: Freshness
    """Whether the answer knows the last edit."""


@dataclass(frozen=True, slots=True)
class SubgraphAnswer:
    """Some notes, what is near them, and all links between these."""

    roots: tuple[str, ...]
    """The notes that were asked for."""
    notes: tuple[GraphNote, ...]
    """These and what is near them, nearest first."""
    edges: tuple[GraphEdge, ...]
    """Every link between two of the notes, by source and target."""
    total: int
    """How many notes are near, shown or not."""
    superseded: tuple[Superseded, ...]
    """The notes of the answer that others stand for."""
    freshness: Freshness
    """Whether the answer knows the last edit."""
