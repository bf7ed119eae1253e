"""Two notes as one: what the note that stays is given of the other one, and what the other one says of that. Pure.

Nothing is paraphrased. The keeper's text stays as it is, byte for byte; lines of the other note that say something the
keeper does not are put behind it, verbatim, under a heading that names where they are from.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from vaultmem.dream.context import DreamNote
from vaultmem.dream.passages import passages, words
from vaultmem.dream.told_properties import properties_handed_on, properties_only_in
from vaultmem.dream.under import loses
from vaultmem.judge.claims import Form, claims
from vaultmem.judge.differences import differences
from vaultmem.judge.duplicates import LEAST_LIKENESS
from vaultmem.judge.pairing import pair_claims
from vaultmem.notes.model import PropertyValue
from vaultmem.notes.note_edit import AddSection, NoteChange
from vaultmem.notes.property_edit import AddItem, SetProperty
from vaultmem.notes.tagtext import is_tag_name

_PARTS: Final = re.compile(r"^#{2,6}[ \t]|^[ \t]*\|.*\|[ \t]*$|^[-=]{2,}[ \t]*$", re.MULTILINE)
"""A heading below the title, or a table."""
SOURCES: Final = "source_notes"
SUPERSEDES: Final = "supersedes"
SUPERSEDED_BY: Final = "superseded_by"


@dataclass(frozen=True, slots=True)
class Union:
    """The changes of a merge, as edits of two notes."""

    keeper: tuple[NoteChange, ...]
    absorbed: tuple[NoteChange, ...]
    added: tuple[str, ...]
    """The lines that the keeper gets, as written."""
    given: tuple[str, ...] = ()
    """What else a person's note gets, in words: ``the tag bread``."""


def unite(
    keeper: DreamNote,
    absorbed: DreamNote,
    *,
    link_keeper: str,
    link_absorbed: str,
    asked_for: bool = False,
) -> Union:
    """What becomes of both notes. A person's note is given the lines that it lacks, and what a person wrote into the
    properties of the other one: no keys of ours (P4).

    ``asked_for``: a person wants one note of two that do not say the same, so whatever differs in a claim is kept."""
    lines = lines_only_in(absorbed.body, keeper.body, to_the_letter=asked_for)
    changes: list[NoteChange] = []
    given: list[str] = []
    if keeper.managed:
        changes += [
            AddItem("tags", tag) for tag in absorbed.tags if tag not in frozenset(keeper.tags)
        ]
        changes += [AddItem("aliases", name) for name in _names(keeper, absorbed)]
        changes += [AddItem(SOURCES, source) for source in _sources(keeper, absorbed)]
        changes.append(AddItem(SUPERSEDES, link_absorbed))
        changes += [
            SetProperty(key, value) for key, value in properties_only_in(absorbed, keeper).items()
        ]
    elif not absorbed.managed:
        tags = _own_tags(keeper, absorbed)
        names = _names(keeper, absorbed)
        others = properties_handed_on(absorbed, keeper)
        changes += [AddItem("tags", tag) for tag in tags]
        changes += [AddItem("aliases", name) for name in names]
        changes += [SetProperty(key, value) for key, value in others.items()]
        given = [
            *_told_of("the tag", tags),
            *_told_of("the alias", [f"“{name}”" for name in names]),
            *_told_of("the property", list(others)),
        ]
    elif asked_for:
        others = properties_only_in(absorbed, keeper)
        changes += [SetProperty(key, value) for key, value in others.items()]
        given = _told_of("the property", list(others))
    if lines:
        changes.append(AddSection(f"From {_plain(absorbed.title)}", "\n".join(lines)))
    return Union(tuple(changes), (SetProperty(SUPERSEDED_BY, link_keeper),), lines, tuple(given))


def lines_only_in(text: str, other: str, *, to_the_letter: bool = False) -> tuple[str, ...]:
    """The lines of ``text`` with a claim that has no like in ``other``, or says more than its like, as written, in their
    order; the claims of each are compared as the judge compares them. ``to_the_letter`` takes another wording for
    another claim."""
    paired = pair_claims(text, other, least=LEAST_LIKENESS)
    lone = {reading.text for reading in paired.only_a}
    headings = {claim.text for claim in claims(text) if claim.form is Form.TITLE}
    lone |= {
        reading.text
        for reading, like in paired.alike
        if to_the_letter
        or (reading.text not in headings and differences(reading, like).first_says_more)
    }
    if not lone:
        return ()
    found = []
    for line in text.splitlines():
        told = [claim.text for claim in claims(line)]
        if any(claim in lone for claim in told):
            found.append(line.rstrip())
    return tuple(found)


def torn_out(keeper: DreamNote, absorbed: DreamNote) -> bool:
    """Whether a line that the keeper would be given says something else without what it stands under in the other note: a
    heading such as *Rejected ideas*, the section of what no longer holds, a table."""
    lines = lines_only_in(absorbed.body, keeper.body)
    if not lines:
        return False
    told = {passage.line.strip(): passage for passage in passages(absorbed.body)}
    names = words(f"{keeper.title} {absorbed.title}")
    parts = _PARTS.search(absorbed.body) is not None
    for line in lines:
        passage = told.get(line.strip())
        if passage is None:
            if parts:
                return True
        elif loses(passage.under, (), names | words(passage.text)):
            return True
    return False


def _names(keeper: DreamNote, absorbed: DreamNote) -> list[str]:
    """Other names under which the keeper can be found from now on."""
    known = {name.casefold() for name in (keeper.title, *keeper.aliases)}
    names = []
    for name in (absorbed.title, *absorbed.aliases):
        if name.casefold() not in known:
            known.add(name.casefold())
            names.append(name)
    return names


def _own_tags(keeper: DreamNote, absorbed: DreamNote) -> list[str]:
    """The tags of a person's note that the keeper has not, as written there; a row of tags in a text counts as tags."""
    written = [
        tag.removeprefix("#")
        for key, value in absorbed.properties.items()
        if key.casefold() == "tags"
        for item in _texts(value)
        for tag in (re.split(r"[,\s]+", item) if isinstance(value, str) else [item])
    ]
    spelled = {tag.lower(): tag for tag in (*absorbed.tags, *filter(is_tag_name, written))}
    return [tag for bare, tag in spelled.items() if bare not in frozenset(keeper.tags)]


def _told_of(what: str, items: Sequence[str]) -> list[str]:
    """
    >>> _told_of("the tag", ["bread", "rye"]), _told_of("the tag", [])
    (['the tags bread and rye'], [])
    """
    if not items:
        return []
    if len(items) == 1:
        return [f"{what} {items[0]}"]
    many = {"the property": "the properties", "the alias": "the aliases"}.get(what, f"{what}s")
    return [f"{many} {', '.join(items[:-1])} and {items[-1]}"]


def _sources(keeper: DreamNote, absorbed: DreamNote) -> list[str]:
    known = set(_texts(keeper.properties.get(SOURCES)))
    found = _texts(absorbed.properties.get(SOURCES))
    return [source for source in dict.fromkeys(found) if source not in known]


def _texts(value: PropertyValue) -> Sequence[str]:
    if isinstance(value, str):
        return (value,)
    if isinstance(value, list):
        return [item for item in value if isinstance(item, str)]
    return ()


def _plain(title: str) -> str:
    return " ".join(title.split()).strip("# ")
