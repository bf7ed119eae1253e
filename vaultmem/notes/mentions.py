"""Unlinked mentions: where a note's name stands as plain text in another note."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import groupby, pairwise
from typing import Final
from unicodedata import normalize

from vaultmem.notes.letters import MARKS
from vaultmem.notes.model import Mention, ParsedNote
from vaultmem.notes.textedit import line_end, line_start, split_lines

# Scripts written without blanks between words (Hangul hangs its particles on the word): next to one of
# their characters a name needs no word boundary.
_UNSPACED: Final = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3040-\u318f"
    "\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff"
    "\uff66-\uffdc\U0001b000-\U0001b16f\U00020000-\U0003ffff"
)
_WORD: Final = rf"(?![{_UNSPACED}])(?:\w|[{MARKS}])"
# An underscore is a word character, except as the mark of emphasis around the name.
_BEFORE: Final = rf"(?:(?<!{_WORD})|(?<=\W_)|(?<=\W__)|(?<=\A_)|(?<=\A__))"
_AFTER: Final = rf"(?:(?!{_WORD})|(?=__?(?!\w)))"
_STARTS_AS_WORD: Final = re.compile(_WORD)

_ADDRESSES: Final = re.compile(
    # The bounds keep a long run of letters from being gone through once for each of its letters.
    r"""(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]{0,30}://[^\s<>]+
      | \b(?:www\.|mailto:)[^\s<>]+
      | (?<![\w.+-])[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+
      | !?\[(?:[^\[\]\\\n]|\\.)*\](?:\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)|\[[^\[\]\n]*\])
      | ^[ ]{0,3}\[(?!\^)[^\[\]\n]+\]:[^\n]*                   # where a reference link leads
    """,
    re.VERBOSE | re.MULTILINE,
)


def find_mentions(text: str, parsed: ParsedNote, names: Sequence[str]) -> list[Mention]:
    """The places, in order, where one of the names (a note's name and aliases) stands as plain text (B-04).

    Whole words, case ignored, blanks alike, also over the end of a line within a paragraph; at one place the
    longest name. Nothing in properties, links of
    any kind (B-06), tags, block ids, code, math, HTML, URLs or mail addresses.
    """
    wanted = tuple(dict.fromkeys(name for name in names if name.strip()))
    if not wanted:
        return []
    pattern = _pattern(wanted)
    if pattern.search(text) is None:
        return []
    mentions: list[Mention] = []
    line = counted = 0
    for start, end in _plain_spans(text, parsed):
        for match in pattern.finditer(text, start, end):
            if not _is_one_run(text, match, parsed):
                continue
            line += text.count("\n", counted, match.start())
            counted = match.start()
            mentions.append(Mention(match[0], match.start(), match.end(), line))
    return mentions


@lru_cache(maxsize=64)
def _pattern(names: tuple[str, ...]) -> re.Pattern[str]:
    """One pattern for all the names, in both Unicode forms.

    Names that start with a letter of a word and others never compete for a place, so each sort shares one
    look at what stands before, and nearly every place of a text fails at the first letter.
    """
    forms = {normalize(form, name.strip()) for name in names for form in ("NFC", "NFD")}
    ordered = sorted(forms, key=lambda name: (-len(name), name))
    words = [name for name in ordered if _STARTS_AS_WORD.match(name)]
    others = [name for name in ordered if not _STARTS_AS_WORD.match(name)]
    sorts = [_any_of(sort, before) for sort, before in ((words, _BEFORE), (others, "")) if sort]
    return re.compile("|".join(sorts), re.IGNORECASE)


def _any_of(names: list[str], before: str) -> str:
    """The longest of the names, which come longest first, at a place where ``before`` holds."""
    initials = "".join(sorted({re.escape(name[0]) for name in names}))
    # Neighbours share one look at what stands after, as it is long.
    runs = groupby(names, key=lambda name: _STARTS_AS_WORD.match(name[-1]) is not None)
    parts = [f"(?:{_either(run)}){_AFTER if word else ''}" for word, run in runs]
    return f"(?=[{initials}]){before}(?:{'|'.join(parts)})"


_GAP: Final = r"(?:[^\S\r\n]+|[^\S\r\n]*(?:\r\n|\r|\n)[ \t>]*)"
"""What a blank of a name may be in the text: blanks, or one line break with the quote marks after it."""


def _either(names: Iterable[str]) -> str:
    return "|".join(_GAP.join(map(re.escape, name.split())) for name in names)


def _is_one_run(text: str, match: re.Match[str], parsed: ParsedNote) -> bool:
    """Whether a reader sees the match as one run of text; a line break in it must be one within a paragraph.

    Not from a heading to the text below it, not between the lines of a table, not into a quote.
    """
    lines = split_lines(match[0])
    if len(lines) == 1:
        return True
    start, end = line_start(text, match.start()), line_end(text, match.end())
    whole = split_lines(text[start:end])
    quotes = [line[: len(line) - len(line.lstrip(" \t>"))].count(">") for line in whole]
    if any(after > before for before, after in pairwise(quotes)):
        return False
    if any("|" in line for line in whole):
        return False
    return not any(
        heading.start < match.end() and match.start() < heading.end
        for heading in parsed.headings
        if not (heading.start <= match.start() and match.end() <= heading.end)
    )


def _plain_spans(text: str, parsed: ParsedNote) -> Iterator[tuple[int, int]]:
    """The parts of the body that may hold a mention, in order: what the other spans leave over."""
    taken = [
        *parsed.hidden,
        *((link.start, link.end) for link in parsed.links),
        *((tag.start, tag.end) for tag in parsed.tags),
        *((block.start, block.end) for block in parsed.block_ids),
        *(match.span() for match in _ADDRESSES.finditer(text, parsed.frontmatter.body_start)),
    ]
    at = parsed.frontmatter.body_start
    for start, end in sorted(taken):
        if start > at:
            yield at, start
        at = max(at, end)
    if at < len(text):
        yield at, len(text)
