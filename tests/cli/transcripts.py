"""Transcripts: commands with what they print, kept in files that one command can make anew.

    # a remark
    $ vaultmem tags species
    Species/Eelgrass.md
    2> 1 note with #species
    [exit 0]

Lines after ``2>`` were printed to stderr. What changes from run to run is replaced by a word in angle brackets.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path

from tests.cli.command import Ran, as_user, environment, run

FOLDER = Path(__file__).parent / "transcripts"
SAMPLE_VAULT = Path(__file__).resolve().parents[2] / "sample_vault"

PROMPT = "$ "

VOLATILE = (
    (re.compile(r"\b\d+(\.\d+)? (ms|s)\b"), "<time>"),
    (re.compile(r"\b\d+(\.\d+)? (kB|MB)\b"), "<size>"),
    (re.compile(r"\b20\d{6}-\d{6}-\d{6}-[0-9a-z]{6}\b"), "<event>"),
    (re.compile(r"\b\d+\.\d+ × "), "<ratio> × "),
    (re.compile(r"(?:\b20\d\d-\d\d-\d\d|<today>) \d\d:\d\d:\d\d\b"), "<moment>"),
    (re.compile(r"<today>(\.\d+)?( +)\d\d:\d\d\b"), r"<today>\1\2<clock>"),
    (
        re.compile(r"\bchanged( +)(?:\d{4}-\d\d-\d\d|<today>) (?:\d\d:\d\d|<clock>)"),
        r"changed\1<moment>",
    ),
    (
        re.compile(r'("(?:seconds|synced_ns|modified_ns|index_bytes|vault_bytes)": )[\d.e+-]+'),
        r"\1<number>",
    ),
)
"""Pattern → what stands for it: times, sizes and moments differ from run to run and from machine to machine."""


@contextmanager
def sample_vault(folder: Path) -> Iterator[None]:
    """A fresh copy of the sample vault in ``folder``, indexed, as the vault of every command."""
    vault = folder / "vault"
    shutil.copytree(SAMPLE_VAULT, vault, ignore=shutil.ignore_patterns(".vaultmem"))
    for note in vault.glob("Memory/**/*.md"):
        os.utime(note)  # a checkout of last year holds notes that have faded
    with as_user(environment(folder / "home", VAULTMEM_VAULT=str(vault))):
        assert run("rebuild", "--no-vectors", "--quiet").code == 0
        yield


def played(transcript: str, folder: Path) -> str:
    """The transcript with its commands carried out anew in the vault that :func:`sample_vault` made there."""
    parts: list[str] = []
    for line in _kept(transcript):
        if line.startswith(PROMPT):
            program, *words = shlex.split(line.removeprefix(PROMPT))
            assert program == "vaultmem", line
            parts.append(f"{line}\n{_shown(run(*words), folder)}\n")
        else:
            parts.append(f"{line}\n")
    return "".join(parts).rstrip("\n") + "\n"


def _kept(transcript: str) -> Iterator[str]:
    """The lines that a person wrote: commands, and remarks outside of any output."""
    in_output = False
    for line in transcript.splitlines():
        if line.startswith(PROMPT):
            in_output = True
            yield line
        elif line.startswith("[exit "):
            in_output = False
        elif line.startswith("# ") and not in_output:
            yield line


def _shown(ran: Ran, folder: Path) -> str:
    printed = ran.out + "".join(f"2> {line}\n" for line in ran.err.splitlines())
    printed = printed.replace(str(folder), "<folder>")
    printed = printed.replace(date.today().isoformat(), "<today>")
    for pattern, word in VOLATILE:
        printed = pattern.sub(word, printed)
    return f"{printed}[exit {ran.code}]\n"
