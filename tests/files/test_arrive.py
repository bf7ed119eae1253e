"""Files that come to a new name: created, moved, trashed; nothing is overwritten (M-15 to M-17, N-*, D-07, F-10)."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

import pytest

from tests.files.vaults import AT_ONCE, contents, fill, hash_of
from vaultmem.files.arrive import carry, place_new, trash_path
from vaultmem.files.folder import Folder
from vaultmem.files.read import content_hash, read_note_bytes
from vaultmem.files.refusals import RefusalCode, WriteConflict, WriteRefused
from vaultmem.files.scan import FileStat
from vaultmem.files.swap import Written
from vaultmem.files.targets import WriteRules, check_free, existing_target, new_target, real_root


def create(root: Path, path: str, data: bytes, rules: WriteRules = AT_ONCE) -> Written:
    """A new file at the vault path, as a change makes it."""
    target = new_target(real_root(root), path, rules)
    check_free(target)
    return place_new(target, data, rules)


def move(root: Path, path: str, new: str, *, expected: str | None) -> FileStat:
    """The file or folder at its new path, as a change moves it."""
    source = existing_target(real_root(root), path, AT_ONCE, trash=True)
    target = new_target(real_root(root), new, AT_ONCE, trash=True, keep=path)
    check_free(target, moved=source.path)
    return carry(source, target, expected)


def remove_to_trash(root: Path, path: str, *, expected: str) -> str:
    """The path in the trash."""
    new = trash_path(root, path)
    move(root, path, new, expected=expected)
    return new


def test_a_new_file_is_there_with_its_folders(tmp_path: Path) -> None:
    written = create(tmp_path, "a/b/New note.md", b"text")
    assert contents(tmp_path) == {"a/b/New note.md": b"text"}
    assert (written.hash_before, written.hash_after) == (None, content_hash(b"text"))
    assert written.stat.path == read_note_bytes(tmp_path, "a/b/New note.md").stat.path
    assert written.stat.inode == read_note_bytes(tmp_path, "a/b/New note.md").stat.inode


@pytest.mark.skipif(sys.platform == "win32", reason="modes are another matter on Windows")
def test_a_new_file_has_the_mode_that_the_user_wants_for_files(tmp_path: Path) -> None:
    (tmp_path / "theirs.md").write_text("x")
    create(tmp_path, "ours.md", b"x")
    assert (tmp_path / "ours.md").stat().st_mode == (tmp_path / "theirs.md").stat().st_mode


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("Reef.md", RefusalCode.EXISTS),
        ("reef.md", RefusalCode.EXISTS),
        ("REEF.MD", RefusalCode.EXISTS),
        ("Cafe\u0301.md", RefusalCode.EXISTS),
        ("LOG/new.md", RefusalCode.EXISTS),
        ("Reef.md/new.md", RefusalCode.EXISTS),
        ("log", RefusalCode.EXISTS),
        ("cloud.md", RefusalCode.OFFLOADED),
        ("a#b.md", RefusalCode.UNSAFE_NAME),
        ("a:b.md", RefusalCode.UNSAFE_NAME),
        ("con.md", RefusalCode.UNSAFE_NAME),
        ("dot..md", RefusalCode.UNSAFE_NAME),
        ("new|folder/a.md", RefusalCode.UNSAFE_NAME),
        ("x" * 253 + ".md", RefusalCode.UNSAFE_NAME),
        ("../a.md", RefusalCode.UNSAFE_PATH),
        (".hidden.md", RefusalCode.HIDDEN),
        (".trash/a.md", RefusalCode.HIDDEN),
        ("linked/a.md", RefusalCode.LINKED),
        ("away/a.md", RefusalCode.OUTSIDE),
    ],
)
def test_a_path_that_is_taken_or_not_allowed_is_refused(
    tmp_path: Path, path: str, code: RefusalCode
) -> None:
    vault = tmp_path / "vault"
    fill(tmp_path, {"outside/x.md": b"x"})
    fill(vault, {"Reef.md": b"r", "Caf\u00e9.md": b"c", "log/a.md": b"a", ".cloud.md.icloud": b"s"})
    for link in ("linked", "away"):
        (vault / link).symlink_to(tmp_path / "outside")
    before = contents(tmp_path)
    with pytest.raises(WriteRefused) as caught:
        create(vault, path, b"new", rules=WriteRules(linked=("linked",)))
    assert caught.value.code == code
    assert contents(tmp_path) == before
    assert sorted(os.listdir(vault)) == sorted(
        ["Reef.md", "Caf\u00e9.md", "log", ".cloud.md.icloud", "linked", "away"]
    )


def test_a_folder_with_an_odd_name_takes_new_notes(tmp_path: Path) -> None:
    fill(tmp_path, {"odd [1]/a.md": b"a"})
    create(tmp_path, "odd [1]/b.md", b"b")
    assert sorted(contents(tmp_path)) == ["odd [1]/a.md", "odd [1]/b.md"]


def test_of_many_that_create_the_same_file_one_does(tmp_path: Path) -> None:
    done: list[int] = []
    refused: list[str] = []

    def make(number: int) -> None:
        try:
            create(tmp_path, "new/a.md", b"%d" % number)
        except WriteRefused as refusal:
            refused.append(refusal.code)
        else:
            done.append(number)

    threads = [threading.Thread(target=make, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert contents(tmp_path) == {"new/a.md": b"%d" % done[0]}
    assert len(done) == 1
    assert refused == [RefusalCode.EXISTS] * 7


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("a.md", "b.md"),
        ("a.md", "A.md"),
        ("log/ballast.md", "log/Ballast.md"),
        ("log/ballast.md", "new/deep/x.md"),
        ("odd#name.md", "log/odd#name.md"),
        ("a.md", ".trash/a.md"),
        (".trash/t.md", "t.md"),
    ],
)
def test_a_file_moves_with_all_it_is(tmp_path: Path, old: str, new: str) -> None:
    fill(tmp_path, {"a.md": b"a", "log/ballast.md": b"l", "odd#name.md": b"o", ".trash/t.md": b"t"})
    before = contents(tmp_path)
    status = (tmp_path / old).stat()
    seen = move(tmp_path, old, new, expected=hash_of(tmp_path, old))
    assert contents(tmp_path) == {new if path == old else path: d for path, d in before.items()}
    assert (seen.path, seen.inode, seen.mtime_ns) == (new, status.st_ino, status.st_mtime_ns)


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("a.md", "b.md", RefusalCode.EXISTS),
        ("a.md", "B.MD", RefusalCode.EXISTS),
        ("a.md", "log", RefusalCode.EXISTS),
        ("a.md", "b|c.md", RefusalCode.UNSAFE_NAME),
        ("a.md", ".obsidian/a.md", RefusalCode.HIDDEN),
        ("a.md", "cloud.md", RefusalCode.OFFLOADED),
        ("gone.md", "c.md", RefusalCode.CONFLICT),
        ("X (Conflicted copy Laptop 202501312359).md", "c.md", RefusalCode.CONFLICT_COPY),
    ],
)
def test_a_move_that_is_not_allowed_changes_nothing(
    tmp_path: Path, old: str, new: str, code: RefusalCode
) -> None:
    fill(tmp_path, {"a.md": b"a", "b.md": b"b", "log/x.md": b"x", ".cloud.md.icloud": b"s"})
    fill(tmp_path, {"X (Conflicted copy Laptop 202501312359).md": b"a"})
    before = contents(tmp_path)
    with pytest.raises(WriteRefused) as caught:
        move(tmp_path, old, new, expected=content_hash(b"a"))
    assert caught.value.code == code
    assert contents(tmp_path) == before


def test_a_file_that_holds_other_bytes_is_not_moved(tmp_path: Path) -> None:
    fill(tmp_path, {"a.md": b"typed meanwhile"})
    with pytest.raises(WriteConflict) as caught:
        move(tmp_path, "a.md", "new/b.md", expected=content_hash(b"read"))
    assert caught.value.found == content_hash(b"typed meanwhile")
    assert contents(tmp_path) == {"a.md": b"typed meanwhile"}
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(("old", "new"), [("log", "Log"), ("log", "x/y"), ("log", "other")])
def test_a_folder_moves_with_all_that_is_in_it(tmp_path: Path, old: str, new: str) -> None:
    fill(tmp_path, {"log/a.md": b"a", "log/deep/b.png": b"b", "c.md": b"c"})
    move(tmp_path, old, new, expected=None)
    assert contents(tmp_path) == {f"{new}/a.md": b"a", f"{new}/deep/b.png": b"b", "c.md": b"c"}
    assert not [name for name in os.listdir(tmp_path) if name == old]


def test_a_name_that_leads_to_the_same_file_is_no_other_file(tmp_path: Path) -> None:
    """A disk that knows no case shows the old file under the new name; here a second link does."""
    fill(tmp_path, {"a.md": b"a"})
    os.link(tmp_path / "a.md", tmp_path / "A.md")
    if len(os.listdir(tmp_path)) == 1:
        pytest.skip("this disk knows no case itself")
    with pytest.raises(WriteRefused):
        move(tmp_path, "a.md", "A.md", expected=content_hash(b"a"))
    assert contents(tmp_path) == {"a.md": b"a", "A.md": b"a"}


def test_the_trash_keeps_every_file_of_a_name(tmp_path: Path) -> None:
    fill(tmp_path, {"a.md": b"1", "x/a.md": b"2", "y/A.md": b"3"})
    places = [
        remove_to_trash(tmp_path, path, expected=hash_of(tmp_path, path))
        for path in ("a.md", "x/a.md", "y/A.md")
    ]
    assert places == [".trash/a.md", ".trash/a 1.md", ".trash/A 2.md"]
    assert contents(tmp_path) == dict(zip(places, (b"1", b"2", b"3"), strict=True))


def test_who_saves_at_both_names_as_the_file_moves_keeps_both(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The way back is taken: then the refusal says that the note was changed, and both saves stay where they are."""
    fill(tmp_path, {"a.md": b"read"})
    real = Folder.rename_new

    def rename_new(folder: Folder, name: bytes, to: Folder, new: bytes) -> None:
        real(folder, name, to, new)
        if new == b"b.md":
            fill(tmp_path, {"b.md": b"saved in place", "a.md": b"saved anew"})

    monkeypatch.setattr(Folder, "rename_new", rename_new)
    with pytest.raises(WriteConflict) as caught:
        move(tmp_path, "a.md", "b.md", expected=content_hash(b"read"))
    assert caught.value.path == "a.md"
    assert contents(tmp_path) == {"a.md": b"saved anew", "b.md": b"saved in place"}
