"""From the words of a command line to its output and exit code: the one place where errors end.

Results go to stdout, everything said about them to stderr. With ``--json`` stdout holds exactly one JSON object in
every case (of a command that goes on: one a line): the answer (an empty one is an answer, too), or when there is none an object of the schema
``vaultmem/error/1``; its first key ``schema`` tells which, and the exit code is the same as without ``--json``.
stderr then holds nothing but the sentences of an error. A reader that closes the pipe early (``| head``) is no
error: the exit code is what the command earned.
"""

from __future__ import annotations

import errno
import os
import re
import shlex
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar, cast

import typer

from vaultmem.activity import mark_activity
from vaultmem.errors import VaultmemError
from vaultmem_cli.answers import CandidateView, ErrorAnswer
from vaultmem_cli.console import Console, Page, Style, at_stdout, discard, is_unicode
from vaultmem_cli.jsonout import to_json
from vaultmem_cli.progress import LiveProgress, NoProgress, progress_of
from vaultmem_cli.textwidth import clean, clean_block, shorten

if TYPE_CHECKING:
    from vaultmem.vault import Vault

DONE = 0
FAILED = 1
USAGE = 2
NOTHING_FOUND = 3
PARTIAL = 5
INTERRUPTED = 130

TAKE_WORDS = {
    "search": ("To search for it", ""),
    **dict.fromkeys(
        ("show", "links", "backlinks", "unlinked", "trace"), ("For a note of that name", "")
    ),
    "tags": ("For a tag of that name", ""),
    "create": ("For a text that begins with a dash", "PATH "),
    **dict.fromkeys(("append", "replace"), ("For a text that begins with a dash", "NOTE ")),
    "section": ("For a text that begins with a dash", "NOTE HEADING "),
    "block": ("For a text that begins with a dash", "NOTE ID "),
    "set": ("For a value that begins with a dash", "NOTE KEY "),
}
"""Commands that take words which may begin with a dash: what a hint about those begins with, and what stands
before such a word."""

READER_IS_GONE = (errno.EPIPE, errno.EIO)
"""What a pipe says whose reader has left, and a terminal that was closed."""

OTHER_NAMES = {
    **dict.fromkeys(("rename", "move"), "mv"),
    **dict.fromkeys(("delete", "del", "remove", "trash"), "rm"),
    **dict.fromkeys(("new", "touch", "add"), "create"),
    **dict.fromkeys(("find", "grep"), "search"),
    **dict.fromkeys(("cat", "open", "get"), "show"),
    **dict.fromkeys(("revert", "restore"), "undo"),
    "edit": "replace",
    "log": "history",
}
"""Commands by the names that other programs have for them."""

BUILDERS = ("rebuild", "sync")
"""Commands that show themselves how a build goes on."""

ONLY_LOOK = ("status", "daemon", "dream", "usage")
"""Commands that are no sign of a person at work with the notes."""

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Call:
    """One command being carried out."""

    command: str
    vault: Path | None
    as_json: bool
    console: Console
    progress: LiveProgress | NoProgress
    schema: str = ""
    """The name of the answer's schema, where it is not the command's."""

    @classmethod
    def of(
        cls,
        command: str,
        vault: Path | None,
        *,
        as_json: bool,
        quiet: bool = False,
        schema: str = "",
    ) -> Call:
        """The call of ``command`` on this process's streams."""
        console = Console.of(sys.stdout, sys.stderr, os.environ)
        return cls(command, vault, as_json, console, progress_of(console, quiet=quiet), schema)

    def ask(
        self,
        question: Callable[[Vault], Answer],
        view: Callable[[Answer, Style], Page],
        verdict: Callable[[Answer], int] = lambda _: DONE,
        *,
        opening: Callable[[Path | None], Vault] | None = None,
    ) -> int:
        """Puts a question to the vault, prints the answer, and returns the exit code that it earns. ``opening`` opens
        the vault where :func:`vaultmem.open_vault` is not to."""

        def make() -> Answer:
            from vaultmem import open_vault

            with (opening or open_vault)(self.vault) as vault:
                if self.command not in ONLY_LOOK:
                    mark_activity(vault.index_dir)
                self._build_in_sight(vault)
                return question(vault)

        return self.give(make, view, verdict)

    def _build_in_sight(self, vault: Vault) -> None:
        """Builds a missing index before the question does so by itself, since that may take a while unseen."""
        watched = isinstance(self.progress, LiveProgress) and self.command not in BUILDERS
        if watched and not vault.index_path.exists():
            vault.sync(progress=self.progress)
            self.progress.clear()
            self.console.say("note: There was no index; it was built.")

    def give(
        self,
        make: Callable[[], Answer],
        view: Callable[[Answer, Style], Page],
        verdict: Callable[[Answer], int] = lambda _: DONE,
    ) -> int:
        """Prints what ``make`` makes and returns the exit code that it earns, or that of its error."""

        def answered() -> int:
            try:
                answer = make()
            finally:
                self.progress.clear()
            self._print(answer, view)
            return verdict(answer)

        return self.guard(answered)

    def guard(self, work: Callable[[], int]) -> int:
        """The exit code of ``work``, or that of its error, which is said."""
        try:
            return work()
        except VaultmemError as error:
            return self.refuse(error)
        except KeyboardInterrupt:
            return self.fail("interrupted", "Interrupted.", "", INTERRUPTED)
        except OSError as error:
            return self.fail("os-error", _os_error(error), "", FAILED)

    def tell(self, command: str, answer: object, lines: Sequence[str]) -> None:
        """Prints one of many answers of a command that goes on: with JSON as one line of stdout, otherwise
        ``lines`` to stderr."""
        if self.as_json:
            self._write(Page([self._json(command, answer, one_line=True)]))
        else:
            self._write(Page(notes=lines))

    def fail(self, kind: str, message: str, hint: str, exit_code: int) -> int:
        """Says what went wrong, for JSON on stdout too, and returns the exit code."""
        if self.as_json:
            error = ErrorAnswer(self.command, kind, message, hint, exit_code)
            self._write(Page([self._json("error", error)]))
        if exit_code == INTERRUPTED:
            self.console.say(message)
        else:
            self.console.problem(message, hint)
        return exit_code

    def refuse(self, error: VaultmemError) -> int:
        """Says what the error says, the places it may have meant included, and returns its exit code."""
        code = str(getattr(error, "code", ""))
        places = tuple(
            CandidateView(place.heading_path, place.line, place.text)
            for place in getattr(error, "candidates", ())
        )
        if self.as_json:
            kind, message, hint = _kind(error), error.message, error.hint
            answer = ErrorAnswer(self.command, kind, message, hint, error.exit_code, code, places)
            self._write(Page([self._json("error", answer)]))
        self.console.problem(clean_block(error.message), clean_block(error.hint))
        self.console.say(*_places(places, self.console.err_style.width))
        return error.exit_code

    def _print(self, answer: Answer, view: Callable[[Answer, Style], Page]) -> None:
        if self.as_json:
            self._write(Page([self._json(self.schema or self.command, answer)]))
        else:
            self._write(view(answer, self.console.out_style))

    def _json(self, command: str, answer: object, *, one_line: bool = False) -> str:
        plain = not is_unicode(self.console.out)
        return to_json(command, answer, ascii_only=plain, one_line=one_line)

    def _write(self, page: Page) -> None:
        """Prints; a reader that has gone (``| head``, a terminal that was closed) is no error, and changes no exit
        code. Raises OSError, naming stdout, when it cannot take what is printed."""
        try:
            self.console.show(page)
        except OSError as error:
            for stream in (self.console.out, self.console.err):
                with suppress(OSError, ValueError):
                    stream.flush()
                    continue
                # What is still to come would fail again, at the latest when the process leaves.
                discard(stream)
            if error.errno not in READER_IS_GONE:
                raise


def run_app(words: list[str]) -> int:
    """Carries out a command line and returns its exit code."""
    from vaultmem_cli.app import app

    if broken := _not_utf8(words):
        call = Call.of(_command_of(words), None, as_json="--json" in words)
        hint = "Is the terminal set to UTF-8?"
        return call.fail("usage", f"{broken} is not valid UTF-8.", hint, USAGE)
    try:
        result = app(_helped(words), prog_name="vaultmem", standalone_mode=False)
    except _CLICK_ERROR as error:
        if cast(_ClickError, error).format_message().startswith(_IS_HELP) and words[-1:] != [
            "--help"
        ]:
            return run_app([*words, "--help"])  # a group alone, as ``vaultmem`` alone
        return _usage_error(cast(_ClickError, error), words)
    except OSError as error:  # the help could not be printed: no command ends in one
        return not_printed(error, _command_of(words))
    return result if isinstance(result, int) else DONE


def _not_utf8(words: Sequence[str]) -> str:
    """The first word that cannot be text, as it can be shown; "" when there is none. The vault's own folder may have any
    name."""
    for before, word in zip(("", *words), words, strict=False):
        if before == "--vault" or word.startswith("--vault="):
            continue
        try:
            word.encode()
        except UnicodeEncodeError:
            shown = word.encode("utf-8", "backslashreplace").decode()
            return "'" + shown.replace("\\udc", "\\x") + "'"
    return ""


def not_printed(error: OSError, command: str = "") -> int:
    """The exit code when something other than an answer could not be printed on stdout; says why, unless it is that
    the reader has gone."""
    discard(sys.stdout)
    if error.errno in READER_IS_GONE:
        return DONE
    call = Call.of(command, None, as_json=False)
    return call.fail("os-error", _os_error(at_stdout(error)), "", FAILED)


def _helped(words: list[str]) -> list[str]:
    """The words, with ``vaultmem`` alone and ``vaultmem help …`` as people type them turned into ``--help``."""
    if not words:
        return ["--help"]
    return [*words[1:], "--help"] if words[0] == "help" else words


# --- wrong usage ---


class _ClickError(Protocol):
    """What Typer raises for words it cannot make sense of."""

    exit_code: int

    def format_message(self) -> str:
        """What is wrong with the words."""


_IS_HELP = "Usage: "
"""How the help page begins, which is all that is told of a group that was named without a command of it."""

# Typer brings click along under changing names, but BadParameter has always been a kind of it.
_CLICK_ERROR = cast("type[Exception]", typer.BadParameter.__mro__[2])


def _usage_error(error: _ClickError, words: Sequence[str]) -> int:
    message, hint = _in_our_words(error.format_message(), words)
    own = words[: words.index("--")] if "--" in words else words
    call = Call.of(_command_of(words), None, as_json="--json" in own)
    return call.fail("usage", message, hint, USAGE)


def _in_our_words(message: str, words: Sequence[str]) -> tuple[str, str]:
    """Message and hint. A "did you mean" moves into the hint, and the usual slips have hints of their own."""
    from vaultmem_cli.usage import without_braces

    message, meant, suggestion = message.replace("\n", " ").partition("Did you mean")
    message, _, possible = message.partition("(Possible options:")
    message = without_braces(message.strip().removesuffix("("))
    command = _command_of(words)
    hint = " ".join(["See: vaultmem", *_named_in_full(words), "--help"])
    if not command and words and words[0] in OTHER_NAMES:
        hint = f"Did you mean '{OTHER_NAMES[words[0]]}'?"
    elif meant:
        hint = f"Did you mean{suggestion.rstrip(')')}"
    elif found := re.match(r"No such option:? '?(-[^\s'.]*)", message):
        if not command:
            hint = "Options stand after the command, as in: vaultmem search --vault PATH WORDS"
        elif possible:
            hint = f"Did you mean {possible.rstrip(')').strip()}?"
        elif command in TAKE_WORDS:
            # The name of such an option is what follows the dash, a blank perhaps, which the message has lost.
            begins = "- " if found[1] == "-" else found[1]
            typed = next((word for word in words if word.startswith(begins)), found[1])
            purpose, before = TAKE_WORDS[command]
            hint = f"{purpose}: vaultmem {command} -- {before}{shlex.quote(typed)}"
    return _sentence(message), hint


def _sentence(message: str) -> str:
    return message.strip().rstrip(".") + "."


def _command_of(words: Sequence[str]) -> str:
    """The command that the words name, "" when they name none."""
    from vaultmem_cli.app import COMMANDS

    return words[0] if words and words[0] in COMMANDS else ""


def _named_in_full(words: Sequence[str]) -> list[str]:
    """The command with the one below it, when the words name one; [] when they name no command."""
    from vaultmem_cli.app import SUBCOMMANDS

    command = _command_of(words)
    below = words[1] if words[1:] and words[1] in SUBCOMMANDS.get(command, ()) else ""
    return [name for name in (command, below) if name]


# --- errors in words ---

PLACES = 10
"""Places that a person is shown; JSON has them all."""


def _places(places: Sequence[CandidateView], width: int | None) -> list[str]:
    """A line for each place, and one only for several in the same line."""
    times = Counter(place.line for place in places)
    texts = {place.line: clean(place.text) for place in places}
    lines = [
        shorten(
            f"  line {line + 1}{f' ({times[line]} times)' if times[line] > 1 else ''}: {text}",
            width,
        )
        for line, text in texts.items()
    ]
    more = len(lines) - PLACES
    return lines if more < 1 else [*lines[:PLACES], f"  … and {more} more lines"]


def _kind(error: VaultmemError) -> str:
    """The class of an error in words: ``note-not-found``."""
    name = type(error).__name__.removesuffix("Error")
    return re.sub(r"(?<!^)(?=[A-Z])", "-", name).lower()


def _os_error(error: OSError) -> str:
    reason = error.strerror or str(error) or type(error).__name__
    return f"{error.filename}: {reason}." if error.filename else f"{reason}."
