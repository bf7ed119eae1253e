"""Several threads search one vault while its notes change: each is answered from one state of the index."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.vaults import write
from vaultmem.search.memory import SearchMemory
from vaultmem.settings import EmbedSettings, Settings
from vaultmem.vault import Vault

QUERIES = ("harbour light", "kettle", '"the harbour"', "qzx", "lantern path:a")


def notes(round_: int) -> dict[str, str]:
    return {
        f"a{number}.md": f"# Lantern {number}\nThe harbour light {round_}.\n\n"
        + "\n\n".join(f"## Part {part}\nA kettle." for part in range(1 + (round_ + number) % 5))
        for number in range(12)
    }


def test_searches_of_several_threads_while_notes_change(tmp_path: Path) -> None:
    write(tmp_path / "vault", notes(0))
    settings = Settings(embed=EmbedSettings(model="static"))
    with Vault(tmp_path / "vault", settings, cache_root=tmp_path / "cache") as vault:
        vault.sync()

        def search(thread: int) -> int:
            found = 0
            for turn in range(40):
                answer = vault.search(QUERIES[(thread + turn) % len(QUERIES)], sync=False)
                found += len(answer.hits)
            return found

        with ThreadPoolExecutor(4) as threads:
            searching = [threads.submit(search, thread) for thread in range(3)]
            for round_ in range(1, 8):
                write(tmp_path / "vault", notes(round_))
                vault.sync()
            assert all(each.result() > 0 for each in searching)


def test_what_is_remembered_of_a_newer_state_is_not_told_of_an_older_one(tmp_path: Path) -> None:
    """Given a connection that still reads the state before an edit, when another has asked for the one behind it, then
    the blocks of each are its own."""
    import apsw

    from vaultmem.index.meta import read_stamp

    write(tmp_path / "vault", notes(0))
    with Vault(tmp_path / "vault", Settings(), cache_root=tmp_path / "cache") as vault:
        vault.sync()
        old = apsw.Connection(str(vault.index_path), flags=apsw.SQLITE_OPEN_READONLY)
        old.execute("BEGIN")
        stamp, memory = read_stamp(old), SearchMemory()
        before = memory.blocks.get(old, stamp)
        write(tmp_path / "vault", {f"b{number}.md": "More." for number in range(30)})
        vault.sync()
        new = apsw.Connection(str(vault.index_path), flags=apsw.SQLITE_OPEN_READONLY)

        after = memory.blocks.get(new, read_stamp(new))
        again = memory.blocks.get(old, stamp)

        assert (again.total, again.notes.tolist()) == (before.total, before.notes.tolist())
        assert after.total == before.total + 30
        assert memory.blocks.get(new, read_stamp(new)) is after
        old.close()
        new.close()
