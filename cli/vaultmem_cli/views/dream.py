"""A cycle for a person: what it did at a glance, what it would do, and why it decided so."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from vaultmem.dream.answers import CycleAnswer, Noticed
from vaultmem.dream.report import (
    CycleState,
    DecisionRecord,
    GateFigures,
    Health,
    ModelUse,
    Outcome,
    Strategy,
    outcomes_told,
)
from vaultmem_cli.console import Page, Style
from vaultmem_cli.textwidth import clean, pad, shorten, wrap
from vaultmem_cli.views.changes import diff_lines
from vaultmem_cli.views.words import SHOWN, count, duration, labelled, moment, size

LATER = (Outcome.BUDGET, Outcome.RESTING, Outcome.CONFLICT, Outcome.FAILED)
"""What comes up again by itself."""
LABEL = 11
"""Columns of the labels below a decision."""
NARROW = 100
"""Columns at which sentences break on a wide terminal, and elsewhere."""

FINDINGS = {
    "suspect": ("note to be checked again", "notes to be checked again"),
    "broken-link": ("broken link", "broken links"),
    "ambiguous-link": ("ambiguous link", "ambiguous links"),
    "breaks-in-obsidian": ("link that breaks in Obsidian", "links that break in Obsidian"),
    "orphan": ("orphan", "orphans"),
    "empty-note": ("empty note", "empty notes"),
    "property-fault": ("fault in properties", "faults in properties"),
    "duplicate-alias": ("alias of two notes", "aliases of two notes"),
    "relation-drift": ("odd relation name", "odd relation names"),
    "deep-derivation": ("note made from made notes", "notes made from made notes"),
    "supersede-cycle": ("circle of superseding notes", "circles of superseding notes"),
}
"""One and many of each kind that is known by name."""


# -- a cycle that was run ----------------------------------------------------------------------------------------


def run_page(answer: CycleAnswer, style: Style) -> Page:
    """What was changed, what waits, what was not done; then where to look. How to undo it goes to stderr."""
    if answer.state is CycleState.NOTHING:
        nothing = "Nothing has changed since the last cycle, so there was nothing to do."
        return Page([nothing], _warnings(answer))
    lines = [f"{style.bold(clean(answer.cycle))}  {_headline(answer)}  {style.dim(_took(answer))}"]
    applied, met = answer.of(Outcome.APPLIED), answer.of(Outcome.WAITING)
    for title, decisions, total, row in (
        ("Changed", applied, len(applied), _applied_row),
        ("Waits for you", met, max(answer.waiting, len(met)), _waiting_row),
    ):
        if decisions:
            lines += ["", style.bold(title)]
            lines += [line for each in decisions[:SHOWN] for line in row(each, style)]
            more = total - len(decisions[:SHOWN])
            lines += [style.dim(f"  … and {more:,} more")] if more else []
    rows = labelled(list(_rows(answer)), style)
    return Page([*lines, *(["", *rows] if rows else [])], [*_warnings(answer), *_ways_on(answer)])


def quiet_page(answer: CycleAnswer, _: Style) -> Page:
    """Nothing but what went wrong."""
    failed = [
        f"warning: {clean(each.title)}: {clean(each.why)}" for each in answer.of(Outcome.FAILED)
    ]
    return Page(notes=[*_warnings(answer), *failed])


def _headline(answer: CycleAnswer) -> str:
    done = len(answer.of(Outcome.APPLIED, Outcome.PREVIEWED))
    waiting = answer.waiting
    if answer.dry_run:
        said = [f"{count(done, 'edit')} would be made" if done else "nothing would be changed"]
        said += [f"{waiting:,} would wait for you"] if waiting else []
    else:
        said = [f"{count(done, 'edit')} made" if done else "nothing changed"]
        said += [f"{waiting:,} {'waits' if waiting == 1 else 'wait'} for you"] if waiting else []
    if answer.state in (CycleState.CANCELLED, CycleState.FAILED):
        said.append(str(answer.state))
    return ", ".join(said)


def _took(answer: CycleAnswer) -> str:
    parts = f" in {answer.parts:,} parts" if answer.parts > 1 else ""
    return duration(answer.seconds) + parts


def _applied_row(decision: DecisionRecord, style: Style) -> list[str]:
    return [
        f"  {_fit(decision.title, style, 3)}",
        f"    {style.dim('vaultmem undo')} {style.cyan(clean(decision.event))}",
    ]


def _waiting_row(decision: DecisionRecord, style: Style) -> list[str]:
    return [f"  {style.cyan(decision.proposal)}  {_fit(decision.title, style, 14)}"]


def _fit(text: str, style: Style, taken: int) -> str:
    return shorten(clean(text), None if style.width is None else max(20, style.width - taken))


def _rows(answer: CycleAnswer) -> Iterator[tuple[str, str]]:
    looked = f"{answer.notes:,}, {answer.changed:,} of them new or changed"
    yield "notes", looked if answer.notes or answer.stages else ""
    yield "strategy", _strategy(answer)
    yield "not done", _not_done(answer)
    yield "seen", _seen(answer)
    yield "answers", _health(answer.health)
    yield "model", model_words(answer.model)
    yield "digest", clean(answer.digest)
    yield "review", clean(answer.review)


def _strategy(answer: CycleAnswer) -> str:
    if answer.strategy is Strategy.CONSOLIDATE and not answer.why_strategy:
        return ""
    return _strategy_words(answer)


def _strategy_words(answer: CycleAnswer) -> str:
    why = f": {clean(answer.why_strategy)}" if answer.why_strategy else ", the usual upkeep"
    return f"{answer.strategy}{why}"


def _not_done(answer: CycleAnswer) -> str:
    untold = (Outcome.APPLIED, Outcome.PREVIEWED, Outcome.WAITING)
    undone = [each for each in answer.decisions if each.outcome not in untold]
    said = clean(outcomes_told(undone))
    later = all(each.outcome in LATER for each in undone)
    return f"{said} (comes up again)" if said and later else said


def _seen(answer: CycleAnswer) -> str:
    return ", ".join(
        count(many, *FINDINGS.get(kind, (clean(kind.replace("-", " ")),)))
        for kind, many in sorted(answer.finding_counts.items(), key=lambda each: -each[1])
        if many
    )


def _health(health: Health) -> str:
    if not health.probes:
        return ""
    return (
        f"of {count(health.probes, 'known question')} {percent(health.before)} before, "
        f"{percent(health.after)} after"
    )


def model_words(model: ModelUse) -> str:
    """What judging cost; "" where no model was asked."""
    if not model.calls and not model.failures:
        return ""
    tokens = f"{model.tokens_in:,} tokens in, {model.tokens_out:,} out"
    price = "price not known" if model.cost is None else money(model.cost)
    failed = f", {model.failures:,} failed" if model.failures else ""
    return f"{clean(model.model)}: {count(model.calls, 'call')}{failed}, {tokens}, {price}"


def money(dollars: float) -> str:
    """
    >>> money(0.0), money(0.01234), money(12.3)
    ('$0', '$0.0123', '$12.30')
    """
    if not dollars:
        return "$0"
    return f"${dollars:.2f}" if dollars >= 1 else f"${dollars:.4f}"


def percent(score: float) -> str:
    """
    >>> percent(0.9204)
    '92.0 %'
    """
    return f"{score * 100:.1f} %"


def _warnings(answer: CycleAnswer) -> list[str]:
    said = [*answer.alarms, *answer.said, *([answer.model.note] if answer.model.note else [])]
    return [f"warning: {clean(each)}" for each in said]


def _ways_on(answer: CycleAnswer) -> list[str]:
    notes = []
    if answer.state is CycleState.CANCELLED:
        left = [str(stage) for stage in answer.left]
        if answer.undecided:
            left.insert(0, count(answer.undecided, "proposal"))
        what = f" Left: {', '.join(left)}." if left else ""
        notes.append(f"It was stopped.{what} What was done stays; the next run goes on.")
    if answer.dry_run:
        return [*notes, "Dry run: nothing was written."]
    if answer.waiting:
        note = clean(answer.review)
        tick = f"tick boxes in {note}, or: vaultmem review" if note else "vaultmem review"
        notes.append(f"To decide: {tick}")
    if answer.decisions:
        notes.append(f"Why each: vaultmem dream explain {clean(answer.cycle)}")
    if answer.of(Outcome.APPLIED) or answer.digest:
        notes.append(f"To undo all of it: vaultmem undo cycle:{clean(answer.cycle)}")
    return notes


# -- decisions with their reasons --------------------------------------------------------------------------------


def preview_page(answer: CycleAnswer, style: Style) -> Page:
    """Each decision with its numbers and its diff, then what it comes to."""
    if answer.state is CycleState.NOTHING:
        return Page(["Nothing has changed since the last cycle, so nothing would be done."])
    lines = [line for each in answer.decisions for line in (*_decision(each, style, ()), "")]
    lines.append(f"{style.bold('Preview')}  {_headline(answer)}  {style.dim(_took(answer))}")
    return Page([*lines, *labelled(_rows(answer), style)], [*_warnings(answer), *_ways_on(answer)])


def explain_page(answer: CycleAnswer, style: Style) -> Page:
    """The cycle in figures, then each decision with its numbers."""
    undone = answer.undone
    left = f"{count(answer.edits_left, 'edit')}, {size(answer.bytes_left)}"
    known = answer.notes or answer.stages  # else it was cut off, and only its edits are known
    rows = [
        ("when", moment(answer.began_ns) + (f", {_took(answer)}" if known else "")),
        ("strategy", _strategy_words(answer) if known else ""),
        ("stages", ", ".join(f"{s.stage} {s.proposed:,}" for s in answer.stages if s.proposed)),
        ("budget left", left if known else ""),
    ]
    head = [f"{style.bold(clean(answer.cycle))}  {_headline(answer)}"]
    shown = {label for label, _ in rows}
    rows += [(label, value) for label, value in _rows(answer) if label not in shown]
    lines = [*head, *labelled(rows, style)]
    for each in answer.decisions:
        lines += ["", *_decision(each, style, undone)]
    if not answer.decisions:
        lines += ["", "It decided about nothing: no stage proposed anything."]
    return Page(lines, _warnings(answer))


def decision_page(answer: CycleAnswer, style: Style) -> Page:
    """Only the decisions."""
    shown = [["", *_decision(each, style, answer.undone)] for each in answer.decisions]
    return Page([line for lines in shown for line in lines][1:])


def seen_page(answer: CycleAnswer, style: Style) -> Page:
    """Every finding of the cycle, by kind, each with its note."""
    kinds: dict[str, list[Noticed]] = {}
    for each in answer.findings:
        kinds.setdefault(each.kind, []).append(each)
    if not kinds:
        return Page(notes=["It saw nothing that it left alone."])
    lines: list[str] = []
    for kind, found in kinds.items():
        total = max(len(found), answer.finding_counts.get(kind, 0))
        first = f", the first {len(found):,} of them" if total > len(found) else ""
        lines += [*([""] if lines else []), f"{style.bold(clean(kind))} ({total:,}{first})"]
        for each in found:
            lines += [f"  {style.cyan(clean(each.path))}"] if each.path else []
            lines += [f"  {line}" for line in _told("", each.text, style)]
    return Page(lines)


def _decision(decision: DecisionRecord, style: Style, undone: Sequence[str]) -> list[str]:
    """Title, reason, what became of it and why, numbers, and where it is known what it changes."""
    paint = (
        style.green if decision.outcome in (Outcome.APPLIED, Outcome.PREVIEWED) else style.yellow
    )
    outcome = "would be done" if decision.outcome is Outcome.PREVIEWED else str(decision.outcome)
    if decision.event and decision.event in undone:
        outcome, paint = "undone since", style.yellow
    because = f": {clean(decision.why)}" if decision.why and decision.gate is None else ""
    lines = [
        f"{style.bold(clean(decision.title))}  {style.dim(decision.proposal)}",
        *_told("", decision.reason, style),
        *_told("outcome", f"{outcome}{because}", style, paint=paint),
        *(_told("gate", gate_words(decision.gate), style) if decision.gate else ()),
        *_told("evidence", evidence_words(decision), style),
        *_told("notes", ", ".join(decision.notes), style),
        *_told("undo", f"vaultmem undo {decision.event}" if decision.event else "", style),
    ]
    if decision.diff:
        lines += [f"  {line}" for line in diff_lines(decision.diff, style)]
    return lines


def _told(label: str, text: str, style: Style, paint: object = None) -> list[str]:
    """A label and a text that breaks at the edge of the terminal; nothing for no text."""
    text = clean(text)
    if not text:
        return []
    indent = LABEL if label else 2
    width = min(NARROW, style.width or NARROW) - indent
    parts = [text[start:end] for start, end in wrap(text, width)]
    painted = [paint(part) for part in parts] if callable(paint) else parts
    first = f"  {style.dim(pad(label, indent - 2))}" if label else "  "
    return [f"{first if not number else ' ' * indent}{part}" for number, part in enumerate(painted)]


def gate_words(gate: GateFigures) -> str:
    """What the gate measured, in a sentence.

    >>> gate_words(GateFigures("Accept", "answers no worse", 75, 0.92, 0.924, 1, 0, 1.0))
    'passed, answers no worse: of 75 known questions 92.0 % were answered before, 92.4 % after; 1 better, 0 worse'
    """
    passed = "refused" if gate.decision == "Reject" else "passed"
    changed = f"{gate.gained:,} better, {gate.lost:,} worse"
    luck = f" (by chance alone in {percent(gate.chance)} of cases)" if gate.lost else ""
    return (
        f"{passed}, {clean(gate.reason)}: of {count(gate.probes, 'known question')} "
        f"{percent(gate.before)} were answered before, {percent(gate.after)} after; {changed}{luck}"
    )


def evidence_words(decision: DecisionRecord) -> str:
    """Who was how sure, and the numbers that spoke for it."""
    by = "" if decision.decided_by == "heuristic" else f", says {clean(decision.decided_by)}"
    said = [f"{decision.confidence * 100:.0f} % sure{by}"]
    for name, value in decision.figures.items():
        if name not in ("confidence", "evidence"):
            said.append(f"{_FIGURES.get(name, name)} {_figure(value)}")
    verdict = decision.figures.get("evidence")
    return ", ".join(said) + (f": {verdict} evidence" if verdict else "")


def _figure(value: float | str) -> str:
    if isinstance(value, str):
        return clean(value)
    return f"{value:,.3f}".rstrip("0").rstrip(".")


_FIGURES = {"support": "recall support", "needed": "confidence needed"}
"""Words for numbers whose own names say too little."""
