"""The folders of the dream, below the memory root."""

from __future__ import annotations

from typing import Final

ARCHIVE_FOLDER: Final = "_archive"
"""Below the memory root: what the dream archived, each note with the rest of its path. Out of default search."""

REVIEW_FOLDER: Final = "_review"
"""Below the memory root: what waits for a person's word. Out of default search: it quotes other notes."""

DREAMS_FOLDER: Final = "_dreams"
"""Below the memory root: the daily digests. Out of default search for the same reason."""
