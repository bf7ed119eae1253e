"""A transcript of the main things vaultmem does, on a copy of ``sample_vault`` or on a vault of your own.

Run by ``make demo``. Prints each command before it runs, as one would type it; ends with 1 as soon as a command fails.
No note of yours is changed: there the dream at the end only shows what it would do. In a vault of your own only the
folder ``.vaultmem`` is used (or, where the vault cannot be written, one of the user's cache): its ``memory.db`` is made,
deleted and made again; ``embeddings.db`` and ``writer.lock`` stay.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SAMPLE = ROOT / "sample_vault"
COPY = ROOT / ".demo" / "vault"

SAMPLE_SEARCHES = (
    ("words", "when do the seals come ashore"),
    ("part of a word", "haul-ou"),
    ("one Chinese character", "藻"),
    ("Japanese", "潮だまり"),
    ("Korean", "소리"),
)
SAMPLE_NOTE = "Data hub"

NOTHING_FOUND = 3


def main(vault: str) -> int:
    """Runs the demonstration; returns the exit code."""
    if vault:
        folder = Path(vault).expanduser().absolute()
        searches, note = _taken_from(folder)
    else:
        folder = _fresh_copy()
        searches, note = SAMPLE_SEARCHES, SAMPLE_NOTE
    shown = os.path.relpath(folder, ROOT) if folder.is_relative_to(ROOT) else os.fspath(folder)
    demo = _Transcript(shown)
    demo.say("Build the index", "rebuild")
    demo.say("What is in it", "status")
    for about, query in searches:
        demo.say(f"Search: {about}", "search", "--", query, also_fine=NOTHING_FOUND)
    if note:
        demo.say("Links of a note", "links", "--", note)
        demo.say("Links to it", "backlinks", "--", note, also_fine=NOTHING_FOUND)
    demo.say("Does the index agree with the files?", "verify")
    demo.delete_index()
    demo.say("Everything is back, from the files alone", "rebuild")
    demo.say("And the same as before", "verify")
    if vault:
        demo.say("What a night would do", "dream", "run", "--dry-run")
    else:
        demo.say("A night: what may be mended is, what is yours waits", "dream", "run")
        demo.say("What waits for you", "review")
        demo.say("All of it can be taken back", "undo", "cycle:last")
    return 0


class _Transcript:
    """Commands printed as typed, then run, from the project's folder."""

    def __init__(self, vault: str) -> None:
        os.chdir(ROOT)
        beside = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
        self._environ = os.environ | {
            "VAULTMEM_VAULT": vault,
            "VAULTMEM_INDEX_LOCATION": "vault",
            "PATH": beside,
        }
        _print(f"$ export VAULTMEM_VAULT={shlex.quote(vault)}")

    def say(self, about: str, *arguments: str, also_fine: int = 0) -> None:
        """Runs ``vaultmem`` with ``arguments``; ends the program if it fails."""
        command = ["vaultmem", *arguments]
        _print(f"\n# {about}\n$ {shlex.join(command)}")
        code = subprocess.run(command, env=self._environ, check=False).returncode
        if code not in (0, also_fine):
            sys.exit(_printable(f"{shlex.join(command)} ended with {code}"))

    def delete_index(self) -> None:
        """Deletes the index, as anyone may at any moment."""
        database = self._index()
        shown = os.path.relpath(database, ROOT) if database.is_relative_to(ROOT) else database
        _print(f"\n# Delete the index\n$ rm {shlex.quote(os.fspath(shown))}")
        for path in (database, *database.parent.glob("memory.db-*")):
            path.unlink(missing_ok=True)

    def _index(self) -> Path:
        """Where the index lies: beside the notes, or in the cache of a vault that cannot be written."""
        command = ["vaultmem", "status", "--json"]
        answer = subprocess.run(command, env=self._environ, check=True, stdout=subprocess.PIPE)
        index: str = json.loads(answer.stdout)["index"]
        return ROOT / index


def _print(text: str) -> None:
    print(_printable(text), flush=True)


def _printable(text: str) -> str:
    """The text as the terminal can show it: a file's name may hold bytes that are no text."""
    encoding = sys.stdout.encoding or "utf-8"
    return text.encode(encoding, "replace").decode(encoding)


def _fresh_copy() -> Path:
    shutil.rmtree(COPY.parent, ignore_errors=True)
    shutil.copytree(SAMPLE, COPY, ignore=shutil.ignore_patterns(".vaultmem"))
    return COPY


def _taken_from(vault: Path) -> tuple[tuple[tuple[str, str], ...], str]:
    """Searches and a note to show for an unknown vault: the names of its notes with the most links; the note by its
    path, since several may share a name."""
    if not vault.is_dir():
        sys.exit(_printable(f"VAULT is not a folder: {vault}"))
    notes = sorted(_notes(vault), key=lambda path: (-_links(path), path))
    searches = tuple(("the name of a note", path.stem) for path in notes[:2])
    parts = tuple(("part of a word", path.stem[1:-1]) for path in notes[2:3] if len(path.stem) > 4)
    return searches + parts, notes[0].relative_to(vault).as_posix() if notes else ""


def _notes(vault: Path) -> Iterator[Path]:
    """The notes that can be named in a command as they are: not hidden, their paths text without blanks at the ends."""
    for folder, inside, names in os.walk(vault):
        inside[:] = [name for name in inside if not name.startswith(".")]
        for name in names:
            path = Path(folder, name)
            typed = path.relative_to(vault).as_posix()
            is_text = typed.isprintable() and typed == typed.strip() and "[[" not in typed
            is_note = path.suffix.lower() == ".md" and not name.startswith(".")
            if is_note and is_text and path.is_file() and not path.is_symlink():
                yield path


def _links(note: Path) -> int:
    """About how many links it has; -1 when it cannot be read."""
    try:
        return note.read_bytes().count(b"[[")
    except OSError:
        return -1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else ""))
