"""What holds of the stage whatever stands in the notes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.dream.contexts import applied, context
from tests.dream.drifting import LOG, NEW, OLD
from vaultmem.dream.context import DreamContext
from vaultmem.dream.drift import DriftStage

CLAIM = st.sampled_from(
    [
        "- The port is 8080.",
        "- The port is 9090. ^f-1",
        "The owner of the relay is Ada.",
        "The owner of the relay is Tom.",
        "- The relay is enabled.",
        "- The relay is not enabled.",
        "- owner:: Ada",
        "- owner:: Tom",
        "Ada no longer works for Velora.",
        "Ada works for Velora.",
        "端口是8080。",
        "端口是9090。",
    ]
)
OTHER = st.sampled_from(
    ["# Head", "```\nThe port is 1.\n```", "- a\n  - nested port is 2.", "| a |\n|---|\n| 1 |", "[[Rack]]", "> quoted"]
)  # fmt: skip
TEXT = st.tuples(
    st.sampled_from(["", "\ufeff", "---\nsource: x\n---\n"]),
    st.lists(st.one_of(CLAIM, OTHER), max_size=5),
    st.sampled_from(["\n", "\r\n"]),
).map(lambda parts: (parts[0] + "\n\n".join([*parts[1], ""])).replace("\n", parts[2]))
PATHS = (OLD, NEW, "Relay.md", LOG, "Rack.md")
FILES = st.dictionaries(st.sampled_from(PATHS), TEXT, min_size=2)


def made_of(files: dict[str, str], **more: object) -> DreamContext:
    days = {path: 100 * number for number, path in enumerate(PATHS)}
    return context(files, **{"days": days, **more})  # type: ignore[arg-type]


@given(FILES)
def test_no_claim_is_lost_and_line_endings_stay(files: dict[str, str]) -> None:
    for proposal in DriftStage().propose(made_of(files)).proposals:
        for edit in proposal.edits:
            before = files[edit.path]
            for line in before.removeprefix("\ufeff").split("\n"):
                assert line.strip("\r") in edit.text
            assert ("\r\n" in edit.text) is ("\r\n" in before)
            assert edit.text.replace("\r\n", "").count("\n") == 0 or "\r\n" not in before
            assert edit.text.startswith("\ufeff") is before.startswith("\ufeff")


@given(FILES)
def test_its_own_result_gives_it_nothing_more_to_do(files: dict[str, str]) -> None:
    changed: frozenset[str] = frozenset(files)
    for _ in range(12):
        found = DriftStage().propose(made_of(files, changed=changed))
        after = applied(files, found.proposals)
        changed = found.undecided | {path for path in files if files[path] != after[path]}
        files = after
        if not changed:
            break
    again = DriftStage().propose(made_of(files))

    assert not changed
    assert [p for p in again.proposals if p.does_something] == []


@given(FILES, st.randoms(use_true_random=False))
def test_the_order_of_notes_does_not_matter(files: dict[str, str], rng: object) -> None:
    def shuffled(notes: list[object]) -> list[object]:
        rng.shuffle(notes)  # type: ignore[attr-defined]
        return notes

    assert DriftStage().propose(made_of(files)) == DriftStage().propose(
        made_of(files, order=shuffled)
    )
