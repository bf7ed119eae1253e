"""The hits of a search."""

from __future__ import annotations

from vaultmem.files.vouch import WATCHED
from vaultmem.search.model import Hit, HitTrace, LaneReport, SearchAnswer, Snippet, Trace
from vaultmem_cli.console import Page, Style
from vaultmem_cli.textwidth import cells, clean, shorten, wrap
from vaultmem_cli.views.words import count, duration, freshness_phrase

SNIPPET_LINES = 2
"""Lines of a snippet on a terminal; elsewhere it has one, as long as it likes."""


def search_page(answer: SearchAnswer, style: Style) -> Page:
    """Each hit with its place, heading path, snippet and lane ranks; the state of the index as a note."""
    rank_width = len(str(len(answer.hits)))
    traces = answer.trace.hits if answer.trace is not None else (None,) * len(answer.hits)
    lines = [
        line
        for rank, (hit, trace) in enumerate(zip(answer.hits, traces, strict=True), 1)
        for line in [
            *_hit(hit, str(rank).rjust(rank_width), style),
            *(_why(hit, trace, " " * (rank_width + 2), style) if trace is not None else ()),
        ]
    ]
    if answer.trace is not None:
        lines += _left_out(answer.trace, style)
    return Page(lines, [*_lane_notes(answer.lanes), *_summary(answer)])


def _why(hit: Hit, trace: HitTrace, indent: str, style: Style) -> list[str]:
    """``why``: the lanes with rank and score, the cosine, and what each stage made of the score."""
    lanes = [f"{lane.lane} {lane.rank} ({lane.score:.2f})" for lane in trace.lanes]
    if trace.cosine is not None:
        noise = "above" if trace.above_noise else "within"
        lanes.append(f"cosine {trace.cosine:.2f}, {noise} the noise")
    if trace.likeness is not None and trace.around is not None:
        lanes.append(f"likeness {trace.likeness:.2f}, with its neighbours {trace.around:.2f}")
    steps = []
    before: float | None = None
    for effect in trace.stages:
        if before is None or abs(effect.score - before) >= 0.0005:
            steps.append(f"{effect.stage} {effect.score:.3f} (rank {effect.rank})")
        before = effect.score
    lines = ["why: " + "; ".join(lanes), "     " + " → ".join(steps)]
    if not any(trace.lanes):
        lines[0] = f"why: it supersedes {clean(hit.stands_for or '')}"
    elif hit.stands_for:
        lines[0] += f"; all this of {clean(hit.stands_for)}, which it supersedes"
    return [indent + style.dim(line) for line in lines]


def _left_out(trace: Trace, style: Style) -> list[str]:
    return [
        style.dim(f"left out by {left.by}: {clean(left.path)}:{left.line + 1}: {clean(left.why)}")
        for left in trace.left_out
    ]


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
    if hit.conflict_of is not None:
        original = f" of {clean(hit.conflict_of)}" if hit.conflict_of else ""
        lines.append(indent + style.yellow(f"a sync conflict copy{original}"))
    if hit.stale:
        lines.append(indent + style.yellow("stale, as the note says itself"))
    if hit.stands_for is not None:
        lines.append(indent + style.yellow(f"supersedes {clean(hit.stands_for)}, which matched"))
    if hit.also:
        lines.append(indent + style.dim(f"says the same: {', '.join(map(clean, hit.also))}"))
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
        f"note: {lane.lane} lane{'' if lane.ran else ' did not run'}: {clean(lane.note)}"
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
    return [
        *(f"note: {clean(told)}" for told in answer.told),
        " · ".join(parts),
        *([f"note: Did you mean: {clean(answer.did_you_mean)}?"] if answer.did_you_mean else []),
        *([f"note: {clean(freshness.note)}"] if said else []),
    ]
