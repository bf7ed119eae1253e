"""The index file of one vault, opened: a connection for each thread, and why the file cannot be used as it is."""

from __future__ import annotations

import os
import threading
import weakref
from pathlib import Path
from typing import Final

import apsw

from vaultmem.errors import FailedError, IndexDamagedError, IndexReadOnlyError, VaultmemError
from vaultmem.index.connection import check_whole, fetch_int, open_index, sqlite_errors
from vaultmem.index.meta import INDEX_VERSION, read_stamp, version_of
from vaultmem.index.writer import check_in_step, check_segments

MISSING: Final = "missing"
EMPTY: Final = "empty"
"""There is a file, and nothing in it: made by a full disk, or by a tool that writes first and fills later."""
DAMAGED: Final = "damaged"
"""How the description of a problem begins when the file's content is no longer to be trusted."""
COUNT_TABLES: Final = "SELECT count(*) FROM sqlite_schema"


class OpenedIndex:
    """The file at ``path`` as this process has it open. Safe for several threads: each has a connection of its own,
    and none is kept to a file in whose place another one has come."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._local = threading.local()
        # Weakly, so that a thread's connection ends with the thread.
        self._all: weakref.WeakSet[apsw.Connection] = weakref.WeakSet()
        self._guard = threading.Lock()

    def problem(self) -> str:
        """Why the index cannot be used as it is: ``missing``, ``empty``, ``damaged: …``, ``made by another version``;
        or "". Raises FailedError when a folder is in its place.

        Leaves a sound index open; one that is open already was sound, and what happens to it later is found by
        the checksum of each page read.
        """
        if self._held() is not None:
            return ""
        if not self.path.exists():
            self.close()
            return MISSING
        self.refuse_folder()
        try:
            problem = self._check(self._open())
        except IndexDamagedError as error:
            problem = f"{DAMAGED}: {error.reason}"
        except (IndexReadOnlyError, FileNotFoundError):
            self.close()
            if self.path.exists():
                raise
            return MISSING  # it went away meanwhile
        except BaseException:
            self.close()  # a connection that is held counts as sound
            raise
        if problem:
            self.close()
        return problem

    def refuse_folder(self) -> None:
        """Raises FailedError when a folder is in the place of the file."""
        if self.path.is_dir():
            raise FailedError(
                f"{self.path} is a folder; the index cannot be put in its place.",
                hint="Remove or rename that folder.",
            )

    def _check(self, connection: apsw.Connection) -> str:
        with sqlite_errors(self.path):
            if version_of(connection) != INDEX_VERSION:
                return "made by another version" if fetch_int(connection, COUNT_TABLES) else EMPTY
            check_whole(connection, self.path)
            check_in_step(connection)
            check_segments(connection)
            read_stamp(connection)
        return ""

    def is_usable(self) -> bool:
        """Whether there is an index that can be read as it is."""
        try:
            return not self.problem()
        except VaultmemError:
            return False

    def connection(self) -> apsw.Connection:
        """This thread's connection to the index. Raises IndexDamagedError when it is missing or unsound."""
        held = self._held()
        if held is not None:
            return held
        problem = self.problem()
        if problem:
            raise IndexDamagedError(
                f"The index {self.path} is {problem}.",
                hint="Run `vaultmem rebuild`.",
                reason=problem.removeprefix(f"{DAMAGED}: "),
            )
        return self._open()

    def _held(self) -> apsw.Connection | None:
        """The open connection, unless another file has taken its place since."""
        connection: apsw.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            return None
        if self.identity() != self._local.identity:
            self.close()
            return None
        return connection

    def _open(self) -> apsw.Connection:
        held = self._held()
        while held is None:
            identity = self.identity()
            opened = open_index(self.path)
            if self.identity() != identity:
                opened.close()  # another file took its place: which of the two was opened, nobody knows
                continue
            held = self._local.connection = opened
            self._local.identity = identity
            with self._guard:
                self._all.add(held)
        return held

    def identity(self) -> tuple[int, int] | None:
        """Which file is in the place now; None for none."""
        try:
            status = os.stat(self.path)
        except FileNotFoundError:
            return None
        return status.st_dev, status.st_ino

    def close(self) -> None:
        """Closes this thread's connection; the next use opens it again."""
        connection = getattr(self._local, "connection", None)
        self._local.connection = None
        if connection is not None:
            with self._guard:
                self._all.discard(connection)
            connection.close()

    def close_all(self) -> None:
        """Closes the connections of all threads; none of them may be in use."""
        with self._guard:
            for connection in list(self._all):
                connection.close()
            self._all.clear()
        self._local = threading.local()
