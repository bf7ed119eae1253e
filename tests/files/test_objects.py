"""The object store: every version by its hash, sound or not there (D-04)."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some

from vaultmem.files.objects import (
    ObjectDamagedError,
    ObjectMissingError,
    ObjectStore,
    ObjectUnreadableError,
)
from vaultmem.files.read import UnreadableFile, content_hash
from vaultmem.files.refusals import WriteFailed

FOLDER = ".vaultmem/objects"


@pytest.fixture
def store(tmp_path: Path) -> ObjectStore:
    return ObjectStore(tmp_path)


def place(root: Path, digest: str) -> Path:
    return root / FOLDER / digest[:2] / digest[2:]


@given(some.binary(max_size=3000) | some.binary(max_size=9).map(lambda part: part * 2000))
def test_what_is_put_can_be_had(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        store = ObjectStore(Path(folder))
        digest = store.put(data)
        assert digest == content_hash(data)
        assert store.get(digest) == data
        assert store.has(digest)
        assert list(store.walk()) == [digest]


def test_text_takes_less_room_than_it_has_bytes(tmp_path: Path, store: ObjectStore) -> None:
    digest = store.put(b"one line of a log\n" * 1000)
    assert place(tmp_path, digest).stat().st_size < 1000


def test_many_are_put_at_once_and_come_in_order(tmp_path: Path, store: ObjectStore) -> None:
    versions = [b"%d" % (number % 30) for number in range(60)]
    hashes = store.put_all(versions)
    assert hashes == [content_hash(data) for data in versions]
    assert list(store.walk()) == sorted(set(hashes))
    assert not list((tmp_path / FOLDER).rglob(".*"))


def test_what_was_never_put_is_missing(store: ObjectStore) -> None:
    digest = content_hash(b"never")
    assert not store.has(digest)
    with pytest.raises(ObjectMissingError) as caught:
        store.get(digest)
    assert caught.value.hash == digest
    assert not store.delete(digest)
    assert list(store.walk()) == []


@pytest.mark.parametrize("digest", ["", "ab", "../../../etc/passwd", "A" * 32, "0" * 33])
def test_what_is_no_hash_leads_nowhere(store: ObjectStore, digest: str) -> None:
    assert not store.has(digest)
    with pytest.raises(ObjectMissingError):
        store.get(digest)


@pytest.mark.parametrize("bytes_there", [b"", b"z", b"zbroken", b"?x", b"-other bytes"])
def test_a_damaged_object_is_told_and_mended_by_putting_it_again(
    tmp_path: Path, store: ObjectStore, bytes_there: bytes
) -> None:
    digest = store.put(b"a version")
    place(tmp_path, digest).write_bytes(bytes_there)
    with pytest.raises(ObjectDamagedError) as caught:
        store.get(digest)
    assert caught.value.hash == digest
    store.put(b"a version")
    assert store.get(digest) == b"a version"


def test_a_deleted_object_is_gone(store: ObjectStore) -> None:
    digest = store.put(b"a version")
    assert store.delete(digest)
    assert not store.has(digest)


def test_half_written_objects_of_dead_processes_are_cleaned(
    tmp_path: Path, store: ObjectStore
) -> None:
    digest = store.put(b"a version")
    folder = tmp_path / ".vaultmem/incoming"
    dead, alive = folder / f"{2**22 + 5}-abc", folder / f"{os.getppid()}-abc"
    dead.write_bytes(b"z")
    alive.write_bytes(b"z")
    store.clean()
    assert not dead.exists()
    assert alive.exists()
    assert list(store.walk()) == [digest]


def test_a_file_in_the_place_of_the_folder_is_told(tmp_path: Path, store: ObjectStore) -> None:
    digest = store.put(b"a version")
    shutil.rmtree(tmp_path / ".vaultmem/objects")
    (tmp_path / ".vaultmem/objects").write_bytes(b"")
    with pytest.raises(ObjectMissingError):
        store.get(digest)
    with pytest.raises(WriteFailed):
        store.put(b"another")
    for listing in (store.unreadable, lambda: list(store.walk())):
        with pytest.raises(UnreadableFile, match="Not a directory"):
            listing()
    assert (store.has(digest), store.status(digest), store.delete(digest)) == (False, None, False)
    assert os.listdir(tmp_path / ".vaultmem/incoming") == []


def test_what_may_not_be_read_is_told_by_its_hash_and_reason(users_folder: Path) -> None:
    store = ObjectStore(users_folder)
    shut, open_ = store.put(b"a version"), store.put(b"another")
    place(users_folder, shut).chmod(0)
    with pytest.raises(ObjectUnreadableError, match=f"{shut} cannot be read: Permission denied"):
        store.get(shut)
    assert store.get(open_) == b"another"
    assert store.unreadable() == [shut]
    assert store.put(b"a version") == shut
    assert store.unreadable() == []


@pytest.mark.parametrize("folder", ["objects", "incoming"])
def test_a_folder_that_may_not_be_listed_is_not_taken_for_empty(
    users_folder: Path, folder: str
) -> None:
    store = ObjectStore(users_folder)
    store.put(b"a version")
    (users_folder / ".vaultmem" / folder).chmod(0)
    store.clean()
    if folder == "objects":
        with pytest.raises(UnreadableFile, match="Permission denied"):
            list(store.walk())
