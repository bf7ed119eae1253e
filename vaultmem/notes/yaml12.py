"""YAML 1.2 core values from a property block, on top of PyYAML's event stream.

PyYAML resolves by YAML 1.1 (``yes`` is true, ``12:30`` is a number, dates are objects), so only its
events are used; values are built here by the 1.2 core rules (P-09, P-10, P-11). Events are read one by
one and never recursively: neither a megabyte of ``[`` nor aliases of aliases can do harm.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from vaultmem.notes.model import PropertyValue

if TYPE_CHECKING:
    from yaml.events import AliasEvent, Event, NodeEvent, ScalarEvent

KeyPath: TypeAlias = tuple[str | int, ...]
"""From the top key down: text for a key, a number for a place in a list."""

MAX_VALUES: Final = 100_000
"""A block that expands to more values than this is refused."""
MAX_DEPTH: Final = 100
_MAX_NUMBER_LENGTH: Final = 100
"""A longer row of digits is an identifier, not a number; it stays text."""


class YamlFault(Exception):  # noqa: N818 - the model's word for what is wrong in a note
    """The block is not a mapping in YAML 1.2 core: what is wrong, and on which of its lines."""

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.line = line


class TextValue(NamedTuple):
    """A text value that may be a link or a tag, and where it stands in the block."""

    path: KeyPath
    value: str
    start: int
    """Of the value as typed, its quote included."""
    end: int
    quoted: bool


@dataclass(frozen=True, slots=True)
class LoadedYaml:
    """What a block says. ``texts`` are the values for which :func:`matters` holds, in order."""

    values: dict[str, PropertyValue]
    texts: tuple[TextValue, ...]


def matters(path: KeyPath, value: str, quoted: bool) -> bool:
    """Whether the place of a text value is of use: it may be a property link or a tag."""
    if quoted and value.startswith("[["):
        return True
    return len(path) <= 2 and isinstance(path[0], str) and path[0].lower() == "tags"


def load_mapping(block: str) -> LoadedYaml:
    """The properties of a block; no properties for a block that is blank or only comments.

    A repeated key at any level, a key that is a collection, a block that is no mapping, a second
    document, an alias to an unknown or unfinished anchor, and a block past the budgets of values and
    depth are faults (P-14 to P-17). ``<<`` is a key like any other. Not-a-number and infinity stay text.

    Raises YamlFault.
    """
    return _Builder(block).build()


_NULL: Final = frozenset(("", "~", "null", "Null", "NULL"))
_BOOL: Final = {
    "true": True,
    "True": True,
    "TRUE": True,
    "false": False,
    "False": False,
    "FALSE": False,
}
_INT: Final = re.compile(r"[-+]?[0-9]+")
_BASED: Final = re.compile(r"0o([0-7]+)|0x([0-9a-fA-F]+)")
_FLOAT: Final = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_NUMBER_STARTS: Final = frozenset("0123456789+-.")


def resolve_plain(text: str) -> PropertyValue:
    """The value of an unquoted scalar by the YAML 1.2 core schema (chapter 10.3 of its specification)."""
    if text in _NULL:
        return None
    if text in _BOOL:
        return _BOOL[text]
    if text[0] not in _NUMBER_STARTS or len(text) > _MAX_NUMBER_LENGTH:
        return text
    if _INT.fullmatch(text):
        return int(text)
    if based := _BASED.fullmatch(text):
        return int(based[1], 8) if based[1] else int(based[2], 16)
    if _FLOAT.fullmatch(text):
        number = float(text)
        return number if math.isfinite(number) else text
    return text


# --- from events to values ---

_CORE_TAG: Final = "tag:yaml.org,2002:"
_FOREIGN_BREAKS: Final = "\x85\u2028\u2029"
"""Line breaks in YAML 1.1, ordinary characters in 1.2."""

Collection: TypeAlias = "list[PropertyValue] | dict[str, PropertyValue]"


@dataclass(slots=True)
class _Frame:
    """A collection that is still open."""

    collection: Collection
    anchor: str | None
    path: KeyPath
    values_before: int
    key: str | None = None
    """Of a mapping whose next value is due."""


@dataclass(slots=True)
class _Anchored:
    value: PropertyValue
    size: int
    open: bool = False


@dataclass(slots=True)
class _Builder:
    block: str
    stack: list[_Frame] = field(default_factory=list)
    anchors: dict[str, _Anchored] = field(default_factory=dict)
    texts: list[TextValue] = field(default_factory=list)
    root: list[PropertyValue] = field(default_factory=list)
    count: int = 0
    breaks: dict[str, str] = field(default_factory=dict)
    """Stand-in for each foreign line break, and what it stands for."""

    def build(self) -> LoadedYaml:
        for event in _events(self._without_foreign_breaks()):
            self._take(event)
        if not self.root:
            return LoadedYaml({}, ())
        top = self.root[0]
        if not isinstance(top, dict):
            raise YamlFault("The block is not a set of properties (key: value).", 0)
        return LoadedYaml(top, tuple(self.texts))

    def _without_foreign_breaks(self) -> str:
        text = self.block
        present = [mark for mark in _FOREIGN_BREAKS if mark in text]
        if present:
            unused = (c for c in map(chr, range(0xE000, 0xF8FF)) if c not in text)
            self.breaks = dict(zip(unused, present, strict=False))
            text = text.translate({ord(mark): stand for stand, mark in self.breaks.items()})
        return text

    def _take(self, event: Event) -> None:
        kind = type(event).__name__
        if kind == "ScalarEvent":
            self._scalar(event)  # type: ignore[arg-type]
        elif kind in ("MappingStartEvent", "SequenceStartEvent"):
            self._open(event, {} if kind.startswith("M") else [])  # type: ignore[arg-type]
        elif kind in ("MappingEndEvent", "SequenceEndEvent"):
            frame = self.stack.pop()
            if frame.anchor is not None:
                size = self.count - frame.values_before
                self.anchors[frame.anchor] = _Anchored(frame.collection, size)
        elif kind == "AliasEvent":
            self._alias(event)  # type: ignore[arg-type]
        elif kind == "DocumentStartEvent" and self.root:
            raise YamlFault("The block holds a second document.", _line(event))

    def _scalar(self, event: ScalarEvent) -> None:
        text = event.value
        if self.breaks:
            for stand, mark in self.breaks.items():
                text = text.replace(stand, mark)
        if self._key_is_due():
            self._set_key(text, event)
            return
        quoted = event.style in ("'", '"')
        plain = not event.style
        value = _tagged(text, event.tag, plain) if event.tag else None
        if not event.tag:
            value = resolve_plain(text) if plain else text
        path = self._path()
        if isinstance(value, str) and path and matters(path, value, quoted):
            self.texts.append(TextValue(path, value, *_span(event), quoted))
        if event.anchor is not None:
            self.anchors[event.anchor] = _Anchored(value, 1)
        self._put(value, 1, event)

    def _open(self, event: NodeEvent, collection: Collection) -> None:
        if self._key_is_due():
            raise YamlFault("A key must be a plain word, not a list or map.", _line(event))
        if len(self.stack) >= MAX_DEPTH:
            raise YamlFault(f"Nested deeper than {MAX_DEPTH} levels.", _line(event))
        path = self._path()
        before = self.count
        self._put(collection, 1, event)
        if event.anchor is not None:
            self.anchors[event.anchor] = _Anchored(collection, 0, open=True)
        self.stack.append(_Frame(collection, event.anchor, path, before))

    def _alias(self, event: AliasEvent) -> None:
        anchored = self.anchors.get(event.anchor or "")
        if anchored is None or anchored.open:
            raise YamlFault(f"The alias *{event.anchor} leads nowhere.", _line(event))
        if not self._key_is_due():
            self._put(anchored.value, anchored.size, event)
        elif isinstance(anchored.value, str):
            self._set_key(anchored.value, event)
        else:
            raise YamlFault("A key must be a plain word.", _line(event))

    def _key_is_due(self) -> bool:
        if not self.stack:
            return False
        frame = self.stack[-1]
        return isinstance(frame.collection, dict) and frame.key is None

    def _set_key(self, key: str, event: NodeEvent) -> None:
        frame = self.stack[-1]
        if key in frame.collection:
            raise YamlFault(f"The key {key!r} stands twice.", _line(event))
        frame.key = key
        self._spend(1, event)

    def _path(self) -> KeyPath:
        if not self.stack:
            return ()
        frame = self.stack[-1]
        if isinstance(frame.collection, dict):
            return (*frame.path, frame.key or "")
        return (*frame.path, len(frame.collection))

    def _put(self, value: PropertyValue, size: int, event: NodeEvent) -> None:
        self._spend(size, event)
        if not self.stack:
            self.root.append(value)
            return
        frame = self.stack[-1]
        if isinstance(frame.collection, list):
            frame.collection.append(value)
        elif frame.key is not None:
            frame.collection[frame.key] = value
            frame.key = None

    def _spend(self, size: int, event: NodeEvent) -> None:
        self.count += size
        if self.count > MAX_VALUES:
            raise YamlFault(f"More than {MAX_VALUES:,} values.", _line(event))


_TAGGED_TYPES: Final = {"int": int, "float": float, "bool": bool, "null": type(None)}


def _tagged(text: str, tag: str, plain: bool) -> PropertyValue:
    """The value of a scalar with an explicit tag; a tag that is unknown or does not fit leaves text."""
    kind = tag.removeprefix(_CORE_TAG)
    if kind == tag or kind == "str" or not (plain or kind in ("int", "float", "bool", "null")):
        return text
    value = resolve_plain(text)
    if kind == "float" and type(value) is int:
        return float(value)
    return value if type(value) is _TAGGED_TYPES.get(kind) else text


def _line(event: Event) -> int | None:
    return event.start_mark.line if event.start_mark else None


def _span(event: Event) -> tuple[int, int]:
    start, end = event.start_mark, event.end_mark
    return (start.index, end.index) if start and end else (0, 0)


def _events(block: str) -> Iterator[Event]:
    import yaml

    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        yield from yaml.parse(block, Loader=loader)
    except yaml.MarkedYAMLError as fault:
        mark = fault.problem_mark or fault.context_mark
        said = fault.problem or fault.context or "it cannot be read"
        raise YamlFault(f"Not valid YAML: {said}.", mark.line if mark else None) from fault
    except yaml.YAMLError as fault:
        raise YamlFault("Not valid YAML: a character that YAML does not allow.") from fault
    except UnicodeEncodeError as fault:
        raise YamlFault("Not valid YAML: a lone surrogate.") from fault
    except RecursionError as fault:  # only the loader that is not built in C
        raise YamlFault("Nested too deeply.") from fault
