"""The pipe itself: nothing but the protocol on standard output, an answer to what is no message, and clients that
leave."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from time import monotonic

import pytest

from tests.mcp.client import make_vault, server_command
from tests.mcp.pipe import Pipe
from vaultmem.files.journal import Journal


@pytest.fixture
def pipe(tmp_path: Path) -> Iterator[Pipe]:
    root = make_vault(
        tmp_path / "vault", {"a.md": "The fuel key.\n", "bad.md": "---\n: : :\n---\ny\n"}
    )
    made = Pipe(root, LOG_LEVEL="DEBUG", PYTHONWARNINGS="always")
    yield made
    if made.process.poll() is None:
        made.process.kill()
        made.process.communicate()


def test_every_line_is_a_message_with_warnings_on_and_from_the_first_start(pipe: Pipe) -> None:
    pipe.greet()
    pipe.send({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
    pipe.call(2, "memory_search", query="fuel")
    pipe.call(3, "telepathy")
    answers = {answer["id"]: answer for answer in (pipe.answer() for _ in range(3))}
    assert len(answers[1]["result"]["tools"]) >= 4
    assert "a.md" in answers[2]["result"]["content"][0]["text"]
    assert answers[3]["error"]["message"].startswith("There is no tool 'telepathy'. Tools: memory")
    out, _ = pipe.end()
    assert out == b""


def test_what_is_no_message_is_answered_and_the_server_goes_on(pipe: Pipe) -> None:
    pipe.greet()
    call = '{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"memory_search"%s}}'
    pipe.send(
        '{"jsonrpc":"2.0", "method": "test", "params": ',
        "",
        "[]",
        "42",
        '{"id":99,"method":"tools/list"}',
        call % (5, ',"arguments":"not an object"'),
        call % (6, ""),
        '{"jsonrpc":"2.0","id":7,"method":"ping"}',
        "[" * 100_000,
        '{"jsonrpc":"2.0","id":8,"method":"ping"}',
    )
    answers = [pipe.answer() for _ in range(9)]
    by_id = {answer["id"]: answer for answer in answers if answer["id"] is not None}
    assert sorted(by_id) == [5, 6, 7, 8, 99]
    assert "jsonrpc" in by_id[99]["error"]["message"]
    assert "error" in by_id[5]
    assert "'query' is missing" in by_id[6]["result"]["content"][0]["text"]
    assert by_id[6]["result"]["isError"] is True
    assert by_id[8]["result"] == {}
    nameless = [answer["error"]["code"] for answer in answers if answer["id"] is None]
    assert sorted(nameless) == [-32700, -32700, -32600, -32600]


DEEP = '{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"memory_search","arguments":{"query":%s}}}'


@pytest.mark.parametrize(
    "query",
    [
        r'"\ud800"',
        r'"a \udfff b"',
        *("[" * deep + "]" * deep for deep in (100, 190, 250, 900, 100_000)),
        *('{"a":' * deep + "1" + "}" * deep for deep in (100, 190, 250, 900)),
        "1e999",
        "NaN",
        "9" * 400,
    ],
)
def test_every_request_with_an_id_is_answered_however_odd(pipe: Pipe, query: str) -> None:
    pipe.greet()
    pipe.send(DEEP % (7, query))
    answer = pipe.answer()
    assert answer["id"] == 7
    assert "error" in answer or "result" in answer
    last = '{"jsonrpc":"2.0","method":"tools/call","params":{"x":%s},"id":8}'
    pipe.send(last % query)
    assert pipe.answer()["id"] == 8
    pipe.send('{"jsonrpc":"2.0","id":"\\ud800","method":"ping"}')
    assert pipe.answer()["id"] == "\ud800"
    pipe.send('{"jsonrpc":"2.0","id":9,"method":"ping"}')
    assert pipe.answer() == {"jsonrpc": "2.0", "id": 9, "result": {}}
    pipe.end()


def test_the_id_of_a_message_that_is_too_long_is_found_at_its_end_too(pipe: Pipe) -> None:
    pipe.greet()
    text = "x" * 3_000_000
    long = '{"jsonrpc":"2.0","method":"ping","params":{"x":"' + text
    pipe.send(long + '"},"id":"last"}')
    assert pipe.answer()["id"] == "last"
    pipe.send(long + '","id":5}}')
    assert pipe.answer()["id"] is None
    pipe.end()


def test_five_megabytes_are_refused_in_one_line(pipe: Pipe) -> None:
    pipe.greet()
    pipe.call(1, "note_manage", action="create", note="big", text="x" * 5_000_000)
    answer = pipe.answer()
    assert answer["id"] == 1
    assert answer["error"]["message"].startswith("The message is longer than 1,000,000 bytes")
    pipe.call(2, "note_manage", action="create", note="big", text="x" * 600_000)
    assert "has 600,000 characters" in pipe.answer()["result"]["content"][0]["text"]
    pipe.end()


def test_a_client_that_leaves_in_the_middle_is_no_error(pipe: Pipe, tmp_path: Path) -> None:
    pipe.greet()
    for number in range(20):
        pipe.call(number, "memory_search", query="fuel")
    pipe.call(21, "note_manage", action="create", note="last", text="word")
    assert pipe.process.stdout is not None
    pipe.process.stdout.close()
    assert pipe.process.stdin is not None
    pipe.process.stdin.close()
    pipe.process.wait(timeout=30)
    assert pipe.process.returncode == 0
    assert pipe.process.stderr is not None
    assert b"Traceback" not in pipe.process.stderr.read()
    pipe.process.stderr.close()
    events = list(Journal(tmp_path / "vault").read())
    assert (tmp_path / "vault/last.md").exists() == bool(events)


def test_a_call_that_was_cancelled_is_not_answered_and_others_are(pipe: Pipe) -> None:
    pipe.greet()
    for number in range(1, 6):
        pipe.call(number, "memory_search", query="fuel")
        cancel = {"requestId": number, "reason": "test"}
        pipe.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancel})
    pipe.send({"jsonrpc": "2.0", "id": 9, "method": "ping"})
    seen: list[int] = []
    while not seen or seen[-1] != 9:
        seen.append(pipe.answer()["id"])
    pipe.call(10, "memory_search", query="fuel")
    while seen[-1] != 10:
        seen.append(pipe.answer()["id"])
    pipe.end()


def test_the_handshake_waits_for_no_build_and_a_query_says_how_far_it_is(tmp_path: Path) -> None:
    root = make_vault(
        tmp_path / "vault",
        {f"n/{number}.md": "word " * 400 + f"{number}\n" for number in range(6000)},
    )
    pipe = Pipe(root, VAULTMEM_EMBEDDER="static")
    began = monotonic()
    pipe.greet()
    assert monotonic() - began < 5
    pipe.call(1, "memory_search", query="word")
    text = pipe.answer()["result"]["content"][0]["text"]
    assert "of 6,000 notes read" in text or "Notes 1 to 8" in text
    pipe.process.kill()
    pipe.process.communicate()


def test_a_wrong_vault_is_told_at_once(tmp_path: Path) -> None:
    given = server_command(tmp_path / "vault")
    (tmp_path / "vault-home").mkdir(exist_ok=True)
    done = subprocess.run(
        [given.command, *given.args],
        env=given.env,
        cwd=given.cwd,
        capture_output=True,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    assert (done.returncode, done.stdout) == (3, b"")
    assert b"does not exist" in done.stderr


def test_what_ends_a_line_of_standard_output_is_the_protocols_alone(tmp_path: Path) -> None:
    script = (
        "import os, sys\n"
        "from vaultmem.server.mcp.wire import claim\n"
        "ends = claim()\n"
        "print('stray'); os.write(1, b'raw\\n'); os.system('echo child')\n"
        "sys.stdout.flush()\n"
        "ends.write.write('message\\n')\n"
    )
    given = server_command(tmp_path / "vault")
    done = subprocess.run(
        [given.command, "-c", script],
        env={**os.environ, **(given.env or {})},
        capture_output=True,
        check=True,
    )
    assert done.stdout == b"message\n"
    assert sorted(done.stderr.split()) == [b"child", b"raw", b"stray"]
