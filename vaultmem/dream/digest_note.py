"""The digest: one note a day that says what the dream did and why, and how to take it back. Pure.

Each cycle has a part of its own between two comments that are not seen in reading view. All else in the note is the
person's, and stays byte for byte.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, timedelta, tzinfo
from typing import Final

from vaultmem.dream import kinds
from vaultmem.dream.context import Finding
from vaultmem.dream.folders import DREAMS_FOLDER
from vaultmem.dream.note_prose import (
    LinkOf,
    code,
    counted,
    cut,
    line_break_of,
    link,
    linked_title,
    name_mark,
    prose,
    prose_with_code,
    shortened,
)
from vaultmem.dream.report import (
    CommunityChange,
    CycleReport,
    CycleState,
    DecisionRecord,
    Health,
    ModelUse,
    Outcome,
    outcomes_told,
)
from vaultmem.notes.frontmatter import read_frontmatter

NOTE_TYPE: Final = "daily-insight"

MAX_EDITS: Final = 40
MAX_WAITING: Final = 5
MAX_EXAMPLES: Final = 3
"""Findings shown of one kind."""
MAX_NOTES: Final = 3
"""Notes named for which the same is found."""
MAX_COMMUNITIES: Final = 5
FEWEST_NOTES: Final = 5
"""Of a community that has a line of its own."""
LEAST_CHANGE: Final = 0.1
"""Of the notes of a community that came or went, for it to have a line."""
MAX_INSIGHTS: Final = 3
MAX_TITLE: Final = 160
MAX_REASON: Final = 300

_BEGIN: Final = "%% vaultmem:begin {} %%"
_END: Final = "%% vaultmem:end {} %%"
_ANY_BEGIN: Final = re.compile(r"^%% vaultmem:begin [^\s%]+ %%[ \t]*\r?$", re.MULTILINE)

_LEFT_FOR_LATER: Final = frozenset((Outcome.BUDGET, Outcome.RESTING))
_UNTOLD: Final = frozenset((Outcome.APPLIED, Outcome.WAITING, Outcome.PREVIEWED, Outcome.REJECTED))
"""What has a section of its own, or was settled by the person before."""

_NAMES: Final = ("Obsidian",)
"""What keeps its capital within a sentence."""


def digest_path(memory_root: str, day: date) -> str:
    """Where the digest of a day stands in the vault."""
    root = memory_root.strip("/")
    return (
        f"{root}/{DREAMS_FOLDER}/{day.isoformat()}.md"
        if root
        else f"{DREAMS_FOLDER}/{day.isoformat()}.md"
    )


def latest_digest(texts: Mapping[date, str], today: date) -> tuple[date, str] | None:
    """Today's digest, else yesterday's, with its day; None when there is neither, or only blank ones."""
    for day in (today, today - timedelta(days=1)):
        text = texts.get(day)
        if text is not None and text.strip():
            return day, text
    return None


def render_digest(
    report: CycleReport,
    previous: str | None,
    *,
    zone: tzinfo,
    link_of: LinkOf,
    day: date | None = None,
) -> str:
    """The day's note with the report's part in it: in place of the same cycle's, else above the earlier ones.

    ``previous`` is the note as it is. ``day`` is the day it belongs to, the one on which the cycle began when not
    given; it is written into a new note only. The same report twice gives the same text.
    """
    begin, end = (mark.format(name_mark(report.cycle)) for mark in (_BEGIN, _END))
    part = f"{begin}\n\n{_part(report, zone, link_of)}\n\n{end}"
    if previous is None or not previous.strip("\ufeff \t\r\n"):
        of_day = day or _when(report.began_ns, zone).date()
        head = f"---\ntype: {NOTE_TYPE}\ndate: {of_day.isoformat()}\nmanaged_by: vaultmem\n---\n"
        return f"{head}\n{part}\n"
    line_break = line_break_of(previous)
    part = part.replace("\n", line_break)
    held = _span(previous, begin, end)
    if held is not None:
        return previous[: held[0]] + part + previous[held[1] :]
    first = _ANY_BEGIN.search(previous)
    if first is not None:
        return f"{previous[: first.start()]}{part}{line_break * 2}{previous[first.start() :]}"
    # A person's note of that name, or one whose marks are gone. Above what they wrote, so that nothing left
    # open there (a code block, a comment) takes our part in.
    at = read_frontmatter(previous).body_start
    if at and not previous[:at].endswith(("\n", "\ufeff")):
        part = line_break + part
    return f"{previous[:at]}{part}{line_break * 2}{previous[at:]}"


def _span(text: str, begin: str, end: str) -> tuple[int, int] | None:
    """Where a cycle's part stands, marks included; None when a mark is missing or another part begins in it."""
    opening = re.search(rf"^{re.escape(begin)}[ \t]*\r?$", text, re.MULTILINE)
    if opening is None:
        return None
    closing = re.compile(rf"^{re.escape(end)}(?=[ \t]*\r?$)", re.MULTILINE).search(
        text, opening.end()
    )
    if closing is None or _ANY_BEGIN.search(text, opening.end(), closing.start()):
        return None
    return opening.start(), closing.end()


# --- a cycle's part ---


def _part(report: CycleReport, zone: tzinfo, link_of: LinkOf) -> str:
    time = f"{_when(report.began_ns, zone):%H:%M}"
    if _is_quiet(report):
        return _quiet(report, time)
    sections = [
        [f"## {time} · {report.strategy}"],
        [_summary(report, link_of)],
        _warnings(report),
        _changes(report, link_of),
        _waiting(report, link_of),
        _undone(report),
        _findings(report, link_of),
        _communities(report, link_of),
        _figures(report),
    ]
    return "\n\n".join("\n".join(section) for section in sections if section and any(section))


def _is_quiet(report: CycleReport) -> bool:
    if report.alarms or report.said or report.state is CycleState.FAILED:
        return False
    if report.state is CycleState.NOTHING:
        return True
    told = any(decision.outcome is not Outcome.REJECTED for decision in report.decisions)
    noticed = report.findings or any(report.finding_counts.values()) or report.suspects
    return not (told or noticed or report.communities or report.insights)


def _quiet(report: CycleReport, time: str) -> str:
    if report.state is CycleState.NOTHING:
        return f"At {time} nothing had changed since the last cycle, so there was nothing to do."
    seen = f"{counted(report.notes, 'note')}, {report.changed:,} of them new or changed"
    if report.state is CycleState.CANCELLED:
        return f"At {time} the dream began ({seen}) and stopped, as somebody was at work."
    return f"At {time} the dream looked through {seen}, and found nothing to do."


def _summary(report: CycleReport, link_of: LinkOf) -> str:
    applied, waiting = len(report.of(Outcome.APPLIED)), report.waiting
    previewed = len(report.of(Outcome.PREVIEWED))
    seen = f"{counted(report.notes, 'note')} ({report.changed:,} new or changed)"
    if report.dry_run or previewed:
        did = f"A preview: nothing was written. {counted(previewed, 'change')} would be made."
    else:
        did = f"{counted(applied, 'change')} made" if applied else "Nothing changed"
        if waiting and report.review:
            did += f", {counted(waiting, 'proposal')} for you in {link(report.review, link_of)}"
        elif waiting:
            did += f", {counted(waiting, 'proposal')} for you"
        did += "."
    why = prose(report.why_strategy, MAX_REASON)
    parts = [did, f"Looked through {seen}."]
    if why:
        parts.append(_sentence(why))
    if report.state is CycleState.CANCELLED:
        parts.append("It stopped early; the next cycle does the rest.")
    return " ".join(parts)


def _warnings(report: CycleReport) -> list[str]:
    told = [prose(text, MAX_REASON) for text in (*report.alarms, *report.said)]
    if report.state is CycleState.FAILED:
        told.insert(0, "The cycle ended with a fault; what is listed here was done before it.")
    if not told:
        return []
    title = "This needs a look" if report.alarms else "To know"
    if report.state is CycleState.FAILED:
        title = "The cycle did not end well"
    kind = "info" if title == "To know" else "warning"
    return [f"> [!{kind}] {title}", *(f"> - {line}" for line in told)]


def _changes(report: CycleReport, link_of: LinkOf) -> list[str]:
    applied = report.of(Outcome.APPLIED)
    made = applied or report.of(Outcome.PREVIEWED)
    if not made:
        return []
    kept, more = cut([_change(decision, link_of) for decision in made], MAX_EDITS)
    lines = ["### What changed" if applied else "### What would change", "", *kept]
    if more:
        lines.append(
            f"- and {more:,} more: {code(f'vaultmem dream explain {name_mark(report.cycle)}')}"
        )
    if any(decision.event for decision in applied):
        lines += ["", f"To undo the whole cycle: {code(f'vaultmem undo cycle:{report.cycle}')}"]
    return lines


def _change(decision: DecisionRecord, link_of: LinkOf) -> str:
    line = f"- **{_title(decision, link_of)}** {_sentence(prose_with_code(decision.reason, MAX_REASON))}"
    if decision.event:
        line += f"\n  Undo: {code(f'vaultmem undo {decision.event}')}"
    return line


def _title(decision: DecisionRecord, link_of: LinkOf) -> str:
    """The title with links; notes that it does not name by their file's name stand after it."""
    title = linked_title(decision.title, decision.notes, link_of, MAX_TITLE)
    links = (link(path, link_of) for path in decision.notes[:MAX_EXAMPLES])
    missing = [each for each in links if each not in title]
    return title + (f" ({', '.join(missing)})" if missing else "") + "."


def _waiting(report: CycleReport, link_of: LinkOf) -> list[str]:
    waiting = report.of(Outcome.WAITING)
    if not waiting:
        return []
    shown = [f"- {_title(each, link_of).removesuffix('.')}" for each in waiting]
    kept, more = cut(shown, MAX_WAITING, of=report.waiting)
    where = f" Tick them in {link(report.review, link_of)}." if report.review else ""
    lines = ["### Waits for you", "", f"You decide about these.{where}", ""]
    return [*lines, *kept, *([f"- and {more:,} more"] if more else [])]


def _undone(report: CycleReport) -> list[str]:
    undone = [each for each in report.decisions if each.outcome not in _UNTOLD]
    if not undone:
        return []
    told = prose(outcomes_told(undone), MAX_REASON)
    left = any(each.outcome in _LEFT_FOR_LATER for each in undone)
    later = " What is left comes up again." if left else ""
    how = code(f"vaultmem dream explain {name_mark(report.cycle)}")
    return ["### Not done", "", f"{told}.{later} Each with its numbers: {how}"]


def _findings(report: CycleReport, link_of: LinkOf) -> list[str]:
    by_kind: dict[str, list[Finding]] = {}
    for finding in report.findings:
        by_kind.setdefault(finding.kind, []).append(finding)
    lines = []
    for kind in dict.fromkeys((*by_kind, *report.finding_counts)):
        found = by_kind.get(kind, [])
        total = max(report.finding_counts.get(kind, 0), len(found))
        if not total:
            continue
        label = f"- **{prose(kinds.heading(kind), 40)}** ({total:,})"
        lines += [label, *_listed(_seen(found, link_of), total)]
    if report.suspects:
        label = f"- **Rests on a claim that was found wrong** ({len(report.suspects):,})"
        seen = [(link(path, link_of), 1) for path in report.suspects]
        lines += [label, *_listed(seen, len(report.suspects))]
    if any(line.lstrip().startswith("- and ") and line.endswith(" more") for line in lines):
        how = code(f"vaultmem dream explain {name_mark(report.cycle)} --seen")
        lines += ["", f"More of them: {how}"]
    return ["### Seen on the way", "", *lines] if lines else []


def _listed(seen: Sequence[tuple[str, int]], total: int) -> list[str]:
    """The lines below a kind, of texts and the number of findings that each tells of."""
    unseen = total - sum(count for _, count in seen)
    kept, more = cut([text for text, _ in seen], MAX_EXAMPLES, of=len(seen) + unseen)
    if more:
        more = total - sum(count for _, count in seen[: len(kept)])
    rest = _more(more) if kept else []
    return [*(f"    - {text}" for text in kept), *(f"    {line}" for line in rest)]


def _seen(found: Sequence[Finding], link_of: LinkOf) -> list[tuple[str, int]]:
    """The texts of findings, each with the notes that it is about in front where it does not begin with its note, and how many
    findings it tells of: what was found in several notes is told once."""
    notes: dict[str, list[str]] = {}
    for finding in found:
        text = prose_with_code(finding.text, MAX_REASON).rstrip(".")
        about = link(finding.path, link_of) if finding.path else ""
        own = not about or about in text or text.startswith("[[")
        notes.setdefault(text, []).append("" if own else about)
    return [(_about(dict.fromkeys(paths), text), len(paths)) for text, paths in notes.items()]


def _about(notes: Iterable[str], text: str) -> str:
    """
    >>> _about(["[[a]]", "[[b]]"], "Leads nowhere"), _about([""], "[[a]] is empty")
    ('[[a]], [[b]]: leads nowhere', '[[a]] is empty')
    """
    kept, more = cut([note for note in notes if note], MAX_NOTES)
    about = ", ".join(kept) + (f" and {more:,} more" if more else "")
    if not about:
        return text
    if not text.startswith(_NAMES):
        text = text[:1].lower() + text[1:]
    return f"{about}: {text}" if text else about


def _communities(report: CycleReport, link_of: LinkOf) -> list[str]:
    telling = sorted(filter(_matters, report.communities), key=lambda each: -_moved(each))
    kept, _ = cut([_community(change, link_of) for change in telling], MAX_COMMUNITIES)
    lines = [*kept, *_other_communities(report, len(report.communities) - len(kept))]
    insights = _of_each_kind(report.insights)
    shown, more = cut([f"- {prose(each.text, MAX_REASON)}" for each in insights], MAX_INSIGHTS)
    lines += [*shown, *_told_by(more, "more", "more", "graph insights")]
    return ["### Communities and insights", "", *lines] if lines else []


def _moved(change: CommunityChange) -> int:
    return abs(change.notes - change.before)


def _matters(change: CommunityChange) -> bool:
    """Whether a person would want to hear of it: a cycle in which one note is new moves many communities a little."""
    large = max(change.notes, change.before) >= FEWEST_NOTES
    return large and _moved(change) >= max(2, LEAST_CHANGE * change.before)


def _other_communities(report: CycleReport, many: int) -> list[str]:
    if all(change.before == 0 for change in report.communities):
        return _told_by(many, "smaller one", "smaller ones", "graph communities")
    return _told_by(many, "smaller change", "smaller changes", "graph communities")


def _told_by(many: int, one: str, more: str, command: str) -> list[str]:
    """How many are not shown, and what shows them."""
    return [f"- and {counted(many, one, more)}: {code(f'vaultmem {command}')}"] if many else []


def _of_each_kind(insights: Sequence[Finding]) -> list[Finding]:
    """First the most telling one of each kind, then the second of each, and so on."""
    place: Counter[str] = Counter()
    ranked = []
    for at, insight in enumerate(insights):
        ranked.append((place[insight.kind], at, insight))
        place[insight.kind] += 1
    return [insight for _, _, insight in sorted(ranked, key=lambda each: each[:2])]


def _community(change: CommunityChange, link_of: LinkOf) -> str:
    name = prose(change.name, 80)
    around = f" around {link(change.hub, link_of)}" if change.hub else ""
    notes = counted(change.notes, "note")
    if change.before == 0:
        return f"- **{name}**{around} is new: {notes}"
    if change.notes == 0:
        return f"- **{name}** is gone (it had {counted(change.before, 'note')})"
    how = "grew" if change.notes > change.before else "shrank"
    if change.notes == change.before:
        how = "changed"
    return f"- **{name}**{around} {how}: {change.before:,} → {notes}"


def _figures(report: CycleReport) -> list[str]:
    took = f"The cycle took {_duration(report.seconds)}."
    told = [_health(report.health), f"{_cost(report.model)} {took}"]
    return ["### Health and cost", "", *(f"- {part}" for part in told if part)]


def _health(health: Health) -> str:
    if not health.probes:
        return ""
    score = f"{_percent(health.before)} → {_percent(health.after)}"
    questions = counted(
        health.probes, "question whose answer is known", "questions whose answers are known"
    )
    return f"Search on {questions}: {score} right (best so far {_percent(health.best)})."


def _cost(model: ModelUse) -> str:
    if not model.calls:
        return "No model was asked: it cost nothing." + _remark(model)
    tokens = f"{model.tokens_in:,} tokens in, {model.tokens_out:,} out"
    price = "price not known" if model.cost is None else f"${model.cost:.4f}"
    failed = f", {model.failures:,} failed" if model.failures else ""
    name = prose(model.model, 60)
    return f"Model {name}, {counted(model.calls, 'call')}{failed}, {tokens}, {price}." + _remark(
        model
    )


def _remark(model: ModelUse) -> str:
    return f" {_sentence(prose(model.note, MAX_REASON))}" if model.note.strip() else ""


# --- words ---


def _when(time_ns: int, zone: tzinfo) -> datetime:
    return datetime.fromtimestamp(time_ns // 1_000_000_000, zone)


def _percent(score: float) -> str:
    return f"{score * 100:.1f} %"


def _duration(seconds: float) -> str:
    if seconds < 1:
        return "under a second"
    if seconds < 120:
        return counted(round(seconds), "second")
    return counted(round(seconds / 60), "minute")


def _sentence(text: str) -> str:
    text = shortened(text, len(text) or 1) if text else ""
    return text if not text or text.endswith((".", "!", "?", "…", "。")) else text + "."


def _more(number: int) -> list[str]:
    return [f"- and {number:,} more"] if number else []
