"""The system's file events, brought by watchdog, as notices about the vault; and whether they still come.

Nothing here trusts the library to say when it fails: threads that end, warnings that it logs, and watches that
the system did not grant are all found from outside, so that it does not matter which version is installed.
"""

from __future__ import annotations

import logging
import os
import threading
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Final

from watchdog import events as watchdog_events
from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver
from watchdog.observers.polling import PollingObserver

from vaultmem_daemon.events import Everything, Notice, notices, vault_path

_WANTED: Final = (
    "FileCreatedEvent",
    "FileModifiedEvent",
    "FileAttribEvent",  # a kind of its own since watchdog 7
    "FileClosedEvent",
    "FileDeletedEvent",
    "FileMovedEvent",
    "DirCreatedEvent",
    "DirDeletedEvent",
    "DirMovedEvent",
)
"""Opening and reading are not among them: the system is not even asked for those."""

_INOTIFY: Final = Path("/proc/sys/fs/inotify")
_MANY: Final = 1 / 8
_TOO_MANY: Final = 1 / 2
"""So much of what the system's queue holds, arrived at once: many enough to compare everything; too many to be sure
that none was lost, which versions of the library before 7.1 do not say."""

_LULL_S: Final = 0.2
"""Without an event for so long, a burst is over."""

_STOP_S: Final = 5.0


class NoEventsError(Exception):
    """The system brings no events here; the message says why, for a person."""


class Observation:
    """File events of one vault, from :meth:`start` to :meth:`stop`."""

    def __init__(self, root: Path, linked: Sequence[str], put: Callable[[Notice], None]) -> None:
        """``linked`` are the vault paths of the folder links that lead out of the vault. ``put`` is called from
        other threads."""
        self._root = root
        self._folders = {
            os.path.realpath(root.joinpath(*path.split("/"))): path for path in ("", *linked)
        }
        self._put = put
        self._threads: list[threading.Thread] = []
        self._observer: BaseObserver | None = None
        self._log = _Trap(self._failed)
        self._trouble = ""
        self._count = 0
        self._last = 0.0
        self._queue = _queue_length()

    def start(self) -> None:
        """Begins; every change from now on is told. Raises NoEventsError."""
        # It warns about itself when a folder that went away comes back; the watch is right all the same.
        warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"watchdog\.")
        before = set(threading.enumerate())
        folders = self._count_folders()  # before and after, since folders come and go
        self._log.set()
        try:
            self._observer = Observer()
            if isinstance(self._observer, PollingObserver):
                raise OSError("this system has no file events")
            for base, prefix in self._folders.items():
                handler = _Handler(base, prefix, self._take)
                self._observer.schedule(handler, base, recursive=True, event_filter=_wanted())
            self._observer.start()
        except OSError as error:
            self.stop()
            raise NoEventsError(error.strerror or str(error)) from error
        self._threads = [
            thread
            for thread in set(threading.enumerate()) - before
            if type(thread).__module__.startswith("watchdog.")
        ]
        granted = _granted_watches()
        if granted is not None and granted < min(folders, self._count_folders()):
            self.stop()
            raise NoEventsError(
                "the system does not let this user watch so many folders "
                "(raise fs.inotify.max_user_watches)"
            )

    def _count_folders(self) -> int:
        return sum(map(_count_folders, self._folders))

    def stop(self) -> None:
        """Ends; waits for the threads."""
        observer = self._observer
        if observer is None:
            pass
        elif observer.ident is None:  # never started, yet it may hold a queue of the system
            with suppress(RuntimeError, OSError):
                observer.on_thread_stop()
        else:
            observer.stop()
            observer.join(_STOP_S)
            for thread in self._threads:
                thread.join(_STOP_S)
        self._log.unset()  # until then watchdog has things to say that are nobody's business

    @property
    def keeps_order(self) -> bool:
        """Whether an event is told after all that happened before it: true of one watched folder, not of several."""
        return len(self._folders) == 1

    def trouble(self) -> str:
        """Why events may be missing from now on, or have been missed; "" while all is well."""
        if self._trouble:
            return self._trouble
        ended = [thread for thread in self._threads if not thread.is_alive()]
        return _ENDED if ended else ""

    def _failed(self, message: str) -> None:
        self._trouble = message
        self._put(Everything(message))

    def _take(self, found: list[Notice]) -> None:
        now = monotonic()
        self._count = self._count + 1 if now - self._last < _LULL_S else 1
        self._last = now
        if self._count == int(self._queue * _MANY):
            self._put(Everything("many events at once"))
        elif self._count == int(self._queue * _TOO_MANY):
            self._failed("so many came at once that some may be lost")
        for notice in found:
            self._put(notice)


_ENDED: Final = "the thread that brings file events has ended"


class _Handler(FileSystemEventHandler):
    """Translates the events of one watched folder."""

    def __init__(self, base: str, prefix: str, take: Callable[[list[Notice]], None]) -> None:
        self._base = base
        self._prefix = prefix
        self._take = take

    def dispatch(self, event: FileSystemEvent) -> None:
        path, to = (self._path(place) for place in (event.src_path, event.dest_path))
        self._take(notices(event.event_type, event.is_directory, path, to))

    def _path(self, place: str | bytes) -> str | None:
        return vault_path(os.fsdecode(place), self._base, self._prefix) if place else None


class _Trap(logging.Handler):
    """Hears what watchdog warns of, such as a queue that overflowed, and passes it on instead of printing it."""

    def __init__(self, failed: Callable[[str], None]) -> None:
        super().__init__(logging.WARNING)
        self._failed = failed

    def set(self) -> None:
        logging.getLogger("watchdog").addHandler(self)

    def unset(self) -> None:
        logging.getLogger("watchdog").removeHandler(self)

    def emit(self, record: logging.LogRecord) -> None:
        message = record.getMessage().rstrip(".")
        # What an emitter says that was asked for events while it ends.
        self._failed(_ENDED if message.endswith("thread is inactive") else message)


def _wanted() -> list[type[FileSystemEvent]]:
    return [getattr(watchdog_events, name) for name in _WANTED if hasattr(watchdog_events, name)]


def _queue_length() -> int:
    try:
        return int((_INOTIFY / "max_queued_events").read_text("ascii"))
    except (OSError, ValueError):
        return 16_384


def _granted_watches() -> int | None:
    """How many folders and files the system watches for this process; None where it does not tell."""
    try:
        names = os.listdir("/proc/self/fdinfo")
    except OSError:
        return None
    watches = 0
    for name in names:
        with suppress(OSError):
            text = Path("/proc/self/fdinfo", name).read_text("ascii", "replace")
            watches += text.count("inotify wd:")
    return watches


def _count_folders(base: str) -> int:
    """Folders at and below ``base`` that may be watched, links not followed."""
    return sum(os.access(folder, os.R_OK) for folder, _, _ in os.walk(base))
