"""What was found out about a model once and holds as long as its files do: kept beside the models as JSON.

Only a cache: a file that cannot be read or written costs time, nothing else.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import asdict, dataclass
from hashlib import blake2b
from pathlib import Path
from tempfile import NamedTemporaryFile

__all__ = ["ModelFacts", "drop_facts", "read_facts", "write_facts"]


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """What the index has to know of a model before it is loaded."""

    seal: str
    """What the facts were found out about: another seal, other facts."""
    identity: str
    dim: int
    noise_floor: float


def read_facts(models: Path, name: str, seal: str) -> ModelFacts | None:
    """The facts kept for the model, if they were found out about the same files."""
    try:
        read = json.loads(_place(models, name).read_bytes())
        facts = ModelFacts(
            str(read["seal"]), str(read["identity"]), int(read["dim"]), float(read["noise_floor"])
        )
    except (OSError, ValueError, TypeError, KeyError):
        return None
    return facts if facts.seal == seal else None


def write_facts(models: Path, name: str, facts: ModelFacts) -> None:
    """Keeps the facts, where that is possible."""
    place = _place(models, name)
    with suppress(OSError):
        place.parent.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile("w", dir=place.parent, encoding="utf-8", delete=False) as file:
            json.dump(asdict(facts), file)
        os.replace(file.name, place)


def drop_facts(models: Path, name: str) -> None:
    """Forgets what was found out about the model."""
    with suppress(OSError):
        _place(models, name).unlink(missing_ok=True)


def _place(models: Path, name: str) -> Path:
    digest = blake2b(name.encode("utf-8", "surrogateescape"), digest_size=8).hexdigest()
    return models / "facts" / f"{digest}.json"
