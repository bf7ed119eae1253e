"""The writer's lock: between processes, between threads, and after a death."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from vaultmem.errors import FailedError, IndexReadOnlyError, LockedError
from vaultmem.files.changes import ChangeSet, apply_changes
from vaultmem.files.events import EventKind
from vaultmem.files.lock import Guarded, Holder, WriterLock, _is_held, read_holder
from vaultmem.files.recover import LOCK, recover

HOLD = """
import sys
from pathlib import Path
from vaultmem.files.lock import WriterLock
with WriterLock(Path(sys.argv[1]), program="dreamer"):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / ".vaultmem" / "writer.lock"


class Other:
    """Another process that holds the lock until it is told to end."""

    def __init__(self, path: Path) -> None:
        command = [sys.executable, "-c", HOLD, str(path)]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == "held\n"

    def end(self) -> None:
        self.process.communicate()
        assert self.process.returncode == 0

    def die(self) -> None:
        self.process.send_signal(signal.SIGKILL if sys.platform != "win32" else signal.SIGTERM)
        self.process.communicate()


def test_the_lock_is_taken_and_given_back(path: Path) -> None:
    lock = WriterLock(path, program="vaultmem")
    held = [lock.held]
    with lock:
        held.append(lock.held)
        assert read_holder(path) == Holder(os.getpid(), "vaultmem")
    assert [*held, lock.held] == [False, True, False]
    assert read_holder(path) is None
    with lock, pytest.raises(LockedError), WriterLock(path, timeout=0):
        pass


def test_another_process_is_named_and_waited_for(path: Path) -> None:
    other = Other(path)
    with pytest.raises(LockedError) as caught:
        WriterLock(path, timeout=0.05).acquire()
    assert f"dreamer (process {other.process.pid})" in str(caught.value)
    assert "0.05 s" in str(caught.value)
    other.end()
    with WriterLock(path, timeout=0):
        pass


def test_waiting_ends_when_the_holder_does(path: Path) -> None:
    other = Other(path)
    got = threading.Event()

    def take() -> None:
        with WriterLock(path, timeout=60):
            got.set()

    waiter = threading.Thread(target=take)
    waiter.start()
    assert not got.is_set()
    other.end()
    waiter.join(60)
    assert got.is_set()


TAKE_TURNS = """
import sys, time
from pathlib import Path
from vaultmem.files.lock import WriterLock
lock, turns = WriterLock(Path(sys.argv[1]), timeout=60), 0
print("ready", flush=True)
sys.stdin.readline()
end = time.monotonic() + 1.0
while time.monotonic() < end:
    with lock:
        turns += 1
        time.sleep(0.004)
print(turns, flush=True)
"""


def test_all_who_want_it_get_it_about_equally_often(path: Path) -> None:
    others = [
        subprocess.Popen(
            [sys.executable, "-c", TAKE_TURNS, str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(4)
    ]
    for other in others:
        assert other.stdout is not None
        assert other.stdout.readline() == "ready\n"
    for other in others:
        assert other.stdin is not None
        other.stdin.write("go\n")
        other.stdin.flush()
    turns = sorted(int(other.communicate()[0]) for other in others)
    assert turns[0] >= 3
    assert turns[-1] <= 2 * turns[0]
    assert not queue_of(path).exists()


def queue_of(path: Path) -> Path:
    return path.with_name(f"{path.name}.queue")


WAIT = """
import sys
from pathlib import Path
from vaultmem.files.lock import WriterLock
WriterLock(Path(sys.argv[1]), timeout=600).acquire()
print("got it", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def waiting(path: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that is first in the queue of a lock that this one holds."""
    with WriterLock(path):
        process = subprocess.Popen(
            [sys.executable, "-c", WAIT, str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        while not queue_of(path).is_dir() or not list(queue_of(path).iterdir()):
            assert process.poll() is None
        yield process
        process.kill()
        process.communicate()


def test_who_comes_later_does_not_overtake(path: Path) -> None:
    first = WriterLock(path, timeout=60)
    first.acquire()
    got: list[str] = []

    def take(name: str) -> None:
        with WriterLock(path, timeout=60):
            got.append(name)

    threads = []
    for number, name in enumerate("abc"):
        threads.append(threading.Thread(target=take, args=(name,)))
        threads[-1].start()
        while not queue_of(path).is_dir() or len(list(queue_of(path).iterdir())) <= number:
            assert threads[-1].is_alive()
    with pytest.raises(LockedError):
        WriterLock(path, timeout=0).acquire()
    first.release()
    for thread in threads:
        thread.join(60)
    assert got == ["a", "b", "c"]
    assert not queue_of(path).exists()


@pytest.mark.skipif(sys.platform == "win32", reason="a ticket cannot be removed while it is open")
def test_a_waiter_that_is_killed_does_not_block(path: Path, waiting: subprocess.Popen[str]) -> None:
    waiting.kill()
    waiting.wait()
    assert len(list(queue_of(path).iterdir())) == 1
    path.unlink()  # as if the holder had let it go
    with WriterLock(path, timeout=0):
        assert not queue_of(path).exists()


@pytest.mark.skipif(sys.platform == "win32", reason="there is no stopping there")
def test_a_waiter_that_is_stopped_does_not_block(
    path: Path, waiting: subprocess.Popen[str]
) -> None:
    waiting.send_signal(signal.SIGSTOP)
    path.unlink()
    with WriterLock(path, timeout=30):
        assert waiting.poll() is None
    waiting.send_signal(signal.SIGCONT)


def test_a_death_frees_the_lock_whatever_the_file_says(path: Path) -> None:
    other = Other(path)
    other.die()
    assert read_holder(path) == Holder(other.process.pid, "dreamer")
    with WriterLock(path, timeout=0, program="next"):
        assert read_holder(path) == Holder(os.getpid(), "next")


@pytest.mark.parametrize("shared", [True, False])
def test_threads_exclude_each_other(path: Path, shared: bool) -> None:
    one = WriterLock(path, timeout=60)
    inside = 0
    most = 0

    def work() -> None:
        nonlocal inside, most
        for _ in range(25):
            with one if shared else WriterLock(path, timeout=60):
                inside += 1
                most = max(most, inside)
                inside -= 1

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (inside, most) == (0, 1)


def test_a_lock_cannot_be_taken_twice(path: Path) -> None:
    lock = WriterLock(path, timeout=0, program="vaultmem")
    with lock, pytest.raises(LockedError, match=f"process {os.getpid()}"):
        lock.acquire()
    with lock:
        pass


def test_the_wait_may_be_given_at_the_call(path: Path) -> None:
    lock = WriterLock(path, timeout=60)
    with WriterLock(path), pytest.raises(LockedError):
        lock.acquire(timeout=0)


def test_an_error_inside_gives_the_lock_back(path: Path) -> None:
    with pytest.raises(ValueError, match="inside"), WriterLock(path):
        raise ValueError("inside")
    with WriterLock(path, timeout=0):
        pass


def test_a_lock_that_is_not_held_cannot_be_given_back(path: Path) -> None:
    with pytest.raises(RuntimeError):
        WriterLock(path).release()


@pytest.mark.skipif(sys.platform == "win32", reason="an open file cannot be deleted on Windows")
def test_a_deleted_lock_file_does_not_let_two_in_for_long(path: Path) -> None:
    with WriterLock(path):
        path.unlink()
        with WriterLock(path, timeout=0) as second:
            # the first holds a file that is gone; all who come now meet the second
            assert second.held
            with pytest.raises(LockedError):
                WriterLock(path, timeout=0).acquire()


@pytest.mark.parametrize("text", ["", "no number\nx\n", "12", "\xff"])
def test_a_lock_file_that_names_nobody_still_locks(path: Path, text: str) -> None:
    with WriterLock(path):
        path.write_text(text, "latin-1")
        assert read_holder(path) is None
        with pytest.raises(LockedError, match="another process"):
            WriterLock(path, timeout=0).acquire()


def test_a_folder_that_cannot_be_written_is_said_to_be(users_folder: Path) -> None:
    users_folder.chmod(0o500)
    with pytest.raises(IndexReadOnlyError, match="Permission denied"):
        WriterLock(users_folder / "writer.lock").acquire()
    users_folder.chmod(0o700)


def test_a_file_in_the_way_of_the_folder_is_said_to_be(tmp_path: Path) -> None:
    (tmp_path / ".vaultmem").write_text("a file")
    with pytest.raises(IndexReadOnlyError, match=r"\.vaultmem"):
        WriterLock(tmp_path / ".vaultmem" / "writer.lock").acquire()


def test_a_look_at_the_lock_is_nobodys_hold_on_it(path: Path) -> None:
    """Who waits looks now and then whether it lies idle, and holds it for that instant."""
    with WriterLock(path):
        pass
    ended, looks = threading.Event(), 0

    def look() -> None:
        nonlocal looks
        while not ended.is_set():
            looks += not _is_held(path, remove=False)

    looker = threading.Thread(target=look)
    looker.start()
    try:
        for _ in range(500):
            with WriterLock(path, timeout=0):
                pass
    finally:
        ended.set()
        looker.join(60)
    assert looks > 0


def test_what_a_lock_guards_is_what_its_messages_speak_of(path: Path) -> None:
    guarded = Guarded("Notes are being moved", "Make room.", "No locks.", FailedError)
    with (
        WriterLock(path, program="dreamer", guarded=guarded),
        pytest.raises(LockedError, match=r"Notes are being moved by dreamer \(process \d+\)"),
    ):
        WriterLock(path, timeout=0, guarded=guarded).acquire()
    path.unlink()
    path.mkdir()
    with pytest.raises(FailedError, match=r"Is a directory\. Make room\."):
        WriterLock(path, guarded=guarded).acquire()


def test_who_changes_notes_is_told_of_notes(tmp_path: Path) -> None:
    with WriterLock(tmp_path / LOCK), pytest.raises(LockedError, match="Notes of this vault"):
        recover(tmp_path, timeout=0)
    with pytest.raises(LockedError, match="Notes of this vault"), WriterLock(tmp_path / LOCK):
        apply_changes(tmp_path, ChangeSet(EventKind.UPDATED, "a test", "asked to"), timeout=0)
