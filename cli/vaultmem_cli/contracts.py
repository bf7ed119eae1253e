"""What each command prints with ``--json``, by the class of its answer. The published schemas are made from this."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from vaultmem import answers
from vaultmem.search.model import SearchAnswer
from vaultmem_cli.answers import ConfigAnswer, ErrorAnswer, InitReport
from vaultmem_daemon.report import WatchReport

ERROR: Final = "error"
"""The name of the schema of what any command prints when it fails."""

OUTPUTS: Final[Mapping[str, type]] = {
    "init": InitReport,
    "config": ConfigAnswer,
    "rebuild": answers.RebuildReport,
    "sync": answers.SyncAnswer,
    "search": SearchAnswer,
    "show": answers.NoteView,
    "links": answers.LinksAnswer,
    "backlinks": answers.BacklinksAnswer,
    "unlinked": answers.UnlinkedAnswer,
    "tags": answers.TagsAnswer,
    "status": answers.Status,
    "doctor": answers.DoctorReport,
    "verify": answers.VerifyReport,
    "watch": WatchReport,
    ERROR: ErrorAnswer,
}
