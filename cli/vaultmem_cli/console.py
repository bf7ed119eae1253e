"""Where output goes and how it looks there: results on stdout, everything about them on stderr."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TextIO

from vaultmem_cli.textwidth import clean

FALLBACKS = str.maketrans(
    {"✓": "ok", "✗": "x", "→": "->", "·": "-", "›": ">", "…": "...", "–": "-", "×": "x"}
)
"""What our own marks become where the terminal's encoding lacks them."""


@dataclass(frozen=True, slots=True)
class Style:
    """How text looks on one stream."""

    color: bool = False
    width: int | None = None
    """Columns of the terminal; None where lines may be as long as they like."""

    def bold(self, text: str) -> str:
        return self._with("1", text)

    def dim(self, text: str) -> str:
        return self._with("2", text)

    def red(self, text: str) -> str:
        return self._with("31", text)

    def green(self, text: str) -> str:
        return self._with("32", text)

    def yellow(self, text: str) -> str:
        return self._with("33", text)

    def cyan(self, text: str) -> str:
        return self._with("36", text)

    def match(self, text: str) -> str:
        """A word that answers the query: bold on a terminal, nothing added elsewhere."""
        return self._with("1;33", text)

    def _with(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.color and text else text


@dataclass(frozen=True, slots=True)
class Page:
    """What a command has to say to a person."""

    lines: Sequence[str] = ()
    """The result, for stdout."""
    notes: Sequence[str] = ()
    """What is said about the result, for stderr."""
    verbatim: str | None = None
    """The result as it is, byte for byte, in place of ``lines``."""


@dataclass(frozen=True, slots=True)
class Console:
    """Both streams of a command."""

    out: TextIO
    err: TextIO
    out_style: Style
    err_style: Style
    dumb: bool = False
    """The terminal cannot redraw a line (TERM=dumb)."""

    @classmethod
    def of(cls, out: TextIO, err: TextIO, environ: Mapping[str, str]) -> Console:
        """The console of these streams: colour and width only where the stream is a terminal."""
        for stream in (out, err):
            # A character that the encoding lacks is shown by its number; it is no reason to fail.
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(errors="backslashreplace")
        dumb = environ.get("TERM") == "dumb"
        return cls(out, err, style_of(out, environ), style_of(err, environ), dumb)

    def show(self, page: Page) -> None:
        """Prints the page. Raises OSError, naming stdout when it is that which fails: a BrokenPipeError when its
        reader has gone."""
        try:
            if page.verbatim is not None:
                self._verbatim(page.verbatim)
            else:
                self._print(self.out, page.lines)
            # Where both go to one terminal the result stands first.
            self.out.flush()
        except OSError as error:
            raise at_stdout(error) from error
        self.say(*page.notes)

    def say(self, *lines: str) -> None:
        """Prints lines to stderr."""
        self._print(self.err, lines)
        self.err.flush()

    def problem(self, message: str, hint: str = "") -> None:
        """Prints an error, and what can be done about it, to stderr."""
        label = self.err_style.red(self.err_style.bold("error:"))
        lines = [f"{label} {clean(message)}"]
        if hint:
            lines.append(f"{self.err_style.bold('hint:')} {clean(hint)}")
        self.say(*lines)

    def _print(self, stream: TextIO, lines: Sequence[str]) -> None:
        text = "".join(line + "\n" for line in lines)
        stream.write(text if is_unicode(stream) else text.translate(FALLBACKS))

    def _verbatim(self, text: str) -> None:
        self.out.flush()
        # Past the text layer, which might translate line ends and encodings.
        self.out.buffer.write(text.encode("utf-8", "surrogatepass"))
        self.out.buffer.flush()


def style_of(stream: TextIO, environ: Mapping[str, str]) -> Style:
    """Colour and width of a stream: none of either unless it is a terminal (no-color.org, clig.dev)."""
    if not stream.isatty():
        return Style()
    plain = bool(environ.get("NO_COLOR")) or environ.get("TERM") == "dumb"
    return Style(color=not plain, width=max(40, shutil.get_terminal_size().columns))


def is_unicode(stream: TextIO) -> bool:
    """Whether the stream's encoding has every character."""
    return (stream.encoding or "").lower().replace("-", "").replace("_", "").startswith("utf")


def at_stdout(error: OSError) -> OSError:
    """The error with stdout in place of the file name that it lacks."""
    return OSError(error.errno, error.strerror, "stdout")


def discard(stream: TextIO) -> None:
    """Sends what is still to come on the stream nowhere, so that leaving does not fail on a broken pipe."""
    devnull = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(devnull, stream.fileno())
    finally:
        os.close(devnull)
