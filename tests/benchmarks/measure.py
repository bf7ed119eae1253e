"""How things are timed: in fresh processes, with the memory of the whole process tree."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import psutil

SAMPLE_S = 0.02


@dataclass(frozen=True, slots=True)
class Run:
    """One process, run to its end."""

    seconds: float
    """Of the work, as the process itself measured it; its start-up not included."""
    peak_bytes: int
    """Of the process and its children together: proportional set size where the system tells, else resident."""
    result: dict[str, object]


def run_task(name: str, *arguments: str) -> Run:
    """Runs a task of ``tests.benchmarks.tasks`` in a process of its own."""
    command = [sys.executable, "-m", "tests.benchmarks.tasks", name, *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        peak = 0
        watched = psutil.Process(process.pid)
        while process.poll() is None:
            peak = max(peak, _tree_bytes(watched))
            time.sleep(SAMPLE_S)
        assert process.stdout is not None
        output = process.stdout.read()
        if process.returncode:
            raise SystemExit(f"the task {name} failed with exit code {process.returncode}")
    result = json.loads(output)
    return Run(result["seconds"], peak, result)


def _tree_bytes(process: psutil.Process) -> int:
    total = 0
    try:
        family = [process, *process.children(recursive=True)]
    except psutil.NoSuchProcess:
        return 0
    for member in family:
        try:
            memory = member.memory_full_info()
            total += getattr(memory, "pss", memory.rss)
        except (psutil.NoSuchProcess, psutil.AccessDenied, psutil.ZombieProcess):
            continue
    return total


def time_command(arguments: list[str], repeats: int) -> list[float]:
    """Wall-clock seconds of a whole command, sorted; what it prints is thrown away."""
    seconds = []
    for _ in range(repeats):
        began = time.perf_counter()
        subprocess.run(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        seconds.append(time.perf_counter() - began)
    return sorted(seconds)


def percentile(sorted_values: list[float], share: float) -> float:
    """The value below which ``share`` of the sorted values lie."""
    return sorted_values[min(len(sorted_values) - 1, int(share * len(sorted_values)))]


def console_script() -> str:
    """The installed ``vaultmem`` command of this environment."""
    return str(Path(sys.executable).with_name("vaultmem" + (".exe" if os.name == "nt" else "")))
