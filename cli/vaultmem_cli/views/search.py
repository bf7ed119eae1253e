"""The hits of a search."""

from __future__ import annotations

from vaultmem.files.vouch import WATCHED
from vaultmem.search.model import Hit, LaneReport, SearchAnswer, Snippet
from vaultmem_cli.console import Page, Style
from vaultmem_cli.textwidth import cells, clean, shorten, wrap
from vaultmem_cli.views.words import count, duration, freshness_phrase

SNIPPET_LINES = 2
"""Lines of a snippet on a terminal; elsewhere it has one, as long as it likes."""


def search_page(answer: SearchAnswer, style: Style) -> Page:
    """Each hit with its place, heading path, snippet and lane ranks; the state of the index as a note."""
    rank_width = len(str(len(answer.hits)))
    lines = [
        line
        for rank, hit in enumerate(answer.hits, 1)
        for line in _hit(hit, str(rank).rjust(rank_width), style)
    ]
    return Page(lines, [*_lane_notes(answer.lanes), *_summary(answer)])


def _hit(hit: Hit, rank: str, style: Style) -> list[str]:
    indent = " " * (len(rank) + 2)
    place = f"{clean(hit.path)}:{hit.line + 1}"
    ranks = " · ".join(f"{lane.lane} {lane.rank}" for lane in hit.lanes)
    title = shorten(clean(hit.title), style.width and max(20, style.width // 2))
    head = f"{rank}  {style.bold(title)}  {style.cyan(place)}"
    used = cells(f"{rank}  {title}  {place}  {ranks}")
    if style.width is None or used <= style.width:
        lines = [f"{head}  {style.dim(ranks)}"]
    else:
        lines = [head, indent + style.dim(ranks)]
    if path := _below_title(hit):
        lines.append(indent + style.dim(clean(" › ".join(path))))
    return lines + [indent + line for line in _snippet(hit.snippet, style, len(indent))]


def _below_title(hit: Hit) -> tuple[str, ...]:
    """The heading path without a first heading that only repeats the title."""
    path = hit.heading_path
    return path[1:] if path[:1] == (hit.title,) else path


def _snippet(snippet: Snippet, style: Style, indent: int) -> list[str]:
    """The snippet with its matches marked by the style. Without colour nothing is added to the note's words."""
    text = clean(snippet.text)
    spans = wrap(text, style.width - indent if style.width else None)
    lines = [_marked(text, snippet.marks, start, end, style) for start, end in spans]
    if len(lines) > SNIPPET_LINES:
        lines = [*lines[: SNIPPET_LINES - 1], lines[SNIPPET_LINES - 1] + " …"]
    return [line for line in lines if line.strip()]


def _marked(
    text: str, marks: tuple[tuple[int, int], ...], start: int, end: int, style: Style
) -> str:
    parts: list[str] = []
    at = start
    for mark_start, mark_end in marks:
        left, right = max(mark_start, at), min(mark_end, end)
        if left < right:
            parts += [text[at:left], style.match(text[left:right])]
            at = right
    return "".join(parts) + text[at:end]


def _lane_notes(lanes: tuple[LaneReport, ...]) -> list[str]:
    return [
        f"note: {lane.lane} lane{'' if lane.ran else ' did not run'}: {lane.note}"
        for lane in lanes
        if lane.note
    ]


def _summary(answer: SearchAnswer) -> list[str]:
    """``3 notes · keyword, vector · index fresh · 12 ms``, and why the index is not fresh."""
    found = count(len(answer.hits), "note")
    if not answer.hits:
        found = f"Nothing found for “{shorten(clean(answer.query), 60)}”"
    ran = ", ".join(lane.lane for lane in answer.lanes if lane.ran) or "no lane ran"
    freshness = answer.freshness
    parts = [found, ran, freshness_phrase(freshness), duration(answer.seconds)]
    said = bool(freshness.note) and freshness.note != WATCHED
    return [" · ".join(parts), *([f"note: {freshness.note}"] if said else [])]
