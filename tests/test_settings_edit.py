"""Changing one value of a settings file: the splice touches nothing else, or nothing at all."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vaultmem.errors import SettingsError
from vaultmem.settings_edit import check_value, set_value, with_value

KEY = "embed.model"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", '[embed]\nmodel = "m"\n'),
        ("# mine\n", '# mine\n\n[embed]\nmodel = "m"\n'),
        ("[search]\nlimit = 3", '[search]\nlimit = 3\n\n[embed]\nmodel = "m"\n'),
        ("[search]\r\nlimit = 3\r\n", '[search]\r\nlimit = 3\r\n\r\n[embed]\r\nmodel = "m"\r\n'),
        (
            '[embed]\n# which\nmodel = "static" # for now\nthreads = 1\n',
            '[embed]\n# which\nmodel = "m" # for now\nthreads = 1\n',
        ),
        ("[embed]\nmodel='static'\n", '[embed]\nmodel="m"\n'),
        ("[ embed ] # c\n  'model' = 'a'\n", "[ embed ] # c\n  'model' = \"m\"\n"),
        ('[embed]\n# model = "static"\n', '[embed]\nmodel = "m"\n# model = "static"\n'),
        ("[embed]", '[embed]\nmodel = "m"\n'),
        ("\ufeff[embed]\r\nthreads = 1", '\ufeff[embed]\r\nmodel = "m"\r\nthreads = 1'),
        ("embed.model = 'a'\n[search]\n", 'embed.model = "m"\n[search]\n'),
        (
            "[other]\nmodel = 'a'\n[embed]\nmodel = 'b'\n",
            "[other]\nmodel = 'a'\n[embed]\nmodel = \"m\"\n",
        ),
        (
            "[a]\nx = '''\n[embed]\nmodel = \"q\"\n'''\n",
            "[a]\nx = '''\n[embed]\nmodel = \"q\"\n'''\n\n[embed]\nmodel = \"m\"\n",
        ),
        ('[embed]\nmodel = "m"\n', '[embed]\nmodel = "m"\n'),
    ],
)
def test_only_the_value_changes(before: str, after: str) -> None:
    assert with_value(before, KEY, "m") == after


@given(st.text(max_size=30).filter(lambda text: text.isprintable() or "\n" in text))
@settings(max_examples=60, deadline=None)
def test_any_text_can_be_a_value(value: str) -> None:
    text = with_value("[embed]\nthreads = 2\n", KEY, value)

    assert tomllib.loads(text) == {"embed": {"model": value, "threads": 2}}


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b'embed = { model = "static" }\n', "its form leaves no place for a change"),
        (b"[embed]\nmodel = 3\n", "its form leaves no place for a change"),
        (b"[[embed]]\n", "embed is no table"),
        (b"[embed\n", "it is not valid TOML"),
    ],
)
def test_a_file_without_a_place_is_left_alone_and_told(
    tmp_path: Path, content: bytes, why: str
) -> None:
    path = tmp_path / "config.toml"
    path.write_bytes(content)

    with pytest.raises(SettingsError) as caught:
        set_value(path, KEY, "m")

    assert f"{path} was left alone: {why}" in caught.value.message
    assert caught.value.hint == 'Write there, under [embed]: model = "m"'
    assert path.read_bytes() == content


def test_a_file_that_is_not_utf_8_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_bytes(b"# \xff\n")

    with pytest.raises(SettingsError, match="is not UTF-8"):
        set_value(path, KEY, "m")

    assert path.read_bytes() == b"# \xff\n"


def test_a_missing_file_is_made_with_its_folder(tmp_path: Path) -> None:
    path = tmp_path / ".vaultmem" / "config.toml"

    assert set_value(path, KEY, "m")
    assert not set_value(path, KEY, "m")

    assert path.read_text() == '[embed]\nmodel = "m"\n'
    assert [each.name for each in path.parent.iterdir()] == ["config.toml"]


def test_rights_and_links_stay(tmp_path: Path) -> None:
    real, path = tmp_path / "shared.toml", tmp_path / "config.toml"
    real.write_text("# mine\n")
    real.chmod(0o640)
    path.symlink_to(real)

    set_value(path, KEY, "m")

    assert path.is_symlink()
    assert real.stat().st_mode & 0o777 == 0o640
    assert "model" in real.read_text()


def test_a_place_that_cannot_be_written_is_known_beforehand(tmp_path: Path) -> None:
    folder = tmp_path / "vault"
    folder.mkdir()
    folder.chmod(0o500)
    if os.access(folder, os.W_OK):
        pytest.skip("this user may write everywhere")
    with pytest.raises(SettingsError, match="cannot be written"):
        check_value(folder / ".vaultmem" / "config.toml", KEY, "m")
