"""Nights on a vault: what is done, what waits, what is left alone, and that all of it can be taken back."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import time_ns

import pytest

from tests.daemon.dreaming.nights import (
    AGAIN,
    DAY_NS,
    FILLERS,
    FIRST_NIGHT_NS,
    TEXT,
    TWINS,
    dream,
    managed,
    notes_of,
    settings_of,
    vault_with,
)
from tests.vaults import WORDS, write
from vaultmem.cycles import cycles, explain_cycle, last_cycles, record_cycle
from vaultmem.dream.proposal import Operation
from vaultmem.dream.report import CycleReport, CycleState, ModelUse, Outcome, Strategy
from vaultmem.errors import LockedError
from vaultmem.evolution import EditBudget, EvolutionState, MutationGate
from vaultmem.files.dream_lock import dream_lock
from vaultmem.files.events import EventKind, MemoryEvent, new_event_id, to_json
from vaultmem.judge import Usage
from vaultmem.notes.note_edit import AppendText
from vaultmem.vault import Vault
from vaultmem_daemon.dreaming import reviews
from vaultmem_daemon.dreaming.corpus import note_hashes, read_corpus
from vaultmem_daemon.dreaming.memory import DreamMemory, MemoryStore
from vaultmem_daemon.dreaming.resuming import read_open_cycle, spent

KEPT, GONE = "Memory/keeper/Winch.md", "Memory/keeper/The winch.md"
ARCHIVED = "Memory/_archive/keeper/The winch.md"


def outcomes(report: CycleReport) -> Counter[tuple[str, str]]:
    return Counter((str(d.operation), str(d.outcome)) for d in report.decisions)


def test_two_notes_of_ours_that_say_the_same_become_one(tmp_path: Path) -> None:
    with vault_with(tmp_path / "v", TWINS) as vault:
        report = dream(vault)
        after = notes_of(vault)
        assert outcomes(report) == {("merge", "applied"): 1}
        assert after == {
            **FILLERS,
            KEPT: managed(
                "Winch",
                TEXT,
                created="2025-01-02",
                tags="\n  - tools",
                aliases="\n  - The winch",
                supersedes='\n  - "[[The winch]]"',
            ).replace(": \n", ":\n"),
            ARCHIVED: TWINS[GONE].replace(
                "tags: [tools]\n", 'tags: [tools]\nsuperseded_by: "[[Winch]]"\n'
            ),
        }
        assert [hit.path for hit in vault.search("pawl winch grease").hits][:1] == [KEPT]
        assert ARCHIVED not in [hit.path for hit in vault.search("pawl winch grease").hits]


def test_a_quiet_vault_costs_nothing(tmp_path: Path) -> None:
    with vault_with(tmp_path / "v", TWINS) as vault:
        dream(vault)
        before = notes_of(vault, ours=True)
        assert dream(vault).state is CycleState.NOTHING
        next_night = dream(vault, 1)
        assert (next_night.state, next_night.decisions, next_night.changed) == (
            CycleState.DONE,
            (),
            0,
        )
        assert notes_of(vault, ours=True) == before


def test_a_cycle_can_be_taken_back_and_is_not_done_again(tmp_path: Path) -> None:
    with vault_with(tmp_path / "v", TWINS) as vault:
        before = notes_of(vault, ours=True)
        report = dream(vault)
        vault.history.undo([report.cycle])
        assert notes_of(vault, ours=True) == before
        again = dream(vault, 1)
        assert outcomes(again) == {("merge", "rejected before"): 1}
        assert notes_of(vault) == before


def test_the_last_change_is_the_last_edit_and_not_the_notes_that_tell_of_it(
    tmp_path: Path,
) -> None:
    hand = {"Tools/Cellar.md": "See [[Lantren in the attic]].\n"}
    with vault_with(tmp_path / "v", {**TWINS, **hand}) as vault:
        before = notes_of(vault)
        report = dream(vault)

        vault.history.undo(["last"])

        assert notes_of(vault) == before
        assert {report.digest, report.review} <= notes_of(vault, ours=True).keys()


def test_the_status_tells_what_waits_now_and_not_what_the_last_cycle_came_to(
    tmp_path: Path,
) -> None:
    hand = {
        "Tools/Cellar.md": "See [[Lantren in the attic]].\n",
        "Tools/Door.md": "See [[Lantern in the atic]].\n",
    }
    with vault_with(tmp_path / "v", hand) as vault:
        first = dream(vault)
        assert len(first.of(Outcome.WAITING)) == 2
        write(vault.root, {"Tools/New.md": "New.\n"})
        dream(vault, 1)
        desk = reviews.Reviews(vault, time_ns)
        seen = []
        while waiting := desk.waiting():
            seen.append(_for_review(vault))
            desk.reject([waiting[0].id])
        assert [*seen, _for_review(vault)] == [2, 1, 0]


def _for_review(vault: Vault) -> int | None:
    last = vault.daemon_health().last_cycle
    return None if last is None else last.waiting


def test_what_a_hand_wrote_since_stays_when_a_cycle_is_taken_back(tmp_path: Path) -> None:
    with vault_with(tmp_path / "v", TWINS) as vault:
        report = dream(vault)
        place = vault.root / KEPT
        place.write_text(place.read_text() + "Typed since.\n")
        vault.history.undo([report.cycle], keep_mine=True)
        after = notes_of(vault)
        assert after[GONE] == TWINS[GONE]
        assert after[KEPT] == TWINS[KEPT] + "Typed since.\n"


def test_a_person_s_notes_are_only_proposed(tmp_path: Path) -> None:
    hand = {
        "Tools/Winch.md": f"# Winch\n\n{TEXT}\n",
        "Old/The winch.md": f"# The winch\n\n{TEXT}\n",
    }
    with vault_with(tmp_path / "v", hand) as vault:
        before = notes_of(vault)
        report = dream(vault)
        assert outcomes(report) == {("merge", "waiting"): 1}
        assert notes_of(vault) == before
        review = (vault.root / report.review).read_text()
        (waiting,) = report.of(Outcome.WAITING)
        assert f"^r-{waiting.proposal}" in review

        (vault.root / report.review).write_text(review.replace("- [ ] Merge", "- [x] Merge"))
        dream(vault, 1)

        after = notes_of(vault)
        assert sorted(set(after) - set(before)) in (
            ["Memory/_archive/Old/The winch.md"],
            ["Memory/_archive/Tools/Winch.md"],
        )


def test_what_the_dream_wrote_below_another_memory_root_gets_no_proposals(tmp_path: Path) -> None:
    head = "---\ntype: {}\nmanaged_by: vaultmem\ntags: a, b\n---\n"
    digest = head.format("daily-insight") + f"{TEXT} See [[Lantren in the attic]].\n"
    files = {
        "Memory/_dreams/2025-12-01.md": digest,
        "Kept/2025-12-02.md": digest,
        "Memory/_review/Review.md": head.format("review") + "See [[Lantren in the attic]].\n",
        "Memory/_archive/keeper/Winch.md": managed("Winch", TEXT),
        "Tools/The winch.md": f"# The winch\n\n{AGAIN}\n",
    }
    settings = replace(WORDS, memory=replace(WORDS.memory, root="Brain"))
    with vault_with(tmp_path / "v", files, settings=settings) as vault:
        corpus = read_corpus(vault)
        report = dream(vault)

        assert report.decisions == ()
        assert {note.path for note in corpus.notes} & set(files) == {
            "Memory/_archive/keeper/Winch.md",
            "Tools/The winch.md",
        }
        assert [note.path for note in corpus.notes if note.archived or note.managed] == [
            "Memory/_archive/keeper/Winch.md"
        ]
        (vault.root / "Kept/2025-12-02.md").write_text(f"{digest}More.\n")
        vault.sync()
        assert dream(vault).state is CycleState.NOTHING


def test_what_a_person_deletes_from_the_review_note_stays_out_of_it(tmp_path: Path) -> None:
    hand = {
        "Tools/Winch.md": f"# Winch\n\n{TEXT}\n",
        "Old/The winch.md": f"# The winch\n\n{TEXT}\n",
    }
    with vault_with(tmp_path / "v", hand) as vault:
        report = dream(vault)
        note = vault.root / report.review
        without = note.read_text().split("- [ ] Merge")[0]
        note.write_text(without)
        (vault.root / "Log.md").write_text("See [[Lantren in the attic]].\n")
        vault.sync()

        dream(vault, 1)
        dream(vault, 2)

        waiting = reviews.Reviews(vault, time_ns)
        assert note.read_text().count("- [ ]") == 1
        assert "Merge" not in note.read_text()
        assert {each.operation for each in waiting.waiting()} == {
            Operation.MERGE,
            Operation.FIX_LINK,
        }
        (merge,) = (each for each in waiting.told().suggestions if each.aside)
        assert merge.operation is Operation.MERGE

        note.unlink()
        waiting.refresh()
        assert note.read_text().count("- [ ]") == 2

        note.write_text(without)
        waiting.refresh()
        waiting.reject([merge.id])
        assert [path.name for path in (vault.root / ".vaultmem/proposals").glob("*.aside")] == [
            path.name.replace(".json", ".aside")
            for path in (vault.root / ".vaultmem/proposals").glob("*.json")
        ]


def test_what_an_undo_takes_out_of_the_review_note_was_deleted_by_nobody(tmp_path: Path) -> None:
    def tagged(name: str) -> dict[str, str]:
        return {f"{name}.md": f"---\ntags: deck, {name.lower()}\n---\n# {name}\n\nIt lies aft.\n"}

    def told(vault: Vault) -> dict[str, bool]:
        note = (vault.root / "Memory/_review/Review.md").read_text()
        waiting = reviews.Reviews(vault, time_ns).told().suggestions
        assert [each.title for each in waiting if each.id not in note] == [
            each.title for each in waiting if each.aside
        ]
        return {each.title: each.aside for each in waiting}

    with vault_with(tmp_path / "v", tagged("Anchor"), fillers=False) as vault:
        dream(vault)
        write(vault.root, tagged("Barrel"))
        second = dream(vault, 1)
        assert len(told(vault)) == 2

        vault.history.undo([f"cycle:{second.cycle}"])
        write(vault.root, tagged("Cask"))
        dream(vault, 2)

        assert told(vault) == {
            'Write tags of "Anchor" as a list': False,
            'Write tags of "Barrel" as a list': False,
            'Write tags of "Cask" as a list': False,
        }


def test_what_there_is_no_room_for_is_proposed_once_there_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reviews, "MOST_WAITING", 1)
    files = {
        **{f"{at}.md": TWINS[f"Memory/keeper/{at}.md"] for at in ("Winch", "The winch")},
        "Log.md": "See [[Lantren in the attic]].\n",
    }
    with vault_with(tmp_path / "v", files) as vault:
        waiting = reviews.Reviews(vault, time_ns)
        dream(vault)
        (first,) = waiting.waiting()
        assert dream(vault).state is CycleState.NOTHING
        waiting.reject([first.id])
        assert dream(vault).state is CycleState.DONE
        (second,) = waiting.waiting()
        assert {first.operation, second.operation} == {Operation.MERGE, Operation.FIX_LINK}
        waiting.reject([second.id])
        assert dream(vault).state is CycleState.NOTHING


def test_a_decision_of_another_device_may_come_late(tmp_path: Path) -> None:
    with vault_with(tmp_path / "v", TWINS) as vault:
        before = notes_of(vault)
        dream(vault, dry_run=True)
        vault.sync()
        hashes = note_hashes(vault)
        # Rejected elsewhere the day before; its journal arrives when this device has dreamt once without a budget.
        dream(vault, strategy=Strategy.CONSERVE)
        late = MemoryEvent(
            id=new_event_id(FIRST_NIGHT_NS - DAY_NS),
            time_ns=FIRST_NIGHT_NS - DAY_NS,
            device="laptop-1",
            kind=EventKind.REJECTED,
            actor="vaultmem review",
            cause="no",
            extra={"operation": "merge", "inputs": {path: hashes[path] for path in TWINS}},
        )
        place = vault.root / ".vaultmem/journal/laptop-1/2025-12.jsonl"
        place.parent.mkdir(parents=True)
        place.write_text(to_json(late) + "\n")
        assert outcomes(dream(vault, 1)) == {("merge", "rejected before"): 1}
        assert notes_of(vault) == before


def test_what_a_person_rejects_does_not_come_back_unless_a_note_changes(tmp_path: Path) -> None:
    hand = {
        "Tools/Winch.md": f"# Winch\n\n{TEXT}\n",
        "Old/The winch.md": f"# The winch\n\n{TEXT}\n",
    }
    with vault_with(tmp_path / "v", hand) as vault:
        before = notes_of(vault)
        report = dream(vault)
        review = vault.root / report.review
        review.write_text(review.read_text().replace("- [ ] Merge", "- [-] Merge"))
        vault.edits.edit("Old/The winch.md", [AppendText("Nothing else.")])
        vault.history.undo(["last"])
        assert outcomes(dream(vault, 1)) == {}
        assert "[ ] Merge" not in review.read_text()
        assert notes_of(vault) == before


def test_without_enough_questions_nothing_is_merged(tmp_path: Path) -> None:
    with vault_with(tmp_path / "v", TWINS, fillers=False) as vault:
        before = notes_of(vault)
        report = dream(vault)
        assert outcomes(report) == {("merge", "refused by the gate"): 1}
        assert notes_of(vault) == before


@pytest.mark.parametrize(
    ("dream_settings", "strategy"), [({"edits": 0}, None), ({}, Strategy.CONSERVE)]
)
def test_conserve_looks_and_merges_nothing(
    tmp_path: Path, dream_settings: dict[str, object], strategy: Strategy | None
) -> None:
    with vault_with(tmp_path / "v", TWINS, settings=settings_of(**dream_settings)) as vault:
        before = notes_of(vault)
        report = dream(vault, strategy=strategy)
        assert report.strategy is Strategy.CONSERVE
        assert outcomes(report) == {("merge", "resting"): 1}
        assert notes_of(vault) == before


def test_a_dry_run_shows_the_diffs_and_writes_nothing(tmp_path: Path) -> None:
    with vault_with(tmp_path / "v", TWINS) as vault:
        vault.sync()
        before = {p: p.read_bytes() for p in vault.root.rglob("*.md")}
        report = dream(vault, dry_run=True)
        (decision,) = report.decisions
        assert decision.outcome is Outcome.PREVIEWED
        assert '+superseded_by: "[[Winch]]"' in decision.diff
        assert {p: p.read_bytes() for p in vault.root.rglob("*.md")} == before
        assert list(cycles(vault.root)) == []


def test_a_cycle_that_was_called_off_goes_on_under_its_name(tmp_path: Path) -> None:
    with vault_with(tmp_path / "v", TWINS) as vault:
        before = notes_of(vault)
        first = dream(vault, cancelled=lambda: True)
        assert (first.state, notes_of(vault)) == (CycleState.CANCELLED, before)
        second = dream(vault)
        assert (second.cycle, second.state) == (first.cycle, CycleState.DONE)
        assert outcomes(second) == {("merge", "applied"): 1}


def test_a_cycle_that_goes_on_has_the_communities_and_the_model_it_spent_behind_it(
    tmp_path: Path,
) -> None:
    with vault_with(tmp_path / "v", TWINS) as vault:
        first = dream(vault)
        whole = EditBudget(32, 256 * 1024)
        left = spent(vault.root, first.cycle, whole, {GONE: "community 7", KEPT: "community 7"})
        assert (left.edits, left.communities) == (31, ("community 7",))
        assert sorted(left.notes) == sorted([GONE, KEPT])
        used = ModelUse("some:model", 2, 300, 40, 0.25, 1, 1.5)
        for _ in range(2):
            record_cycle(vault.root, replace(first, cycle="c9", model=used))
        assert read_open_cycle(vault.root, "c9").usage == Usage(4, 600, 80, 0.5, 3.0, 2)
        assert read_open_cycle(vault.root, "c8").usage == Usage()


class _PulledPlug(BaseException):
    """The process ends here."""


@pytest.mark.parametrize("killed", [False, True])
def test_what_was_done_before_a_cycle_was_cut_off_is_told_and_remembered(
    tmp_path: Path, killed: bool
) -> None:
    files = {**TWINS, "Memory/keeper/Log.md": managed("Log", "See [[Lantren in the attic]].")}
    with vault_with(tmp_path / "v", files) as vault:

        def merged() -> bool:
            if killed and (vault.root / ARCHIVED).exists():
                raise _PulledPlug
            return (vault.root / ARCHIVED).exists()

        if killed:
            with pytest.raises(_PulledPlug):
                dream(vault, cancelled=merged)
        else:
            assert dream(vault, cancelled=merged).state is CycleState.CANCELLED
        report = dream(vault)
        assert report.state is CycleState.DONE

        digest = notes_of(vault, ours=True)[report.digest]
        whole = explain_cycle(vault.root, report.cycle)
        done = {str(d.operation): d for d in whole.decisions if d.outcome is Outcome.APPLIED}
        assert done.keys() == {"merge", "fix-link"}
        for decision in done.values():
            assert digest.count(f"`vaultmem undo {decision.event}`") == 1
            assert decision.reason

        vault.history.undo([done["merge"].event])
        assert outcomes(dream(vault, 1)) == {("merge", "rejected before"): 1}


def test_a_rest_that_is_called_off_is_none(tmp_path: Path) -> None:
    with vault_with(tmp_path / "v", TWINS) as vault:
        store = MemoryStore(vault.root)
        store.save(DreamMemory(evolution=EvolutionState(mutation=MutationGate(rest=2))))
        for state, called_off, left in (
            (CycleState.CANCELLED, True, 2),
            (CycleState.CANCELLED, True, 2),
            (CycleState.DONE, False, 1),
        ):
            report = dream(vault, cancelled=partial(bool, called_off))
            assert (report.strategy, report.state) == (Strategy.CONSERVE, state)
            assert store.load().evolution.mutation.rest == left


def test_a_note_of_a_person_that_links_to_a_note_while_its_merge_is_weighed_is_not_written(
    tmp_path: Path,
) -> None:
    looks = 0

    def count() -> bool:
        nonlocal looks
        looks += not (tmp_path / "v" / ARCHIVED).exists()
        return False

    with vault_with(tmp_path / "v", TWINS) as vault:
        dream(vault, cancelled=count)
    last, looks = looks, 0

    with vault_with(tmp_path / "w", TWINS) as vault:
        mine = vault.root / "Mine.md"

        def link() -> bool:
            nonlocal looks
            looks += 1
            if looks == last:  # the gate has been asked; next is the writing
                mine.write_text("See [[Memory/keeper/The winch]].\n")
                vault.sync()
            return False

        report = dream(vault, cancelled=link)
        assert outcomes(report) == {("merge", "the note changed meanwhile"): 1}
        assert mine.read_text() == "See [[Memory/keeper/The winch]].\n"
        assert (vault.root / GONE).exists()


def test_two_do_not_dream_at_once(tmp_path: Path) -> None:
    with vault_with(tmp_path / "v", TWINS) as vault:
        vault.sync()
        with dream_lock(vault.root), pytest.raises(LockedError, match="A dream is running"):
            dream(vault)


def test_the_journal_has_the_whole_report(tmp_path: Path) -> None:
    with vault_with(tmp_path / "v", TWINS) as vault:
        report = dream(vault)
        (kept,) = cycles(vault.root, wanted=report.cycle)
        assert kept == report


def test_what_a_name_or_folder_tells_apart_is_left_alone(tmp_path: Path) -> None:
    files = {
        "Templates/Winch.md": f"# Winch\n\n{TEXT}\n",
        "Memory/keeper/Winch 1.md": managed("Winch 1", TEXT),
        "Memory/keeper/Winch 2.md": managed("Winch 2", TEXT),
        "Memory/keeper/2030-01-02.md": managed("2030-01-02", TEXT),
        "Memory/keeper/2030-01-03.md": managed("2030-01-03", TEXT),
        "Private/Winch.md": managed("Winch", TEXT),
        "Memory/meyer/Terms.md": managed("Terms", TEXT),
        "Memory/schulz/Terms.md": managed("Terms", TEXT),
        "Memory/keeper/Kitchen of Peter.md": managed("Kitchen of Peter", TEXT),
        "Memory/keeper/Anna at sea.md": managed("Anna at sea", TEXT),
        ".obsidian/app.json": '{"userIgnoreFilters": ["Private/"]}',
    }
    with vault_with(tmp_path / "v", files) as vault:
        before = notes_of(vault)
        report = dream(vault)
        assert outcomes(report) == {}
        assert notes_of(vault) == before


def test_excluded_notes_are_named_nowhere(tmp_path: Path) -> None:
    files = {
        "Private/Confession.md": "See [[Nowhere at all]].\n",
        "Private/Wish.md": "# Wish\n",
        "Open/Wish.md": "# Wish\n",
        "House/Door.md": "See [[Confessoin]] and [[Wish]], and [[Lantren in the attic]].\n",
        ".obsidian/app.json": '{"userIgnoreFilters": ["Private/"]}',
    }
    with vault_with(tmp_path / "v", files) as vault:
        report = dream(vault)
        broken = {(f.path, f.text) for f in report.findings if "leads nowhere" in f.text}
        assert {path for path, _ in broken} == {"House/Door.md"}
        assert any("[[lantern in the attic]]" in text for _, text in broken)
        written = "".join(notes_of(vault, ours=True)[p] for p in (report.digest, report.review))
        for told in (written, str(report)):
            assert "Confession" not in told.replace("Confessoin", "")
            assert "Private" not in told


def test_the_status_knows_the_last_cycle_whoever_ran_it(tmp_path: Path) -> None:
    with vault_with(tmp_path / "v", TWINS) as vault:
        assert vault.daemon_health().last_cycle is None
        report = dream(vault)
        last = vault.daemon_health().last_cycle
        assert last is not None
        assert (last.cycle, last.state, last.applied, last.waiting) == (report.cycle, "done", 1, 0)


def test_what_the_cycle_mended_is_not_told_as_seen(tmp_path: Path) -> None:
    """The fault that is left and the one that waits for a person are."""
    faulty = {
        "Memory/keeper/Log.md": managed("Log", "See [[Lantren in the attic]] and [[Nowhere yet]]."),
        "Memory/keeper/Diary.md": managed("Diary", "Nothing new.", tags="idea, shore"),
        "Mine.md": "See [[Ancohr in the attic]].\n",
    }
    with vault_with(tmp_path / "v", faulty) as vault:
        report = dream(vault)

        assert outcomes(report) == {
            ("fix-link", "applied"): 1,
            ("fix-property", "applied"): 1,
            ("fix-link", "waiting"): 1,
        }
        seen = {
            (f.path, f.text) for f in report.findings if f.kind in ("broken-link", "property-fault")
        }
        assert seen == {
            ("Memory/keeper/Log.md", "`[[Nowhere yet]]` leads nowhere"),
            (
                "Mine.md",
                "`[[Ancohr in the attic]]` leads nowhere; nearly the same name: [[anchor in the attic]]",
            ),
        }
        assert report.finding_counts["broken-link"] == 2
        assert "property-fault" not in report.finding_counts
        assert (
            "Lantren"
            not in (vault.root / report.digest).read_text().partition("Seen on the way")[2]
        )


def test_what_waits_is_counted_as_in_the_review_note_whichever_cycle_met_it(tmp_path: Path) -> None:
    """The second cycle looks at one of the twins no more, and meets the broken link again with the one that is new."""
    twins = {"Winch.md": f"# Winch\n\n{TEXT}\n", "Old/The winch.md": f"# The winch\n\n{TEXT}\n"}
    with vault_with(
        tmp_path / "v", {**twins, "Mine.md": "See [[Lantren in the attic]].\n"}
    ) as vault:
        first = dream(vault)
        write(vault.root, {"More.md": "See [[Ancohr in the den]].\n"})
        second = dream(vault, night=1)

        met = [len(report.of(Outcome.WAITING)) for report in (first, second)]
        listed = [line.waiting for line in last_cycles(vault.root, 2).cycles]
        assert (met, listed) == ([2, 2], [3, 2])
        review = (vault.root / second.review).read_text()
        assert review.count("- [ ]") == second.waiting == 3
        digest = (vault.root / second.digest).read_text()
        assert "3 proposals for you in [[Review]]" in digest
        assert "- and 1 more\n" in digest.partition("### Waits for you")[2]
