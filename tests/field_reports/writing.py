"""The write path as cases use it. To plug in a call: write its function and enter it in ``WRITERS``.

Each function takes the vault and the step's own keys, and raises the library's errors. A step that is not in
``WRITERS`` yet makes its case count as skipped.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from tests.field_reports.case import Details
from vaultmem.vault import Vault

Writer = Callable[[Vault, Details], object]

WRITE_STEPS: Final[Mapping[str, str]] = {
    "edit_note": "path; op: append (text), set_property (key, value), replace, insert_under_heading …",
    "create_note": "title, text, folder (optional); refused when a note of that name exists (N-08, M-17)",
    "rename_note": "path, to: the cascade of M-01 to M-19, case-only renames included",
    "rename_folder": "path, to: M-15",
    "delete_note": "path: to the trash, D-07",
    "undo": "event (optional): the last one without it",
}
"""Every step that writes through the product, with the keys that its call gets."""

WRITERS: Final[Mapping[str, Writer]] = {}
"""Those that are there."""

NOT_YET: Final = "write path not there yet"
