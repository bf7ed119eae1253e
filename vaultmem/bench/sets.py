"""A retrieval set: items, questions, and which items answer which question.

A folder with ``corpus.jsonl`` {id, title, text, date?, scope?}, ``queries.jsonl`` {id, text, category?, scope?} and
``qrels.tsv`` (question, item, grade; a header line). Where there is a scope, a question is asked within it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from vaultmem.errors import UsageError


@dataclass(frozen=True, slots=True)
class Item:
    """Something to be found."""

    id: str
    title: str
    text: str
    date: str = ""
    scope: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """Something to ask."""

    id: str
    text: str
    category: str = ""
    scope: str = ""


@dataclass(frozen=True, slots=True)
class RetrievalSet:
    """A set; questions without a judgement are left out."""

    name: str
    items: tuple[Item, ...]
    questions: tuple[Question, ...]
    grades: Mapping[str, Mapping[str, int]]
    """Question → item → grade above 0."""


def read_set(folder: Path) -> RetrievalSet:
    """The set in a folder. Raises UsageError when it is none."""
    try:
        items = tuple(
            Item(
                str(row["id"]),
                str(row.get("title") or ""),
                str(row["text"]),
                str(row.get("date") or ""),
                str(row.get("scope") or ""),
            )
            for row in _rows(folder / "corpus.jsonl")
        )
        grades = _grades(folder / "qrels.tsv")
        questions = tuple(
            Question(
                str(row["id"]),
                str(row["text"]),
                str(row.get("category") or ""),
                str(row.get("scope") or ""),
            )
            for row in _rows(folder / "queries.jsonl")
            if grades.get(str(row["id"]))
        )
    except OSError as error:
        raise UsageError(
            f"{folder} is no retrieval set: {error.filename} cannot be read.",
            hint="It holds corpus.jsonl, queries.jsonl and qrels.tsv.",
        ) from error
    except (KeyError, ValueError) as error:
        raise UsageError(f"{folder} is no retrieval set: {error!r}.") from error
    there = {item.id for item in items}
    for question in questions:
        if unknown := sorted(grades[question.id].keys() - there):
            raise UsageError(
                f"{folder / 'qrels.tsv'} names an item that corpus.jsonl has not: {unknown[0]} "
                f"(question {question.id})."
            )
    if not questions:
        raise UsageError(f"{folder} has no question with a judgement.")
    return RetrievalSet(folder.resolve().name, items, questions, grades)


def _rows(path: Path) -> Iterator[dict[str, object]]:
    for line in path.read_text("utf-8").split("\n"):
        if line.strip():
            yield json.loads(line)


def _grades(path: Path) -> dict[str, dict[str, int]]:
    grades: dict[str, dict[str, int]] = {}
    for line in path.read_text("utf-8").split("\n"):
        cells = line.rstrip("\r").split("\t")
        if len(cells) < 3 or not cells[2].strip().lstrip("-").isdigit():
            continue  # the header, and empty lines
        if int(cells[2]) > 0:
            grades.setdefault(cells[0], {})[cells[1]] = int(cells[2])
    return grades
