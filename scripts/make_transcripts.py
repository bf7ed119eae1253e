"""Plays the transcripts in the README and the docs again and writes down what the commands print now.

    python -m scripts.make_transcripts            writes them
    python -m scripts.make_transcripts --check    says which are not current; exit 1 when one is not

A transcript is a block of Markdown that begins with three backticks and ``console``. A line in it that begins with
``$ `` is a command, the lines after it what the command printed, both streams together. The commands of a page
are one shell, which starts in a checkout (a folder with ``sample_vault`` in it) of a user who has set nothing.
Times, sizes, dates, hashes and the number of questions of a verification stand as they came out once; they alone may
differ from run to run.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
HOME: Final = "/home/me"
"""What stands in a page for the home folder of the player."""

BLOCK: Final = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PROMPT: Final = "$ "
END: Final = "\x1e"
TRACEBACK: Final = "Traceback (most recent call last)"

VOLATILE: Final = (
    (re.compile(r"\b\d+(\.\d+)? (ms|s)\b"), "<time>"),
    (re.compile(r"\b\d+(\.\d+)? (kB|MB)\b"), "<size>"),
    (re.compile(r"\b\d+\.\d+ × "), "<ratio> × "),
    (re.compile(r"\b20\d\d-\d\d-\d\d \d\d:\d\d(:\d\d)?\b"), "<moment>"),
    (re.compile(r"(cycle:|_dreams/|\.trash/|explain |\]\], )20\d\d-\d\d-\d\d\b"), r"\1<day>"),
    (re.compile(r"^20\d\d-\d\d-\d\d(?=  )", re.MULTILINE), "<day>"),
    (re.compile(r"^## \d\d:\d\d(?= ·)", re.MULTILINE), "## <moment>"),
    (re.compile(r"^date: 20\d\d-\d\d-\d\d$", re.MULTILINE), "date: <day>"),
    (
        re.compile(
            r"(?<=%% vaultmem:begin )20\d\d-\d\d-\d\d|(?<=%% vaultmem:end )20\d\d-\d\d-\d\d"
        ),
        "<day>",
    ),
    (re.compile(r"\bThe cycle took \d+ seconds?\b"), "The cycle took <time>"),
    (re.compile(r"\b\d+ tables, \d+ questions"), "<tables and questions>"),
    (re.compile(r"\b20\d{6}-\d{6}-\d{6}-[0-9a-z]{6}\b"), "<event>"),
    (re.compile(r"-[0-9a-f]{16}\b"), "-<hash>"),
    (re.compile(r'("(?:\w+_ns|\w+_bytes|seconds|score)": )[\d.e+-]+'), r"\1<number>"),
)
"""Pattern → what stands for it when two runs are compared."""


def main(words: Sequence[str]) -> int:
    """Writes the transcripts, or checks them; returns the exit code."""
    if words not in ([], ["--check"]):
        print(__doc__, file=sys.stderr)
        return 2
    stale = []
    for path in pages():
        before = path.read_text(encoding="utf-8")
        after = played(before)
        if settled(before) == settled(after):
            continue
        stale.append(path.relative_to(ROOT).as_posix())
        if not words:
            path.write_text(after, encoding="utf-8", newline="\n")
    print(
        "\n".join(f"{'not current' if words else 'wrote'}: {name}" for name in stale) or "current"
    )
    return 1 if words and stale else 0


def pages() -> list[Path]:
    """Every page with a transcript."""
    every = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return [path for path in every if BLOCK.search(path.read_text(encoding="utf-8"))]


def settled(text: str) -> str:
    """The text with a word in angle brackets for everything that differs from run to run."""
    for pattern, word in VOLATILE:
        text = pattern.sub(word, text)
    return text


def played(page: str) -> str:
    """The page with its commands carried out anew."""
    commands = [
        line.removeprefix(PROMPT)
        for block in BLOCK.finditer(page)
        for line in block[1].splitlines()
        if line.startswith(PROMPT)
    ]
    with tempfile.TemporaryDirectory() as folder:
        outputs = _carried_out(commands, Path(folder).resolve())

    def anew(block: re.Match[str]) -> str:
        return f"```console\n{''.join(_anew(block[1], outputs))}```"

    return BLOCK.sub(anew, page)


def _anew(block: str, outputs: Iterator[str]) -> Iterator[str]:
    """Commands with their outputs; a blank line before a command is kept."""
    blank = False
    first = True
    for line in block.splitlines():
        if line.startswith(PROMPT):
            if blank and not first:
                yield "\n"
            yield f"{line}\n{next(outputs)}"
            first = False
        blank = not line


def _carried_out(commands: Sequence[str], home: Path) -> Iterator[str]:
    """What each command prints, in one shell."""
    script = "".join(f"{{ {command}\n}} 2>&1 </dev/null; printf '{END}'\n" for command in commands)
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=checkout(home),
        env=environment(home),
        stdout=subprocess.PIPE,
        check=False,
        timeout=300,
    )
    text = done.stdout.decode("utf-8").replace(str(home), HOME)
    outputs = text.split(END)[:-1]
    if len(outputs) != len(commands):
        raise SystemExit(f"the shell ended after: {commands[len(outputs) - 1]}")
    if TRACEBACK in text:
        raise SystemExit(f"a command failed on its own fault; nothing was written:\n{text}")
    # Streams of a pipeline come in no fixed order: such a command sends stderr to /dev/null.
    return iter([f"{output.rstrip()}\n" if output.strip() else "" for output in outputs])


def checkout(home: Path) -> Path:
    """A folder below ``home`` that stands for a checkout, made here."""
    folder = home / "vaultmem"
    shutil.copytree(
        ROOT / "sample_vault",
        folder / "sample_vault",
        ignore=shutil.ignore_patterns(".vaultmem"),
    )
    return folder


def environment(home: Path) -> dict[str, str]:
    """The environment of a user who has set nothing."""
    beside = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    # A checkout beside the installed one plays itself.
    found = {"PYTHONPATH": os.environ["PYTHONPATH"]} if "PYTHONPATH" in os.environ else {}
    return {"HOME": str(home), "PATH": beside, "LANG": "C.UTF-8", "TERM": "dumb", **found}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
