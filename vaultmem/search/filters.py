"""What a query demands of a note besides its words: values that become SQL and that judge a note in memory, with the
same outcome.

A filter speaks of a whole note, but for :class:`Below`, which speaks of a block. It acts inside the query: no lane
offers a block that the filters do not admit.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias, cast

from vaultmem.index.rows import BlockRows, FileRows, name_hash, note_rows
from vaultmem.index.terms import fold
from vaultmem.notes.dated import as_day
from vaultmem.notes.letters import LETTER
from vaultmem.notes.paths import name_key, path_key
from vaultmem.notes.resolve import Lookup, resolve

if TYPE_CHECKING:
    import apsw

    from vaultmem.notes.model import PropertyValue

_WORD: Final = re.compile(f"{LETTER}+")

Value: TypeAlias = int | str


class Clause(NamedTuple):
    """A piece of SQL with the values of its named parameters."""

    sql: str
    values: dict[str, Value]


class Binder:
    """Gives each value a parameter of its own."""

    def __init__(self) -> None:
        self.values: dict[str, Value] = {}

    def __call__(self, value: Value) -> str:
        name = f"filter{len(self.values)}"
        self.values[name] = value
        return f":{name}"


@dataclass(frozen=True, slots=True)
class NoteFacts:
    """A note as filters see it in memory: what the index would hold of it."""

    path: str
    rows: FileRows
    mtime_ns: int
    link_ends: tuple[str | None, ...]
    """The path that each of ``rows.links`` leads to; None for one to nothing."""

    @property
    def title(self) -> str:
        """As the index has it."""
        assert self.rows.note is not None
        return str(self.rows.note[0])

    def cell(self, column: int) -> object:
        """A cell of the note's own row."""
        assert self.rows.note is not None
        return self.rows.note[column]


def note_facts(path: str, text: str, mtime_ns: int, lookup: Lookup) -> NoteFacts:
    """A note as filters see it, from its text; ``lookup`` finds the files that its links may lead to."""
    rows = note_rows(path, text)
    ends = tuple(resolve(str(row[3]), path, lookup).path for row in rows.links)
    return NoteFacts(path, rows, mtime_ns, ends)


_TYPE, _PROPERTIES, _ALIASES, _DAY = 2, 5, 6, -1
"""Columns of a note's row."""


class Has(StrEnum):
    """What a note can be asked to have."""

    LINK = "link"
    EMBED = "embed"
    TASK = "task"
    TODO = "todo"
    """A task that is open."""
    TAG = "tag"
    ALIAS = "alias"
    PROPERTY = "property"
    BLOCK_ID = "block-id"
    HEADING = "heading"
    FIELD = "field"
    FACT = "fact"


_HAS_SQL: Final = {
    Has.LINK: "EXISTS (SELECT 1 FROM notes_links AS h WHERE h.source_id = n.id AND h.embed = 0)",
    Has.EMBED: "EXISTS (SELECT 1 FROM notes_links AS h WHERE h.source_id = n.id AND h.embed = 1)",
    Has.TASK: "EXISTS (SELECT 1 FROM notes_tasks AS h WHERE h.note_id = n.id)",
    Has.TODO: "EXISTS (SELECT 1 FROM notes_tasks AS h WHERE h.note_id = n.id AND h.status = ' ')",
    Has.TAG: "EXISTS (SELECT 1 FROM notes_tags AS h WHERE h.note_id = n.id)",
    Has.ALIAS: "n.aliases != '[]'",
    Has.PROPERTY: "n.properties != '{}'",
    Has.BLOCK_ID: "EXISTS (SELECT 1 FROM notes_block_ids AS h WHERE h.note_id = n.id)",
    Has.HEADING: "EXISTS (SELECT 1 FROM notes_blocks AS h WHERE h.note_id = n.id AND h.level > 0)",
    Has.FIELD: "EXISTS (SELECT 1 FROM notes_fields AS h WHERE h.note_id = n.id)",
    Has.FACT: "EXISTS (SELECT 1 FROM notes_facts AS h WHERE h.note_id = n.id)",
}

_HAS_JUDGES: Final[dict[Has, Callable[[NoteFacts], bool]]] = {
    Has.LINK: lambda note: any(not row[2] for row in note.rows.links),
    Has.EMBED: lambda note: any(row[2] for row in note.rows.links),
    Has.TASK: lambda note: bool(note.rows.tasks),
    Has.TODO: lambda note: any(row[1] == " " for row in note.rows.tasks),
    Has.TAG: lambda note: bool(note.rows.tags),
    Has.ALIAS: lambda note: note.cell(_ALIASES) != "[]",
    Has.PROPERTY: lambda note: note.cell(_PROPERTIES) != "{}",
    Has.BLOCK_ID: lambda note: bool(note.rows.block_ids),
    Has.HEADING: lambda note: any(block.row[1] for block in note.rows.blocks),
    Has.FIELD: lambda note: bool(note.rows.fields),
    Has.FACT: lambda note: bool(note.rows.facts),
}


@dataclass(frozen=True, slots=True)
class Holds:
    """``has:``: the note has at least one of those."""

    what: Has

    def sql(self, _bind: Binder) -> str:
        """The condition over n (notes_index), f (vault_files) and b (notes_blocks)."""
        return _HAS_SQL[self.what]

    def admits(self, note: NoteFacts, _block: BlockRows) -> bool:
        """Whether the block of the note is admitted."""
        return _HAS_JUDGES[self.what](note)


@dataclass(frozen=True, slots=True)
class Tagged:
    """``tag:``: the tag or one nested below it (T-05, T-06)."""

    key: str
    """As :func:`vaultmem.index.queries.tag_key` makes it."""

    def sql(self, bind: Binder) -> str:
        """See :class:`Holds`."""
        tag = bind(self.key)
        return (
            f"n.id IN (SELECT h.note_id FROM notes_tags AS h WHERE h.tag_key = {tag}"
            f" OR (h.tag_key > {tag} || '/' AND h.tag_key < {tag} || '0'))"
        )

    def admits(self, note: NoteFacts, _block: BlockRows) -> bool:
        """See :class:`Holds`."""
        keys = (str(row[2]) for row in note.rows.tags)
        return any(key == self.key or key.startswith(f"{self.key}/") for key in keys)


@dataclass(frozen=True, slots=True)
class Placed:
    """``path:``: the path has that in it, without regard to case or accents; ``*`` stands for anything."""

    pattern: str
    """Folded."""

    def sql(self, bind: Binder) -> str:
        """See :class:`Holds`."""
        escaped = re.sub(r"([\\%_])", r"\\\1", self.pattern).replace("*", "%")
        return rf"{_folded('f.path')} LIKE {bind(f'%{escaped}%')} ESCAPE '\'"

    def admits(self, note: NoteFacts, _block: BlockRows) -> bool:
        """See :class:`Holds`."""
        pattern = ".*".join(map(re.escape, self.pattern.split("*")))
        return re.search(pattern, fold(note.path), re.DOTALL) is not None


@dataclass(frozen=True, slots=True)
class OfType:
    """``type:``: the property ``type`` is that, without regard to case."""

    name: str
    """Folded."""

    def sql(self, bind: Binder) -> str:
        """See :class:`Holds`."""
        return f"{_folded('n.note_type')} = {bind(self.name)}"

    def admits(self, note: NoteFacts, _block: BlockRows) -> bool:
        """See :class:`Holds`."""
        return fold(str(note.cell(_TYPE))) == self.name


@dataclass(frozen=True, slots=True)
class Below:
    """``in:``: the block stands below a heading with that in it, without regard to case or accents."""

    heading: str
    """Folded."""

    def sql(self, bind: Binder) -> str:
        """See :class:`Holds`."""
        headings = _folded("replace(b.heading_path, char(31), n.title)")
        return f"instr({headings}, {bind(self.heading)}) > 0"

    def admits(self, note: NoteFacts, block: BlockRows) -> bool:
        """See :class:`Holds`."""
        return self.heading in fold(str(block.row[2]).replace("\x1f", note.title))


@dataclass(frozen=True, slots=True)
class Before:
    """``before:``: the note's date is earlier than the day. Its date is that of its properties or its name
    (:func:`vaultmem.notes.dated.note_day`), else the day on which the file was changed last, in local time."""

    day: date

    def sql(self, bind: Binder) -> str:
        """See :class:`Holds`."""
        day, moment = bind(as_day(self.day)), bind(midnight_ns(self.day))
        return f"iif(n.day IS NULL, f.mtime_ns < {moment}, n.day < {day})"

    def admits(self, note: NoteFacts, _block: BlockRows) -> bool:
        """See :class:`Holds`."""
        day = note.cell(_DAY)
        if isinstance(day, int):
            return day < as_day(self.day)
        return note.mtime_ns < midnight_ns(self.day)


@dataclass(frozen=True, slots=True)
class LinksTo:
    """``link:``: the note links to a file of that name, or to that name where there is no file; not to itself."""

    key: str
    """A comparison key: a file name, with or without ``.md``, or the end of a path."""

    def sql(self, bind: Binder) -> str:
        """See :class:`Holds`."""
        key = bind(self.key)
        name, file = (bind(name_hash(name_key(text))) for text in (self.key, f"{self.key}.md"))
        return f"""n.id IN (
            SELECT l.source_id FROM vault_files AS t JOIN notes_links AS l ON l.target_id = t.id
            WHERE t.name_hash IN ({name}, {file}) AND l.source_id != t.id AND filter_names(t.path, {key})
            UNION ALL SELECT l.source_id FROM notes_links AS l
            WHERE l.name_hash IN ({name}, {file}) AND l.target_id IS NULL AND filter_names(l.target, {key}))"""

    def admits(self, note: NoteFacts, _block: BlockRows) -> bool:
        """See :class:`Holds`."""
        ends = zip(note.rows.links, note.link_ends, strict=True)
        return any(
            _names(str(row[3]) if end is None else end, self.key)
            for row, end in ends
            if end != note.path
        )


@dataclass(frozen=True, slots=True)
class Says:
    """A word or words in a row: they stand so in one block of the note, or in its title, a heading or a tag, without
    regard to case, accents and what stands between words."""

    runs: tuple[tuple[str, ...], ...]
    """The tokens of each run of one script; all runs stand in the same block."""

    def sql(self, bind: Binder) -> str:
        """See :class:`Holds`."""
        match = " AND ".join('"' + " ".join(run).replace('"', '""') + '"' for run in self.runs)
        return (
            "n.id IN (SELECT h.note_id FROM notes_blocks AS h WHERE h.id IN"
            f" (SELECT rowid FROM notes_fts WHERE notes_fts MATCH {bind(match)}))"
        )

    def admits(self, note: NoteFacts, _block: BlockRows) -> bool:
        """See :class:`Holds`."""
        return any(
            all(any(_has_run(column, run) for column in other.words) for run in self.runs)
            for other in note.rows.blocks
        )


class Compared(StrEnum):
    """How a property is compared."""

    EXISTS = ""
    EQUAL = "="
    UNEQUAL = "!="
    LESS = "<"
    LESS_OR_EQUAL = "<="
    MORE = ">"
    MORE_OR_EQUAL = ">="


@dataclass(frozen=True, slots=True)
class Property:
    """``prop:``: the property is there, and its value, or one of a list, compares so: as numbers where both are,
    else as text without regard to case, so that dates written year first are in order."""

    key: str
    """As :func:`path_key` makes it."""
    how: Compared = Compared.EXISTS
    value: str = ""
    """Folded."""

    def sql(self, bind: Binder) -> str:
        """See :class:`Holds`."""
        condition = f"filter_property(n.properties, {bind(self.key)}, {bind(str(self.how))}, {bind(self.value)})"
        if not re.fullmatch(r"[a-z0-9_ -]+", self.key):
            return condition
        quoted = bind(f'"{self.key}"')  # spares the function most notes
        may = f"instr(lower(n.properties), {quoted}) OR n.properties GLOB '*[^ -~]*'"
        return f"iif({may}, {condition}, 0)"

    def admits(self, note: NoteFacts, _block: BlockRows) -> bool:
        """See :class:`Holds`."""
        return _has_property(str(note.cell(_PROPERTIES)), self.key, self.how, self.value)


@dataclass(frozen=True, slots=True)
class Not:
    """The opposite of a filter."""

    of: Filter

    def sql(self, bind: Binder) -> str:
        """See :class:`Holds`."""
        return f"NOT ({self.of.sql(bind)})"

    def admits(self, note: NoteFacts, block: BlockRows) -> bool:
        """See :class:`Holds`."""
        return not self.of.admits(note, block)


Filter: TypeAlias = (
    Holds | Tagged | Placed | OfType | Below | Before | LinksTo | Says | Property | Not
)


@dataclass(frozen=True, slots=True)
class Filters:
    """All of them together; empty, they admit everything."""

    all_of: tuple[Filter, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.all_of)

    def blocks(self) -> Clause:
        """A query for the ids of the blocks that are admitted. Call :func:`teach` for its connection first."""
        bind = Binder()
        notes, blocks = self._conditions(bind)
        # Notes are judged before their blocks are looked at: most conditions are theirs.
        return Clause(
            f"""WITH n AS MATERIALIZED (
                SELECT n.id, n.title FROM notes_index AS n JOIN vault_files AS f ON f.id = n.id WHERE {notes})
            SELECT b.id FROM n JOIN notes_blocks AS b ON b.note_id = n.id WHERE {blocks}""",
            bind.values,
        )

    def notes(self) -> Clause:
        """A query for the ids of the notes that are admitted, for filters that do not ``speak_of_blocks``; the same is
        said of it."""
        bind = Binder()
        notes, _ = self._conditions(bind)
        return Clause(
            f"SELECT n.id FROM notes_index AS n JOIN vault_files AS f ON f.id = n.id WHERE {notes}",
            bind.values,
        )

    @property
    def speak_of_blocks(self) -> bool:
        """Whether one of them admits only some blocks of a note."""
        return any(_speaks_of_blocks(each) for each in self.all_of)

    def first_blocks(self, most: str) -> Clause:
        """A query for the first admitted block of each note, by the note's date, newest first, then by path; ``most``
        is the SQL for how many."""
        bind = Binder()
        notes, blocks = self._conditions(bind)
        return Clause(
            f"""SELECT first FROM (
                SELECT f.path, coalesce(n.day * {_NS_PER_DAY}, f.mtime_ns) AS moment,
                    (SELECT b.id FROM notes_blocks AS b WHERE b.note_id = n.id AND {blocks} ORDER BY b.ordinal LIMIT 1)
                    AS first
                FROM notes_index AS n JOIN vault_files AS f ON f.id = n.id WHERE {notes})
            WHERE first IS NOT NULL ORDER BY moment DESC, path LIMIT {most}""",
            bind.values,
        )

    def _conditions(self, bind: Binder) -> tuple[str, str]:
        """What notes must fulfil, and what their blocks must besides."""
        notes = [f"({each.sql(bind)})" for each in self.all_of if not _speaks_of_blocks(each)]
        blocks = [f"({each.sql(bind)})" for each in self.all_of if _speaks_of_blocks(each)]
        return " AND ".join(["f.excluded = 0", *notes]), " AND ".join(["true", *blocks])

    def admitted(self, note: NoteFacts) -> tuple[int, ...]:
        """The ordinals of the note's blocks that are admitted; () for a note that is not."""
        return tuple(
            ordinal
            for ordinal, block in enumerate(note.rows.blocks)
            if all(each.admits(note, block) for each in self.all_of)
        )


_NS_PER_DAY: Final = 86_400_000_000_000


def _speaks_of_blocks(each: Filter) -> bool:
    return isinstance(each.of if isinstance(each, Not) else each, Below)


NO_FILTERS: Final = Filters()


def teach(connection: apsw.Connection) -> None:
    """Gives the connection the functions that the filters' SQL calls."""
    for name, function, arguments in (
        ("filter_fold", fold, 1),
        ("filter_names", _names, 2),
        ("filter_property", _has_property, 4),
    ):
        connection.create_scalar_function(
            name, cast("Callable[..., Any]", function), arguments, deterministic=True
        )


def _folded(text: str) -> str:
    """SQL for a text folded: SQLite's lower() knows ASCII alone."""
    return f"iif({text} GLOB '*[^\x01-~]*', filter_fold({text}), lower({text}))"


def _names(path: str, key: str) -> bool:
    """Whether the path, or a written target, is that name or ends with it."""
    found = path_key(path)
    ends = (key, f"{key}.md")
    return found in ends or found.endswith(tuple(f"/{end}" for end in ends))


def _has_run(column: object, run: Sequence[str]) -> bool:
    words = _WORD.findall(str(column))
    size = len(run)
    return any(
        words[at] == run[0] and tuple(words[at : at + size]) == run for at in range(len(words))
    )


_LARGEST_NS: Final = 2**63 - 1


def midnight_ns(day: date) -> int:
    """The beginning of the day in local time, nanoseconds since the epoch, as far as the index can hold them."""
    try:
        seconds = datetime(day.year, day.month, day.day).timestamp()
    except (OverflowError, ValueError, OSError):  # a platform's local time reaches less far
        seconds = as_day(day) * 86400
    return max(-_LARGEST_NS, min(_LARGEST_NS, int(seconds) * 1_000_000_000))


@lru_cache(maxsize=64)
def _number(text: str) -> float | None:
    return float(text) if re.fullmatch(r"[-+]?(?:\d{1,300}(?:\.\d*)?|\.\d+)", text) else None


def _has_property(properties: str, key: str, how: str, value: str) -> bool:
    values: dict[str, PropertyValue] = json.loads(properties)
    return any(
        _compares(item, Compared(how), value)
        for name, held in values.items()
        if path_key(name) == key
        for item in [held]
    )


def _compares(held: PropertyValue, how: Compared, value: str) -> bool:
    if how == Compared.EXISTS:
        return True
    items: Iterable[PropertyValue] = held if isinstance(held, list) else [held]
    if how == Compared.UNEQUAL:
        return not any(_is_equal(_text(item), value) for item in items)
    if how == Compared.EQUAL:
        return any(_is_equal(_text(item), value) for item in items)
    return any(_is_in_order(_text(item), how, value) for item in items)


def _is_equal(held: str, value: str) -> bool:
    one, other = _number(held), _number(value)
    return held == value or (one is not None and one == other)


def _is_in_order(held: str, how: Compared, value: str) -> bool:
    one, other = _number(held), _number(value)
    if (one is None) != (other is None) or not held:
        return False
    pair: tuple[float, float] | tuple[str, str]
    pair = (held, value) if one is None or other is None else (one, other)
    below, same = pair[0] < pair[1], pair[0] == pair[1]  # type: ignore[operator]
    return {
        Compared.LESS: below,
        Compared.LESS_OR_EQUAL: below or same,
        Compared.MORE: not (below or same),
        Compared.MORE_OR_EQUAL: not below,
    }[how]


def _text(item: PropertyValue) -> str:
    """A property's value as a person types it, folded; "" for none and for what has parts."""
    if isinstance(item, bool):
        return "true" if item else "false"
    if item is None or isinstance(item, list | dict):
        return ""
    return fold(str(item)).strip()
