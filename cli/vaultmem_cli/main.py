"""The entry of the command. Whatever can be answered without Typer is answered here, since that is felt."""

from __future__ import annotations

import sys
from collections.abc import Sequence

VERSION_WORDS = ("--version", "-V")


def main(argv: Sequence[str] | None = None) -> int:
    """Carries out the command line and returns the exit code.

    0 done, 1 failed, 2 wrong usage, 3 nothing found, 4 refused, 5 done in part, 130 interrupted.
    """
    words = list(sys.argv[1:] if argv is None else argv)
    if words and words[0] in VERSION_WORDS:
        return _version()
    try:
        from vaultmem_cli.running import run_app

        return run_app(words)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130


def _version() -> int:
    from vaultmem import __version__

    try:
        print(f"vaultmem {__version__}", flush=True)
    except OSError as error:
        from vaultmem_cli.running import not_printed

        return not_printed(error)
    return 0
