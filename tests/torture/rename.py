"""``python -m tests.torture.rename --links 5000 --notes 3000``: one note is renamed to which thousands of links lead.

Planning, writing, the journal and the index together must take less than the limit; it is one event, every link leads to
the note under its new name, and one undo gives back every byte. Exit code 1 when any of that is not so.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.torture.linked import HUB, files_of, linked_vault, put
from tests.torture.scenes import MEANING, opened
from tests.vaults import WORDS
from vaultmem.files.journal import Journal
from vaultmem.notes.rename import LinkUpdates
from vaultmem.settings import Settings
from vaultmem.vault import Vault

LIMIT_S = 5.0
NEW = "Else where/New name.md"


@dataclass
class Outcome:
    """What a run came to."""

    files: int = 0
    links: int = 0
    events: int = 0
    rename_s: float = 0.0
    undo_s: float = 0.0
    faults: list[str] = field(default_factory=list)

    def lines(self, limit_s: float) -> Iterator[str]:
        """The figures as a person reads them."""
        yield f"{self.links} links in {self.files} files rewritten in {self.rename_s:.2f} s (limit {limit_s:g} s), {self.events} event"
        yield f"undone in {self.undo_s:.2f} s"
        for fault in self.faults:
            yield f"FAULT {fault}"


def torture(
    root: Path, *, links: int, notes: int, limit_s: float, settings: Settings = WORDS
) -> Outcome:
    """Makes the vault in the folder ``root``, renames, looks, and takes it back."""
    outcome = Outcome()
    put(root, linked_vault(notes, links))
    before = files_of(root)
    with opened(root, settings) as vault:
        vault.sync()
        had = _leading_to(vault, HUB)
        known = len(list(Journal(root).read()))
        began = time.perf_counter()
        answer = vault.edits.rename(HUB, NEW, links=LinkUpdates.YES)
        outcome.rename_s = time.perf_counter() - began
        outcome.files, outcome.links = len(answer.files), answer.links
        outcome.events = len(list(Journal(root).read())) - known
        if answer.note:
            outcome.faults.append(answer.note)
        if _leading_to(vault, NEW) != had:
            outcome.faults.append(f"{had} links led to the note, {_leading_to(vault, NEW)} do")
        began = time.perf_counter()
        vault.history.undo([answer.event or "last"])
        outcome.undo_s = time.perf_counter() - began
        if _leading_to(vault, HUB) != had:
            outcome.faults.append(f"after undo {_leading_to(vault, HUB)} of {had} links lead to it")
        if not vault.verify().identical:
            outcome.faults.append("verify: index and files differ")
    if files_of(root) != before:
        outcome.faults.append("undo did not give back every byte")
    if outcome.events != 1:
        outcome.faults.append(f"{outcome.events} events instead of 1")
    if outcome.links < links:
        outcome.faults.append(f"{outcome.links} of {links} links were rewritten")
    if outcome.rename_s > limit_s:
        outcome.faults.append(f"slower than {limit_s:g} s")
    return outcome


def _leading_to(vault: Vault, path: str) -> int:
    return sum(len(source.places) for source in vault.backlinks(path).sources)


def main() -> int:
    """1 when it is too slow or anything is not as it should be."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.torture.rename",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--links", type=int, default=5000)
    parser.add_argument("--notes", type=int, default=3000)
    parser.add_argument("--limit", type=float, default=LIMIT_S, help="seconds for the rename")
    parser.add_argument("--words", action="store_true", help="an index without vectors")
    parser.add_argument("--folder", type=Path, help="an existing folder to work in")
    chosen = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="vaultmem-rename-", dir=chosen.folder))
    try:
        outcome = torture(
            folder / "vault",
            links=chosen.links,
            notes=chosen.notes,
            limit_s=chosen.limit,
            settings=WORDS if chosen.words else MEANING,
        )
    finally:
        shutil.rmtree(folder)
    for line in outcome.lines(chosen.limit):
        print(line)
    return 1 if outcome.faults else 0


if __name__ == "__main__":
    sys.exit(main())
