"""One walk over a vault: what is there, what is elsewhere, what could not be seen (F-01, F-02, F-10 to F-13, G-04)."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from vaultmem.errors import VaultVanishedError
from vaultmem.files.scan import FileStat, Scan, ScanCode, _Walk, scan_vault
from vaultmem.notes.paths import FileKind

NEEDS_LINUX = pytest.mark.skipif(sys.platform != "linux", reason="as Linux does it")


def write(root: Path, *paths: str, text: str = "text\n") -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")


def paths(scan: Scan) -> list[str]:
    return sorted(file.path for file in scan.files)


def codes(scan: Scan) -> list[tuple[str, ScanCode]]:
    return [(warning.path, warning.code) for warning in scan.warnings]


def test_a_file_comes_with_what_the_disk_says_about_it(tmp_path: Path) -> None:
    write(tmp_path, "a/Reef.md", text="coral\n")
    status = (tmp_path / "a/Reef.md").stat()
    times = (status.st_mtime_ns, status.st_ctime_ns)
    assert scan_vault(tmp_path) == Scan(
        files=[FileStat("a/Reef.md", FileKind.NOTE, 6, *times, status.st_ino)],
        offloaded=(),
        unreadable=(),
        linked=(),
        warnings=(),
        complete=True,
    )


def test_files_of_an_empty_vault(tmp_path: Path) -> None:
    assert scan_vault(tmp_path) == Scan([], (), (), (), (), complete=True)


def test_every_regular_file_has_its_kind_and_dot_names_do_not_exist(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "x/g.MD", "b.canvas", "c.base", "d.pdf", "e.PNG", "f.webm", "md")
    write(tmp_path, "x/notes.txt", "folder.md/deep.md", "empty.md", "潮の表.md", text="")
    write(tmp_path, ".trash/b.md", ".obsidian/c.md", ".git/d.md", "x/.hidden/e.md", "x/.f.md")
    scan = scan_vault(tmp_path)
    assert {file.path: file.kind for file in scan.files} == {
        "a.md": FileKind.NOTE,
        "b.canvas": FileKind.CANVAS,
        "c.base": FileKind.BASE,
        "d.pdf": FileKind.PDF,
        "e.PNG": FileKind.IMAGE,
        "empty.md": FileKind.NOTE,
        "f.webm": FileKind.VIDEO,
        "folder.md/deep.md": FileKind.NOTE,
        "md": FileKind.OTHER,
        "x/g.MD": FileKind.NOTE,
        "x/notes.txt": FileKind.OTHER,
        "潮の表.md": FileKind.NOTE,
    }
    assert scan.complete
    assert scan.warnings == ()


def test_a_name_is_given_as_spelled_on_the_disk(tmp_path: Path) -> None:
    write(tmp_path, "Cafe\u0301\u00a0menu.md")
    (name,) = os.listdir(tmp_path)
    assert paths(scan_vault(tmp_path)) == [name]


def test_names_equal_without_case_are_all_there(tmp_path: Path) -> None:
    write(tmp_path, "Reef.md", "reef.md", "other.md")
    if len(os.listdir(tmp_path)) < 3:
        pytest.skip("this disk holds no two names that differ in case only")
    assert paths(scan_vault(tmp_path)) == ["Reef.md", "other.md", "reef.md"]


# --- F-10: files whose bytes are elsewhere ---


def test_a_cloud_stub_stands_for_a_file_that_exists(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "x/.Reef.md.icloud", "x/.p.png.icloud", ".icloud", "x/.here.md.icloud")
    write(tmp_path, "x/here.md")
    scan = scan_vault(tmp_path)
    assert paths(scan) == ["a.md", "x/here.md"]
    assert scan.offloaded == ("x/Reef.md", "x/p.png")
    assert scan.may_hide("x/Reef.md")
    assert not scan.may_hide("x/other.md")


@NEEDS_LINUX
def test_a_size_without_blocks_stands_for_a_file_that_exists(tmp_path: Path) -> None:
    with open(tmp_path / "away.md", "wb") as file:
        file.truncate(5000)
    if (tmp_path / "away.md").stat().st_blocks:
        pytest.skip("this disk makes no holes")
    write(tmp_path, "here.md")
    scan = scan_vault(tmp_path)
    assert paths(scan) == ["here.md"]
    assert scan.offloaded == ("away.md",)
    assert scan.complete


# --- F-11: symbolic links ---


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """A vault with a neighbour folder ``out`` beside it."""
    write(tmp_path, "vault/notes/a.md", "vault/z.md", "out/o.md", "out/deep/p.md", "out2/q.md")
    return tmp_path / "vault"


def link(place: Path, target: str | Path) -> None:
    try:
        place.symlink_to(target)
    except OSError:
        pytest.skip("symbolic links may not be made here")


def test_links_to_folders_outside_are_followed(vault: Path) -> None:
    link(vault / "notes/ext", vault.parent / "out")
    link(vault / "ext2", Path("..") / "out2")
    scan = scan_vault(vault)
    assert paths(scan) == [
        "ext2/q.md",
        "notes/a.md",
        "notes/ext/deep/p.md",
        "notes/ext/o.md",
        "z.md",
    ]
    assert scan.linked == ("ext2", "notes/ext")
    assert codes(scan) == []
    assert scan.complete


def test_links_into_the_vault_and_loops_are_skipped(vault: Path) -> None:
    link(vault / "notes/loop", Path("..") / "notes")
    link(vault / "notes/self", "self")
    link(vault / "notes/broken.md", "nowhere.md")
    link(vault / "up", "..")
    link(vault / "root", vault)
    scan = scan_vault(vault)
    assert paths(scan) == ["notes/a.md", "z.md"]
    assert codes(scan) == [
        ("notes/broken.md", ScanCode.BROKEN_SYMLINK),
        ("notes/loop", ScanCode.SYMLINK_INTO_VAULT),
        ("notes/self", ScanCode.SYMLINK_LOOP),
        ("root", ScanCode.SYMLINK_INTO_VAULT),
        ("up", ScanCode.SYMLINK_INTO_VAULT),
    ]
    assert all(warning.path in warning.message for warning in scan.warnings)
    assert scan.complete


def test_of_links_that_overlap_the_first_by_path_is_followed(vault: Path) -> None:
    link(vault / "b", vault.parent / "out/deep")
    link(vault / "a", vault.parent / "out")
    link(vault / "c", vault.parent / "out")
    scan = scan_vault(vault)
    assert scan.linked == ("a",)
    assert codes(scan) == [("b", ScanCode.SYMLINK_OVERLAP), ("c", ScanCode.SYMLINK_OVERLAP)]


def test_a_link_in_a_linked_folder_is_held_to_the_same_rules(vault: Path) -> None:
    link(vault / "ext", vault.parent / "out")
    link(vault.parent / "out/back", vault)
    link(vault.parent / "out/around", vault.parent / "out")
    link(vault.parent / "out/on", vault.parent / "out2")
    scan = scan_vault(vault)
    assert paths(scan) == ["ext/deep/p.md", "ext/o.md", "ext/on/q.md", "notes/a.md", "z.md"]
    assert codes(scan) == [
        ("ext/around", ScanCode.SYMLINK_OVERLAP),
        ("ext/back", ScanCode.SYMLINK_INTO_VAULT),
    ]


def test_links_to_files_are_skipped(vault: Path) -> None:
    link(vault / "one.md", "z.md")
    link(vault / "two.md", vault.parent / "out/o.md")
    link(vault / ".hidden.md", "z.md")
    scan = scan_vault(vault)
    assert paths(scan) == ["notes/a.md", "z.md"]
    assert codes(scan) == [("one.md", ScanCode.FILE_SYMLINK), ("two.md", ScanCode.FILE_SYMLINK)]


def test_a_vault_may_be_reached_through_a_link(vault: Path) -> None:
    link(vault.parent / "alias", vault)
    link(vault / "ext", vault.parent / "out2")
    link(vault / "own", vault / "notes")
    scan = scan_vault(vault.parent / "alias")
    assert paths(scan) == ["ext/q.md", "notes/a.md", "z.md"]
    assert codes(scan) == [("own", ScanCode.SYMLINK_INTO_VAULT)]


# --- what is no file, or has no name ---


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes in folders here")
def test_pipes_and_sockets_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "a.md")
    os.mkfifo(tmp_path / "pipe.md")
    monkeypatch.chdir(tmp_path)  # the path of a socket may not be long
    with socket.socket(socket.AF_UNIX) as plug:
        plug.bind("plug.md")
        scan = scan_vault(tmp_path)
    assert paths(scan) == ["a.md"]
    assert codes(scan) == [("pipe.md", ScanCode.NOT_REGULAR), ("plug.md", ScanCode.NOT_REGULAR)]


@NEEDS_LINUX
def test_a_name_that_is_no_utf8_is_a_warning(tmp_path: Path) -> None:
    write(tmp_path, "a.md")
    (tmp_path / os.fsdecode(b"r\xf4le.md")).write_text("x")
    (tmp_path / os.fsdecode(b"d\xff")).mkdir()
    (tmp_path / os.fsdecode(b"d\xff") / "b.md").write_text("x")
    scan = scan_vault(tmp_path)
    assert paths(scan) == ["a.md"]
    assert codes(scan) == [("d\\xff", ScanCode.BROKEN_NAME), ("r\\xf4le.md", ScanCode.BROKEN_NAME)]
    "".join(warning.message for warning in scan.warnings).encode()  # can be printed


@NEEDS_LINUX
def test_names_are_utf8_whatever_the_locale(tmp_path: Path) -> None:
    write(tmp_path, "Żaba/潮の表.md")
    program = (
        "import sys; from pathlib import Path\n"
        "from vaultmem.files.read import read_note_bytes\n"
        "from vaultmem.files.scan import scan_vault\n"
        "root = Path(sys.argv[1])\n"
        "(file,) = scan_vault(root).files\n"
        "print(ascii(file.path), read_note_bytes(root, file.path).data)\n"
    )
    environment = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    command = [sys.executable, "-c", program, str(tmp_path)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (done.stderr, done.stdout) == ("", f"{'Żaba/潮の表.md'!a} b'text\\n'\n")


# --- not seen is not deleted ---


def test_a_folder_that_may_not_be_listed_is_unreadable(users_folder: Path) -> None:
    write(users_folder, "a.md", "locked/b.md")
    (users_folder / "locked").chmod(0)
    scan = scan_vault(users_folder)
    assert paths(scan) == ["a.md"]
    assert scan.unreadable == ("locked",)
    assert codes(scan) == [("locked", ScanCode.UNREADABLE)]
    assert scan.complete  # the rest was seen, so the rest may count as gone
    assert scan.may_hide("locked/b.md")
    assert scan.may_hide("locked")
    assert not scan.may_hide("locked.md")
    assert not scan.may_hide("gone.md")


def test_files_that_may_not_be_looked_at_are_unreadable(users_folder: Path) -> None:
    write(users_folder, "a.md", "listed/b.md")
    (users_folder / "listed").chmod(0o400)  # its names may be read, and nothing more
    scan = scan_vault(users_folder)
    assert paths(scan) == ["a.md"]
    assert scan.unreadable == ("listed/b.md",)
    assert scan.may_hide("listed/b.md")


def test_a_file_that_may_not_be_read_is_there_all_the_same(users_folder: Path) -> None:
    write(users_folder, "locked.md")
    (users_folder / "locked.md").chmod(0)
    scan = scan_vault(users_folder)
    assert paths(scan) == ["locked.md"]
    assert scan.warnings == ()


def test_a_vault_that_may_not_be_listed_is_no_empty_vault(users_folder: Path) -> None:
    write(users_folder, "vault/a.md")
    (users_folder / "vault").chmod(0)
    with pytest.raises(VaultVanishedError, match="Permission denied"):
        scan_vault(users_folder / "vault")


def test_a_folder_that_vanishes_during_the_walk_makes_it_incomplete(tmp_path: Path) -> None:
    write(tmp_path, "a.md")
    walk = _Walk(str(tmp_path))
    walk._folders.append((str(tmp_path / "seen"), "seen/"))  # as if it had been listed a moment ago
    walk.run()
    scan = walk.result()
    assert paths(scan) == ["a.md"]
    assert codes(scan) == [("seen", ScanCode.VANISHED)]
    assert not scan.complete
    assert scan.may_hide("anything.md")


@NEEDS_LINUX
def test_a_folder_too_deep_to_be_opened_is_unreadable(tmp_path: Path) -> None:
    write(tmp_path, "a.md")
    name = "d" * 250
    place = os.open(tmp_path, os.O_RDONLY)
    for _ in range(17):  # past the 4096 bytes that the system takes as one path
        os.mkdir(name, dir_fd=place)
        place, above = os.open(name, os.O_RDONLY, dir_fd=place), place
        os.close(above)
    os.close(os.open("deep.md", os.O_CREAT | os.O_WRONLY, dir_fd=place))
    os.close(place)
    scan = scan_vault(tmp_path)
    assert "a.md" in paths(scan)
    (folder,) = scan.unreadable
    assert codes(scan) == [(folder, ScanCode.UNREADABLE)]
    assert scan.may_hide("/".join([name] * 17) + "/deep.md")


def test_a_root_that_is_gone_or_no_folder_is_no_empty_vault(tmp_path: Path) -> None:
    write(tmp_path, "file.md")
    for root in (tmp_path / "gone", tmp_path / "file.md"):
        with pytest.raises(VaultVanishedError, match=root.name):
            scan_vault(root)


def test_a_vault_that_is_replaced_during_the_walk_is_no_empty_vault(tmp_path: Path) -> None:
    write(tmp_path, "vault/a.md", "other/b.md")
    seen: list[str] = []

    class Swapped(os.PathLike[str]):
        """Leads to another folder from the third look on."""

        def __fspath__(self) -> str:
            seen.append("look")
            return str(tmp_path / ("vault" if len(seen) < 3 else "other"))

    with pytest.raises(VaultVanishedError, match="replaced"):
        scan_vault(Swapped())  # type: ignore[arg-type]
