"""Agents over HTTP on this machine: with the token, and from nowhere else."""

from __future__ import annotations

import asyncio
import re
import socket
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from tests.mcp.client import make_vault, paths_in, played, said
from tests.mcp.pipe import HELLO
from tests.mcp.served import TOKEN, Served
from vaultmem.errors import UsageError
from vaultmem.server.mcp.app import make_server
from vaultmem.server.mcp.calls import Calls
from vaultmem.server.mcp.desk import Desk
from vaultmem.server.mcp.http import IDLE_S, MOST_SESSIONS, door, listen, make_app


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with Served(make_vault(tmp_path / "vault", {"Heron.md": "The fuel key.\n"})) as server:
        yield server


def test_an_agent_with_the_token_searches_reads_and_writes(served: Served) -> None:
    async def scene() -> None:
        async with served.agent() as one:
            tools = await one.client.list_tools()
            assert "note_manage" in {tool.name for tool in tools.tools}
            assert paths_in(await one.call("memory_search", query="fuel")) == ["Heron.md"]
            digest = await one.hash_of("Heron")
            done = await one.call(
                "note_manage", action="append", note="Heron", text="Found.", hash=digest
            )
            assert said(done, "path") == "Heron.md"

    played(scene)
    assert (served.root / "Heron.md").read_text() == "The fuel key.\n\nFound.\n"
    assert served.end() == ""


def test_others_are_turned_away(served: Served) -> None:
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    good = {
        "Authorization": f"Bearer {TOKEN}",
        "Accept": "application/json, text/event-stream",
        "Content-Type": "application/json",
    }
    cases: list[tuple[dict[str, str], int]] = [
        ({**good, "Authorization": ""}, 401),
        ({**good, "Authorization": "Bearer wrong"}, 401),
        ({**good, "Authorization": TOKEN}, 401),
        ({**good, "Origin": "https://evil.example"}, 403),
        ({**good, "Origin": "http://127.0.0.1.evil.example:80"}, 403),
        ({**good, "Host": "evil.example"}, 421),
        ({**good, "Host": "127.0.0.1:1"}, 421),
        ({**good, "Host": "127.0.0.1"}, 421),
        ({**good, "Origin": "http://127.0.0.1:1"}, 403),
        ({**good, "Origin": "http://localhost"}, 403),
    ]
    with httpx2.Client(timeout=20) as http:
        for headers, status in cases:
            answer = http.post(served.url, json=ping, headers=headers)
            assert answer.status_code == status, headers
            assert "Heron" not in answer.text
        large = http.post(served.url, content=b'{"x": "' + b"y" * 5_000_000 + b'"}', headers=good)
        assert (large.status_code, large.text) == (413, "Request body too large")


def test_a_page_of_the_same_place_is_let_in(served: Served) -> None:
    place = served.url.removesuffix("/mcp")
    headers = {"Authorization": f"Bearer {TOKEN}", **ACCEPTS, "Origin": place}
    with httpx2.Client(timeout=20) as http:
        assert http.post(served.url, json=HELLO, headers=headers).status_code == 200


ACCEPTS = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}


def test_sessions_are_bounded_and_end_when_nothing_is_asked() -> None:
    def never() -> object:
        raise AssertionError

    async def scene() -> None:
        desk = Desk(never)  # type: ignore[arg-type]
        calls = Calls(desk, mark=lambda: "word", read_only=False, private={})
        server = make_server(calls, desk)
        server.middleware = []  # nothing is got ready
        app = make_app(server, 8765, idle_s=0.3, most_sessions=2)
        transport = httpx2.ASGITransport(app=app)
        async with (
            server.session_manager.run(),
            httpx2.AsyncClient(transport=transport, headers=ACCEPTS) as http,
        ):

            async def post(message: object, session: str = "") -> httpx2.Response:
                headers = {"Mcp-Session-Id": session} if session else {}
                return await http.post("http://127.0.0.1:8765/mcp", json=message, headers=headers)

            first, second, third = [await post(HELLO) for _ in range(3)]
            assert [each.status_code for each in (first, second, third)] == [200, 200, 503]
            known = first.headers["mcp-session-id"]
            ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
            assert (await post(ping, known)).status_code == 200
            async with asyncio.timeout(20):
                while (await post(HELLO)).status_code != 200:
                    await asyncio.sleep(0.05)
            assert (await post(ping, second.headers["mcp-session-id"])).status_code == 404

    played(scene)


def test_eight_agents_at_once_lose_nothing(served: Served) -> None:
    async def one_of(number: int) -> None:
        async with served.agent(name=f"agent {number}") as one:
            for turn in range(5):
                await one.call("memory_search", query="fuel")
                while True:  # as an agent does whose reading is out of date
                    digest = await one.hash_of("Heron")
                    is_error, text = await one.tried(
                        "note_manage",
                        action="append",
                        note="Heron",
                        text=f"line {number}-{turn}",
                        hash=digest,
                    )
                    if not is_error:
                        break
                    assert "has changed since it was read" in text

    async def scene() -> None:
        await asyncio.gather(*map(one_of, range(8)))

    played(scene)
    text = (served.root / "Heron.md").read_text()
    assert sorted(re.findall(r"line \S+", text)) == sorted(
        f"line {number}-{turn}" for number in range(8) for turn in range(5)
    )


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.2", "::", "example.org", ""])
def test_only_this_machine_is_listened_on(host: str) -> None:
    with pytest.raises(UsageError):
        door(host, 0, TOKEN)


def test_a_token_is_long_or_made() -> None:
    with pytest.raises(UsageError):
        door("127.0.0.1", 0, "short")
    assert len(door("127.0.0.1", 0, "").token) >= 32


def test_how_long_sessions_last_and_how_many_there_are() -> None:
    assert (IDLE_S, MOST_SESSIONS) == (1800.0, 100)


def test_answers_are_sent_without_delay() -> None:
    async def scene() -> None:
        seen: list[int] = []

        def arrived(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            connected = writer.get_extra_info("socket")
            seen.append(connected.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()

        with listen(door("127.0.0.1", 0, TOKEN)) as listening:
            async with await asyncio.start_server(arrived, sock=listening):
                reader, writer = await asyncio.open_connection(*listening.getsockname())
                await reader.read()
                writer.close()
        assert [bool(each) for each in seen] == [True]

    played(scene)
