"""Embedders by name."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from vaultmem.embed.options import EmbedOptions
from vaultmem.embed.registry import (
    DEFAULT_EMBEDDER,
    full_name,
    is_name,
    is_on_machine,
    load_embedder,
    made_by_workers,
)
from vaultmem.embed.static import StaticEmbedder
from vaultmem.errors import EmbedderError


def test_the_default_needs_no_download() -> None:
    assert DEFAULT_EMBEDDER == "static"
    assert isinstance(load_embedder(), StaticEmbedder)


def test_none_switches_vectors_off() -> None:
    assert load_embedder("none") is None


def test_an_unknown_name_is_answered_with_the_known_ones() -> None:
    with pytest.raises(EmbedderError) as caught:
        load_embedder("statik")

    assert str(caught.value) == (
        "There is no embedder called 'statik'. "
        "Known are: static, minilm, minilm-int8, none, fastembed:MODEL, path:/FOLDER."
    )


@pytest.mark.parametrize(
    ("name", "whole"),
    [
        ("static", "static"),
        (" minilm ", "minilm"),
        ("BAAI/bge-small-en-v1.5", "fastembed:BAAI/bge-small-en-v1.5"),
        ("fastembed:BAAI/bge-small-en-v1.5", "fastembed:BAAI/bge-small-en-v1.5"),
        ("path:/models/x", "path:/models/x"),
    ],
)
def test_the_prefix_of_a_models_name_may_be_left_out(name: str, whole: str) -> None:
    assert (full_name(name), is_name(name)) == (whole, True)


@pytest.mark.parametrize("name", ["", "statik", "fastembed:", "path: ", "hub:x"])
def test_what_is_no_name(name: str) -> None:
    assert not is_name(name)


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        ("minilm", "Make it with: vaultmem embedder use minilm"),
        ("minilm-int8", "Make it with: vaultmem embedder use minilm-int8"),
        ("nobody/nothing", "Fetch it with: vaultmem embedder use nobody/nothing"),
    ],
)
def test_what_is_not_on_the_machine_is_told_with_the_way_to_it(
    tmp_path: Path, name: str, remedy: str
) -> None:
    options = EmbedOptions(tmp_path)

    assert not is_on_machine(full_name(name), options)
    with pytest.raises(EmbedderError, match="is not on this machine") as caught:
        load_embedder(name, options)
    assert caught.value.hint == remedy


def test_only_the_quick_one_is_made_by_every_process() -> None:
    assert [n for n in ("static", "minilm", "path:/x", "none") if made_by_workers(n)] == ["static"]


def test_heavy_packages_are_imported_only_when_a_text_is_embedded() -> None:
    code = (
        "import sys; from vaultmem.embed.registry import load_embedder; load_embedder(); "
        "import vaultmem.settings, vaultmem.vault; "
        "print([m for m in ('onnxruntime', 'fastembed', 'huggingface_hub') if m in sys.modules])"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"
