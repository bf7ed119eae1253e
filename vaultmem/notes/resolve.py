"""Where a link's target leads, found by file name and never by a walk over the vault.

The look-up is keyed by the last part of a path (``name_key``), so one target costs one or two reads of
a map or of an indexed table however large the vault is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeAlias
from unicodedata import normalize

from vaultmem.notes.model import Resolution, ResolvedBy
from vaultmem.notes.paths import is_hidden, name_key, path_key

Lookup: TypeAlias = Callable[[str], Sequence[str]]
"""``name_key`` → the vault paths, as spelled on disk, whose file name has that key; never hidden ones."""

UNRESOLVED: Final = Resolution(None, None)


class NameIndex:
    """The vault's paths by the key of their file name; calling it is the look-up.

    Hidden paths are left out (R-16).
    """

    __slots__ = ("_paths",)

    def __init__(self, paths: Iterable[str] = ()) -> None:
        self._paths: dict[str, tuple[str, ...]] = {}
        for path in paths:
            self.add(path)

    def __call__(self, key: str) -> Sequence[str]:
        return self._paths.get(key, ())

    def add(self, path: str) -> None:
        """Let links lead to the path; a path that is already there or hidden changes nothing."""
        if is_hidden(path):
            return
        key = name_key(path)
        held = self._paths.get(key, ())
        if path not in held:
            self._paths[key] = (*held, path)

    def remove(self, path: str) -> None:
        """Let no link lead to the path any more; a path that is not there changes nothing."""
        key = name_key(path)
        left = tuple(held for held in self._paths.get(key, ()) if held != path)
        if left:
            self._paths[key] = left
        else:
            self._paths.pop(key, None)


def resolve(target: str, source: str, lookup: Lookup) -> Resolution:
    """Where a target, as ``Link.target`` holds it, leads from the note ``source`` (R-01 to R-21).

    In this order: empty is the note itself; a name with a dot is tried as that very file name and then
    with ``.md``, any other only with ``.md`` (R-03, R-04); a bare name that one file holds is that file
    (R-06); ``./`` and ``../`` count from the source's folder (R-07); an exact vault path (R-08), the only
    one allowed after a leading ``/`` (R-12); a path that ends with the target, chosen by R-10 and R-11.
    """
    if not target:
        return Resolution(source, ResolvedBy.SELF)
    key = path_key(target)
    if "/" not in key:
        if "." in key and (named := lookup(key)):
            return _bare(target, key, source, named)
        if named := lookup(key + ".md"):
            return _bare(target + ".md", key + ".md", source, named)
        return UNRESOLVED
    name = key[key.rfind("/") + 1 :]
    if not name:
        return UNRESOLVED  # a folder is no link end
    if "." in name and (named := lookup(name)):
        found = _by_path(target, key, source, named)
        if found.path is not None:
            return found
    if named := lookup(name + ".md"):
        return _by_path(target + ".md", key + ".md", source, named)
    return UNRESOLVED


def resolve_exact(path: str, lookup: Lookup) -> Resolution:
    """The file at exactly this vault path, as canvas cards and bases name files (compared by key)."""
    return _exact(path, path_key(path), lookup(name_key(path))) or UNRESOLVED


def link_name_key(target: str) -> str:
    """The key of a target's last part: what an index stores per link to find it again (see below)."""
    return name_key(target)


def affected_name_keys(path: str) -> tuple[str, ...]:
    """The ``link_name_key`` values whose links may resolve differently once this file comes or goes.

    >>> affected_name_keys("Coast/Reef.md")
    ('reef.md', 'reef')
    """
    key = name_key(path)
    return (key, key[:-3]) if key.endswith(".md") else (key,)


def unresolved_name(target: str) -> str:
    """The name under which a missing target is listed: as typed, without ``.md`` (R-18).

    Two of them are one missing note when their ``path_key`` is the same (B-08).
    """
    return target[:-3] if target[-3:].lower() == ".md" else target


def _bare(typed: str, key: str, source: str, named: Sequence[str]) -> Resolution:
    """A target without a folder, among the files of that very name."""
    if len(named) == 1:
        return Resolution(named[0], ResolvedBy.NAME)
    return _exact(typed, key, named) or _best(typed, source, named)


def _by_path(typed: str, key: str, source: str, named: Sequence[str]) -> Resolution:
    """A target with a folder, among the files whose name is its last part."""
    if key[0] == "/":
        return _exact(typed[1:], key[1:], named) or UNRESOLVED
    if key.startswith(("./", "../")):
        absolute = _from_folder(typed, source)
        if absolute is None:
            return UNRESOLVED
        found = _exact(absolute, path_key(absolute), named)
        return (
            Resolution(found.path, ResolvedBy.RELATIVE, found.candidates) if found else UNRESOLVED
        )
    found = _exact(typed, key, named)
    if found:
        return found
    ending = "/" + key
    matches = [path for path in named if path_key(path).endswith(ending)]
    return _best(typed, source, matches) if matches else UNRESOLVED


def _from_folder(typed: str, source: str) -> str | None:
    """The vault path that a ``./`` or ``../`` target means; None when it climbs out of the vault."""
    parts = source.split("/")[:-1]
    for part in typed.split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part != ".":
            parts.append(part)
    return "/".join(parts)


def _exact(typed: str, key: str, named: Sequence[str]) -> Resolution | None:
    """The file whose whole path has this key.

    Where a disk holds two of them, the one spelled as typed is meant; if neither is, it is a tie.
    """
    matches = [path for path in named if path_key(path) == key]
    if not matches:
        return None
    if len(matches) == 1:
        return Resolution(matches[0], ResolvedBy.EXACT)
    spelled = _spelled_as(typed, matches)
    if spelled is not None:
        return Resolution(spelled, ResolvedBy.EXACT)
    matches.sort(key=_length_then_letters)
    return Resolution(matches[0], ResolvedBy.EXACT, tuple(matches))


def _best(typed: str, source: str, matches: Sequence[str]) -> Resolution:
    """The first of the matches by R-10 and R-11, and the tie itself (R-21)."""
    if len(matches) == 1:
        return Resolution(matches[0], ResolvedBy.SUFFIX)
    folder = path_key(source[: source.rfind("/") + 1])
    ranked = sorted(
        matches,
        key=lambda path: (not path_key(path).startswith(folder), *_length_then_letters(path)),
    )
    # Among files that differ in case only, R-11 would always take the capital letter.
    first = path_key(ranked[0])
    spelled = _spelled_as(typed, [path for path in ranked if path_key(path) == first])
    if spelled is not None:
        ranked.remove(spelled)
        ranked.insert(0, spelled)
    return Resolution(ranked[0], ResolvedBy.SUFFIX, tuple(ranked))


def _length_then_letters(path: str) -> tuple[int, str, str]:
    """R-11. Counted in NFC, as a path that a Mac spelled decomposed is not longer for it."""
    composed = path if path.isascii() else normalize("NFC", path)
    return (len(composed), composed, path)


def _spelled_as(typed: str, twins: Sequence[str]) -> str | None:
    """The one of several paths with the same key that is spelled as typed, to the letter or in NFC."""
    exact = [path for path in twins if path.endswith(typed)]
    if len(exact) == 1:
        return exact[0]
    composed = normalize("NFC", typed)
    alike = [path for path in twins if normalize("NFC", path).endswith(composed)]
    return alike[0] if len(alike) == 1 else None
