"""What holds the dream back: budget, gate, evidence, memory of what was rejected, loops. Pure values and decisions."""

from vaultmem.evolution.budget import NO_EDIT_LEFT, Edit, EditBudget, Spending
from vaultmem.evolution.evidence import (
    Evidence,
    Recall,
    Recaller,
    gate_supersede_evidence,
    recall_support,
    score_merge_candidate,
)
from vaultmem.evolution.gate import FEWEST_PROBES, Decision, GateResult, evaluate_gate
from vaultmem.evolution.health import BestHealth
from vaultmem.evolution.mutation import Alarm, CycleRecord, Loop, MutationGate, NoteChange
from vaultmem.evolution.rejected import (
    Rejected,
    RejectedEdits,
    fingerprint,
    in_the_note,
    on_these_notes,
)
from vaultmem.evolution.state import EvolutionState, StateStore, load_state, save_state
from vaultmem.evolution.together import Judged, Panel, decide

__all__ = [
    "FEWEST_PROBES",
    "NO_EDIT_LEFT",
    "Alarm",
    "BestHealth",
    "CycleRecord",
    "Decision",
    "Edit",
    "EditBudget",
    "Evidence",
    "EvolutionState",
    "GateResult",
    "Judged",
    "Loop",
    "MutationGate",
    "NoteChange",
    "Panel",
    "Recall",
    "Recaller",
    "Rejected",
    "RejectedEdits",
    "Spending",
    "StateStore",
    "decide",
    "evaluate_gate",
    "fingerprint",
    "gate_supersede_evidence",
    "in_the_note",
    "load_state",
    "on_these_notes",
    "recall_support",
    "save_state",
    "score_merge_candidate",
]
