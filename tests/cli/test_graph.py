"""``vaultmem graph`` and ``trace``: their JSON is as published, and a note may be named by its path from here."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.command import run
from tests.cli.test_json import _checked
from vaultmem_cli.jsonout import BELOW


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("graph", "path", "Ferry", "Tides"), 0),
        (("graph", "path", "Soup for nine", "Tides"), 3),
        (("graph", "path", "Tide gauge calibration 2024", "Tide gauge"), 0),
        (("graph", "neighbors", "Home", "--depth", "2", "--limit", "5"), 0),
        (("graph", "neighbors", "Eelgrass", "--direction", "in", "--relation", "studies"), 0),
        (("graph", "communities"), 0),
        (("graph", "communities", "Soup for nine"), 0),
        (("graph", "insights", "--kind", "bridge"), 0),
        (("graph", "related", "Ferry"), 0),
        (("graph", "export", "graphml", "--around", "Ferry"), 0),
        (("trace", "Ferry"), 0),
    ],
)
def test_json_is_as_published(sample: Path, words: tuple[str, ...], code: int) -> None:
    ran = run(*words, "--json")

    assert (ran.code, ran.err) == (code, "")
    _checked(ran, BELOW.get(" ".join(words[:2]), words[0]))


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("graph", "path", "Nowhere", "Tides"), 3),
        (("graph", "neighbors", "Log"), 2),
        (("graph", "neighbors", "Home", "--depth", "0"), 2),
        (("graph", "insights", "--kind", "odd"), 2),
        (("graph", "export", "pdf"), 2),
        (("trace", "memo://note/%zz"), 2),
    ],
)
def test_an_error_is_an_object_of_its_own(sample: Path, words: tuple[str, ...], code: int) -> None:
    ran = run(*words, "--json")

    assert ran.code == code
    assert _checked(ran, "error")["exit_code"] == code


def test_a_source_that_is_missing_is_told_and_ends_in_five(sample: Path) -> None:
    (sample / "Summary.md").write_text('---\nsources: ["[[Ferry]]", "[[Lost]]"]\n---\n')

    ran = run("trace", "Summary")

    assert (ran.code, ran.out.splitlines()) == (
        5,
        ["Summary.md", "  source  Places/Ferry.md", "  source  ✗ Lost"],
    )


def test_a_note_may_be_named_by_its_path_from_here(
    sample: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(sample / "Places")

    assert run("graph", "path", "./Ferry.md", str(sample / "Tides.md")).code == 0
