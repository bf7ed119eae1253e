"""The two ends of the pipe to a client: lines in, lines out, and an answer to those that are no messages.

The protocol's library drops what it cannot read; a client that waits for an answer would wait for ever.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import BinaryIO, Final, NamedTuple

LONGEST_LINE: Final = 1_000_000
"""Bytes of one message."""

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600

_HEAD: Final = 400
_ID: Final = re.compile(rb'"id"\s*:\s*(-?\d{1,18}|"(?:[^"\\]|\\.){0,80}")')
_LAST_ID: Final = re.compile(
    rb"[}\]]\s*,\s*" + _ID.pattern + rb'\s*(?:,\s*"jsonrpc"\s*:\s*"2.0"\s*)?\}\s*\Z'
)


class Ends(NamedTuple):
    """The private ends of standard input and output."""

    read: BinaryIO
    write: Sender


class Sender:
    """Whole lines to the client, from any thread. A client that has gone is no error."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._lock = threading.Lock()
        self._gone = False

    def write(self, text: str) -> int:
        """Sends the text."""
        data = memoryview(text.encode("utf-8", "replace"))
        with self._lock:
            while data and not self._gone:
                try:
                    data = data[os.write(self._descriptor, data) :]
                except OSError:
                    self._gone = True
        return len(text)

    def flush(self) -> None:
        """Nothing: what is written is sent."""


class Receiver:
    """The messages of the client. What is none is answered here, with the id that it has where that can be read."""

    def __init__(
        self, stream: BinaryIO, sender: Sender, is_read: Callable[[str], bool] = lambda _: True
    ) -> None:
        """``is_read`` says whether the protocol's library can read a message: it has limits of its own."""
        self._stream = stream
        self._sender = sender
        self._is_read = is_read

    def readline(self) -> str:
        """The next message, a line; "" when the client has closed its end."""
        while True:
            line = self._stream.readline(LONGEST_LINE + 1)
            if not line:
                return ""
            if len(line) > LONGEST_LINE and not line.endswith(b"\n"):
                end = self._rest_of_line()
                self._refuse(_id_in(line, end), INVALID_REQUEST, TOO_LONG)
                continue
            text = line.decode("utf-8", "replace")
            if self._is_message(text):
                return text

    def _rest_of_line(self) -> bytes:
        """The end of a line whose rest is skipped."""
        end = b""
        while part := self._stream.readline(LONGEST_LINE):
            end = (end + part)[-_HEAD:]
            if part.endswith(b"\n"):
                break
        return end

    def _is_message(self, line: str) -> bool:
        if not line.strip():
            return False
        try:
            held = json.loads(line)
        except RecursionError:
            data = line.encode("utf-8", "replace")
            known = _id_in(data, data[-_HEAD:])
            self._refuse(known, PARSE_ERROR if known is None else INVALID_REQUEST, UNREADABLE)
            return False
        except ValueError:
            self._refuse(None, PARSE_ERROR, "The line is not valid JSON.")
            return False
        if not isinstance(held, dict):
            self._refuse(None, INVALID_REQUEST, "A message is one JSON object on a line.")
            return False
        fault = _fault(held) or ("" if self._is_read(line) else UNREADABLE)
        if fault:
            asked = held.get("id")
            known = asked if isinstance(asked, str | int) and not isinstance(asked, bool) else None
            if known is not None or "method" in held:
                self._refuse(known, INVALID_REQUEST, fault)
            return False
        return True

    def _refuse(self, asked: str | int | None, code: int, message: str) -> None:
        error = {"code": code, "message": message}
        self._sender.write(json.dumps({"jsonrpc": "2.0", "id": asked, "error": error}) + "\n")


TOO_LONG: Final = (
    f"The message is longer than {LONGEST_LINE:,} bytes and was not read. "
    "Send less at once, for instance a long text in several appends."
)


UNREADABLE: Final = (
    "The message cannot be read. It is nested too deeply, or holds half a character (a lone surrogate) or a number "
    "without end."
)


def _fault(held: dict[str, object]) -> str:
    """Why the object is no message; "" when it is one."""
    if held.get("jsonrpc") != "2.0":
        return 'The message lacks "jsonrpc": "2.0".'
    if "method" in held:
        if not isinstance(held["method"], str):
            return "The method has to be a text."
        if not isinstance(held.get("params", {}), dict):
            return "The params have to be an object."
        if "id" in held and (isinstance(held["id"], bool) or not isinstance(held["id"], str | int)):
            return "The id has to be a text or a whole number."
        return ""
    return "" if "result" in held or "error" in held else "The message has no method."


def _id_in(line: bytes, end: bytes) -> str | int | None:
    """The id of a message that cannot be read, when it stands before or behind all else; ``end`` is its end."""
    head = line[:_HEAD].split(b'"params"')[0]
    found = _ID.search(head) or _LAST_ID.search(end)
    value = json.loads(found[1]) if found else None
    return value if isinstance(value, str | int) else None


def claim() -> Ends:
    """Takes standard input and output for the protocol alone: whatever this process or a child of it prints from now
    on goes to standard error, and a child that reads finds nothing."""
    read, write = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    try:
        os.dup2(2, 1)
    except OSError:  # there is no standard error
        os.dup2(nothing, 1)
    os.close(nothing)
    if sys.platform == "win32":
        import msvcrt

        for descriptor in (read, write):
            msvcrt.setmode(descriptor, os.O_BINARY)
    return Ends(os.fdopen(read, "rb"), Sender(write))


class Lines:
    """The messages of a receiver, for a program that must not wait: each is read by a thread."""

    def __init__(self, receiver: Receiver) -> None:
        self._receiver = receiver
        self._lane = ThreadPoolExecutor(1, thread_name_prefix="receiving")

    def __aiter__(self) -> Lines:
        return self

    async def __anext__(self) -> str:
        loop = asyncio.get_running_loop()
        line = await loop.run_in_executor(self._lane, self._receiver.readline)
        if not line:
            raise StopAsyncIteration
        return line


class Out:
    """A sender, for a program that must not wait while the client is slow to read."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender
        self._lane = ThreadPoolExecutor(1, thread_name_prefix="sending")

    async def write(self, text: str) -> int:
        """Sends the text."""
        return await asyncio.get_running_loop().run_in_executor(
            self._lane, self._sender.write, text
        )

    async def flush(self) -> None:
        """Nothing: what is written is sent."""
