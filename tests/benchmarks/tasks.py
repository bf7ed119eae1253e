"""What is measured, each task in a process of its own: ``python -m tests.benchmarks.tasks NAME ARGUMENT…``.

A task prints one JSON object with its ``seconds``.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import re
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import apsw

from tests.benchmarks.measure import percentile
from vaultmem.search.model import Lane
from vaultmem.settings import EmbedSettings, Settings
from vaultmem.vault import Vault

QUERIES = 200


def open_bench_vault(root: str, *, vectors: bool = True) -> Vault:
    settings = Settings(embed=EmbedSettings(model="static" if vectors else "none"))
    return Vault(Path(root), settings, cache_root=Path(root).parent / "cache")


def markdown_files(root: str) -> Iterator[str]:
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith(".")]
        yield from (os.path.join(folder, name) for name in names if name.endswith(".md"))


def floor(root: str) -> dict[str, object]:
    """One process reads every file, hashes it, and inserts its text into a unicode61 and a trigram table."""
    target = f"{root}.floor.db"
    Path(target).unlink(missing_ok=True)
    began = time.perf_counter()
    connection = apsw.Connection(target)
    connection.execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
    connection.execute("CREATE VIRTUAL TABLE words USING fts5 (text)")
    connection.execute("CREATE VIRTUAL TABLE grams USING fts5 (text, tokenize = trigram)")
    with connection:
        for path in markdown_files(root):
            data = Path(path).read_bytes()
            hashlib.blake2b(data, digest_size=16).digest()
            text = data.decode("utf-8", "replace")
            connection.execute("INSERT INTO words VALUES (?)", (text,))
            connection.execute("INSERT INTO grams VALUES (?)", (text,))
    connection.close()
    seconds = time.perf_counter() - began
    Path(target).unlink()
    return {"seconds": seconds}


def rebuild(root: str, vectors: str) -> dict[str, object]:
    """A cold rebuild: no index and no embedding cache."""
    shutil.rmtree(Path(root) / ".vaultmem", ignore_errors=True)
    with open_bench_vault(root, vectors=vectors == "vectors") as vault:
        report = vault.rebuild(vectors=vectors == "vectors")
    return {
        "seconds": report.seconds,
        "notes": report.notes,
        "blocks": report.blocks,
        "links": report.links,
        "unresolved": report.unresolved,
        "index_bytes": report.index_bytes,
        "vault_bytes": report.vault_bytes,
    }


def rebuild_warm(root: str) -> dict[str, object]:
    """A rebuild with vectors after only ``memory.db`` was deleted: nothing is embedded twice."""
    for path in (Path(root) / ".vaultmem").glob("memory.db*"):
        path.unlink()
    with open_bench_vault(root) as vault:
        report = vault.rebuild()
    return {"seconds": report.seconds}


def walk(root: str) -> dict[str, object]:
    """A bare walk: every entry listed, every file looked at with stat, nothing kept. The best of seven."""

    def once() -> None:
        folders = [root]
        while folders:
            with os.scandir(folders.pop()) as entries:
                for entry in entries:
                    if entry.name.startswith("."):
                        continue
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.path)
                    else:
                        entry.stat(follow_symlinks=False)

    return {"seconds": min(timed(once) for _ in range(7))}


def timed(action: Callable[[], object]) -> float:
    began = time.perf_counter()
    action()
    return time.perf_counter() - began


def sync_unchanged(root: str) -> dict[str, object]:
    """A sync that finds nothing: the best of seven, after one that settles what is too fresh to trust."""
    with open_bench_vault(root) as vault:
        vault.sync()
        time.sleep(3)
        vault.sync()
        return {"seconds": min(timed(vault.sync) for _ in range(7))}


def sync_edits(root: str) -> dict[str, object]:
    """A sync after ten edits, the median of five times ten; the notes get their old bytes back."""
    chosen = random.Random(5).sample(sorted(markdown_files(root)), 50)
    before = {path: Path(path).read_bytes() for path in chosen}
    stats = {path: os.stat(path) for path in chosen}
    seconds = []
    with open_bench_vault(root) as vault:
        vault.sync()
        for start in range(0, 50, 10):
            for path in chosen[start : start + 10]:
                Path(path).write_bytes(before[path] + b"\n\nA late remark on [[Nothing yet]].\n")
            began = time.perf_counter()
            report = vault.sync()
            seconds.append(time.perf_counter() - began)
            assert len(report.changed) == 10, report
        for path in chosen:
            Path(path).write_bytes(before[path])
            os.utime(path, ns=(stats[path].st_atime_ns, stats[path].st_mtime_ns))
        vault.sync()
    return {"seconds": sorted(seconds)[2]}


def search(root: str) -> dict[str, object]:
    """Warm searches in one process: questions with one right answer, and note titles; p50 and p95 by lanes.

    The index is trusted as it is (``sync=False``), as under a watcher; ``checked`` also compares the disk first.
    """
    truth = json.loads(Path(f"{root}.truth.json").read_text("utf-8"))
    chosen = random.Random(3)
    questions = [needle["query"] for needle in truth["needles"]][: QUERIES // 2]
    titles = [path.rpartition("/")[2][:-3] for path in truth["notes"]]
    questions += [chosen.choice(titles) for _ in range(QUERIES - len(questions))]
    keyword, both = [Lane.KEYWORD], [Lane.KEYWORD, Lane.VECTOR]
    result: dict[str, object] = {"seconds": 0.0}
    with open_bench_vault(root) as vault:
        vault.sync()
        for name, lanes, sync in (
            ("keyword", keyword, False),
            ("keyword + vector", both, False),
            ("all lanes", None, False),
            ("all lanes, checked", None, True),
        ):
            for question in questions[:20]:
                vault.search(question, lanes=lanes, sync=sync)
            seconds = sorted(
                timed(partial(vault.search, question, lanes=lanes, sync=sync))
                for question in questions
            )
            result[name] = [percentile(seconds, 0.5), percentile(seconds, 0.95)]
        found = [
            truth["notes"][needle["note"]]
            in [hit.path for hit in vault.search(needle["query"], limit=5, sync=False).hits]
            for needle in truth["needles"]
        ]
        result["needles in top 5"] = sum(found) / max(1, len(found))
    return result


def truth(root: str) -> dict[str, object]:
    """What must be true whatever the speed: links, substrings, silence, and untouched notes."""
    known = json.loads(Path(f"{root}.truth.json").read_text("utf-8"))
    names = known["notes"]
    wanted: dict[tuple[str, str], int] = {}
    for source, target in known["edges"]:
        pair = (names[source], names[target])
        wanted[pair] = wanted.get(pair, 0) + 1
    before = vault_digest(root)
    with open_bench_vault(root) as vault:
        vault.sync()
        resolved, unresolved = vault.link_counts()
        right = sum(min(count, resolved.get(a, {}).get(b, 0)) for (a, b), count in wanted.items())
        missing = sum(sum(counts.values()) for counts in unresolved.values())
        tried, found = cjk_substrings(root, vault, [names[number] for number in known["cjk"]])
        silent = vault.search("qzxwvutrqpn", lanes=[Lane.KEYWORD], sync=False).hits == ()
    return {
        "seconds": 0.0,
        "links": sum(wanted.values()),
        "links right": right,
        "unresolved": missing,
        "unresolved in truth": len(known["unresolved"]),
        "cjk substrings": tried,
        "cjk found": found,
        "nonsense finds nothing": silent,
        "notes untouched": before == vault_digest(root),
    }


CJK_RUN = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]+")


def cjk_substrings(root: str, vault: Vault, paths: list[str]) -> tuple[int, int]:
    """Substrings of one to six characters of each CJK note: is the note among all that are found?"""
    chosen = random.Random(7)
    tried = found = 0
    for path in paths:
        body = Path(root, path).read_text("utf-8").partition("\n---\n")[2]
        runs = CJK_RUN.findall(body)
        for length in (1, 2, 3, 4, 6):
            long_enough = [run for run in runs if len(run) >= length]
            if not long_enough:
                continue
            run = chosen.choice(long_enough)
            start = chosen.randrange(len(run) - length + 1)
            hits = vault.search(
                run[start : start + length], limit=1000, lanes=[Lane.KEYWORD], sync=False
            ).hits
            tried += 1
            found += path in [hit.path for hit in hits]
    return tried, found


def vault_digest(root: str) -> str:
    """One hash over every note's path, bytes and modification time."""
    digest = hashlib.blake2b()
    for path in sorted(markdown_files(root)):
        digest.update(f"{path}\0{os.stat(path).st_mtime_ns}\0".encode())
        digest.update(Path(path).read_bytes())
    return digest.hexdigest()


TASKS: dict[str, Callable[..., dict[str, object]]] = {
    task.__name__: task
    for task in (floor, rebuild, rebuild_warm, walk, sync_unchanged, sync_edits, search, truth)
}

if __name__ == "__main__":
    print(json.dumps(TASKS[sys.argv[1]](*sys.argv[2:])))
