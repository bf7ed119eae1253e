"""What is wrong with a vault, its index or the place where they lie; what could be better; and what to do."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from vaultmem.answers import DoctorReport, Finding
from vaultmem.errors import EmbedderError, SettingsError, VaultmemError
from vaultmem.files.intents import IntentStore
from vaultmem.files.journal import JournalUnreadableError, journal_files
from vaultmem.files.objects import ObjectStore
from vaultmem.files.places import cloud_service, is_network_folder, is_writable
from vaultmem.files.read import UnreadableFile
from vaultmem.files.recover import unfinished_elsewhere
from vaultmem.files.support import SwapSupport, swap_support
from vaultmem.index import queries
from vaultmem.index.connection import SET_ASIDE, fetch, has_checksums
from vaultmem.index.meta import read_stamp
from vaultmem.index.soundness import faults
from vaultmem.index.source import Source
from vaultmem.index.store import IndexStore
from vaultmem.index.vectors import vector_sets
from vaultmem.notes.paths import clashes
from vaultmem.settings import Settings

if TYPE_CHECKING:
    from vaultmem.embed.protocol import Embedder

LEVELS = ("error", "warning", "advice", "ok")
SHOWN = 20
"""Paths that a finding names."""

_TO_CACHE = (
    'Set index.location = "cache" in .vaultmem/config.toml (or VAULTMEM_INDEX_LOCATION=cache).'
)


def examine(
    root: Path,
    store: IndexStore,
    settings: Settings,
    embedder: Callable[[], Embedder | None],
    settings_fault: SettingsError | None = None,
) -> DoctorReport:
    """All findings, gravest first. Mends nothing, except that a missing or unusable index is built.
    ``settings_fault`` says why ``settings`` are not those that the vault asks for."""
    findings = [
        *_settings(settings_fault),
        *_place(root, store, settings),
        *_index(store),
        *_set_aside(store),
        *_writing(root),
        *state_findings(root),
        *_content(store),
        *_vectors(store, embedder),
    ]
    # An index that cannot be used is in the way of several checks, and said once.
    findings = list({(finding.level, finding.message): finding for finding in findings}.values())
    findings.sort(key=lambda finding: LEVELS.index(finding.level))
    return DoctorReport(str(root), str(store.path), tuple(findings))


def counted(number: int, noun: str) -> str:
    """A number with its noun in the right form."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _place(root: Path, store: IndexStore, settings: Settings) -> Iterator[Finding]:
    inside = settings.index.location == "vault"
    if not is_writable(root):
        if inside and root not in store.path.parents:
            yield Finding(
                "advice",
                "read-only-vault",
                f"The vault {root} cannot be written, so its index lies in {store.folder}.",
                "",
            )
        elif inside:
            yield Finding(
                "warning", "read-only-vault", f"The vault {root} cannot be written.", _TO_CACHE
            )
    elif inside:
        service = cloud_service(root)
        network = is_network_folder(root)
        if service or network:
            what = f"is synced by {service}" if service else f"lies on a network folder ({network})"
            yield Finding(
                "warning",
                "unsafe-index-place",
                f"The vault {what}. SQLite's write-ahead log is not safe there, and syncing would copy the index.",
                _TO_CACHE,
            )
        else:
            yield Finding(
                "ok", "place", "The vault lies in a local folder that can be written.", ""
            )


def _writing(root: Path) -> Iterator[Finding]:
    """How safely notes can be replaced there, and changes that another machine has not finished."""
    support = swap_support(root)
    if support is SwapSupport.GUARD:
        yield Finding(
            "advice",
            "no-exchange",
            "The vault's file system cannot exchange two files in one step. A hand edit is still never lost, but while "
            "vaultmem writes a note, another program may for an instant find no file.",
            "",
        )
    elif support is SwapSupport.NONE:
        yield Finding(
            "warning",
            "no-safe-swap",
            "The vault's file system can neither exchange two files nor refuse to rename over one: a save made in the "
            "very instant in which vaultmem writes the same note could be lost.",
            "Keep the vault on a disk of this machine, and let only one program write a note at a time.",
        )
    elif support is SwapSupport.EXCHANGE:
        yield Finding("ok", "swap", "Notes can be replaced without losing a rival's save.", "")
    for event in unfinished_elsewhere(root):
        yield Finding(
            "warning",
            "unfinished-elsewhere",
            f"Another device began a change that it has not finished: {event.cause} ({event.id}).",
            "Run `vaultmem sync` there once its files are synced.",
        )


def state_findings(root: Path) -> Iterator[Finding]:
    """Whether what vaultmem keeps of changes, past and under way, can be read."""
    intents = tuple(IntentStore(root).faulty())
    if intents:
        yield Finding(
            "warning",
            "damaged-intents",
            f"{counted(len(intents), 'record')} of a change under way that cannot be read: if the change was cut short, "
            "it stays as it is.",
            "Compare the notes with `vaultmem diff` and `vaultmem prove`, then delete the records.",
            intents[:SHOWN],
        )
    try:
        for path in (path for files in journal_files(root).values() for path in files):
            path.open("rb").close()
    except JournalUnreadableError as error:
        yield Finding("error", "journal-unreadable", error.message, error.hint, (error.path,))
    except OSError as error:
        found = JournalUnreadableError(root, path, error)
        yield Finding("error", "journal-unreadable", found.message, found.hint, (found.path,))
    try:
        versions = ObjectStore(root).unreadable()
    except UnreadableFile as error:
        yield Finding("error", "versions-unreadable", error.message, error.hint)
        return
    if versions:
        yield Finding(
            "error",
            "versions-unreadable",
            f"{counted(len(versions), 'stored version')} that cannot be read.",
            "Make .vaultmem/objects and all in it readable for you.",
            tuple(versions[:SHOWN]),
        )


def _settings(fault: SettingsError | None) -> Iterator[Finding]:
    if fault is not None:
        hint = f"{fault.hint} All else was looked at without these settings.".strip()
        yield Finding("error", "settings", fault.message, hint)


def _set_aside(store: IndexStore) -> Iterator[Finding]:
    kept = sorted(map(str, store.folder.glob(f"*{SET_ASIDE}*")))
    if kept:
        yield Finding(
            "advice",
            "set-aside",
            f"{counted(len(kept), 'file')} of an index that proved damaged and was built anew. Nothing reads them.",
            "Delete them, unless you want to find out what happened to the index.",
            tuple(kept[:SHOWN]),
        )


def _index(store: IndexStore) -> Iterator[Finding]:
    try:
        built = store.ensure()
        fresh = store.bring_up()
        found, mended = store.answer(faults)
    except VaultmemError as error:
        yield Finding("error", "index-unusable", error.message, error.hint)
        return
    rebuilt = mended or built or ("" if fresh.pending else fresh.note)
    if rebuilt:
        yield Finding("warning", "index-rebuilt", rebuilt, "")
    if fresh.pending:
        yield Finding(
            "warning",
            "index-behind",
            f"{counted(fresh.pending, 'edit')} not in the index yet.",
            fresh.note,
        )
    if found:
        yield Finding(
            "error",
            "index-damaged",
            f"The index is damaged: {'; '.join(found[:3])}.",
            "Run `vaultmem rebuild`; no note is touched.",
        )
    else:
        state = "sound, but behind" if fresh.pending else "sound and up to date"
        yield Finding("ok", "index", f"The index is {state}.", "")
    if not has_checksums():
        yield Finding(
            "advice",
            "no-checksums",
            "This installation of APSW has no page checksums, so a flipped bit in the index may go unseen.",
            "Install APSW from PyPI: pip install --upgrade apsw",
        )


def _content(store: IndexStore) -> Iterator[Finding]:
    try:
        source = store.source()
        (files, warnings, textless, broken), _ = store.answer(
            lambda connection: (
                fetch(connection, queries.ALL_FILES),
                fetch(connection, queries.ALL_WARNINGS),
                fetch(connection, queries.TEXTLESS),
                fetch(connection, queries.BROKEN_LINKS),
            )
        )
    except VaultmemError as error:
        yield Finding("error", "vault-unreadable", error.message, error.hint)
        return
    yield from _from_scan(source)
    for code, state, message, hint in (
        (
            "unreadable-files",
            "unreadable",
            "that cannot be read; what was known of them is kept",
            "Check their permissions.",
        ),
        (
            "offloaded-files",
            "offloaded",
            "in the cloud and not on this machine, found by name only",
            "Open them once in their cloud folder to fetch them.",
        ),
    ):
        paths = tuple(path for path, _, found, *_ in files if found == state)
        if paths:
            level = "warning" if state == "unreadable" else "advice"
            yield Finding(
                level, code, f"{counted(len(paths), 'file')} {message}.", hint, paths[:SHOWN]
            )
    copies = tuple(path for path, *_, original in files if original is not None)
    if copies:
        yield Finding(
            "advice",
            "conflict-copies",
            f"{counted(len(copies), 'note')} made by a sync as a copy of an edit conflict.",
            "Compare each with its original and delete the one you do not want.",
            copies[:SHOWN],
        )
    same = clashes(path for path, *_ in files)
    if same:
        yield Finding(
            "warning",
            "name-clashes",
            f"{counted(len(same), 'group')} of files whose names differ only in case or Unicode form.",
            "Rename all but one: on other disks they would overwrite each other.",
            tuple(path for group in same for path in group)[:SHOWN],
        )
    yield from _broken_links(broken)
    yield from _warnings(warnings)
    yield from _textless(textless)


def _broken_links(broken: Sequence[tuple[str, int, str]]) -> Iterator[Finding]:
    if broken:
        yield Finding(
            "advice",
            "broken-links",
            f"{counted(len(broken), 'link')} to files that are not there.",
            "A link may well name a note that is still to be written.",
            tuple(f"{path}:{line + 1}  {target}" for path, line, target in broken[:SHOWN]),
        )


def _from_scan(source: Source) -> Iterator[Finding]:
    for warning in source.scan.warnings:
        yield Finding("warning", str(warning.code), warning.message, "", (warning.path,))
    for message in source.settings.warnings:
        yield Finding(
            "warning", "obsidian-settings", message, "Obsidian's default is used instead."
        )


_FAULTS = {
    "invalid-frontmatter": "properties that are no valid YAML",
    "near-miss-frontmatter": "a block that is nearly, but not quite, a property block",
    "tags-not-list": "tags that are no list",
    "aliases-not-list": "aliases that are no list",
    "commented-value": "tags or aliases that YAML takes for a comment, so that they count for nothing",
    "impossible-day": "a property that is no day of the calendar",
    "old-property": "a property that Obsidian no longer reads: tag, alias or cssclass",
    "invalid-canvas": "a canvas that is no valid JSON Canvas",
    "not-embedded": "text that the embedding model rejects, found by its words alone",
    "huge-note": "more text than is read with full care",
}
_HINTS = {
    "invalid-frontmatter": "Their text is searched all the same. Open them in Obsidian, which marks the fault.",
    "near-miss-frontmatter": "Obsidian does not read these blocks as properties; the first line must be exactly ---.",
    "tags-not-list": "Write tags as a list: tags: [one, two]",
    "aliases-not-list": "Write aliases as a list: aliases: [One, Two]",
    "commented-value": "Write tags without #: tags: [one, two]. An alias that begins with # needs quotes.",
    "impossible-day": "Write the day as it was meant: 2026-03-14.",
    "old-property": "Call it tags, aliases or cssclasses.",
}


def _warnings(warnings: Sequence[tuple[str, str, str, int | None]]) -> Iterator[Finding]:
    by_code: dict[str, list[str]] = {}
    for path, code, _, line in warnings:
        by_code.setdefault(code, []).append(path if line is None else f"{path}:{line + 1}")
    for code, found in by_code.items():
        places = list(dict.fromkeys(found))  # a note may have a fault several times
        yield Finding(
            "advice",
            code,
            f"{counted(len(places), 'file')} with {_FAULTS.get(code, code)}.",
            _HINTS.get(code, ""),
            tuple(places[:SHOWN]),
        )


def _textless(notes: Sequence[tuple[str, str]]) -> Iterator[Finding]:
    for state, level, message, hint in (
        (
            "zero-filled",
            "warning",
            "holding nothing but zero bytes, as a crashed save leaves behind; found by name only and never written",
            "Restore them from a backup or from the history of your sync service.",
        ),
        (
            "not-utf8",
            "advice",
            "not in UTF-8, found by name only and never written",
            "Save them as UTF-8 if they are text.",
        ),
    ):
        paths = tuple(path for path, found in notes if found == state)
        if paths:
            yield Finding(
                level, state, f"{counted(len(paths), 'note')} {message}.", hint, paths[:SHOWN]
            )


def _vectors(store: IndexStore, load: Callable[[], Embedder | None]) -> Iterator[Finding]:
    try:
        embedder = load()
    except EmbedderError as error:
        yield Finding("error", "no-embedder", error.message, error.hint)
        return
    if embedder is None:
        yield Finding(
            "ok", "vectors-off", 'Search by meaning is switched off (embed.model = "none").', ""
        )
        return
    try:
        (sets, stamp), _ = store.answer(lambda c: (vector_sets(c), read_stamp(c)))
    except VaultmemError:
        return  # the index's own finding has said so
    if stamp.has_vectors_of(embedder):
        yield Finding("ok", "vectors", f"Search by meaning uses {embedder.model}.", "")
    elif sets:
        have = ", ".join(f"{s.model} ({s.dim} dimensions)" for s in sets)
        yield Finding(
            "warning",
            "vector-mismatch",
            f"The index holds vectors of {have}, settings ask for {embedder.model} ({embedder.dim}).",
            "Run `vaultmem sync`, which embeds the notes anew.",
        )
    else:
        yield Finding(
            "advice",
            "no-vectors",
            "The index was built without vectors.",
            "Run `vaultmem rebuild`.",
        )
