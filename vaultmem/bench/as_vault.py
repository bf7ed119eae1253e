"""A retrieval set written as a vault, as a person would keep it: a document is a note, a conversation a session note
with a heading for each turn. The scope is the folder, the date a property."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path

from vaultmem.bench.sets import Item, RetrievalSet

LONGEST_NAME = 80
"""Characters of a file name."""

FEWEST_TURNS = 3
"""Lines ``Name: words`` that make a text a conversation."""

_FORBIDDEN = re.compile(r"[\\/:*?\"<>|#^\[\]\x00-\x1f]+")
_WORDS = re.compile(r"\w+|\W+")
_AROUND = " ,;:·-–—"
"""What stands between the parts of a title."""
_TURN = re.compile(r"([^\s:][^:\n]{0,39}):\s+(\S.*)")


@dataclass(slots=True)
class Written:
    """Where the items of a set stand in its vault."""

    places: dict[str, list[tuple[int, str]]] = field(default_factory=dict)
    """Note → (first line, item), in order of lines."""
    by_block: bool = False
    """Some notes hold several items, so that blocks are what is found."""

    def item_at(self, path: str, line: int) -> str | None:
        """The item that stands at a line of a note."""
        places = self.places.get(path, [])
        at = bisect_right(places, line, key=lambda place: place[0]) - 1
        return places[max(at, 0)][1] if places else None


def folder_of(scope: str) -> str:
    """The folder of a scope; "" for the vault itself."""
    return _file_name(scope) if scope else ""


def write_vault(root: Path, retrieval_set: RetrievalSet) -> Written:
    """Writes the set's items as notes below ``root``."""
    written = Written()
    taken: set[str] = set()
    for (scope, _), group in groupby(retrieval_set.items, key=_session):
        items = list(group)
        title = items[0].title if len(items) == 1 else _common_title(items)
        name = title if len(items) == 1 else " ".join(filter(None, (items[0].date[:10], title)))
        path = _free_path(folder_of(scope), name, taken)
        lines = _properties(title, Path(path).stem, items)
        if len(items) == 1:
            written.places[path] = [(0, items[0].id)]
            lines += _document(items[0])
        else:
            written.by_block = True
            written.places[path] = []
            for number, item in enumerate(items, 1):
                written.places[path].append((len(lines), item.id))
                lines += _turn(item, title, number)
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return written


def _session(item: Item) -> tuple[str, str]:
    """Items in a row with one scope and one time are the turns of one conversation."""
    return (item.scope, f"{item.date}" if item.scope and item.date else f"\0{item.id}")


def _common_title(items: Sequence[Item]) -> str:
    """The words that the titles of the turns have in common at their end or their beginning."""
    titles = [_WORDS.findall(item.title) for item in items]
    start = "".join(_common_start(titles))
    end = "".join(_common_start([title[::-1] for title in titles])[::-1])
    return max(start, end, key=len).strip(_AROUND) or items[0].date


def _common_start(lists: Sequence[list[str]]) -> list[str]:
    """The longest beginning that all of the lists have."""
    first, last = min(lists), max(lists)
    size = next((i for i, one in enumerate(first) if last[i : i + 1] != [one]), len(first))
    return first[:size]


def _properties(title: str, stem: str, items: Sequence[Item]) -> list[str]:
    values = []
    if title and title != stem:
        escaped = title.replace("\\", "\\\\").replace('"', '\\"')
        values.append(f'title: "{escaped}"')
    if items[0].date:
        values.append(f"date: {items[0].date}")
    if len(items) > 1 or _turns(items[0].text):
        values.append("type: session")
    return ["---", *values, "---", ""] if values else []


def _document(item: Item) -> list[str]:
    turns = _turns(item.text)
    if not turns:
        return item.text.split("\n")
    return [line for who, words in turns for line in (f"## {who}", "", words, "")]


def _turns(text: str) -> list[tuple[str, str]]:
    """The turns of a transcript, a line each; none for other text."""
    lines = [line for line in text.split("\n") if line.strip()]
    turns = [match.groups() for line in lines if (match := _TURN.fullmatch(line))]
    speakers = {who for who, _ in turns}
    if len(turns) < max(FEWEST_TURNS, len(lines)) or 2 * len(speakers) > len(turns):
        return []
    return [(who, words) for who, words in turns]


def _turn(item: Item, title: str, number: int) -> list[str]:
    heading = item.title.replace(title, "").strip(_AROUND) or item.title
    text = item.text.removeprefix(f"{heading}:").strip()
    return [f"## {heading}", "", f"{text} ^t{number}", ""]


def _free_path(folder: str, name: str, taken: set[str]) -> str:
    stem = _file_name(name) or "Untitled"
    for candidate in _numbered(stem):
        path = f"{folder}/{candidate}.md" if folder else f"{candidate}.md"
        if path.lower() not in taken:
            taken.add(path.lower())
            return path
    raise AssertionError


def _numbered(stem: str) -> Iterable[str]:
    yield stem
    number = 2
    while True:
        yield f"{stem} {number}"
        number += 1


def _file_name(name: str) -> str:
    cleaned = " ".join(_FORBIDDEN.sub(" ", name).split())
    while len(cleaned.encode()) > 2 * LONGEST_NAME or len(cleaned) > LONGEST_NAME:
        cleaned = cleaned[:-1]
    return cleaned.strip(". ")
