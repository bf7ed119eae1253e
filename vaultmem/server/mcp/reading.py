"""``memory_search`` and ``memory_get``: what is in the vault, in as many tokens as there is room for."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from vaultmem.errors import NoteNotFoundError, UsageError, VaultmemError, listed
from vaultmem.files.read import content_hash
from vaultmem.notes.parse import parse_note
from vaultmem.notes.paths import stem
from vaultmem.notes.refusal import EditRefused
from vaultmem.notes.targets import find_heading
from vaultmem.server.mcp.budget import LEAST, MOST, cut, tokens
from vaultmem.server.mcp.fence import (
    WARNING,
    Mark,
    fenced,
    fenced_in_line,
    named,
    note_uri,
    one_line,
    ours,
)
from vaultmem.server.mcp.given import Given
from vaultmem.server.mcp.reach import LONGEST_PATH, LOOK, Reach, name_of, path_of

if TYPE_CHECKING:
    from vaultmem.answers import NoteView
    from vaultmem.search.model import Freshness, Hit, SearchAnswer
    from vaultmem.vault import Vault

SEARCH_TOKENS: Final = 2_000
GET_TOKENS: Final = 6_000
LIMIT: Final = 8
MOST_HITS: Final = 50
FURTHEST: Final = 1_000
"""Notes that a search ranks at most."""

VIEWS: Final = ("text", "outline", "links")
LISTED: Final = 100
"""Links of a note that are listed, each way."""

MOST_NAMES: Final = 12
"""Notes or headings that an error names."""

SEARCH: Final = ("query", "limit", "folder", "cursor", "max_tokens")
GET: Final = ("note", "view", "section", "offset", "max_tokens")


# -- search ------------------------------------------------------------------------------------------------------


def memory_search(vault: Vault, given: Given, mark: Mark) -> str:
    """The notes that answer a query, best first, a page of them."""
    query = given.text("query")
    limit = given.whole("limit", LIMIT, 1, MOST_HITS)
    start = given.whole("cursor", 0, 0, FURTHEST)
    room = given.whole("max_tokens", SEARCH_TOKENS, LEAST, MOST)
    folder = _folder(given)
    wanted = min(start + limit + 1, FURTHEST)
    answer = vault.search(query, limit=wanted, within=folder)
    reach = Reach(vault.root)
    hits = [hit for hit in answer.hits if reach.sees(hit.path)]
    if start == 0:
        vault.remember(query, [hit.path for hit in hits], by="agent")
    shown = _within(hits[start : start + limit], room)
    if not shown:
        return "\n".join([_nothing(start), *_remarks(answer, reach, mark)])
    lines = [line for number, hit in enumerate(shown, start + 1) for line in _hit(number, hit)]
    return "\n".join(
        [
            _count(start, len(shown), len(hits), _is_all(answer, wanted)),
            *_remarks(answer, reach, mark),
            WARNING,
            fenced("\n".join(lines), "memory_search", mark),
        ]
    )


def _folder(given: Given) -> str:
    folder = given.text("folder", "").strip().strip("/")
    return name_of(folder) if folder else ""


def _within(hits: Sequence[Hit], room: int) -> list[Hit]:
    """As many of the hits as there is room for, one at least."""
    shown: list[Hit] = []
    for hit in hits:
        room -= tokens("\n".join(_hit(0, hit)))
        if room < 0 and shown:
            break
        shown.append(hit)
    return shown


def _hit(number: int, hit: Hit) -> list[str]:
    place = " > ".join(map(one_line, hit.heading_path))
    said = [f"{number}. {named(hit.path)}:{hit.line + 1}"]
    if hit.title and hit.title != hit.path.rpartition("/")[2].removesuffix(".md"):
        said.append(f'"{one_line(hit.title)}"')
    if place:
        said.append(f"# {place}")
    said.append(f"({hit.score:.2f})")
    lines = [" ".join(said)]
    if hit.stale:
        lines.append("   says of itself that it is stale")
    if hit.conflict_of is not None:
        lines.append(
            f"   a sync service's conflict copy of {one_line(hit.conflict_of) or 'a note'}"
        )
    if hit.stands_for:
        lines.append(f"   current; it supersedes {one_line(hit.stands_for)}")
    if hit.also:
        lines.append(f"   the same stands in {', '.join(map(one_line, hit.also))}")
    lines.append(f"   {one_line(hit.snippet.text)}")
    return lines


def _count(start: int, shown: int, known: int, is_all: bool) -> str:
    many = f"{known:,}" if is_all else f"at least {known:,}"
    end = start + shown
    if end >= known:
        more = "" if is_all else " No further ones are ranked; make the query narrower."
        return f"Notes {start + 1} to {end} of {many}.{more}"
    return f'Notes {start + 1} to {end} of {many}. For more, the same with "cursor": {end}.'


def _is_all(answer: SearchAnswer, wanted: int) -> bool:
    """Whether no note was left out: a lane that looked only at a part says so."""
    looked_at_all = not any(lane.ran and lane.note for lane in answer.lanes)
    return len(answer.hits) < wanted and looked_at_all


def _nothing(start: int) -> str:
    return "There are no more notes for that." if start else "No note answers that."


def _remarks(answer: SearchAnswer, reach: Reach, mark: Mark) -> list[str]:
    """What is to be known of how the query was read and of the answer's freshness."""
    said = list(answer.told)
    if answer.did_you_mean and not reach.excludes:
        meant = fenced_in_line(answer.did_you_mean, "memory_search", mark)
        said.append(f"Did you mean: {meant}?")
    off = [lane for lane in answer.lanes if not lane.ran and lane.note]
    said += [f"By {lane.lane}: {lane.note}." for lane in answer.lanes if lane.ran and lane.note]
    if off:
        said.append(f"Not searched by {', '.join(lane.lane for lane in off)}: {off[0].note}.")
    return [one_line(line) for line in said] + freshness_lines(answer.freshness, mark)


def freshness_lines(fresh: Freshness, mark: Mark) -> list[str]:
    """What the answer may lack; nothing when it lacks nothing."""
    if not fresh.pending:
        return []
    why = fenced_in_line(fresh.note, "index", mark)  # it may name notes
    return [f"{fresh.pending:,} recent edits are not in this answer: {why}"]


# -- one note ----------------------------------------------------------------------------------------------------


def memory_get(vault: Vault, given: Given, mark: Mark) -> str:
    """A part of a note's text with the hash that a change of it needs; or its outline; or its links."""
    view = given.choice("view", VIEWS, "text")
    note = seen_note(vault, given.text("note"))
    if note.text is None:
        raise ours(
            UsageError("The note cannot be shown: it is not UTF-8 text, or not on this disk."),
            note.path,
        )
    vault.remember(stem(note.path), [note.path], by="agent")
    if view != "text":
        given.only(("note", "view", "max_tokens"), f'view "{view}"')
        body = _outline(note) if view == "outline" else _links(vault, note)
        lines = [_hash_line(note.text), *superseded_lines(vault, note.path, mark)]
        return "\n".join([*lines, WARNING, fenced(body, note_uri(note.path), mark)])
    text, what = _part(note, given.text("section", ""))
    start = given.whole("offset", 0, 0, len(text))
    end = cut(text, start, given.whole("max_tokens", GET_TOKENS, LEAST, MOST))
    lines = [
        _hash_line(note.text),
        _extent(what, start, end, len(text)),
        *superseded_lines(vault, note.path, mark),
        *freshness_lines(note.freshness, mark),
    ]
    return "\n".join([*lines, WARNING, fenced(text[start:end], note_uri(note.path), mark)])


def seen_note(vault: Vault, given: str) -> NoteView:
    """The note that an agent means. Raises NoteNotFoundError and UsageError; neither names what it may not see."""
    reach = Reach(vault.root)
    try:
        name = name_of(given)
    except UsageError:
        exact = _at_its_path(vault, given, reach)
        if exact is None:
            raise
        return exact
    reach.check_known()
    with suppress(NoteNotFoundError, UsageError):
        note = vault.note(name)
        if reach.sees(note.path):
            return note
    return _likely(vault, name, reach)


def _likely(vault: Vault, name: str, reach: Reach) -> NoteView:
    """The only note of several called so that an agent may see. Raises NoteNotFoundError, and UsageError when it may
    see several: in words that are the same whether a note that it may not see is called so or none is."""
    meant = vault.graph.meant(name)
    likely = [path for path in meant.candidates if reach.sees(path)]
    if meant.problem == "ambiguous" and len(likely) == 1:
        return vault.note(likely[0])
    names = listed(list(map(named, likely)), MOST_NAMES, "; ")
    if meant.problem == "ambiguous" and likely:
        hint = "Give the path of the one that you mean:"
        raise ours(UsageError(f"{len(likely)} notes are called so.", hint=hint), names)
    hint = f"{LOOK} Close to it:" if names else LOOK
    raise ours(NoteNotFoundError("There is no note of that name.", hint=hint), names)


def _at_its_path(vault: Vault, given: str, reach: Reach) -> NoteView | None:
    """The note at exactly that path or address, however odd the path is: what a list shows can be asked for."""
    path = path_of(given)
    if not path or "\0" in path or len(path) > LONGEST_PATH:
        return None
    try:
        note = vault.note(path)
    except VaultmemError:
        return None
    return note if note.path == path and reach.sees(path) else None


def superseded_lines(vault: Vault, path: str, mark: Mark) -> list[str]:
    """What stands for the note now; nothing when that is the note itself, or is not for agents."""
    for each in vault.graph.as_it_is.superseded([path]):
        if each.ring:
            return ["It and others supersede each other in a ring; none of them is current."]
        if Reach(vault.root).sees(each.current):
            current = fenced_in_line(named(each.current), "note_graph_query", mark)
            return [f"Out of date. The note that stands for it now: {current}"]
    return []


def _hash_line(text: str) -> str:
    return f"hash: {content_hash(text.encode())}"


def _part(note: NoteView, section: str) -> tuple[str, str]:
    """The text of the note, or of the section with that heading, and what to call it."""
    text = note.text or ""
    if not section:
        return text, "the note"
    parsed = parse_note(text)
    try:
        heading = find_heading(text, parsed, section.strip().lstrip("#").strip()).heading
    except EditRefused as refusal:
        headings = [one_line(place.text) for place in refusal.candidates]
        known = listed(headings, MOST_NAMES, "; ") or "none"
        raise ours(
            NoteNotFoundError(
                f"The note has not exactly one heading {section[:80]!r}.",
                hint="Above#Below names one of several. Its headings:",
            ),
            known,
        ) from refusal
    later = (
        h.start for h in parsed.headings if h.start > heading.start and h.level <= heading.level
    )
    return text[heading.start : next(later, len(text))], "the section"


def _extent(what: str, start: int, end: int, total: int) -> str:
    if start == 0 and end == total:
        return f"All {total:,} characters of {what}."
    more = f' Go on with "offset": {end}.' if end < total else " This is the end."
    return f"Characters {start:,} to {end:,} of {total:,} of {what}.{more}"


def _outline(note: NoteView) -> str:
    lines = [f"path: {note.path}", f"title: {note.title}"]
    for name, values in (("aliases", note.aliases), ("tags", note.tags)):
        if values:
            lines.append(f"{name}: {', '.join(values)}")
    lines += [f"property {key}: {value}" for key, value in note.properties.items()]
    lines.append(f"{note.words:,} words, {note.links} links, {note.backlinks} links to it")
    lines += [f"line {head.line + 1}: {'#' * head.level} {head.text}" for head in note.headings]
    return "\n".join(map(one_line, lines))


def _links(vault: Vault, note: NoteView) -> str:
    reach = Reach(vault.root)
    out = [
        f"-> {named(link.to) if link.to else one_line(link.target)}{_relation(link.relation)}{_state(link.status, link.to)}"
        for link in vault.links(note.path).links
        if link.to is None or reach.sees(link.to)
    ]
    back = [
        f"<- {named(source.path)}:{place.line + 1} {one_line(place.context)}".rstrip()
        for source in vault.backlinks(note.path).sources
        if reach.sees(source.path)
        for place in source.places
    ]
    lines = [*_some(list(dict.fromkeys(out)), "links"), *_some(back, "links to it")]
    return "\n".join(lines) or "It has no links, and nothing links to it."


def _some(lines: list[str], what: str) -> list[str]:
    more = len(lines) - LISTED
    return lines if more <= 0 else [*lines[:LISTED], f"… and {more} more {what}"]


def _relation(relation: str) -> str:
    return f" ({one_line(relation)})" if relation and relation != "mentions" else ""


def _state(status: str, to: str | None) -> str:
    return "" if to is not None else f" [{status}]"
