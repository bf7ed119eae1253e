"""A folder that holds a sentence model in ONNX form, as it is published, for machines without a network.

Needed are ``tokenizer.json`` and an ONNX file: ``model.onnx``, in the folder or in ``onnx`` below it, or the only
one that there is. What says how the model is used is read where it lies beside them, as sentence-transformers writes
it: pooling (``1_Pooling/config.json``), length (``sentence_bert_config.json``), prefixes
(``config_sentence_transformers.json``). A file ``vaultmem.json`` says it over all of these::

    {"pooling": "mean", "token_limit": 512, "query_prefix": "query: ", "passage_prefix": "passage: "}
"""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from vaultmem.embed.facts import ModelFacts, read_facts, write_facts
from vaultmem.embed.noise import measured_noise
from vaultmem.embed.onnx import OnnxEmbedder, OnnxModel, Pooling, open_session
from vaultmem.embed.prefixes import Prefixes, prefixes_of
from vaultmem.errors import EmbedderError

if TYPE_CHECKING:
    from vaultmem.embed.options import EmbedOptions

__all__ = ["folder_model"]

_USUAL_LIMIT: Final = 512
_ONNX: Final = ("model.onnx", "onnx/model.onnx", "model_optimized.onnx", "model_quantized.onnx")
_OWN: Final = "vaultmem.json"
_TOKENIZER: Final = "tokenizer.json"


def folder_model(path: str, options: EmbedOptions) -> OnnxEmbedder:
    """The embedder of the model in the folder. What is the same whatever text is embedded is found out once, which
    takes a second or two. Raises EmbedderError when it is no model's folder, or a file is broken."""
    folder = Path(path).expanduser()
    if not folder.is_absolute():
        raise EmbedderError(
            f"The folder of an embedding model has to be named from the root: {path!r}.",
            hint="As in: path:/models/NAME",
        )
    weights, tokenizer = _weights(folder), folder / _TOKENIZER
    if not tokenizer.is_file():
        raise EmbedderError(f"{tokenizer} is missing.", hint="It belongs to every such model.")
    said = _said(folder)
    seal = _seal([weights, tokenizer], said)
    facts = read_facts(options.folder, str(folder), seal)
    if facts is None:
        facts = _found_out(folder, weights, tokenizer, said, seal, options)
        write_facts(options.folder, str(folder), facts)
    return OnnxEmbedder(_model(folder, weights, tokenizer, said, facts), options.thread_count)


def _weights(folder: Path) -> Path:
    for name in _ONNX:
        if (folder / name).is_file():
            return folder / name
    found = sorted([*folder.glob("*.onnx"), *folder.glob("onnx/*.onnx")])
    if len(found) == 1:
        return found[0]
    if not folder.is_dir():
        raise EmbedderError(f"There is no folder {folder}.", hint="embed.model names it.")
    raise EmbedderError(
        f"{folder} holds {len(found) or 'no'} files *.onnx.",
        hint="One of them has to be called model.onnx.",
    )


def _said(folder: Path) -> dict[str, str | int]:
    """What the files beside the model say of its use."""
    said: dict[str, str | int] = {}
    pooling = _read(folder / "1_Pooling" / "config.json")
    for key, value in (
        ("pooling_mode_cls_token", Pooling.CLS),
        ("pooling_mode_lasttoken", Pooling.LAST),
    ):
        if pooling.get(key) is True:
            said["pooling"] = str(value)
    for name, key in (
        ("tokenizer_config.json", "model_max_length"),
        ("sentence_bert_config.json", "max_seq_length"),
    ):
        limit = _read(folder / name).get(key)
        if isinstance(limit, int) and 2 < limit < 1_000_000:
            said["token_limit"] = min(limit, int(said.get("token_limit", limit)))
    prompts = _read(folder / "config_sentence_transformers.json").get("prompts")
    if isinstance(prompts, dict):
        for ours, theirs in (
            ("query_prefix", ("query",)),
            ("passage_prefix", ("document", "passage")),
        ):
            for key in theirs:
                if isinstance(prompts.get(key), str):
                    said[ours] = prompts[key]
    own = _read(folder / _OWN)
    said.update({key: own[key] for key in _CHECKS if _CHECKS[key](own.get(key))})
    return said


_CHECKS: Final[dict[str, Any]] = {
    "pooling": lambda value: value in set(map(str, Pooling)),
    "token_limit": lambda value: isinstance(value, int) and value > 2,
    "query_prefix": lambda value: isinstance(value, str),
    "passage_prefix": lambda value: isinstance(value, str),
}


def _read(path: Path) -> dict[str, Any]:
    try:
        read = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return read if isinstance(read, dict) else {}


def _seal(files: list[Path], said: dict[str, str | int]) -> str:
    """Another seal when a file was changed, by its stat data; hashing a big model would cost every command."""
    stats = [path.stat() for path in files]
    parts = [f"{s.st_size}-{s.st_mtime_ns}" for s in stats]
    return "/".join([*parts, json.dumps(said, sort_keys=True)])


def _found_out(
    folder: Path,
    weights: Path,
    tokenizer: Path,
    said: dict[str, str | int],
    seal: str,
    options: EmbedOptions,
) -> ModelFacts:
    digest = sha256(json.dumps(said, sort_keys=True).encode())
    for path in (weights, tokenizer):
        digest.update(path.read_bytes())
    session = open_session(weights, lambda why: EmbedderError(f"The model is broken: {why}."))
    shape: list[object] = list(session.get_outputs()[0].shape)
    dim = shape[-1] if shape else None
    if not isinstance(dim, int):
        raise EmbedderError(f"{weights} does not say how long its vectors are.")
    identity = f"onnx/{digest.hexdigest()[:24]}/{dim}"
    bare = ModelFacts(seal, identity, dim, 0.0)
    probe = OnnxEmbedder(_model(folder, weights, tokenizer, said, bare), options.thread_count)
    return ModelFacts(seal, identity, dim, measured_noise(probe))


def _model(
    folder: Path, weights: Path, tokenizer: Path, said: dict[str, str | int], facts: ModelFacts
) -> OnnxModel:
    named = prefixes_of(folder.name)
    prefixes = Prefixes(
        str(said.get("query_prefix", named.query)), str(said.get("passage_prefix", named.passage))
    )
    return OnnxModel(
        model=facts.identity,
        weights=weights,
        tokenizer=tokenizer,
        dim=facts.dim,
        noise_floor=facts.noise_floor,
        token_limit=int(said.get("token_limit", _USUAL_LIMIT)),
        pooling=Pooling(str(said.get("pooling", Pooling.MEAN))),
        query_prefix=prefixes.query,
        passage_prefix=prefixes.passage,
        mend=f"Put the model's files into {folder} anew.",
    )
