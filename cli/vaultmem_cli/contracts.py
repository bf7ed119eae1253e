"""What commands print with ``--json``, by the class of the answer. The published schemas are made from this."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from vaultmem import answers
from vaultmem.bench.run import BenchReport
from vaultmem.daemon_state import DaemonHealth
from vaultmem.dream import answers as dream
from vaultmem.dream.decided import ReviewOutcome
from vaultmem.edits.answers import WriteAnswer
from vaultmem.embedders import EmbedderReport, RemoveAnswer, UseAnswer
from vaultmem.graph import answers as graph
from vaultmem.history import answers as history
from vaultmem.search.model import SearchAnswer
from vaultmem_cli import dream_commands, review_commands
from vaultmem_cli.answers import ConfigAnswer, ErrorAnswer, InitReport
from vaultmem_cli.daemon_commands import SERVICE, STATUS
from vaultmem_cli.embedder_commands import LIST, REMOVE, USE
from vaultmem_cli.graph_commands import (
    COMMUNITIES,
    EXPORT,
    INSIGHTS,
    NEIGHBORS,
    PATH,
    RELATED,
    TRACE,
)
from vaultmem_cli.history_commands import SHOW_AT
from vaultmem_cli.jsonout import CHANGE
from vaultmem_daemon.installing import ServiceAnswer
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
    CHANGE: WriteAnswer,
    "history": history.HistoryAnswer,
    SHOW_AT: history.VersionView,
    "diff": history.DiffAnswer,
    "undo": history.UndoReport,
    "prove": history.Proof,
    "gc": history.Collected,
    PATH: graph.PathAnswer,
    NEIGHBORS: graph.NeighborsAnswer,
    COMMUNITIES: graph.CommunitiesAnswer,
    INSIGHTS: graph.InsightsAnswer,
    RELATED: graph.RelatedAnswer,
    EXPORT: graph.ExportAnswer,
    TRACE: graph.TraceAnswer,
    LIST: EmbedderReport,
    USE: UseAnswer,
    REMOVE: RemoveAnswer,
    "bench": BenchReport,
    "watch": WatchReport,
    STATUS: DaemonHealth,
    SERVICE: ServiceAnswer,
    dream_commands.CYCLE: dream.CycleAnswer,
    dream_commands.LIST: dream.CyclesAnswer,
    dream_commands.USAGE: dream.UsageAnswer,
    review_commands.LIST: dream.ReviewAnswer,
    review_commands.DECIDED: ReviewOutcome,
    ERROR: ErrorAnswer,
}
