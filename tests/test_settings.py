"""Settings: which place wins, what each accepts, and what a mistake is answered with."""

from __future__ import annotations

import itertools
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultmem.errors import SettingsError
from vaultmem.settings import (
    SETTINGS,
    EmbedSettings,
    Explained,
    HistorySettings,
    IndexSettings,
    JudgeSettings,
    MemorySettings,
    Origin,
    SearchSettings,
    Settings,
    explain,
    load_settings,
)


class Desk:
    """A vault and a user with settings files, on disk."""

    def __init__(self, folder: Path) -> None:
        self.vault = folder / "vault"
        self.vault_config = self.vault / ".vaultmem" / "config.toml"
        self.vault_config.parent.mkdir(parents=True)
        self.user_config = folder / "user" / "config.toml"
        self.user_config.parent.mkdir()

    def load(
        self,
        environ: Mapping[str, str] | None = None,
        flags: Mapping[str, str | int | float | None] | None = None,
    ) -> Settings:
        return load_settings(
            vault=self.vault, user_config=self.user_config, environ=environ or {}, flags=flags
        )

    def error(self, environ: Mapping[str, str] | None = None) -> str:
        with pytest.raises(SettingsError) as caught:
            self.load(environ)
        return str(caught.value)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_with_nothing_set_everything_has_its_default(desk: Desk) -> None:
    settings = desk.load()

    assert settings == Settings(
        index=IndexSettings(location="vault"),
        embed=EmbedSettings(model="static"),
        search=SearchSettings(limit=10),
        memory=MemorySettings(root="Memory"),
        history=HistorySettings(capture_hand_edits=False, keep_days=365),
        judge=JudgeSettings(
            model="",
            base_url="",
            api_key_env="",
            max_tokens=200_000,
            max_cost=0.5,
            max_minutes=15,
            timeout_seconds=60,
            price="",
        ),
        origins=(),
    )
    assert {each.origin for each in explain(settings)} == {Origin("default")}


def test_outside_a_vault_the_users_settings_hold(desk: Desk) -> None:
    desk.user_config.write_text("[search]\nlimit = 7\n", encoding="utf-8")

    settings = load_settings(vault=None, user_config=desk.user_config, environ={})

    assert settings.search.limit == 7


PLACES = ("flag", "environment", "vault", "user")


@pytest.mark.parametrize(
    "given_in", [c for n in range(5) for c in itertools.combinations(PLACES, n)], ids=",".join
)
def test_the_first_place_that_gives_a_value_wins(desk: Desk, given_in: tuple[str, ...]) -> None:
    values = {"flag": 1, "environment": 2, "vault": 3, "user": 4, "default": 10}
    where = {
        "environment": "VAULTMEM_SEARCH_LIMIT",
        "vault": str(desk.vault_config),
        "user": str(desk.user_config),
    }
    if "vault" in given_in:
        desk.vault_config.write_text("[search]\nlimit = 3\n", encoding="utf-8")
    if "user" in given_in:
        desk.user_config.write_text("[search]\nlimit = 4\n", encoding="utf-8")

    settings = desk.load(
        environ={"VAULTMEM_SEARCH_LIMIT": "2" if "environment" in given_in else ""},
        flags={"search.limit": 1 if "flag" in given_in else None},
    )

    winner = next((place for place in PLACES if place in given_in), "default")
    assert settings.search.limit == values[winner]
    origin = settings.origin("search.limit")
    assert (origin.source, origin.where) == (winner, where.get(winner, ""))


def test_each_value_is_decided_on_its_own_and_shown_with_its_origin(desk: Desk) -> None:
    desk.vault_config.write_text('[memory]\nroot = "Notes/Memory"\n', encoding="utf-8")
    desk.user_config.write_text(
        '[index]\nlocation = "cache"\n[memory]\nroot = "Elsewhere"\n'
        "[history]\ncapture_hand_edits = true\nkeep_days = 30\n",
        encoding="utf-8",
    )

    environ = {
        "VAULTMEM_EMBEDDER": "none",
        "VAULTMEM_HISTORY_KEEP_DAYS": "0",
        "VAULTMEM_JUDGE_MAX_COST": "1.5",
    }
    settings = desk.load(environ=environ, flags={"search.limit": 3})

    about = {setting.key: setting.about for setting in SETTINGS}
    assert explain(settings) == (
        Explained(
            "index.location",
            "cache",
            Origin("user", str(desk.user_config)),
            about["index.location"],
        ),
        Explained(
            "embed.model", "none", Origin("environment", "VAULTMEM_EMBEDDER"), about["embed.model"]
        ),
        Explained("embed.threads", 0, Origin("default"), about["embed.threads"]),
        Explained("search.limit", 3, Origin("flag"), about["search.limit"]),
        Explained(
            "memory.root",
            "Notes/Memory",
            Origin("vault", str(desk.vault_config)),
            about["memory.root"],
        ),
        Explained(
            "history.capture_hand_edits",
            True,
            Origin("user", str(desk.user_config)),
            about["history.capture_hand_edits"],
        ),
        Explained(
            "history.keep_days",
            0,
            Origin("environment", "VAULTMEM_HISTORY_KEEP_DAYS"),
            about["history.keep_days"],
        ),
        Explained("dream.enabled", True, Origin("default"), about["dream.enabled"]),
        Explained("dream.window", "01:00-06:00", Origin("default"), about["dream.window"]),
        Explained("dream.idle_minutes", 15, Origin("default"), about["dream.idle_minutes"]),
        Explained("dream.hand_notes", "propose", Origin("default"), about["dream.hand_notes"]),
        Explained("dream.edits", 32, Origin("default"), about["dream.edits"]),
        Explained("dream.kilobytes", 256, Origin("default"), about["dream.kilobytes"]),
        Explained(
            "dream.remember_queries", True, Origin("default"), about["dream.remember_queries"]
        ),
        Explained("judge.model", "", Origin("default"), about["judge.model"]),
        Explained("judge.base_url", "", Origin("default"), about["judge.base_url"], False),
        Explained("judge.api_key_env", "", Origin("default"), about["judge.api_key_env"], False),
        Explained("judge.max_tokens", 200_000, Origin("default"), about["judge.max_tokens"]),
        Explained(
            "judge.max_cost",
            1.5,
            Origin("environment", "VAULTMEM_JUDGE_MAX_COST"),
            about["judge.max_cost"],
            False,
        ),
        Explained("judge.max_minutes", 15, Origin("default"), about["judge.max_minutes"]),
        Explained("judge.timeout_seconds", 60, Origin("default"), about["judge.timeout_seconds"]),
        Explained("judge.price", "", Origin("default"), about["judge.price"], False),
    )


@pytest.mark.parametrize(
    ("origin", "shown"),
    [
        (Origin("default"), "default"),
        (Origin("flag"), "flag"),
        (Origin("environment", "VAULTMEM_EMBEDDER"), "environment (VAULTMEM_EMBEDDER)"),
    ],
)
def test_an_origin_reads_as_words(origin: Origin, shown: str) -> None:
    assert str(origin) == shown


@pytest.mark.parametrize(
    "content", [b"", b"\xef\xbb\xbf[search]\r\nlimit = 10\r\n", b"# nothing\n", b"[search]\n"]
)
def test_files_that_hold_little_are_fine(desk: Desk, content: bytes) -> None:
    desk.vault_config.write_bytes(content)

    assert desk.load().search.limit == 10


@pytest.mark.parametrize(
    ("toml", "message"),
    [
        (
            '[index]\nlocation = "clod"',
            "index.location must be \"vault\" or \"cache\", not 'clod'.",
        ),
        (
            '[index]\nlocation = "cahce"',
            "index.location must be \"vault\" or \"cache\", not 'cahce'. Did you mean 'cache'?",
        ),
        ("[index]\nlocation = true", 'index.location must be "vault" or "cache", not True.'),
        ('[embed]\nmodel = "sttic"', "embed.model must be \"static\", \"minilm\", \"minilm-int8\", \"none\", \"fastembed:MODEL\" or \"path:/FOLDER\", not 'sttic'. Did you mean 'static'?"),
        ('[search]\nlimit = "10"', "search.limit must be a whole number from 1 to 1000, not '10'."),
        ("[search]\nlimit = 0", "search.limit must be a whole number from 1 to 1000, not 0."),
        ("[search]\nlimit = 1001", "search.limit must be a whole number from 1 to 1000, not 1001."),
        ("[search]\nlimit = 2.5", "search.limit must be a whole number from 1 to 1000, not 2.5."),
        ("[search]\nlimit = true", "search.limit must be a whole number from 1 to 1000, not True."),
        (
            "[memory]\nroot = 3",
            'memory.root must be a folder inside the vault, such as "Memory" or "Notes/Memory", not 3.',
        ),
        ("[search]\nlimt = 3", "there is no setting 'search.limt'. Did you mean 'search.limit'?"),
        (
            "[search]\nfuzzy = 3",
            "there is no setting 'search.fuzzy'. "
            "Known are: index.location, embed.model, embed.threads, search.limit, memory.root, history.capture_hand_edits, history.keep_days, dream.enabled, dream.window, dream.idle_minutes, dream.hand_notes, dream.edits, dream.kilobytes, dream.remember_queries, judge.model, judge.base_url, judge.api_key_env, judge.max_tokens, judge.max_cost, judge.max_minutes, judge.timeout_seconds, judge.price.",
        ),
        ("[serch]\nlimit = 3", "there is no setting 'serch'. Did you mean 'search'?"),
        ("limit = 3", "there is no setting 'limit'. Known are: index, embed, search, memory, history, dream, judge."),
        ("[history]\ncapture_hand_edits = 1", "history.capture_hand_edits must be true or false, not 1."),
        ('[history]\ncapture_hand_edits = "true"', "history.capture_hand_edits must be true or false, not 'true'."),
        ("[history]\nkeep_days = -1", "history.keep_days must be a whole number from 0 to 36500, not -1."),
        ("[history]\nkeep_days = true", "history.keep_days must be a whole number from 0 to 36500, not True."),
        ("[history]\nkeep = 3", "there is no setting 'history.keep'. Known are: index.location, embed.model, embed.threads, search.limit, memory.root, history.capture_hand_edits, history.keep_days, dream.enabled, dream.window, dream.idle_minutes, dream.hand_notes, dream.edits, dream.kilobytes, dream.remember_queries, judge.model, judge.base_url, judge.api_key_env, judge.max_tokens, judge.max_cost, judge.max_minutes, judge.timeout_seconds, judge.price."),
        ('[judge]\nmodel = "gpt-5"', 'judge.model must be "openai:MODEL", "ollama:MODEL", "anthropic:MODEL" or "", not \'gpt-5\'.'),
        ('[judge]\nmodel = "openai:"', 'judge.model must be "openai:MODEL", "ollama:MODEL", "anthropic:MODEL" or "", not \'openai:\'.'),
        ("[judge]\nmax_tokens = 1.5", "judge.max_tokens must be a whole number from 0 to 100000000, not 1.5."),
        ("[judge]\ntimeout_seconds = 0", "judge.timeout_seconds must be a whole number from 1 to 3600, not 0."),
        ("index = 3", "index must be a table, not 3. Write it as: [index]"),
    ],
)  # fmt: skip
def test_a_mistake_in_a_file_is_answered_with_file_key_and_remedy(
    desk: Desk, toml: str, message: str
) -> None:
    desk.vault_config.write_text(toml, encoding="utf-8")

    assert desk.error() == f"{desk.vault_config}: {message}"


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("VAULTMEM_SEARCH_LIMIT", "ten", "VAULTMEM_SEARCH_LIMIT must be a whole number from 1 to 1000, not 'ten'."),
        ("VAULTMEM_INDEX_LOCATION", "Vault", "VAULTMEM_INDEX_LOCATION must be \"vault\" or \"cache\", not 'Vault'. Did you mean 'vault'?"),
        ("VAULTMEM_HISTORY_CAPTURE_HAND_EDITS", "yes", "VAULTMEM_HISTORY_CAPTURE_HAND_EDITS must be true or false, not 'yes'."),
        ("VAULTMEM_HISTORY_KEEP_DAYS", "36501", "VAULTMEM_HISTORY_KEEP_DAYS must be a whole number from 0 to 36500, not 36501."),
        ("VAULTMEM_JUDGE_MAX_COST", "nan", "VAULTMEM_JUDGE_MAX_COST must be a number from 0 to 1000, not nan."),
        ("VAULTMEM_JUDGE_MAX_COST", "much", "VAULTMEM_JUDGE_MAX_COST must be a number from 0 to 1000, not 'much'."),
        ("VAULTMEM_JUDGE_PRICE", "cheap", "VAULTMEM_JUDGE_PRICE must be dollars for a million tokens in/out, such as \"0.25/2\", or \"\", not 'cheap'."),
        ("VAULTMEM_EMBEDER", "none", "The environment variable VAULTMEM_EMBEDER is not known. Did you mean 'VAULTMEM_EMBEDDER'?"),
        ("VAULTMEM_VALUT", "/v", "The environment variable VAULTMEM_VALUT is not known. Did you mean 'VAULTMEM_VAULT'?"),
    ],
)  # fmt: skip
def test_a_mistake_in_the_environment_is_answered_with_the_variable(
    desk: Desk, name: str, value: str, message: str
) -> None:
    assert desk.error({name: value}) == message


@pytest.mark.parametrize(
    ("text", "value"),
    [("true", True), ("1", True), (" TRUE ", True), ("false", False), ("0", False)],
)
def test_a_switch_in_the_environment(desk: Desk, text: str, value: bool) -> None:
    settings = desk.load({"VAULTMEM_HISTORY_CAPTURE_HAND_EDITS": text})

    assert settings.history.capture_hand_edits is value


@pytest.mark.parametrize(
    "line",
    [
        'base_url = "https://elsewhere.example/v1"',
        'api_key_env = "AWS_SECRET_ACCESS_KEY"',
        "max_cost = 900",
        'price = "0/0"',
    ],
)
def test_a_vault_cannot_say_who_gets_notes_and_keys_or_what_may_be_spent(
    desk: Desk, line: str
) -> None:
    key = f"judge.{line.partition(' ')[0]}"
    desk.vault_config.write_text(f"[judge]\n{line}\n", encoding="utf-8")

    assert desk.error({f"VAULTMEM_{key.upper().replace('.', '_')}": ""}) == (
        f"{desk.vault_config}: {key} is not taken from a vault's own settings. A vault may come from somebody else. "
        f"Put it into your own settings file, or set VAULTMEM_{key.upper().replace('.', '_')}."
    )

    desk.user_config.write_text(f"[judge]\n{line}\n", encoding="utf-8")
    desk.vault_config.write_text("", encoding="utf-8")
    assert desk.load().origin(key) == Origin("user", str(desk.user_config))


def test_a_vault_can_switch_a_model_off(desk: Desk) -> None:
    desk.user_config.write_text('[judge]\nmodel = "ollama:llama3.2"\n', encoding="utf-8")
    assert desk.load().judge.model == "ollama:llama3.2"

    desk.vault_config.write_text('[judge]\nmodel = ""\n', encoding="utf-8")
    assert desk.load().judge.model == ""
    assert desk.load({"VAULTMEM_JUDGE_MODEL": "none"}).judge.model == ""


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("api_key_env", "sk-proj-1a2B3c"),
        ("api_key_env", "lower_case"),
        ("api_key_env", "A" * 65),
        ("base_url", "https://me:secret@host/v1"),
        ("base_url", "file:///etc/passwd"),
        ("base_url", "http://[::1"),
        ("base_url", "localhost:9"),
    ],
)
def test_what_may_be_a_key_is_refused_and_not_shown(desk: Desk, key: str, value: str) -> None:
    desk.user_config.write_text(f'[judge]\n{key} = "{value}"\n', encoding="utf-8")

    assert desk.error().startswith(f"{desk.user_config}: judge.{key} must be ")
    assert desk.error().endswith(", not what stands there.")
    assert value not in desk.error()


def test_variables_that_are_none_of_ours_are_passed_over(desk: Desk) -> None:
    environ = {"VAULTMEM_VAULT": "/v", "VAULTMEM_MY_OWN_SCRIPT": "1", "HOME": "/h", "EMBEDER": "x"}

    assert desk.load(environ) == Settings()


def test_a_mistake_is_seen_even_where_a_better_place_wins(desk: Desk) -> None:
    desk.user_config.write_text("[search]\nlimit = -1\n", encoding="utf-8")

    with pytest.raises(SettingsError, match="limit"):
        desk.load(flags={"search.limit": 5})


def test_a_file_that_is_no_toml(desk: Desk) -> None:
    desk.user_config.write_text("limit is ten", encoding="utf-8")

    assert desk.error().startswith(f"The settings file {desk.user_config} is not valid TOML: ")
    assert "line 1" in desk.error()


def test_a_file_that_is_not_utf8(desk: Desk) -> None:
    desk.user_config.write_bytes(b"\xff\xfe[\x00")

    assert desk.error() == f"The settings file {desk.user_config} is not UTF-8. Save it as UTF-8."


def test_a_settings_file_that_is_a_folder(desk: Desk) -> None:
    desk.user_config.mkdir()

    assert desk.error().startswith(f"The settings file {desk.user_config} cannot be read: ")


@pytest.mark.parametrize(
    ("given", "root"),
    [
        ("Memory", "Memory"),
        ("Notes/Memory/", "Notes/Memory"),
        ("  记忆 ", "记忆"),
        ("My notes/v1.2", "My notes/v1.2"),
    ],
)
def test_a_memory_root_is_a_folder_in_the_vault(desk: Desk, given: str, root: str) -> None:
    assert desk.load(flags={"memory.root": given}).memory.root == root


@pytest.mark.parametrize(
    "root", ["", "/", "/abs", "a//b", "..", "a/../b", ".hidden", "a/.b", "C:/x", "a\\b", "a*"]
)
def test_a_memory_root_never_leaves_the_vault_or_hides_from_obsidian(desk: Desk, root: str) -> None:
    with pytest.raises(SettingsError, match=r"memory\.root must be a folder inside the vault"):
        desk.load(flags={"memory.root": root})


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists, max_leaves=3))
def test_a_value_of_any_type_is_taken_or_refused_and_nothing_else(value: object) -> None:
    for setting in SETTINGS:
        with suppress(SettingsError):
            load_settings(
                vault=None,
                user_config=Path("no-such-file"),
                environ={},
                flags={setting.key: value},  # type: ignore[dict-item]
            )


def test_every_setting_has_a_variable_and_a_line_about_it() -> None:
    assert [setting.key for setting in SETTINGS] == [each.key for each in explain(Settings())]
    assert len({setting.variable for setting in SETTINGS}) == len(SETTINGS)
    for setting in SETTINGS:
        assert setting.variable.startswith("VAULTMEM_")
        assert setting.about.endswith(".")


def test_loading_defaults_imports_nothing_that_takes_time() -> None:
    program = (
        "import sys; from pathlib import Path; from vaultmem.settings import load_settings;"
        "load_settings(vault=None, user_config=Path('no-such-file'), environ={'VAULTMEM_EMBEDDER': 'none'});"
        "print(sorted({'pydantic', 'tomllib', 'platformdirs', 'numpy', 'difflib'} & sys.modules.keys()))"
    )

    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )

    assert done.stdout.strip() == "[]"
