"""What can be asked of a case: one function a check. It returns what is wrong, "" when nothing is."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final
from unicodedata import normalize

from tests.conformance.compare import matches
from tests.field_reports import daemon_prose
from tests.field_reports.case import Check, Details
from tests.field_reports.files import filled
from tests.field_reports.index_file import entries_like, note_paths
from tests.field_reports.prose import judge_prose
from tests.field_reports.steps import ask
from tests.field_reports.told import told_by
from tests.field_reports.world import Record, SkipError, World
from vaultmem.errors import VaultmemError
from vaultmem.search.model import SearchAnswer

Judge = Callable[[World, Check], str]

EVERY_HIT: Final = 1000
USUAL_LIMIT: Final = 10

PROSE: Final = "prose"


class Standing(StrEnum):
    """How an outcome stands."""

    HELD = "held"
    BROKEN = "broken"
    WANTED = "wanted"
    """Broken, but only wanted."""
    PROSE = "prose"
    """To be judged."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """An outcome judged."""

    check: Check
    standing: Standing
    found: str = ""
    """What is wrong."""


def judge(world: World, check: Check) -> Verdict:
    """Whether the outcome holds now. Raises FaultError for one that makes no sense."""
    try:
        if check.kind == PROSE:
            by_code = daemon_prose.judged(world, check)
            if by_code is None:
                by_code = judge_prose(world, check.details.text("text"))
            if by_code is None:
                return Verdict(check, Standing.PROSE)
            found = by_code
        else:
            found = CHECKS[check.kind](world, check)
    except (VaultmemError, OSError) as error:
        found = f"{type(error).__name__}: {error}"
    if not found:
        return Verdict(check, Standing.HELD)
    return Verdict(check, Standing.BROKEN if check.required else Standing.WANTED, found)


# -- search ------------------------------------------------------------------------------------------------------


def _hits(world: World, check: Check, limit: int) -> list[str]:
    """The paths that answer, best first: of the step that the check is tied to by ``at`` if it asked the same."""
    details = check.details
    if details.has("filter"):
        return _filtered(world, details.part("filter"))
    query, mode = details.text("query"), details.text("mode", "")
    if check.tie == "at":
        asked = world.record_of(check)
        if isinstance(asked.answer, SearchAnswer) and asked.step.details.text("query") == query:
            return [_nfc(hit.path) for hit in asked.answer.hits]
    return [_nfc(hit.path) for hit in ask(world, query, mode, limit).hits]


def _filtered(world: World, conditions: Details) -> list[str]:
    if set(conditions.held) != {"tag"}:
        raise SkipError(f"no filter by {', '.join(conditions.held)} yet")
    return [_nfc(path) for path in world.vault.tags(conditions.text("tag")).paths]


def _wanted(check: Check) -> list[str]:
    return [_nfc(path) for path in check.details.texts("paths")]


def found(world: World, check: Check) -> str:
    """The paths are among the usual number of hits; no path at all asks for any hit."""
    wanted = _wanted(check)
    hits = _hits(world, check, max(USUAL_LIMIT, len(wanted)))
    if not wanted or wanted == ["any"]:
        return "" if hits else "nothing was found"
    if check.details.flag("first") and hits[:1] != wanted[:1]:
        return f"first is {hits[:1]}, of {hits}"
    missing = [path for path in wanted if path not in hits]
    return f"{missing} not in {hits}" if missing else ""


def not_found(world: World, check: Check) -> str:
    unwanted = _wanted(check)
    hits = _hits(world, check, EVERY_HIT)
    there = hits if unwanted == ["any"] else [path for path in unwanted if path in hits]
    return f"found {there[:5]}" if there else ""


def not_first(world: World, check: Check) -> str:
    hits = _hits(world, check, USUAL_LIMIT)
    return f"first of {hits}" if hits[:1] == [_nfc(check.details.text("path"))] else ""


def hit_count(world: World, check: Check) -> str:
    return _equal(check.details.count("n"), len(_hits(world, check, EVERY_HIT)))


# -- index -------------------------------------------------------------------------------------------------------


def entry_count(world: World, check: Check) -> str:
    return _equal(check.details.count("n"), len(note_paths(world.index)))


def one_entry(world: World, check: Check) -> str:
    path = _nfc(check.details.text("path"))
    return _equal([path], entries_like(world.index, path))


def title_of(world: World, check: Check) -> str:
    note = world.vault.note(check.details.text("path"))
    return _equal(check.details.text("title"), note.title)


def property_of(world: World, check: Check) -> str:
    properties = world.vault.note(check.details.text("path")).properties
    key = check.details.text("key")
    if key not in properties:
        return f"there is no property {key!r}, but {sorted(properties)}"
    wanted, value = check.details.held.get("value"), properties[key]
    return "" if matches(wanted, value) else f"{value!r}, not {wanted!r}"


def tags_of(world: World, check: Check) -> str:
    note = world.vault.note(check.details.text("path"))
    wanted = {_nfc(tag).casefold() for tag in check.details.texts("tags")}
    return _equal(wanted, {_nfc(tag).casefold() for tag in note.tags})


# -- links -------------------------------------------------------------------------------------------------------


def links_from(world: World, check: Check) -> str:
    """The notes that links lead to. Where a note of the case says so, the note itself may be left out."""
    path = _nfc(check.details.text("path"))
    wanted = {_nfc(target) for target in check.details.texts("targets")}
    ends = {link.to for link in world.vault.links(path).links if link.to is not None}
    got = {_nfc(end) for end in ends if end.lower().endswith(".md") or _nfc(end) in wanted}
    if "left out" in check.details.text("note", ""):
        wanted, got = wanted - {path}, got - {path}
    return _equal(wanted, got)


def unresolved_from(world: World, check: Check) -> str:
    """Open targets, without ``.md``, by which R-18 keys them."""
    answer = world.vault.links(check.details.text("path"))
    got = {link.target for link in answer.links if link.to is None}
    return _equal(_names(check.details.texts("targets")), _names(got))


def _names(targets: Iterable[str]) -> set[str]:
    return {re.sub(r"\.md\Z", "", _nfc(target), flags=re.IGNORECASE) for target in targets}


def backlinks_of(world: World, check: Check) -> str:
    answer = world.vault.backlinks(check.details.text("path"))
    got = {_nfc(source.path) for source in answer.sources}
    return _equal({_nfc(source) for source in check.details.texts("sources")}, got)


# -- files -------------------------------------------------------------------------------------------------------


def bytes_unchanged(world: World, check: Check) -> str:
    """Each file is as the user, or another program of the case, last wrote it."""
    for path in check.details.texts("paths"):
        data = (world.root / path).read_bytes()
        if data != world.planted.get(path):
            return f"{path} is now {data[:200]!r}"
    return ""


def text_equals(world: World, check: Check) -> str:
    text, wanted = _text(world, check), filled(check.details.text("text"), world.folder)
    accepted = {wanted}
    if "single newline instead of a blank line" in check.details.text("note", ""):
        accepted.add(re.sub(r"\n\n(?=[^\n]*\n?\Z)", "\n", wanted))
    return "" if text in accepted else f"it is {text!r}"


def contains(world: World, check: Check) -> str:
    text = _text(world, check)
    return "" if check.details.text("text") in text else f"not in {text[:400]!r}"


def not_contains(world: World, check: Check) -> str:
    text = _text(world, check)
    return f"in {text[:400]!r}" if check.details.text("text") in text else ""


def _text(world: World, check: Check) -> str:
    return (world.root / check.details.text("path")).read_bytes().decode("utf-8", "surrogateescape")


def file_exists(world: World, check: Check) -> str:
    """The file is there under exactly that name, whatever the disk thinks of case."""
    return "" if _is_there(world, check) else "it is not there"


def file_absent(world: World, check: Check) -> str:
    return "it is there" if _is_there(world, check) else ""


def _is_there(world: World, check: Check) -> bool:
    wanted = _nfc(check.details.text("path"))
    return wanted in {_nfc(path) for path in world.snapshot()}


# -- how steps went ----------------------------------------------------------------------------------------------


def warning(world: World, check: Check) -> str:
    """Each name stands in what the steps so far have told; at the end, also in what the doctor tells.

    A tied step need not say again what an earlier one said, for by then the library may have mended it.
    """
    told = [text for record in world.records for text in record.told]
    if check.tie != "step":
        told += told_by(world.vault.doctor())
    heard = "\n".join(told).casefold()
    missing = [name for name in check.details.texts("about") if name.casefold() not in heard]
    return f"no word of {missing} in {told}" if missing else ""


def refused(world: World, check: Check) -> str:
    record = world.record_of(check)
    if record.crash:
        return record.crash
    if record.error is None:
        return f"it was done: {str(record.answer)[:200]}"
    if not record.error.message.strip():
        return "it does not say why"
    return f"it changed {list(record.changes)}" if record.changes else ""


def within(world: World, check: Check) -> str:
    seconds = world.record_of(check).seconds
    return "" if seconds <= check.details.number("seconds") else f"it took {seconds:.1f} s"


def no_crash(world: World, check: Check) -> str:
    crashes = [record.crash for record in world.records if record.crash]
    dead = [watcher.said()[-300:] for watcher in world.watchers if not watcher.is_healthy]
    return "; ".join([*crashes, *dead])


def unexpected(world: World, record: Record) -> str:
    """What is wrong with how a step ended, whatever the case asks: a crash, or a refusal that it does not expect."""
    from tests.field_reports.steps import CHANGING

    if record.crash:
        return record.crash
    step = record.step
    if record.error is None or step.do not in CHANGING or step.details.has("tolerate"):
        return ""
    checks = world.case.tied_to(step.label) if step.label else ()
    return "" if any(check.kind == "refused" for check in checks) else str(record.error)


def _equal(wanted: object, got: object) -> str:
    return "" if wanted == got else f"{_shown(got)}, not {_shown(wanted)}"


def _shown(value: object) -> str:
    return repr(sorted(value)) if isinstance(value, set) else repr(value)


def _nfc(text: str) -> str:
    return normalize("NFC", text)


CHECKS: Final[Mapping[str, Judge]] = {
    "found": found,
    "not_found": not_found,
    "not_first": not_first,
    "hit_count": hit_count,
    "entry_count": entry_count,
    "one_entry": one_entry,
    "title_of": title_of,
    "property": property_of,
    "tags_of": tags_of,
    "links_from": links_from,
    "unresolved_from": unresolved_from,
    "backlinks_of": backlinks_of,
    "bytes_unchanged": bytes_unchanged,
    "text_equals": text_equals,
    "contains": contains,
    "not_contains": not_contains,
    "file_exists": file_exists,
    "file_absent": file_absent,
    "warning": warning,
    "refused": refused,
    "within": within,
    "no_crash": no_crash,
}
"""Every check of the format but prose."""
