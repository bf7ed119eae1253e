"""Obsidian's own settings, read from the texts of its JSON files and never guessed (G-07).

Whatever is missing has Obsidian's default; whatever is broken has it too, and is listed in ``warnings``.
"""

from __future__ import annotations

import json
import re
import warnings as python_warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from vaultmem.notes.paths import path_key

SETTINGS_FILES: Final = ("app.json", "types.json", "daily-notes.json", "templates.json")
"""The files of the configuration folder that are read."""


class LinkFormat(StrEnum):
    """How a new link names its file (L-41)."""

    SHORTEST = "shortest"
    RELATIVE = "relative"
    ABSOLUTE = "absolute"


@dataclass(frozen=True, slots=True)
class ObsidianSettings:
    """What the person set in Obsidian, as far as it matters to another program."""

    new_link_format: LinkFormat = LinkFormat.SHORTEST
    use_markdown_links: bool = False
    always_update_links: bool = True
    """Whether a rename may change links without being asked (M-23)."""
    ignore_filters: tuple[str, ...] = ()
    """As typed: a path prefix, or a regular expression between slashes (F-03)."""
    attachment_folder: str = "/"
    """As typed: ``/`` is the vault's root, ``./`` the folder of the note, ``./x`` a folder below that."""
    templates_folder: str | None = None
    """Vault path without slashes around it; None when templates are not set up."""
    daily_folder: str = ""
    """Vault path without slashes around it; ``""`` is the vault's root."""
    daily_format: str = "YYYY-MM-DD"
    """Moment.js pattern of a daily note's path below ``daily_folder``; may hold ``/`` (F-08)."""
    daily_template: str | None = None
    property_types: Mapping[str, str] = field(default_factory=dict)
    """Property name → type name, for the whole vault (P-20)."""
    warnings: tuple[str, ...] = ()
    """One sentence per setting that could not be read, with the file's name."""
    ignored_prefixes: tuple[str, ...] = field(default=(), repr=False)
    """Keys of the plain filters."""
    ignored_patterns: tuple[re.Pattern[str], ...] = field(default=(), repr=False)
    """The other filters, compiled."""

    def is_excluded(self, path: str) -> bool:
        """Whether a filter keeps the file out of search, graph and mentions; it still resolves (F-03)."""
        if self.ignored_prefixes and path_key(path).startswith(self.ignored_prefixes):
            return True
        return any(pattern.search(path) for pattern in self.ignored_patterns)

    def in_templates(self, path: str) -> bool:
        """Whether the file lies in the templates folder, where placeholders are data (F-07)."""
        folder = self.templates_folder
        return folder is not None and path_key(path).startswith(path_key(folder) + "/")


def read_settings(texts: Mapping[str, str]) -> ObsidianSettings:
    """The settings that the texts of ``SETTINGS_FILES``, by file name, hold; an absent file is no fault."""
    reader = _Reader(texts)
    app = reader.file("app.json")
    daily = reader.file("daily-notes.json")
    templates = reader.file("templates.json")
    filters = reader.strings(app, "userIgnoreFilters")
    prefixes, patterns = _compile_filters(filters, reader.warnings)
    return ObsidianSettings(
        new_link_format=reader.link_format(app),
        use_markdown_links=reader.flag(app, "useMarkdownLinks", default=False),
        always_update_links=reader.flag(app, "alwaysUpdateLinks", default=True),
        ignore_filters=filters,
        attachment_folder=reader.text(app, "attachmentFolderPath") or "/",
        templates_folder=_folder(reader.text(templates, "folder")) or None,
        daily_folder=_folder(reader.text(daily, "folder")),
        daily_format=reader.text(daily, "format").strip() or "YYYY-MM-DD",
        daily_template=_folder(reader.text(daily, "template")) or None,
        property_types=reader.property_types(),
        warnings=tuple(reader.warnings),
        ignored_prefixes=prefixes,
        ignored_patterns=patterns,
    )


@dataclass(frozen=True, slots=True)
class _File:
    name: str
    values: Mapping[str, object]


class _Reader:
    """Takes values of the right type out of the files, and notes every one that is not."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts
        self.warnings: list[str] = []

    def file(self, name: str) -> _File:
        text = self._texts.get(name, "").removeprefix("\ufeff")
        if not text.strip():
            return _File(name, {})
        try:
            values = json.loads(text)
        except (ValueError, RecursionError) as fault:
            self.warnings.append(f"{name} is not valid JSON ({fault}); defaults are used.")
            return _File(name, {})
        if not isinstance(values, dict):
            self.warnings.append(f"{name} holds no JSON object; defaults are used.")
            return _File(name, {})
        return _File(name, values)

    def text(self, file: _File, key: str) -> str:
        value = file.values.get(key)
        if value is None or isinstance(value, str):
            return value or ""
        self._wrong(file, key, "text")
        return ""

    def flag(self, file: _File, key: str, *, default: bool) -> bool:
        value = file.values.get(key)
        if value is None or isinstance(value, bool):
            return default if value is None else value
        self._wrong(file, key, "true or false")
        return default

    def strings(self, file: _File, key: str) -> tuple[str, ...]:
        value = file.values.get(key)
        if value is None:
            return ()
        if not isinstance(value, list):
            self._wrong(file, key, "a list")
            return ()
        if not all(isinstance(item, str) for item in value):
            self._wrong(file, key, "a list of texts")
        return tuple(item for item in value if isinstance(item, str) and item)

    def link_format(self, app: _File) -> LinkFormat:
        value = self.text(app, "newLinkFormat") or LinkFormat.SHORTEST
        try:
            return LinkFormat(value)
        except ValueError:
            self._wrong(app, "newLinkFormat", "shortest, relative or absolute")
            return LinkFormat.SHORTEST

    def property_types(self) -> dict[str, str]:
        types = self.file("types.json")
        value = types.values.get("types")
        if value is None:
            return {}
        if not isinstance(value, dict):
            self._wrong(types, "types", "an object")
            return {}
        return {name: kind for name, kind in value.items() if isinstance(kind, str)}

    def _wrong(self, file: _File, key: str, wanted: str) -> None:
        self.warnings.append(f"{file.name}: {key} is not {wanted}; the default is used.")


def _folder(typed: str) -> str:
    return typed.strip().strip("/")


def _compile_filters(
    filters: tuple[str, ...], warnings: list[str]
) -> tuple[tuple[str, ...], tuple[re.Pattern[str], ...]]:
    prefixes: list[str] = []
    patterns: list[re.Pattern[str]] = []
    for typed in filters:
        if len(typed) > 2 and typed[0] == typed[-1] == "/":
            try:
                patterns.append(_compile(typed[1:-1]))
            except (re.error, RecursionError, OverflowError) as fault:
                warnings.append(
                    f"app.json: the excluded-files pattern {typed} is ignored ({fault})."
                )
        elif prefix := typed.lstrip("/"):
            prefixes.append(path_key(prefix))
    return tuple(prefixes), tuple(patterns)


def _compile(pattern: str) -> re.Pattern[str]:
    """A JavaScript pattern as Python's; the two differ in how a group is named."""
    with python_warnings.catch_warnings():
        # "[[" and "--" in a set are fine in JavaScript and only frowned upon here.
        python_warnings.simplefilter("ignore")
        return re.compile(re.sub(r"\(\?<(?![=!])", "(?P<", pattern))
