"""How fast a client may call, what it is called, and what errors may say."""

from __future__ import annotations

from pathlib import Path

import pytest

from vaultmem.errors import FailedError, RefusedError
from vaultmem.server.mcp.calls import BURST, PER_SECOND, Calls, Pace, actor, private_places
from vaultmem.server.mcp.desk import Desk


def test_a_client_that_calls_too_fast_has_to_wait() -> None:
    now = [0.0]
    pace = Pace(lambda: now[0])
    for _ in range(BURST):
        pace.take()
    with pytest.raises(RefusedError, match="calls a second"):
        pace.take()
    now[0] += 2 / PER_SECOND
    pace.take()
    pace.take()
    with pytest.raises(RefusedError):
        pace.take()


@pytest.mark.parametrize(
    ("name", "known"),
    [("Claude", "Claude"), ("", "mcp client"), ("a\nb\x1b[2J", "a b [2J"), ("x" * 99, "x" * 64)],
)
def test_what_the_journal_calls_a_client(name: str, known: str) -> None:
    assert actor(name) == known


def test_an_error_is_one_line_and_names_no_place_on_this_machine(tmp_path: Path) -> None:
    root, home = tmp_path / "home" / "vault", tmp_path / "home"
    root.mkdir(parents=True)

    def never() -> object:
        raise AssertionError

    desk = Desk(never)  # type: ignore[arg-type]
    calls = Calls(desk, mark=lambda: "word", read_only=False, private=private_places(root, home))
    error = FailedError(f"{root}/a.md is\nlocked.", hint=f"See {home}/.config.")
    assert calls.said(error) == (
        'failed: <vault-data id="word" from="error">the vault/a.md is locked. See ~/.config.</vault-data id="word">'
    )
    assert len(calls.said(FailedError("x" * 9999))) < 2000
