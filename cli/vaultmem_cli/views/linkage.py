"""Links, backlinks and unlinked mentions of a note."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from vaultmem.answers import BacklinksAnswer, LinksAnswer, LinkView, Place, UnlinkedAnswer
from vaultmem.notes.model import LinkKind, SubpathKind
from vaultmem_cli.console import Page, Style
from vaultmem_cli.textwidth import cells, clean, pad, shorten
from vaultmem_cli.views.words import count, freshness_notes, moment

WIDEST_LINK = 50
"""Columns for the links as written; a longer one shifts its own line only."""


def links_page(answer: LinksAnswer, style: Style) -> Page:
    """Each link with its line, as written, and where it leads; what is broken says why."""
    written = [written_link(link) for link in answer.links]
    widest = WIDEST_LINK if style.width is None else min(WIDEST_LINK, style.width // 2)
    width = max((cells(text) for text in written if cells(text) <= widest), default=0)
    digits = _digits(link.line for link in answer.links)
    lines = [
        f"{style.dim(str(link.line + 1).rjust(digits))}  "
        f"{pad(shorten(text, style.width and widest), width)}  {_end(link, style)}"
        for link, text in zip(answer.links, written, strict=True)
    ]
    return Page(lines, [_links_summary(answer), *freshness_notes(answer.freshness)])


def written_link(link: LinkView) -> str:
    """The link about as it stands in the note.

    A property's link is shown with its key, a canvas card's without brackets.
    """
    inner = clean(link.target + link.subpath)
    mark = "!" if link.embed else ""
    shown = link.size if link.size is not None else link.display
    if link.kind == LinkKind.MARKDOWN:
        text = f"{mark}[{clean(shown or '')}]({inner})"
    elif link.kind == LinkKind.CANVAS:
        return inner
    else:
        text = f"{mark}[[{inner}{'' if shown is None else '|' + clean(shown)}]]"
    if link.kind == LinkKind.PROPERTY and link.key:
        return f"{clean(link.key)}: {text}"
    return text


def _end(link: LinkView, style: Style) -> str:
    if link.status == "deleted":
        when = f" {moment(link.gone_ns)[:10]}" if link.gone_ns else ""
        return style.red(f"✗ deleted{when}")
    if link.to is None:
        return style.red("✗ no such file")
    path = clean(link.to)
    if link.end is not None and link.end.kind == SubpathKind.MISSING:
        what = "block" if link.subpath.startswith("#^") else "heading"
        return style.yellow(f"! {path} has no such {what}")
    if link.status == "ambiguous":
        candidates = round(1 / link.confidence) if link.confidence else 2
        return style.yellow(f"! {path}, the first of {candidates} that match")
    return f"→ {path}"


def _links_summary(answer: LinksAnswer) -> str:
    if not answer.links:
        return f"{clean(answer.path)} holds no links."
    broken = sum(link.to is None for link in answer.links)
    missing = sum(
        link.end is not None and link.end.kind == SubpathKind.MISSING for link in answer.links
    )
    ambiguous = sum(link.status == "ambiguous" for link in answer.links)
    parts = [
        count(len(answer.links), "link"),
        f"{broken} broken" if broken else "",
        f"{missing} to a missing heading or block" if missing else "",
        f"{ambiguous} ambiguous" if ambiguous else "",
    ]
    return f"{clean(answer.path)}: {', '.join(filter(None, parts))}"


def backlinks_page(answer: BacklinksAnswer, style: Style) -> Page:
    """Each file that links to the note, with the lines where it does."""
    lines: list[str] = []
    for source in answer.sources:
        tail = f"  {style.dim('canvas')}" if source.is_canvas else ""
        lines.append(style.cyan(clean(source.path)) + tail)
        lines += _places(() if source.is_canvas else source.places, style)
    total = sum(source.count for source in answer.sources)
    path = clean(answer.path)
    summary = f"No file links to {path}."
    if answer.sources:
        summary = f"{path}: {count(total, 'backlink')} from {count(len(answer.sources), 'file')}"
    notes = [summary, *_absence(answer)]
    return Page(lines, [*notes, *freshness_notes(answer.freshness)])


def _absence(answer: BacklinksAnswer) -> list[str]:
    """That there is no such note, for who wonders why."""
    if answer.state == "deleted":
        return [f"note: {clean(answer.path)} was deleted."]
    if answer.state == "missing":
        return [f"note: there is no note {clean(answer.path)} yet."]
    return []


def unlinked_page(answer: UnlinkedAnswer, style: Style) -> Page:
    """Each note that names the note without linking, with the lines where it does."""
    lines: list[str] = []
    for source in answer.sources:
        lines.append(style.cyan(clean(source.path)))
        lines += _places(source.places, style)
    names = ", ".join(f"“{clean(name)}”" for name in answer.names)
    total = sum(source.count for source in answer.sources)
    summary = f"No other note mentions {names} without a link."
    if answer.sources:
        summary = f"{count(total, 'mention')} of {names} in {count(len(answer.sources), 'note')}"
    return Page(lines, [summary, *freshness_notes(answer.freshness)])


def _places(places: Sequence[Place], style: Style) -> list[str]:
    """The lines of a file, each once, with their numbers from 1."""
    distinct = list(dict.fromkeys(places))
    digits = _digits(place.line for place in distinct)
    room = style.width and style.width - digits - 4
    return [
        f"  {style.dim(str(place.line + 1).rjust(digits))}  {shorten(clean(place.context), room)}"
        for place in distinct
    ]


def _digits(lines: Iterable[int]) -> int:
    return max((len(str(line + 1)) for line in lines), default=1)
