"""A whole sentence model, small enough to be made for each test."""

from __future__ import annotations

import json
from pathlib import Path

from tests.embed.bert_reference import EPSILON, HEADS, LAYERS, WIDTH, made_up_weights
from vaultmem.embed.bert import BertShape, bert_model

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "tide", "gauge", "storm", "petrel", "rope", "knot"]

SHAPE = BertShape(LAYERS, WIDTH, HEADS, EPSILON)

__all__ = ["HEADS", "LAYERS", "SHAPE", "WORDS", "made_up_weights", "small_model", "tokenizer"]


def small_model(folder: Path, *, seed: int = 7, limit: int = 16) -> Path:
    """Writes model and tokenizer into the folder, which is made, and returns it."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.onnx").write_bytes(bert_model(made_up_weights(seed), SHAPE))
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer()), encoding="utf-8")
    (folder / "tokenizer_config.json").write_text(
        json.dumps({"model_max_length": limit, "pad_token": "[PAD]"}), encoding="utf-8"
    )
    return folder


def tokenizer() -> dict[str, object]:
    """A tokenizer of whole words, in the form of a file."""
    vocabulary = {word: number for number, word in enumerate(WORDS)}
    return {
        "version": "1.0",
        "added_tokens": [],
        "normalizer": {"type": "Lowercase"},
        "pre_tokenizer": {"type": "Whitespace"},
        "post_processor": {
            "type": "BertProcessing",
            "sep": ["[SEP]", 3],
            "cls": ["[CLS]", 2],
        },
        "model": {"type": "WordLevel", "vocab": vocabulary, "unk_token": "[UNK]"},
    }
