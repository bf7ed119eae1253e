"""Folders that a change had made and that hold nothing any more once it is taken back."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from vaultmem.files.refusals import WriteRefused
from vaultmem.files.targets import WriteRules, existing_target, real_root


def remove_emptied(root: Path, paths: Iterable[str], rules: WriteRules) -> None:
    """Removes those of the folders that are empty, the inner before the outer. One that holds anything, even what the
    vault does not look at, stays; so does what is no folder of the vault's own, and what the disk does not let go."""
    real = real_root(root)
    for path in sorted(set(paths), reverse=True):
        with suppress(WriteRefused, OSError):
            target = existing_target(real, path, rules)
            if target.path == path:  # no link
                os.rmdir(os.path.join(target.folder, target.name))
