"""With ``--json`` stdout holds one JSON object whatever happens, as its published schema says."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.cli.command import Ran, run
from vaultmem_cli import (
    bench_commands,
    daemon_commands,
    dream_commands,
    embedder_commands,
    graph_commands,
    history_commands,
    mcp_commands,
    review_commands,
)
from vaultmem_cli.app import COMMANDS
from vaultmem_cli.contracts import OUTPUTS
from vaultmem_cli.history_commands import SHOW_AT
from vaultmem_cli.jsonout import BELOW, SHARED, to_json, to_plain

ROOT = Path(__file__).resolve().parents[2]


def _schema(name: str) -> dict[str, Any]:
    text = (files("vaultmem_schemas") / "json" / f"{name}.schema.json").read_text("utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


def _strict(schema: Any) -> Any:
    """The schema with unknown keys forbidden, so that a key without a published description is found out."""
    if isinstance(schema, dict):
        closed = {key: _strict(value) for key, value in schema.items()}
        if "properties" in schema and "required" in schema:
            closed["additionalProperties"] = False
        return closed
    return [_strict(item) for item in schema] if isinstance(schema, list) else schema


def _checked(ran: Ran, name: str) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(ran.out)
    Draft202012Validator(_strict(_schema(name))).validate(answer)
    assert answer["schema"] == f"vaultmem/{name}/1"
    return answer


def test_the_published_schemas_are_current() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "scripts.make_schemas", "--check"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.returncode) == ("all current\n", 0)


@pytest.mark.parametrize("name", sorted(OUTPUTS))
def test_each_schema_is_one(name: str) -> None:
    Draft202012Validator.check_schema(_schema(name))


def test_every_command_has_a_schema() -> None:
    groups = (
        daemon_commands.NAME,
        dream_commands.NAME,
        embedder_commands.NAME,
        graph_commands.NAME,
        mcp_commands.NAME,
        review_commands.NAME,
    )
    alone = [name for name in COMMANDS if name not in groups]
    below = set(BELOW.values())
    assert set(OUTPUTS) == {*(SHARED.get(name, name) for name in alone), *below, SHOW_AT, "error"}


ANSWERS = [
    ("search", ["seal", "--lane", "keyword"], 0),
    ("search", ["zeppelin", "--lane", "keyword,substring"], 3),
    ("show", ["Home"], 0),
    ("show", ["Drop camera"], 0),
    ("show", ["Projects/Seagrass survey"], 0),
    ("links", ["Home"], 0),
    ("links", ["Station map.canvas"], 0),
    ("links", ["Ideas/Wrack diary"], 0),
    ("backlinks", ["Lantern Rock"], 0),
    ("backlinks", ["Ideas/Wrack diary"], 0),
    ("unlinked", ["Boathouse"], 0),
    ("unlinked", ["Soup for nine"], 0),
    ("tags", [], 0),
    ("tags", ["survey"], 0),
    ("tags", ["zeppelin"], 3),
    ("status", [], 0),
    ("doctor", [], 0),
    ("verify", [], 0),
    ("sync", [], 0),
    ("rebuild", ["--no-vectors"], 0),
    ("config", [], 0),
    ("init", [], 0),
]


def test_answers_are_as_their_schemas_say(sample: Path) -> None:
    for command, words, code in ANSWERS:
        ran = run(command, *words, "--json")
        assert (ran.code, ran.err) == (code, ""), (command, words)
        _checked(ran, command)
    # What goes on until it is stopped is tested in tests/daemon, as are services; what looks back in test_history, embedders in
    # test_embedder, the graph in test_graph, the dream in test_dream, and what measures in tests/bench.
    groups = {
        bench_commands.NAME,
        daemon_commands.NAME,
        dream_commands.NAME,
        embedder_commands.NAME,
        graph_commands.NAME,
        mcp_commands.NAME,
        review_commands.NAME,
    }
    others = (*history_commands.COMMANDS, *graph_commands.COMMANDS)
    elsewhere = {"watch", dream_commands.USAGE, *groups, *(name for name, _ in others)}
    assert {command for command, _, _ in ANSWERS} == set(COMMANDS) - set(SHARED) - elsewhere


@pytest.mark.parametrize(
    ("words", "kind", "code"),
    [
        (["show", "Nowhere", "--json"], "note-not-found", 3),
        (["search", "x", "--lane", "telepathy", "--json"], "usage", 2),
        (["search", "--json"], "usage", 2),
        (["status", "--vault", "/no/such/folder", "--json"], "vault-not-found", 3),
        (["init", "--location", "cache", "--json"], "refused", 4),
    ],
)
def test_an_error_is_an_object_on_stdout_and_a_sentence_on_stderr(
    sample: Path, words: list[str], kind: str, code: int
) -> None:
    assert run("init", "--location", "vault").code == 0
    ran = run(*words)
    answer = _checked(ran, "error")
    assert ran.code == code
    assert (answer["kind"], answer["exit_code"], answer["command"]) == (kind, code, words[0])
    assert ran.err.startswith(f"error: {answer['message']}\n")


def test_after_two_dashes_json_is_a_word(sample: Path) -> None:
    ran = run("search", "--lane", "keyword", "--", "--json")
    assert ran.code == 3
    assert ran.out == ""


def test_an_empty_vault_gives_valid_answers(user: None, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    for command, words, code in (
        ("rebuild", [], 0),
        ("search", ["anything"], 3),
        ("tags", [], 0),
        ("status", [], 0),
        ("doctor", [], 0),
        ("verify", [], 0),
        ("sync", [], 0),
    ):
        ran = run(command, *words, "--vault", str(empty), "--json")
        assert ran.code == code, (command, ran.err)
        _checked(ran, command)


def test_numbers_that_json_lacks_are_text() -> None:
    values = {"a": float("inf"), "b": [float("-inf"), float("nan")], "c": 1.5}
    assert to_plain(values) == {"a": ".inf", "b": ["-.inf", ".nan"], "c": 1.5}


def test_json_is_ascii_where_the_encoding_of_stdout_is() -> None:
    answer = OUTPUTS["error"]("search", "usage", "潮", "", 2)
    assert "潮" in to_json("error", answer)
    assert to_json("error", answer, ascii_only=True).isascii()
    assert json.loads(to_json("error", answer, ascii_only=True))["message"] == "潮"
