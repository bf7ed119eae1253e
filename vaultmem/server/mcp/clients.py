"""Telling a client of this server: where each keeps its settings, and one entry put there, all else left as it is."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from vaultmem.errors import FailedError, RefusedError, UsageError
from vaultmem.notes.textdiff import text_diff
from vaultmem.server.mcp.fence import one_line
from vaultmem.server.mcp.json_splice import NotJsonError, with_value


class Client(StrEnum):
    """Programs whose settings are known here."""

    CLAUDE_DESKTOP = "claude-desktop"
    CLAUDE_CODE = "claude-code"
    CURSOR = "cursor"
    VSCODE = "vscode"


@dataclass(frozen=True, slots=True)
class Machine:
    """What the places of settings depend on."""

    platform: str
    """As ``sys.platform`` has it."""
    home: Path
    environ: Mapping[str, str]

    @property
    def settings(self) -> Path:
        """Where programs keep the user's settings."""
        if self.platform == "darwin":
            return self.home / "Library" / "Application Support"
        if self.platform == "win32":
            return Path(self.environ.get("APPDATA") or self.home / "AppData" / "Roaming")
        return Path(self.environ.get("XDG_CONFIG_HOME") or self.home / ".config")


@dataclass(frozen=True, slots=True)
class Installed:
    """What an installation did or would do."""

    client: Client
    file: Path
    diff: str
    """Unified diff of the settings file; empty when it says so already."""


def settings_file(client: Client, machine: Machine, project: Path | None) -> Path:
    """The file that holds the client's servers: the user's, or that of the folder ``project``. Raises UsageError when
    the client has none for a folder."""
    if project is not None:
        below = {
            Client.CLAUDE_CODE: ".mcp.json",
            Client.CURSOR: ".cursor/mcp.json",
            Client.VSCODE: ".vscode/mcp.json",
        }.get(client)
        if below is None:
            raise UsageError(
                f"{client} has no settings for one folder.", hint="Leave --project out."
            )
        return project / below
    return {
        Client.CLAUDE_DESKTOP: machine.settings / "Claude" / "claude_desktop_config.json",
        Client.CLAUDE_CODE: machine.home / ".claude.json",
        Client.CURSOR: machine.home / ".cursor" / "mcp.json",
        Client.VSCODE: machine.settings / "Code" / "User" / "mcp.json",
    }[client]


def entry(client: Client, command: Sequence[str]) -> dict[str, object]:
    """What the client wants to know of a server that it starts with that command line."""
    started: dict[str, object] = {"command": command[0], "args": list(command[1:])}
    typed = client in (Client.VSCODE, Client.CLAUDE_CODE)
    return {"type": "stdio", **started} if typed else started


def install(
    client: Client, file: Path, name: str, command: Sequence[str], *, dry_run: bool
) -> Installed:
    """Puts the server into the settings file under that name. Every other byte of the file stays.

    Raises UsageError for a name that is none, FailedError when the file is not what it should be or cannot be written,
    RefusedError when it is not to be written, or another program changes it at the same time.
    """
    _check_name(name)
    if not dry_run:
        _check_place(file)
    group = "servers" if client is Client.VSCODE else "mcpServers"
    before = _bytes(file)
    try:
        text = before.decode("utf-8")
        after = with_value(text, (group, name), entry(client, command))
    except (NotJsonError, UnicodeDecodeError) as error:
        why = "it is not UTF-8" if isinstance(error, UnicodeDecodeError) else error
        raise FailedError(
            f"{file} cannot be understood: {why}.", hint="Mend it by hand; nothing was changed."
        ) from error
    if after != text and not dry_run:
        _replace(file, before, after.encode())
    return Installed(client, file, text_diff(text, after, path=file.name) if after != text else "")


def _check_name(name: str) -> None:
    if not name or one_line(name) != name:
        raise UsageError(
            f"{name!r} is no name for a server.", hint="Give --name a word, such as vaultmem."
        )


def _check_place(file: Path) -> None:
    """Raises RefusedError for a file that somebody has closed to changes, or a link that leads nowhere: what it was
    to lead to is not ours to make."""
    by_hand = "Or put the entry in by hand: --dry-run shows it."
    real = Path(os.path.realpath(file))
    if file.is_symlink() and not real.exists():
        raise RefusedError(
            f"{file} is a link to {real}, which is not there.",
            hint="Remove the link, or make the file that it leads to.",
        )
    if real.exists() and not real.stat().st_mode & 0o222:
        raise RefusedError(
            f"{real} is read-only and was left alone.", hint=f"Make it writable. {by_hand}"
        )


def _bytes(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except FileNotFoundError:
        return b""
    except OSError as error:
        raise FailedError(f"{file} cannot be read: {error.strerror}.") from error


def _replace(file: Path, before: bytes, after: bytes) -> None:
    """Puts other bytes in the place of the file, if it still holds those from before."""
    real = Path(os.path.realpath(file))
    try:
        real.parent.mkdir(parents=True, exist_ok=True)
        descriptor, temporary = tempfile.mkstemp(prefix=".vaultmem-", dir=real.parent)
        try:
            with os.fdopen(descriptor, "wb") as out:
                out.write(after)
                out.flush()
                os.fsync(out.fileno())
            os.chmod(temporary, real.stat().st_mode & 0o777 if real.exists() else 0o600)
            if _bytes(real) != before:
                raise RefusedError(
                    f"{file} was changed meanwhile, and was left alone.", hint="Try again."
                )
            os.replace(temporary, real)
        finally:
            with suppress(FileNotFoundError):
                os.unlink(temporary)
    except OSError as error:
        raise FailedError(f"{file} could not be written: {error.strerror}.") from error
