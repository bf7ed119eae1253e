"""``python -m tests.torture.bytes VAULT…``: every kind of edit on every note, and not one byte elsewhere.

Each edit is planned, its place is compared with where the kind of edit may change anything (told from the lines of
the note, not by the planner), it is made in memory and on a copy of the vault on disk, and undone by its inverse.
The vaults themselves are only read.
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TypeAlias

from vaultmem.notes import body_edit
from vaultmem.notes.canvas import read_canvas
from vaultmem.notes.json_spans import json_strings
from vaultmem.notes.model import Frontmatter, FrontmatterState, ParsedNote, PropertyValue
from vaultmem.notes.obsidian import ObsidianSettings
from vaultmem.notes.parse import parse_note
from vaultmem.notes.property_edit import (
    AddItem,
    PropertyChange,
    RemoveItem,
    RemoveProperty,
    SetProperty,
    plan_property_edit,
)
from vaultmem.notes.refusal import EditRefused
from vaultmem.notes.rename import (
    LinkUpdates,
    Move,
    RenamePlan,
    affected_link_keys,
    plan_rename,
)
from vaultmem.notes.rename_heading import heading_link_keys, plan_heading_rename
from vaultmem.notes.resolve import NameIndex, link_name_key
from vaultmem.notes.textedit import (
    TextEdit,
    apply_byte_edits,
    apply_edits,
    byte_edits,
    inverse_edits,
    line_end,
    line_start,
    next_line,
)

Edits: TypeAlias = Sequence[TextEdit]
Span: TypeAlias = tuple[int, int]
Attempt: TypeAlias = "tuple[str, Callable[[], Edits], Sequence[Span]]"
"""The kind of edit, its plan, and where in the text it may change anything."""

MOST = 4
SAMPLES: tuple[PropertyValue, ...] = (
    "plain",
    "it's: [[odd]]",
    7,
    None,
    ["a", "b"],
    {"a": {"b": ["c"]}},
)
"""Values for a new property."""

"""Headings, keys or blocks of one note that are tried for each kind; the first ones."""


@dataclass
class Tally:
    """What came of it."""

    notes: int = 0
    made: Counter[str] = field(default_factory=Counter)
    unchanged: int = 0
    """Edits that had nothing to do."""
    refused: Counter[str] = field(default_factory=Counter)
    files_of_renames: int = 0
    links: int = 0
    faults: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def lines(self) -> Iterator[str]:
        """The figures as a person reads them."""
        yield f"{self.notes} notes, {self.made.total()} edits made in {self.seconds:.1f} s"
        for kind, count in sorted(self.made.items()):
            yield f"  {kind:24} {count:7}"
        yield f"  nothing to do            {self.unchanged:7}"
        for code, count in sorted(self.refused.items()):
            yield f"  refused: {code:15} {count:7}"
        yield f"  renames changed {self.links} links in {self.files_of_renames} files"
        for fault in self.faults[:20]:
            yield f"FAULT {fault}"
        edits = self.made.total() + self.files_of_renames
        right = edits - len(self.faults)
        share = 100 * right / edits if edits else 100.0
        yield f"bytes outside the intended span unchanged, and restored by the inverse: {right} of {edits} ({share:.2f} %)"


class Torturer:
    """Edits a copy of a vault, and puts each file back."""

    def __init__(self, vault: Path, copy: Path, tally: Tally) -> None:
        self.copy = copy
        self.tally = tally
        self.texts: dict[str, str] = {}
        """Notes and canvases by path."""
        paths = []
        for place in sorted(vault.rglob("*")):
            path = place.relative_to(vault).as_posix()
            if place.is_dir() or any(part.startswith(".") for part in path.split("/")):
                continue
            paths.append(path)
            if place.suffix.lower() in (".md", ".canvas"):
                try:
                    self.texts[path] = place.read_bytes().decode()
                except UnicodeDecodeError:
                    continue
                target = copy / path
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(place, target)
        self.names = NameIndex(paths)
        self.sources = self._sources()

    def _sources(self) -> dict[str, set[str]]:
        """The files that hold links of each name key."""
        sources: defaultdict[str, set[str]] = defaultdict(set)
        for path, text in self.texts.items():
            links = read_canvas(text).links if path.endswith(".canvas") else parse_note(text).links
            for link in links:
                sources[link_name_key(link.target)].add(path)
        return sources

    def run(self) -> None:
        """Tortures every note."""
        began = time.perf_counter()
        for path, text in self.texts.items():
            if path.lower().endswith(".md"):
                self.tally.notes += 1
                note = parse_note(text)
                for attempt in (*property_edits(path, text, note), *body_edits(text, note)):
                    self._try(path, text, *attempt)
                self._renames(path)
                self._heading_renames(path, note)
        self.tally.seconds += time.perf_counter() - began

    def _try(
        self, path: str, text: str, kind: str, plan: Callable[[], Edits], allowed: Sequence[Span]
    ) -> None:
        try:
            edits = plan()
        except EditRefused as refusal:
            self.tally.refused[refusal.code] += 1
            return
        if not edits:
            self.tally.unchanged += 1
            return
        self.tally.made[kind] += 1
        self._judge(path, text, kind, edits, allowed)

    def _judge(
        self, path: str, text: str, kind: str, edits: Edits, allowed: Sequence[Span]
    ) -> None:
        if fault := self._fault(path, text, edits, allowed):
            self.tally.faults.append(f"{kind} {path}: {fault}")

    def _fault(self, path: str, text: str, edits: Edits, allowed: Sequence[Span]) -> str:
        for edit in edits:
            if not any(start <= edit.start and edit.end <= end for start, end in allowed):
                return f"{edit} is outside of {allowed}"
        place = self.copy / path
        before = place.read_bytes()
        if before != text.encode():
            return "the copy was not as it had been"
        after = apply_byte_edits(before, byte_edits(text, edits))
        first = len(text[: min(start for start, _ in allowed)].encode())
        last = len(text[max(end for _, end in allowed) :].encode())
        if (
            before[:first] != after[:first]
            or before[len(before) - last :] != after[len(after) - last :]
        ):
            return "other bytes changed"
        edited = apply_edits(text, edits)
        if after != edited.encode():
            return "bytes and text were edited differently"
        place.write_bytes(after)
        read_back = place.read_bytes().decode()
        undone = byte_edits(read_back, inverse_edits(text, edits))
        place.write_bytes(apply_byte_edits(read_back.encode(), undone))
        return "" if place.read_bytes() == before else "the inverse did not restore the file"

    # --- renames ---

    def _renames(self, path: str) -> None:
        folder, _, name = path.rpartition("/")
        lead = f"{folder}/" if folder else ""
        for kind, new in (
            ("rename note", f"{lead}Ünlike it's {name}"),
            ("move note", f"zz elsewhere/{name}"),
        ):
            moves = [Move(path, new)]
            found = {
                source for key in affected_link_keys(moves) for source in self.sources.get(key, ())
            }
            plan = plan_rename(
                moves,
                lookup=self.names,
                sources=found,
                read=self.texts.get,
                settings=ObsidianSettings(),
                updates=LinkUpdates.YES,
            )
            self._carry_out(kind, plan)

    def _heading_renames(self, path: str, note: ParsedNote) -> None:
        found = {source for key in heading_link_keys(path) for source in self.sources.get(key, ())}
        for heading in note.headings[:MOST]:
            try:
                plan = plan_heading_rename(
                    path,
                    heading.text,
                    f"Ünlike {len(heading.text)}",
                    lookup=self.names,
                    sources=found,
                    read=self.texts.get,
                )
            except EditRefused as refusal:
                self.tally.refused[refusal.code] += 1
                continue
            self._carry_out("rename heading", plan)

    def _carry_out(self, kind: str, plan: RenamePlan) -> None:
        if plan.refusals:
            self.tally.refused[plan.refusals[0].code] += 1
            return
        self.tally.made[kind] += 1
        self.tally.files_of_renames += len(plan.files)
        self.tally.links += plan.link_count
        for file in plan.files:
            text = self.texts[file.path]
            self._judge(file.path, text, kind, file.edits, link_spans(file.path, text))


# --- where an edit may change anything ---


def link_spans(path: str, text: str) -> list[Span]:
    """Of the links of a note and of its heading lines, or of the strings of a canvas."""
    if path.endswith(".canvas"):
        start = 1 if text.startswith("\ufeff") else 0
        return [(string.start, string.end) for string in json_strings(text, start).values()]
    note = parse_note(text)
    return [
        *((link.start, link.end) for link in note.links),
        *((heading.start, heading.end) for heading in note.headings),
    ]


_TOP_LINE = re.compile(r"[^\s#-]|-[^\s]")


def key_span(text: str, block: Frontmatter, key: str) -> Span:
    """The lines from a key up to the next line that starts at the margin with neither a comment nor a dash.

    For a key that is not there: the place before the closing fence, or the very top.
    """
    if block.state is FrontmatterState.NONE:
        return block.body_start, block.body_start
    at = block.inner_start
    start = None
    while at < block.inner_end:
        line = text[at : line_end(text, at)]
        if start is not None and _TOP_LINE.match(line):
            return start, at
        if start is None and re.match(rf"[\"']?{re.escape(key)}[\"']?[ \t]*:", line):
            start = at
        at = next_line(text, at)
    return (block.inner_end if start is None else start), block.inner_end


def property_edits(path: str, text: str, note: ParsedNote) -> Iterator[Attempt]:
    """Every kind of property edit, on keys that are there and on new ones."""
    block = note.frontmatter

    def attempt(kind: str, change: PropertyChange) -> Attempt:
        span = key_span(text, block, change.key)
        if kind == "remove property" and len(block.values) == 1:
            span = (1 if text.startswith("\ufeff") else 0), block.body_start
        plan = lambda: plan_property_edit(  # noqa: E731 - three words of a table
            text, change, path=path, settings=ObsidianSettings()
        )
        return kind, plan, [span]

    for sample in SAMPLES:
        yield attempt("set new property", SetProperty("vm torture", sample))
    yield attempt("add item to nothing", AddItem("vm torture", "x"))
    tags = next((key for key in block.values if key.lower() == "tags"), "tags")
    yield attempt("add tag", AddItem(tags, "vm/torture"))
    for key, value in islice(block.values.items(), 12):
        for new in other_values(value):
            yield attempt("set property", SetProperty(key, new))
        yield attempt("remove property", RemoveProperty(key))
        if isinstance(value, list):
            yield attempt("add item", AddItem(key, "vm torture"))
            for item in value[:2]:
                yield attempt("remove item", RemoveItem(key, item))


def other_values(value: PropertyValue) -> Iterator[PropertyValue]:
    """Values to set in its place: alike, and of other kinds."""
    yield "other"
    yield "needs: quotes #1"
    yield None if value is not None else 1
    yield ["x", "y: z"]
    yield {"deep": ["x", {"y": 1}]}
    if isinstance(value, list):
        yield [*value[1:], "new"]
        yield ["new", *value]
        yield []
    if isinstance(value, dict):
        yield {**value, "new": True}
    if isinstance(value, str):
        yield value + " more"


def body_edits(text: str, note: ParsedNote) -> Iterator[Attempt]:
    """Every kind of body edit, at the first few headings and blocks and at one line that stands once."""
    body = (note.frontmatter.body_start, len(text))
    added = "torture ü\n\n- line\n"
    yield "append", lambda: body_edit.append_text(text, added), [body]
    yield "append item", lambda: body_edit.append_text(text, "- item"), [body]
    yield "add section", lambda: body_edit.add_section(text, "Vm torture", added), [body]
    for number, heading in enumerate(note.headings[:MOST]):
        following = note.headings[number + 1 :]
        own = heading.end, following[0].start if following else len(text)
        deeper = next((h.start for h in following if h.level <= heading.level), len(text))
        name = heading.text
        yield (
            "append under",
            partial(body_edit.append_text, text, added, heading=name),
            [own],
        )
        yield (
            "insert under",
            partial(body_edit.insert_under_heading, text, name, added),
            [own],
        )
        yield (
            "replace section",
            partial(body_edit.replace_section, text, name, added),
            [own],
        )
        yield "empty section", partial(body_edit.replace_section, text, name, ""), [own]
        yield (
            "add section under",
            partial(body_edit.add_section, text, "Vm torture", added, under=name),
            [(heading.end, deeper)],
        )
    for block in note.block_ids[:MOST]:
        start = text.rfind("\n\n", 0, block.start) + 1
        start = max(start, note.frontmatter.body_start)
        end = next_line(text, block.end)
        name = block.id
        yield (
            "replace block",
            partial(body_edit.replace_block, text, name, "torture"),
            [(start, end)],
        )
        yield (
            "delete block",
            partial(body_edit.delete_block, text, name),
            [(max(start - 2, 0), end)],
        )
    at = unique_line(text, note.frontmatter.body_start)
    if at is not None:
        line = text[slice(*at)]
        yield "replace text", lambda: body_edit.replace_text(text, line, "torture ü\nx"), [at]
        yield "delete text", lambda: body_edit.replace_text(text, line, ""), [at]


def unique_line(text: str, start: int) -> Span | None:
    """A line of the body whose text stands there once; None when there is none."""
    at = start
    while at < len(text):
        line = text[line_start(text, at) : line_end(text, at)]
        if len(line) > 8 and text.count(line, start) == 1:
            return at, at + len(line)
        at = next_line(text, at)
    return None


def torture(vaults: Sequence[Path], tally: Tally | None = None) -> Tally:
    """Every edit on every note of the vaults, on copies in a temporary folder."""
    tally = tally or Tally()
    for vault in vaults:
        with tempfile.TemporaryDirectory(prefix="vaultmem-bytes-") as folder:
            Torturer(vault, Path(folder), tally).run()
    return tally


def main() -> int:
    """Prints the figures for each vault; 1 when a byte changed that should not have, else 0."""
    parser = argparse.ArgumentParser(description="Every edit on every note, and no other byte.")
    parser.add_argument("vaults", nargs="+", type=Path, metavar="VAULT")
    faults = 0
    for vault in parser.parse_args().vaults:
        if not vault.is_dir():
            parser.error(f"no such folder: {vault}")
        tally = torture([vault])
        print(vault.name, *tally.lines(), sep="\n", flush=True)
        faults += len(tally.faults)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
