"""The arguments of a call as agents give them: what was surely meant is taken, all else is refused in one sentence."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final

from vaultmem.errors import UsageError
from vaultmem.notes.model import PropertyValue
from vaultmem.notes.typed_value import typed_value
from vaultmem.server.mcp.fence import ours

LONGEST: Final = 500_000
"""Characters of one argument."""

YES: Final = frozenset(("true", "yes", "1", "on"))
NO: Final = frozenset(("false", "no", "0", "off"))


class Given:
    """What a caller gave, by name. A number may come as text, a list as JSON in text, yes or no as text; null is as good
    as nothing. Whatever is missing or of another kind raises UsageError; nothing is replaced by a default in silence.
    """

    def __init__(self, held: Mapping[str, object], known: tuple[str, ...]) -> None:
        """Raises UsageError when a name is not among the ``known`` ones, or a value is far too large."""
        self._held = {name: value for name, value in held.items() if value is not None}
        self._known = known
        for name, value in self._held.items():
            if name not in known:
                raise ours(UsageError(f"There is no argument {name[:60]!r}.", hint=_known(known)))
            if isinstance(value, str) and len(value) > LONGEST:
                raise ours(
                    UsageError(
                        f"The argument {name!r} has {len(value):,} characters, which is too much.",
                        hint=f"Give at most {LONGEST:,}, in several calls where more is needed.",
                    )
                )

    def has(self, name: str) -> bool:
        """Whether it was given."""
        return name in self._held

    def only(self, allowed: tuple[str, ...], what: str) -> None:
        """Raises UsageError when anything else was given: an argument that has no effect is a mistake. What is found
        missing later is told with the ``allowed`` ones alone."""
        for name in self._held:
            if name not in allowed:
                raise ours(UsageError(f"{what} takes no argument {name!r}.", hint=_known(allowed)))
        self._known = allowed

    def text(self, name: str, default: str | None = None, *, empty: bool = False) -> str:
        """The text, of a number its digits. Without a ``default`` it has to be there, and not be blank unless it may
        be ``empty``."""
        value = self._held.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool):
            value = str(value)
        if value is None and default is not None:
            return default
        if value is None:
            raise ours(UsageError(f"The argument {name!r} is missing.", hint=_known(self._known)))
        if not isinstance(value, str):
            raise _wrong(name, "a text", value)
        if not (empty or value.strip() or default is not None):
            raise ours(UsageError(f"The argument {name!r} is empty."))
        return value

    def whole(self, name: str, default: int, least: int, most: int) -> int:
        """The whole number, brought within the limits: what is wished for beyond them is not to be had."""
        value = self._held.get(name, default)
        if isinstance(value, str):
            try:
                value = float(value) if "." in value else int(value)
            except ValueError:
                raise _wrong(name, "a whole number", value) from None
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int):
            raise _wrong(name, "a whole number", value)
        return max(least, min(value, most))

    def flag(self, name: str) -> bool:
        """Yes or no; no when it was not given."""
        value = self._held.get(name, False)
        word = str(int(value)) if isinstance(value, bool | int) else value
        if isinstance(word, str) and word.strip().lower() in YES:
            return True
        if isinstance(word, str) and word.strip().lower() in NO:
            return False
        raise _wrong(name, "true or false", value)

    def texts(self, name: str) -> tuple[str, ...]:
        """The texts of a list; of one text alone, that."""
        value = self._held.get(name, [])
        if isinstance(value, str):
            listed = _listed(value) if value.lstrip().startswith("[") else value
            value = listed if isinstance(listed, list) else [value]
        if not isinstance(value, list) or not all(
            isinstance(one, str | int | float) for one in value
        ):
            raise _wrong(name, "a list of texts", value)
        return tuple(map(str, value))

    def choice(self, name: str, choices: tuple[str, ...], default: str = "") -> str:
        """One of the words."""
        if not default and not self.has(name):
            hint = f"Use {', '.join(choices)}."
            raise ours(UsageError(f"The argument {name!r} is missing.", hint=hint))
        word = self.text(name, default or None).strip().lower().replace("-", "_")
        if word not in choices:
            raise ours(
                UsageError(
                    f"The argument {name!r} cannot be {word[:60]!r}.",
                    hint=f"Use {', '.join(choices)}.",
                )
            )
        return word

    def property_value(self, name: str) -> PropertyValue:
        """What a property can hold. A text that is a number, true or false in its usual spelling is that, and a list
        written as JSON a list."""
        if name not in self._held:
            raise ours(UsageError(f"The argument {name!r} is missing.", hint=_known(self._known)))
        value = self._held[name]
        if isinstance(value, str) and value.lstrip().startswith("["):
            value = _listed(value)
        if isinstance(value, str):
            return typed_value(value)
        if isinstance(value, bool | int | float):
            return value
        if isinstance(value, list) and all(isinstance(x, str | int | float | bool) for x in value):
            return list(value)
        raise _wrong(name, "a text, a number, true, false, or a list of these", value)


def _listed(text: str) -> object:
    """The list that is written as JSON; the text itself where it is none, as in ``[[a link]]``."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):  # a list within a list without end is none
        return text
    is_flat = isinstance(value, list) and not any(isinstance(one, list) for one in value)
    return value if is_flat else text


def _wrong(name: str, wanted: str, value: object) -> UsageError:
    shown = json.dumps(value, ensure_ascii=False, default=str)
    shown = f"{shown[:60]}…" if len(shown) > 60 else shown
    return ours(UsageError(f"The argument {name!r} has to be {wanted}, and is {shown}."))


def _known(names: tuple[str, ...]) -> str:
    return f"Arguments: {', '.join(names)}."
