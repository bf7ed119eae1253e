"""The tags of the vault, or the notes of one."""

from __future__ import annotations

from vaultmem.answers import TagsAnswer
from vaultmem_cli.console import Page, Style
from vaultmem_cli.textwidth import cells, clean, pad
from vaultmem_cli.views.words import count, freshness_notes


def tags_page(answer: TagsAnswer, style: Style) -> Page:
    """Tags with their counts, most used first; or the paths of the notes that hold the one asked for."""
    if answer.tag is not None:
        return _notes_of_tag(answer, answer.tag)
    width = max((cells(tag.tag) for tag in answer.tags), default=0) + 3
    digits = max((len(f"{tag.count:,}") for tag in answer.tags), default=1)
    lines = [
        pad(f"#{clean(tag.tag)}", width)
        + f"{tag.count:,}".rjust(digits)
        + style.dim(f"  in {count(tag.notes, 'note')}")
        for tag in answer.tags
    ]
    summary = count(len(answer.tags), "tag") if answer.tags else "There are no tags in this vault."
    return Page(lines, [summary, *freshness_notes(answer.freshness)])


def _notes_of_tag(answer: TagsAnswer, tag: str) -> Page:
    spelled = ", ".join(f"#{clean(found.tag)}" for found in answer.tags) or f"#{clean(tag)}"
    summary = f"{count(len(answer.paths), 'note')} with {spelled}"
    if not answer.paths:
        summary = f"No note holds #{clean(tag)} or a tag below it."
    return Page(list(map(clean, answer.paths)), [summary, *freshness_notes(answer.freshness)])
