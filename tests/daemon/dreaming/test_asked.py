"""What the dream does in nobody's notes unasked, and what it would not lead to a note that is to go."""

from __future__ import annotations

from pathlib import Path
from time import time_ns

import pytest

from tests.daemon.dreaming.nights import AGAIN, TEXT, dream, managed, settings_of, vault_with
from tests.vaults import write
from vaultmem.dream.proposal import Operation
from vaultmem.dream.report import Outcome
from vaultmem.vault import Vault
from vaultmem_daemon.dreaming.reviews import Reviews

TWINS = {
    "Tools/Slipway winch.md": f"# Winch\n\n{TEXT}\n",
    "Inbox/Slipway winch copy.md": f"# Winch\n\n{AGAIN}\n",
}


def fixes(vault: Vault) -> list[str]:
    """The titles of the link fixes that wait."""
    waiting = Reviews(vault, time_ns).waiting()
    return [p.title for p in waiting if p.operation is Operation.FIX_LINK]


@pytest.mark.parametrize("hand_notes", ["ask", "write"])
def test_a_link_to_another_folder_is_put_before_a_person_whosever_the_note_is(
    tmp_path: Path, hand_notes: str
) -> None:
    log = managed("Log", "See [[Old/lantern in the attic]].")
    settings = settings_of(hand_notes=hand_notes)
    with vault_with(tmp_path / "v", {"Memory/keeper/Log.md": log}, settings=settings) as vault:
        report = dream(vault)

        assert [(d.outcome, d.why) for d in report.decisions] == [
            (Outcome.WAITING, "it may be meant otherwise")
        ]
        assert (vault.root / "Memory/keeper/Log.md").read_text() == log
        assert fixes(vault) == [
            'Mend a link in "Log": `[[Old/lantern in the attic]]` → '
            "`[[House/lantern in the attic|Old/lantern in the attic]]`"
        ]


def test_no_link_is_led_to_a_note_that_is_to_be_merged_into_another(tmp_path: Path) -> None:
    expected = (
        'Mend a link in "{}": `[[Slipway wnich copy]]` → `[[Slipway winch|Slipway wnich copy]]`'
    )
    log = "See [[Slipway wnich copy]].\n"
    with vault_with(tmp_path / "v", {**TWINS, "Log.md": log}) as vault:
        dream(vault)
        of_the_same_night = fixes(vault)
        write(vault.root, {"Later.md": log})
        dream(vault, 1)

        assert of_the_same_night == [expected.format("Log")]
        assert sorted(fixes(vault)) == [expected.format("Later"), expected.format("Log")]
