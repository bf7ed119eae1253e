"""Runs cases, each in a folder of its own."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.conformance.case import Malformed
from tests.conformance.runner import Outcome, is_case_sensitive
from tests.field_reports.case import Case, FaultError, Step, read_cases
from tests.field_reports.checks import CHECKS, PROSE, Standing, Verdict, judge, unexpected
from tests.field_reports.daemon_steps import fault_for, is_known_fault
from tests.field_reports.dreaming import unknown_fault
from tests.field_reports.portrait import portrait
from tests.field_reports.privileges import can_be_normal, normal_user
from tests.field_reports.steps import LATER, carry_out, needs
from tests.field_reports.triggers import trigger_for
from tests.field_reports.world import SkipError, World

DUE: Final = frozenset(
    {
        "frontmatter",
        "links",
        "tags",
        "unicode",
        "filesystem",
        "concurrency",
        "index",
        "search",
        "mcp",
        "daemon",
    }
)
"""Kinds whose parts of the library are there."""


@dataclass(frozen=True, slots=True)
class Result:
    """How a case ended, and what is needed to understand it."""

    id: str
    outcome: Outcome
    reason: str = ""
    """Why it was skipped, or why it could not be run."""
    case: Case | None = None
    verdicts: tuple[Verdict, ...] = ()
    surprises: tuple[str, ...] = ()
    """Steps that went wrong though no outcome speaks of them."""
    seen: tuple[str, ...] = ()
    """What was seen, for outcomes in prose and for failures."""

    def standing(self, standing: Standing) -> list[Verdict]:
        """The verdicts of that standing, in the order of the case."""
        return [verdict for verdict in self.verdicts if verdict.standing is standing]


def run_files(paths: Sequence[Path]) -> Iterator[Result]:
    """The result of every case, file by file. Raises OSError when a file cannot be read."""
    for path in paths:
        for case in read_cases(path):
            yield run_line(case)


def run_line(case: Case | Malformed, *, hasty: bool = False) -> Result:
    """The result of a case in a folder of its own, which is gone afterwards; never raises for a bad case. A ``hasty`` one
    observes for ten seconds at most."""
    if isinstance(case, Malformed):
        return Result(case.id, Outcome.FAILED, f"malformed case: {case.fault}")
    try:
        if reason := skip_reason(case):
            return Result(case.id, Outcome.SKIPPED, reason, case)
        return _run(case, hasty=hasty)
    except FaultError as fault:
        return Result(case.id, Outcome.FAILED, f"malformed case: {fault}", case)
    except SkipError as why:
        return Result(case.id, Outcome.SKIPPED, str(why), case)
    except OSError as error:
        return Result(case.id, Outcome.FAILED, f"{type(error).__name__}: {error}", case)


def _run(case: Case, *, hasty: bool) -> Result:
    privileges = normal_user() if wants_normal_user(case) else nullcontext()
    with (
        tempfile.TemporaryDirectory(prefix="vaultmem-case-", ignore_cleanup_errors=True) as folder,
        privileges,
    ):
        world = World.begin(case, Path(folder).resolve(), hasty=hasty)
        try:
            return _played(world)
        finally:
            world.end()


def _played(world: World) -> Result:
    case = world.case
    verdicts: list[Verdict] = []
    for step in case.steps:
        record = carry_out(world, step)
        if step.label:
            verdicts += [judge(world, check) for check in case.tied_to(step.label)]
        if record.crash:
            break  # what comes after would only say so again
    verdicts += [judge(world, check) for check in case.tied_to("")]
    surprises = [_surprise(r.step, said) for r in world.records if (said := unexpected(world, r))]
    broken = surprises or any(verdict.standing is Standing.BROKEN for verdict in verdicts)
    prose = any(verdict.standing is Standing.PROSE for verdict in verdicts)
    return Result(
        case.id,
        Outcome.FAILED if broken else Outcome.PASSED,
        case=case,
        verdicts=tuple(verdicts),
        surprises=tuple(surprises),
        seen=tuple(portrait(world)) if broken or prose else (),
    )


def _surprise(step: Step, said: str) -> str:
    return f"{step.do}{f' [{step.label}]' if step.label else ''}: {said}"


def skip_reason(case: Case) -> str:
    """Why the case cannot be put here or now; "" when it can."""
    if case.kind not in DUE:
        return LATER
    for step in case.steps:
        for lack in needs(step):
            return lack
        if step.do == "require" and (lack := _lacking(step.details.text("what"))):
            return lack
        if lack := _unknown_moment(step):
            return lack
    for check in case.expect:
        if check.kind not in CHECKS and check.kind != PROSE:
            return f"the runner knows no check {check.kind!r}"
    return ""


def _unknown_moment(step: Step) -> str:
    words = ""
    if step.do == "group_notes":
        return unknown_fault(step)
    if step.do == "fault":
        what = step.details.text("what")
        return "" if fault_for(what) else f"no fault known for: {what}"
    if step.details.has("fault"):
        fault = step.details.part("fault")
        if set(fault.held) == {"raise"} and step.do == "fs" and is_known_fault(fault.text("raise")):
            return ""
        if set(fault.held) != {"kill"}:
            return f"no fault known for: {', '.join(fault.held)}"
        words = fault.text("kill")
    elif step.details.has("pause"):
        words = step.details.text("pause")
    if words and trigger_for(words) is None:
        return f"no moment known for: {words}"
    return ""


def _temporary_is_case_sensitive() -> bool:
    return is_case_sensitive(tempfile.gettempdir())


REQUIREMENTS: Final[tuple[tuple[str, Callable[[], bool]], ...]] = (
    (r"normal user|not (?:as )?root|unprivileged", can_be_normal),
    (r"case-insensitive", lambda: not _temporary_is_case_sensitive()),
    (r"case-sensitive", _temporary_is_case_sensitive),
    (r"symbolic link|symlink", lambda: hasattr(os, "symlink")),
    (r"fifo|named pipe", lambda: hasattr(os, "mkfifo")),
)
"""Words of ``require``, and whether this machine offers what they mean."""


def _lacking(what: str) -> str:
    for pattern, is_there in REQUIREMENTS:
        if re.search(pattern, what, re.IGNORECASE):
            return "" if is_there() else f"needs: {what}"
    return f"needs: {what}"


def wants_normal_user(case: Case) -> bool:
    """Whether file permissions must count while the case runs: it says so, or locks a file."""
    if any(spec.details.has("mode") for spec in case.files):
        return can_be_normal()
    needed = [step.details.text("what") for step in case.steps if step.do == "require"]
    return any(re.search(REQUIREMENTS[0][0], what, re.IGNORECASE) for what in needed)
