"""Many events become few batches; none is lost, and none waits for ever."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultmem_daemon.debounce import Batch, Debouncer, Pace
from vaultmem_daemon.events import Change, Everything, Kind

PACE = Pace(quiet_s=1, calm_s=4, longest_s=10, few=3, most=6)

BORN, CHANGED, GONE = Kind.BORN, Kind.CHANGED, Kind.GONE

Timed = tuple[float, Change | Everything]


def at(time: float, path: str, kind: Kind = CHANGED) -> Timed:
    return time, Change(path, kind)


def batches(events: Sequence[Timed], pace: Pace = PACE) -> list[tuple[float, Batch]]:
    """The batches with the times at which they are due, when somebody always takes them at once."""
    debouncer = Debouncer(pace)
    taken: list[tuple[float, Batch]] = []
    for time, event in events:
        while (due := debouncer.due()) is not None and due <= time:
            batch = debouncer.take(due)
            assert batch is not None
            taken.append((due, batch))
        debouncer.add(event, time)
    while (due := debouncer.due()) is not None:
        batch = debouncer.take(due)
        assert batch is not None
        taken.append((due, batch))
    return taken


@pytest.mark.parametrize(
    ("what", "events", "expected"),
    [
        ("a save in place", [at(0, "a.md")], [(1, Batch(("a.md",)))]),
        (
            "an editor that writes in pieces",
            [at(0, "a.md"), at(0.5, "a.md"), at(1.2, "a.md")],
            [(2.2, Batch(("a.md",)))],
        ),
        (
            "a save by a visible temporary file and a rename",
            [at(0, "a.md~", BORN), at(0.1, "a.md~"), at(0.2, "a.md~", GONE), at(0.2, "a.md", BORN)],
            [(1.2, Batch(("a.md~", "a.md")))],
        ),
        (
            "delete and write anew is no loss",
            [at(0, "a.md", GONE), at(0.1, "a.md", BORN)],
            [(1.1, Batch(("a.md",)))],
        ),
        (
            "a deletion waits for where it may have moved to",
            [at(0, "old.md", GONE), at(3, "new.md", BORN)],
            [(7, Batch(("old.md", "new.md")))],
        ),
        (
            "two edits with a pause between",
            [at(0, "a.md"), at(5, "b.md")],
            [(1, Batch(("a.md",))), (6, Batch(("b.md",)))],
        ),
        (
            "more than a few files",
            [at(0, name) for name in ("a.md", "b.md", "c.md", "d.md")],
            [(4, Batch(("a.md", "b.md", "c.md", "d.md")))],
        ),
        (
            "more files than a look at each is worth",
            [at(0, f"{number}.md") for number in range(7)],
            [(4, Batch((), "many files changed"))],
        ),
        (
            "everything outweighs paths before and after",
            [at(0, "a.md"), (0.5, Everything("an overflow")), at(0.6, "b.md")],
            [(4.6, Batch((), "an overflow"))],
        ),
        (
            "a file that never rests",
            [at(number * 0.5, "log.md") for number in range(30)],
            [(10, Batch(("log.md",))), (15.5, Batch(("log.md",)))],
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_batches(what: str, events: list[Timed], expected: list[tuple[float, Batch]]) -> None:
    assert batches(events) == expected


changes = st.builds(
    Change, st.sampled_from([f"{name}.md" for name in "abcdefgh"]), st.sampled_from(Kind)
)
everything = st.builds(Everything, st.just("overflow"))
streams = st.lists(
    st.tuples(st.floats(0, 3, allow_nan=False), st.one_of(changes, changes, changes, everything)),
    max_size=60,
)


def timed(stream: Sequence[tuple[float, Change | Everything]]) -> list[Timed]:
    """Pauses turned into times."""
    now = 0.0
    events: list[Timed] = []
    for pause, event in stream:
        now += pause
        events.append((now, event))
    return events


@given(streams)
def test_every_event_is_in_a_batch_that_comes_in_time(
    stream: list[tuple[float, Change | Everything]],
) -> None:
    events = timed(stream)
    taken = batches(events)
    for time, event in events:
        due, batch = next((due, batch) for due, batch in taken if due > time)
        assert due - time <= PACE.longest_s + 1e-6
        assert batch.everything or (isinstance(event, Change) and event.path in batch.paths)


@given(streams)
def test_no_path_is_twice_in_a_batch_and_no_batch_is_empty(
    stream: list[tuple[float, Change | Everything]],
) -> None:
    for _, batch in batches(timed(stream)):
        assert len(set(batch.paths)) == len(batch.paths)
        assert bool(batch.paths) != bool(batch.everything)
        assert len(batch.paths) <= PACE.most


@given(streams)
def test_batches_are_no_closer_than_the_quiet_time(
    stream: list[tuple[float, Change | Everything]],
) -> None:
    times = [due for due, _ in batches(timed(stream))]
    assert all(later - earlier >= PACE.quiet_s - 1e-6 for earlier, later in pairwise(times))


def test_flush_gives_what_is_there_and_nothing_twice() -> None:
    debouncer = Debouncer(PACE)
    debouncer.add(Change("a.md", CHANGED), 0)
    assert debouncer.flush() == Batch(("a.md",))
    assert (debouncer.flush(), debouncer.due(), bool(debouncer)) == (None, None, False)
