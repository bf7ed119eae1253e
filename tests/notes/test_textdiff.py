"""The unified diff of two texts."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vaultmem.notes.textdiff import text_diff


def test_a_changed_line_with_what_is_around_it() -> None:
    assert text_diff("a\nb\nc\n", "a\nB\nc\n", path="n.md", path_after="m.md") == (
        "--- a/n.md\n+++ b/m.md\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"
    )


@pytest.mark.parametrize(
    ("before", "after", "shown"),
    [
        (None, "x\n", "--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+x\n"),
        ("x\n", None, "--- a/n\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"),
        ("x", "x\n", "--- a/n\n+++ b/n\n@@ -1 +1 @@\n-x\n\\ No newline at end of file\n+x\n"),
        ("x\r\n", "x\n", "--- a/n\n+++ b/n\n@@ -1 +1 @@\n-x\r\n+x\n"),
        ("same", "same", ""),
    ],
)
def test_what_is_not_there_and_how_lines_end(
    before: str | None, after: str | None, shown: str
) -> None:
    assert text_diff(before, after, path="n") == shown


TEXTS = st.lists(st.sampled_from(["a", "b", "c\r", "\u2028x", ""]), max_size=8).map("\n".join)


@pytest.mark.skipif(shutil.which("patch") is None, reason="there is no patch program")
@settings(max_examples=40, deadline=None)
@given(before=TEXTS, after=TEXTS)
def test_patch_makes_the_one_from_the_other(
    tmp_path_factory: pytest.TempPathFactory, before: str, after: str
) -> None:
    folder: Path = tmp_path_factory.mktemp("patch")
    (folder / "n").write_bytes(before.encode())
    diff = text_diff(before, after, path="n")
    if diff:
        subprocess.run(
            ["patch", "--binary", "-s", "-p1", "--no-backup-if-mismatch"],
            input=diff.encode(),
            cwd=folder,
            check=True,
        )
    left = folder / "n"
    assert (left.read_bytes() if left.exists() else b"") == after.encode()
