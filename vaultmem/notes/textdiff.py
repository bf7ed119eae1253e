"""What differs between two texts, as the unified diff that people and ``patch`` read."""

from __future__ import annotations

import re
from difflib import unified_diff
from typing import Final

_LINE: Final = re.compile(r"[^\n]*\n|[^\n]+")
_CONTEXT: Final = 3
_NO_BREAK: Final = "\\ No newline at end of file"
_NOWHERE: Final = "/dev/null"


def text_diff(
    before: str | None, after: str | None, *, path: str, path_after: str | None = None
) -> str:
    r"""A unified diff with ``a/`` and ``b/`` before the paths, each line with its break; "" when nothing differs.

    None stands for a file that is not there. Lines end at ``\n`` alone, as for Git: a ``\r`` before it is part
    of the line. A last line without a break is followed by the usual remark.
    """
    old = _LINE.findall(before or "")
    new = _LINE.findall(after or "")
    name = path if path_after is None else path_after
    found = unified_diff(
        old,
        new,
        _NOWHERE if before is None else f"a/{path}",
        _NOWHERE if after is None else f"b/{name}",
        n=_CONTEXT,
    )
    return "".join(_shown(line) for line in found)


def _shown(line: str) -> str:
    return line if line.endswith("\n") else f"{line}\n{_NO_BREAK}\n"
