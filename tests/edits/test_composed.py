"""Several notes changed, made and moved as one event."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.edits.conftest import Desk
from tests.edits.test_editor import texts, told
from vaultmem.edits.composed import Composed
from vaultmem.files.events import EventKind
from vaultmem.files.read import content_hash
from vaultmem.files.refusals import ChangedSinceRead

FILES = {
    "Keep.md": "# Keep\n\nBoth say this.\n",
    "Memory/Gone.md": "# Gone\n\nBoth say this.\n",
    "Reader.md": "See [[Memory/Gone]] and [[Keep]].\n",
}


def read(*paths: str) -> dict[str, str]:
    return {path: content_hash(FILES[path].encode()) for path in paths}


def test_a_merge_is_one_event_and_links_follow_the_note_that_moves(desk_of: Desk) -> None:
    vault, editor = desk_of(FILES)
    wanted = Composed(
        read=read("Keep.md", "Memory/Gone.md"),
        texts={
            "Keep.md": "# Keep\n\nBoth say this. Supersedes [[Memory/Gone]].\n",
            "Memory/Gone.md": "# Gone\n\nBoth say this. Now: [[Keep]].\n",
        },
        move=("Memory/Gone.md", "Memory/_archive/Gone.md"),
    )

    answer = editor.apply(
        wanted, kind=EventKind.MERGED, by="the dream", why="they say the same", cycle="night-1"
    )

    assert texts(vault) == {
        "Keep.md": "# Keep\n\nBoth say this. Supersedes [[Memory/Gone]].\n",
        "Memory/_archive/Gone.md": "# Gone\n\nBoth say this. Now: [[Keep]].\n",
        "Reader.md": "See [[Memory/_archive/Gone]] and [[Keep]].\n",
    }
    assert told(vault)[-1] == ("merged", "the dream", "they say the same")
    vault.history.undo([answer.event or ""])
    assert texts(vault) == FILES


def test_new_notes_are_made_with_it(desk_of: Desk) -> None:
    vault, editor = desk_of(FILES)
    editor.apply(
        Composed(read={}, made={"Memory/_dreams/2031-01-02.md": "quiet\n"}),
        kind=EventKind.CREATED,
        by="the dream",
        why="digest",
    )
    assert texts(vault)["Memory/_dreams/2031-01-02.md"] == "quiet\n"


@pytest.mark.parametrize("path", ["Keep.md", "Reader.md"])
def test_nothing_is_done_when_a_note_it_was_made_from_has_changed(desk_of: Desk, path: str) -> None:
    vault, editor = desk_of(FILES)
    (vault.root / path).write_text("typed meanwhile\n")
    before = texts(vault)
    wanted = Composed(read=read("Keep.md", "Reader.md"), texts={"Keep.md": "other\n"})

    with pytest.raises(ChangedSinceRead):
        editor.apply(wanted, kind=EventKind.UPDATED, by="the dream", why="x")

    assert texts(vault) == before


def test_nothing_is_done_when_a_link_would_follow_in_a_note_that_was_not_looked_at(
    desk_of: Desk,
) -> None:
    vault, editor = desk_of(FILES)
    wanted = Composed(
        read=read("Memory/Gone.md"),
        move=("Memory/Gone.md", "Memory/_archive/Gone.md"),
        others=frozenset(),
    )

    with pytest.raises(ChangedSinceRead, match=r"Reader\.md"):
        editor.apply(wanted, kind=EventKind.ARCHIVED, by="the dream", why="x")
    assert texts(vault) == FILES

    wanted = replace(wanted, others=frozenset({"Reader.md"}))
    editor.apply(wanted, kind=EventKind.ARCHIVED, by="the dream", why="x")
    assert texts(vault)["Reader.md"] == "See [[Memory/_archive/Gone]] and [[Keep]].\n"


def test_a_dry_run_tells_of_every_file_and_changes_none(desk_of: Desk) -> None:
    vault, editor = desk_of(FILES)
    wanted = Composed(
        read=read("Memory/Gone.md"), move=("Memory/Gone.md", "Memory/_archive/Gone.md")
    )

    answer = editor.apply(wanted, kind=EventKind.ARCHIVED, by="x", why="y", dry_run=True)

    assert [(file.path, file.path_after) for file in answer.files] == [
        ("Memory/Gone.md", "Memory/_archive/Gone.md"),
        ("Reader.md", None),
    ]
    assert texts(vault) == FILES
