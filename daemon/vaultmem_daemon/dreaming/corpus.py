"""What a cycle looks at, read from the index: notes, links, faults, and who was near to whom."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import apsw

from vaultmem.dream.candidates import Neighbour
from vaultmem.dream.context import DreamNote, NoteFault, NoteLink
from vaultmem.dream.digest_note import NOTE_TYPE as DIGEST_TYPE
from vaultmem.dream.folders import ARCHIVE_FOLDER
from vaultmem.dream.proposal import NoteText
from vaultmem.dream.review_note import NOTE_TYPE as REVIEW_TYPE
from vaultmem.errors import FailedError, RefusedError
from vaultmem.files.obsidian_config import read_obsidian_config
from vaultmem.files.read import UnreadableFile, decode, read_note_bytes
from vaultmem.index.connection import fetch
from vaultmem.notes.model import PropertyValue
from vaultmem.notes.obsidian import ObsidianSettings
from vaultmem.vault import Vault
from vaultmem_daemon.dreaming.places import DreamPlaces

if TYPE_CHECKING:
    from pathlib import Path

MANAGED_BY: Final = "managed_by"
OURS: Final = "vaultmem"
TEMPLATE_FOLDERS: Final = frozenset(
    ("template", "templates", "vorlagen", "模板", "テンプレート", "템플릿")
)
LARGEST: Final = 256 * 1024
"""Characters of a body that stages look at."""

NOTES: Final = """
SELECT f.id, f.path, n.title, n.category, n.aliases, n.note_type, n.permanent, n.stale, n.severity, f.content_hash,
  f.mtime_ns, n.day, n.words, n.properties
FROM notes_index AS n JOIN vault_files AS f ON f.id = n.id
WHERE f.kind = 'note' AND f.state = 'present' AND f.excluded = 0 AND n.text_state = 'ok' AND f.conflict_of IS NULL
ORDER BY f.path
"""
BODIES: Final = "SELECT note_id, text FROM notes_blocks ORDER BY note_id, ordinal"
TAGS: Final = "SELECT note_id, tag_key FROM notes_tags ORDER BY note_id, ordinal"
HASHES: Final = """
SELECT f.path, f.content_hash FROM vault_files AS f
WHERE f.kind = 'note' AND f.state = 'present' AND f.excluded = 0 ORDER BY f.path
"""
LINKS: Final = """
SELECT s.path, l.target, l.subpath, l.label, l.relation, l.line, l.status, t.path, t.kind
FROM notes_links AS l JOIN vault_files AS s ON s.id = l.source_id LEFT JOIN vault_files AS t ON t.id = l.target_id
WHERE s.kind = 'note' ORDER BY s.path, l.ordinal
"""
FAULTS: Final = """
SELECT f.path, w.code, w.message, w.line FROM file_warnings AS w JOIN vault_files AS f ON f.id = w.file_id
ORDER BY f.path, w.ordinal
"""
PATHS: Final = "SELECT path FROM vault_files"
GENERATED: Final = f"""
SELECT f.path, n.properties FROM notes_index AS n JOIN vault_files AS f ON f.id = n.id
WHERE n.note_type IN ('{DIGEST_TYPE}', '{REVIEW_TYPE}')
"""


@dataclass(frozen=True, slots=True)
class Corpus:
    """The notes of a vault in one state of the index."""

    notes: tuple[DreamNote, ...]
    links: tuple[NoteLink, ...]
    faults: tuple[NoteFault, ...]
    paths: frozenset[str]
    ids: Mapping[str, int]
    """The id of each note's file by path."""

    @property
    def by_path(self) -> dict[str, DreamNote]:
        """The notes by path."""
        return {note.path: note for note in self.notes}

    @property
    def hashes(self) -> dict[str, str]:
        """The hash of each note by path."""
        return {note.path: note.hash for note in self.notes}

    @property
    def successors(self) -> dict[str, str]:
        """By path of a superseded note the one that stands for it."""
        return {note.path: note.successor for note in self.notes if note.successor}


def read_corpus(vault: Vault) -> Corpus:
    """The notes as they are now. Raises as a search does, and RefusedError when the index cannot be brought up."""
    places = DreamPlaces.of(vault)
    settings = read_obsidian_config(vault.root)
    return vault.read_index(lambda connection: _read(connection, places, settings))


def _read(connection: apsw.Connection, places: DreamPlaces, settings: ObsidianSettings) -> Corpus:
    is_ours = _told_ours(connection, places)
    bodies = _bodies(connection)
    tags: dict[int, list[str]] = {}
    for note, tag in fetch(connection, TAGS):
        tags.setdefault(note, []).append(tag)
    links = tuple(
        NoteLink(
            source=source,
            target=target,
            subpath=subpath,
            label=label,
            relation=relation or "mentions",
            line=line,
            status=status,
            path=path or "",
        )
        for source, target, subpath, label, relation, line, status, path, _ in fetch(
            connection, LINKS
        )
        if not is_ours(source)
    )
    successors = _successors(links)
    notes, ids = [], {}
    for row in fetch(connection, NOTES):
        file_id, path = int(row[0]), str(row[1])
        if is_ours(path) or settings.in_templates(path) or is_template(path):
            continue
        ids[path] = file_id
        notes.append(_note(row, bodies.get(file_id, ""), tags.get(file_id, ()), places, successors))
    return Corpus(
        tuple(notes),
        links,
        tuple(NoteFault(*row) for row in fetch(connection, FAULTS) if not is_ours(row[0])),
        frozenset(path for (path,) in fetch(connection, PATHS)),
        ids,
    )


def _bodies(connection: apsw.Connection) -> dict[int, str]:
    """The body of each note by id, "" for one that is larger than stages look at."""
    parts: dict[int, list[str]] = {}
    for note, text in fetch(connection, BODIES):
        parts.setdefault(note, []).append(text)
    joined = {note: "".join(texts) for note, texts in parts.items()}
    return {note: text if len(text) <= LARGEST else "" for note, text in joined.items()}


def _note(
    row: Sequence[object],
    body: str,
    tags: Sequence[str],
    places: DreamPlaces,
    successors: Mapping[str, str],
) -> DreamNote:
    (_, path, title, category, aliases, note_type, permanent, stale, severity, digest) = row[:10]
    modified, day, words, properties = row[10:]
    held: dict[str, PropertyValue] = json.loads(str(properties))
    return DreamNote(
        path=str(path),
        title=str(title),
        category=str(category),
        tags=tuple(dict.fromkeys(tags)),
        aliases=tuple(json.loads(str(aliases))),
        note_type=str(note_type),
        permanent=bool(permanent),
        stale=bool(stale),
        severity=str(severity),
        managed=is_managed(str(path), held, places),
        archived=is_archived(str(path), held, places),
        successor=successors.get(str(path), ""),
        hash=digest.hex() if isinstance(digest, bytes) else "",
        modified_ns=int(str(modified)),
        day=None if day is None else int(str(day)),
        words=int(str(words)),
        properties=held,
        body=body,
    )


def is_template(path: str) -> bool:
    """Whether a folder on the path says that what is in it are forms to be filled in, wherever Obsidian's own lie.

    >>> is_template("docs/_meta/Templates/Meeting.md"), is_template("Templates.md")
    (True, False)
    """
    folders = path.casefold().split("/")[:-1]
    return any(folder.strip("_- 0123456789.") in TEMPLATE_FOLDERS for folder in folders)


def is_managed(path: str, properties: Mapping[str, PropertyValue], places: DreamPlaces) -> bool:
    """Whether a note is one of ours: below the memory root, and it says so itself."""
    return path.startswith(f"{places.memory}/") and properties.get(MANAGED_BY) == OURS


def is_archived(path: str, properties: Mapping[str, PropertyValue], places: DreamPlaces) -> bool:
    """Whether a note lies in the archive, or is one of ours in an archive below an earlier memory root."""
    earlier = properties.get(MANAGED_BY) == OURS and f"/{ARCHIVE_FOLDER}/" in path
    return earlier or places.is_archived(path)


def _told_ours(connection: apsw.Connection, places: DreamPlaces) -> Callable[[str], bool]:
    """Tells whether a path is that of a digest or a review. Such a note says so itself wherever it lies: another memory
    root, or a person who keeps one elsewhere, makes it no note of theirs."""
    generated = frozenset(
        str(path)
        for path, properties in fetch(connection, GENERATED)
        if json.loads(str(properties)).get(MANAGED_BY) == OURS
    )
    return lambda path: path in generated or places.is_ours(path)


def _successors(links: Iterable[NoteLink]) -> dict[str, str]:
    """The last note in the row of those that supersede each; none for those in a ring."""
    next_of: dict[str, str] = {}
    for link in links:
        if link.relation == "superseded_by" and link.path and link.path != link.source:
            next_of[link.source] = link.path
    for link in links:
        if link.relation == "supersedes" and link.path and link.path != link.source:
            next_of.setdefault(link.path, link.source)
    found = {}
    for path in next_of:
        seen, last = {path}, next_of[path]
        while last in next_of and last not in seen:
            seen.add(last)
            last = next_of[last]
        if last not in seen:
            found[path] = last
    return found


def neighbours_of(vault: Vault, corpus: Corpus, notes: Sequence[DreamNote]) -> list[Neighbour]:
    """Pairs of the notes, by their places, that are among each other's nearest by meaning; none without vectors."""
    if len(notes) < 2:
        return []
    import numpy as np

    from vaultmem.graph.near import mutual_nearest, note_vectors

    ids = np.array([corpus.ids[note.path] for note in notes], np.int64)
    matrix = vault.read_index(lambda connection: note_vectors(connection, ids))
    if matrix is None:
        return []
    return [Neighbour(a, b, likeness) for a, b, likeness in mutual_nearest(matrix)]


def read_text(root: Path, path: str) -> NoteText | None:
    """The note as it is on the disk; None when it is gone, unreadable or no UTF-8."""
    try:
        read = read_note_bytes(root, path)
    except (UnreadableFile, RefusedError, FailedError):
        return None
    text = decode(read.data)
    return None if text is None else NoteText(path, text, read.hash)


def state_mark(vault: Vault) -> str:
    """One text that is another as soon as any note of the person, or of ours, is another; in milliseconds."""
    places = DreamPlaces.of(vault)

    def read(connection: apsw.Connection) -> str:
        told = hashlib.blake2b(digest_size=16)
        is_ours = _told_ours(connection, places)
        for path, digest in fetch(connection, HASHES):
            if not is_ours(path):
                told.update(path.encode(errors="surrogatepass") + b"\0" + (digest or b"") + b"\0")
        return told.hexdigest()

    return vault.read_index(read)


def managed_paths(vault: Vault) -> set[str]:
    """The paths of all notes that are ours."""
    places = DreamPlaces.of(vault)

    def read(connection: apsw.Connection) -> set[str]:
        return {
            str(row[1])
            for row in fetch(connection, NOTES)
            if is_managed(str(row[1]), json.loads(str(row[13])), places)
        }

    return vault.read_index(read)


def community_of(vault: Vault) -> dict[str, str]:
    """The community of each note that is in one, as it was worked out last; none before the first time."""
    from vaultmem.graph.communities import NONE, from_bytes
    from vaultmem.graph.groups import PARTITION
    from vaultmem.graph.memory import kept_value

    kept = vault.read_index(lambda connection: kept_value(connection, PARTITION))
    grouping = from_bytes(kept[1]) if kept is not None else None
    if grouping is None:
        return {}
    ids = grouping.ids.tolist()
    return {p: f"community {i}" for p, i in zip(grouping.paths, ids, strict=True) if i != NONE}


def note_hashes(vault: Vault) -> dict[str, str]:
    """The hash in hex of each note by path."""
    return vault.read_index(
        lambda connection: {
            str(path): digest.hex() if digest else "" for path, digest in fetch(connection, HASHES)
        }
    )


def vault_paths(vault: Vault) -> list[str]:
    """The path of every file of the vault."""
    return vault.read_index(lambda connection: [str(path) for (path,) in fetch(connection, PATHS)])
