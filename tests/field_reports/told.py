"""What an answer of the library tells the user that is wrong, as plain sentences."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.field_reports.dreaming import Groups
from vaultmem.answers import (
    DoctorReport,
    NoteView,
    RebuildReport,
    Status,
    SyncAnswer,
    VerifyReport,
)
from vaultmem.errors import VaultmemError
from vaultmem.search.model import Freshness, SearchAnswer


def told_by(answer: object) -> tuple[str, ...]:
    """The notices of an answer, empty ones left out."""
    return tuple(filter(None, _notices(answer)))


def _notices(answer: object) -> Iterator[str]:
    match answer:
        case str():
            yield answer
        case list() | tuple():
            for part in answer:
                yield from _notices(part)
        case dict():
            for part in answer.values():
                yield from _notices(part)
        case VaultmemError():
            yield str(answer)
        case Groups():
            yield answer.said
        case RebuildReport():
            yield from (f"{path} cannot be read" for path in answer.unreadable)
        case SyncAnswer():
            yield answer.note
            yield from (f"{path} cannot be read" for path in answer.unreadable)
        case SearchAnswer():
            yield answer.freshness.note
            yield from (lane.note for lane in answer.lanes)
        case DoctorReport():
            for finding in answer.findings:
                if finding.level != "ok":
                    yield " ".join((finding.message, finding.hint, *finding.paths))
        case Status():
            yield answer.freshness.note
            if answer.dream is not None:
                yield answer.dream.why
                yield from (warning.message for warning in answer.dream.warnings)
        case NoteView():
            yield from (f"{w.path}: {w.message}" for w in answer.warnings)
        case VerifyReport():
            yield from (d for table in answer.tables for d in table.differences)
        case _:
            yield from _freshness_note(answer)


def _freshness_note(answer: Any) -> Iterator[str]:
    freshness = getattr(answer, "freshness", None)
    if isinstance(freshness, Freshness):
        yield freshness.note
