"""Loops, and the rest after one."""

from __future__ import annotations

from vaultmem.evolution import Alarm, CycleRecord, Loop, MutationGate, NoteChange

PAIR = ("a", "b")


def run(*cycles: CycleRecord) -> tuple[MutationGate, list[tuple[Alarm, ...]]]:
    gate, told = MutationGate(), []
    for cycle in cycles:
        gate, alarms = gate.after(cycle)
        told.append(alarms)
    return gate, told


def merging(name: str, *pairs: tuple[str, str]) -> CycleRecord:
    return CycleRecord(name, frozenset(pairs))


def changing(name: str, before: str, after: str) -> CycleRecord:
    return CycleRecord(name, changes=(NoteChange("n", before, after),))


def test_the_same_merge_in_three_cycles_running_is_a_loop() -> None:
    _, told = run(merging("c1", PAIR), merging("c2", PAIR, ("c", "d")), merging("c3", PAIR))

    assert told == [(), (), (Alarm(Loop.MERGE_CYCLE, "a + b"),)]


def test_a_merge_that_comes_again_after_a_pause_is_none() -> None:
    _, told = run(merging("c1", PAIR), merging("c2"), merging("c3", PAIR), merging("c4", PAIR))

    assert told == [()] * 4


def test_a_note_that_the_dream_brings_back_to_an_earlier_state_oscillates() -> None:
    _, told = run(changing("c1", "A", "B"), merging("c2"), changing("c3", "B", "A"))

    assert told == [(), (), (Alarm(Loop.OSCILLATION, "n"),)]


def test_a_note_that_goes_on_to_new_states_or_was_set_back_by_a_person_does_not() -> None:
    _, told = run(changing("c1", "A", "B"), changing("c2", "B", "C"), changing("c3", "A", "D"))

    assert told == [()] * 3


def test_two_edits_of_a_note_in_one_cycle_are_no_oscillation() -> None:
    onwards = CycleRecord("1", changes=(NoteChange("n", "a", "b"), NoteChange("n", "b", "c")))

    assert run(onwards)[1] == [()]


def test_there_and_back_within_one_cycle_is_an_oscillation_too() -> None:
    both = CycleRecord("c1", changes=(NoteChange("n", "A", "B"), NoteChange("n", "B", "A")))

    assert run(both)[1] == [(Alarm(Loop.OSCILLATION, "n"),)]


def test_distilled_notes_that_hardly_anybody_recalls_are_wasted_once_they_had_time() -> None:
    first, second, third = (CycleRecord(f"c{i}", distilled=12) for i in range(3))

    _, told = run(first, second, third)

    assert told == [
        (),
        (),
        (Alarm(Loop.WASTED_DISTILLATION, "0 of 24 distilled notes were recalled"),),
    ]


def test_few_distilled_notes_prove_nothing_and_recalled_ones_are_not_wasted() -> None:
    few = [CycleRecord(f"c{i}", distilled=4) for i in range(3)]
    assert run(*few)[1] == [()] * 3

    gate, _ = run(*(CycleRecord(f"c{i}", distilled=12) for i in range(2)))
    _, alarms = gate.with_recalls({"c0": 5, "c1": 4}).after(CycleRecord("c2"))
    assert alarms == ()


def test_a_handful_a_cycle_is_wasted_too_once_there_are_enough_and_it_is_said_once() -> None:
    handfuls = [CycleRecord(f"c{i}", distilled=5) for i in range(5)]

    _, told = run(*handfuls, CycleRecord("c5"), CycleRecord("c6"))

    wasted = Alarm(Loop.WASTED_DISTILLATION, "0 of 20 distilled notes were recalled")
    assert told == [(), (), (), (), (wasted,), (wasted,), ()]


def test_an_alarm_means_rest_for_three_cycles() -> None:
    gate, _ = run(*(merging(f"c{i}", PAIR) for i in range(3)))

    conserving = []
    for i in range(4):
        conserving.append(gate.conserve)
        gate, _ = gate.after(CycleRecord(f"d{i}"))

    assert conserving == [True, True, True, False]


def test_two_parts_of_a_cycle_that_was_cut_off_are_one_record() -> None:
    other = ("C.md", "D.md")
    gate, alarms = run(
        merging("c1", PAIR), merging("c2", PAIR), merging("c2", PAIR), merging("c2", other)
    )

    assert alarms == [()] * 4
    assert [(record.cycle, record.merges) for record in gate.history] == [
        ("c1", frozenset((PAIR,))),
        ("c2", frozenset((PAIR, other))),
    ]
