"""How fast a client may call, what it is called, and what errors may say."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.mcp.client import make_vault
from tests.vaults import vault_at
from vaultmem.errors import (
    FailedError,
    LockedError,
    NotFoundError,
    RefusedError,
    UsageError,
    VaultmemError,
)
from vaultmem.notes.refusal import Candidate, EditRefused
from vaultmem.notes.refusal import RefusalCode as EditCode
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


PLACES = tuple(Candidate((), line, "- x") for line in range(20))


def calls_of(root: Path) -> Calls:
    def never() -> object:
        raise AssertionError

    desk = Desk(never)  # type: ignore[arg-type]
    return Calls(desk, mark=lambda: "word", read_only=False, private=private_places(root, root))


def test_what_goes_wrong_in_the_background_is_told_once_with_the_next_answer(
    tmp_path: Path,
) -> None:
    class Broken:
        def __init__(self, error: VaultmemError) -> None:
            self._error = error

        def run(self) -> None:
            raise self._error

        def stop(self) -> None:
            pass

    async def answers(error: VaultmemError) -> list[str]:
        desk = Desk(lambda: vault_at(root), watch=lambda: Broken(error))
        calls = Calls(desk, mark=lambda: "word", read_only=False, private={})
        desk.begin()
        desk._thread.join(30)
        found = [
            (await calls.call("memory_search", {"query": "Ada"}, by="t")).text for _ in range(2)
        ]
        desk.close()
        return [text.splitlines()[0] for text in found]

    root = make_vault(tmp_path / "vault", {"Ada.md": "Ada sails.\n"})
    first = "Notes 1 to 1 of 1."

    assert asyncio.run(answers(FailedError("No events."))) == [
        'Something went wrong in the background: <vault-data id="word" from="error">The vault is not watched, '
        'so each answer compares the files: No events.</vault-data id="word">',
        first,
    ]
    assert asyncio.run(answers(LockedError("Another watches."))) == [first, first]


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
        " Tell the person; it will hardly mend itself."
    )
    long = calls.said(FailedError("x" * 9999))
    assert len(long) < 2000
    assert "x… and 8,499 more characters<" in long


@pytest.mark.parametrize(
    ("error", "advice"),
    [
        (UsageError("No [[Ada]]."), "Change the arguments, then try once more."),
        (NotFoundError("No [[Ada]]."), "Look with memory_search and memory_get for what there is."),
        (RefusedError("No [[Ada]]."), "Nothing was changed; tell the person why."),
        (
            EditRefused(EditCode.MANY_MATCHES, "No.", candidates=PLACES),
            "Read the note with memory_get and name the place as it stands there.",
        ),
    ],
)
def test_advice_stands_outside_of_what_is_not_to_be_followed(
    tmp_path: Path, error: VaultmemError, advice: str
) -> None:
    said = calls_of(tmp_path).said(error)

    assert said.rpartition('</vault-data id="word"> ')[2] == advice


def test_places_that_are_not_told_are_counted(tmp_path: Path) -> None:
    error = EditRefused(EditCode.MANY_MATCHES, "No.", candidates=PLACES)

    assert "line 8: - x and 12 more." in calls_of(tmp_path).said(error)
