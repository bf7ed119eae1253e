"""Who does the work behind the door: one thread that reads, one that writes, and one that gets the vault ready."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final, Protocol, TypeVar

from vaultmem.activity import mark_activity
from vaultmem.errors import LockedError, RefusedError, VaultmemError
from vaultmem.server.mcp.fence import ours

if TYPE_CHECKING:
    from vaultmem.vault import Vault

_T = TypeVar("_T")

MOST_WAITING: Final = 64
"""Calls that may wait at once."""

PATIENCE_S: Final = 3.0
"""How long a call waits while the index is built; then it says how far that is."""


class Watching(Protocol):
    """What keeps the index up in the meantime, if anything does."""

    def run(self) -> None:
        """Watches until it is stopped. Raises VaultmemError when it cannot."""
        ...

    def stop(self) -> None:
        """Ends ``run``; from any thread."""
        ...


class NotReadyError(RefusedError):
    """The index is still being built."""


class _Stopped(BaseException):
    """The client has gone while the index was being built."""


class Desk:
    """A vault for several callers at once. Nothing heavy is imported or read before :meth:`begin`."""

    def __init__(
        self,
        open_vault: Callable[[], Vault],
        *,
        watch: Callable[[], Watching] | None = None,
    ) -> None:
        self._open = open_vault
        self._watch = watch
        self._reading = ThreadPoolExecutor(1, thread_name_prefix="reading")
        self._writing = ThreadPoolExecutor(1, thread_name_prefix="writing")
        self._waiting = 0
        self._vault: Vault | None = None
        self._fault: VaultmemError | None = None
        self._untold: list[str] = []
        self._ready = threading.Event()
        self._step = ("", 0, 0)
        self._began = False
        self._closing = False
        self._watching: Watching | None = None
        self._thread = threading.Thread(target=self._prepare, name="preparing", daemon=True)

    def begin(self) -> None:
        """Starts to get the vault ready, in the background; once is enough."""
        if not self._began:
            self._began = True
            self._thread.start()

    def close(self) -> None:
        """Ends: what is being written is written first, what only reads is finished or left out."""
        self._closing = True
        for lane in (self._reading, self._writing):
            lane.shutdown(wait=True, cancel_futures=True)
        if self._watching is not None:
            self._watching.stop()
        if self._began:
            self._thread.join(timeout=10)
        if self._vault is not None and not self._thread.is_alive():
            self._vault.close()

    async def read(self, question: Callable[[Vault], _T]) -> _T:
        """The answer to a question that changes nothing. Raises what it raises, NotReadyError during the first build,
        and RefusedError when too many wait already."""
        return await self._put(self._reading, question)

    async def write(self, change: Callable[[Vault], _T]) -> _T:
        """What a change returns; they are made one after the other. A caller that gives up while it waits prevents
        it; one that gives up later does not."""
        return await self._put(self._writing, change)

    async def _put(self, lane: ThreadPoolExecutor, work: Callable[[Vault], _T]) -> _T:
        self.begin()
        if self._waiting >= MOST_WAITING:
            raise ours(
                RefusedError(
                    f"{MOST_WAITING} calls are waiting already.",
                    hint="Wait for answers, then go on.",
                )
            )
        self._waiting += 1
        try:
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(lane, lambda: work(self._used()))
        finally:
            self._waiting -= 1

    def _used(self) -> Vault:
        """The vault, which the daemon then knows to be in use."""
        vault = self._opened()
        mark_activity(vault.index_dir)
        return vault

    def _opened(self) -> Vault:
        while not self._ready.wait(PATIENCE_S):
            self._tell_progress()  # without a build it takes a moment at most
        if self._fault is not None:
            raise self._fault
        if self._vault is None:
            raise ours(RefusedError("The server is closing."))
        return self._vault

    def _tell_progress(self) -> None:
        step, done, total = self._step
        if done < total:
            what = {"read": "notes read", "embed": "texts embedded"}.get(step, step)
            raise ours(
                NotReadyError(
                    f"The index is being built: {done:,} of {total:,} {what}.",
                    hint="Ask again in a few seconds.",
                )
            )

    # -- getting ready -----------------------------------------------------------------------------------------

    def _prepare(self) -> None:
        try:
            self._vault = self._open()
            with self._noted("The notes could not be compared with the index"):
                self._vault.sync(progress=self._progress)
            self._ready.set()
            self._warm(self._vault)
        except _Stopped:
            return
        except VaultmemError as error:
            self._fault = error
        finally:
            self._ready.set()
        if self._watch is not None and self._fault is None and not self._closing:
            self._keep_up(self._watch)

    def _progress(self, step: str, done: int, total: int) -> None:
        self._step = (step, done, total)
        if self._closing:
            raise _Stopped

    def _warm(self, vault: Vault) -> None:
        """Loads what the first search would have to wait for."""
        with self._noted("Search could not be got ready"):
            vault.warm_up()
            vault.search("warm", limit=1, sync=False)

    @contextmanager
    def _noted(self, what: str) -> Iterator[None]:
        """What goes wrong within ends it, and is told once, with the next answer."""
        try:
            yield
        except (VaultmemError, OSError) as error:
            self._untold.append(f"{what}: {error}")

    def told(self) -> list[str]:
        """What went wrong in the background and was not told yet."""
        told, self._untold = self._untold, []
        return told

    def _keep_up(self, watch: Callable[[], Watching]) -> None:
        """Watches the vault, unless another process does: then that one vouches for the index here, too."""
        with self._noted("The vault is not watched, so each answer compares the files"):
            self._watching = watch()
            if not self._closing:
                with suppress(LockedError):
                    self._watching.run()
