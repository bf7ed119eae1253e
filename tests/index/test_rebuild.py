"""A rebuild happens aside and comes in one step; whatever ends it early, the old index answers (P1, P11)."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.conftest import VaultOf
from tests.vaults import CACHED, execute, found, rows, vault_at, verified, write
from vaultmem.embed.cache import EmbeddingCache
from vaultmem.errors import FailedError, RefusedError, VaultVanishedError
from vaultmem.files.lock import WriterLock
from vaultmem.index.connection import open_index, read_transaction
from vaultmem.index.rebuild import rebuild
from vaultmem.index.source import Semantics
from vaultmem.search.model import Lane
from vaultmem.vault import Vault

MANY = {f"{i % 7}/n{i}.md": f"# Note {i}\n\nTide {i}. [[n{i + 1}]]\n" * 9 for i in range(410)}
"""Enough files for a worker process."""

GENERATION = "SELECT value FROM index_meta WHERE key = 'generation'"

PATIENCE_S = 60.0

SCRIPT = """
import sys
from pathlib import Path
from tests.vaults import vault_at
print("ready", flush=True)
vault_at(Path(sys.argv[1]), cores=2).rebuild()
print("done", flush=True)
"""


def start_rebuild(root: Path) -> subprocess.Popen[str]:
    """A rebuild in a process of its own, past its imports."""
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(root)],
        cwd=Path(__file__).parents[2],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def leftovers(vault: Vault) -> list[str]:
    return sorted(place.name for place in vault.index_dir.glob("memory.db.*"))


def wait_for(condition: Callable[[], object], process: subprocess.Popen[str]) -> None:
    """Until the condition holds, or the process has ended."""
    deadline = time.monotonic() + PATIENCE_S
    while not condition() and process.poll() is None:
        assert time.monotonic() < deadline


def end(process: subprocess.Popen[str]) -> int:
    if process.stdout is not None:
        process.stdout.close()
    return process.wait(PATIENCE_S)


def children_of(pid: int) -> list[int]:
    children = []
    for place in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            state, parent = place.read_text().rpartition(")")[2].split()[:2]
            if int(parent) == pid and state != "Z":
                children.append(int(place.parent.name))
    return children


@pytest.mark.skipif(sys.platform == "win32", reason="signals are another matter on Windows")
class TestKilled:
    """Given a sound index and a rebuild that dies, the old index answers and the next rebuild cleans up."""

    @pytest.mark.parametrize(
        ("how", "size"),
        [
            pytest.param(signal.SIGKILL, 0, id="killed at once"),
            pytest.param(signal.SIGKILL, 300_000, id="killed when half full"),
            pytest.param(signal.SIGTERM, 8_192, id="ended when begun"),
            pytest.param(signal.SIGINT, 8_192, id="interrupted when begun"),
        ],
    )
    def test_the_old_index_stands(self, vault_of: VaultOf, how: signal.Signals, size: int) -> None:
        vault = vault_of(MANY)
        vault.rebuild()
        write(vault.root, {"new.md": "neap"})
        process = start_rebuild(vault.root)

        def far_enough() -> bool:
            builds = list(vault.index_dir.glob("memory.db.build-*"))
            return bool(builds) and builds[0].stat().st_size >= size

        wait_for(far_enough, process)
        process.send_signal(how)

        assert end(process) != 0
        assert found(vault, "neap") == ["new.md"]
        assert vault.status().notes == len(MANY) + 1
        vault.rebuild()
        assert leftovers(vault) == []
        verified(vault)

    @pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks for processes in /proc")
    def test_its_workers_die_with_it(self, vault_of: VaultOf) -> None:
        vault = vault_of(MANY)
        vault.rebuild()
        process = start_rebuild(vault.root)
        wait_for(lambda: children_of(process.pid), process)
        workers = children_of(process.pid)
        assert workers

        process.kill()
        end(process)

        deadline = time.monotonic() + PATIENCE_S
        while any(Path(f"/proc/{pid}").exists() for pid in workers):
            assert time.monotonic() < deadline

    @pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks for processes in /proc")
    def test_a_worker_that_is_killed_fails_the_rebuild(self, vault_of: VaultOf) -> None:
        vault = vault_of(MANY, cores=2)
        vault.rebuild()

        def kill_workers() -> None:
            deadline = time.monotonic() + PATIENCE_S
            while not (workers := children_of(os.getpid())):
                assert time.monotonic() < deadline
            for pid in workers:
                os.kill(pid, signal.SIGKILL)

        killer = threading.Thread(target=kill_workers)
        killer.start()
        with pytest.raises(FailedError, match="parsing process ended early"):
            vault.rebuild()
        killer.join()

        assert leftovers(vault) == []
        assert len(found(vault, "tide")) == len(MANY)
        verified(vault)


class TestTogether:
    """Several at once are one after the other, and readers never see half a state."""

    def test_two_rebuilds_both_end_well(self, vault_of: VaultOf) -> None:
        vault = vault_of(MANY)
        processes = [start_rebuild(vault.root) for _ in range(2)]

        outputs = [process.communicate(timeout=PATIENCE_S)[0] for process in processes]

        assert outputs == ["done\n", "done\n"]
        assert leftovers(vault) == []
        assert rows(vault, GENERATION) == [(2,)]
        verified(vault)

    def test_a_reader_reads_on_through_a_rebuild_and_then_sees_the_new_state(
        self, vault_of: VaultOf
    ) -> None:
        vault, other = vault_of({"a.md": "tide"}), vault_of()
        vault.rebuild()
        query = "SELECT count(*) FROM notes_index"
        with closing(open_index(vault.index_path, writable=False)) as reader:
            with read_transaction(reader):
                assert reader.execute(query).get == 1
                write(vault.root, {"b.md": "tide"})
                other.rebuild()
                assert reader.execute(query).get == 1
            assert reader.execute(query).get == 2

    def test_another_vault_object_goes_on_after_a_rebuild(self, vault_of: VaultOf) -> None:
        vault, other = vault_of({"a.md": "tide"}), vault_of()
        assert found(other, "tide") == ["a.md"]

        write(vault.root, {"b.md": "tide"})
        vault.rebuild()

        assert found(other, "tide") == ["a.md", "b.md"]

    def test_a_deleted_index_is_noticed_while_open(self, vault_of: VaultOf) -> None:
        vault, other = vault_of({"a.md": "tide"}), vault_of()
        assert (found(vault, "tide"), found(other, "tide")) == (["a.md"], ["a.md"])

        vault.index_path.unlink()
        write(vault.root, {"b.md": "tide"})

        assert vault.search("tide").freshness.note == "The index was missing; it was built anew."
        assert found(other, "tide") == ["a.md", "b.md"]
        vault.close()
        other.close()
        verified(vault)

    def test_what_is_remembered_of_an_index_dies_with_it(self, vault_of: VaultOf) -> None:
        """An index built anew counts its generations from one again, which must not look like the old one's."""
        vault = vault_of({"a.md": "tide"})
        assert found(vault, "ebb") == []
        vault.index_path.unlink()
        write(vault.root, {"a.md": "ebb"})

        answer = vault.search("ebb")

        assert {report.lane: report.candidates for report in answer.lanes if report.ran} == {
            Lane.KEYWORD: 1
        }

    def test_a_rebuild_beside_an_open_reader_does_not_double_the_index(
        self, vault_of: VaultOf
    ) -> None:
        vault, other = vault_of(MANY), vault_of()
        first = vault.rebuild().index_bytes
        found(other, "tide")

        assert vault.rebuild().index_bytes < 1.2 * first

    def test_many_threads_may_ask_one_vault(self, vault_of: VaultOf) -> None:
        vault = vault_of({f"n{i}.md": f"tide {i}" for i in range(30)})
        answers: list[int] = []

        def ask(number: int) -> None:
            for turn in range(5):
                write(vault.root, {f"t{number}-{turn}.md": "ebb"})
                answers.append(len(found(vault, "tide")))

        threads = [threading.Thread(target=ask, args=(number,)) for number in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PATIENCE_S)

        assert answers == [30] * 30
        assert len(found(vault, "ebb")) == 30
        verified(vault)

    def test_a_writer_that_takes_long_leaves_answers_with_what_is_pending(
        self, vault_of: VaultOf, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("vaultmem.index.store.PATIENCE_S", 0.05)
        vault = vault_of({"a.md": "tide"})
        vault.sync()
        write(vault.root, {"b.md": "tide"})

        with WriterLock(vault.index_dir / "writer.lock"):
            answer = vault.search("tide")

        assert [hit.path for hit in answer.hits] == ["a.md"]
        assert answer.freshness.pending == 1
        assert "is being written by" in answer.freshness.note


class TestVanishing:
    """The vault goes away while it is read: the old index stands."""

    def test_the_folder_goes_away(self, vault_of: VaultOf, tmp_path: Path) -> None:
        vault = vault_of({f"n{i}.md": "tide" for i in range(30)}, settings=CACHED)
        vault.rebuild()
        elsewhere = tmp_path / "unmounted"

        with pytest.raises(VaultVanishedError, match="vault"):
            vault.rebuild(progress=lambda *_: move_away(vault.root, elsewhere))

        elsewhere.rename(vault.root)
        assert leftovers(vault) == []
        assert len(found(vault, "tide")) == 30
        verified(vault)

    def test_an_empty_folder_takes_its_place(self, vault_of: VaultOf, tmp_path: Path) -> None:
        vault = vault_of({f"n{i}.md": "tide" for i in range(30)}, settings=CACHED)
        vault.rebuild()
        elsewhere = tmp_path / "unmounted"

        def unmount(*_: object) -> None:
            if not elsewhere.exists():
                move_away(vault.root, elsewhere)
                vault.root.mkdir()

        with pytest.raises(RefusedError, match="Of 30 notes only 0 can be read"):
            vault.rebuild(progress=unmount)

        vault.root.rmdir()
        elsewhere.rename(vault.root)
        assert len(found(vault, "tide")) == 30
        verified(vault)

    def test_before_the_scan_it_is_said_so(self, vault_of: VaultOf, tmp_path: Path) -> None:
        vault = vault_of({"a.md": "tide"}, settings=CACHED)
        vault.sync()
        vault.root.rename(tmp_path / "unmounted")

        for ask in (vault.sync, vault.rebuild, vault.status, lambda: vault.search("tide")):
            with pytest.raises(VaultVanishedError, match="vault"):
                ask()

    def test_one_file_goes_away(self, vault_of: VaultOf) -> None:
        vault = vault_of({"a.md": "tide", "b.md": "tide"})

        vault.rebuild(progress=lambda *_: (vault.root / "a.md").unlink(missing_ok=True))

        assert found(vault, "tide") == ["b.md"]
        verified(vault)


def move_away(root: Path, to: Path) -> None:
    """Renames the folder, the first time."""
    if not to.exists():
        root.rename(to)


class TestHidden:
    """A rebuild forgets no note that it could not look at."""

    def test_notes_of_an_unreadable_folder_keep_their_names(self, users_folder: Path) -> None:
        write(users_folder / "vault", {"L/a.md": "tide", "b.md": "[[a]]"})
        with vault_at(users_folder / "vault") as vault:
            vault.rebuild()
            (vault.root / "L").chmod(0)

            report = vault.rebuild()

            assert (report.notes, report.unreadable) == (2, ("L",))
            [link] = vault.links("b").links
            assert link.to == "L/a.md"
            verified(vault)
            (vault.root / "L").chmod(0o700)
            assert found(vault, "tide") == ["L/a.md"]
            verified(vault)

    def test_notes_in_the_cloud_are_not_gone(self, vault_of: VaultOf) -> None:
        vault = vault_of({f"n{i}.md": "tide" for i in range(40)})
        vault.rebuild()
        for i in range(40):
            (vault.root / f"n{i}.md").replace(vault.root / f".n{i}.md.icloud")

        assert vault.rebuild().notes == 40


class TestOverAnotherIndex:
    """A rebuild asked for replaces whatever lies there."""

    def test_a_damaged_page_that_nobody_read_yet(self, vault_of: VaultOf) -> None:
        vault = vault_of(MANY)
        vault.rebuild()
        vault.close()
        data = bytearray(vault.index_path.read_bytes())
        for at in range(20 * 8192 + 100, len(data), 8192):
            data[at] ^= 0xFF
        vault.index_path.write_bytes(data)

        assert vault.rebuild().notes == len(MANY)
        verified(vault)

    def test_an_index_of_another_version(self, vault_of: VaultOf) -> None:
        vault = vault_of({"a.md": "tide"})
        vault.rebuild()
        vault.close()
        execute(vault, "PRAGMA user_version = 7")

        vault.rebuild()

        assert rows(vault, GENERATION) == [(2,)]
        verified(vault)

    def test_an_index_of_an_older_version_still_knows_what_is_gone(self, vault_of: VaultOf) -> None:
        """P11: its stamp lacks what this version keeps in it, and its notes count all the same."""
        vault = vault_of({f"n{i}.md": "tide" for i in range(30)})
        vault.rebuild()
        vault.close()
        execute(vault, "DELETE FROM index_meta WHERE key NOT IN ('generation', 'file_id')")
        execute(vault, "PRAGMA user_version = 1002")
        for i in range(25):
            (vault.root / f"n{i}.md").unlink()

        with pytest.raises(RefusedError):
            vault.rebuild()

    def test_what_is_no_database(self, vault_of: VaultOf) -> None:
        vault = vault_of({"a.md": "tide"})
        write(vault.root, {".vaultmem/memory.db": b"notes\n" * 5000})

        assert vault.rebuild().notes == 1
        verified(vault)


class CountingEmbedder:
    """A small real embedder: two components from a text's length, and a count of what it was asked."""

    model = "lengths/1"
    dim = 2
    noise_floor = 0.0

    def __init__(self) -> None:
        self.asked = 0

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.asked += len(texts)
        return np.array([self.embed_query(text) for text in texts], np.float32).reshape(-1, 2)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        return np.array([np.cos(len(text)), np.sin(len(text))], np.float32)


def test_a_rebuild_after_deleting_the_index_embeds_nothing_twice(vault_of: VaultOf) -> None:
    vault = vault_of({f"n{i}.md": f"tide {i}" for i in range(12)})
    vault.index_dir.mkdir()
    embedder = CountingEmbedder()

    def build() -> int:
        with EmbeddingCache(vault.index_dir / "embeddings.db") as cache:
            semantics = Semantics(embedder, cache)
            return rebuild(vault.index_path, vault._store.source(), semantics, cores=1).vectors

    assert (build(), embedder.asked) == (12, 12)
    vault.index_path.unlink()
    assert (build(), embedder.asked) == (12, 12)
    write(vault.root, {"new.md": "neap"})
    assert (build(), embedder.asked) == (13, 13)


def test_the_progress_begins_at_nothing_and_ends_at_all(vault_of: VaultOf) -> None:
    vault = vault_of({"a.md": "", "b.md": "", "c.png": ""})
    steps: list[tuple[str, int, int]] = []

    vault.rebuild(progress=lambda *step: steps.append(step))

    assert (steps[0], steps[-1]) == (("read", 0, 2), ("read", 2, 2))


def test_workers_and_none_build_the_same(vault_of: VaultOf, tmp_path: Path) -> None:
    vault = vault_of(MANY, cores=3)
    vault.rebuild()

    with vault_at(vault.root, cores=1) as alone:
        verified(alone)


def test_an_empty_vault_has_an_empty_index(vault_of: VaultOf) -> None:
    vault = vault_of()

    report = vault.rebuild()

    assert (report.files, report.notes, report.blocks, report.links) == (0, 0, 0, 0)
    assert found(vault, "tide") == []
    verified(vault)


def test_a_rebuild_changes_no_file_of_the_vault(vault_of: VaultOf) -> None:
    vault = vault_of(MANY)
    before = {p: (p.read_bytes(), p.stat().st_mtime_ns) for p in vault.root.rglob("*.md")}

    vault.rebuild()

    assert before == {p: (p.read_bytes(), p.stat().st_mtime_ns) for p in vault.root.rglob("*.md")}
    assert {entry.name for entry in os.scandir(vault.root)} == {*"0123456", ".vaultmem"}
