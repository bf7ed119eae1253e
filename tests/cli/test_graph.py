"""``vaultmem graph`` and ``trace``: their JSON is as published, and a note may be named by its path from here."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import run
from tests.cli.test_json import _checked
from tests.graph.extremes import EMPTY, LEAVES, ONE, RELATIONS, hub
from tests.vaults import write
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
        (("trace", "memo://note/Home.md#L9999"), 3),
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


def asked(root: Path, *words: str) -> tuple[int, dict[str, Any]]:
    """The code of a command on that vault, and what it answers as JSON."""
    ran = run(*words, "--json", "--vault", str(root))
    return ran.code, json.loads(ran.out)


@pytest.mark.usefixtures("user")
class TestExtremes:
    def vault(self, tmp_path: Path, files: dict[str, str]) -> Path:
        root = tmp_path / "vault"
        root.mkdir()
        write(root, files)
        assert run("rebuild", "--no-vectors", "--quiet", "--vault", str(root)).code == 0
        return root

    def test_an_empty_vault(self, tmp_path: Path) -> None:
        root = self.vault(tmp_path, EMPTY)

        for words in (("neighbors", "A"), ("path", "A", "B"), ("related", "A")):
            assert asked(root, "graph", *words)[0] == 3
        assert asked(root, "trace", "A")[0] == 3
        assert asked(root, "graph", "communities")[1]["communities"] == []
        code, insights = asked(root, "graph", "insights")
        assert (code, insights["insights"]) == (0, [])
        assert asked(root, "graph", "export", "json")[1]["notes"] == 0

    def test_a_vault_of_one_note(self, tmp_path: Path) -> None:
        root = self.vault(tmp_path, ONE)

        assert asked(root, "graph", "neighbors", "Only")[1]["total"] == 0
        code, path = asked(root, "graph", "path", "Only", "Only")
        assert (code, path["found"], path["steps"]) == (0, True, [])
        assert asked(root, "graph", "related", "Only")[1]["related"] == []
        assert asked(root, "graph", "communities")[1]["loose"] == 1
        _, insights = asked(root, "graph", "insights")
        assert [(each["kind"], each["path"]) for each in insights["insights"]] == [
            ("isolated", "Only.md")
        ]
        assert asked(root, "graph", "export", "json")[1]["notes"] == 1
        assert len(asked(root, "trace", "Only")[1]["steps"]) == 1

    def test_a_hub_with_fifty_thousand_edges(self, tmp_path: Path) -> None:
        root = self.vault(tmp_path, hub())

        _, near = asked(root, "graph", "neighbors", "Hub", "--limit", "5")
        assert (near["total"], len(near["neighbors"])) == (LEAVES, 5)
        assert [len(each["edges"]) for each in near["neighbors"]] == [RELATIONS] * 5
        assert len(asked(root, "graph", "path", "n000", "n249")[1]["steps"]) == 2
        assert asked(root, "graph", "related", "n000")[1]["related"] == []  # the hub says nothing
        _, found = asked(root, "graph", "communities")
        assert (len(found["communities"]), found["loose"]) == (1, 0)
        assert dict(asked(root, "graph", "insights")[1]["counts"]) == {
            "isolated": 0, "sparse": 0, "bridge": 0, "surprising": 0,
        }  # fmt: skip
        assert asked(root, "graph", "export", "json")[1]["edges"] == LEAVES * RELATIONS
