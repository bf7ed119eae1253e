"""The plan of a sync: what a comparison of the files seen with the files known comes to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultmem.files.scan import FileStat
from vaultmem.index.plan import (
    Comparison,
    KnownFile,
    SyncPlan,
    compare,
    decide,
    is_mass_disappearance,
)
from vaultmem.notes.paths import file_kind


def digest(content: str) -> bytes:
    """What stands for a content's hash."""
    return f"#{content}".encode()


def seen(path: str, *, content: str = "x", inode: int = 1, mtime: int = 5) -> FileStat:
    """A file on disk."""
    return FileStat(path, file_kind(path), len(content), mtime, mtime, inode)


def known(
    path: str,
    *,
    content: str | None = "x",
    inode: int = 1,
    mtime: int = 5,
    number: int = 1,
    trusted: bool = True,
    state: str = "present",
) -> KnownFile:
    """A file in the index."""
    size = len(content or "")
    hashed = None if content is None else digest(content)
    kind = str(file_kind(path))
    return KnownFile(path, size, mtime, mtime, inode, int(trusted), number, kind, state, 0, hashed)


def plan_of(
    on_disk: Mapping[str, tuple[str, int]],
    in_index: Sequence[KnownFile],
    *,
    rereads: Callable[[str], bool] | None = None,
) -> SyncPlan:
    """The plan when the disk holds those files (path to content and inode)."""
    files = [seen(path, content=text, inode=inode) for path, (text, inode) in on_disk.items()]
    comparison = compare(files, {row.path: row for row in in_index})
    hashes = {path: digest(text) for path, (text, _) in on_disk.items()}
    return decide(comparison, hashes, rereads=rereads)


def moves(plan: SyncPlan) -> dict[str, str]:
    return {pair.known.path: pair.seen.path for pair in plan.moved}


class TestCompare:
    """Given stat data alone, a file is unchanged, doubtful, new, gone or unseen."""

    def test_equal_stat_data_that_are_trusted_mean_unchanged(self) -> None:
        assert compare([seen("a.md")], {"a.md": known("a.md")}) == Comparison(1, (), (), (), ())

    @pytest.mark.parametrize(
        ("file", "row"),
        [
            pytest.param(seen("a.md", content="xy"), known("a.md"), id="another size"),
            pytest.param(seen("a.md", mtime=4), known("a.md"), id="an earlier time"),
            pytest.param(seen("a.md", mtime=6), known("a.md"), id="a later time"),
            pytest.param(seen("a.md", inode=2), known("a.md"), id="another inode"),
            pytest.param(seen("a.md"), known("a.md", trusted=False), id="too fresh to trust"),
            pytest.param(seen("a.md"), known("a.md", state="unreadable"), id="was unreadable"),
            pytest.param(seen("a.md"), known("a.md", state="offloaded"), id="was in the cloud"),
        ],
    )
    def test_anything_else_is_doubtful(self, file: FileStat, row: KnownFile) -> None:
        comparison = compare([file], {"a.md": row})

        assert [(p.known, p.seen) for p in comparison.doubtful] == [(row, file)]
        assert comparison.unchanged == 0

    def test_a_changed_change_time_alone_is_doubtful(self) -> None:
        file = seen("a.md")._replace(ctime_ns=9)

        assert compare([file], {"a.md": known("a.md")}).doubtful

    @pytest.mark.parametrize("place", ["", "Locked", "Locked/Deep", "Locked/Deep/a.md"])
    def test_what_could_not_be_looked_at_is_not_gone(self, place: str) -> None:
        row = known("Locked/Deep/a.md")

        comparison = compare([], {row.path: row}, hidden_below=[place])

        assert (comparison.gone, comparison.unseen, comparison.hidden) == ((), (row,), (row,))

    def test_a_folder_of_a_like_name_hides_nothing(self) -> None:
        row = known("Lockedroom/a.md")

        assert compare([], {row.path: row}, hidden_below=["Locked"]).gone == (row,)

    def test_an_incomplete_scan_proves_no_absence(self) -> None:
        row = known("a.md")

        comparison = compare([], {"a.md": row}, complete=False)

        assert (comparison.gone, comparison.unseen, comparison.hidden) == ((), (row,), ())

    def test_a_file_in_the_cloud_is_kept_and_its_state_is_to_change_once(self) -> None:
        here, away = known("a.md"), known("b.md", state="offloaded")

        comparison = compare([], {"a.md": here, "b.md": away}, offloaded=["a.md", "b.md"])

        assert (comparison.gone, comparison.hidden) == ((), (here,))
        assert not comparison.nothing_to_do

    def test_a_file_in_the_cloud_that_is_not_known_is_named(self) -> None:
        comparison = compare([], {}, offloaded=["b.md", "a.md"])

        assert comparison.away == ("a.md", "b.md")
        assert not comparison.nothing_to_do


class TestDecide:
    """Given hashes, a doubtful file is touched or changed, and a new one is a move or an addition."""

    def test_the_same_content_under_other_stat_data_is_only_touched(self) -> None:
        plan = plan_of({"a.md": ("x", 9)}, [known("a.md")])

        assert [pair.known.path for pair in plan.touched] == ["a.md"]
        assert plan.changed == ()

    def test_other_content_is_a_change_that_keeps_the_id(self) -> None:
        plan = plan_of({"a.md": ("y", 1)}, [known("a.md", number=7, trusted=False)])

        assert [(pair.known.id, pair.seen.path) for pair in plan.changed] == [(7, "a.md")]

    def test_a_file_that_cannot_be_read_keeps_its_rows(self) -> None:
        comparison = compare([seen("a.md", mtime=9)], {"a.md": known("a.md")})

        plan = decide(comparison, {"a.md": None})

        assert [pair.known.path for pair in plan.unreadable] == ["a.md"]
        assert plan.nothing_to_do

    def test_of_an_attachment_only_stat_data_are_written(self) -> None:
        comparison = compare([seen("a.png", mtime=9)], {"a.png": known("a.png", content=None)})

        assert [pair.seen.path for pair in decide(comparison, {}).touched] == ["a.png"]

    def test_what_says_something_else_by_now_is_read_anew_and_no_change(self) -> None:
        rows = [known(path, trusted=False) for path in ("T/a.md", "T/b.md", "c.md")]
        disk = {"T/a.md": ("x", 1), "T/b.md": ("y", 1), "c.md": ("x", 1)}

        plan = plan_of(disk, rows, rereads=lambda path: path.startswith("T/"))

        assert [pair.seen.path for pair in plan.reread] == ["T/a.md"]
        assert [pair.seen.path for pair in plan.changed] == ["T/b.md"]
        assert [pair.seen.path for pair in plan.touched] == ["c.md"]


class TestMoves:
    """A file that is gone while another with the same content is new has moved, and keeps its id."""

    def test_a_move_keeps_the_id(self) -> None:
        plan = plan_of(
            {"New/b.md": ("tide", 4)}, [known("a.md", content="tide", inode=4, number=7)]
        )

        assert [(pair.known.id, pair.seen.path) for pair in plan.moved] == [(7, "New/b.md")]
        assert (plan.added, plan.removed) == ((), ())

    def test_a_move_to_another_disk_has_another_inode(self) -> None:
        plan = plan_of({"New/a.md": ("tide", 9)}, [known("a.md", content="tide", inode=4)])

        assert moves(plan) == {"a.md": "New/a.md"}

    def test_a_move_with_an_edit_is_a_removal_and_an_addition(self) -> None:
        plan = plan_of({"b.md": ("ebb", 4)}, [known("a.md", content="tide", inode=4)])

        assert moves(plan) == {}
        assert [f.path for f in plan.added] == ["b.md"]
        assert [k.path for k in plan.removed] == ["a.md"]

    def test_of_several_alike_the_same_inode_is_surest(self) -> None:
        gone = [
            known("a.md", content="tide", inode=4),
            known("b.md", content="tide", inode=5),
        ]

        plan = plan_of({"X/a.md": ("tide", 5), "Y/z.md": ("tide", 4)}, gone)

        assert moves(plan) == {"a.md": "Y/z.md", "b.md": "X/a.md"}

    def test_then_the_same_name_and_then_the_order_of_paths(self) -> None:
        gone = [known(f"{name}.md", content="tide", inode=0) for name in "abc"]

        plan = plan_of(
            {f"X/{name}.md": ("tide", 9) for name in "bxy"},
            gone,
        )

        assert moves(plan) == {"b.md": "X/b.md", "a.md": "X/x.md", "c.md": "X/y.md"}

    def test_empty_files_are_alike_by_chance(self) -> None:
        gone = [known("a.md", content="", inode=4), known("b.md", content="", inode=5)]

        plan = plan_of({"X/a.md": ("", 9), "X/c.md": ("", 5)}, gone)

        assert moves(plan) == {"b.md": "X/c.md"}
        assert [f.path for f in plan.added] == ["X/a.md"]

    def test_an_attachment_moves_when_all_its_stat_data_agree(self) -> None:
        gone = known("a.png", content=None, inode=4)._replace(size=1)

        assert moves(plan_of({"X/b.png": ("x", 4)}, [gone])) == {"a.png": "X/b.png"}
        assert moves(plan_of({"X/b.png": ("x", 5)}, [gone])) == {}

    def test_what_was_never_read_has_no_content_to_move_by(self) -> None:
        gone = known("a.md", content=None, inode=4, state="unreadable")

        assert moves(plan_of({"b.md": ("x", 4)}, [gone])) == {}

    @pytest.mark.parametrize("content", ["tide", None])
    def test_what_cannot_be_read_moves_by_its_stat_data(self, content: str | None) -> None:
        row = known("a.md", content=content, inode=4)._replace(size=4)
        new = seen("F/b.md", content="tide", inode=4)

        def plan(file: FileStat) -> SyncPlan:
            return decide(compare([file], {"a.md": row}), {file.path: None})

        assert moves(plan(new)) == {"a.md": "F/b.md"}
        for other in (new._replace(inode=5), new._replace(size=5), new._replace(mtime_ns=6)):
            assert moves(plan(other)) == {}

    def test_two_files_that_change_places_are_two_changes_each_with_its_id(self) -> None:
        rows = [
            known("a.md", content="flood", inode=1, number=1),
            known("b.md", content="ebb", inode=2, number=2),
        ]

        plan = plan_of({"a.md": ("ebb", 2), "b.md": ("flood", 1)}, rows)

        assert [(p.known.id, p.seen.path) for p in plan.changed] == [(1, "a.md"), (2, "b.md")]
        assert plan.moved == ()

    def test_thousands_of_copies_are_paired_without_comparing_each_with_each(self) -> None:
        count = 20_000
        gone = [known(f"{i}.md", content="same", inode=0) for i in range(count)]

        plan = plan_of({f"X/{i}.md": ("same", 9) for i in range(count)}, gone)

        assert moves(plan) == {f"{i}.md": f"X/{i}.md" for i in range(count)}


PATHS = st.sampled_from(["a.md", "b.md", "c.canvas", "d.png", "F/a.md", "F/b.md", "F/G/a.md"])
CONTENTS = st.sampled_from(["", "tide", "ebb"])
DISK = st.dictionaries(PATHS, st.tuples(CONTENTS, st.integers(1, 3)))


@st.composite
def indexes(draw: st.DrawFn) -> list[KnownFile]:
    paths = draw(st.lists(PATHS, unique=True))
    return [
        known(
            path,
            content=draw(st.none() | CONTENTS),
            inode=draw(st.integers(1, 3)),
            number=number,
            trusted=draw(st.booleans()),
            state=draw(st.sampled_from(["present", "unreadable", "offloaded"])),
        )
        for number, path in enumerate(paths)
    ]


@given(DISK, indexes(), st.lists(st.sampled_from(["F", "F/G", "a.md"])), st.booleans(), st.data())
def test_every_file_is_in_exactly_one_list(
    disk: dict[str, tuple[str, int]],
    index: list[KnownFile],
    hidden: list[str],
    complete: bool,
    data: st.DataObject,
) -> None:
    files = [seen(path, content=text, inode=inode) for path, (text, inode) in disk.items()]
    rows = {row.path: row for row in index}
    comparison = compare(files, rows, hidden_below=hidden, complete=complete)
    hashes = {
        path: data.draw(st.sampled_from([digest(text), None])) for path, (text, _) in disk.items()
    }
    plan = decide(
        comparison, hashes, rereads=data.draw(st.sampled_from([None, lambda path: "F" in path]))
    )

    pairs = (*plan.changed, *plan.moved, *plan.touched, *plan.reread, *plan.unreadable)
    seen_in = Counter([pair.seen.path for pair in pairs] + [file.path for file in plan.added])
    known_in = Counter(
        [pair.known.path for pair in pairs]
        + [row.path for row in (*plan.removed, *comparison.unseen)]
    )
    listed = len(disk) - plan.unchanged
    assert (max(seen_in.values(), default=1), len(seen_in)) == (1, listed)
    assert (max(known_in.values(), default=1), len(known_in)) == (1, len(rows) - plan.unchanged)
    assert seen_in.keys() <= disk.keys()
    assert known_in.keys() <= rows.keys()
    lost = {row.path for row in plan.removed} | {pair.known.path for pair in plan.moved}
    assert not lost & disk.keys()
    assert not lost or complete
    assert not any(
        path == place or path.startswith(f"{place}/") for path in lost for place in hidden
    )


@pytest.mark.parametrize(
    ("removed", "of", "is_mass"),
    [
        (19, 19, False),
        (20, 39, True),
        (20, 40, False),
        (20, 20, True),
        (600, 1000, True),
        (0, 0, False),
    ],
)
def test_a_mass_disappearance_is_more_than_half_and_at_least_twenty(
    removed: int, of: int, is_mass: bool
) -> None:
    assert is_mass_disappearance(removed, of) is is_mass
