"""Compare-and-swap of one file (P2, D-01 to D-03, F-10, F-11)."""

from __future__ import annotations

import os
import stat
import sys
import threading
from pathlib import Path

import pytest

from tests.files.vaults import AT_ONCE, contents, fill, hash_of
from vaultmem.errors import RefusedError
from vaultmem.files import leases
from vaultmem.files.displaced import forget, sweep
from vaultmem.files.objects import ObjectStore
from vaultmem.files.read import content_hash, read_note_bytes
from vaultmem.files.refusals import RefusalCode, WriteConflict, WriteFailed, WriteRefused
from vaultmem.files.swap import Replacement, replace
from vaultmem.files.targets import WriteRules, existing_target, real_root

ONLY_LINUX = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has leases")
WAYS = pytest.mark.parametrize(
    "rules",
    [
        AT_ONCE,
        WriteRules(quiet=0, settle=0, exchange=False),
        WriteRules(quiet=0, settle=0, leases=False),
    ],
    ids=["exchange", "stepping aside", "no leases"],
)
OLD, NEW, RIVAL = b"old\r\n", b"\xef\xbb\xbfnew, no last line", b"typed meanwhile\n"


def begun(root: Path, path: str, rules: WriteRules = AT_ONCE, data: bytes = NEW) -> Replacement:
    """A replacement that has written the new version beside the note and not yet swapped."""
    target = existing_target(real_root(root), path, rules)
    replacement = Replacement(target, content_hash(OLD), data, rules)
    replacement.prepare()
    replacement.sync()
    return replacement


@WAYS
def test_the_new_bytes_are_in_place_and_told(tmp_path: Path, rules: WriteRules) -> None:
    fill(tmp_path, {"a b/潮.md": OLD})
    written = replace(tmp_path, "a b/潮.md", expected=content_hash(OLD), data=NEW, rules=rules)
    assert contents(tmp_path) == {"a b/潮.md": NEW}
    assert (written.hash_before, written.hash_after) == (content_hash(OLD), content_hash(NEW))
    assert written.stat == read_note_bytes(tmp_path, "a b/潮.md").stat


@WAYS
def test_other_bytes_than_were_read_are_left_alone(tmp_path: Path, rules: WriteRules) -> None:
    fill(tmp_path, {"a.md": RIVAL})
    with pytest.raises(WriteConflict) as caught:
        replace(tmp_path, "a.md", expected=content_hash(OLD), data=NEW, rules=rules)
    conflict = caught.value
    assert isinstance(conflict, RefusedError)
    assert (conflict.exit_code, conflict.code, conflict.path) == (4, RefusalCode.CONFLICT, "a.md")
    assert (conflict.expected, conflict.found) == (content_hash(OLD), content_hash(RIVAL))
    assert contents(tmp_path) == {"a.md": RIVAL}


@pytest.mark.parametrize("path", ["gone.md", "gone/a.md", "file.md/a.md"])
def test_a_file_that_is_gone_is_a_conflict_and_does_not_come_back(
    tmp_path: Path, path: str
) -> None:
    fill(tmp_path, {"file.md": b"x"})
    with pytest.raises(WriteConflict) as caught:
        replace(tmp_path, path, expected=content_hash(OLD), data=NEW, rules=AT_ONCE)
    assert caught.value.found is None
    assert contents(tmp_path) == {"file.md": b"x"}


@WAYS
def test_a_save_by_rename_just_before_the_swap_wins(tmp_path: Path, rules: WriteRules) -> None:
    fill(tmp_path, {"a.md": OLD})
    with begun(tmp_path, "a.md", rules) as replacement:
        fill(tmp_path, {"rival": RIVAL})
        os.replace(tmp_path / "rival", tmp_path / "a.md")
        with pytest.raises(WriteConflict):
            replacement.swap()
    assert contents(tmp_path) == {"a.md": RIVAL}


@WAYS
def test_a_save_in_place_just_before_the_swap_wins(tmp_path: Path, rules: WriteRules) -> None:
    fill(tmp_path, {"a.md": OLD})
    with begun(tmp_path, "a.md", rules) as replacement:
        (tmp_path / "a.md").write_bytes(RIVAL)
        with pytest.raises(WriteConflict):
            replacement.swap()
    assert contents(tmp_path) == {"a.md": RIVAL}


@ONLY_LINUX
@pytest.mark.parametrize("mode", ["r+b", "ab"])
def test_a_file_that_another_program_has_open_for_writing_is_busy(
    tmp_path: Path, mode: str
) -> None:
    fill(tmp_path, {"a.md": OLD})
    with (tmp_path / "a.md").open(mode) as editor:
        with pytest.raises(WriteRefused) as caught:
            replace(tmp_path, "a.md", expected=content_hash(OLD), data=NEW, rules=AT_ONCE)
        editor.write(RIVAL)
    assert caught.value.code == RefusalCode.BUSY
    assert RIVAL in contents(tmp_path)["a.md"]
    assert list(contents(tmp_path)) == ["a.md"]


def test_readers_are_no_hindrance(tmp_path: Path) -> None:
    fill(tmp_path, {"a.md": OLD})
    with (tmp_path / "a.md").open("rb") as reader:
        replace(tmp_path, "a.md", expected=content_hash(OLD), data=NEW, rules=AT_ONCE)
        assert reader.read() == OLD


@ONLY_LINUX
def test_who_opens_the_file_during_the_swap_gets_it_back(tmp_path: Path) -> None:
    """An editor looked the name up before the exchange and opens what came out of it after."""
    fill(tmp_path, {"a.md": OLD})
    with begun(tmp_path, "a.md") as replacement:
        replacement.swap()
        (displaced,) = [name for name in contents(tmp_path) if name != "a.md"]
        editor = threading.Thread(target=(tmp_path / displaced).write_bytes, args=(RIVAL,))
        editor.start()
        wait_for_a_waiting_writer(replacement)
        with pytest.raises(WriteRefused) as caught:
            replacement.settle()
    editor.join()
    assert caught.value.code == RefusalCode.BUSY
    assert contents(tmp_path) == {"a.md": RIVAL}


def wait_for_a_waiting_writer(replacement: Replacement) -> None:
    old = replacement._old
    assert old is not None
    while old.is_untouched():
        pass


def test_without_leases_a_late_write_is_seen_by_its_bytes(tmp_path: Path) -> None:
    rules = WriteRules(quiet=0, settle=0, leases=False)
    fill(tmp_path, {"a.md": OLD})
    note = tmp_path / "a.md"
    with note.open("r+b", buffering=0) as editor, begun(tmp_path, "a.md", rules) as replacement:
        replacement.swap()
        editor.write(RIVAL)
        with pytest.raises(WriteConflict):
            replacement.settle()
    assert contents(tmp_path) == {"a.md": RIVAL}


@WAYS
def test_the_newest_of_several_saves_is_in_place_and_the_others_are_kept(
    tmp_path: Path, rules: WriteRules
) -> None:
    """One save comes out of the exchange, and another one follows before it is back."""
    fill(tmp_path, {"a.md": OLD})
    with begun(tmp_path, "a.md", rules) as replacement:
        replacement.swap()
        (displaced,) = [name for name in contents(tmp_path) if name != "a.md"]
        fill(tmp_path, {"first": RIVAL, "second": b"newest\n"})
        os.replace(tmp_path / "first", tmp_path / displaced)
        os.replace(tmp_path / "second", tmp_path / "a.md")
        with pytest.raises(WriteConflict):
            replacement.settle()
    assert contents(tmp_path) == {"a.md": b"newest\n"}
    store = ObjectStore(tmp_path)
    assert [store.get(digest) for digest in store.walk()] == [RIVAL]


@WAYS
def test_a_note_that_is_taken_away_while_a_save_is_out_gets_that_save(
    tmp_path: Path, rules: WriteRules
) -> None:
    fill(tmp_path, {"a.md": OLD})
    with begun(tmp_path, "a.md", rules) as replacement:
        replacement.swap()
        (displaced,) = [name for name in contents(tmp_path) if name != "a.md"]
        fill(tmp_path, {"rival": RIVAL})
        os.replace(tmp_path / "rival", tmp_path / displaced)
        (tmp_path / "a.md").unlink()
        with pytest.raises(WriteConflict):
            replacement.settle()
    assert contents(tmp_path) == {"a.md": RIVAL}


@WAYS
@pytest.mark.parametrize("steps", [0, 1, 2])
def test_an_interrupted_swap_leaves_the_old_or_the_new_and_nothing_beside(
    tmp_path: Path, rules: WriteRules, steps: int
) -> None:
    fill(tmp_path, {"a.md": OLD})
    with begun(tmp_path, "a.md", rules) as replacement:
        for step in (replacement.swap, replacement.settle)[:steps]:
            step()
    assert contents(tmp_path) == {"a.md": NEW if steps else OLD}


def test_a_write_into_the_replaced_file_is_found_later(tmp_path: Path) -> None:
    fill(tmp_path, {"deep/a.md": OLD})
    replace(tmp_path, "deep/a.md", expected=content_hash(OLD), data=NEW, rules=AT_ONCE)
    (replaced,) = [p for p in (tmp_path / ".vaultmem/displaced").rglob("*") if p.is_file()]
    assert sweep(tmp_path, now_ns=AT_ONCE.clock()) == ()
    replaced.write_bytes(RIVAL)
    (late,) = sweep(tmp_path, now_ns=AT_ONCE.clock(), age=0)
    assert (late.path, late.hash) == ("deep/a.md", content_hash(RIVAL))
    assert (late.replaced, late.by) == (content_hash(OLD), content_hash(NEW))
    assert late.data == RIVAL
    assert replaced.read_bytes() == RIVAL
    replaced.write_bytes(b"and once more")
    forget(late)
    (later,) = sweep(tmp_path, now_ns=AT_ONCE.clock(), age=0)
    assert (later.data, later.id != late.id) == (b"and once more", True)
    forget(later)
    assert list((tmp_path / ".vaultmem/displaced").iterdir()) == []


def test_a_replaced_file_goes_after_a_minute(tmp_path: Path) -> None:
    fill(tmp_path, {"a.md": OLD})
    rules = WriteRules(quiet=0, clock=lambda: 5_000_000_000)
    replace(tmp_path, "a.md", expected=content_hash(OLD), data=NEW, rules=rules)
    place = tmp_path / ".vaultmem/displaced"
    sweep(tmp_path, now_ns=64_000_000_000)
    assert len(list(place.iterdir())) == 1
    sweep(tmp_path, now_ns=65_000_000_000)
    assert list(place.iterdir()) == []


@pytest.mark.parametrize(
    ("age", "refused"), [(0.0, True), (1.9, True), (2.0, False), (-1.9, True), (-90000.0, False)]
)
def test_a_file_saved_a_moment_ago_is_left_alone(tmp_path: Path, age: float, refused: bool) -> None:
    """D-03; a time far in the future is no sign of a save."""
    fill(tmp_path, {"a.md": OLD})
    now = 1_700_000_000 * 10**9
    saved = now - int(age * 1e9)
    os.utime(tmp_path / "a.md", ns=(saved, saved))
    rules = WriteRules(clock=lambda: now)
    if refused:
        with pytest.raises(WriteRefused) as caught:
            replace(tmp_path, "a.md", expected=content_hash(OLD), data=NEW, rules=rules)
        assert caught.value.code == RefusalCode.TOO_FRESH
    else:
        replace(tmp_path, "a.md", expected=content_hash(OLD), data=NEW, rules=rules)
    assert contents(tmp_path) == {"a.md": OLD if refused else NEW}


@pytest.mark.skipif(sys.platform == "win32", reason="modes are another matter on Windows")
@pytest.mark.parametrize("mode", [0o600, 0o644, 0o664, 0o755])
def test_the_mode_stays(tmp_path: Path, mode: int) -> None:
    fill(tmp_path, {"a.md": OLD})
    (tmp_path / "a.md").chmod(mode)
    replace(tmp_path, "a.md", expected=content_hash(OLD), data=NEW, rules=AT_ONCE)
    assert stat.S_IMODE((tmp_path / "a.md").stat().st_mode) == mode


@ONLY_LINUX
def test_extended_attributes_stay(tmp_path: Path) -> None:
    fill(tmp_path, {"a.md": OLD})
    try:
        os.setxattr(tmp_path / "a.md", "user.colour", b"blue")
    except OSError:
        pytest.skip("no extended attributes on this disk")
    replace(tmp_path, "a.md", expected=content_hash(OLD), data=NEW, rules=AT_ONCE)
    assert os.getxattr(tmp_path / "a.md", "user.colour") == b"blue"


@pytest.mark.skipif(
    sys.platform == "win32" or os.geteuid() != 0, reason="only root gives files away"
)
def test_the_owner_stays(tmp_path: Path) -> None:
    fill(tmp_path, {"a.md": OLD})
    os.chown(tmp_path / "a.md", 4321, 8765)
    replace(tmp_path, "a.md", expected=content_hash(OLD), data=NEW, rules=AT_ONCE)
    after = (tmp_path / "a.md").stat()
    assert (after.st_uid, after.st_gid) == (4321, 8765)


def test_a_link_to_a_file_of_the_vault_is_written_through(tmp_path: Path) -> None:
    fill(tmp_path, {"real/a.md": OLD})
    (tmp_path / "link.md").symlink_to("real/a.md")
    written = replace(tmp_path, "link.md", expected=content_hash(OLD), data=NEW, rules=AT_ONCE)
    assert written.stat.path == "real/a.md"
    assert (tmp_path / "link.md").is_symlink()
    assert (tmp_path / "real/a.md").read_bytes() == NEW


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("../outside.md", RefusalCode.UNSAFE_PATH),
        ("/etc/passwd", RefusalCode.UNSAFE_PATH),
        ("", RefusalCode.UNSAFE_PATH),
        ("a//b.md", RefusalCode.UNSAFE_PATH),
        ("./a.md", RefusalCode.UNSAFE_PATH),
        ("a\0.md", RefusalCode.UNSAFE_PATH),
        ("\ud800.md", RefusalCode.UNSAFE_PATH),
        ("C:\\notes\\a.md", RefusalCode.UNSAFE_PATH),
        ("C:/notes/a.md", RefusalCode.UNSAFE_PATH),
        ("\\\\server\\a.md", RefusalCode.UNSAFE_PATH),
        ("x\\..\\..\\a.md", RefusalCode.UNSAFE_PATH),
        (".obsidian/a.md", RefusalCode.HIDDEN),
        ("x/.hidden/a.md", RefusalCode.HIDDEN),
        (".trash/a.md", RefusalCode.HIDDEN),
        ("Log (Conflicted copy Laptop 202501312359).md", RefusalCode.CONFLICT_COPY),
        ("out.md", RefusalCode.OUTSIDE),
        ("broken.md", RefusalCode.CONFLICT),
        ("linked/a.md", RefusalCode.LINKED),
        ("folder.md", RefusalCode.NOT_REGULAR),
        ("cloud.md", RefusalCode.OFFLOADED),
        ("hole.md", RefusalCode.OFFLOADED),
        ("locked.md", RefusalCode.READ_ONLY),
    ],
)
def test_what_is_not_to_be_written_is_refused(tmp_path: Path, path: str, code: RefusalCode) -> None:
    vault, outside = tmp_path / "vault", tmp_path / "outside"
    fill(tmp_path, {"outside/a.md": OLD, "outside.md": OLD, "vault/locked.md": OLD})
    fill(vault, {".obsidian/a.md": OLD, "x/.hidden/a.md": OLD, ".trash/a.md": OLD})
    fill(vault, {"Log (Conflicted copy Laptop 202501312359).md": OLD, ".cloud.md.icloud": b"stub"})
    (vault / "folder.md").mkdir()
    (vault / "out.md").symlink_to(outside / "a.md")
    (vault / "broken.md").symlink_to("nowhere.md")
    (vault / "linked").symlink_to(outside)
    (vault / "locked.md").chmod(0o444)
    with (vault / "hole.md").open("wb") as hole:
        hole.truncate(100_000)
    if path == "hole.md" and (vault / path).stat().st_blocks:
        pytest.skip("this disk makes no holes")
    before = contents(tmp_path)
    rules = WriteRules(quiet=0, linked=("linked",))
    with pytest.raises(WriteRefused) as caught:
        replace(vault, path, expected=content_hash(OLD), data=NEW, rules=rules)
    assert caught.value.code == code
    assert contents(tmp_path) == before


@pytest.mark.skipif(sys.platform == "win32", reason="permissions are another matter on Windows")
def test_a_folder_that_takes_no_files_is_one_clear_error(users_folder: Path) -> None:
    fill(users_folder, {"sub/a.md": OLD})
    (users_folder / "sub").chmod(0o555)
    with pytest.raises(WriteFailed, match=r"sub/a\.md could not be written: Permission denied"):
        replace(users_folder, "sub/a.md", expected=content_hash(OLD), data=NEW, rules=AT_ONCE)
    assert contents(users_folder) == {"sub/a.md": OLD}


def test_a_name_as_long_as_a_name_can_be(tmp_path: Path) -> None:
    name = "潮" * 84 + ".md"
    fill(tmp_path, {name: OLD})
    replace(tmp_path, name, expected=content_hash(OLD), data=NEW, rules=AT_ONCE)
    assert contents(tmp_path) == {name: NEW}


@ONLY_LINUX
def test_a_lease_tells_of_writers_and_not_of_readers(tmp_path: Path) -> None:
    fill(tmp_path, {"a.md": OLD})
    with (tmp_path / "a.md").open("rb") as ours, (tmp_path / "a.md").open("rb"):
        assert leases.take(ours.fileno()) is leases.Lease.GRANTED
        assert leases.is_quiet(ours.fileno())
        leases.give_back(ours.fileno())
        with (tmp_path / "a.md").open("ab"):
            assert leases.take(ours.fileno()) is leases.Lease.BUSY


def test_the_hash_is_of_the_bytes_on_the_disk(tmp_path: Path) -> None:
    fill(tmp_path, {"a.md": OLD})
    written = replace(tmp_path, "a.md", expected=hash_of(tmp_path, "a.md"), data=b"", rules=AT_ONCE)
    assert written.hash_after == hash_of(tmp_path, "a.md")
