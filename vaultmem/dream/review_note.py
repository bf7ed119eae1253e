"""The review note: proposals that wait for a person, each with a check box. Pure.

It is one standing note, not one a day. What waits is a state and no history: with a note a day, one proposal would stand
in several, a tick in an old one would be missed, and nobody would know where to look. What was decided is in the
journal, and in the digest of its day; the review note only holds what is still open, so it is short.

The note is the person's as well: items that are still open stay where they are and as they are, and whatever else stands
in the note is kept.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from vaultmem.dream.folders import REVIEW_FOLDER
from vaultmem.dream.note_prose import LinkOf, line_break_of, shortened
from vaultmem.dream.proposal import NoteText, Operation, Proposal
from vaultmem.dream.review_item import MAX_TITLE, ReviewItem, item_text, review_item
from vaultmem.dream.review_marks import (
    BLOCK_PREFIX,
    FoundItem,
    extent,
    find_items,
    marked_ids,
    quotes_of,
    split_lines,
    title_text,
)
from vaultmem.notes.frontmatter import read_frontmatter
from vaultmem.notes.parse import parse_note

FILE: Final = f"{REVIEW_FOLDER}/Review.md"
NOTE_TYPE: Final = "review"

MAX_ITEMS: Final = 20
"""Items in the note; the rest is counted in a line."""
MAX_LOOKS: Final = 8
"""Of these, at most so many that only ask for a look."""

DECIDE: Final = "To decide"
LOOK: Final = "Look at these"
INTRO: Final = (
    "vaultmem would make these changes to your notes. Tick a box to accept one: it is done at the next sync, and "
    "`vaultmem undo` takes it back. Write a minus, `[-]`, to reject one: it does not come back while what it is about stays so. "
    "What you leave open waits. One that you delete is not shown here again, and `vaultmem review` still has it; delete this "
    "whole note to have them all back. What you write here stays."
)
LOOK_INTRO: Final = "Only you can settle these. Tick what you have dealt with; `[-]` hides it."
NOTHING: Final = "*Nothing waits for you.*"
_MORE: Final = "*{} more: they come up here as you decide, and `vaultmem review list` shows all.*"
_STATUS: Final = re.compile(
    r"\*(?:Nothing waits for you\.|And [\d,]+ more: they come up here as you decide, and "
    r"`vaultmem review list` shows all\.)\*"
)


class Choice(StrEnum):
    """What a person decided."""

    ACCEPT = "accept"
    REJECT = "reject"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Decision:
    """What stands in the note for a proposal."""

    choice: Choice
    warning: str = ""
    """Why a mark was not followed, in a sentence for the person; "" when all is well."""


@dataclass(frozen=True, slots=True)
class ReviewPlan:
    """What follows from the note as the person left it."""

    accepted: tuple[Proposal, ...]
    """To be applied, in the order in which they were given."""
    rejected: tuple[Proposal, ...]
    """Not to be proposed again."""
    done: tuple[Proposal, ...]
    """Ticked where only a look was asked for: not to be shown again."""
    stale: tuple[Proposal, ...]
    """Void, as a note they were made from has changed or gone; whatever the person ticked."""
    waiting: tuple[Proposal, ...]
    """Still open."""
    warnings: tuple[str, ...]
    text_after: str | None
    """The note's next text; None where there is no note and nothing to put into one."""
    aside: tuple[Proposal, ...] = ()
    """Still open as well, but taken out of the note by a person: not to be put into it again."""
    unknown: tuple[str, ...] = ()
    """Ids of items of ours in the note that are neither waiting nor settled as far as is known here: another device made
    them, and its word is still on its way. They stay as they are."""


def review_path(memory_root: str) -> str:
    """Where the review note stands in the vault."""
    root = memory_root.strip("/")
    return f"{root}/{FILE}" if root else FILE


# --- reading ---


def read_decisions(text: str) -> Mapping[str, Decision]:
    """What stands in the note for each proposal, by id, in order of place.

    ``[x]`` and ``[X]`` accept, ``[-]`` rejects, all else is undecided. So is an item in a comment, and one that stands
    there more than once with different marks; these come with a warning. An item without its block id is not known.
    """
    by_id: dict[str, list[FoundItem]] = {}
    for item in find_items(text):
        by_id.setdefault(item.id, []).append(item)
    return {name: _decision(name, items) for name, items in by_id.items()}


def _decision(name: str, items: Sequence[FoundItem]) -> Decision:
    choices = {_choice(item) for item in items}
    block = f"^{BLOCK_PREFIX}{name}"
    if len(choices) > 1:
        lines = ", ".join(str(item.line + 1) for item in items)
        warning = f"{block} stands in the review note with different marks (lines {lines}): left undecided."
        return Decision(Choice.UNDECIDED, warning)
    if any(item.hidden and item.mark != " " for item in items):
        return Decision(
            Choice.UNDECIDED, f"{block} stands in a comment of the review note: left undecided."
        )
    return Decision(choices.pop())


def _choice(item: FoundItem) -> Choice:
    if item.hidden:
        return Choice.UNDECIDED
    return {"x": Choice.ACCEPT, "X": Choice.ACCEPT, "-": Choice.REJECT}.get(
        item.mark, Choice.UNDECIDED
    )


def plan_review(
    waiting: Sequence[Proposal],
    text: str | None,
    current_hashes: Mapping[str, str],
    *,
    read: Callable[[str], NoteText | None],
    link_of: LinkOf,
    shown: frozenset[str] = frozenset(),
    aside: frozenset[str] = frozenset(),
    settled: Mapping[str, Choice] = MappingProxyType({}),
    tried: frozenset[str] | None = None,
) -> ReviewPlan:
    """What is to be applied, remembered as rejected, or dropped, and what the note is to say next.

    ``waiting`` comes with the most valuable first. ``text`` is the review note, None when there is none;
    ``current_hashes`` the hash in hex of each note by path as it is now. ``shown`` are the ids of the proposals that
    stood in the note when we had written it, ``aside`` those that a person took out of it before. Where the whole note
    is gone, nothing was taken out of it. ``settled`` are the ids of those that were decided or are void, with what was
    decided; an item that is neither among them nor among ``waiting`` stays as it is, whatever its mark.
    What is marked leaves the note, as it is followed now; where nothing is, ``tried`` are the ids of those that were just
    before, and what else a person has marked meanwhile stays with its mark until it is followed.
    """
    decisions = read_decisions(text) if text is not None else {}
    out = frozenset[str]() if _is_blank(text) else (shown | aside) - decisions.keys()
    taken: dict[str, list[Proposal]] = {
        name: [] for name in ("accepted", "rejected", "done", "stale", "waiting", "aside")
    }
    warnings = [decision.warning for decision in decisions.values() if decision.warning]
    for proposal in {each.id: each for each in waiting}.values():
        choice = decisions.get(proposal.id, Decision(Choice.UNDECIDED)).choice
        fate = _fate(proposal, choice, current_hashes)
        fate = "aside" if fate == "waiting" and proposal.id in out else fate
        taken[fate].append(proposal)
        if fate == "stale" and choice is Choice.ACCEPT:
            warnings.append(_void(proposal))
    known = frozenset(each.id for each in waiting)
    over = settled.keys() - known
    unknown = (marked_ids(text) if text is not None else frozenset[str]()) - known - over
    warnings += [
        f"^{BLOCK_PREFIX}{name} is marked in the review note, but no such proposal waits: nothing was done."
        for name, decision in decisions.items()
        if name in over and decision.choice not in (Choice.UNDECIDED, settled[name])
    ]
    standing = tuple(taken["waiting"])
    after = None
    if text is not None or standing:
        marked = () if tried is None else (*taken["accepted"], *taken["rejected"], *taken["done"])
        kept = [each for each in marked if each.id not in (tried or ())]
        items = _lazily((*standing, *kept), decisions.keys(), read)
        after = render_review(items, text, link_of=link_of, settled=known | over)
    groups = {name: tuple(found) for name, found in taken.items()}
    return ReviewPlan(
        **groups,
        warnings=tuple(warnings),
        text_after=after,
        unknown=tuple(name for name in decisions if name in unknown),
    )


def _fate(proposal: Proposal, choice: Choice, current_hashes: Mapping[str, str]) -> str:
    if any(current_hashes.get(path) != held for path, held in proposal.inputs.items()):
        if choice is Choice.REJECT:
            return "rejected"  # that holds, whatever else was written into its notes
        return "done" if choice is Choice.ACCEPT and not proposal.does_something else "stale"
    if choice is Choice.ACCEPT:
        return "accepted" if proposal.does_something else "done"
    return "rejected" if choice is Choice.REJECT else "waiting"


def _void(proposal: Proposal) -> str:
    title = shortened(proposal.title, MAX_TITLE)
    return f"{title}: a note changed after this was proposed, so it was not done. It is proposed anew if it still fits."


def _lazily(
    proposals: Sequence[Proposal], shown_ids: Iterable[str], read: Callable[[str], NoteText | None]
) -> list[ReviewItem]:
    """The items; notes are read for those only that may be put into the note now."""
    held = frozenset(shown_ids)
    items = []
    room = {True: MAX_LOOKS, False: MAX_ITEMS}
    for proposal in proposals:
        look = proposal.operation is Operation.NOTE_ONLY
        needed = proposal.id not in held and room[look] > 0
        room[look] -= needed
        items.append(review_item(proposal, read if needed else lambda _: None))
    return items


# --- writing ---


def render_review(
    items: Sequence[ReviewItem],
    previous: str | None,
    *,
    link_of: LinkOf,
    settled: frozenset[str] = frozenset(),
) -> str:
    """The note with these items, the most valuable given first.

    Those that stand there already stay as they are; new ones come on top of their section, as far as there is room;
    those that are ``settled`` and not given any more go, and what a person wrote among their lines stays. Any other stays:
    another device may have made it, and a person may end a line of theirs with such an id.
    """
    if previous is None or _is_blank(previous):
        mark = "\ufeff" if previous and previous.startswith("\ufeff") else ""
        previous = (
            f"{mark}---\ntype: {NOTE_TYPE}\nmanaged_by: vaultmem\n---\n\n{INTRO}\n\n## {DECIDE}\n"
        )
    line_break = line_break_of(previous)
    wanted = {item.id: item for item in items}
    text = _without_settled(previous, settled - wanted.keys(), line_break)
    text = _without_status(text)
    held = {item.id for item in find_items(text)}
    actions, looks, more = _chosen(list(wanted.values()), held)
    nothing = not wanted and not marked_ids(text)
    status = _MORE.format(f"And {more:,}") if more else (NOTHING if nothing else "")
    text = _put(text, DECIDE, status, actions, link_of, line_break)
    if looks:
        text = _put(text, LOOK, "", looks, link_of, line_break)
    return text


def _chosen(
    items: Sequence[ReviewItem], held: set[str]
) -> tuple[list[ReviewItem], list[ReviewItem], int]:
    """The new items that there is room for: changes, looks; and how many there is none for."""
    new = [item for item in items if item.id not in held]
    held_looks = sum(item.only_a_look for item in items if item.id in held)
    room = max(0, MAX_ITEMS - (len(items) - len(new)))
    actions = [item for item in new if not item.only_a_look][:room]
    looks = [item for item in new if item.only_a_look]
    looks = looks[: max(0, min(MAX_LOOKS - held_looks, room - len(actions)))]
    return actions, looks, len(new) - len(actions) - len(looks)


def _is_blank(text: str | None) -> bool:
    return text is None or not text.strip("\ufeff \t\r\n")


def _without_settled(text: str, settled: frozenset[str], line_break: str) -> str:
    """The text without these items; a person's lines among theirs stay, less indented."""
    found = find_items(text)
    gone = [item for item in found if item.id in settled]
    if not gone:
        return text
    lines = split_lines(text)
    titles = frozenset(item.line for item in found)
    for item in reversed(gone):
        part = extent(lines, item, titles)
        kept = [
            lines[number] for number in range(part.start + 1, part.end) if number not in part.ours
        ]
        kept = _dedented(kept, lines[item.line])
        if not part.title_is_ours:
            kept.insert(
                0,
                f"{_leading(lines[item.line], quotes_of(lines[item.line]))}- {title_text(lines[item.line])}{line_break}",
            )
        before, after = lines[: part.start], lines[part.end :]
        if kept and after and after[0].strip() and not kept[-1].endswith(("\r", "\n")):
            kept[-1] += line_break
        if (kept or after) and before and before[-1].strip() and (kept or after)[0].strip():
            kept.insert(0, line_break)  # or two paragraphs would become one
        if kept and kept[-1].strip() and after and after[0].strip():
            kept.append(line_break)
        lines = before + kept + after
    return "".join(_without_empty_section(lines))


def _leading(line: str, quotes: int) -> str:
    """The blanks before its text, and as many quote marks as there are around its item."""
    found = re.match(rf"(?:[ \t]*>){{0,{quotes}}}[ \t]*", line)
    return found[0] if found else ""


def _dedented(kept: list[str], title: str) -> list[str]:
    """The lines with the title's indentation in place of what they share, as their item is gone."""
    quotes = quotes_of(title)
    filled = [_leading(line, quotes) for line in kept if line.strip()]
    if not filled:
        return []
    shared = filled[0]
    for each in filled[1:]:
        while not each.startswith(shared):
            shared = shared[:-1]
    lead = _leading(title, quotes)
    if not shared.startswith(lead):
        return kept
    return [lead + line[len(shared) :] if line.startswith(shared) else line for line in kept]


def _without_empty_section(lines: list[str]) -> list[str]:
    """Without the heading of what to look at, when nothing is left below it but our own words."""
    text = "".join(lines)
    for number in _heading_lines(text, LOOK):
        end = next(
            (
                at
                for at in range(number + 1, len(lines))
                if lines[at].strip() not in ("", LOOK_INTRO)
            ),
            len(lines),
        )
        headings = {heading.line for heading in parse_note(text).headings}
        if (end == len(lines) or end in headings) and lines[number].strip() == f"## {LOOK}":
            return lines[:number] + lines[end:]
    return lines


def _without_status(text: str) -> str:
    """Without our line that says how many more wait, and the blank line below it."""
    if "*" not in text:
        return text
    lines = split_lines(text)
    hidden = parse_note(text).hidden
    at = 0
    kept: list[str] = []
    skip = False
    for line in lines:
        start, at = at, at + len(line)
        if skip and not line.strip():
            skip = False
            continue
        skip = False
        in_code = any(first <= start < last for first, last in hidden)
        if not in_code and line == line.lstrip() and _STATUS.fullmatch(line.strip()):
            skip = not kept or not kept[-1].strip()
            continue
        kept.append(line)
    return "".join(kept)


def _heading_lines(text: str, heading: str) -> list[int]:
    return [
        found.line
        for found in parse_note(text).headings
        if found.text.strip().casefold() == heading.casefold()
    ]


def _put(
    text: str,
    heading: str,
    status: str,
    items: Sequence[ReviewItem],
    link_of: LinkOf,
    line_break: str,
) -> str:
    """The text with the status line and the items on top of the section, which is made if there is none."""
    blocks = [status] if status else []
    blocks += [item_text(item, link_of) for item in items]
    if not blocks:
        return text
    block = "\n\n".join(blocks).replace("\n", line_break)
    ids = {item.id for item in items}
    for put in (_below_heading, _at_end, _at_top):
        after = put(text, heading, block, line_break)
        # Not where something left open, such as a code block, would take the items in.
        if after is not None and ids <= {found.id for found in find_items(after)}:
            return after
    return text


def _below_heading(text: str, heading: str, block: str, line_break: str) -> str | None:
    places = _heading_lines(text, heading)
    if not places:
        return None
    lines = split_lines(text)
    at = places[0] + 1
    head = lines[:at]
    if at < len(lines) and _is_setext(lines[at]):
        head.append(lines[at])
        at += 1
    if not head[-1].endswith(("\r", "\n")):
        head[-1] += line_break
    while at < len(lines) and not lines[at].strip():
        at += 1
    rest = lines[at:]
    if rest and rest[0].strip() == LOOK_INTRO:
        head += [line_break, rest.pop(0)]
        while rest and not rest[0].strip():
            rest.pop(0)
    return "".join((*head, line_break, block, *_rest(rest, line_break)))


def _at_end(text: str, heading: str, block: str, line_break: str) -> str | None:
    body = text if text.endswith(("\r", "\n")) or not text else text + line_break
    return f"{body}{_section(heading, block, line_break)}{line_break}"


def _at_top(text: str, heading: str, block: str, line_break: str) -> str | None:
    at = read_frontmatter(text).body_start
    head = (
        text[:at]
        if not at or text[:at].endswith(("\r", "\n", "\ufeff"))
        else text[:at] + line_break
    )
    return (
        head
        + _section(heading, block, line_break)
        + "".join(_rest(split_lines(text[at:]), line_break))
    )


def _section(heading: str, block: str, line_break: str) -> str:
    intro = f"{LOOK_INTRO}{line_break * 2}" if heading == LOOK else ""
    return f"{line_break}## {heading}{line_break * 2}{intro}{block}"


def _rest(rest: Sequence[str], line_break: str) -> list[str]:
    """What stands below our lines, held apart from them: indented text would become part of the last item."""
    if not rest:
        return [line_break]
    first = next((line for line in rest if line.strip()), "")
    between = [line_break, line_break]
    if first[:1] in (" ", "\t"):
        between += ["%% %%", line_break, line_break]
    return [*between, *rest]


def _is_setext(line: str) -> bool:
    return re.fullmatch(r" {0,3}(?:=+|-+)[ \t]*", line.rstrip("\r\n")) is not None
