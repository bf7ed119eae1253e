"""Setting one value in a settings file, by a splice: whatever else stands in the file stays as it is, byte for byte.

What the splice did is proved before it is used: the file has to say the same as before in everything but that value.
A file whose form leaves no place for a splice is not touched.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, Final

from vaultmem.errors import SettingsError

__all__ = ["check_value", "set_value", "with_value"]

_TABLE: Final = re.compile(
    r"[ \t]*\[[ \t]*(?P<name>[^\[\]\r\n]+?)[ \t]*\][ \t]*(?:#[^\r\n]*)?\r?\n?\Z"
)
_BOM: Final = "\ufeff"
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")


def set_value(path: Path, key: str, value: str) -> bool:
    """Writes the text ``value`` for ``key`` (table and name with a dot between) into the settings file, which is made
    if there is none; False if it says so already.

    Raises SettingsError when the file cannot be read, is no TOML, cannot be written, or leaves no place for it;
    it then stands as it was.
    """
    try:
        before = path.read_bytes() if path.exists() else b""
        after = with_value(before.decode("utf-8"), key, value).encode("utf-8")
        if after == before:
            return False
        _replace(path, before, after)
    except (OSError, UnicodeDecodeError, _NoPlaceError) as error:
        raise _refused(path, key, value, error) from error
    return True


def check_value(path: Path, key: str, value: str) -> None:
    """Raises what :func:`set_value` would raise, as far as that can be known without writing."""
    try:
        text = path.read_bytes().decode("utf-8") if path.exists() else ""
        with_value(text, key, value)
    except (OSError, UnicodeDecodeError, _NoPlaceError) as error:
        raise _refused(path, key, value, error) from error
    folder = next(each for each in (path.parent, *path.parents) if each.exists())
    if not os.access(folder, os.W_OK):
        raise _refused(path, key, value, PermissionError(13, "Permission denied"))


def _refused(path: Path, key: str, value: str, error: Exception) -> SettingsError:
    table, _, name = key.partition(".")
    line = f"under [{table}]: {_line(name, value)}"
    if isinstance(error, UnicodeDecodeError):
        return SettingsError(f"The settings file {path} is not UTF-8.", hint="Save it as UTF-8.")
    if isinstance(error, OSError):
        return SettingsError(
            f"The settings file {path} cannot be written: {error.strerror}.",
            hint=f"Write into your own settings (`vaultmem config` names the file), {line}",
        )
    return SettingsError(
        f"The settings file {path} was left alone: {error}.", hint=f"Write there, {line}"
    )


class _NoPlaceError(Exception):
    """Why the value cannot be put into the text."""


def with_value(text: str, key: str, value: str) -> str:
    """The text of a settings file with that value: in place of the one that is there, else as the first line of its
    table, else in a table of its own at the end. Raises _NoPlaceError."""
    table, _, name = key.partition(".")
    before = _parsed(text.removeprefix(_BOM))
    held = before.get(table, {})
    if not isinstance(held, dict):
        raise _NoPlaceError(f"{table} is no table")
    if held.get(name) == value:
        return text
    wanted = {**before, table: {**held, name: value}}
    for spliced in _splices(text, table, name, value):
        if _says(spliced, wanted):
            return spliced
    raise _NoPlaceError("its form leaves no place for a change")


def _parsed(text: str) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _NoPlaceError(f"it is not valid TOML ({error})") from error


def _says(text: str, wanted: dict[str, Any]) -> bool:
    try:
        return _parsed(text.removeprefix(_BOM)) == wanted
    except _NoPlaceError:
        return False


def _splices(text: str, table: str, name: str, value: str) -> Iterator[str]:
    """Ways to put the value in, the least change first; not each says what it should."""
    lines = text.splitlines(keepends=True)
    end = "\r\n" if "\r\n" in text else "\n"
    quoted = _quoted(value)
    heads = [place for place, line in enumerate(lines) if _names(line, table)]
    bounds = [(place + 1, _next_table(lines, place + 1)) for place in heads]
    for pattern, spans in (
        (_assignment(re.escape(name)), bounds),
        (_assignment(rf"{re.escape(table)}[ \t]*\.[ \t]*{re.escape(name)}"), [(0, len(lines))]),
    ):
        for first, last in spans:
            for place in range(first, last):
                if found := pattern.match(lines[place]):
                    old = lines[place]
                    new = old[: found.start("value")] + quoted + old[found.end("value") :]
                    yield "".join([*lines[:place], new, *lines[place + 1 :]])
    for first, _ in bounds:
        head = lines[first - 1]
        broken = head if head.endswith("\n") else head + end
        new = f"{name} = {quoted}{end}"
        yield "".join([*lines[: first - 1], broken, new, *lines[first:]])
    gap = "" if not text.removeprefix(_BOM) else end if text.endswith("\n") else end * 2
    yield f"{text}{gap}[{table}]{end}{name} = {quoted}{end}"


def _names(line: str, table: str) -> bool:
    found = _TABLE.match(line.removeprefix(_BOM))
    return found is not None and found["name"].strip("\"'") == table


def _next_table(lines: list[str], first: int) -> int:
    return next((n for n in range(first, len(lines)) if _TABLE.match(lines[n])), len(lines))


def _assignment(key: str) -> re.Pattern[str]:
    """A line that gives the key a text of one line."""
    return re.compile(
        rf"""\ufeff?[ \t]*(?P<q>["']?){key}(?P=q)[ \t]*=[ \t]*(?P<value>"(?:[^"\\\r\n]|\\.)*"|'[^'\r\n]*')"""
    )


def _line(name: str, value: str) -> str:
    return f"{name} = {_quoted(value)}"


def _quoted(value: str) -> str:
    """The value as a basic string of TOML."""
    plain = value.replace("\\", "\\\\").replace('"', '\\"')
    inner = _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", plain)
    return f'"{inner}"'


def _replace(path: Path, before: bytes, after: bytes) -> None:
    """Puts the new file in the old one's place, in one step, unless that was changed meanwhile."""
    path.parent.mkdir(exist_ok=True)
    real = Path(os.path.realpath(path))  # a link to a shared file stays one
    with NamedTemporaryFile("wb", dir=real.parent, prefix=".config-", delete=False) as file:
        try:
            file.write(after)
            file.flush()
            os.fsync(file.fileno())
            if real.exists():
                os.chmod(file.name, real.stat().st_mode & 0o7777)
            else:
                os.chmod(file.name, 0o644)
            if (real.read_bytes() if real.exists() else b"") != before:
                raise _NoPlaceError("another program changed it just now")
            os.replace(file.name, real)
        except BaseException:
            Path(file.name).unlink(missing_ok=True)
            raise
