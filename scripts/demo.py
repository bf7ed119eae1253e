"""A transcript of the main things vaultmem does, on a copy of ``sample_vault`` or on a vault of your own.

Run by ``make demo``. Prints each command before it runs, as one would type it; ends with 1 as soon as a command fails.
No note is changed; of a vault of your own, only ``.vaultmem/memory.db`` is made, deleted and made again.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
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
    shown = os.path.relpath(folder, ROOT) if folder.is_relative_to(ROOT) else str(folder)
    demo = _Transcript(shown)
    demo.say("Build the index", "rebuild")
    demo.say("What is in it", "status")
    for about, query in searches:
        demo.say(f"Search: {about}", "search", query, also_fine=NOTHING_FOUND)
    if note:
        demo.say("Links of a note", "links", note)
        demo.say("Links to it", "backlinks", note, also_fine=NOTHING_FOUND)
    demo.say("Does the index agree with the files?", "verify")
    demo.delete_index(folder)
    demo.say("Everything is back, from the files alone", "rebuild")
    demo.say("And the same as before", "verify")
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
        print(f"$ export VAULTMEM_VAULT={shlex.quote(vault)}", flush=True)

    def say(self, about: str, *arguments: str, also_fine: int = 0) -> None:
        """Runs ``vaultmem`` with ``arguments``; ends the program if it fails."""
        command = ["vaultmem", *arguments]
        print(f"\n# {about}\n$ {shlex.join(command)}", flush=True)
        code = subprocess.run(command, env=self._environ, check=False).returncode
        if code not in (0, also_fine):
            sys.exit(f"{shlex.join(command)} ended with {code}")

    def delete_index(self, vault: Path) -> None:
        """Deletes the index, as anyone may at any moment."""
        database = vault / ".vaultmem" / "memory.db"
        shown = shlex.quote(f"{self._environ['VAULTMEM_VAULT']}/.vaultmem/memory.db")
        print(f"\n# Delete the index\n$ rm {shown}", flush=True)
        for path in (database, *database.parent.glob("memory.db-*")):
            path.unlink()


def _fresh_copy() -> Path:
    shutil.rmtree(COPY.parent, ignore_errors=True)
    shutil.copytree(SAMPLE, COPY, ignore=shutil.ignore_patterns(".vaultmem"))
    return COPY


def _taken_from(vault: Path) -> tuple[tuple[tuple[str, str], ...], str]:
    """Searches and a note to show for an unknown vault: the names of its notes with the most links."""
    if not vault.is_dir():
        sys.exit(f"VAULT is not a folder: {vault}")
    notes = [
        path
        for path in sorted(vault.rglob("*.md"))
        if path.is_file()
        and not any(part.startswith(".") for part in path.relative_to(vault).parts)
    ]
    notes.sort(key=lambda path: path.read_bytes().count(b"[["), reverse=True)
    searches = tuple(("the name of a note", path.stem) for path in notes[:2])
    parts = tuple(("part of a word", path.stem[1:-1]) for path in notes[2:3] if len(path.stem) > 4)
    return searches + parts, notes[0].stem if notes else ""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else ""))
