"""Embedders by name."""

from __future__ import annotations

import pytest

from vaultmem.embed.registry import DEFAULT_EMBEDDER, EMBEDDER_NAMES, load_embedder
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

    assert str(caught.value) == "There is no embedder called 'statik'. Known are: static, none."


def test_every_name_in_the_list_can_be_loaded() -> None:
    assert [name for name in EMBEDDER_NAMES if load_embedder(name) is None] == ["none"]
