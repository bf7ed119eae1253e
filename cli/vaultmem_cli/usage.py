"""How a command's usage line reads."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from typer.core import TyperCommand

if TYPE_CHECKING:
    import typer

_BRACES = re.compile(r"\{(\w+(?:\.{3})?)\}")


def without_braces(text: str) -> str:
    """The text with the names of arguments as people write them; some versions of Typer put braces around them.

    >>> without_braces("Missing argument '{QUERY}'.")
    "Missing argument 'QUERY'."
    """
    return _BRACES.sub(r"\1", text)


class PlainCommand(TyperCommand):
    """A command whose usage line names its arguments without braces."""

    def collect_usage_pieces(self, ctx: typer.Context) -> list[str]:  # type: ignore[override]
        """The parts of the line after the command's name."""
        return [without_braces(piece) for piece in super().collect_usage_pieces(ctx)]
