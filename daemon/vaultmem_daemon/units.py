"""The daemon as a service of the system: the text of its file and the commands that go with it, as values.

Nothing here touches the machine; ``installing`` does.
"""

from __future__ import annotations

import os
import plistlib
import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Final
from xml.sax.saxutils import escape

from vaultmem.dream.window import Window
from vaultmem.errors import RefusedError

WATCHDOG_S: Final = 180
_LONGEST: Final = 40
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class Machine:
    """Where a service is to be put."""

    platform: str
    """As ``sys.platform`` says it."""
    home: Path
    environ: Mapping[str, str]
    uid: int = 0
    """Of the user; 0 where there is none."""


@dataclass(frozen=True, slots=True)
class Service:
    """A service that can be installed."""

    name: str
    kind: str
    """systemd, launchd, schtasks"""
    file: Path
    content: bytes
    """What is in the file."""
    shown: str
    """The same as text."""
    start: tuple[tuple[str, ...], ...]
    """The commands that make it known and start it, one after the other."""
    stop: tuple[tuple[str, ...], ...]
    """Those that end it and make it forgotten, before the file is removed."""
    after_removal: tuple[tuple[str, ...], ...]
    """Those that follow."""
    hint: str
    """What a person may want to know."""


def service_name(vault: Path) -> str:
    """A name of its own for each vault: that of its folder, and a part that tells equal names apart.

    >>> service_name(Path("/home/me/My notes"))
    'vaultmem-My-notes-d30d6d8e'
    """
    digest = blake2b(os.fsencode(vault), digest_size=4).hexdigest()
    readable = re.sub(r"[^A-Za-z0-9_]+", "-", vault.name)[:_LONGEST].strip("-")
    return "-".join(filter(None, ("vaultmem", readable, digest)))


def service(machine: Machine, command: Sequence[str], vault: Path) -> Service:
    """The service of that machine which runs ``command`` for the vault. Raises RefusedError for a path that no
    such file can hold."""
    for word in (*command, str(vault)):
        if _CONTROL.search(word) or not _is_text(word):
            raise RefusedError(
                f"The path {word!r} holds characters that a service's file cannot.",
                hint="Rename the folder, or run `vaultmem daemon run` in another way.",
            )
    if machine.platform == "darwin":
        return _launchd(machine, command, vault)
    if machine.platform == "win32":
        return _schtasks(machine, command, vault)
    return _systemd(machine, command, vault)


def _is_text(word: str) -> bool:
    try:
        word.encode()
    except UnicodeEncodeError:
        return False
    return True


# -- systemd -------------------------------------------------------------------------------------------------------

_UNIT: Final = """\
[Unit]
Description=vaultmem daemon for {described}
StartLimitIntervalSec=0

[Service]
Type=notify
ExecStart={command}
WatchdogSec={watchdog}
Restart=on-failure
RestartSec=30
RestartPreventExitStatus=2 4
TimeoutStartSec=120
TimeoutStopSec=60
Nice=10
IOSchedulingClass=idle
NoNewPrivileges=yes

[Install]
WantedBy=default.target
"""


def _systemd(machine: Machine, command: Sequence[str], vault: Path) -> Service:
    name = service_name(vault)
    config = machine.environ.get("XDG_CONFIG_HOME", "")
    base = Path(config) if config.startswith("/") else machine.home / ".config"
    unit = f"{name}.service"
    first, *others = command
    text = _UNIT.format(
        described=str(vault).replace("%", "%%"),
        command=" ".join([systemd_word(first, first=True), *map(systemd_word, others)]),
        watchdog=WATCHDOG_S,
    )
    control = ("systemctl", "--user")
    return Service(
        name,
        "systemd",
        base / "systemd" / "user" / unit,
        text.encode(),
        text,
        start=(
            (*control, "daemon-reload"),
            (*control, "enable", unit),
            (*control, "restart", unit),
        ),
        stop=((*control, "disable", "--now", unit),),
        after_removal=((*control, "daemon-reload"),),
        hint="It runs while you are logged in; `loginctl enable-linger` lets it run always.",
    )


def systemd_word(word: str, *, first: bool = False) -> str:
    """A word of ``ExecStart=``, in quotes. The first one, the program, knows no variables.

    >>> print(systemd_word('/home/me/50% "$HOME"'))
    "/home/me/50%% \\"$$HOME\\""
    """
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{escaped}"' if first else f'"{escaped.replace("$", "$$")}"'


# -- launchd -------------------------------------------------------------------------------------------------------


def _launchd(machine: Machine, command: Sequence[str], vault: Path) -> Service:
    name = service_name(vault)
    label = f"org.vaultmem.{name}"
    content = plistlib.dumps(
        {
            "Label": label,
            "ProgramArguments": list(command),
            "RunAtLoad": True,
            "KeepAlive": {"SuccessfulExit": False},
            "ThrottleInterval": 30,
            "ProcessType": "Background",
            "Nice": 10,
            "LowPriorityIO": True,
        },
        sort_keys=False,
    )
    file = machine.home / "Library" / "LaunchAgents" / f"{label}.plist"
    domain = f"gui/{machine.uid}"
    return Service(
        name,
        "launchd",
        file,
        content,
        content.decode(),
        start=(("launchctl", "bootstrap", domain, str(file)),),
        stop=(("launchctl", "bootout", f"{domain}/{label}"),),
        after_removal=(),
        hint="It starts each time you log in.",
    )


# -- Windows -------------------------------------------------------------------------------------------------------

_TASK: Final = """\
<?xml version="1.0" encoding="UTF-16"?>
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <RegistrationInfo>
    <Description>vaultmem daemon for {vault}</Description>
  </RegistrationInfo>
  <Triggers>
    <LogonTrigger>
      <Enabled>true</Enabled>
    </LogonTrigger>
  </Triggers>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <StartWhenAvailable>true</StartWhenAvailable>
    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>
    <Priority>8</Priority>
    <RestartOnFailure>
      <Interval>PT1M</Interval>
      <Count>100</Count>
    </RestartOnFailure>
  </Settings>
  <Actions>
    <Exec>
      <Command>{command}</Command>
      <Arguments>{arguments}</Arguments>
    </Exec>
  </Actions>
</Task>
"""


def _schtasks(machine: Machine, command: Sequence[str], vault: Path) -> Service:
    name = service_name(vault)
    local = machine.environ.get("LOCALAPPDATA", "")
    base = Path(local) if local else machine.home / "AppData" / "Local"
    file = base / "vaultmem" / "tasks" / f"{name}.xml"
    first, *others = command
    text = _TASK.format(
        vault=escape(str(vault)),
        command=escape(first),
        arguments=escape(subprocess.list2cmdline(others)),
    )
    return Service(
        name,
        "schtasks",
        file,
        text.replace("\n", "\r\n").encode("utf-16"),
        text,
        start=(
            ("schtasks", "/Create", "/TN", name, "/XML", str(file), "/F"),
            ("schtasks", "/Run", "/TN", name),
        ),
        stop=(("schtasks", "/End", "/TN", name), ("schtasks", "/Delete", "/TN", name, "/F")),
        after_removal=(),
        hint="It starts each time you log in.",
    )


# -- cron ----------------------------------------------------------------------------------------------------------


def cron_line(command: Sequence[str], window: Window) -> str:
    """The line for ``crontab -e`` that dreams each night without a daemon, when the window opens.

    >>> print(cron_line(["vaultmem", "dream", "run", "--vault", "/home/me/50% mine"], Window.parse("1:30-6:00")))
    30 1 * * * vaultmem dream run --vault '/home/me/50\\% mine'
    """
    import shlex

    start = window.start
    when = f"{start.minute} {start.hour}" if start else "0 3"
    return f"{when} * * * {shlex.join(command)}".replace("%", "\\%")
