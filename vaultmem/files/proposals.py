"""Proposals that wait for a person, one file each in ``.vaultmem/proposals``, named by their ids: devices that find the
same thing write the same file. Beside one that is to stay out of the review note lies an empty file of its name."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from vaultmem.files.device import device_id
from vaultmem.files.refusals import WriteFailed
from vaultmem.files.state_file import StateFile

_FOLDER: Final = "proposals"
_ASIDE: Final = ".aside"
_NAME: Final = re.compile(r"[0-9a-f]+\.json")
"""Of a proposal. A sync tool that meets two devices' files leaves a second one under a longer name: it is the same proposal."""

MOST_KNOWN: Final = 2_000
"""Proposals that a device remembers to have had; those that wait are kept first."""


class ProposalFiles:
    """The folder of one vault."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._folder = root / ".vaultmem" / _FOLDER

    def count(self) -> int:
        """How many wait."""
        return len(self._names())

    def names(self) -> frozenset[str]:
        """The names of all that wait, those among them that cannot be read."""
        return frozenset(name.removesuffix(".json") for name in self._names())

    def load_all(self) -> list[str]:
        """The texts, the oldest file first, then by name; those that cannot be read are left out."""
        found = [StateFile(self._root, f"{_FOLDER}/{name}").load() for name in self._names()]
        return [text for text in found if text is not None]

    def save(self, name: str, text: str) -> None:
        """Keeps a proposal. Raises WriteFailed, VaultVanishedError."""
        StateFile(self._root, f"{_FOLDER}/{name}.json").save(text)

    def remove(self, name: str) -> None:
        """Takes it away, if it is there."""
        StateFile(self._root, f"{_FOLDER}/{name}.json").remove()
        self._aside_file(name).remove()

    def aside(self) -> frozenset[str]:
        """The names of those that are to stay out of the review note."""
        try:
            return frozenset(path.stem for path in self._folder.glob(f"*{_ASIDE}"))
        except OSError:
            return frozenset()

    def set_aside(self, names: Collection[str]) -> None:
        """Lets these stay out of the review note, and no others. Raises WriteFailed, VaultVanishedError."""
        held = self.aside()
        for name in sorted(held.difference(names)):
            self._aside_file(name).remove()
        for name in sorted(frozenset(names) - held):
            self._aside_file(name).save("")

    def _aside_file(self, name: str) -> StateFile:
        return StateFile(self._root, f"{_FOLDER}/{name}{_ASIDE}")

    def _names(self) -> list[str]:
        try:
            found = [
                (path.stat().st_mtime_ns, path.name)
                for path in self._folder.glob("*.json")
                if _NAME.fullmatch(path.name)
            ]
        except OSError:
            return []
        return [name for _, name in sorted(found)]


class ShownProposals:
    """Which proposals stood in the review note when this device had written it: one that stands there no longer was
    taken out by a person. What another device wrote may still be on its way, so each keeps its own word."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def _file(self) -> StateFile:
        return StateFile(self._root, f"dream/{device_id(self._root)}-shown.json")

    def load(self) -> frozenset[str]:
        """Their names; none where nothing is known, and where nothing can be written, as on read-only media."""
        try:
            told: object = json.loads(self._file().load() or "[]")
        except (ValueError, WriteFailed):
            return frozenset()
        return frozenset(map(str, told)) if isinstance(told, list) else frozenset()

    def save(self, names: Collection[str]) -> None:
        """Keeps the names, if they are others than before. Raises WriteFailed, VaultVanishedError."""
        if frozenset(names) != self.load():
            self._file().save(json.dumps(sorted(names)))


@dataclass(frozen=True, slots=True)
class KnownHere:
    """What this device knows of proposals, and what it has said of those that it does not know."""

    known: tuple[str, ...] = ()
    """Names of the proposals that it has had and whose notes were here as they were made from, the latest last: one of
    them that waits no longer is settled."""
    told: frozenset[str] = frozenset()
    """What a person was told, by a name for each; as long as it holds, it is not told again."""


class KnownProposals:
    """The file with that. Losing it costs a word that is said again, and an item that stays in the note too long."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def _file(self) -> StateFile:
        return StateFile(self._root, f"dream/{device_id(self._root)}-known.json")

    def load(self) -> KnownHere:
        """What was kept; nothing where there is none, or none that can be read."""
        try:
            told: object = json.loads(self._file().load() or "{}")
        except (ValueError, WriteFailed):
            return KnownHere()
        if not isinstance(told, dict):
            return KnownHere()
        known, said = told.get("known"), told.get("told")
        return KnownHere(
            tuple(map(str, known)) if isinstance(known, list) else (),
            frozenset(map(str, said)) if isinstance(said, list) else frozenset(),
        )

    def save(self, here: KnownHere) -> None:
        """Keeps it where that is possible. Raises VaultVanishedError."""
        here = KnownHere(here.known[-MOST_KNOWN:], here.told)
        before = self.load()
        if frozenset(here.known) == frozenset(before.known) and here.told == before.told:
            return
        with suppress(WriteFailed):
            self._file().save(json.dumps({"known": here.known, "told": sorted(here.told)}))
