"""Where embedding models lie on this machine, and how much of it they may use."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

__all__ = ["EmbedOptions"]


@dataclass(frozen=True, slots=True)
class EmbedOptions:
    """What an embedder may use; the defaults are those of the machine."""

    models: Path | None = None
    """The folder of models that were fetched or made; None for one in the user's cache folder."""
    threads: int = 0
    """Threads that embed at the same time; 0 for one per core, at most eight."""

    @property
    def folder(self) -> Path:
        """The folder of models; it need not exist."""
        if self.models is not None:
            return self.models
        from platformdirs import user_cache_path

        return user_cache_path("vaultmem", appauthor=False) / "models"

    @property
    def thread_count(self) -> int:
        """How many threads embed at the same time; at least one."""
        return self.threads or min(8, os.cpu_count() or 1)
