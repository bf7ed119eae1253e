"""Outcomes in prose that code can judge: sentences about groups of notes, and about what a merge must not lose.

A text is judged only when every clause of it is known; else it is for a person. A clause counts in the words that
stand here, for whatever names a case uses.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from tests.field_reports.dreaming import Groups, texts_of
from tests.field_reports.world import World
from vaultmem.notes.paths import stem

Clause = Callable[[World, Mapping[str, str]], str]
"""Judges a clause by its named parts: what is wrong, "" when nothing is."""


class NotKnownError(Exception):
    """The clause speaks of something that the case has not."""


def judge_prose(world: World, text: str) -> str | None:
    """What is wrong, "" when nothing is; None when the text is for a person to judge."""
    wrong = []
    group = ""
    for clause in clauses(text):
        bare = clause
        if found := re.match(r"in (\w+) (?=\S)", clause, re.IGNORECASE):
            group, bare = found[1], clause[found.end() :]
        for pattern, judge in CLAUSES:
            if match := re.fullmatch(pattern, bare, re.IGNORECASE):
                held = {"group": group, **{k: v or "" for k, v in match.groupdict().items()}}
                try:
                    wrong.append(judge(world, held))
                except NotKnownError:
                    return None
                break
        else:
            return None
    return "; ".join(filter(None, wrong))


def clauses(text: str) -> list[str]:
    """The parts of a text that are judged one by one.

    >>> clauses("g0 is empty and g1 has one group. In g2 a and b are together; the process never dies.")
    ['g0 is empty', 'g1 has one group', 'In g2 a and b are together', 'the process never dies']
    """
    parts = re.split(r"(?<=\w|['’])[.;](?:\s+|$)| and (?=g\d+ (?:is|has|equals))", text)
    return [part.strip() for part in parts if part.strip()]


# -- groups ------------------------------------------------------------------------------------------------------


def _groups(world: World, label: str) -> Groups:
    for record in reversed(world.records):
        if record.step.label == label and isinstance(record.answer, Groups):
            return record.answer
    raise NotKnownError(label)


def _every(world: World) -> Iterator[tuple[str, Groups]]:
    for record in world.records:
        if isinstance(record.answer, Groups):
            yield record.step.label, record.answer


def _names(words: str) -> set[str]:
    return set(re.split(r", | and ", words))


def _of(groups: Groups) -> list[set[str]]:
    return [{stem(path) for path in each} for each in groups.groups]


def _is_empty(world: World, part: Mapping[str, str]) -> str:
    found = _of(_groups(world, part["label"]))
    return f"{part['label']} has {found}" if found else ""


NUMBERS: Final = {"no": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5}


def _has(world: World, part: Mapping[str, str]) -> str:
    found = _of(_groups(world, part["label"]))
    word = part["count"]
    count = int(word) if word.isdecimal() else NUMBERS.get(word)
    if count is None:
        raise NotKnownError(word)
    return "" if len(found) == count else f"{part['label']} has {found}"


def _together(world: World, part: Mapping[str, str]) -> str:
    found = _of(_groups(world, part["group"]))
    names = _names(part["names"])
    return "" if names in found else f"{sorted(names)} are no group of {found}"


def _alone(world: World, part: Mapping[str, str]) -> str:
    found = _of(_groups(world, part["group"]))
    left = sorted(name for name in _names(part["names"]) if {name} not in found)
    return f"{left} are not alone in {found}" if left else ""


def _no_member(world: World, part: Mapping[str, str]) -> str:
    found = [
        label for label, groups in _every(world) if any(part["name"] in g for g in _of(groups))
    ]
    return f"{part['name']} is a member in {found}" if found else ""


def _equal(world: World, part: Mapping[str, str]) -> str:
    one, other = (_groups(world, part[key]) for key in ("label", "other"))
    same = one.named == other.named if "names" in part["how"] else one.groups == other.groups
    return "" if same else f"{one.named}, not {other.named}"


def _connected(world: World, part: Mapping[str, str]) -> str:
    torn = [
        f"{label}: {sorted(each)}"
        for label, groups in _every(world)
        for each in groups.groups
        if not _is_connected(each, groups.links)
    ]
    return f"not connected: {torn}" if torn else ""


def _is_connected(paths: frozenset[str], links: frozenset[frozenset[str]]) -> bool:
    reached = {min(paths)}
    while (
        grown := {p for pair in links if pair <= paths and pair & reached for p in pair} - reached
    ):
        reached |= grown
    return reached == paths


def _told(world: World, part: Mapping[str, str]) -> str:
    record = next(r for r in reversed(world.records) if r.step.label == part["label"])
    return "" if record.told or record.error is not None else "nothing was said"


def _alive(world: World, part: Mapping[str, str]) -> str:
    return "; ".join(record.crash for record in world.records if record.crash)


# -- merges ------------------------------------------------------------------------------------------------------


def _exists(world: World, part: Mapping[str, str]) -> str:
    there = [path for path, text in texts_of(world.root).items() if part["word"] in text]
    return "" if there else f"no note holds {part['word']!r}"


def _not_from_old_text(world: World, part: Mapping[str, str]) -> str:
    """Every line that the user last wrote still stands in a note: a merge of the old text would lack the new ones."""
    if not any(record.step.do == "merge_notes" for record in world.records):
        raise NotKnownError("merge")
    lines = {line for text in texts_of(world.root).values() for line in text.splitlines()}
    lost = [
        line
        for path, data in world.planted.items()
        if path.endswith(".md")
        for line in data.decode("utf-8", "replace").splitlines()
        if line.strip() and line not in lines
    ]
    return f"lost: {lost}" if lost else ""


_NAMES: Final = r"(?P<names>[\w-]+(?:, [\w-]+)*(?: and [\w-]+)?)"

CLAUSES: Final[tuple[tuple[str, Clause], ...]] = (
    (r"(?P<label>g\d+) is empty", _is_empty),
    (r"(?P<label>g\d+) has (?P<count>\w+) groups?", _has),
    (rf"{_NAMES} are together", _together),
    (rf"{_NAMES} (?:are|is)(?: each)? alone", _alone),
    (r"the missing target ['‘](?P<name>[^'’]+)['’] is no member", _no_member),
    (r"(?P<label>g\d+) equals (?P<other>g\d+)(?P<how>, group names included)?(?:: .*)?", _equal),
    (r"every group is connected when only its own notes are looked at(?:, also in g\d+)?", _connected),
    (r"(?P<label>g\d+) rejects or repairs bad weights with a message", _told),
    (r"the process never dies", _alive),
    (r"the line with ['‘](?P<word>[^'’]+)['’] exists in the vault afterwards(?:, .*)?", _exists),
    (
        r"either the merge was dropped because its input changed, or it was done again from the new text",
        _not_from_old_text,
    ),
    (r"it was never written from the old text", _not_from_old_text),
)  # fmt: skip
"""What is known, each pattern for a whole clause."""
