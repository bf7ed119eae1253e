"""``vaultmem daemon run``: the daemon in the foreground, until a signal ends it."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vaultmem_cli.running import DONE, Call

if TYPE_CHECKING:
    from vaultmem.settings import Settings
    from vaultmem.vault import Vault


def run_daemon(call: Call) -> int:
    """Runs the daemon of the call's vault; returns the exit code."""

    def work() -> int:
        from vaultmem import open_vault
        from vaultmem.places import find_vault
        from vaultmem.settings import load_settings, user_config_path
        from vaultmem_daemon.log import close_log, open_log
        from vaultmem_daemon.service import Daemon

        root = find_vault(Path.cwd(), flag=call.vault, environ=os.environ, home=Path.home())

        def opened() -> Vault:
            return open_vault(root)

        def settings() -> Settings:
            return load_settings(vault=root, user_config=user_config_path(), environ=os.environ)

        with opened() as vault:
            folder = vault.index_dir
        logger = open_log(folder)
        try:
            daemon = Daemon(root, opened, settings, logger.info, environ=os.environ)
            with _ended_by_signals(daemon.stop):
                daemon.run()
        finally:
            close_log(logger)
        return DONE

    return call.guard(work)


class _ended_by_signals:  # noqa: N801 - used as a function is
    """Within it TERM, Ctrl-C and a closed terminal call ``stop``, and nothing is cut off in the middle."""

    def __init__(self, stop: Callable[[], None]) -> None:
        self._stop = stop
        self._before: dict[int, Any] = {}

    def __enter__(self) -> None:
        if threading.current_thread() is not threading.main_thread():
            return
        for name in ("SIGTERM", "SIGINT", "SIGHUP"):
            number = getattr(signal, name, None)  # Windows has no SIGHUP
            if number is None or (name == "SIGHUP" and signal.getsignal(number) == signal.SIG_IGN):
                continue
            self._before[number] = signal.signal(number, lambda *_: self._stop())

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
