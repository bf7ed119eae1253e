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
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO

from vaultmem.errors import FailedError
from vaultmem.index.reading import FileRead, Job, read_job

CHUNK_FILES = 48
IN_FLIGHT = 2
"""Chunks a worker may have before its first answer is fetched; their requests must fit in a pipe's buffer."""

REQUEST_BYTES = 16_000
SMALL_JOB = 400
"""Below this many files, starting a process costs more than it saves."""

GC_THRESHOLD = 500_000

_LENGTH = struct.Struct("<Q")
_BOOT = "import sys; sys.path[:] = {path!r}; from vaultmem.index.workers import serve; serve()"


def worker_count(files: int, cores: int) -> int:
    """How many processes should parse ``files`` files: none for a small job, else one per core but the
    writer's own, at most eight (one writer cannot keep up with more)."""
    return 0 if files < SMALL_JOB else max(1, min(8, cores - 1))


def read_all(root: Path, jobs: list[Job], workers: int) -> Iterator[FileRead]:
    """What each job's file holds, in the order of ``jobs``; parsed by ``workers`` processes, or here for 0."""
    if workers == 0:
        for job in jobs:
            yield read_job(root, job)
        return
    pool = [_Worker(root) for _ in range(workers)]
    try:
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
    def __init__(self, root: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", _BOOT.format(path=sys.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            # A terminal's Ctrl-C is for the parent, which then closes our input.
            start_new_session=True,
        )
        self._send(os.fsencode(root))

    def _send(self, value: object) -> None:
        assert self._process.stdin is not None
        try:
            _write_frame(self._process.stdin, value)
        except BrokenPipeError as error:
            raise self._died() from error

    def send(self, chunk: list[Job]) -> None:
        self._send([tuple(job) for job in chunk])

    def receive(self) -> list[FileRead]:
        assert self._process.stdout is not None
        rows = _read_frame(self._process.stdout)
        if rows is None:
            raise self._died()
        return [FileRead.from_tuple(row) for row in rows]

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
        if process.stdout is not None:
            process.stdout.close()
        process.terminate()
        process.wait()


def _write_frame(stream: IO[bytes], value: object) -> None:
    data = marshal.dumps(value)  # type: ignore[arg-type]
    stream.write(_LENGTH.pack(len(data)))
    stream.write(data)
    stream.flush()


def _read_frame(stream: IO[bytes]) -> list[tuple[object, ...]] | None:
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(head)
    data = stream.read(length)
    if len(data) < length:
        return None
    loaded: list[tuple[object, ...]] = marshal.loads(data)
    return loaded


def serve() -> None:
    """A worker's whole life: the vault's root, then chunks of jobs, until the input ends."""
    # Rows hold no cycles; the collector would walk through every chunk for nothing.
    gc.set_threshold(GC_THRESHOLD)
    stdin, stdout = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr  # a stray print must not tear a frame
    head = stdin.read(_LENGTH.size)
    root = Path(os.fsdecode(marshal.loads(stdin.read(_LENGTH.unpack(head)[0]))))
    while (chunk := _read_frame(stdin)) is not None:
        answer = [read_job(root, Job(*job)).as_tuple() for job in chunk]  # type: ignore[arg-type]
        try:
            _write_frame(stdout, answer)
        except BrokenPipeError:
            os._exit(0)  # the parent stopped early; nobody is left to tell
