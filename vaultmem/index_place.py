"""Where a vault's index goes: the folder that the settings name, or another where that one cannot be written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final

from vaultmem.embedder_choice import EmbedderChoice
from vaultmem.files.places import is_writable
from vaultmem.index.store import IndexStore
from vaultmem.places import index_dir
from vaultmem.settings import Settings

READ_ONLY: Final = "the vault cannot be written"


def place_index(
    root: Path,
    settings: Settings,
    choice: EmbedderChoice,
    *,
    cache_root: Path,
    clock_ns: Callable[[], int],
    cores: int,
) -> IndexStore:
    """The index in the folder that settings name; in the user's cache if that folder cannot be written and holds no
    index that can be used."""

    def store_in(folder: Path, why_there: str = "") -> IndexStore:
        return IndexStore(
            root,
            folder,
            semantics=lambda: choice.semantics,
            clock_ns=clock_ns,
            cores=cores,
            why_there=why_there,
            capture_hand_edits=settings.history.capture_hand_edits,
            former=choice.former,
        )

    folder = index_dir(root, settings, cache_root)
    store = store_in(folder)
    if settings.index.location == "cache" or is_writable(folder) or store.opened.is_usable():
        return store
    cached = replace(settings, index=replace(settings.index, location="cache"))
    return store_in(index_dir(root, cached, cache_root), READ_ONLY)
