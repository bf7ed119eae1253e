"""Applies multi-file changes to a vault until it is killed; ``kill_changes`` starts and kills it.

The vault is a set of notes that all name the same generation. Every change takes all of them to the next one: edits,
a file that is made, a file that is moved, and a folder that is moved. So a half-done change shows.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

from vaultmem.files.changes import ChangeSet, Creation, Edit, Move, apply_changes
from vaultmem.files.events import EventKind
from vaultmem.files.read import content_hash
from vaultmem.files.recover import recover
from vaultmem.files.targets import WriteRules

NOTES = 6
"""Plain notes, in two folders."""


def rules() -> WriteRules:
    """No waiting: nobody else writes here."""
    return WriteRules(quiet=0)


def note(number: int, generation: int) -> bytes:
    """What a note holds in a generation; the lengths differ, so that a torn write shows."""
    return f"generation {generation}\n{'x' * (number * 131 % 700)}\nnote {number}\n".encode()


def expected(generation: int) -> dict[str, bytes]:
    """Vault path → content of the whole vault in a generation."""
    files = {
        f"{'even' if number % 2 == 0 else 'odd'}/note {number}.md": note(number, generation)
        for number in range(NOTES)
    }
    files[f"moving/at {generation}.md"] = b"moves with every generation\n"
    files[f"folder {generation}/inside.md"] = note(99, generation)
    files[f"folder {generation}/picture.png"] = b"\x89PNG carried along"
    for made in range(1, generation + 1):
        files[f"made/{made // 50}/{made}.md"] = f"made in {made}\n".encode()
    return files


def next_change(generation: int) -> ChangeSet:
    """From a generation to the one after it."""
    new = generation + 1
    old_files, new_files = expected(generation), expected(new)
    edits = [
        Edit(path, content_hash(old_files[path]), new_files[path])
        for path in old_files
        if path.startswith(("even/", "odd/"))
    ]
    inside = f"folder {generation}/inside.md"
    edits.append(Edit(inside, content_hash(old_files[inside]), note(99, new)))
    moved = old_files[f"moving/at {generation}.md"]
    return ChangeSet(
        kind=EventKind.UPDATED,
        actor="torture",
        cause=f"to generation {new}",
        edits=tuple(edits),
        creations=(
            Creation(f"made/{new // 50}/{new}.md", new_files[f"made/{new // 50}/{new}.md"]),
        ),
        moves=(
            Move(f"moving/at {generation}.md", f"moving/at {new}.md", content_hash(moved)),
            Move(f"folder {generation}", f"folder {new}", None),
        ),
    )


def generation_of(root: Path) -> int:
    """By the first note; only right for a vault that is whole."""
    return int((root / "even/note 0.md").read_bytes().split(b"\n", 1)[0].split()[1])


def run(root: Path, seed: int, *, exchange: bool) -> None:
    """Recovers, then changes for ever. A line on stdout tells that the first change is about to begin."""
    recover(root, rules=rules())
    print("ready", flush=True)
    chance = random.Random(seed)
    while True:
        if chance.random() < 0.05:
            recover(root, rules=rules())
        apply_changes(
            root, next_change(generation_of(root)), rules=WriteRules(quiet=0, exchange=exchange)
        )


if __name__ == "__main__":
    run(Path(sys.argv[1]), int(sys.argv[2]), exchange=sys.argv[3] == "1")
