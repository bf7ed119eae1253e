"""What those who change the vault work on: an index that has every edit, and the way of theirs into it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

import apsw

from vaultmem.errors import FailedError, LockedError, NoteNotFoundError, RefusedError
from vaultmem.files.unsettled import has_unsettled
from vaultmem.index.store import IndexStore

if TYPE_CHECKING:
    from vaultmem.files.targets import WriteRules
    from vaultmem.index.queries import FileRef

_T = TypeVar("_T")

PATHS_AT_ONCE: Final = 200
"""Changed files that are brought in one by one; for more all files are compared."""


class Desk:
    """The index of one vault, for those who change notes and for what is left of killed ones."""

    def __init__(
        self,
        root: Path,
        store: IndexStore,
        *,
        rules: Callable[[], WriteRules],
        clock_ns: Callable[[], int],
    ) -> None:
        self.root = root
        self._store = store
        self._rules = rules
        self._clock_ns = clock_ns

    def ask(self, question: Callable[[apsw.Connection], _T]) -> _T:
        """The answer to a question from an index that has every edit made before the call. Raises RefusedError when
        the index cannot be brought up."""
        self.settle()
        fresh = self._store.vouched() or self._store.bring_up()
        if fresh.pending:
            raise RefusedError(
                f"The index lacks {fresh.pending} edits, so nothing was changed. {fresh.note}".strip()
            )
        return self._store.answer(question)[0]

    def find(self, connection: apsw.Connection, name: str) -> FileRef:
        """The file that a person means by ``name``. Raises NoteNotFoundError, UsageError."""
        from vaultmem import views

        return views.find_file(connection, name)

    def path_of(self, name: str) -> str | None:
        """The vault path of the file that a person means by ``name``; None when there is none now."""
        self.settle()
        if self._store.vouched() is None:
            self._store.bring_up()
        try:
            return self._store.answer(lambda connection: self.find(connection, name).path)[0]
        except NoteNotFoundError:
            return None

    def bring_in(self, paths: Sequence[str]) -> None:
        """Brings the index up with what stands at those paths, at least; hidden ones (the trash) are none of its
        business. Raises as a sync does."""
        seen = [path for path in paths if not path.startswith(".") and "/." not in path]
        if len(seen) > PATHS_AT_ONCE or self._store.sync_paths(seen) is None:
            self._store.sync()

    def settle(self) -> None:
        """Finishes or takes back what a killed process left undone, unless a living one is at it, or the disk refuses:
        who only reads can do without, and who writes is told."""
        if has_unsettled(self.root, now_ns=self._clock_ns()):
            from vaultmem.files.recover import recover

            with suppress(LockedError, FailedError):
                recover(self.root, rules=self._rules(), timeout=0)
