"""The review note: what a person decides in it, and that nothing else decides."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.dream.adversary import ODD_TEXT
from tests.dream.notes_shown import TEXTS, link_of, look, merge, reader, review, supersede
from vaultmem.dream.note_prose import LinkOf
from vaultmem.dream.proposal import NewPlace, NewText, Operation, Proposal, StageName
from vaultmem.dream.review_item import ReviewItem, review_item
from vaultmem.dream.review_note import (
    MAX_ITEMS,
    NOTHING,
    Choice,
    ReviewPlan,
    plan_review,
    read_decisions,
    render_review,
    review_path,
)
from vaultmem.notes.parse import parse_note

READ = reader(TEXTS)
ALL = (merge(), supersede(), look())
HASHES = {path: held for proposal in ALL for path, held in proposal.inputs.items()}
MERGE, SUPERSEDE, LOOK = (each.id for each in ALL)


def plan(text: str | None, waiting: tuple[Proposal, ...] = ALL) -> ReviewPlan:
    over = dict.fromkeys((MERGE, SUPERSEDE, LOOK), Choice.UNDECIDED)
    return plan_review(waiting, text, HASHES, read=READ, link_of=link_of, settled=over)


def choices(text: str) -> dict[str, str]:
    return {name: str(decision.choice) for name, decision in read_decisions(text).items()}


def marked(text: str, name: str, mark: str) -> str:
    return re.sub(rf"\[.\](?=[^\n]*\^r-{name})", f"[{mark}]", text)


def items(many: int, operation: Operation = Operation.FIX_LINK, first: int = 0) -> list[ReviewItem]:
    return [
        ReviewItem(f"{number:010x}", operation, f"Item {number}", "So.", 0.5, ())
        for number in range(first, first + many)
    ]


def ids(text: str) -> list[str]:
    return list(read_decisions(text))


# --- reading ---

ID = "0123456789"
A, R, U = "accept", "reject", "undecided"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (f"- [x] T ^r-{ID}", {ID: A}),
        (f"- [X] T ^r-{ID}", {ID: A}),
        (f"- [-] T ^r-{ID}", {ID: R}),
        (f"- [ ] T ^r-{ID}", {ID: U}),
        (f"- [?] T ^r-{ID}", {ID: U}),
        (f"- [/] T ^r-{ID}", {ID: U}),
        (f"* [x] T ^r-{ID}", {ID: A}),
        (f"+ [x] T ^r-{ID}", {ID: A}),
        (f"1. [x] T ^r-{ID}", {ID: A}),
        (f"12) [x] T ^r-{ID}", {ID: A}),
        (f"- [x]\tT\t^r-{ID}  ", {ID: A}),
        (f"- mine\n\t- [x] T ^r-{ID}\n", {ID: A}),
        (f"> [!todo]\n> - [x] T ^r-{ID}\n", {ID: A}),
        (f"a\r\n\r\n- [x] T ^r-{ID}\r\n", {ID: A}),
        (f"- [x] ^r-{ID}", {ID: A}),
        (f"- [x] T ^R-{ID.replace('9', 'A')}", {"012345678a": A}),
        (f"- [-] T ^r-{ID} no, these differ", {ID: R}),
        ("- [x] T", {}),
        (f"- [] T ^r-{ID}", {}),
        (f"- [x]T ^r-{ID}", {}),
        (f"[x] T ^r-{ID}", {}),
        (f"- T ^r-{ID}", {}),
        (f"- [x] T ^{ID}", {}),
        (f"- [x] T ^r-{ID}0", {}),
        (f"- [x] T [[Review#^r-{ID}]]", {}),
        (f"- [x] `T ^r-{ID} `", {}),
        (f"- [x] T\n  ^r-{ID}", {}),
        (f"```\n- [x] T ^r-{ID}\n```", {}),
        (f"~~~\n- [x] T ^r-{ID}", {}),
        (f"text\n\n    - [x] T ^r-{ID}", {}),
        (f"<div>\n- [x] T ^r-{ID}\n</div>", {}),
        (f"$$\n- [x] T ^r-{ID}\n$$", {}),
        (f"<!--\n- [x] T ^r-{ID}\n-->", {}),
        (f"- [x] T ^r-aaaaaaaaaa ^r-{ID}", {ID: A}),
        (f"- [x] T ^r-aaaaaaaaaa ^r-{ID} and", {}),
        (f"%%\n- [ ] T ^r-{ID}\n%%", {ID: U}),
        (f"50 %% off\n\n- [x] T ^r-{ID}", {ID: A}),
        (f"a %%b%% c\n\n- [x] T ^r-{ID}\n\n%%d%%", {ID: A}),
        (f"- [x] T ^r-{ID}\n- [x] T ^r-{ID}", {ID: A}),
    ],
)
def test_a_mark_in_the_box_decides(text: str, found: dict[str, str]) -> None:
    assert choices(text) == found
    assert not any(decision.warning for decision in read_decisions(text).values())


@pytest.mark.parametrize(
    ("text", "warning"),
    [
        (
            f"- [x] T ^r-{ID}\n- [ ] T ^r-{ID}\n",
            f"^r-{ID} stands in the review note with different marks (lines 1, 2): left undecided.",
        ),
        (
            f"- [x] T ^r-{ID}\n\n- [-] T ^r-{ID}\n",
            f"^r-{ID} stands in the review note with different marks (lines 1, 3): left undecided.",
        ),
        (
            f"%%\n- [x] T ^r-{ID}\n%%\n",
            f"^r-{ID} stands in a comment of the review note: left undecided.",
        ),
    ],
)
def test_what_is_doubtful_is_undecided_with_a_warning(text: str, warning: str) -> None:
    decision = read_decisions(text)[ID]
    assert (decision.choice, decision.warning) == (Choice.UNDECIDED, warning)


# --- planning ---


def test_ticks_become_what_is_to_be_done_and_decided_items_go() -> None:
    text = marked(marked(marked(review(), MERGE, "x"), SUPERSEDE, "-"), LOOK, "x")
    planned = plan(text)
    assert planned == ReviewPlan(
        (merge(),), (supersede(),), (look(),), (), (), (), planned.text_after
    )
    assert planned.text_after == review().split("- [ ]")[0] + f"{NOTHING}\n"


def test_what_stays_open_is_left_as_it_is() -> None:
    text = marked(review(), MERGE, "x")
    first, second = (text.index(f"- [{mark}]") for mark in "x ")
    assert plan(text).text_after == text[:first] + text[second:]


def test_a_look_can_be_rejected() -> None:
    assert plan(marked(review(), LOOK, "-")).rejected == (look(),)


def test_a_changed_note_makes_a_proposal_void_whatever_was_ticked() -> None:
    text = marked(review(), MERGE, "x")
    changed = HASHES | {"Kitchen/Sourdough.md": "zz"}
    del changed["Trip.md"]
    planned = plan_review(ALL, text, changed, read=READ, link_of=link_of)
    assert (planned.accepted, planned.stale, planned.waiting) == (
        (),
        (merge(), look()),
        (supersede(),),
    )
    assert planned.warnings == (
        'Merge "Sourdough (old)" into "Sourdough": a note changed after this was proposed, so it was not done. '
        "It is proposed anew if it still fits.",
    )
    assert planned.text_after is not None
    assert ids(planned.text_after) == [SUPERSEDE]
    assert "Look at these" not in planned.text_after


def test_a_tick_for_what_does_not_wait_is_told_and_taken_away() -> None:
    planned = plan(marked(review(), MERGE, "x"), waiting=(supersede(), look()))
    assert planned.accepted == ()
    assert planned.warnings == (
        f"^r-{MERGE} is marked in the review note, but no such proposal waits: nothing was done.",
    )
    assert planned.text_after is not None
    assert MERGE not in planned.text_after


def test_an_item_that_is_not_known_here_stays_as_it_is_whatever_its_mark() -> None:
    """It is another device's: what that one proposed, or what was decided there, is on its way."""
    text = marked(marked(review(), MERGE, "x"), SUPERSEDE, "-")

    planned = plan_review((look(),), text, HASHES, read=READ, link_of=link_of)

    expected = ReviewPlan((), (), (), (), (look(),), (), text, unknown=(MERGE, SUPERSEDE))
    assert planned == expected


def test_where_only_what_is_not_known_here_is_left_the_note_does_not_say_that_nothing_waits() -> (
    None
):
    planned = plan_review((), review(), HASHES, read=READ, link_of=link_of)
    assert planned.text_after == review()


def test_what_was_followed_elsewhere_leaves_without_a_word() -> None:
    text = marked(marked(review(), MERGE, "x"), SUPERSEDE, "x")
    over = {MERGE: Choice.ACCEPT, SUPERSEDE: Choice.REJECT}

    planned = plan_review((look(),), text, HASHES, read=READ, link_of=link_of, settled=over)

    assert planned.warnings == (
        f"^r-{SUPERSEDE} is marked in the review note, but no such proposal waits: nothing was done.",
    )
    assert planned.text_after is not None
    assert (ids(planned.text_after), planned.unknown) == ([LOOK], ())


def test_a_line_of_a_person_that_ends_like_ours_stays_as_it_is() -> None:
    """A tick in it decides nothing, and is nothing to be warned of."""
    mine = "- [x] Ask Ann about salt ^r-0123456789\n- [ ] and Tom\n"
    text = marked(review(), MERGE, "x") + f"\n{mine}"
    planned = plan(text)

    assert planned.warnings == ()
    assert planned.text_after is not None
    empty = plan(planned.text_after, waiting=()).text_after
    assert empty is not None
    assert planned.text_after.endswith(f"\n{mine}")
    assert empty.endswith(f"\n{mine}")


def test_an_item_that_we_have_shown_goes_even_when_nothing_of_ours_is_left_below_it() -> None:
    title = f"- [ ] Merge [[Sourdough (old)]] into [[Sourdough]] ^r-{MERGE}\n"
    planned = plan(title, waiting=())
    assert planned.text_after is not None
    assert "Merge" not in planned.text_after


def test_what_a_person_deletes_waits_aside_and_is_not_shown_again() -> None:
    at, end = review().index("- [ ] Merge"), review().index("- [ ] Move")
    text = review()[:at] + review()[end:]
    shown = frozenset((MERGE, SUPERSEDE, LOOK))

    deleted = plan_review(ALL, text, HASHES, read=READ, link_of=link_of, shown=shown)

    assert deleted == ReviewPlan((), (), (), (), (supersede(), look()), (), text, (merge(),))
    later = plan_review(ALL, text, HASHES, read=READ, link_of=link_of, aside=frozenset((MERGE,)))
    assert later == deleted


def test_what_is_put_back_is_shown_again() -> None:
    planned = plan_review(
        ALL, review(), HASHES, read=READ, link_of=link_of, aside=frozenset((MERGE,))
    )
    assert (planned.waiting, planned.aside, planned.text_after) == (ALL, (), review())


@pytest.mark.parametrize("text", [None, "", "\ufeff\n"])
def test_where_the_whole_note_is_deleted_all_comes_back(text: str | None) -> None:
    gone = frozenset((MERGE, SUPERSEDE))
    planned = plan_review(ALL, text, HASHES, read=READ, link_of=link_of, shown=gone, aside=gone)
    assert (planned.waiting, planned.aside) == (ALL, ())
    assert planned.text_after is not None
    assert planned.text_after.lstrip("\ufeff") == review()


def test_a_changed_note_makes_void_what_stands_aside() -> None:
    planned = plan_review(ALL, "mine\n", {}, read=READ, link_of=link_of, aside=frozenset((MERGE,)))
    assert (planned.stale, planned.aside) == (ALL, ())


def test_without_a_note_all_waits_and_without_proposals_none_is_made() -> None:
    assert plan(None) == ReviewPlan((), (), (), (), ALL, (), review())
    assert plan(None, waiting=()).text_after is None


# --- writing ---


@pytest.mark.parametrize(
    ("root", "path"), [("Memory", "Memory/_review/Review.md"), ("", "_review/Review.md")]
)
def test_there_is_one_standing_note(root: str, path: str) -> None:
    assert review_path(root) == path


def test_new_items_come_on_top_and_old_ones_stay_in_place() -> None:
    old = render_review(items(2), None, link_of=link_of)
    new = render_review([*items(2), *items(1, first=7)], old, link_of=link_of)
    assert ids(new) == [f"{number:010x}" for number in (7, 0, 1)]
    assert new.endswith(old[old.index("- [ ]") :])


def test_at_most_so_many_items_stand_there_and_the_rest_is_counted() -> None:
    full = render_review(items(37), None, link_of=link_of)
    assert len(ids(full)) == MAX_ITEMS
    assert (
        "\n*And 17 more: they come up here as you decide, and `vaultmem review list` shows all.*\n"
        in full
    )
    assert render_review(items(37), full, link_of=link_of) == full
    over = frozenset(each.id for each in items(37))
    rest = render_review(items(34, first=3), full, link_of=link_of, settled=over)
    assert len(ids(rest)) == MAX_ITEMS
    assert "And 14 more" in rest
    assert "And 17 more" not in rest
    assert "more:" not in render_review(items(5), rest, link_of=link_of, settled=over)


def test_changes_have_room_beside_what_only_asks_for_a_look() -> None:
    looks = items(30, Operation.NOTE_ONLY, first=100)
    text = render_review([*looks, *items(9)], None, link_of=link_of)
    assert ids(text) == [each.id for each in (*items(9), *looks[:8])]
    assert text.index("## To decide") < text.index("Item 0") < text.index("## Look at these")


def test_a_long_diff_is_cut_with_a_word_on_how_to_see_it_all() -> None:
    item = replace(items(1)[0], diff="".join(f"+line {number}\n" for number in range(142)))
    text = render_review([item], None, link_of=link_of)
    assert "    +line 29\n    … 112 more lines: vaultmem review show 0000000000\n    ```\n" in text


REMARKED = """\
---
type: review
managed_by: vaultmem
mine: yes
---

Before it all.

## to DECIDE

Ask Ann about this one:
- [{mark}] Merge [[Sourdough new]] into [[Sourdough]] ^r-{merge}

    {why}

    she says no
    - and she knows

    {fence}
and after it
"""


@pytest.mark.parametrize("line_break", ["\n", "\r\n"])
def test_remarks_in_an_item_stay_when_it_goes(line_break: str) -> None:
    below = review().split(f"^r-{MERGE}\n\n    ")[1].split("\n\n- [ ]")[0]
    why, fence = below.split("\n\n    ")
    text = REMARKED.format(mark="-", merge=MERGE, why=why, fence=fence)
    planned = plan(text.replace("\n", line_break), waiting=(merge(),))
    assert planned.rejected == (merge(),)
    after = """\
---
type: review
managed_by: vaultmem
mine: yes
---

Before it all.

## to DECIDE

*Nothing waits for you.*

Ask Ann about this one:

she says no
- and she knows

and after it
"""
    assert planned.text_after == after.replace("\n", line_break)


def test_words_added_to_a_title_or_a_diff_stay_when_the_item_goes() -> None:
    text = marked(review(), MERGE, "-").replace(f"^r-{MERGE}", f"^r-{MERGE} no, they differ")
    text = text.replace("     - 10 g salt\n", "     - 10 g salt\n    more salt!\n")
    planned = plan(text)
    assert planned.rejected == (merge(),)
    assert planned.text_after is not None
    assert "- Merge [[Sourdough (old)]] into [[Sourdough]] no, they differ\n" in planned.text_after
    assert " - 10 g salt\nmore salt!\n" in planned.text_after
    assert "*Why:* Both hold" not in planned.text_after


@pytest.mark.parametrize(
    "written",
    [
        "",
        "mine\n",
        "mine",
        "```\nleft open\n",
        "%%\nleft open\n",
        "<!-- left open\n",
        "$$\nleft open",
        "---\nmine: 1\n---\n\n    - [x] code ^r-0123456789\n",
        "## To decide\n\n    - [x] code ^r-0123456789\n",
        "To decide\n---\ntext",
        "# to decide",
        "- list\n",
    ],
)
def test_items_find_a_place_in_any_note_once(written: str) -> None:
    once = render_review(items(2), written, link_of=link_of)
    assert choices(once) == {each.id: U for each in items(2)}
    assert [line for line in written.splitlines() if line not in once.splitlines()] == []
    assert render_review(items(2), once, link_of=link_of) == once


def test_a_renamed_link_is_no_remark() -> None:
    """Obsidian itself writes the new name into this note when a person renames the other."""
    renamed = review().replace("[[Sourdough (old)]]", "[[Sourdough of old]]")
    renamed = renamed.replace("[[Deployment]]", "[[ops/Deployment|Deployment]]")
    text = marked(marked(renamed, MERGE, "-"), SUPERSEDE, "-")
    assert (
        plan(text).text_after
        == plan(marked(marked(review(), MERGE, "-"), SUPERSEDE, "-")).text_after
    )


def test_a_title_moved_without_what_stands_below_it_still_decides() -> None:
    title = f"- [ ] Merge [[Sourdough (old)]] into [[Sourdough]] ^r-{MERGE}\n"
    text = review().replace(title, "") + "\n" + title.replace("[ ]", "[x]")
    planned = plan(text)
    assert planned.accepted == (merge(),)
    assert planned.text_after is not None
    assert "Merge" not in planned.text_after


def test_an_item_in_a_quote_leaves_the_quote_when_it_goes() -> None:
    one = render_review(items(1), None, link_of=link_of)
    at = one.index("- [ ]")
    quoted = "> [!todo] Later\n> mine\n" + "".join(f"> {line}\n" for line in one[at:].splitlines())
    text = one[:at] + quoted + "\nend\n"
    assert choices(text) == {"0000000000": U}
    after = render_review([], text, link_of=link_of, settled=frozenset(choices(text)))
    assert after.endswith("> [!todo] Later\n> mine\n\nend\n")


# --- whatever the texts ---


@st.composite
def proposals(draw: st.DrawFn) -> tuple[Proposal, dict[str, str]]:
    """An odd proposal, and the notes that it is about."""
    path, other = draw(ODD_TEXT), draw(ODD_TEXT)
    before, after = draw(ODD_TEXT), draw(ODD_TEXT)
    made = Proposal(
        stage=StageName.LINT,
        operation=draw(st.sampled_from(Operation)),
        title=draw(ODD_TEXT) + f' "{path}"',
        reason=draw(ODD_TEXT),
        confidence=0.5,
        inputs={path: "00", other: "00"},
        edits=(NewText(path, after),),
        move=draw(st.none() | st.just(NewPlace(other, path))),
        decided_by=draw(ODD_TEXT),
        detail=str(draw(st.integers(0, 5))),
        claims=((path, draw(ODD_TEXT)), (other, before)),
    )
    return made, {path: before, other: after}


ODD_LINKS: tuple[LinkOf, ...] = (link_of, lambda path: f"[[{path}]]", lambda path: f"[a]({path})")
SEVERAL = st.lists(proposals(), min_size=1, max_size=4, unique_by=lambda each: each[0].id)


def odd_items(drawn: list[tuple[Proposal, dict[str, str]]]) -> list[ReviewItem]:
    return [review_item(made, reader(texts)) for made, texts in drawn]


@given(SEVERAL, st.sampled_from(ODD_LINKS), st.data())
def test_nothing_but_a_tick_decides(
    drawn: list[tuple[Proposal, dict[str, str]]], links: LinkOf, data: st.DataObject
) -> None:
    made = odd_items(drawn)
    text = render_review(made, None, link_of=links)
    assert choices(text) == {each.id: U for each in made}
    parsed = parse_note(text)
    assert len(parsed.tasks) == len(made)
    assert {block.id for block in parsed.block_ids} == {f"r-{each.id}" for each in made}
    assert (parsed.tags, parsed.fields) == ((), ())
    assert not any(link.embed for link in parsed.links)
    assert render_review(made, text, link_of=links) == text
    chosen = data.draw(st.sampled_from(made)).id
    for mark, choice in (("x", A), ("X", A), ("-", R)):
        assert choices(marked(text, chosen, mark)) == {each.id: U for each in made} | {
            chosen: choice
        }


@pytest.mark.parametrize("inside", [f"^r-{ID}", f"x ^r-{ID}", "%%abcde%%", "a | b", "[[B]]", "#t"])
def test_what_stands_in_code_marks_neither_decides_nor_hides(inside: str) -> None:
    title, reason = f'Mend a link in "A": `{inside}`', f"`{inside}` leads nowhere."
    made = [ReviewItem("aaaaaaaaaa", Operation.FIX_LINK, title, reason, 0.5, ("A.md",))]

    text = render_review(made, None, link_of=link_of)

    assert choices(text) == {"aaaaaaaaaa": U}
    assert render_review(made, text, link_of=link_of) == text
    assert (parse_note(text).tags, [link.target for link in parse_note(text).links]) == ((), ["A"])


@given(SEVERAL)
def test_no_text_decides_even_when_indentation_and_fences_are_lost(
    drawn: list[tuple[Proposal, dict[str, str]]],
) -> None:
    text = render_review(odd_items(drawn), None, link_of=link_of)
    flat = "\n".join(line.lstrip() for line in text.split("\n") if "```" not in line)
    assert choices(flat).keys() <= {made.id for made, _ in drawn}
    assert set(choices(flat).values()) <= {U}


@given(SEVERAL)
def test_settled_items_leave_nothing_behind(
    drawn: list[tuple[Proposal, dict[str, str]]],
) -> None:
    made = odd_items(drawn)
    empty = render_review([], None, link_of=link_of)
    full = render_review(made, None, link_of=link_of)
    over = frozenset(each.id for each in made)
    assert render_review([], full, link_of=link_of, settled=over) == empty


WORDS = st.text(st.sampled_from("abc é%-`>#[]x*1.$<|\t "), min_size=1, max_size=12).map(
    lambda text: f"{text}§"
)
WRITTEN = st.tuples(
    st.sampled_from(["", " ", "  ", "    ", "\t", "        ", "> ", "- ", "    - "]), WORDS
)


@given(
    st.lists(st.tuples(st.integers(0, 80), WRITTEN), max_size=6),
    st.lists(st.sampled_from("xX- ?"), min_size=3, max_size=3),
    st.sampled_from([ALL, ALL[1:], ALL[:1], ()]),
    st.booleans(),
)
def test_what_a_person_wrote_survives(
    written: list[tuple[int, tuple[str, str]]],
    marks: list[str],
    waiting: tuple[Proposal, ...],
    crlf: bool,
) -> None:
    text = review()
    for name, mark in zip((MERGE, SUPERSEDE, LOOK), marks, strict=True):
        text = marked(text, name, mark)
    lines = text.split("\n")
    for number, (at, (lead, words)) in enumerate(written):
        lines.insert(min(at, len(lines)), f"{lead}{words}{number}")
    text = ("\r\n" if crlf else "\n").join(lines)
    after = text
    for _ in range(2):
        planned = plan(after, waiting)
        assert planned.text_after is not None
        after = planned.text_after
    was, now = (
        [line.strip() for line in each.splitlines() if "§" in line] for each in (text, after)
    )
    assert now == was


@given(st.lists(ODD_TEXT, max_size=6).map("\n".join), st.booleans())
def test_any_note_takes_items_in_once_and_loses_nothing(written: str, settled: bool) -> None:
    made = items(3, first=500)
    once = render_review(made, written, link_of=link_of)
    assert {each.id for each in made} <= choices(once).keys()
    assert render_review(made, once, link_of=link_of) == once
    over = frozenset(each.id for each in made)
    after = render_review([], once, link_of=link_of, settled=over) if settled else once
    # A byte order mark is no line.
    kept = iter(line.lstrip("\ufeff").strip() for line in re.split(r"\r\n|\r|\n", after))
    lines = re.split(r"\r\n|\r|\n", written)
    mine = [line.lstrip("\ufeff").strip() for line in lines if "^r-" not in line]
    assert [line for line in mine if line and line not in kept] == []
