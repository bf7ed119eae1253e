"""The service's files hold any vault's path, and nothing is started, written or removed unseen."""

from __future__ import annotations

import plistlib
import subprocess
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from tests.cli.command import as_user, environment, run
from vaultmem.dream.window import Window
from vaultmem.errors import FailedError, NotFoundError, RefusedError
from vaultmem_daemon import installing
from vaultmem_daemon.units import Machine, Service, cron_line, service, service_name

ODD = Path("/home/me/50% \"done\" $HOME 'x' & <b> \\ é")
COMMAND = ["/opt/my tools/vaultmem", "daemon", "run", "--vault", str(ODD)]


def made(platform: str, home: Path = Path("/home/me"), **environ: str) -> Service:
    return service(Machine(platform, home, environ, 501), COMMAND, ODD)


def test_a_systemd_unit() -> None:
    unit = made("linux")
    lines = unit.shown.splitlines()
    assert unit.content.decode() == unit.shown
    assert str(unit.file).startswith("/home/me/.config/systemd/user/vaultmem-50-done-HOME-x-b-")
    assert "Description=vaultmem daemon for " + str(ODD).replace("%", "%%") in lines
    assert (
        'ExecStart="/opt/my tools/vaultmem" "daemon" "run" "--vault" '
        '"/home/me/50%% \\"done\\" $$HOME \'x\' & <b> \\\\ é"'
    ) in lines
    for line in ("Type=notify", "WatchdogSec=180", "Restart=on-failure", "Nice=10"):
        assert line in lines
    assert str(made("linux", XDG_CONFIG_HOME="/etc/me").file).startswith("/etc/me/systemd/user/")
    assert made("linux", XDG_CONFIG_HOME="not/absolute").file == unit.file


def test_a_launchd_agent() -> None:
    agent = made("darwin")
    held = plistlib.loads(agent.content)
    assert held["ProgramArguments"] == COMMAND
    assert held["KeepAlive"] == {"SuccessfulExit": False}
    assert agent.file.parent == Path("/home/me/Library/LaunchAgents")
    assert agent.start == (("launchctl", "bootstrap", "gui/501", str(agent.file)),)


def test_a_windows_task() -> None:
    task = made("win32", LOCALAPPDATA="/data")
    tree = ElementTree.fromstring(task.content.decode("utf-16"))
    space = "{http://schemas.microsoft.com/windows/2004/02/mit/task}"
    assert tree.findtext(f".//{space}Command") == COMMAND[0]
    assert tree.findtext(f".//{space}Arguments") == subprocess.list2cmdline(COMMAND[1:])
    assert task.content[:2] in (b"\xff\xfe", b"\xfe\xff")


def test_a_line_for_cron_has_no_bare_percent() -> None:
    line = cron_line(COMMAND, Window.parse("23:05-02:00"))
    assert line.startswith("5 23 * * * '/opt/my tools/vaultmem' daemon run --vault ")
    assert "%" not in line.replace("\\%", "")
    assert cron_line(["x"], Window()) == "0 3 * * * x"


@pytest.mark.parametrize("platform", ["linux", "darwin", "win32"])
@pytest.mark.parametrize("path", ["/home/me/a\nb", "/home/me/\udcff", "/home/me/a\x01"])
def test_a_path_that_no_file_can_hold_is_refused(platform: str, path: str) -> None:
    with pytest.raises(RefusedError):
        service(Machine(platform, Path("/home/me"), {}), [*COMMAND[:-1], path], Path(path))


def test_two_vaults_of_one_name_have_two_services() -> None:
    names = {service_name(Path(path)) for path in ("/a/Notes", "/b/Notes", "/日本/ノート")}
    assert len(names) == 3
    assert all(name.isascii() for name in names)


def test_without_the_systems_tool_nothing_is_changed(tmp_path: Path) -> None:
    unit = made("linux", tmp_path)
    with pytest.raises(FailedError, match="systemctl is not there") as caught:
        installing.install(ODD, unit, dry_run=False, which=lambda _: None, say=pytest.fail)
    assert "vaultmem daemon run" in caught.value.hint
    assert not unit.file.exists()


def tool(folder: Path, code: int) -> list[tuple[str, ...]]:
    """A program in the place of the system's, which notes how it was called."""
    script = folder / "tool"
    script.write_text(f'#!/bin/sh\necho "$@" >> {folder}/calls\necho no bus >&2\nexit {code}\n')
    script.chmod(0o755)
    return [(str(script), "one"), (str(script), "two")]


def replaced(unit: Service, commands: list[tuple[str, ...]]) -> Service:
    from dataclasses import replace

    return replace(unit, start=tuple(commands), stop=(commands[0],), after_removal=(commands[1],))


def test_it_says_what_it_does_and_does_it(tmp_path: Path) -> None:
    said: list[str] = []
    unit = replaced(made("linux", tmp_path), tool(tmp_path, 0))
    answer = installing.install(ODD, unit, dry_run=False, which=lambda _: "x", say=said.append)
    assert unit.file.read_bytes() == unit.content
    assert (tmp_path / "calls").read_text() == "one\ntwo\n"
    assert [line.partition(" ")[0] for line in said] == ["Wrote", "Running:", "Running:"]
    assert (answer.dry_run, answer.file) == (False, str(unit.file))
    installing.uninstall(ODD, unit, dry_run=False, which=lambda _: "x", say=said.append)
    assert not unit.file.exists()
    with pytest.raises(NotFoundError):
        installing.uninstall(ODD, unit, dry_run=False, which=lambda _: "x", say=said.append)


def test_a_refusal_of_the_system_is_told_with_what_to_do(tmp_path: Path) -> None:
    unit = replaced(made("linux", tmp_path), tool(tmp_path, 1))
    with pytest.raises(FailedError, match="did not work: no bus") as caught:
        installing.install(ODD, unit, dry_run=False, which=lambda _: "x", say=lambda _: None)
    assert "daemon uninstall" in caught.value.hint


def test_a_dry_run_shows_file_and_commands_and_writes_nothing(root: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    with as_user(environment(home)):
        ran = run("daemon", "install", "--dry-run", "--vault", str(root))
        line = run("daemon", "install", "--cron", "--vault", str(root))
        gone = run("daemon", "uninstall", "--dry-run", "--vault", str(root))
    assert ran.code == 0
    assert "[Service]" in ran.out
    assert "$ systemctl --user daemon-reload" in ran.out
    assert ran.err == "Nothing was changed (dry run).\n"
    assert line.out.startswith("0 1 * * * ")
    assert (gone.code, list(home.iterdir())) == (3, [])


def test_what_the_commands_print_in_json_is_as_published(root: Path, tmp_path: Path) -> None:
    from tests.cli.test_json import _checked
    from vaultmem_cli.daemon_commands import SERVICE, STATUS

    with as_user(environment(tmp_path, VAULTMEM_EMBEDDER="none")):
        status = run("daemon", "status", "--json", "--vault", str(root))
        installed = run("daemon", "install", "--dry-run", "--json", "--vault", str(root))
        line = run("daemon", "install", "--cron", "--json", "--vault", str(root))
        logs = run("daemon", "logs", "--vault", str(root))
    assert status.code == 3
    assert _checked(status, STATUS)["health"] == "not running"
    assert _checked(installed, SERVICE)["kind"] == "systemd"
    assert _checked(line, SERVICE)["kind"] == "cron"
    assert (logs.code, logs.out) == (3, "")
