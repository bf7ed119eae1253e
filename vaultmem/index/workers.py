"""Parsing in other processes: chunks of files out, rows back, in order.

Workers are started as ``python -c`` children that speak length-prefixed ``marshal`` frames over their pipes, not
through ``multiprocessing``: that would import the caller's ``__main__`` again, and so break every script that
calls ``Vault.rebuild()`` without a main guard. A worker ends when its input ends, hence with its parent.
"""

from __future__ import annotations

import gc
import marshal
import os
import struct
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import IO, TYPE_CHECKING

from vaultmem.errors import EmbedderError, FailedError
from vaultmem.index.reading import FileRead, Job, read_job

if TYPE_CHECKING:
    from vaultmem.index.source import Semantics

CHUNK_FILES = 48
IN_FLIGHT = 8
"""Chunks a worker may have or have answered before the writer takes the first: it goes on parsing while the
writer writes. About 200 kB each."""

REQUEST_BYTES = 16_000
SMALL_JOB = 400
"""Below this many files, starting a process costs more than it saves."""

GC_THRESHOLD = 100_000

_LENGTH = struct.Struct("<Q")
_BOOT = "import sys; sys.path[:] = {path!r}; from vaultmem.index.workers import serve; serve()"


def worker_count(files: int, cores: int, *, embedding: bool = False) -> int:
    """How many processes should parse ``files`` files: none for a small job, else one per core but the writer's
    own, at most eight (one writer cannot keep up with more). Workers that also embed do twice the writer's
    work, so it shares its core with one of them."""
    if files < SMALL_JOB:
        return 0
    return max(1, min(8, cores if embedding else cores - 1))


def read_all(
    root: Path, jobs: list[Job], workers: int, semantics: Semantics | None = None
) -> Iterator[FileRead]:
    """What each job's file holds, in the order of ``jobs``; parsed by ``workers`` processes, or here for 0.

    Worker processes also embed the blocks, if there are ``semantics`` whose embedder they can make themselves.
    """
    if workers == 0:
        for job in jobs:
            yield read_job(root, job)
        return
    pool: list[_Worker] = []
    try:
        for _ in range(workers):
            pool.append(_Worker())  # one at a time, so that one that fails to start loses no other
            pool[-1].greet(root, semantics)
        for chunk in _in_order(pool, _chunks(jobs)):
            yield from chunk
    finally:
        for worker in pool:
            worker.stop()


def _chunks(jobs: list[Job]) -> Iterator[list[Job]]:
    chunk: list[Job] = []
    size = 0
    for job in jobs:
        cost = 4 * len(job.path) + 32
        if chunk and (len(chunk) >= CHUNK_FILES or size + cost > REQUEST_BYTES):
            yield chunk
            chunk, size = [], 0
        chunk.append(job)
        size += cost
    if chunk:
        yield chunk


def _in_order(pool: list[_Worker], chunks: Iterable[list[Job]]) -> Iterator[list[FileRead]]:
    waiting: deque[_Worker] = deque()
    for turn, chunk in enumerate(chunks):
        if len(waiting) >= IN_FLIGHT * len(pool):
            yield waiting.popleft().receive()
        worker = pool[turn % len(pool)]
        worker.send(chunk)
        waiting.append(worker)
    while waiting:
        yield waiting.popleft().receive()


class _Worker:
    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", _BOOT.format(path=sys.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            # A terminal's Ctrl-C is for the parent, which then closes our input.
            start_new_session=True,
        )
        self._answers: SimpleQueue[bytes] = SimpleQueue()
        self._drain = threading.Thread(target=self._take_answers, daemon=True)
        self._drain.start()

    def greet(self, root: Path, semantics: Semantics | None) -> None:
        """Tells what to work on; the first thing to send."""
        name, cache = (semantics.name, semantics.cache.path) if semantics else ("", "")
        self._send((os.fsencode(root), name, os.fsencode(cache)))

    def _send(self, value: object) -> None:
        assert self._process.stdin is not None
        try:
            _write_frame(self._process.stdin, value)
        except BrokenPipeError as error:
            raise self._died() from error

    def send(self, chunk: list[Job]) -> None:
        self._send([tuple(job) for job in chunk])

    def _take_answers(self) -> None:
        """Empties the pipe as it fills, so that the process never waits for the writer; "" marks the end."""
        assert self._process.stdout is not None
        with suppress(OSError, ValueError):  # closed by stop()
            while frame := _read_bytes(self._process.stdout):
                self._answers.put(frame)
        self._answers.put(b"")

    def receive(self) -> list[FileRead]:
        frame = self._answers.get()
        if not frame:
            raise self._died()
        return [FileRead.from_tuple(row) for row in marshal.loads(frame)]

    def _died(self) -> FailedError:
        code = self._process.wait()
        return FailedError(
            f"A parsing process ended early (exit code {code}); the index is as it was.",
            hint="Run `vaultmem rebuild` again; if memory is short, close other programs first.",
        )

    def stop(self) -> None:
        process = self._process
        if process.stdin is not None:
            with suppress(BrokenPipeError):  # it is gone already, which is all that is wanted
                process.stdin.close()
        process.terminate()
        process.wait()
        self._drain.join()
        if process.stdout is not None:
            process.stdout.close()


def _write_frame(stream: IO[bytes], value: object) -> None:
    data = marshal.dumps(value)  # type: ignore[arg-type]
    stream.write(_LENGTH.pack(len(data)))
    stream.write(data)
    stream.flush()


def _read_bytes(stream: IO[bytes]) -> bytes:
    """The next frame; empty at the end, or when it is cut short."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return b""
    (length,) = _LENGTH.unpack(head)
    data = stream.read(length)
    return data if len(data) == length else b""


def serve() -> None:
    """A worker's whole life: the vault's root, then chunks of jobs, until the input ends."""
    # Rows hold no cycles; the collector would walk through every chunk for nothing.
    gc.set_threshold(GC_THRESHOLD)
    stdin, stdout = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr  # a stray print must not tear a frame
    setup = _read_bytes(stdin)
    if not setup:
        return  # the parent was stopped before it could say anything
    root_bytes, embedder, cache = marshal.loads(setup)
    root = Path(os.fsdecode(root_bytes))
    embed = _embedding(embedder, Path(os.fsdecode(cache)))
    while frame := _read_bytes(stdin):
        reads = [read_job(root, Job(*job)) for job in marshal.loads(frame)]
        try:
            reads = embed(reads)
        except EmbedderError:
            embed = _left_to_parent
        answer = [read.as_tuple() for read in reads]
        try:
            _write_frame(stdout, answer)
        except BrokenPipeError:
            os._exit(0)  # the parent stopped early; nobody is left to tell


def _left_to_parent(reads: list[FileRead]) -> list[FileRead]:
    """What was read as it is. The parent embeds what has no vector, and tells what is wrong when it cannot either."""
    return reads


def _embedding(name: str, cache: Path) -> Callable[[list[FileRead]], list[FileRead]]:
    """A function that gives what was read its vectors, with an embedder and a cache of this process's own."""
    if not name:
        return _left_to_parent
    from vaultmem.embed.cache import EmbeddingCache
    from vaultmem.embed.registry import load_embedder
    from vaultmem.index.vectors import with_vectors

    try:
        embedder = load_embedder(name)
    except EmbedderError:
        return _left_to_parent
    assert embedder is not None
    return partial(with_vectors, embedder=embedder, cache=EmbeddingCache(cache))
