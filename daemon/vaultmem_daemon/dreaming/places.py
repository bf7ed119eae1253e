"""The folders of the dream in a vault, as vault paths."""

from __future__ import annotations

from dataclasses import dataclass

from vaultmem.places import ARCHIVE_FOLDER, DREAMS_FOLDER, REVIEW_FOLDER
from vaultmem.vault import Vault


@dataclass(frozen=True, slots=True)
class DreamPlaces:
    """Where managed notes, digests, reviews and archived notes lie."""

    memory: str

    @classmethod
    def of(cls, vault: Vault) -> DreamPlaces:
        """Those of the vault's settings."""
        return cls(vault.settings.memory.root)

    @property
    def archive(self) -> str:
        """The folder of archived notes."""
        return f"{self.memory}/{ARCHIVE_FOLDER}"

    @property
    def dreams(self) -> str:
        """The folder of digests."""
        return f"{self.memory}/{DREAMS_FOLDER}"

    @property
    def review(self) -> str:
        """The folder of what waits for review."""
        return f"{self.memory}/{REVIEW_FOLDER}"

    def is_ours(self, path: str) -> bool:
        """Whether a note is a digest or a review, of which the dream takes no notice."""
        return path.startswith((f"{self.dreams}/", f"{self.review}/"))

    def is_memory(self, path: str) -> bool:
        """Whether the path is below the memory root, where notes of ours stand."""
        return path.startswith(f"{self.memory}/")

    def is_archived(self, path: str) -> bool:
        """Whether a note lies in the archive."""
        return path.startswith(f"{self.archive}/")
