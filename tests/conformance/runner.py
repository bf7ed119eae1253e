"""Puts each case to the library: its own vault on disk, a real index, one question."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Final

from tests.conformance.asks import ADAPTERS, NOT_YET, ArgumentFault, Desk
from tests.conformance.case import Case, Json, Malformed, read_cases
from tests.conformance.compare import answers
from tests.vaults import AT_ONCE, WORDS
from vaultmem.vault import Vault

CASE_SENSITIVE_FS: Final = "case-sensitive-fs"


class Outcome(StrEnum):
    """How a case ended."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Result:
    """How a case ended, and what is needed to understand a failure."""

    id: str
    outcome: Outcome
    reason: str = ""
    """Why it was skipped, or what went wrong besides a different answer."""
    case: Case | None = None
    got: Json = None


def run_files(paths: Sequence[Path]) -> Iterator[Result]:
    """The result of every case, file by file. Raises OSError when a file cannot be read."""
    for path in paths:
        for case in read_cases(path):
            yield run_line(case)


def run_line(case: Case | Malformed) -> Result:
    """The result of a case in a folder of its own, which is gone afterwards; never raises for a bad case."""
    if isinstance(case, Malformed):
        return Result(case.id, Outcome.FAILED, f"malformed case: {case.fault}")
    if reason := skip_reason(case):
        return Result(case.id, Outcome.SKIPPED, reason, case)
    if case.ask not in ADAPTERS:
        return Result(case.id, Outcome.FAILED, f"malformed case: no ask {case.ask!r}", case)
    with tempfile.TemporaryDirectory(prefix="vaultmem-case-") as folder:
        try:
            got = ask(case, Path(folder))
        except ArgumentFault as fault:
            return Result(case.id, Outcome.FAILED, f"malformed case: {fault}", case)
        except Exception as error:  # noqa: BLE001 - a case that crashes the library is a failing case
            return Result(case.id, Outcome.FAILED, f"{type(error).__name__}: {error}", case)
    passed = answers(case.ask, case.expect, got)
    return Result(case.id, Outcome.PASSED if passed else Outcome.FAILED, "", case, got)


def ask(case: Case, folder: Path) -> Json:
    """The library's answer to the case, whose vault is made in ``folder``."""
    root = folder / "vault"
    root.mkdir()
    write_files(root, case)
    away = folder / "elsewhere"
    with Vault(root, WORDS, cache_root=away, write_rules=AT_ONCE) as vault:
        vault.rebuild(vectors=False)
        return ADAPTERS[case.ask](Desk(case, root, vault))


def write_files(root: Path, case: Case) -> None:
    """Writes the case's files, each exactly as given."""
    for name, text in case.files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        # Lone surrogates cannot be UTF-8; they stand for themselves so that such a case is still put.
        path.write_bytes(text.encode("utf-8", "surrogatepass"))


def skip_reason(case: Case) -> str:
    """Why the case cannot be put here; "" when it can."""
    if case.ask in NOT_YET:
        return NOT_YET[case.ask]
    for need in case.needs:
        if need != CASE_SENSITIVE_FS or not is_case_sensitive(tempfile.gettempdir()):
            return f"needs {need}"
    return ""


@cache
def is_case_sensitive(folder: str) -> bool:
    """Whether the disk of ``folder`` tells upper case from lower case."""
    with tempfile.TemporaryDirectory(dir=folder) as probe:
        (Path(probe) / "a").touch()
        return not (Path(probe) / "A").exists()
