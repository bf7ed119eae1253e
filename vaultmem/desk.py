"""What those who change the vault work on: an index that has every edit, and the way of theirs into it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

import apsw

from vaultmem.errors import FailedError, IndexReadOnlyError, NoteNotFoundError, RefusedError
from vaultmem.files.places import is_writable
from vaultmem.files.unsettled import has_unsettled
from vaultmem.index.store import Fresh, IndexStore

if TYPE_CHECKING:
    from vaultmem.files.targets import WriteRules
    from vaultmem.index.queries import FileRef

_T = TypeVar("_T")

STATE_FOLDER: Final = ".vaultmem"
WRITABLE: Final = "To change notes, make the vault and its folder .vaultmem writable."

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
        """The answer to a question from an index that has every edit made before the call. When it cannot be brought
        up, raises RefusedError, or FailedError where that was tried and did not work."""
        self.settle()
        fresh = self._store.vouched() or self._store.bring_up()
        if fresh.pending:
            raise self._behind(fresh)
        return self._store.answer(question)[0]

    def _behind(self, fresh: Fresh) -> RefusedError | FailedError:
        """What to say where the index lacks edits."""
        edits = "1 edit" if fresh.pending == 1 else f"{fresh.pending:,} edits"
        lacks = f"The index lacks {edits}, so nothing was changed."
        why = fresh.error
        if isinstance(why, IndexReadOnlyError):
            if not is_writable(self.root / STATE_FOLDER):
                return RefusedError(f"The vault {self.root} is read-only. {lacks}", hint=WRITABLE)
            return RefusedError(f"{why.message} {lacks}", hint=why.hint)
        if isinstance(why, FailedError):
            return FailedError(f"{why.message} {lacks}", hint=why.hint)
        said, hint = (fresh.note, "") if why is None else (why.message, why.hint)
        return RefusedError(f"{lacks} {said}".strip(), hint=hint)

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

            with suppress(RefusedError, FailedError):
                recover(self.root, rules=self._rules(), timeout=0)
