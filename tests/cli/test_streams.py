"""Manners on the streams: pipes, terminals, encodings, a reader that leaves, Ctrl-C."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import pytest

from tests.cli.command import arguments, run, spawn

ESCAPE = "\x1b["


def _on_terminal(words: list[str], environ: Mapping[str, str]) -> str:
    """What the command prints when both its streams are one terminal."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        arguments(*words), env=environ, stdin=theirs, stdout=theirs, stderr=theirs
    ) as process:
        os.close(theirs)
        printed = _read_all(ours)
        process.wait(60)
    os.close(ours)
    return printed.decode("utf-8").replace("\r\n", "\n")


def _read_all(terminal: int) -> bytes:
    parts = []
    with suppress(OSError):  # Linux says so when the other side has closed
        while part := os.read(terminal, 65536):
            parts.append(part)
    return b"".join(parts)


def test_a_terminal_gets_colour_and_a_pipe_gets_none(vault: Path, user: Mapping[str, str]) -> None:
    words = ["search", "harbour", "--lane", "keyword", "--vault", str(vault)]
    on_terminal = _on_terminal(words, user)
    assert f"{ESCAPE}1mHarbour{ESCAPE}0m" in on_terminal
    piped = spawn(*words, environ=user)
    assert piped.out.startswith("1  Harbour  Harbour.md:1  keyword 1\n")
    assert ESCAPE not in piped.out + piped.err


@pytest.mark.parametrize("change", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_colour_can_be_switched_off(
    vault: Path, user: Mapping[str, str], change: Mapping[str, str]
) -> None:
    printed = _on_terminal(["status", "--vault", str(vault)], {**user, **change})
    assert "notes" in printed
    assert f"{ESCAPE}1m" not in printed


def test_results_go_to_stdout_and_all_else_to_stderr(indexed: Path) -> None:
    ran = run("search", "harbour", "--lane", "keyword", "--limit", "1", "--vault", str(indexed))
    assert ran.out.splitlines()[0] == "1  Harbour  Harbour.md:1  keyword 1"
    assert "index fresh" not in ran.out
    assert re.fullmatch(r"1 note · keyword · index fresh[^\n]* · [\d.]+ m?s\n", ran.err)


def test_progress_is_shown_on_a_terminal_only(vault: Path, user: Mapping[str, str]) -> None:
    words = ["rebuild", "--no-vectors", "--vault", str(vault)]
    assert "reading 2/2" in _on_terminal(words, user)
    assert spawn(*words, environ=user).err == ""


def test_the_first_build_is_seen_whatever_command_causes_it(
    vault: Path, user: Mapping[str, str]
) -> None:
    printed = _on_terminal(["links", "Ferry", "--vault", str(vault)], user)
    assert "reading 2/2" in printed
    assert "note: There was no index; it was built.\n" in printed


@pytest.mark.parametrize("option", ["--raw", "--text"])
def test_a_reader_that_leaves_is_no_error(
    vault: Path, user: Mapping[str, str], option: str
) -> None:
    (vault / "Long.md").write_text("a line of some length\n" * 20_000, encoding="utf-8")
    words = arguments("show", "Long", option, "--vault", str(vault))
    with subprocess.Popen(
        words, env=user, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.read(6) == b"a line"
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize(
    "words",
    [["config"], ["config", "--json"], ["show", "Ferry", "--raw"], ["--help"], ["--version"]],
)
def test_a_full_disk_under_stdout_is_named(
    indexed: Path, user: Mapping[str, str], words: list[str]
) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            arguments(*words),
            env={**user, "VAULTMEM_VAULT": str(indexed)},
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert done.stderr.decode("utf-8") == "error: stdout: No space left on device.\n"
    assert done.returncode == 1


def test_ctrl_c_is_one_line_and_leaves_the_old_index(vault: Path, user: Mapping[str, str]) -> None:
    assert run("rebuild", "--no-vectors", "--vault", str(vault)).code == 0
    for number in range(4_000):
        (vault / f"{number}.md").write_text(f"Note {number} of many.\n" * 40, encoding="utf-8")
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        arguments("rebuild", "--no-vectors", "--vault", str(vault)),
        env=user,
        stdout=subprocess.DEVNULL,
        stderr=theirs,
        start_new_session=True,
    ) as process:
        os.close(theirs)
        assert b"reading" in os.read(ours, 4096)
        os.killpg(process.pid, signal.SIGINT)
        printed = _read_all(ours).decode("utf-8")
        assert process.wait(60) == 130
    os.close(ours)
    assert printed.rsplit(f"{ESCAPE}2K", 1)[1] == "Interrupted.\r\n"
    found = run("search", "ferry", "--lane", "keyword", "--no-sync", "--vault", str(vault))
    assert found.code == 0
    assert sorted(path.name for path in (vault / ".vaultmem").glob("memory.db.build-*")) == []


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_an_encoding_without_our_characters_is_no_error(
    indexed: Path, user: Mapping[str, str], encoding: str
) -> None:
    (indexed / "潮.md").write_text("# 潮\n\n[[Lost note]] → 潮間\n", encoding="utf-8")
    environ = {**user, "PYTHONIOENCODING": encoding}
    shown = subprocess.run(
        arguments("links", "潮", "--vault", str(indexed)),
        env=environ,
        capture_output=True,
        check=True,
    )
    assert shown.stdout == b"3  [[Lost note]]  x no such file\n"
    assert shown.stderr == b"\\u6f6e.md: 1 link, 1 broken\n"
    as_json = subprocess.run(
        arguments("links", "潮", "--json", "--vault", str(indexed)),
        env=environ,
        capture_output=True,
        check=True,
    )
    assert b'"path": "\\u6f6e.md"' in as_json.stdout


def test_raw_is_the_file_byte_for_byte(vault: Path, user: Mapping[str, str]) -> None:
    content = "\ufeff---\r\na: 1\r\n---\r\nmixed\nline\rendings, no last one 潮".encode()
    (vault / "Raw.md").write_bytes(content)
    done = subprocess.run(
        arguments("show", "Raw", "--raw", "--vault", str(vault)),
        env={**user, "PYTHONIOENCODING": "latin-1"},
        capture_output=True,
        check=True,
    )
    assert done.stdout == content


def test_a_note_cannot_steer_the_terminal(vault: Path) -> None:
    (vault / "Sly.md").write_text("before \x1b[31mred\x07 after\n", encoding="utf-8")
    shown = run("show", "Sly", "--vault", str(vault))
    assert "before \ufffd[31mred\ufffd after" in shown.out
    assert "\x1b" not in shown.out


def test_version_needs_no_typer(user: Mapping[str, str]) -> None:
    program = "import sys; from vaultmem_cli.main import main; main(['--version']); print('typer' in sys.modules)"
    done = subprocess.run(
        [arguments()[0], "-c", program], env=user, capture_output=True, text=True, check=True
    )
    assert re.fullmatch(r"vaultmem \d+\.\d+\.\d+\nFalse\n", done.stdout)
