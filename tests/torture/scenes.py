"""What is done to a vault while it is killed, or the disk is taken away: each a vault as it was, and steps from there."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.torture.linked import FOLDER, HEADING, HUB, files_of, linked_vault, put
from tests.vaults import WORDS
from vaultmem.files.changes import ChangeSet, Creation, Edit, Move, apply_changes
from vaultmem.files.events import EventKind
from vaultmem.files.read import content_hash
from vaultmem.notes.note_edit import AppendText
from vaultmem.notes.property_edit import SetProperty
from vaultmem.notes.rename import LinkUpdates
from vaultmem.settings import EmbedSettings, Settings
from vaultmem.vault import Vault

MEANING: Final = Settings(embed=EmbedSettings(model="static"))
"""Settings with vectors."""

Step = Callable[[Vault], object]


@dataclass(frozen=True, slots=True)
class Scene:
    """One kind of work. Each step is one event of the journal, or none when it writes no note."""

    name: str
    steps: tuple[Step, ...]
    before: tuple[Step, ...] = ()
    """What was done before the vault is at rest."""
    outside: Callable[[Path], None] | None = None
    """What another program then did to the files."""
    writes: bool = True
    """Whether each step is an event and changes files."""


def opened(root: Path, settings: Settings = WORDS, *, later_s: float = 0) -> Vault:
    """The vault as a command would open it, ``later_s`` seconds later than now."""
    if not later_s:
        return Vault(root, settings, cache_root=root.with_name("cache"), cores=1)
    from time import time_ns

    ahead = int(later_s * 1e9)
    return Vault(
        root,
        settings,
        cache_root=root.with_name("cache"),
        clock_ns=lambda: time_ns() + ahead,
        cores=1,
    )


def make(root: Path, scene: Scene, notes: int, settings: Settings) -> None:
    """The vault at rest, as the scene needs it."""
    put(root, linked_vault(notes))
    with opened(root, settings) as vault:
        vault.sync()
        for step in scene.before:
            step(vault)


def rename(old: str, new: str) -> Step:
    """A rename with all links to it."""
    return lambda vault: vault.edits.rename(old, new, links=LinkUpdates.YES)


def _create(number: int) -> Step:
    text = f"# Made {number}\n[[note {number}]]"
    return lambda vault: vault.edits.create(f"fresh {number}/made {number}", text)


def _batch(vault: Vault) -> None:
    """Many edits, two new notes and two moves as one event."""
    root = vault.root
    files = files_of(root)
    chosen = sorted(path for path in files if path.startswith(("notes 1/", "notes 2/", "notes 3/")))
    edits = tuple(
        Edit(path, content_hash(files[path]), files[path] + b"\nOne more line.\n")
        for path in chosen
    )
    last = sorted(path for path in files if path.startswith("notes 4/"))
    moves = (
        Move(last[0], "moved/there.md", content_hash(files[last[0]])),
        Move("notes 5", "notes five", None),
    )
    creations = (Creation("made/a.md", b"# Made\n"), Creation("made/deep/b.md", b"[[a]]\n"))
    changes = ChangeSet(
        kind=EventKind.UPDATED,
        actor="torture",
        cause="a batch",
        edits=edits,
        creations=creations,
        moves=moves,
    )
    apply_changes(root, changes)
    vault.sync()


def _edit_outside(root: Path) -> None:
    """Edits, a rename, a new file, a removal and an edited canvas, as another program makes them."""
    for number in (1, 8, 15, 22):
        place = root / "notes 1" / f"note {number}.md"
        if place.exists():
            place.write_bytes(place.read_bytes() + b"\nBy hand.\n")
    os.rename(root / "notes 2/note 2.md", root / "notes 2/note two.md")
    (root / "notes 3/new.md").write_bytes(b"New, to [[note 3]].\n")
    (root / "notes 4/note 4.md").unlink()


def _drop_index(root: Path) -> None:
    for place in (root / ".vaultmem").glob("memory.db*"):
        place.unlink()


def _undo(vault: Vault) -> None:
    vault.history.undo(["last"])


def _search(vault: Vault) -> None:
    vault.search("heron")


SCENES: Final = (
    Scene("rename with many links", (rename(HUB, "Else where/New name.md"),)),
    Scene("folder rename", (rename(FOLDER, "Hub two/inner"),)),
    Scene("heading rename", (lambda v: v.edits.rename_heading(HUB, HEADING, "Other heading"),)),
    Scene("batch edit", (_batch,)),
    Scene(
        "creations",
        tuple(_create(number) for number in range(3)),
    ),
    Scene(
        "edits",
        (
            lambda v: v.edits.edit(HUB, [AppendText("A line."), SetProperty("state", "new")]),
            lambda v: v.edits.edit("note 3", [AppendText("Another.")]),
        ),
    ),
    Scene("removals", (lambda v: v.edits.remove("note 8"), lambda v: v.edits.remove(HUB))),
    Scene("undo of a rename", (_undo,), before=(rename(HUB, "Else where/New name.md"),)),
    Scene("undo of a batch", (_undo,), before=(_batch,)),
    Scene("sync after outside edits", (lambda v: v.sync(),), outside=_edit_outside, writes=False),
    Scene("a search that syncs", (_search,), outside=_edit_outside, writes=False),
    Scene("rebuild in place", (lambda v: v.rebuild(),), outside=_edit_outside, writes=False),
    Scene("rebuild from nothing", (lambda v: v.rebuild(),), outside=_drop_index, writes=False),
)
