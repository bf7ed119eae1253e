"""The daemon's own log: lines on stderr, and the last two megabytes in ``daemon.log`` beside the index.

Never a note's text: what is logged are our own sentences, which name paths at most.
"""

from __future__ import annotations

import logging
import sys
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Final, TextIO

from vaultmem.daemon_state import LOG_NAME

LOGGER: Final = "vaultmem_daemon"
MOST_BYTES: Final = 1_000_000
FORM: Final = "%(asctime)s %(levelname)s %(message)s"
LONGEST: Final = 500


class _OneLine(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        line = " ".join(super().format(record).split())
        return line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"


class _Quiet(RotatingFileHandler):
    """A file that is open only while a line is written, so that the disk it lies on can go and come; one that cannot be
    written must not fill stderr with tracebacks."""

    def emit(self, record: logging.LogRecord) -> None:
        """Writes the line."""
        super().emit(record)
        self.acquire()
        try:
            if self.stream is not None:
                self.stream.close()
                self.stream = None  # as the library does with ``delay``
        finally:
            self.release()

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - its name in the library
        """Nothing: the line stands on stderr anyway."""


class _Stream(logging.StreamHandler[TextIO]):
    """The same for a terminal that was closed."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - its name in the library
        """Nothing: nobody would read it."""


def open_log(folder: Path, stream: TextIO | None = None) -> logging.Logger:
    """The logger, writing to ``stream`` (stderr) and, where that can be, to the file in ``folder``, which is not made."""
    logger = logging.getLogger(LOGGER)
    logger.setLevel(logging.INFO)
    logger.propagate = False
    close_log(logger)
    on_stderr = _Stream(stream or sys.stderr)
    on_stderr.setFormatter(_OneLine("%(message)s"))
    logger.addHandler(on_stderr)
    in_file = _Quiet(
        folder / LOG_NAME, maxBytes=MOST_BYTES, backupCount=1, encoding="utf-8", delay=True
    )
    in_file.setFormatter(_OneLine(FORM))
    logger.addHandler(in_file)
    # What APScheduler has to say concerns our jobs, and those speak for themselves.
    logging.getLogger("apscheduler").setLevel(logging.CRITICAL)
    return logger


def close_log(logger: logging.Logger) -> None:
    """Lets go of stream and file."""
    for handler in list(logger.handlers):
        logger.removeHandler(handler)
        handler.close()
