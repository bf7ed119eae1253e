"""The rules by which words of time become days: patterns over folded text, each with what it means. Pure.

Most hold wherever they match. Those of a kind are for words that are more than words of time (may, spring, Sunday):
they hold only behind a word such as *in* or *since*.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, TypeAlias

from vaultmem.index.terms import CJK_CLASS
from vaultmem.search.when import Read, Rule
from vaultmem.search.when_english import ENGLISH, LOOSE

_HAS_CJK: Final = re.compile(f"[{CJK_CLASS}]")
_HAS_EUROPEAN: Final = re.compile(
    r"heute|gestern|aujourd|hoy|ayer|hier|vor |il y a|hace |letzt|vorig|vergang|nachst|derni|passe|pasad|dies|"
    r"cette|\bce |esta |este |prochain|viene|fruh|sommer|herbst|printemps|ete|automne|hiver|primavera|verano|otono|invierno"
)


def rules_for(folded: str) -> Iterator[Rule]:
    """The rules that may match in a text; patterns are made, and languages loaded, when first needed."""
    yield from _worded_rules(ENGLISH)
    yield from _loose_rules()
    if _HAS_EUROPEAN.search(folded):
        from vaultmem.search.when_european import EUROPEAN

        yield from _worded_rules(EUROPEAN)
    if _HAS_CJK.search(folded):
        yield from _cjk_rules()


_Rules: TypeAlias = tuple[tuple[str, Read], ...]


@lru_cache(maxsize=2)
def _worded_rules(rules: _Rules) -> tuple[Rule, ...]:
    return tuple((_whole_word(pattern), read, "") for pattern, read in rules)


@lru_cache(maxsize=1)
def _loose_rules() -> tuple[Rule, ...]:
    return tuple((_whole_word(pattern), read, kind) for pattern, read, kind in LOOSE)


@lru_cache(maxsize=1)
def _cjk_rules() -> tuple[Rule, ...]:
    from vaultmem.search.when_cjk import CJK

    return tuple((re.compile(pattern), read, "") for pattern, read in CJK)


def _whole_word(pattern: str) -> re.Pattern[str]:
    """For scripts with blanks."""
    return re.compile(rf"(?<![\w.,:/-])(?:{pattern})(?![\w/-]|[.,:]\d)")
