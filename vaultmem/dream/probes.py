"""Questions with known answers, and how well an answer fits: what the gate measures by. Pure.

A question is made from a claim of a note: words of the title and of the claim, as a person would type who has forgotten
the rest. The known answer is the claim itself, so a note that has taken it over answers as well. Questions that people
and agents really asked come first.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from vaultmem.dream.context import DreamNote
from vaultmem.evolution import Recaller
from vaultmem.judge.claims import Form, claims
from vaultmem.judge.differences import differences
from vaultmem.judge.reading import likeness, read

PROBES: Final = 200
"""In a set. Sixty are needed for the gate to open; with two hundred it tells harm that breaks one answer in twenty."""
OF_A_NOTE: Final = 2
FEWEST_WORDS: Final = 5
"""Of a claim that a question is made from."""
QUERY_WORDS: Final = 6
LOOKED_AT: Final = 10
"""Hits in which the answer is looked for."""
_SUPERSEDED: Final = re.compile(
    r"^## Superseded[ \t]*\r?$.*?(?=^#{1,2} |\Z)", re.MULTILINE | re.DOTALL
)
"""What no longer holds is no answer."""
REWORDED: Final = 0.6
"""Likeness of two claims of which one may stand for the other, where no value differs."""
STEPS: Final = ((1, 1.0), (3, 0.6), (10, 0.3))
"""(rank at most, score): a place more or less within a step is no change."""

_WORDS: Final = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_BLANKS: Final = re.compile(r"[^\S\n]+")


@dataclass(frozen=True, slots=True)
class Probe:
    """A question whose answer is known."""

    id: str
    query: str
    claim: str
    """The text, in plain form, that an answering note holds; "" when only notes are known."""
    paths: tuple[str, ...]
    """Notes that answered it when it was asked; what supersedes them counts as well."""


def claim_probes(note: DreamNote, most: int = OF_A_NOTE) -> list[Probe]:
    """Questions from the claims of a note that say most, the longest first; none for a note without sentences."""
    told = [
        claim.text
        for claim in claims(_SUPERSEDED.sub("", note.body))
        if claim.form is Form.PROSE and len(_words(claim.text)) >= FEWEST_WORDS
    ]
    told.sort(key=lambda text: (-min(len(text), 200), text))
    return [_probe(note, claim) for claim in dict.fromkeys(told[:most])]


def _probe(note: DreamNote, claim: str) -> Probe:
    words = [word for word in _words(claim) if not word.isdigit()]
    longest = sorted(dict.fromkeys(words), key=lambda word: (-len(word), word))[:QUERY_WORDS]
    chosen = [word for word in dict.fromkeys(words) if word in longest]
    title = [word for word in _words(note.title) if word not in chosen][:2]
    query = " ".join((*title, *chosen)) or claim[:80]
    name = hashlib.blake2b(f"{query}\n{plain(claim)}".encode(), digest_size=8).hexdigest()
    return Probe(name, query, plain(claim), ())


def recall_probes(asked: Iterable[tuple[str, Recaller, Sequence[str]]]) -> list[Probe]:
    """Questions that people and agents asked, with the note that came first; each question once, the latest counts."""
    found: dict[str, Probe] = {}
    for query, by, paths in asked:
        key = " ".join(query.casefold().split())
        if by is Recaller.DREAM or not key or not paths:
            continue
        found.pop(key, None)
        name = hashlib.blake2b(f"asked\n{key}".encode(), digest_size=8).hexdigest()
        found[key] = Probe(name, query, "", (paths[0],))
    return list(found.values())[::-1]


def probe_set(
    notes: Sequence[DreamNote],
    touched: Iterable[str],
    asked: Sequence[Probe] = (),
    *,
    size: int = PROBES,
) -> list[Probe]:
    """The questions for a cycle: of the notes that would be touched, at most two fifths of all, one for each in their
    order before any has a second one; then those that were really asked, at most as many; then of other notes,
    always the same ones. In order of id."""
    share = size * 2 // 5
    by_path = {note.path: note for note in notes}
    chosen: dict[str, Probe] = {}
    of_touched = [claim_probes(by_path[path]) for path in dict.fromkeys(touched) if path in by_path]
    for round_ in range(OF_A_NOTE):
        for probes in of_touched:
            if round_ < len(probes) and len(chosen) < share:
                chosen[probes[round_].id] = probes[round_]
    for probe in asked[:share]:
        chosen[probe.id] = probe
    for note in sorted(notes, key=lambda note: _draw(note.path)):
        if len(chosen) >= size:
            break
        if not note.archived and not note.successor:
            for probe in claim_probes(note, 1):
                chosen[probe.id] = probe
    return sorted(chosen.values(), key=lambda probe: probe.id)


def _draw(path: str) -> bytes:
    """A lot for each note that never changes."""
    return hashlib.blake2b(path.encode(), digest_size=8).digest()


def score(
    probe: Probe,
    hits: Sequence[str],
    text_of: Callable[[str], str],
    successors: Mapping[str, str],
) -> float:
    """How well the hits answer, 0 to 1, by the first that does. ``text_of`` gives a note's text in plain form,
    ``successors`` the note that stands for a superseded one."""
    wanted = {successors.get(path, path) for path in probe.paths}
    for rank, path in enumerate(hits[:LOOKED_AT], start=1):
        if path in wanted or (probe.claim and holds(text_of(path), probe.claim)):
            return next(points for most, points in STEPS if rank <= most)
    return 0.0


def holds(text: str, claim: str) -> bool:
    """Whether a text makes a claim, both in plain form: word for word, or in other words with every value of it."""
    return claim in text or _reworded(text, claim)


@lru_cache(maxsize=50_000)
def _reworded(text: str, claim: str) -> bool:
    wanted = read(claim)
    for each in claims(text):
        found = read(each.text)
        if likeness(wanted, found) >= REWORDED and not differences(wanted, found).hard:
            return True
    return False


def plain(text: str) -> str:
    """The text without differences that say nothing: blanks, case."""
    return "\n".join(_BLANKS.sub(" ", line).strip() for line in text.casefold().splitlines())


def _words(text: str) -> list[str]:
    return _WORDS.findall(text.casefold())
