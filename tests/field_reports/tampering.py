"""Damage done to an index file behind the product's back, as cases describe it in words."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Final

from vaultmem.index.connection import open_index

Damage = Callable[[Path, re.Match[str]], None]

SEED: Final = 20310405


def tamper(index: Path, how: str) -> bool:
    """Does what the words say; False when they say nothing that is known."""
    found = False
    for pattern, damage in DAMAGES:
        if match := re.search(pattern, how, re.IGNORECASE):
            damage(index, match)
            found = True
    return found


def _drop_row(index: Path, match: re.Match[str]) -> None:
    with closing(open_index(index)) as connection:
        connection.execute(
            "DELETE FROM notes_blocks WHERE note_id = (SELECT id FROM vault_files WHERE path = ?)",
            (match[1],),
        )


def _add_row(index: Path, match: re.Match[str]) -> None:
    with closing(open_index(index)) as connection:
        connection.execute(
            """
            INSERT INTO notes_blocks
            SELECT (SELECT max(id) + 1 FROM notes_blocks), note_id, 1000, 0, '', 0, 0, 'a row that no table knows'
            FROM notes_blocks ORDER BY id LIMIT 1
            """
        )


def _overwrite(index: Path, match: re.Match[str]) -> None:
    first, last = (int(number.replace(",", "")) for number in match.groups())
    with index.open("r+b") as file:
        file.seek(first)
        file.write(random.Random(SEED).randbytes(last - first))


def _truncate(index: Path, match: re.Match[str]) -> None:
    with index.open("r+b") as file:
        file.truncate(index.stat().st_size // 2)


def _empty(index: Path, match: re.Match[str]) -> None:
    index.write_bytes(b"")


def _replace(index: Path, match: re.Match[str]) -> None:
    index.write_bytes(match[1].encode())


def _delete(index: Path, match: re.Match[str]) -> None:
    for suffix in ("", "-wal", "-shm"):
        index.with_name(index.name + suffix).unlink(missing_ok=True)


DAMAGES: Final[tuple[tuple[str, Damage], ...]] = (
    (r"delete the stored rows? of (\S+)", _drop_row),
    (r"add a row the full-text table never saw", _add_row),
    (r"overwrite bytes ([\d,]+) to ([\d,]+) of the database file", _overwrite),
    (r"truncate the database file to half", _truncate),
    (r"(?:truncate the database file to nothing|empty the database file)", _empty),
    (r"replace the database file with the text '([^']*)'", _replace),
    (r"delete the database file", _delete),
)
"""Words, and the damage that they mean; of several that a description holds, each is done in this order."""
