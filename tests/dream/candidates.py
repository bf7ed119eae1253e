"""How many real duplicates are proposed, and how long it takes.

    python -m tests.dream.candidates [--blocks 100000] [--planted 500] [--series 3000] [--seed 1]

Blocks of 20 to 120 random words, a series of look-alike daily notes among them, and planted pairs in which a tenth of the
words is changed. One core. Ends with 1 when a target was missed.
"""

from __future__ import annotations

import argparse
import time
from random import Random

from tests.dream.duplicates import duplicates
from tests.dream.figures import Figure, tell
from tests.dream.words import Half
from vaultmem.dream.candidates import candidate_pairs

MOST_SECONDS = 20.0
"""For 100,000 blocks; more or fewer in proportion."""


def made_blocks(count: int, rng: Random, words: int = 30_000) -> list[str]:
    """Texts of random words, rarer ones the more often the more common they are."""
    vocabulary = [
        "".join(rng.choices("aeioubcdfglmnprst", k=rng.randint(2, 10))) for _ in range(words)
    ]
    texts = []
    for _ in range(count):
        places = (int(words * rng.random() ** 3) for _ in range(rng.randint(20, 120)))
        texts.append(" ".join([vocabulary[place] for place in places]))
    return texts


def _tenth_changed(words: list[str], rng: Random) -> list[str]:
    return [word[::-1] if rng.random() < 0.1 else word for word in words]


def series(count: int, rng: Random) -> list[str]:
    """Daily notes from one template, with a different line in each."""
    return [
        f"## Daily log {2000 + n // 365}-{n % 365:03}\n\n- [ ] water the plants\n- [ ] read for an hour\n- [ ] no sugar\n"
        f"- weather: {rng.choice(('sun', 'rain', 'fog'))}\n- mood: {rng.randint(1, 10)}\n- steps: {rng.randint(0, 20000)}"
        for n in range(count)
    ]


def measure(blocks: int, planted: int, in_series: int, seed: int) -> list[Figure]:
    """Recall of planted pairs, pairs proposed for each block, seconds."""
    rng = Random(f"candidates {seed}")
    pairs = list(duplicates(planted, Half.HELD_OUT, seed))
    texts = made_blocks(blocks - 2 * planted - in_series, rng) + series(in_series, rng)
    # Real notes do not share whole sentences with thousands of others, as planted ones do: each pair has words of its own.
    own = made_blocks(planted, rng)
    planted_at = len(texts)
    for pair, words in zip(pairs, own, strict=True):
        kept = words.split()[: max(8, len(pair.a.split()) // 2)]
        texts += [f"{pair.a} {' '.join(kept)}", f"{pair.b} {' '.join(_tenth_changed(kept, rng))}"]
    began = time.process_time()
    found = candidate_pairs(texts)
    seconds = time.process_time() - began
    proposed = {(pair.a, pair.b) for pair in found}
    hits = sum((planted_at + 2 * i, planted_at + 2 * i + 1) in proposed for i in range(planted))
    most = MOST_SECONDS * max(blocks, 1000) / 100_000
    return [
        Figure("planted duplicates proposed", hits / planted, least=0.99, of=planted),
        Figure("pairs proposed for each block", len(found) / blocks, most=20.0, of=blocks),
        Figure("seconds of one core", seconds, most=most, of=blocks),
    ]


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m tests.dream.candidates")
    parser.add_argument("--blocks", type=int, default=100_000)
    parser.add_argument("--planted", type=int, default=500)
    parser.add_argument("--series", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=1)
    o = parser.parse_args()
    return tell(measure(o.blocks, o.planted, o.series, o.seed))


if __name__ == "__main__":
    raise SystemExit(main())
