"""Links, tags and hidden spans inside one run of text, read once from left to right.

Each mark is met in turn and what it opens is jumped over: code, math, HTML and URLs hide what they hold
(L-16, L-20 to L-22, T-07), an unclosed mark hides nothing (L-43), ``%%`` never does (L-19, T-08). Every
search that may fail is remembered, so the time is linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from vaultmem.notes.destination import Destination, destination_after
from vaultmem.notes.model import Link, Tag
from vaultmem.notes.spans import WIKILINK, is_external, markdown_link, wikilink
from vaultmem.notes.structure import Region, RegionKind
from vaultmem.notes.tagtext import TAG_NAME, is_number


@dataclass(slots=True)
class Found:
    """What the regions of a note hold, taken down as it is met."""

    links: list[Link] = field(default_factory=list)
    tags: list[Tag] = field(default_factory=list)
    hidden: list[tuple[int, int]] = field(default_factory=list)


_EVENT: Final = re.compile(
    r"\\[!-/:-@\[-`{-~]"  # an escape
    r"|``*"  # a run of backticks
    r"|\$\$?"
    r"|<[A-Za-z/!?]"
    r"|!\[|\[|\]"
    r"|#"
    r"|://"
)
# Each alternative starts with a literal character: only then does the search skip plain text quickly.


def scan(flat: str, region: Region, found: Found) -> None:
    """Take down the links, tags and hidden spans of one region of a flattened note, links and tags in order."""
    start, end, line = region[0], region[1], region[2]
    event = _EVENT.search(flat, start, end)
    at = piece = start
    if region.quotes and event is not None and flat.find("\n", start, end) >= 0:
        text = _without_quote_marks(flat[start:end], region.quotes)
        _Scanner(text, region, found).run(0, 0)
        return
    # Wikilinks alone need no scanner; it takes over at the first other mark.
    in_table = region.kind is RegionKind.CELL
    while event is not None:
        opening = event.start()
        embed = flat[opening] == "!"
        match = WIKILINK.match(flat, opening + embed, end)
        if match is None:
            _Scanner(flat[start:end], region, found).run(at - start, piece - start)
            return
        line += flat.count("\n", at, opening)
        link = wikilink(match[1], opening, embed, line, in_table)
        at = match.end()
        if link is not None:
            found.links.append(link)
            piece = at
        event = _EVENT.search(flat, at, end)


def _without_quote_marks(text: str, quotes: int) -> str:
    """The text with the ``>`` marks at the start of its further lines blanked; its length stays."""
    marks = re.compile(rf"\n(?:[ \t]*>){{1,{quotes}}}")
    return marks.sub(lambda run: run[0].replace(">", " "), text)


@dataclass(slots=True)
class _Bracket:
    """An open ``[`` or ``![``."""

    start: int
    image: bool
    text_start: int
    links_before: int
    """How many links were found before it; so with tags."""
    tags_before: int
    tag: Tag | None = None
    """A tag directly after the bracket: it counts only if the bracket turns out to open a link."""


_Handler: TypeAlias = "Callable[[_Scanner, int, int], int]"

_AUTOLINK: Final = re.compile(r"<[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*+>|<[\w.+-]++@[\w.-]++>")
_TAG: Final = re.compile(
    r"""<(?: /[A-Za-z][A-Za-z0-9-]*+ \s*+ >
        | ![A-Za-z] [^<>]*+ >
        | [A-Za-z][A-Za-z0-9-]*+
          (?: \s++ [A-Za-z_:][A-Za-z0-9_.:-]*+
              (?: \s*+ = \s*+ (?: [^\s"'=<>`]++ | '[^']*+' | "[^"]*+" ) )?+
          )*+
          \s*+ /?+ > )""",
    re.VERBOSE,
)
_SPECIAL_HTML: Final = (
    ("<!--", "-->"),
    ("<![CDATA[", "]]>"),
    ("<?", "?>"),
)
_SCHEME_END: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*\Z")
_URL_REST: Final = re.compile(r"[^\s<>\[\]`|\"]*")
_BACKTICKS: Final = re.compile("`+")
_DEFINITION: Final = re.compile(
    r"""\[(?!\^)(?:[^\[\]\\\n]|\\.){1,999}+\]:      # a label
        [ \t]*+ \n?+ [ \t]*+
        (?:<[^<>\n]*+> | [^\s<]\S*+)               # its destination
        (?:[ \t]++ (?:"[^"\n]*+" | '[^'\n]*+' | \([^()\n]*+\)))?+
        [ \t]*+ (?:\n[ \t]*+ | \Z)""",
    re.VERBOSE,
)
"""A link reference definition: at the start of a paragraph, it is no text (L-35)."""
_EMPHASIS: Final = frozenset("*_=~")
_INLINE_MATH_END: Final = re.compile(r"\\.|\$", re.DOTALL)


class _Scanner:
    """One pass over one region. Offsets are those of the region's text; ``base`` makes them the note's."""

    __slots__ = (
        "absent",
        "base",
        "brackets",
        "dead",
        "definitions_end",
        "found",
        "in_table",
        "last_end",
        "line",
        "line_at",
        "one_line",
        "region",
        "runs",
        "text",
    )

    def __init__(self, text: str, region: Region, found: Found) -> None:
        self.text = text
        self.base = region.start
        self.region = region
        self.found = found
        self.in_table = region.kind is RegionKind.CELL
        self.last_end = 0
        """End of the inline element read last: what follows starts a new piece (T-03, T-10)."""
        self.line, self.line_at = region.line, 0
        self.one_line = "\n" not in text
        self.definitions_end = 0 if region.kind is RegionKind.TEXT else -1
        """Where the next link reference definition would have to start."""
        self.brackets: list[_Bracket] = []
        self.dead = 0
        """How many of the open brackets stand before a finished link and so open none themselves."""
        self.absent: dict[str, int] = {}
        """Mark → offset from which on the mark is known not to occur."""
        self.runs: dict[int, list[int]] | None = None
        """Length → offsets of the backtick runs of that length, last first."""

    def run(self, at: int, piece: int) -> None:
        """Read on from an offset before which there are only finished links; the last ends at ``piece``."""
        search, text = _EVENT.search, self.text
        self.last_end = piece
        event = search(text, at)
        while event is not None:
            at = event.start()
            position = _HANDLERS[text[at]](self, at, event.end())
            event = search(text, position)

    # --- one handler for each mark: (start, end of the mark) → where to go on ---

    def escape(self, _at: int, end: int) -> int:
        self.last_end = end
        return end

    def code(self, at: int, end: int) -> int:
        closing = self._next_run(end - at, end)
        return end if closing < 0 else self._hide(at, closing + end - at)

    def math(self, at: int, end: int) -> int:
        closing = self._find("$$", end) if end - at == 2 else self._inline_math_end(end)
        return end if closing < 0 else self._hide(at, closing + end - at)

    def angle(self, at: int, _end: int) -> int:
        text = self.text
        match = _AUTOLINK.match(text, at) or _TAG.match(text, at)
        if match:
            return self._hide(at, match.end())
        for opening, closing in _SPECIAL_HTML:
            if text.startswith(opening, at):
                # "<!-->" is a whole comment.
                after = at + 2 if opening == "<!--" else at + len(opening)
                close = self._find(closing, after)
                return at + 1 if close < 0 else self._hide(at, close + len(closing))
        return at + 1

    def url(self, at: int, end: int) -> int:
        """A bare address: no tags and no links in it (L-30, T-11)."""
        scheme = _SCHEME_END.search(self.text, max(self.last_end, at - 32), at)
        if scheme is None:
            return end
        rest = _URL_REST.match(self.text, end)
        return self._hide(scheme.start(), rest.end() if rest else end)

    def bracket(self, at: int, end: int) -> int:
        """``[`` or ``![``: a wikilink, or the start of what may become a Markdown link."""
        match: re.Match[str] | None
        if self.text.startswith("[", end):
            match = WIKILINK.match(self.text, end - 1)
            if match:
                return self._wikilink(at, end - 1, match)
        if at == self.definitions_end and (match := _DEFINITION.match(self.text, at)):
            self.definitions_end = match.end()
            self._hide(at, at + len(match[0].rstrip()))
            return match.end()
        found = self.found
        self.brackets.append(_Bracket(at, end - at == 2, end, len(found.links), len(found.tags)))
        return end

    def close(self, at: int, end: int) -> int:
        if not self.brackets:
            return end
        opener = self.brackets.pop()
        alive = opener.image or len(self.brackets) >= self.dead
        self.dead = min(self.dead, len(self.brackets))
        if not alive or not self.text.startswith("(", end):
            return end
        dest = destination_after(self.text, end)
        if dest is None:
            return end
        self._markdown_link(opener, at, dest)
        if not opener.image:
            self.dead = len(self.brackets)
        self.last_end = dest.end
        return dest.end

    def tag(self, at: int, end: int) -> int:
        name = TAG_NAME.match(self.text, end)
        if name is None:
            return end
        run = self._piece_start(at)
        if run < 0 or is_number(name.group()):
            return name.end()
        # In _#a_ the last underscore closes the emphasis and is no part of the tag.
        marks = self.text[run:at]
        stop = name.end()
        if marks.startswith("_") and name.group().endswith(marks):
            stop -= len(marks)
            if stop == end or is_number(self.text[end:stop]):
                return name.end()
        tag = Tag(self.text[end:stop], self._line(at), self.base + at, self.base + stop)
        if self.brackets and self.brackets[-1].text_start == at:
            self.brackets[-1].tag = tag
        else:
            self.found.tags.append(tag)
        self.last_end = stop
        return stop

    # --- what they use ---

    def _hide(self, start: int, end: int) -> int:
        self.found.hidden.append((self.base + start, self.base + end))
        self.last_end = end
        return end

    def _line(self, at: int) -> int:
        """The note's line of an offset; cheap when asked in order."""
        if self.one_line:
            return self.line
        if at >= self.line_at:
            self.line += self.text.count("\n", self.line_at, at)
        else:
            self.line -= self.text.count("\n", at, self.line_at)
        self.line_at = at
        return self.line

    def _find(self, mark: str, at: int) -> int:
        """The next place of the mark, or -1; a mark that is missing is looked for only once."""
        if at >= self.absent.get(mark, at + 1):
            return -1
        place = self.text.find(mark, at)
        if place < 0:
            self.absent[mark] = at
        return place

    def _next_run(self, length: int, at: int) -> int:
        """The next backtick run of just this length (L-16), or -1."""
        if self.runs is None:
            self.runs = {}
            for run in reversed(list(_BACKTICKS.finditer(self.text))):
                self.runs.setdefault(run.end() - run.start(), []).append(run.start())
        places = self.runs.get(length, [])
        while places and places[-1] < at:
            places.pop()
        return places[-1] if places else -1

    def _inline_math_end(self, at: int) -> int:
        """The ``$`` that closes the one before ``at``, or -1 (L-22)."""
        text = self.text
        if not _opens_math(text, at) or at >= self.absent.get("$", at + 1):
            return -1
        for mark in _INLINE_MATH_END.finditer(text, at):
            place = mark.start()
            if mark.group() == "$" and _closes_math(text, place) and place > at:
                return place
        self.absent["$"] = at
        return -1

    def _piece_start(self, at: int) -> int:
        """Where the emphasis marks before ``at`` start (``at`` without any), or -1 when no tag may start.

        A tag starts the region, follows white space or the end of an inline element, or stands first in
        emphasis or (to be seen) in link text (T-03).
        """
        text = self.text
        if at == self.last_end or text[at - 1].isspace():
            return at
        if self.brackets and self.brackets[-1].text_start == at:
            return at
        if at >= 2 and text.startswith("%%", at - 2):
            return at
        mark = text[at - 1]
        if mark not in _EMPHASIS:
            return -1
        run = at
        while run > self.last_end and at - run < 3 and text[run - 1] == mark:
            run -= 1
        if mark in "=~" and at - run != 2:
            return -1
        opens = run == self.last_end or not text[run - 1].isalnum()
        return run if opens and self._find(text[run:at], at) >= 0 else -1

    def _wikilink(self, at: int, opening: int, match: re.Match[str]) -> int:
        link = wikilink(match[1], self.base + at, opening > at, self._line(at), self.in_table)
        if link is not None:
            self.found.links.append(link)
            self.last_end = match.end()
        return match.end()

    def _markdown_link(self, opener: _Bracket, closing: int, dest: Destination) -> None:
        base, text, found = self.base, self.text, self.found
        if opener.image:  # the words for an image hold no links and tags of their own
            del found.links[opener.links_before :]
            del found.tags[opener.tags_before :]
        elif opener.tag is not None:
            found.tags.insert(opener.tags_before, opener.tag)
        typed = text[dest.start : dest.stop]
        link = markdown_link(
            typed,
            text[opener.text_start : closing],
            (base + opener.start, base + dest.end),
            (base + dest.start, base + dest.stop),
            opener.image,
            self._line(opener.start),
            self.in_table,
        )
        if link is not None:
            # Before those its text holds, so that links stay in order.
            found.links.insert(opener.links_before, link)
        elif is_external(typed):
            links, tags = len(found.links), len(found.tags)
            holds_nothing = (links, tags) == (opener.links_before, opener.tags_before)
            start = opener.start if holds_nothing else closing
            found.hidden.append((base + start, base + dest.end))


_HANDLERS: Final[dict[str, _Handler]] = {
    "\\": _Scanner.escape,
    "`": _Scanner.code,
    "$": _Scanner.math,
    "<": _Scanner.angle,
    "!": _Scanner.bracket,
    "[": _Scanner.bracket,
    "]": _Scanner.close,
    "#": _Scanner.tag,
    ":": _Scanner.url,
}


def _opens_math(text: str, after: int) -> bool:
    return after < len(text) and not text[after].isspace() and text[after] not in "0123456789"


def _closes_math(text: str, at: int) -> bool:
    following = text[at + 1 : at + 2]
    return not text[at - 1].isspace() and not (following and following in "0123456789")
