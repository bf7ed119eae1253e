"""What the journal says of paths is the same however it is read: at once, line by line, or out of turn."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

import apsw
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import VaultOf
from tests.index.own_changes import append, event
from tests.vaults import rows, verified, write
from vaultmem.files.events import FileChange, MemoryEvent, to_json
from vaultmem.index.connection import write_transaction
from vaultmem.index.journal import has_news, take_in
from vaultmem_schemas import index_ddl

MONTH_NS = 32 * 86_400 * 10**9
PATHS = st.sampled_from(["a.md", "A.md", "Log/a.md", "Log/b.md", "Log/Old/b.md", ".trash/a.md"])
FOLDERS = st.sampled_from(["Log", "log", "Log/Old", "Diary", ".trash/Log"])
HASHES = st.sampled_from(["0" * 32, "1" * 32])
FILE_CHANGES = st.builds(FileChange, PATHS, st.none() | PATHS, st.none() | HASHES, HASHES)
REMOVALS = st.builds(FileChange, PATHS, st.none(), HASHES, st.none())
FOLDER_CHANGES = st.builds(FileChange, FOLDERS, st.none() | FOLDERS)
CHANGES = FILE_CHANGES | REMOVALS | FOLDER_CHANGES


@st.composite
def events(draw: st.DrawFn) -> MemoryEvent:
    """Of one of two machines, whose clocks do as they please."""
    time_ns = draw(st.integers(0, 5)) + MONTH_NS * draw(st.integers(0, 1))
    changes = draw(st.lists(CHANGES, min_size=1, max_size=3))
    return event(*changes, time_ns=time_ns, device=draw(st.sampled_from(["aaaa0000", "bbbb0000"])))


def empty_index() -> apsw.Connection:
    connection = apsw.Connection(":memory:")
    connection.execute(index_ddl())
    return connection


def tables(connection: apsw.Connection) -> list[object]:
    statements = (
        "SELECT * FROM journal_files ORDER BY path",
        "SELECT * FROM journal_paths ORDER BY path_key",
    )
    return [connection.execute(statement).fetchall() for statement in statements]


def taken_in(connection: apsw.Connection, root: Path) -> set[str]:
    with write_transaction(connection):
        return take_in(connection, root)


def states(root: Path, *changes: FileChange | Sequence[FileChange]) -> dict[str, str]:
    """What is said of each path after those events, one after the other."""
    told = [[change] if isinstance(change, FileChange) else change for change in changes]
    append(root, [event(*some, time_ns=10**18 + n) for n, some in enumerate(told)])
    connection = empty_index()
    taken_in(connection, root)
    return dict(connection.execute("SELECT path, state FROM journal_paths ORDER BY path"))


COPIES = st.sampled_from(
    ["aaaa0000/1970-01.sync-conflict-1.jsonl", "bbbb0000/1970-01 2.jsonl", "a copy/1970-01.jsonl"]
)


@given(
    st.lists(events(), max_size=12),
    st.sets(st.integers(0, 12)),
    st.dictionaries(st.integers(0, 12), COPIES, max_size=3),
)
@settings(deadline=None, max_examples=150)
def test_by_and_by_is_as_at_once(
    every: list[MemoryEvent], stops: set[int], copies: dict[int, str]
) -> None:
    root = Path(tempfile.mkdtemp(prefix="vaultmem-test-"))
    try:
        live, built = empty_index(), empty_index()
        for number, one in enumerate(every):
            append(root, [one])
            if number in copies:
                copied = root / ".vaultmem/journal" / copies[number]
                copied.parent.mkdir(exist_ok=True)
                with copied.open("a") as file:
                    file.write(f"{to_json(one)}\n")
            if number in stops:
                before = dict(live.execute("SELECT path_key, state || path FROM journal_paths"))
                changed = taken_in(live, root)
                after = dict(live.execute("SELECT path_key, state || path FROM journal_paths"))
                assert {key for key in after if before.get(key) != after[key]} <= changed
        taken_in(live, root)
        taken_in(built, root)
        assert tables(live) == tables(built)
        assert not has_news(live, root)
    finally:
        shutil.rmtree(root)


A, B = "a" * 32, "b" * 32


def test_what_a_copy_of_a_file_tells_again_is_no_news(tmp_path: Path) -> None:
    changes = [
        FileChange("a.md", None, None, A),
        FileChange("Log", "Diary"),
        FileChange("Log/b.md", None, None, B),
    ]
    append(tmp_path, [event(one, time_ns=10**18 - n) for n, one in enumerate(changes)])
    connection = empty_index()
    taken_in(connection, tmp_path)
    before = connection.execute("SELECT * FROM journal_paths").fetchall()
    (journal,) = (tmp_path / ".vaultmem/journal/bbbb0000").iterdir()
    shutil.copy(journal, journal.with_name("2001-09.sync-conflict-20261130-080000-ABCDEFG.jsonl"))
    assert taken_in(connection, tmp_path) == set()
    assert connection.execute("SELECT * FROM journal_paths").fetchall() == before


def test_what_only_a_copy_of_a_file_tells_counts(tmp_path: Path) -> None:
    append(tmp_path, [event(FileChange("a.md", None, None, A), time_ns=10**18)])
    (journal,) = (tmp_path / ".vaultmem/journal/bbbb0000").iterdir()
    journal.rename(journal.with_name("2001-09 (conflicted copy).jsonl"))
    append(tmp_path, [event(FileChange("b.md", None, None, B), time_ns=10**18 + 1)])
    connection = empty_index()
    assert taken_in(connection, tmp_path) == {"a.md", "b.md"}


class TestWhatIsSaid:
    """A file is here, has moved, or is gone."""

    def test_of_a_file_that_was_made_and_removed(self, tmp_path: Path) -> None:
        assert states(
            tmp_path,
            FileChange("a.md", None, None, A),
            FileChange("b.md", None, None, A),
            FileChange("b.md", None, A, None),
        ) == {"a.md": "here", "b.md": "gone"}

    def test_of_files_that_changed_places(self, tmp_path: Path) -> None:
        swap = [FileChange("a.md", "b.md", A, A), FileChange("b.md", "a.md", B, B)]
        assert states(tmp_path, swap) == {"a.md": "here", "b.md": "here"}

    def test_of_a_file_in_the_trash(self, tmp_path: Path) -> None:
        assert states(tmp_path, FileChange("a.md", ".trash/a.md", A, A)) == {
            ".trash/a.md": "here",
            "a.md": "gone",
        }

    def test_of_files_below_a_folder_that_moved(self, tmp_path: Path) -> None:
        assert states(
            tmp_path,
            FileChange("Log/a.md", None, None, A),
            FileChange("Log/b.md", None, B, None),
            FileChange("log", "Diary"),
            FileChange("Diary", ".trash/Diary"),
        ) == {
            "Log/a.md": "moved",
            "Log/b.md": "gone",
            "log": "moved",
            "Diary": "gone",
            "Diary/a.md": "gone",
            ".trash/Diary": "here",
            ".trash/Diary/a.md": "here",
        }

    def test_of_a_file_that_was_edited_in_a_folder_that_moved(self, tmp_path: Path) -> None:
        both = [FileChange("Log/a.md", "Diary/a.md", A, B), FileChange("Log", "Diary")]
        assert states(tmp_path, FileChange("Log/a.md", None, None, A), both) == {
            "Diary": "here",
            "Diary/a.md": "here",
            "Log": "moved",
            "Log/a.md": "moved",
        }


class TestReading:
    """Whole lines only, each once."""

    def test_a_line_without_an_end_waits(self, tmp_path: Path) -> None:
        first, second = (
            event(FileChange(path, None, None, A), time_ns=10**18) for path in ("a.md", "b.md")
        )
        append(tmp_path, [first])
        connection = empty_index()
        taken_in(connection, tmp_path)
        [file] = (tmp_path / ".vaultmem/journal").rglob("*.jsonl")
        line = to_json(second).encode()
        with open(file, "ab") as journal:
            journal.write(line[:-5])
        assert taken_in(connection, tmp_path) == set()
        assert not has_news(connection, tmp_path)
        with open(file, "ab") as journal:
            journal.write(line[-5:] + b"\n")
        assert taken_in(connection, tmp_path) == {"b.md"}

    def test_what_is_no_event_is_passed_over(self, tmp_path: Path) -> None:
        folder = tmp_path / ".vaultmem/journal/cccc0000"
        folder.mkdir(parents=True)
        made = FileChange("a.md", None, None, A)
        good = to_json(event(made, time_ns=10**18, device="cccc0000")).encode()
        bad = [
            b"",
            b"{",
            b"\xff\xfe",
            b"[]",
            good.replace(b"1000000000000000000", b"Infinity"),
            good.replace(b"1000000000000000000", b"9" * 40),
            good.replace(b"1000000000000000000", b"-1"),
            good.replace(b'"a.md"', b'"\\ud800.md"'),
            b"[" * 100_000,
        ]
        (folder / "2001-09.jsonl").write_bytes(b"\n".join([*bad, good, b""]))
        connection = empty_index()

        assert taken_in(connection, tmp_path) == {"a.md"}

    def test_of_a_file_that_went_nothing_stays(self, tmp_path: Path) -> None:
        one = event(FileChange("a.md", None, None, A), time_ns=10**18, device="aaaa0000")
        other = event(FileChange("a.md", None, A, None), time_ns=10**18 + 1, device="bbbb0000")
        append(tmp_path, [one, other])
        connection = empty_index()
        taken_in(connection, tmp_path)
        shutil.rmtree(tmp_path / ".vaultmem/journal/bbbb0000")

        assert taken_in(connection, tmp_path) == {"a.md"}
        assert connection.execute("SELECT state FROM journal_paths").get == "here"

    def test_another_file_in_its_place_is_read_from_the_beginning(self, tmp_path: Path) -> None:
        append(tmp_path, [event(FileChange("a.md", None, None, A), time_ns=10**18)])
        connection = empty_index()
        taken_in(connection, tmp_path)
        [file] = (tmp_path / ".vaultmem/journal").rglob("*.jsonl")
        file.unlink()
        changes = [FileChange(f"{n}.md", None, None, B) for n in range(3)]
        append(tmp_path, [event(*changes, time_ns=10**18)])

        assert taken_in(connection, tmp_path) == {"a.md", "0.md", "1.md", "2.md"}
        built = empty_index()
        taken_in(built, tmp_path)
        assert tables(connection) == tables(built)


class TestInAVault:
    """Every sync takes in what is new; a verification finds both the same."""

    def test_without_a_change_of_files(self, vault_of: VaultOf) -> None:
        vault = vault_of({"a.md": "[[Tide]]"})
        vault.sync()
        gone = FileChange("Tide.md", None, A, None)
        append(vault.root, [event(gone, time_ns=10**18)])

        assert [link.status for link in vault.links("a").links] == ["deleted"]
        verified(vault)

    def test_a_journal_that_went_takes_its_tombstones_along(self, vault_of: VaultOf) -> None:
        vault = vault_of({"a.md": "[[Tide]]", "Tide.md": ""})
        vault.sync()
        (vault.root / "Tide.md").unlink()
        vault.sync()
        shutil.rmtree(vault.root / ".vaultmem/journal")

        assert [link.status for link in vault.links("a").links] == ["unresolved"]
        assert rows(vault, "SELECT * FROM notes_tombstones") == []
        verified(vault)

    def test_a_difference_is_named(self, vault_of: VaultOf) -> None:
        vault = vault_of({"a.md": "[[Tide]]", "Tide.md": ""})
        vault.sync()
        write(vault.root, {"a.md": "[[Tide]] once more"})
        (vault.root / "Tide.md").unlink()
        vault.sync()
        vault.close()
        with apsw.Connection(str(vault.index_path)) as index:
            index.execute("UPDATE journal_paths SET state = 'moved' WHERE path = 'Tide.md'")

        report = vault.verify()

        assert [t.table for t in report.tables if not t.identical] == ["journal_paths"]
