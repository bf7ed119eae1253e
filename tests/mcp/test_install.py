"""A client is told of the server: the right file, one entry, and nothing else touched."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.command import as_user, environment, run
from tests.mcp.client import make_vault
from vaultmem.errors import RefusedError, UsageError
from vaultmem.server.mcp.clients import Client, Machine, install, settings_file


@pytest.mark.parametrize(
    ("platform", "client", "file"),
    [
        (
            "darwin",
            "claude-desktop",
            "Library/Application Support/Claude/claude_desktop_config.json",
        ),
        ("linux", "claude-desktop", ".config/Claude/claude_desktop_config.json"),
        ("win32", "claude-desktop", "AppData/Roaming/Claude/claude_desktop_config.json"),
        ("linux", "claude-code", ".claude.json"),
        ("linux", "cursor", ".cursor/mcp.json"),
        ("linux", "vscode", ".config/Code/User/mcp.json"),
        ("darwin", "vscode", "Library/Application Support/Code/User/mcp.json"),
    ],
)
def test_where_each_client_keeps_its_servers(platform: str, client: str, file: str) -> None:
    home = Path("/home/me")
    assert settings_file(Client(client), Machine(platform, home, {}), None) == home / file


def test_some_clients_have_settings_for_a_folder() -> None:
    machine, here = Machine("linux", Path("/home/me"), {}), Path("/work")
    assert settings_file(Client.VSCODE, machine, here) == here / ".vscode/mcp.json"
    with pytest.raises(UsageError):
        settings_file(Client.CLAUDE_DESKTOP, machine, here)


def test_the_command_shows_the_change_and_makes_it_once(tmp_path: Path) -> None:
    root, home = make_vault(tmp_path / "vault", {"a.md": "x\n"}), tmp_path / "home"
    file = home / ".cursor/mcp.json"
    file.parent.mkdir(parents=True)
    before = '{\n  "mcpServers": {\n    "other": {"url": "https://example.org"}\n  }\n}\n'
    file.write_text(before)
    words = ("mcp", "install", "--client", "cursor", "--vault", str(root))
    with as_user(environment(home)):
        tried = run(*words, "--dry-run")
        assert (tried.code, file.read_text()) == (0, before)
        assert str(file) in tried.err  # every client's file has nearly the same name
        done = run(*words, "--read-only")
        assert done.code == 0
        assert '+    "vaultmem": {' in done.out
        again = run(*words, "--read-only")
        assert (again.code, again.out) == (0, "")
    after = file.read_text()
    assert after.startswith(before[: before.index("\n  }\n}")])
    entry = json.loads(after)["mcpServers"]["vaultmem"]
    assert entry["args"][-4:] == ["mcp", "--vault", str(root), "--read-only"]
    assert list(file.parent.iterdir()) == [file]


def test_settings_that_cannot_be_understood_are_left_alone(tmp_path: Path) -> None:
    root, home = make_vault(tmp_path / "vault", {"a.md": "x\n"}), tmp_path / "home"
    file = home / ".claude.json"
    home.mkdir()
    file.write_text('{"mcpServers": [')
    with as_user(environment(home)):
        done = run("mcp", "install", "--client", "claude-code", "--vault", str(root))
    assert done.code == 1
    assert "cannot be understood" in done.err
    assert file.read_text() == '{"mcpServers": ['


COMMAND = ["vaultmem", "mcp", "--vault", "/notes"]


def test_a_file_that_is_closed_to_changes_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "mcp.json"
    file.write_text("{}\n")
    file.chmod(0o444)
    assert install(Client.CURSOR, file, "vaultmem", COMMAND, dry_run=True).diff
    with pytest.raises(RefusedError, match="is read-only and was left alone"):
        install(Client.CURSOR, file, "vaultmem", COMMAND, dry_run=False)
    assert file.read_text() == "{}\n"
    (tmp_path / "link.json").symlink_to(file)
    with pytest.raises(RefusedError, match="is read-only"):
        install(Client.CURSOR, tmp_path / "link.json", "vaultmem", COMMAND, dry_run=False)


def test_a_link_is_followed_only_to_a_file_that_is_there(tmp_path: Path) -> None:
    file, link = tmp_path / "dotfiles.json", tmp_path / "mcp.json"
    link.symlink_to(file)
    with pytest.raises(RefusedError, match="which is not there"):
        install(Client.CURSOR, link, "vaultmem", COMMAND, dry_run=False)
    assert not file.exists()
    file.write_text("{}\n")
    install(Client.CURSOR, link, "vaultmem", COMMAND, dry_run=False)
    assert link.is_symlink()
    assert "vaultmem" in json.loads(file.read_text())["mcpServers"]


@pytest.mark.parametrize("name", ["", "  ", " a", "a\nb", "a\u202eb"])
def test_a_server_has_a_name(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="is no name for a server"):
        install(Client.CURSOR, tmp_path / "mcp.json", name, COMMAND, dry_run=False)
    assert list(tmp_path.iterdir()) == []
