"""How the daemon is, its service, and its log."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

from vaultmem.daemon_state import DaemonHealth, LastCycle
from vaultmem_cli.console import Page, Style
from vaultmem_cli.textwidth import clean
from vaultmem_cli.views.words import count, labelled, moment

if TYPE_CHECKING:
    from vaultmem_daemon.installing import ServiceAnswer

HOW_TO_START = (
    "`vaultmem daemon install` starts it with your session, `vaultmem daemon run` runs it here."
)


def status_page(health: DaemonHealth, style: Style) -> Page:
    """The verdict, then what it last did, and why it does not dream now."""
    rows = [("daemon", f"{_colored(health.health, style)}{_since(health)}")]
    if health.why:
        rows.append(("", clean(health.why)))
    if health.watcher is not None:
        rows.append(("watcher", clean(health.watcher.state)))
    rows += [("last cycle", cycle_line(health.last_cycle)), ("window", window_line(health))]
    if health.dreaming_since_ns:
        rows.append(("now", f"a cycle runs since {moment(health.dreaming_since_ns)}"))
    elif health.said:
        rows.append(("now", clean(health.said)))
    notes = [f"warning: {_often(w.times)}{clean(w.message)}" for w in health.warnings]
    if health.health == "not running":
        notes.append(f"hint: {HOW_TO_START}")
    return Page(labelled(rows, style), notes)


def _colored(word: str, style: Style) -> str:
    paint = {"healthy": style.green, "unhealthy": style.red}.get(word, style.yellow)
    return paint(word)


def _since(health: DaemonHealth) -> str:
    if not health.pid:
        return ""
    return f" (process {health.pid}, since {moment(health.started_ns)})"


def _often(times: int) -> str:
    return f"{times} times: " if times > 1 else ""


def cycle_line(cycle: LastCycle | None) -> str:
    """The last cycle in a line."""
    if cycle is None:
        return "none yet"
    late = f", late, for the night of {cycle.night}" if cycle.late else ""
    why = f": {clean(cycle.why)}" if cycle.why else ""
    if cycle.state in ("failed", "cancelled"):
        return f"{moment(cycle.ended_ns)}, {cycle.state}{late}{why}"
    waiting = f", {cycle.waiting:,} for you to review" if cycle.waiting else ""
    return f"{moment(cycle.ended_ns)}, {count(cycle.applied, 'edit')}{waiting}{late}"


def window_line(health: DaemonHealth) -> str:
    """When it may dream."""
    if not health.enabled:
        return f"{health.window} (switched off)"
    upcoming = f" (next: {moment(health.next_window_ns)})" if health.next_window_ns else ""
    return f"{health.window}{upcoming}"


def service_page(answer: ServiceAnswer, style: Style) -> Page:
    """The file and the commands of a dry run, the line for cron, or what to know of the service."""
    if answer.kind == "cron":
        return Page([answer.text.rstrip("\n")], [answer.hint])
    if not answer.dry_run:
        rows = [("service", clean(answer.name)), ("file", clean(answer.file))]
        return Page(labelled(rows, style), [answer.hint, "How it is: vaultmem daemon status"])
    lines = [style.bold(clean(answer.file)), *map(clean, answer.text.rstrip("\n").split("\n")), ""]
    lines += [f"$ {clean(shlex.join(command))}" for command in answer.commands]
    return Page(lines, ["Nothing was changed (dry run)."])


def log_page(lines: Sequence[str], _: Style) -> Page:
    """The lines as they are."""
    notes = [] if lines else ["There is no log yet: no daemon has run on this vault."]
    return Page([clean(line) for line in lines], notes)
