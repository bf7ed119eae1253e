"""Vault paths: comparison keys, kinds, names, hidden files, conflict copies, clashes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultmem.notes.paths import (
    FileKind,
    clashes,
    conflict_original,
    file_kind,
    is_hidden,
    name_key,
    parent,
    path_key,
    stem,
)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Coast/Reef.md", "coast/REEF.MD"),
        ("Cafe\u0301.md", "Caf\u00e9.md"),
        ("CAFE\u0301.md", "caf\u00e9.md"),
        ("Tide\u00a0table.md", "Tide table.md"),
        ("Tide\u202ftable.md", "tide TABLE.md"),
        ("ŻABA.md", "żaba.md"),
        ("ΟΔΟΣ.md", "οδος.md"),  # the sigma is final in one of them
    ],
)
def test_paths_that_mean_the_same_have_one_key(one: str, other: str) -> None:
    assert path_key(one) == path_key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("a/b.md", "a-b.md"), ("Reef.md", "Reef"), ("Reef .md", "Reef.md"), ("straße", "strasse")],
)
def test_other_paths_have_other_keys(one: str, other: str) -> None:
    assert path_key(one) != path_key(other)


@given(st.text())
def test_a_key_is_its_own_key_and_grows_with_its_path(text: str) -> None:
    key = path_key(text)
    assert path_key(key) == key
    assert path_key("a/" + text + ".md") == "a/" + key + ".md"


def test_a_name_key_is_that_of_the_last_part() -> None:
    assert name_key("Coast/North/Reef.MD") == "reef.md"
    assert name_key("Reef") == "reef"


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("a/Reef.md", FileKind.NOTE),
        ("a/Reef.MD", FileKind.NOTE),
        ("v1.2.md", FileKind.NOTE),
        ("Plan.canvas", FileKind.CANVAS),
        ("List.base", FileKind.BASE),
        *(
            (f"p.{name}", FileKind.IMAGE)
            for name in ["avif", "bmp", "gif", "jpeg", "JPG", "png", "svg", "webp"]
        ),
        *((f"s.{name}", FileKind.AUDIO) for name in ["flac", "m4a", "mp3", "ogg", "wav", "3gp"]),
        *((f"f.{name}", FileKind.VIDEO) for name in ["mkv", "mov", "mp4", "ogv", "webm"]),
        ("scan.PDF", FileKind.PDF),
        ("notes.txt", FileKind.OTHER),
        ("pump.md~", FileKind.OTHER),
        ("md", FileKind.OTHER),
        ("a.md/README", FileKind.OTHER),
    ],
)
def test_the_extension_tells_the_kind_in_any_case(path: str, kind: FileKind) -> None:
    assert file_kind(path) is kind


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("Coast/Reef.md", "Reef"),
        ("Reef.MD", "Reef"),
        ("v1.2.md", "v1.2"),
        ("Log.md.md", "Log.md"),
        ("img/p.png", "p.png"),
        ("Plan.canvas", "Plan.canvas"),
    ],
)
def test_only_notes_lose_their_extension(path: str, name: str) -> None:
    assert stem(path) == name


def test_the_parent_of_a_file_in_the_root_is_empty() -> None:
    assert (parent("Reef.md"), parent("a/b/Reef.md")) == ("", "a/b")


@pytest.mark.parametrize(
    ("path", "hidden"),
    [
        (".trash/b.md", True),
        ("x/.hidden/e.md", True),
        ("x/.f.md", True),
        (".obsidian", True),
        ("x/a.b/c.md", False),
        ("v1..2.md", False),
    ],
)
def test_a_dot_at_the_start_of_any_part_hides(path: str, hidden: bool) -> None:
    assert is_hidden(path) is hidden


@pytest.mark.parametrize(
    ("copy", "original"),
    [
        ("Log (Conflicted copy Laptop 202501312359).md", "Log.md"),
        ("a/Log (Conflicted copy My old phone (2) 202501312359).md", "a/Log.md"),
        ("Log.sync-conflict-20250131-235900-ABCDEFG.md", "Log.md"),
        ("a b/Plan.sync-conflict-20250131-235900-ABCDEFG.canvas", "a b/Plan.canvas"),
        ("Log (Ann's conflicted copy 2025-01-31).md", "Log.md"),
        ("Log (conflicted copy 2025-01-31 235900).md", "Log.md"),
        ("v1.2.sync-conflict-20250131-235900-ABCDEFG.md", "v1.2.md"),
        ("Makefile.sync-conflict-20250131-235900-ABCDEFG", "Makefile"),
        # a copy of a copy
        (
            "Log.sync-conflict-20250131-235900-ABC.sync-conflict-20250201-000000-DEF.md",
            "Log.md",
        ),
        ("Log 1.md", None),
        ("Log (copy).md", None),
        ("Conflicted copy.md", None),
        ("About conflicted copy files.md", None),
        ("How to read .sync-conflict- names.md", None),
    ],
)
def test_conflict_copies_name_their_original(copy: str, original: str | None) -> None:
    assert conflict_original(copy) == original


def test_clashes_are_paths_equal_without_case_or_unicode_form() -> None:
    paths = ["reef.md", "Reef.md", "a/reef.md", "Caf\u00e9.md", "Cafe\u0301.md", "other.md"]
    assert clashes(paths) == [("Cafe\u0301.md", "Caf\u00e9.md"), ("Reef.md", "reef.md")]
