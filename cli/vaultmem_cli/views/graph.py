"""Paths, neighbours, communities, insights, related notes and provenance for a person."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from vaultmem.graph.answers import (
    CommunitiesAnswer,
    CommunityView,
    ExportAnswer,
    GraphEdge,
    GraphNote,
    InsightsAnswer,
    NeighborsAnswer,
    PathAnswer,
    PathStep,
    RelatedAnswer,
    Superseded,
    TraceAnswer,
    TraceStep,
)
from vaultmem_cli.console import Page, Style
from vaultmem_cli.textwidth import clean
from vaultmem_cli.views.words import count, freshness_notes

PLAIN = "mentions"


def path_page(answer: PathAnswer, style: Style) -> Page:
    """Each link of the path on a line; and the path between what is current, when that is another one."""
    start, end = clean(answer.start.path), clean(answer.end.path)
    lines = [_noted(answer.start, style), *_steps(answer.steps, style)] if answer.found else []
    if answer.current_start:
        if lines:
            lines.append("")
        lines.append(style.dim("between what is current:"))
        lines += [style.cyan(clean(answer.current_start)), *_steps(answer.current, style)]
    summary = f"No path connects {start} and {end}."
    if answer.found:
        summary = f"{start} to {end}: {count(len(answer.steps), 'link')}"
    return Page(
        lines, [summary, *_superseded(answer.superseded), *freshness_notes(answer.freshness)]
    )


def _steps(steps: Iterable[PathStep], style: Style) -> list[str]:
    return [
        f"  {_arrow(step.edge, forward=step.forward)} {_noted(step.note, style)}" for step in steps
    ]


def _arrow(edge: GraphEdge, *, forward: bool) -> str:
    """The link as an arrow in the direction in which it is written, with its relation if that has a name."""
    named = "" if edge.relation == PLAIN else f"{clean(edge.relation)} "
    return f"{named}→" if forward else f"← {named}".rstrip()


def _noted(note: GraphNote, style: Style) -> str:
    tail = style.yellow(f"  superseded by {clean(note.current)}") if note.current else ""
    return style.cyan(clean(note.path)) + tail


def _superseded(found: Sequence[Superseded]) -> list[str]:
    notes = []
    for each in found:
        path = clean(each.path)
        if each.ring:
            others = ", ".join(map(clean, each.chain))
            notes.append(f"note: {path} and {others} supersede each other in a ring.")
        else:
            notes.append(f"note: {path} is superseded; current is {clean(each.current)}.")
    return notes


def neighbors_page(answer: NeighborsAnswer, style: Style) -> Page:
    """The notes by distance, each with how it is linked."""
    lines: list[str] = []
    last = 0
    for each in answer.neighbors:
        if each.distance > 1 and each.distance != last:
            lines.append(style.dim(f"{each.distance} links away"))
        last = each.distance
        if not each.distance:
            lines.append(f"{style.cyan(clean(each.note.path))}  in place of {clean(each.via)}")
            continue
        forward = any(edge.source == each.via for edge in each.edges)
        back = any(edge.target == each.via for edge in each.edges)
        arrow = "↔" if forward and back else _arrow(each.edges[0], forward=forward)
        via = f"  via {clean(each.via)}" if each.distance > 1 else ""
        lines.append(f"{arrow} {_noted(each.note, style)}{style.dim(via)}")
    path = clean(answer.note.path)
    summary = f"No note is near {path}."
    if answer.total:
        shown = sum(each.distance > 0 for each in answer.neighbors)
        more = f", {shown:,} shown" if shown < answer.total else ""
        summary = (
            f"{path}: {count(answer.total, 'note')} within {count(answer.depth, 'link')}{more}"
        )
    return Page(
        lines, [summary, *_superseded(answer.superseded), *freshness_notes(answer.freshness)]
    )


def communities_page(answer: CommunitiesAnswer, style: Style) -> Page:
    """Each community with its size and its best linked notes; all notes of the one that was asked for."""
    lines: list[str] = []
    for each in answer.communities:
        figures = f"{count(each.size, 'note')}, {each.inside:.0%} of their ties inside"
        lines.append(f"{style.bold(clean(each.name))}  {style.dim(figures)}")
        lines += [f"  {clean(path)}" for path in _shown(each, every=answer.note is not None)]
    if answer.note is not None:
        path = clean(answer.note)
        summary = f"{path} is in no community."
        if answer.communities:
            summary = f"{path} is in “{clean(answer.communities[0].name)}”."
    else:
        found = count(len(answer.communities), "community", "communities")
        summary = f"{found}; {count(answer.loose, 'note')} in none"
    return Page(lines, [summary, *freshness_notes(answer.freshness)])


SHOWN = 3
"""Notes that stand for a community in the list of all."""


def _shown(community: CommunityView, *, every: bool) -> Sequence[str]:
    return community.paths if every else community.paths[:SHOWN]


def insights_page(answer: InsightsAnswer, style: Style) -> Page:
    """What there is to see, kind by kind, with the reasons."""
    lines: list[str] = []
    last = ""
    for each in answer.insights:
        if each.kind != last:
            lines.append(style.bold(each.kind))
            last = each.kind
        other = f" → {style.cyan(clean(each.other))}" if each.other else ""
        lines.append(f"  {style.cyan(clean(each.path))}{other}")
        if each.kind != "isolated":
            lines.append(f"    {clean(each.reason)}")
    counted = ", ".join(f"{number:,} {kind}" for kind, number in answer.counts)
    return Page(lines, [counted, *freshness_notes(answer.freshness)])


def related_page(answer: RelatedAnswer, style: Style) -> Page:
    """Each related note, and why."""
    lines: list[str] = []
    for each in answer.related:
        lines.append(style.cyan(clean(each.path)))
        lines += [f"  {clean(reason)}" for reason in each.reasons]
    path = clean(answer.path)
    summary = f"{count(len(answer.related), 'note')} related to {path}"
    notes = [summary if lines else f"Nothing is related to {path} that it is not linked with."]
    if answer.current:
        notes.append(f"note: {path} is superseded; current is {clean(answer.current)}.")
    return Page(lines, [*notes, *freshness_notes(answer.freshness)])


def trace_page(answer: TraceAnswer, style: Style) -> Page:
    """The note and what it was made from, each level further in."""
    lines = [_traced(step, style) for step in answer.steps]
    sources = len(answer.steps) - 1
    missing = sum(step.state == "missing" for step in answer.steps)
    summary = f"{clean(answer.steps[0].path)} names no source."
    if sources:
        summary = f"{count(sources, 'source')}{f', {missing} missing' if missing else ''}"
    notes = [summary]
    if any(step.state == "raw" for step in answer.steps):
        notes.append(
            "note: records are named only; this version keeps none that could be followed."
        )
    return Page(lines, [*notes, *freshness_notes(answer.freshness)])


def _traced(step: TraceStep, style: Style) -> str:
    indent = "  " * step.level
    how = f"{style.dim(clean(step.via))}  " if step.via else ""
    if step.state == "missing":
        return f"{indent}{how}{style.red(f'✗ {clean(step.uri)}')}"
    if step.state == "raw":
        return f"{indent}{how}record {clean(step.title)}"
    line = f":{step.line + 1}" if step.line is not None else ""
    text = f"  {clean(step.text)}" if step.text else ""
    tail = style.yellow(f"  superseded by {clean(step.current)}") if step.current else ""
    return f"{indent}{how}{style.cyan(clean(step.path) + line)}{tail}{text}"


def export_page(answer: ExportAnswer, style: Style) -> Page:
    """The document as it is."""
    del style
    notes = f"{count(answer.notes, 'note')}, {count(answer.edges, 'edge')}"
    return Page(notes=[notes, *freshness_notes(answer.freshness)], verbatim=answer.text)
