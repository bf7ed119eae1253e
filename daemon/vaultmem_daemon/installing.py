"""Putting the daemon's service on the machine, and taking it away again."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from vaultmem.errors import FailedError, NotFoundError
from vaultmem_daemon.units import Service

PATIENCE_S: Final = 60

Which = Callable[[str], str | None]


@dataclass(frozen=True, slots=True)
class ServiceAnswer:
    """What installing or uninstalling the daemon did, or would do."""

    vault: str
    """The vault's folder."""
    name: str
    """Of the service; "" for a line of cron."""
    kind: str
    """systemd, launchd, schtasks, cron"""
    file: str
    """The service's file; "" for a line of cron, which you put in yourself."""
    text: str
    """What is in it; of cron the line."""
    commands: tuple[tuple[str, ...], ...]
    """The commands that were run, in order."""
    dry_run: bool
    """Whether it is only what would be done."""
    hint: str
    """What to do next, or what there is to know."""


def install(
    vault: Path, service: Service, *, dry_run: bool, which: Which, say: Callable[[str], None]
) -> ServiceAnswer:
    """Writes the service's file and starts it. Raises FailedError, with nothing changed where the system's tool is
    missing, and with what to do where it refuses."""
    answer = _answer(vault, service, service.start, dry_run=dry_run)
    if dry_run:
        return answer
    _require(service, which)
    try:
        service.file.parent.mkdir(parents=True, exist_ok=True)
        beside = service.file.with_name(f".{service.file.name}.{os.getpid()}")
        beside.write_bytes(service.content)
        beside.replace(service.file)
    except OSError as error:
        raise FailedError(
            f"{service.file} cannot be written: {error.strerror}.",
            hint="`vaultmem daemon run` runs it without a service.",
        ) from error
    say(f"Wrote {service.file}.")
    if service.kind == "launchd":  # one that is there already would not be replaced
        for command in service.stop:
            _run(command, tolerant=True)
    for command in service.start:
        say(f"Running: {' '.join(command)}")
        _run(command)
    return answer


def uninstall(
    vault: Path, service: Service, *, dry_run: bool, which: Which, say: Callable[[str], None]
) -> ServiceAnswer:
    """Stops the service and removes its file. Raises NotFoundError when there is none, FailedError."""
    if not service.file.exists():
        raise NotFoundError(
            f"No service is installed for {vault}: there is no {service.file}.",
            hint="`vaultmem daemon status` tells whether a daemon runs all the same.",
        )
    commands = (*service.stop, *service.after_removal)
    answer = _answer(vault, service, commands, dry_run=dry_run)
    if dry_run:
        return answer
    _require(service, which)
    for command in service.stop:
        say(f"Running: {' '.join(command)}")
        _run(command, tolerant=True)  # it may have been stopped by hand
    with suppress(FileNotFoundError):
        service.file.unlink()
    say(f"Removed {service.file}.")
    for command in service.after_removal:
        _run(command, tolerant=True)
    return answer


def _answer(
    vault: Path, service: Service, commands: tuple[tuple[str, ...], ...], *, dry_run: bool
) -> ServiceAnswer:
    return ServiceAnswer(
        str(vault),
        service.name,
        service.kind,
        str(service.file),
        service.shown,
        commands,
        dry_run,
        service.hint,
    )


def _require(service: Service, which: Which) -> None:
    tool = service.start[0][0]
    if which(tool) is None:
        raise FailedError(
            f"{tool} is not there, so no service can be installed. Nothing was changed.",
            hint="Let whatever starts programs here run `vaultmem daemon run`, "
            "or put the line of `vaultmem daemon install --cron` into your crontab.",
        )


def _run(command: Sequence[str], *, tolerant: bool = False) -> None:
    try:
        done = subprocess.run(
            command, capture_output=True, timeout=PATIENCE_S, check=False, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        if tolerant:
            return
        raise _refused(command, str(error)) from error
    if done.returncode and not tolerant:
        said = done.stderr.decode("utf-8", "replace").strip() or f"exit code {done.returncode}"
        raise _refused(command, said)


def _refused(command: Sequence[str], said: str) -> FailedError:
    return FailedError(
        f"`{' '.join(command)}` did not work: {said.rstrip('.')}.",
        hint="The service's file is written; nothing runs. `vaultmem daemon uninstall` takes it away, "
        "and `vaultmem daemon run` runs the daemon without a service.",
    )
