"""Agents as cases have them: what they intend, as calls of the tools that there are, over the bare pipe."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from tests.field_reports.case import Details, FaultError, Step
from tests.field_reports.child import ChildFaultError
from tests.field_reports.files import filled
from tests.field_reports.world import World
from tests.mcp.client import data_in, paths_in, said
from tests.mcp.pipe import Pipe
from vaultmem.errors import RefusedError

LONGEST: Final = 40_000
"""Characters of a reply."""

ANY_HASH: Final = "0" * 32


class AgentRefused(RefusedError):
    """What the server said in place of an answer."""


@dataclass(slots=True)
class Server:
    """A server of the case's vault, and what an agent remembers of its talk with it."""

    pipe: Pipe
    number: int = 0
    found: list[str] = field(default_factory=list)
    """Paths of the search so far."""
    last: dict[str, Any] = field(default_factory=dict)
    """The call that a next page or part belongs to."""
    at: int = 0
    """Where that goes on."""

    def ask(self, method: str, **params: object) -> dict[str, Any]:
        """The reply to a request. Raises ChildFaultError when it is too long."""
        self.number += 1
        self.pipe.send({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        reply: dict[str, Any] = self.pipe.answer()
        if len(str(reply)) > LONGEST + 2_000:  # the frame around the text
            raise ChildFaultError(f"a reply of {len(str(reply))} characters")
        if reply.get("id") != self.number:
            raise ChildFaultError(f"the reply to {self.number} is {reply}")
        return reply

    def call(self, tool: str, **arguments: object) -> str:
        """The text of an answer. Raises AgentRefused with what was said instead."""
        reply = self.ask("tools/call", name=tool, arguments=arguments)
        if "error" in reply:
            raise AgentRefused(reply["error"]["message"])
        text = str(reply["result"]["content"][0]["text"])
        if len(text) > LONGEST:
            raise ChildFaultError(f"an answer of {len(text)} characters")
        if reply["result"].get("isError"):
            raise AgentRefused(text)
        return text

    def changed(self, action: str, note: str, **arguments: object) -> str:
        """The receipt of a change of a note that was read before, and reads as the receipt says."""
        digest = self._hash_of(note)
        receipt = self.call("note_manage", action=action, note=note, hash=digest, **arguments)
        if self._hash_of(said(receipt, "path")) != said(receipt, "hash"):
            raise ChildFaultError(f"the note is not as the receipt says: {receipt}")
        return receipt

    def _hash_of(self, note: str) -> str:
        return said(self.call("memory_get", note=note, max_tokens=100), "hash")


def start(world: World, step: Step) -> object:
    """Starts a server; it greets before it has read anything."""
    given = step.details.part("env")
    _started(world, **{key: given.text(key) for key in given.held})
    return None


def _started(world: World, **environ: str) -> Server:
    server = Server(Pipe(world.root, **environ))
    world.servers.append(server)
    server.pipe.greet()
    return server


def _server(world: World) -> Server:
    return world.servers[-1] if world.servers else _started(world)


def call(world: World, step: Step) -> object:
    """Does what an agent intends."""
    intent = step.details.text("intent")
    if intent not in INTENTS:
        raise FaultError(f"no tool known for: {intent}")
    return INTENTS[intent](world, _server(world), step.details.part("args"))


def send_raw(world: World, step: Step) -> object:
    """Sends the lines; every request whose id can be read gets an error, and the server goes on."""
    server = _server(world)
    lines = step.details.held["lines"]
    assert isinstance(lines, list)
    server.pipe.send(*map(str, lines))
    wanted = {int(found) for found in re.findall(r'"id":(\d+)', str(lines))}
    while wanted:
        reply = server.pipe.answer()
        if "error" not in reply and not reply["result"].get("isError"):
            raise ChildFaultError(f"no error: {reply}")
        wanted.discard(reply["id"])
    return None


def each(world: World, step: Step) -> object:
    """Tries every intent with every path: all are refused, and no refusal names a place on this machine."""
    server = _server(world)
    for typed in step.details.texts("paths"):
        path = filled(typed, world.folder)
        for intent in step.details.texts("intents"):
            try:
                answer = EACH[intent](server, path)
            except AgentRefused as refusal:
                if str(world.folder) in refusal.message.replace(path, ""):
                    raise ChildFaultError(f"{intent} {path!r}: {refusal.message}") from refusal
            else:
                raise ChildFaultError(f"{intent} {path!r} was done: {answer[:200]}")
    return None


# -- intents -----------------------------------------------------------------------------------------------------


def _list_tools(world: World, server: Server, args: Details) -> object:
    return server.ask("tools/list")["result"]["tools"]


def _search(world: World, server: Server, args: Details) -> object:
    server.last, server.found, server.at = dict(args.held), [], 0
    return _page(server)


def _next_page(world: World, server: Server, args: Details) -> object:
    return _page(server)


def _page(server: Server) -> str:
    if server.at < len(server.found):
        return "the answer said that there are no more"
    answer = server.call("memory_search", **server.last, cursor=server.at)
    paths = paths_in(answer)
    if set(paths) & set(server.found):
        raise ChildFaultError(f"found again: {set(paths) & set(server.found)}")
    server.found += paths
    if more := re.search(r'"cursor": (\d+)', answer):
        server.at = int(more[1])
        if server.at != len(server.found):
            raise ChildFaultError(f"a gap: {answer[:200]}")
    if not re.match(rf"Notes \d+ to {len(server.found)} of (at least )?\d+\.", answer):
        raise ChildFaultError(f"no word of how many there are: {answer[:200]}")
    return answer


def _read(world: World, server: Server, args: Details) -> object:
    server.last, server.at = {"note": args.text("path")}, 0
    return _part(world, server)


def _read_on(world: World, server: Server, args: Details) -> object:
    return _part(world, server)


def _part(world: World, server: Server) -> str:
    answer = server.call("memory_get", **server.last, offset=server.at)
    whole = (world.root / server.last["note"]).read_text()
    if not whole.startswith(data_in(answer), server.at):
        raise ChildFaultError(f"at {server.at} the note goes on differently")
    if more := re.search(r'"offset": (\d+)', answer):
        server.at = int(more[1])
        if f"of {len(whole):,} of" not in answer:
            raise ChildFaultError("it does not say how long the note is")
    return answer


def _unknown(name: str) -> Callable[[World, Server, Details], object]:
    def try_it(world: World, server: Server, args: Details) -> object:
        if "error" not in server.ask("tools/call", name=name, arguments={}):
            raise ChildFaultError(f"there is a tool {name}")
        return None

    return try_it


def _ping(world: World, server: Server, args: Details) -> object:
    return server.ask("ping")["result"]


def _append(world: World, server: Server, args: Details) -> object:
    return server.changed("append", args.text("note"), text=args.text("text"))


def _create(world: World, server: Server, args: Details) -> object:
    path = f"{args.text('folder')}/{args.text('title')}"
    return server.call("note_manage", action="create", note=path, text=args.text("text"))


def _move(world: World, server: Server, args: Details) -> object:
    return server.changed("rename", args.text("note"), to=args.text("to"))


def _section(action: str) -> Callable[[World, Server, Details], object]:
    def change(world: World, server: Server, args: Details) -> object:
        return server.changed(
            action, args.text("note"), section=args.text("section"), text=args.text("text")
        )

    return change


INTENTS: Final[Mapping[str, Callable[[World, Server, Details], object]]] = {
    "list tools": _list_tools,
    "search": _search,
    "next page": _next_page,
    "read note": _read,
    "read the next part": _read_on,
    "index the vault": _unknown("index_vault"),
    "an unknown tool name": _unknown("telepathy"),
    "ping": _ping,
    "append to note": _append,
    "create note": _create,
    "move note": _move,
    "replace section": _section("replace_section"),
    "append inside section": _section("append"),
}
"""What agents of cases intend."""


def _manage(action: str, **more: object) -> Callable[[Server, str], str]:
    return lambda server, path: server.call(
        "note_manage", action=action, note=path, hash=ANY_HASH, **more
    )


def _none_of(answer: str) -> str:
    """Raises AgentRefused for an answer without a note: the path was taken for a folder of the vault, and is none."""
    if paths_in(answer):
        return answer
    raise AgentRefused(answer.splitlines()[0])


def _inside(server: Server) -> str:
    return said(server.call("memory_get", note="in/a.md"), "hash")


EACH: Final[Mapping[str, Callable[[Server, str], str]]] = {
    "read note": lambda server, path: server.call("memory_get", note=path),
    "create note": lambda server, path: server.call("note_manage", action="create", note=path),
    "edit note": _manage("append", text="stray"),
    "move note (source)": _manage("rename", to="stray"),
    "move note (target)": lambda server, path: server.call(
        "note_manage", action="rename", note="in/a.md", to=path, hash=_inside(server)
    ),
    "archive note": _manage("archive"),
    "delete note": _manage("delete"),
    "list folder": lambda server, path: _none_of(
        server.call("memory_search", query="outside", folder=path or "..")
    ),
}
"""The same with a path that leads elsewhere."""
