"""Obsidian's settings as they stand on the disk."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from vaultmem.files.read import UnreadableFile, decode, disk_path, read_settled
from vaultmem.notes.obsidian import SETTINGS_FILES, ObsidianSettings, read_settings

CONFIG_FOLDER = ".obsidian"


def read_obsidian_config(root: Path, folder: str = CONFIG_FOLDER) -> ObsidianSettings:
    """The vault's Obsidian settings; defaults for what is missing, and a warning for what is broken (G-07).

    A file that cannot be read counts as missing and is named in the settings' warnings. Never raises for
    what the folder holds, nor for its absence.
    """
    texts: dict[str, str] = {}
    faults: list[str] = []
    for name in SETTINGS_FILES:
        data = b""
        try:
            data = read_settled(disk_path(root, f"{folder}/{name}"), name)[1]
        except UnreadableFile as error:
            if not error.missing:
                faults.append(f"{error.message} Defaults are used.")
        text = decode(data)
        if text is None:
            faults.append(f"{name} is not valid UTF-8; defaults are used.")
        texts[name] = text or ""
    settings = read_settings(texts)
    if faults:
        settings = replace(settings, warnings=(*faults, *settings.warnings))
    return settings
