"""What a watcher says of a sync."""

from __future__ import annotations

import pytest

from vaultmem.answers import SyncAnswer
from vaultmem_daemon.report import changes


def answer(
    added: tuple[str, ...] = (),
    changed: tuple[str, ...] = (),
    moved: tuple[tuple[str, str], ...] = (),
    removed: tuple[str, ...] = (),
    seconds: float = 0.0412,
) -> SyncAnswer:
    return SyncAnswer(added, changed, moved, removed, 5, (), 0, False, seconds)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (answer(changed=("a.md",)), "1 note changed, indexed in 41 ms"),
        (answer(changed=("a.md", "b.md", "C.MD")), "3 notes changed, indexed in 41 ms"),
        (answer(added=("a.png",)), "1 file added, indexed in 41 ms"),
        (
            answer(added=("a.md",), moved=(("b.md", "c.md"), ("d.md", "e.md")), seconds=1.25),
            "1 note added, 2 moved, indexed in 1.2 s",
        ),
        (
            answer(changed=("a.md",), removed=("b.png",)),
            "1 file changed, 1 removed, indexed in 41 ms",
        ),
    ],
)
def test_changes(found: SyncAnswer, expected: str) -> None:
    report = changes(found)
    assert report is not None
    assert report.message == expected


def test_nothing_new_is_nothing_to_say() -> None:
    assert changes(answer()) is None
