"""From a call to its answer: which tool, what may be asked of it, and errors in one line that lead on."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from vaultmem.errors import NotFoundError, RefusedError, UsageError, VaultmemError, listed
from vaultmem.files.refusals import RefusalCode, WriteRefused
from vaultmem.notes.refusal import EditRefused
from vaultmem.server.mcp.desk import Desk
from vaultmem.server.mcp.fence import Mark, fenced_in_line, one_line, ours
from vaultmem.server.mcp.given import Given
from vaultmem.server.mcp.tools import TOOLS, ToolSpec, tool_named

if TYPE_CHECKING:
    from vaultmem.server.mcp.resources import Listed
    from vaultmem.vault import Vault

BURST: Final = 400
"""Calls that one client may make at once."""
PER_SECOND: Final = 100.0
"""Calls that it may make a second in the long run."""

MOST_CLIENTS: Final = 1_000
"""Names of clients whose pace is remembered."""

LONGEST_ACTOR: Final = 64
NOBODY: Final = "mcp client"

LONGEST_ERROR: Final = 1_500
MOST_PLACES: Final = 8
"""Places in a note that an error names."""

AGAIN: Final = (RefusalCode.CONFLICT, RefusalCode.BUSY, RefusalCode.TOO_FRESH)
"""Refusals that pass."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What a call is answered with."""

    text: str
    is_error: bool = False


class Pace:
    """How fast one client may call: so many at once, and then so many a second."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._left = float(BURST)
        self._at = clock()

    def take(self) -> None:
        """Counts one call. Raises RefusedError when there were too many."""
        now = self._clock()
        self._left = min(float(BURST), self._left + (now - self._at) * PER_SECOND)
        self._at = now
        if self._left < 1:
            raise ours(
                RefusedError(
                    f"More than {PER_SECOND:.0f} calls a second are too many.",
                    hint="Wait a second, then go on.",
                )
            )
        self._left -= 1


class Calls:
    """The tools of one server."""

    def __init__(
        self, desk: Desk, *, mark: Mark, read_only: bool, private: Mapping[str, str]
    ) -> None:
        """``private`` are places that no answer may name, and what is said instead."""
        self._desk = desk
        self._mark = mark
        self._read_only = read_only
        self._private = private
        self._paces: dict[str, Pace] = {}

    def _pace_of(self, by: str) -> Pace:
        """The pace of the client of that name: the protocol need not know it by anything else from call to call."""
        if by not in self._paces and len(self._paces) >= MOST_CLIENTS:
            del self._paces[next(iter(self._paces))]
        return self._paces.setdefault(by, Pace())

    @property
    def tools(self) -> tuple[ToolSpec, ...]:
        """Those that are on offer."""
        return TOOLS

    async def call(self, name: str, held: Mapping[str, object], *, by: str) -> Reply:
        """The answer of the tool, or why there is none. Raises KeyError when there is no such tool."""
        tool = tool_named(name)
        if tool is None:
            raise KeyError(name)
        try:
            self._pace_of(by).take()
            answer = await self._answer(tool, Given(held, tool.known), by)
            return Reply(whole("\n".join([*self._troubles(), answer])))
        except VaultmemError as error:
            return Reply(self.said(error), is_error=True)
        except OSError as error:
            return Reply(f"failed: {error.strerror or type(error).__name__}.", is_error=True)

    async def _answer(self, tool: ToolSpec, given: Given, by: str) -> str:
        from vaultmem.server.mcp import context, graphing, managing, reading

        if tool.name == "note_manage" and managing.is_change(given):
            self._refuse_writing(given)
            return await self._desk.write(
                lambda vault: managing.note_manage(vault, given, self._mark, by=by)
            )
        readers: Mapping[str, Callable[[Vault, Given, Mark], str]] = {
            "memory_search": reading.memory_search,
            "memory_get": reading.memory_get,
            "memory_context": context.memory_context,
            "note_manage": managing.insights,
            "note_graph_query": graphing.note_graph_query,
            "memory_trace": graphing.memory_trace,
        }
        return await self._desk.read(lambda vault: readers[tool.name](vault, given, self._mark))

    def _troubles(self) -> list[str]:
        """What went wrong in the background, a line each, since the last answer."""
        return [
            f"Something went wrong in the background: {self._apart(each)}"
            for each in self._desk.told()
        ]

    async def notes_after(self, cursor: str | None) -> tuple[list[Listed], str | None]:
        """A page of the notes as resources. Raises VaultmemError."""
        from vaultmem.server.mcp.resources import notes_after

        return await self._desk.read(lambda vault: notes_after(vault, cursor))

    async def note_text(self, uri: str) -> str:
        """The text of a note as a resource. Raises VaultmemError."""
        from vaultmem.server.mcp.resources import note_text

        return whole(await self._desk.read(lambda vault: note_text(vault, uri, self._mark)))

    def _refuse_writing(self, given: Given) -> None:
        if self._read_only and not given.flag("dry_run"):
            raise ours(
                RefusedError(
                    "This server is read-only: it changes no notes.",
                    hint="Tell the person what you would change; a dry_run shows it.",
                )
            )

    def said(self, error: VaultmemError) -> str:
        """The error in one line, without the places on this machine that it may name. What is not known to be our words
        stands between marks, in as many characters as there is room for."""
        kind = "usage" if isinstance(error, UsageError) else "refused"
        kind = {1: "failed", 3: "not found", 5: "partly done"}.get(error.exit_code, kind)
        words = f"{error.message} {error.hint}".strip()
        if error.quoted is None:
            places = [f"line {c.line + 1}: {c.text}" for c in getattr(error, "candidates", ())]
            if places:
                words += f" Places: {listed(places, MOST_PLACES, '; ')}."
            return f"{kind}: {self._apart(words)} {_advice(error)}"
        said = f"{kind}: {one_line(self._public(words))[:LONGEST_ERROR]}"
        return f"{said} {self._apart(error.quoted)}" if error.quoted else said

    def _apart(self, words: str) -> str:
        return fenced_in_line(_shortened(self._public(words)), "error", self._mark)

    def _public(self, words: str) -> str:
        for place, instead in self._private.items():
            words = words.replace(place, instead)
        return words


def _advice(error: VaultmemError) -> str:
    """What to do about an error of that kind, in our words: its own advice may name what is in the vault, and so stands
    between marks, where nobody is to follow it."""
    if isinstance(error, WriteRefused) and error.code in AGAIN:
        return "Read the note again with memory_get, then try once more."
    if isinstance(error, EditRefused):
        return "Read the note with memory_get and name the place as it stands there."
    if isinstance(error, UsageError):
        return "Change the arguments, then try once more."
    if isinstance(error, NotFoundError):
        return "Look with memory_search and memory_get for what there is."
    if isinstance(error, RefusedError):
        return "Nothing was changed; tell the person why."
    return "Tell the person; it will hardly mend itself."


def _shortened(words: str) -> str:
    more = len(words) - LONGEST_ERROR
    return f"{words[:LONGEST_ERROR]}… and {more:,} more characters" if more > 0 else words


def whole(text: str) -> str:
    """The text as it can be sent: a name on the disk may hold halves of characters."""
    return text.encode("utf-8", "replace").decode()


def private_places(root: Path, home: Path) -> dict[str, str]:
    """What answers may not name: the vault's folder and the person's home, as given and as they really are."""
    places = {
        str(root): "the vault",
        str(root.resolve()): "the vault",
        str(home): "~",
        str(home.resolve()): "~",
    }
    return dict(
        sorted(((p, n) for p, n in places.items() if len(p) > 1), key=lambda each: -len(each[0]))
    )


def actor(name: str) -> str:
    """How the journal calls the client."""
    known = one_line(name.encode("utf-8", "replace").decode())[:LONGEST_ACTOR]
    return known or NOBODY
