"""``vaultmem watch`` as a process: its lines, its end, its second, and a queue of the system that overflows."""

from __future__ import annotations

import json
import os
import re
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from tests.cli.command import arguments, environment, spawn
from tests.daemon.process import Process
from tests.vaults import vault_at, verified, write
from vaultmem.files.vouch import ADDRESS_NAME

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals as Unix has them")


@contextmanager
def watch(root: Path, home: Path, *words: str) -> Iterator[Process]:
    """The command until the block ends."""
    command = arguments("watch", "--vault", str(root), *words)
    process = Process(command, environment(home, VAULTMEM_EMBEDDER="none"))
    try:
        process.line("atching")
        yield process
    finally:
        if process.process.returncode is None:
            process.process.send_signal(signal.SIGCONT)
            process.end(signal.SIGTERM)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_its_lines_and_its_end(root: Path, tmp_path: Path, number: int) -> None:
    with watch(root, tmp_path) as process:
        write(root, {"Pump.md": "The word is capstan.\n"})
        line = process.line("indexed")
        assert line.startswith("1 note changed, indexed in ")
        assert line.endswith((" ms", " s"))
        assert process.end(number) == 0
        assert process.line("Stopped") == "Stopped watching."
    assert sorted(place.name for place in (root / ".vaultmem").glob("watch*")) == ["watch.lock"]


def test_its_lines_in_json(root: Path, tmp_path: Path) -> None:
    schema = json.loads(
        (files("vaultmem_schemas") / "json" / "watch.schema.json").read_text("utf-8")
    )
    with watch(root, tmp_path, "--json") as process:
        write(root, {"New.md": "The word is capstan.\n"})
        answer = json.loads(process.line("New.md"))
    Draft202012Validator(schema).validate(answer)
    assert (answer["schema"], answer["did"], answer["added"]) == (
        "vaultmem/watch/1",
        "changed",
        ["New.md"],
    )


def test_a_second_watcher_is_told_and_searches_go_on(root: Path, tmp_path: Path) -> None:
    environ = environment(tmp_path, VAULTMEM_EMBEDDER="none")
    with watch(root, tmp_path):
        second = spawn("watch", "--vault", str(root), environ=environ)
        assert second.code == 4
        assert "is watched already by vaultmem watch (process " in second.err
        write(root, {"Pump.md": "The word is capstan.\n"})
        for _ in range(
            20
        ):  # on a busy machine a search does not wait until the watcher finds time to answer
            search = spawn("search", "--vault", str(root), "capstan", environ=environ)
            assert (search.code, "Pump" in search.out, "index fresh" in search.err) == (
                0,
                True,
                True,
            )
            if "index fresh, watched" in search.err:
                return
        raise AssertionError(search.err)


def test_a_killed_watcher_leaves_nothing_that_hinders(root: Path, tmp_path: Path) -> None:
    environ = environment(tmp_path, VAULTMEM_EMBEDDER="none")
    address = root / ".vaultmem" / ADDRESS_NAME
    with watch(root, tmp_path) as process:
        left = Path(address.read_text("utf-8").strip())
        assert process.end(signal.SIGKILL) == -signal.SIGKILL
    assert left.is_socket()
    (root / ".vaultmem" / "watch-cookie-1-1.lock").touch()
    write(root, {"Pump.md": "The word is capstan.\n"})
    search = spawn("search", "--vault", str(root), "capstan", environ=environ)
    assert (search.code, "1 edit taken in" in search.err) == (0, True)
    with watch(root, tmp_path) as process:
        assert not left.parent.exists()
        assert process.end(signal.SIGINT) == 0
    assert sorted(place.name for place in (root / ".vaultmem").glob("watch*")) == ["watch.lock"]


def test_a_queue_that_overflows_is_made_good(root: Path, tmp_path: Path) -> None:
    try:
        length = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text("ascii"))
    except OSError:
        pytest.skip("not the queue of Linux")
    if length > 200_000:
        pytest.skip("too long a queue to fill")
    (root / ".noise").mkdir()
    with watch(root, tmp_path) as process:
        process.process.send_signal(signal.SIGSTOP)
        os.waitpid(process.process.pid, os.WUNTRACED)  # until it stands still
        noise = [os.open(root / ".noise" / name, os.O_WRONLY | os.O_CREAT) for name in "ab"]
        # Two files in turn, or the system would take equal events together.
        for turn in range(length + 1000):
            os.write(noise[turn % 2], b"!")
        write(root, {"Lost/Deep.md": "The word is capstan.\n"})
        (root / "Log" / "Bilge.md").unlink()
        process.process.send_signal(signal.SIGCONT)
        # The system's queue or, on a slow machine, first the one behind it: either may have lost something.
        assert re.search("overflowed|so many came at once", process.line("warning: File events"))
        process.line("1 removed")
        write(root, {"Lost/Deep.md": "The word is windlass.\n"})
        process.line("1 note changed")
        assert process.end(signal.SIGINT) == 0
        for each in noise:
            os.close(each)
    with vault_at(root) as vault:
        verified(vault)
