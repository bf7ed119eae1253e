"""``init`` makes a settings file that says nothing new, and never overwrites one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.command import run
from vaultmem.settings import SETTINGS, load_settings

IGNORED = (
    "memory.db*",
    "embeddings.db*",
    "*.lock",
    "intents/",
    "displaced/",
    "activity",
    "daemon.*",
)


def test_the_new_file_names_every_setting_of_a_vault_and_changes_none(
    vault: Path, tmp_path: Path
) -> None:
    assert run("init", "--vault", str(vault)).code == 0
    text = (vault / ".vaultmem/config.toml").read_text(encoding="utf-8")
    assert all(
        f"# {setting.key.partition('.')[2]} = " in text for setting in SETTINGS if setting.in_vault
    )
    assert "base_url" not in text
    settings = load_settings(vault=vault, user_config=tmp_path / "none.toml", environ={})
    assert settings.origins == ()


def test_each_commented_default_is_valid(vault: Path, tmp_path: Path) -> None:
    assert run("init", "--vault", str(vault)).code == 0
    config = vault / ".vaultmem/config.toml"
    lines = config.read_text(encoding="utf-8").splitlines()
    config.write_text(
        "\n".join(line.removeprefix("# ") if " = " in line else line for line in lines),
        encoding="utf-8",
    )
    settings = load_settings(vault=vault, user_config=tmp_path / "none.toml", environ={})
    assert {key for key, _ in settings.origins} == {
        setting.key for setting in SETTINGS if setting.in_vault
    }


def test_derived_files_are_kept_out_of_git(vault: Path) -> None:
    assert run("init", "--vault", str(vault)).code == 0
    lines = (vault / ".vaultmem/.gitignore").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if line and line[0] != "#"] == list(IGNORED)


def test_location_cache_keeps_the_index_out_of_the_vault(vault: Path, tmp_path: Path) -> None:
    assert run("init", "--location", "cache", "--vault", str(vault)).code == 0
    assert run("rebuild", "--no-vectors", "--vault", str(vault)).code == 0
    assert sorted(path.name for path in (vault / ".vaultmem").iterdir()) == [
        ".gitignore",
        "config.toml",
    ]
    assert list((tmp_path / "home").rglob("memory.db")) != []


def test_what_comes_next(vault: Path) -> None:
    first = run("init", "--vault", str(vault))
    assert run("rebuild", "--no-vectors", "--vault", str(vault)).code == 0
    second = run("init", "--vault", str(vault))

    assert first.err == "Next: vaultmem rebuild, then vaultmem search WORDS.\n"
    assert second.err == "Next: vaultmem search WORDS.\n"


def test_an_index_in_the_cache_counts(vault: Path) -> None:
    assert run("init", "--location", "cache", "--vault", str(vault)).code == 0
    assert run("rebuild", "--no-vectors", "--vault", str(vault)).code == 0

    assert run("init", "--vault", str(vault)).err == "Next: vaultmem search WORDS.\n"


def test_switches_are_written_as_toml_has_them(vault: Path) -> None:
    assert run("init", "--vault", str(vault)).code == 0
    text = (vault / ".vaultmem/config.toml").read_text(encoding="utf-8")

    assert "# capture_hand_edits = false\n" in text
    assert "history.capture_hand_edits  false " in run("config", "--vault", str(vault)).out


def test_what_is_there_stays(vault: Path) -> None:
    (vault / ".vaultmem").mkdir()
    config = vault / ".vaultmem/config.toml"
    config.write_text("[search]\nlimit = 3\n", encoding="utf-8")
    ran = run("init", "--vault", str(vault))
    assert ran.code == 0
    assert f"kept     {config}" in ran.out
    assert config.read_text(encoding="utf-8") == "[search]\nlimit = 3\n"


def test_a_location_that_the_file_contradicts_is_refused(vault: Path) -> None:
    assert run("init", "--location", "vault", "--vault", str(vault)).code == 0
    ran = run("init", "--location", "cache", "--vault", str(vault))
    assert ran.code == 4
    assert ran.err.splitlines()[1] == 'hint: Write location = "cache" there, under [index].'


def test_an_empty_folder_becomes_a_vault(
    user: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    new = tmp_path / "new"
    new.mkdir()
    monkeypatch.chdir(new)
    assert run("status").code == 3
    assert run("init").code == 0
    assert run("status").code == 0


def test_from_inside_a_vault_the_vault_is_meant(
    vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (vault / ".obsidian").mkdir()
    (vault / "Daily").mkdir()
    monkeypatch.chdir(vault / "Daily")
    assert run("init").code == 0
    assert (vault / ".vaultmem/config.toml").is_file()
