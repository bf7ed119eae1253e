"""Running the command: inside this process where that will do, as a process of its own where it must be one."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

from vaultmem_cli.main import main

KEPT = ("PYTHONPATH", "PATH", "LANG", "LC_ALL", "TMPDIR", "SYSTEMROOT")


@dataclass(frozen=True, slots=True)
class Ran:
    """What came of a command."""

    code: int
    out: str
    err: str


def environment(home: Path, **more: str) -> dict[str, str]:
    """The environment of a user who has set nothing, whose home is ``home``."""
    kept = {name: os.environ[name] for name in KEPT if name in os.environ}
    return {**kept, "HOME": str(home), "TERM": "xterm-256color", "COLUMNS": "80", **more}


@contextmanager
def as_user(environ: Mapping[str, str]) -> Iterator[None]:
    """This process has that environment, and no other, for a while."""
    before = dict(os.environ)
    os.environ.clear()
    os.environ.update(environ)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def run(*words: str) -> Ran:
    """The command carried out in this process, its streams pipes as far as it can tell."""
    out, err = (_pipe() for _ in range(2))
    with redirect_stdout(out), redirect_stderr(err):
        code = main(words)
    return Ran(code, _written(out), _written(err))


def _pipe() -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="\n", write_through=True)


def _written(stream: io.TextIOWrapper) -> str:
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue().decode("utf-8")


def arguments(*words: str) -> list[str]:
    """The words that start the command as a process."""
    return [sys.executable, "-m", "vaultmem_cli", *words]


def spawn(*words: str, environ: Mapping[str, str]) -> Ran:
    """The command as a process of its own."""
    done = subprocess.run(
        arguments(*words), env=environ, capture_output=True, timeout=60, check=False
    )
    return Ran(done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8"))
