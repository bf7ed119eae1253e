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


@dataclass(frozen=True, slots=True)
class CommunityView:
    """Notes that have more to do with each other than with others."""

    id: int
    """Stays as long as most of its notes stay together."""
    name: str
    """The terms that describe it best; no other community has the same."""
    terms: tuple[str, ...]
    """Words of titles, aliases, tags and categories that tell its notes from others, best first."""
    size: int
    """How many notes."""
    inside: float
    """Share of its notes' links that stay in it, by weight."""
    hub: str
    """The note that is linked best within it."""
    paths: tuple[str, ...]
    """Its notes, the best linked first; all of them when one community was asked for, else the first few."""


@dataclass(frozen=True, slots=True)
class CommunitiesAnswer:
    """The communities of the vault, largest first; or the one that a note is in."""

    note: str | None
    """The note that was asked for; null for all."""
    communities: tuple[CommunityView, ...]
    """Each community; none when the note is in none."""
    loose: int
    """Notes of the vault that are in no community."""
    freshness: Freshness
    """Whether the answer knows the last edit."""


@dataclass(frozen=True, slots=True)
class InsightView:
    """One thing that a look at the whole graph shows."""

    kind: str
    """isolated, sparse, bridge or surprising."""
    path: str
    """The note that it is about; of a sparse community its best linked note; of a surprising link the note that holds
    it."""
    other: str
    """Of a surprising link the note that it leads to, else empty."""
    score: float
    """Comparable within a kind; of an isolated note its words."""
    reason: str
    """Why, in a sentence."""


@dataclass(frozen=True, slots=True)
class InsightsAnswer:
    """What a look at the whole graph shows, by kind, of each kind the most telling first."""

    insights: tuple[InsightView, ...]
    """Each insight."""
    counts: tuple[tuple[str, int], ...]
    """(kind, how many there are, told or not)"""
    freshness: Freshness
    """Whether the answer knows the last edit."""


@dataclass(frozen=True, slots=True)
class RelatedView:
    """A note that has to do with another one."""

    path: str
    """Path in the vault."""
    title: str
    """The property ``title``, else the file's name."""
    score: float
    """Comparable within one answer."""
    reasons: tuple[str, ...]
    """Why, the weightiest first."""


@dataclass(frozen=True, slots=True)
class RelatedAnswer:
    """Notes that have to do with a note though no link connects them, best first."""

    path: str
    """The note that was asked for."""
    current: str
    """The note that supersedes it; empty when none does."""
    related: tuple[RelatedView, ...]
    """Each related note; superseded ones are left out."""
    freshness: Freshness
    """Whether the answer knows the last edit."""


@dataclass(frozen=True, slots=True)
class TraceStep:
    """A note or record that something was made from."""

    level: int
    """How far back; 0 is the note that was asked for."""
    of: str
    """The note that was made from it; empty at level 0."""
    via: str
    """source, or fact and the fact's id; empty at level 0."""
    uri: str
    """Its address, as ``trace`` takes it; of a missing one what is written."""
    path: str
    """Path in the vault; empty for a record and for a note that is missing."""
    title: str
    """The note's title; of a record its id."""
    note_type: str
    """The note's property ``type``; may be empty."""
    line: int | None
    """From 0; null for the whole note."""
    text: str
    """That line, trimmed; may be empty."""
    state: str
    """note; raw: an original record; missing: there is no such note, or no such line or block in it, or it is excluded."""
    current: str = ""
    """The note that supersedes it; empty when none does."""


@dataclass(frozen=True, slots=True)
class TraceAnswer:
    """Where what a note says comes from, level by level."""

    uri: str
    """The address of what was asked for."""
    steps: tuple[TraceStep, ...]
    """The note itself, then its sources, then theirs."""
    complete: bool
    """Whether every source was found."""
    freshness: Freshness
    """Whether the answer knows the last edit."""


@dataclass(frozen=True, slots=True)
class ExportAnswer:
    """The graph in a form that other programs read."""

    format: str
    """graphml, canvas or json."""
    notes: int
    """How many notes it holds."""
    edges: int
    """How many linked pairs, directions and relations."""
    text: str
    """The whole document."""
    freshness: Freshness
    """Whether the answer knows the last edit."""
