"""What the tests of writing share: a vault in a folder, its bytes, and rules without waiting."""

from __future__ import annotations

from pathlib import Path

from vaultmem.files.read import content_hash
from vaultmem.files.targets import WriteRules

AT_ONCE = WriteRules(quiet=0, settle=0)
"""Nobody else writes in these tests."""

STATE = ".vaultmem"


def fill(root: Path, files: dict[str, bytes]) -> None:
    """Makes the files, by vault path."""
    for path, data in files.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)


def contents(root: Path) -> dict[str, bytes]:
    """All files of the vault but our own, dot files included."""
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file() and path.relative_to(root).parts[0] != STATE
    }


def hash_of(root: Path, path: str) -> str:
    """Of the file as it is."""
    return content_hash((root / path).read_bytes())
