"""One note."""

from __future__ import annotations

import json

from vaultmem.answers import NoteView
from vaultmem.errors import FailedError
from vaultmem.notes.frontmatter import read_frontmatter
from vaultmem_cli.console import Page, Style
from vaultmem_cli.jsonout import to_plain
from vaultmem_cli.textwidth import clean, clean_block
from vaultmem_cli.views.words import count, freshness_notes, labelled, moment


def note_page(note: NoteView, style: Style) -> Page:
    """What is known of the note, a blank line, its text without the property block."""
    lines = [style.bold(clean(note.title)), *_facts(note, style)]
    if note.text is not None and (body := _body(note.text)):
        lines += ["", clean_block(body)]
    return Page(lines, [*_faults(note), *freshness_notes(note.freshness)])


def body_page(note: NoteView, _: Style) -> Page:
    """The text alone, without the property block."""
    body = _body(note.text or "")
    return Page([clean_block(body)] if body else [], freshness_notes(note.freshness))


def raw_page(note: NoteView, _: Style) -> Page:
    """The file as it is on disk, byte for byte."""
    return Page(verbatim=note.text or "")


def with_text(note: NoteView) -> NoteView:
    """The note itself. Raises FailedError when its text cannot be had."""
    if note.text is None:
        raise FailedError(
            f"The text of {note.path} cannot be read: it is not UTF-8, or not on this disk.",
            hint="`vaultmem doctor` lists such files.",
        )
    return note


def _body(text: str) -> str:
    return text[read_frontmatter(text).body_start :].strip("\r\n")


def _facts(note: NoteView, style: Style) -> list[str]:
    figures = [
        count(note.words, "word"),
        count(note.links, "link"),
        count(note.backlinks, "backlink"),
        f"changed {moment(note.modified_ns)}",
    ]
    open_tasks = sum(task.status.isspace() for task in note.tasks)
    if note.tasks:
        figures.insert(3, f"{open_tasks} of {count(len(note.tasks), 'task')} open")
    marks = {
        "permanent": note.permanent,
        "stale": note.stale,
        "excluded in Obsidian's settings": note.excluded,
        "a sync conflict copy": note.conflict_of is not None,
    }
    shown = {
        key: value
        for key, value in note.properties.items()
        if key.lower() not in ("tags", "aliases")
    }
    rows = [
        ("aliases", ", ".join(map(clean, note.aliases))),
        ("tags", " ".join(f"#{clean(tag)}" for tag in note.tags)),
        *((clean(key), _value(value)) for key, value in shown.items()),
        ("marks", ", ".join(mark for mark, holds in marks.items() if holds)),
    ]
    place = style.cyan(clean(note.path))
    return [f"{place}  {style.dim(' · '.join(figures))}", *labelled(rows, style)]


def _value(value: object) -> str:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return clean(", ".join(value))
    return clean(json.dumps(to_plain(value), ensure_ascii=False))


def _faults(note: NoteView) -> list[str]:
    faults = [
        f"warning: {clean(warning.message)}"
        + (f" (line {warning.line + 1})" if warning.line is not None else "")
        for warning in note.warnings
    ]
    if note.text is None:
        faults.append("warning: The text cannot be read: it is not UTF-8, or not on this disk.")
    return faults
