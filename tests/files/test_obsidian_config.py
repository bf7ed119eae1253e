"""Obsidian's settings as they stand on the disk (G-07)."""

import os
from pathlib import Path

import pytest

from vaultmem.files.obsidian_config import read_obsidian_config
from vaultmem.notes.obsidian import LinkFormat, ObsidianSettings


def put(root: Path, name: str, text: str, folder: str = ".obsidian") -> None:
    (root / folder).mkdir(exist_ok=True)
    (root / folder / name).write_bytes(text.encode())


def test_a_vault_that_obsidian_never_saw_has_defaults(tmp_path: Path) -> None:
    assert read_obsidian_config(tmp_path) == ObsidianSettings()


def test_the_settings_are_read(tmp_path: Path) -> None:
    put(tmp_path, "app.json", '{"newLinkFormat": "absolute"}')
    put(tmp_path, "templates.json", '{"folder": "Forms"}')
    settings = read_obsidian_config(tmp_path)
    assert settings == ObsidianSettings(
        new_link_format=LinkFormat.ABSOLUTE, templates_folder="Forms"
    )


def test_the_configuration_folder_may_have_another_name(tmp_path: Path) -> None:
    put(tmp_path, "app.json", '{"useMarkdownLinks": true}', ".obsidian-phone")
    assert not read_obsidian_config(tmp_path).use_markdown_links
    assert read_obsidian_config(tmp_path, ".obsidian-phone").use_markdown_links


def test_broken_files_are_named_and_never_stop_anything(tmp_path: Path) -> None:
    put(tmp_path, "app.json", "{")
    (tmp_path / ".obsidian/types.json").write_bytes(b'{"types": {"a\xff": "text"}}')
    (tmp_path / ".obsidian/templates.json").mkdir()
    settings = read_obsidian_config(tmp_path)
    assert sorted(warning.split()[0] for warning in settings.warnings) == [
        "app.json",
        "templates.json",
        "types.json",
    ]
    assert settings == ObsidianSettings(warnings=settings.warnings)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes in folders here")
def test_a_pipe_in_place_of_a_file_does_not_block(tmp_path: Path) -> None:
    (tmp_path / ".obsidian").mkdir()
    os.mkfifo(tmp_path / ".obsidian/app.json")
    (warning,) = read_obsidian_config(tmp_path).warnings
    assert "app.json" in warning
