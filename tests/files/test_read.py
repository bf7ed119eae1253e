"""Reading one file: whole, settled, and never anything but a regular file (D-01, F-10, F-11, G-06)."""

import os
import subprocess
import sys
import threading
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

import pytest

from vaultmem.files.read import (
    UnreadableFile,
    decode,
    is_zero_filled,
    read_note_bytes,
)
from vaultmem.files.scan import scan_vault


@pytest.mark.parametrize("path", ["Reef.md", "a b/deep/潮の表.md", "empty.md"])
def test_the_bytes_come_with_their_hash_and_the_stat_data_of_the_scan(
    tmp_path: Path, path: str
) -> None:
    data = b"" if path == "empty.md" else "\ufeffcoral\r\nlast line".encode()
    (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / path).write_bytes(data)
    read = read_note_bytes(tmp_path, path)
    (seen,) = scan_vault(tmp_path).files
    assert read.data == data
    assert read.hash == blake2b(data, digest_size=16).hexdigest()
    assert read.stat == seen
    assert read.read_ns > seen.mtime_ns - 10**9


@pytest.mark.parametrize(
    "path",
    [
        "gone.md",
        "gone/a.md",
        "a.md/b.md",
        "../a.md",
        "./a.md",
        "x//a.md",
        "/a.md",
        "",
        "a\0.md",
        "\ud800.md",
    ],
)
def test_where_nothing_is_it_is_said_so(tmp_path: Path, path: str) -> None:
    (tmp_path / "a.md").write_text("x")
    with pytest.raises(UnreadableFile) as caught:
        read_note_bytes(tmp_path, path)
    assert caught.value.missing


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes in folders here")
def test_a_pipe_is_refused_and_does_not_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    with pytest.raises(UnreadableFile, match=r"pipe\.md is no regular file") as caught:
        read_note_bytes(tmp_path, "pipe.md")
    assert not caught.value.missing


def test_a_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "folder.md").mkdir()
    with pytest.raises(UnreadableFile, match=r"folder\.md is no regular file"):
        read_note_bytes(tmp_path, "folder.md")


def test_a_link_in_the_files_place_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "vault").mkdir()
    (tmp_path / "secret.md").write_text("secret")
    try:
        (tmp_path / "vault/a.md").symlink_to(tmp_path / "secret.md")
    except OSError:
        pytest.skip("symbolic links may not be made here")
    with pytest.raises(UnreadableFile, match="symbolic link"):
        read_note_bytes(tmp_path / "vault", "a.md")


def test_a_file_below_a_linked_folder_is_read(tmp_path: Path) -> None:
    (tmp_path / "vault").mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "out/o.md").write_text("text")
    try:
        (tmp_path / "vault/ext").symlink_to(tmp_path / "out")
    except OSError:
        pytest.skip("symbolic links may not be made here")
    assert read_note_bytes(tmp_path / "vault", "ext/o.md").data == b"text"


def test_a_file_that_may_not_be_read_is_unreadable_and_not_missing(users_folder: Path) -> None:
    (users_folder / "locked.md").write_text("secret")
    (users_folder / "locked.md").chmod(0)
    with pytest.raises(UnreadableFile, match="Permission denied") as caught:
        read_note_bytes(users_folder, "locked.md")
    assert not caught.value.missing


@pytest.mark.skipif(sys.platform != "linux", reason="as Linux does it")
def test_an_offloaded_file_is_not_fetched(tmp_path: Path) -> None:
    with open(tmp_path / "away.md", "wb") as file:
        file.truncate(5000)
    if (tmp_path / "away.md").stat().st_blocks:
        pytest.skip("this disk makes no holes")
    with pytest.raises(UnreadableFile, match="in the cloud") as caught:
        read_note_bytes(tmp_path, "away.md")
    assert not caught.value.missing


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="no /proc here")
def test_a_file_whose_size_never_fits_its_bytes_is_given_up() -> None:
    """A file of the kernel has size 0 and a text: to the reader it grows each time it is read."""
    with pytest.raises(UnreadableFile, match="changed each time"):
        read_note_bytes(Path("/proc/self"), "status")


def test_two_saves_are_never_mixed(tmp_path: Path) -> None:
    """A writer rewrites the note in place, over and over; what is read stood on the disk at one moment."""
    note = tmp_path / "a.md"
    texts = [b"a" * 70_000, b"b" * 90_000]
    note.write_bytes(texts[0])
    stop = threading.Event()

    def save() -> None:
        turn = 0
        while not stop.is_set():
            turn += 1
            note.write_bytes(texts[turn % 2])

    writer = threading.Thread(target=save)
    writer.start()
    outcomes = []
    try:
        for _ in range(200):
            with suppress(UnreadableFile):  # it changed each time
                outcomes.append(read_note_bytes(tmp_path, "a.md").data)
    finally:
        stop.set()
        writer.join()
    # such a save empties the file and then fills it, so at a moment it may hold the start of a text
    assert all(any(text.startswith(data) for text in texts) for data in outcomes)
    assert read_note_bytes(tmp_path, "a.md").data in texts


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", ""),
        ("\ufeffŻaba\r\n".encode(), "\ufeffŻaba\r\n"),
        (b"Prix : 12 \x96 r\xf4le", None),
        ("text".encode("utf-16"), None),
        (b"\xed\xa0\x80", None),  # a surrogate
        (b"\x89PNG\r\n\x1a\n", None),
        (b"\0\0", "\0\0"),
    ],
)
def test_only_valid_utf8_is_text(data: bytes, text: str | None) -> None:
    assert decode(data) == text


@pytest.mark.parametrize(
    ("data", "zeros"), [(b"\0" * 44393, True), (b"\0", True), (b"", False), (b"\0a\0", False)]
)
def test_the_remains_of_a_crashed_save(data: bytes, zeros: bool) -> None:
    assert is_zero_filled(data) is zeros


def test_reading_needs_no_heavy_library() -> None:
    program = (
        "import sys, vaultmem.files.scan, vaultmem.files.read, vaultmem.files.lock\n"
        "print(sorted({'numpy', 'markdown_it', 'yaml', 'pydantic', 'apsw'} & set(sys.modules)))\n"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
