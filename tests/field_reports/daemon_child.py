"""``vaultmem daemon run`` in a process whose own code can be made to fail from outside.

A file that lists vault paths makes the reading of these notes raise; the signal USR1 makes the watcher's thread end, as
nothing that the watcher itself catches would.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
from pathlib import Path
from typing import Any, Final

RAISE_FOR: Final = "VAULTMEM_CASE_RAISE_FOR"
"""The variable that names that file."""


def main() -> None:
    """The process's whole life; the words of the command line are those of the command."""
    from vaultmem.index import reading, rows
    from vaultmem_cli.main import main as command

    place, note_rows = Path(os.environ.pop(RAISE_FOR)), rows.note_rows

    def failing(path: str, *args: Any, **kwargs: Any) -> Any:
        if path in place.read_text("utf-8").splitlines():
            raise RuntimeError("a fault that nobody foresaw")
        return note_rows(path, *args, **kwargs)

    vars(reading)["note_rows"] = failing
    signal.signal(signal.SIGUSR1, lambda *_: _end_watcher())
    sys.exit(command(sys.argv[1:]))


def _end_watcher() -> None:
    for thread in threading.enumerate():
        if thread.name == "watcher" and thread.ident is not None:
            ctypes.pythonapi.PyThreadState_SetAsyncExc(
                ctypes.c_ulong(thread.ident), ctypes.py_object(SystemExit)
            )


if __name__ == "__main__":
    main()
