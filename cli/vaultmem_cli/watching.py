"""``vaultmem watch``: a line for each thing that happens, until Ctrl-C."""

from __future__ import annotations

import signal
import threading

from vaultmem_cli.running import DONE, Call
from vaultmem_cli.textwidth import clean
from vaultmem_daemon.report import Did, WatchReport

LABELS = {Did.WARNED: "warning: ", Did.REFUSED: "warning: ", Did.PAUSED: "warning: "}


def watch_vault(call: Call, *, poll: bool) -> int:
    """Watches the vault of the call in the foreground; returns the exit code."""

    def watch() -> int:
        from vaultmem import open_vault
        from vaultmem_daemon.watcher import Watcher

        _end_on_signals()
        with open_vault(call.vault) as vault:
            Watcher(vault, lambda report: _tell(call, report), poll=poll).run()
        return DONE

    return call.guard(watch)


def _tell(call: Call, report: WatchReport) -> None:
    call.tell("watch", report, [f"{LABELS.get(Did(report.did), '')}{clean(report.message)}"])


def _end_on_signals() -> None:
    """A service manager's TERM ends the watch as Ctrl-C does, and so does the terminal that closes, unless ``nohup``
    said that it must not."""
    if threading.current_thread() is not threading.main_thread():
        return
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    hangup = getattr(signal, "SIGHUP", None)  # Windows has none
    if hangup is not None and signal.getsignal(hangup) != signal.SIG_IGN:
        signal.signal(hangup, signal.default_int_handler)
