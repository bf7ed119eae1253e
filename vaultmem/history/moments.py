"""A note as it was at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from vaultmem.errors import NotFoundError, RefusedError
from vaultmem.files.read import NoteRead, decode
from vaultmem.history.answers import VersionView
from vaultmem.history.stored import Stored
from vaultmem.history.trail import Step, is_deletion

SETTING = "history.capture_hand_edits"


class _Version(NamedTuple):
    """What the note was from a moment on."""

    since_ns: int | None
    path: str
    hash: str | None
    """None while the note was not there."""
    event: str | None


def version_at(
    path: str,
    steps: Sequence[Step],
    at_ns: int,
    stored: Stored,
    shown: Callable[[int], str],
) -> VersionView:
    """The note's text at the time. ``steps`` is its trail, newest first; ``shown`` writes a time for a person.

    Raises NotFoundError when it was not there then, and RefusedError, which names the nearest versions that can
    be had, when of that version only the hash is known, or nothing.
    """
    disk = stored.on_disk(path)
    versions = _versions(path, steps, disk)
    index = max(
        (i for i, v in enumerate(versions) if v.since_ns is None or v.since_ns <= at_ns), default=-1
    )
    if index < 0:
        raise _unknown(path, versions, at_ns, stored, shown)
    found = versions[index]
    if found.hash is None:
        raise NotFoundError(
            f"{found.path} was not there at {shown(at_ns)}.",
            hint=_nearest(versions, at_ns, stored, shown),
        )
    data = stored.had(found.hash, path)
    text = decode(data) if data is not None else None
    if data is None:
        raise _unknown(found.path, versions, at_ns, stored, shown)
    if text is None:
        raise RefusedError(
            f"What {found.path} was at {shown(at_ns)} is no UTF-8 and cannot be shown."
        )
    doubt = _doubt(versions, index, steps, shown)
    return VersionView(found.path, at_ns, found.since_ns, found.event, found.hash, text, doubt)


def _versions(path: str, steps: Sequence[Step], disk: NoteRead | None) -> list[_Version]:
    """Each version of the note, oldest first; the first may be older than all events."""
    found: list[_Version] = []
    for event, change in reversed(steps):
        if change.is_folder:
            digest = found[-1].hash if found else None
            if found:
                found.append(_Version(event.time_ns, change.final_path, digest, event.id))
            continue
        if not found and change.hash_before is not None:
            found.append(_Version(None, change.path, change.hash_before, None))
        elif not found:
            found.append(_Version(None, change.path, None, None))
        gone = is_deletion(change)
        where = change.path if gone else change.final_path
        found.append(_Version(event.time_ns, where, None if gone else change.hash_after, event.id))
    if disk is not None and (not found or found[-1].hash != disk.hash):
        found.append(_Version(disk.stat.mtime_ns, path, disk.hash, None))
    return found


def _doubt(
    versions: Sequence[_Version], index: int, steps: Sequence[Step], shown: Callable[[int], str]
) -> str:
    """What is to be said when the note was edited at a time that nobody wrote down."""
    if versions[index].since_ns is None:
        return "No event is older, so it may have been another text before."
    if index + 1 >= len(versions):
        return ""
    following = versions[index + 1]
    step = next((step for step in steps if step.event.id == following.event), None)
    before = step.change.hash_before if step is not None else None
    if step is None or step.change.is_folder or before in (None, versions[index].hash):
        return ""
    assert following.since_ns is not None
    return (
        f"It was edited before {shown(following.since_ns)} without an event to tell when, "
        "so it may have been another text by then."
    )


def _unknown(
    path: str,
    versions: Sequence[_Version],
    at_ns: int,
    stored: Stored,
    shown: Callable[[int], str],
) -> RefusedError:
    return RefusedError(
        f"What {path} was at {shown(at_ns)} was not kept: at most its hash is known.",
        hint=f"{_nearest(versions, at_ns, stored, shown)} "
        f"With {SETTING} = true, hand edits are kept from then on.".strip(),
    )


def _nearest(
    versions: Sequence[_Version], at_ns: int, stored: Stored, shown: Callable[[int], str]
) -> str:
    """The versions that can be had, before and after the time, in a sentence; "" when there is none."""
    had = [
        version
        for version in versions
        if version.hash is not None
        and version.since_ns is not None
        and stored.had(version.hash, version.path) is not None
    ]
    before = [version.since_ns for version in had if version.since_ns and version.since_ns <= at_ns]
    after = [version.since_ns for version in had if version.since_ns and version.since_ns > at_ns]
    parts = [
        f"the last before is of {shown(before[-1])}" if before else "",
        f"the first after is of {shown(after[0])}" if after else "",
    ]
    said = ", ".join(filter(None, parts))
    return f"Of the versions that are kept, {said}." if said else ""
