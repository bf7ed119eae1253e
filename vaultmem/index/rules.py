"""What of Obsidian's settings decides rows: which files are excluded, and which are templates.

The index keeps both, so that a setting that says nothing about a row costs nothing, and another one only what it
changes: exclusions a column of ``vault_files``, the templates folder the notes in it.
"""

from __future__ import annotations

import json
from typing import NamedTuple

from vaultmem.notes.obsidian import ObsidianSettings
from vaultmem.notes.paths import path_key


class Rules(NamedTuple):
    """The settings by which an index was made."""

    exclusions: str
    """Every filter in effect, as JSON (F-03)."""
    templates: str
    """Key of the templates folder's path; "" without one (F-07)."""

    def rereads(self, path: str, after: Rules) -> bool:
        """Whether a file says something else under the rules that follow: templates folder in or out."""
        return self.templates != after.templates and path_key(path).startswith(
            tuple(f"{folder}/" for folder in (self.templates, after.templates) if folder)
        )


def rules_of(settings: ObsidianSettings) -> Rules:
    """The rules that the settings amount to."""
    patterns = [pattern.pattern for pattern in settings.ignored_patterns]
    exclusions = json.dumps([sorted(settings.ignored_prefixes), sorted(patterns)])
    return Rules(exclusions, path_key(settings.templates_folder or ""))
