"""What waits for a person, and what was decided."""

from __future__ import annotations

from vaultmem.dream.answers import ReviewAnswer, Suggestion
from vaultmem.dream.decided import ReviewOutcome
from vaultmem.dream.review_notices import unknown_words
from vaultmem_cli.console import Page, Style
from vaultmem_cli.textwidth import clean, shorten, wrap
from vaultmem_cli.views.changes import diff_lines
from vaultmem_cli.views.words import count, labelled

WIDEST = 100


def list_page(answer: ReviewAnswer, style: Style) -> Page:
    """The id and title of each, and why it is proposed; those that are only to be looked at come last."""
    unknown = [unknown_words(len(answer.unknown), clean(answer.note))] if answer.unknown else []
    if not answer.suggestions:
        return Page(notes=["Nothing waits for you.", *unknown])
    to_do = [each for each in answer.suggestions if each.does_something]
    to_see = [each for each in answer.suggestions if not each.does_something]
    lines: list[str] = []
    for heading, group in (("", to_do), ("Only to look at:", to_see)):
        if heading and group:
            lines += [*([""] if lines else []), heading]
        lines += [line for each in group for line in _listed(each, style)]
    many = "proposal waits" if len(answer.suggestions) == 1 else "proposals wait"
    where = ""
    if answer.in_note == len(answer.suggestions):
        where = f" in {clean(answer.note)}, too"
    elif answer.in_note:
        where = f", {answer.in_note:,} of them in {clean(answer.note)}, too"
    notes = [
        f"{len(answer.suggestions):,} {many} for you{where}.",
        "See one with its diff: vaultmem review show ID. Decide: vaultmem review accept|reject ID…",
        *unknown,
    ]
    return Page(lines, notes)


def _listed(each: Suggestion, style: Style) -> list[str]:
    width = None if style.width is None else style.width - 12
    void = f"  {style.yellow('(its notes have changed)')}" if each.changed_since else ""
    void += f"  {style.dim('(deleted from the note)')}" if each.aside else ""
    why = shorten(clean(each.reason), width or WIDEST)
    return [
        f"{style.cyan(each.id)}  {style.bold(shorten(clean(each.title), width))}{void}",
        f"{' ' * 12}{style.dim(why)}",
    ]


def show_page(answer: ReviewAnswer, style: Style) -> Page:
    """All of one proposal, its diff last."""
    (each,) = answer.suggestions
    by = "" if each.decided_by == "heuristic" else f", says {clean(each.decided_by)}"
    width = min(WIDEST, style.width or WIDEST)
    reason = clean(each.reason)
    lines = [f"{style.bold(clean(each.title))}  {style.dim(each.id)}"]
    lines += [reason[start:end] for start, end in wrap(reason, width)]
    rows = [
        ("sure", f"{each.confidence * 100:.0f} %{by}"),
        ("notes", ", ".join(map(clean, each.notes))),
    ]
    lines += ["", *labelled(rows, style)]
    if each.claims:
        lines += ["", *(f"{clean(path)}: “{clean(text)}”" for path, text in each.claims)]
    if each.diff:
        lines += ["", *diff_lines(each.diff, style)]
    notes = []
    if each.changed_since:
        changed = ", ".join(map(clean, each.changed_since))
        notes.append(f"note: {changed} has changed since, so it can no longer be accepted.")
    elif each.does_something:
        notes.append(f"To have it done: vaultmem review accept {each.id}")
    else:
        notes.append(f"Only to look at. When you have: vaultmem review accept {each.id}")
    notes.append(f"To hear no more of it: vaultmem review reject {each.id}")
    return Page(lines, notes)


def decided_page(outcome: ReviewOutcome, style: Style) -> Page:
    """What became of each; how to undo what was done goes to stderr."""
    lines, notes = decided_lines(outcome, style)
    if outcome.waiting:
        notes.append(f"{outcome.waiting:,} still {'waits' if outcome.waiting == 1 else 'wait'}.")
    return Page(lines, notes)


def decided_lines(outcome: ReviewOutcome, style: Style) -> tuple[list[str], list[str]]:
    """A line for each decision, and what is said about them."""
    lines = [f"{style.green('done')}      {clean(title)}" for title, _ in outcome.applied]
    lines += [f"rejected  {clean(title)}" for title in outcome.rejected]
    lines += [f"settled   {clean(title)}" for title in outcome.settled]
    lines += [f"{style.yellow('void')}      {clean(title)}" for title in outcome.void]
    lines += [f"{style.red('failed')}    {clean(title)}" for title, _ in outcome.failed]
    notes = [f"warning: {clean(each)}" for each in outcome.warnings]
    notes += [f"error: {clean(title)}: {clean(why)}" for title, why in outcome.failed]
    if outcome.void:
        many = count(len(outcome.void), "proposal")
        were = "was" if len(outcome.void) == 1 else "were"
        notes.append(f"note: {many} {were} not carried out: a note has changed since.")
    events = [event for _, event in outcome.applied if event]
    if events:
        notes.append(f"To take it back: vaultmem undo {' '.join(events)}")
    return lines, notes
