"""``note_graph_query`` and ``memory_trace``: how notes are connected, what is current, and where it comes from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from vaultmem.errors import NoteNotFoundError, UsageError
from vaultmem.server.mcp.budget import LEAST, MOST, counted, tokens
from vaultmem.server.mcp.fence import NOTE_URI, WARNING, Mark, fenced, note_uri, one_line, ours
from vaultmem.server.mcp.given import Given
from vaultmem.server.mcp.reach import Reach
from vaultmem.server.mcp.reading import freshness_lines, seen_note

if TYPE_CHECKING:
    from vaultmem.graph.answers import GraphEdge, GraphNote, PathStep, Superseded
    from vaultmem.search.model import Freshness
    from vaultmem.vault import Vault

GRAPH: Final = (
    "ask",
    "note",
    "to",
    "query",
    "depth",
    "direction",
    "relations",
    "limit",
    "max_tokens",
)
TRACE: Final = ("note", "max_tokens")

ASKS: Final[Mapping[str, tuple[str, ...]]] = {
    "neighbors": ("note", "depth", "direction", "relations", "limit"),
    "path": ("note", "to", "direction", "relations"),
    "subgraph": ("query", "depth", "direction", "relations", "limit"),
    "related": ("note", "limit"),
}
"""What can be asked of the graph, each with its arguments."""

DIRECTIONS: Final = ("out", "in", "both")
RAW_URI: Final = "memo://raw/"

GRAPH_TOKENS: Final = 1_500
DEPTH: Final = 3
LIMIT: Final = 20
MOST_NOTES: Final = 100
FIRST: Final = 5
"""Insights of each kind that are told."""
ROOTS: Final = 5
"""Notes that a query for a subgraph begins with."""


def note_graph_query(vault: Vault, given: Given, mark: Mark) -> str:
    """What the graph answers. A superseded note is never named without what stands for it now."""
    ask = given.choice("ask", tuple(ASKS), "path" if given.has("to") else "neighbors")
    given.only(("ask", "max_tokens", *ASKS[ask]), f'ask "{ask}"')
    asks: Mapping[str, Callable[[Vault, Given, Reach], tuple[list[str], Freshness]]] = {
        "neighbors": _neighbors,
        "path": _path,
        "subgraph": _subgraph,
        "related": _related,
    }
    lines, fresh = asks[ask](vault, given, Reach(vault.root))
    return _budgeted(lines, fresh, given, "note_graph_query", mark)


def memory_trace(vault: Vault, given: Given, mark: Mark) -> str:
    """Where what a note says comes from, step by step."""
    asked = given.text("note").strip()
    if asked.startswith(RAW_URI):
        raise ours(
            UsageError(
                "That is an original record: it has no sources, and this version keeps none.",
                hint="Trace a note.",
            )
        )
    path = seen_note(vault, asked).path
    _, at, place = asked.partition("#") if asked.startswith(NOTE_URI) else ("", "", "")
    answer = vault.graph.trace(f"{note_uri(path)}#{place}" if at else path)
    reach = Reach(vault.root)
    lines = []
    for step in answer.steps:
        if step.path and not reach.sees(step.path):
            continue
        place = f":{step.line + 1}" if step.line is not None else ""
        name = f"{step.path or step.uri}{place}"
        via = f" by {step.via}" if step.via else ""
        state = f" [{step.state}]" if step.state else ""
        current = f", superseded by {step.current}" if _newer(step.current, step.path) else ""
        text = f": {step.text[:200]}" if step.text else ""
        lines.append(f"{'  ' * step.level}{one_line(f'{name}{via}{state}{current}{text}')}")
    said = []
    if len(lines) < 2:
        said.append("It names no source.")
    elif not answer.complete:
        said.append("A source that is named is missing.")
    if any(step.state == "raw" for step in answer.steps):
        said.append(
            "Original records (raw) are named only: this version keeps none that could be followed."
        )
    return _budgeted(lines, answer.freshness, given, "memory_trace", mark, said)


def _newer(current: str, path: str) -> bool:
    return bool(current) and current != path


def _budgeted(
    lines: Sequence[str],
    fresh: Freshness,
    given: Given,
    origin: str,
    mark: Mark,
    said: Sequence[str] = (),
) -> str:
    """As many of the lines as there is room for, between marks; before them what is ``said`` in our words."""
    room = given.whole("max_tokens", GRAPH_TOKENS, LEAST, MOST)
    shown: list[str] = []
    for line in lines:
        room -= tokens(line)
        if room < 0 and shown:
            break
        shown.append(line)
    if more := len(lines) - len(shown):
        said = [*said, f"{counted(more, 'more line')} had no room; raise max_tokens."]
    return "\n".join(
        [*freshness_lines(fresh, mark), *said, WARNING, fenced("\n".join(shown), origin, mark)]
    )


# -- what is asked -----------------------------------------------------------------------------------------------


def _walked(given: Given) -> tuple[str, tuple[str, ...] | None]:
    return given.choice("direction", DIRECTIONS, "both"), given.texts("relations") or None


def _neighbors(vault: Vault, given: Given, reach: Reach) -> tuple[list[str], Freshness]:
    path = seen_note(vault, given.text("note")).path
    direction, relations = _walked(given)
    answer = vault.graph.neighbors(
        path,
        depth=given.whole("depth", 1, 1, DEPTH),
        direction=direction,
        relations=relations,
        limit=given.whole("limit", LIMIT, 1, MOST_NOTES),
    )
    seen = [each for each in answer.neighbors if reach.sees(each.note.path)]
    linked = sum(each.distance > 0 for each in seen)
    near = one_line(answer.note.path)
    lines = [f"{_share(linked, answer.total)} near {near}:"]
    if not answer.total:
        lines = [f"No note is near {near}."]
    for each in seen:
        if not each.distance:
            lines.append(f"- {_named(each.note)} (in place of {one_line(each.via)})")
            continue
        how = "; ".join(_edge(edge, each.via) for edge in each.edges)
        lines.append(
            f"{each.distance} {_named(each.note)} ({how})"
            if how
            else f"{each.distance} {_named(each.note)}"
        )
    return [*lines, *_superseded(answer.superseded, reach)], answer.freshness


def _path(vault: Vault, given: Given, reach: Reach) -> tuple[list[str], Freshness]:
    start = seen_note(vault, given.text("note")).path
    end = seen_note(vault, given.text("to")).path
    direction, relations = _walked(given)
    answer = vault.graph.path(start, end, direction=direction, relations=relations)
    if not answer.found:
        lines = [f"No path leads from {one_line(start)} to {one_line(end)}."]
    else:
        count = counted(len(answer.steps), "link")
        lines = [f"{count} from {one_line(start)} to {one_line(end)}:"]
        lines += [_named(answer.start), *map(_step, answer.steps)]
    if answer.current:
        lines.append("Through current notes alone:")
        lines += [one_line(answer.current_start), *map(_step, answer.current)]
    return [*lines, *_superseded(answer.superseded, reach)], answer.freshness


def _subgraph(vault: Vault, given: Given, reach: Reach) -> tuple[list[str], Freshness]:
    query = given.text("query")
    roots = [hit.path for hit in vault.search(query, limit=ROOTS).hits if reach.sees(hit.path)]
    if not roots:
        raise ours(NoteNotFoundError("No note answers that query.", hint="Ask with other words."))
    direction, relations = _walked(given)
    answer = vault.graph.subgraph(
        roots,
        depth=given.whole("depth", 1, 0, DEPTH),
        direction=direction,
        relations=relations,
        limit=given.whole("limit", LIMIT, 1, MOST_NOTES),
    )
    notes = [note for note in answer.notes if reach.sees(note.path)]
    seen = {note.path for note in notes}
    every = answer.total + len(answer.roots)
    lines = [f"{_share(len(notes), every)} around {len(answer.roots)} that answer, these included:"]
    lines += [f"{'*' if note.path in answer.roots else '-'} {_named(note)}" for note in notes]
    lines += [
        f"{one_line(edge.source)} -{one_line(edge.relation)}-> {one_line(edge.target)}"
        for edge in answer.edges
        if {edge.source, edge.target} <= seen
    ]
    return [*lines, *_superseded(answer.superseded, reach)], answer.freshness


def _related(vault: Vault, given: Given, reach: Reach) -> tuple[list[str], Freshness]:
    path = seen_note(vault, given.text("note")).path
    answer = vault.graph.related(path, limit=given.whole("limit", LIMIT, 1, MOST_NOTES))
    lines = [f"Not linked with {one_line(path)}, but to do with it:"]
    if not answer.related:
        lines = [f"Nothing is related to {one_line(path)} that it is not linked with."]
    if _newer(answer.current, path):
        lines.insert(0, f"{one_line(path)} is superseded by {one_line(answer.current)}.")
    lines += [
        one_line(f"{each.path} ({each.score:.2f}: {'; '.join(each.reasons)})")
        for each in answer.related
        if reach.sees(each.path)
    ]
    return lines, answer.freshness


# -- words -------------------------------------------------------------------------------------------------------


def _share(shown: int, every: int) -> str:
    """How many notes are told, and of how many."""
    return f"{shown} of {counted(every, 'note')}" if shown < every else counted(every, "note")


def _named(note: GraphNote) -> str:
    current = f" [superseded by {note.current}]" if note.current else ""
    return one_line(f"{note.path}{current}")


def _edge(edge: GraphEdge, via: str) -> str:
    arrow = f"-{edge.relation}->" if edge.source == via else f"<-{edge.relation}-"
    sure = f", {edge.confidence:.0%} sure" if edge.confidence < 1 else ""
    return one_line(f"{via} {arrow}{sure}")


def _step(step: PathStep) -> str:
    arrow = f"-{step.edge.relation}->" if step.forward else f"<-{step.edge.relation}-"
    return f"  {one_line(arrow)} {_named(step.note)}"


def _superseded(superseded: Iterable[Superseded], reach: Reach) -> list[str]:
    lines = []
    for each in superseded:
        if each.ring:
            lines.append(f"{each.path} and others supersede each other in a ring; none is current.")
        elif reach.sees(each.current):
            lines.append(f"{each.path} is out of date: {each.current} stands for it now.")
    return list(map(one_line, lines))


def graph_insights(vault: Vault, reach: Reach) -> tuple[str, list[str]]:
    """How many notes, groups and links stand out in the graph; and the first of each kind, a line each."""
    answer = vault.graph.insights(limit=FIRST)
    shown = [
        one_line(
            f"{each.kind}: {each.path}{f' and {each.other}' if each.other else ''}: {each.reason}"
        )
        for each in answer.insights
        if reach.sees(each.path) and (not each.other or reach.sees(each.other))
    ]
    counts = ", ".join(f"{number:,} {kind}" for kind, number in answer.counts)
    return f"In the graph: {counts}; at most {FIRST} of each kind are told.", shown
