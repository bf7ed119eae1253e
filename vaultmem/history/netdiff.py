"""The net change of each file in a span of time: many events, one difference."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace

from vaultmem.files.events import FileChange, MemoryEvent
from vaultmem.history.answers import FileDiff
from vaultmem.history.linediff import changed_lines, diff_hunks, figures, is_text
from vaultmem.history.stored import Stored
from vaultmem.history.trail import in_trash, moved_along
from vaultmem.notes.paths import stem

Fold = Callable[[str], str]
"""Takes case and accents away, as search does."""


@dataclass(slots=True)
class Net:
    """One file from its first event in the span to its last."""

    path: str
    """Where it was before."""
    before: str | None
    """The hash before; None for a file that was not there."""
    place: str
    """Where it is afterwards."""
    after: str | None
    """The hash afterwards; None for a file that is gone."""
    is_folder: bool = False
    events: list[str] = field(default_factory=list)
    actors: list[str] = field(default_factory=list)
    causes: list[str] = field(default_factory=list)
    open: bool = True
    """Whether it goes on with the next event of the file."""

    def take(self, event: MemoryEvent) -> None:
        """Remembers who and why."""
        self.events.append(event.id)
        for known, new in ((self.actors, event.actor), (self.causes, event.cause)):
            if new and new not in known:
                known.append(new)


def net_changes(events: Iterable[MemoryEvent], counts: Callable[[MemoryEvent], bool]) -> list[Net]:
    """What the events for which ``counts`` holds did to each file; ``events`` are all of the span, in order.

    An event that does not count ends what came before it, so that nobody's change is shown as another's.
    """
    nets: list[Net] = []
    live: dict[str, Net] = {}
    for event in events:
        counted = counts(event)
        for change in event.changes:
            if change.is_folder:
                _move_folder(live, nets, event, change, counted)
                continue
            net = live.pop(change.path, None)
            if not counted:
                if net is not None:
                    net.open = False
                continue
            if net is None or not net.open:
                net = Net(change.path, change.hash_before, change.path, None)
                nets.append(net)
            net.place, net.after = change.final_path, change.hash_after
            net.take(event)
            live[net.place] = net
    return nets


def _move_folder(
    live: dict[str, Net], nets: list[Net], event: MemoryEvent, folder: FileChange, counted: bool
) -> None:
    if counted:
        net = Net(folder.path, None, folder.final_path, None, is_folder=True)
        net.take(event)
        nets.append(net)
    for path in [path for path in live if moved_along(path, folder) is not None]:
        net = live.pop(path)
        net.place = moved_along(path, folder) or path
        live[net.place] = net


def with_disk(net: Net, stored: Stored) -> Net:
    """The net change up to this moment: with a hand edit that no event tells of yet."""
    if net.is_folder or not net.open or in_trash(net.place):
        return net
    read = stored.on_disk(net.place)
    if read is not None and read.hash != net.after and net.after is not None:
        return replace(net, after=read.hash, actors=[*net.actors, "by hand"])
    return net


def shown(net: Net, stored: Stored) -> FileDiff | None:
    """The net change with its hunks; None when nothing has changed after all."""
    gone = net.after is None or in_trash(net.place)
    came = net.before is None or in_trash(net.path)
    moved = net.place != net.path
    if net.is_folder:
        return _diff(net, "moved", True, "a folder with all in it") if moved else None
    if gone and came:
        return None
    if not moved and net.before == net.after:
        return None
    before = b"" if came else stored.had(net.before, net.path)
    after = b"" if gone else stored.had(net.after, net.place)
    status = "added" if came else "deleted" if gone else "moved" if moved else "changed"
    if before is None or after is None:
        which = "before" if before is None else "after"
        if before is None and after is None:
            which = "before or after"
        return _diff(net, status, False, f"what it was {which} is known by its hash only")
    if not (is_text(before) and is_text(after)):
        return _diff(net, status, True, "not text")
    known = _diff(net, status, True, "")
    added, removed = figures(before, after)
    return replace(known, added=added, removed=removed, hunks=diff_hunks(before, after))


def _diff(net: Net, status: str, known: bool, note: str) -> FileDiff:
    gone = in_trash(net.place)
    came = in_trash(net.path)
    return FileDiff(
        path=net.path if gone else net.place,
        path_before=net.path if net.path != net.place and not gone and not came else None,
        status=status,
        known=known,
        note=note,
        added=0,
        removed=0,
        hunks=(),
        events=tuple(net.events),
        actors=tuple(net.actors),
    )


def about(diffs: Iterable[tuple[Net, FileDiff]], subject: str, fold: Fold) -> Iterator[FileDiff]:
    """The files and hunks that mention the subject: a whole file when its path, its title or a cause does."""
    wanted = fold(subject)
    for net, diff in diffs:
        names = (diff.path, diff.path_before or "", stem(diff.path), *net.causes)
        if any(wanted in fold(name) for name in names) or _in_title(diff, wanted, fold):
            yield diff
            continue
        hunks = tuple(
            hunk for hunk in diff.hunks if any(wanted in fold(line) for line in changed_lines(hunk))
        )
        if hunks:
            lines = [line for hunk in hunks for line in hunk.lines]
            yield replace(
                diff,
                hunks=hunks,
                added=sum(line.startswith("+") for line in lines),
                removed=sum(line.startswith("-") for line in lines),
            )


def _in_title(diff: FileDiff, wanted: str, fold: Fold) -> bool:
    """Whether a title that stands within the hunks mentions it."""
    return any(
        wanted in fold(line[1:])
        for hunk in diff.hunks
        for line in hunk.lines
        if line[1:].startswith(("title:", "# "))
    )
