"""What agents may name, and what is refused whatever it is called."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mcp.client import make_vault
from vaultmem.errors import RefusedError, UsageError
from vaultmem.server.mcp.reach import Reach, name_of


@pytest.mark.parametrize(
    "name",
    [
        "../outside.md",
        "in/../../outside.md",
        "/etc/passwd",
        "..\\outside.md",
        "in\\..\\..\\x",
        "%2e%2e/outside.md",
        "..%2foutside.md",
        "%252e%252e%252foutside.md",
        "in/./../../outside.md",
        "file:///etc/passwd",
        "~/outside.md",
        "in/a.md\0.txt",
        "in/a.md%00.txt",
        ".obsidian/app.json",
        ".git/config",
        "in/.hidden/a.md",
        "%2eobsidian/app.json",
        "C:\\Windows\\x.md",
        "c:/x.md",
        "\\\\server\\share\\x.md",
        "//server/share",
        "memo://note/../outside.md",
        "memo://note/%2e%2e/outside.md",
        "memo://note//etc/passwd",
        "memo://other/x",
        "http://example.org/x",
        "[[../outside]]",
        "",
        "   ",
        "memo://note/",
        "a\nb",
        "x" * 2000,
    ],
)
def test_names_that_lead_elsewhere(name: str) -> None:
    with pytest.raises(UsageError) as caught:
        name_of(name)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("Boats/Heron.md", "Boats/Heron.md"),
        ("memo://note/Boats/Heron.md#L3", "Boats/Heron.md"),
        ("100 % wool", "100 % wool"),
        ("Wait… what?", "Wait… what?"),
        ("memo://note/H%C3%A4fen/a%20b.md", "Häfen/a b.md"),
        ("港口/維護.md", "港口/維護.md"),
        ("a..b", "a..b"),
        ("[[Heron#Log]]", "[[Heron#Log]]"),
    ],
)
def test_names_that_are_names(given: str, name: str) -> None:
    assert name_of(given) == name


def test_what_is_hidden_excluded_or_elsewhere_is_not_seen(tmp_path: Path) -> None:
    root = make_vault(
        tmp_path / "vault",
        {
            "a.md": "x",
            "Private/b.md": "x",
            ".obsidian/app.json": '{"userIgnoreFilters": ["Private/"]}',
        },
    )
    outside = make_vault(tmp_path / "outside", {"c.md": "x"})
    (root / "linked").symlink_to(outside)
    (root / "d.md").symlink_to(outside / "c.md")
    reach = Reach(root)
    seen = [
        p
        for p in ("a.md", "Private/b.md", ".obsidian/app.json", "linked/c.md", "d.md")
        if reach.sees(p)
    ]
    assert seen == ["a.md"]
    with pytest.raises(RefusedError):
        reach.require_new("Private/new.md")


@pytest.mark.parametrize(
    "half", ['{"userIgnoreFilters": ["Private/"', '{"userIgnoreFilters": ["/(/"]}']
)
def test_while_it_is_not_known_what_is_excluded_nothing_is_seen(tmp_path: Path, half: str) -> None:
    root = make_vault(tmp_path / "vault", {"a.md": "x", ".obsidian/app.json": half})

    reach = Reach(root)

    assert not reach.sees("a.md")
    with pytest.raises(RefusedError, match="not known which notes are excluded"):
        reach.check_known()
