"""A proposal's diff."""

from __future__ import annotations

from tests.dream.notes_shown import TEXTS, look, merge, reader
from vaultmem.dream.proposal_texts import proposal_diff

DIFF = """\
--- a/Kitchen/Sourdough.md
+++ b/Kitchen/Sourdough.md
@@ -3,3 +3,4 @@
 - 500 g flour
 - 350 g water
 - 10 g salt
+- Feed the starter on Fridays
"""
MOVED = "Kitchen/Sourdough (old).md moved to Memory/_archive/Kitchen/Sourdough (old).md\n"


def test_edits_are_shown_as_diffs_and_moves_in_words() -> None:
    assert proposal_diff(merge(), reader(TEXTS)) == DIFF + MOVED


def test_a_note_that_is_gone_counts_as_empty() -> None:
    assert proposal_diff(merge(), lambda _: None).startswith("--- /dev/null\n")


def test_what_changes_nothing_has_no_diff() -> None:
    assert proposal_diff(look(), reader(TEXTS)) == ""
