"""What ``vaultmem daemon run`` costs while nothing happens:

    python -m tests.benchmarks.idle [--notes 10000] [--seconds 120] [--work DIR]

Starts the daemon on a generated vault whose index is up, waits until it watches and has settled, and reads processor time
and memory of its process from ``/proc``. Two rows; exit code 1 when either is above its limit. Linux alone.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import time
from pathlib import Path

from tests.benchmarks.__main__ import Figure, make_vault
from tests.benchmarks.measure import console_script
from tests.benchmarks.tasks import open_bench_vault

LIMIT_SHARE = 0.005
"""Of one core."""
LIMIT_BYTES = 150_000_000
SETTLE_S = 10.0
PATIENCE_S = 300.0


def processor_s(pid: int) -> float:
    """Processor time of the process so far, in seconds."""
    words = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def resident_bytes(pid: int) -> int:
    """Memory of the process, its libraries included."""
    pages = Path(f"/proc/{pid}/statm").read_text("ascii").split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def measure(root: Path, seconds: float) -> tuple[float, int]:
    """The share of one core, and the most memory seen."""
    with open_bench_vault(str(root)) as vault:
        vault.sync()
        folder = vault.index_dir
    log = root.with_name(f"{root.name}-daemon.log")
    with (
        log.open("wb") as out,
        subprocess.Popen(
            [console_script(), "daemon", "run", "--vault", str(root)], stdout=out, stderr=out
        ) as process,
    ):
        try:
            deadline = time.monotonic() + PATIENCE_S
            while "Watching" not in log.read_text("utf-8", "replace"):
                if process.poll() is not None or time.monotonic() > deadline:
                    raise SystemExit(f"the daemon of {folder} does not watch: {log}")
                time.sleep(0.1)
            time.sleep(SETTLE_S)
            began, cpu, most = time.monotonic(), processor_s(process.pid), 0
            while time.monotonic() - began < seconds:
                time.sleep(1)
                most = max(most, resident_bytes(process.pid))
            share = (processor_s(process.pid) - cpu) / (time.monotonic() - began)
        finally:
            process.terminate()
    return share, most


def main() -> int:
    """Runs it; exit code 1 when a target is missed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--notes", type=int, default=10_000)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--work", type=Path, default=Path(".bench"))
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    root = Path(make_vault(options.work.resolve(), options.notes))
    share, memory = measure(root, options.seconds)
    rows = [
        Figure(
            f"idle daemon, processor, over {options.seconds:g} s",
            options.notes,
            f"{share:.2%} of a core",
            "",
            None,
            f"< {LIMIT_SHARE:.1%}",
            share < LIMIT_SHARE,
        ),
        Figure(
            "idle daemon, memory",
            options.notes,
            f"{memory / 1e6:.0f} MB",
            "",
            None,
            f"< {LIMIT_BYTES / 1e6:.0f} MB",
            memory < LIMIT_BYTES,
        ),
    ]
    for row in rows:
        print(row.row())
    return 1 if any(row.reached is False for row in rows) else 0


if __name__ == "__main__":
    raise SystemExit(main())
