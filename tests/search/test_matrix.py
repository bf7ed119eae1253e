"""A process that searches again and again finds by meaning just what a fresh one finds, whatever was edited meanwhile."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.vaults import vault_at, write
from vaultmem.search import matrix
from vaultmem.search.model import Lane
from vaultmem.settings import EmbedSettings, Settings
from vaultmem.vault import Vault

SEMANTIC = Settings(embed=EmbedSettings(model="static"))
WORDS = ("harbour", "kettle", "violin", "glacier", "orchard", "lantern", "ledger", "sparrow")
QUESTIONS = ("ships in the port", "music for strings", "fruit trees", "ice and snow")


def nearest(vault: Vault) -> list[list[tuple[str, int, float]]]:
    """The hits of all questions by meaning alone, those of equal score in the order of their path."""
    vault.sync()
    return [
        sorted(
            (hit.path, hit.block, round(rank.score, 5))
            for hit in vault.search(question, limit=100, lanes=[Lane.VECTOR], sync=False).hits
            for rank in hit.lanes
        )
        for question in QUESTIONS
    ]


def text(first: int, second: int) -> str:
    return f"# {WORDS[first]}\n\nThe {WORDS[second]} and the {WORDS[first]}.\n\n## More\n\nA {WORDS[second]}.\n"


word = st.integers(0, len(WORDS) - 1)
name = st.integers(0, 8).map(lambda number: f"{number}.md")
edit = st.one_of(
    st.tuples(st.just("write"), name, word, word),
    st.tuples(st.just("remove"), name),
    st.tuples(st.just("rename"), name, name),
)


def carry_out(root: Path, what: tuple[str | int, ...]) -> None:
    place = root / str(what[1])
    if what[0] == "write":
        write(root, {str(what[1]): text(int(what[2]), int(what[3]))})
    elif what[0] == "remove":
        place.unlink(missing_ok=True)
    elif place.exists():
        place.replace(root / str(what[2]))


@given(st.lists(st.lists(edit, min_size=1, max_size=3), min_size=1, max_size=4))
@settings(max_examples=5, deadline=None)
def test_a_warm_search_finds_what_a_fresh_one_finds(
    tmp_path_factory: object, rounds: list[list[tuple[str | int, ...]]]
) -> None:
    root = tmp_path_factory.mktemp("vault")  # type: ignore[attr-defined]
    write(root, {f"{number}.md": text(number % 8, number // 2) for number in range(12)})
    with vault_at(root, settings=SEMANTIC) as warm:
        for _ in range(2):
            nearest(warm)  # from the second time on in memory
        for edits in rounds:
            for what in edits:
                carry_out(root, what)
            found = nearest(warm)
            assert warm._searching.memory.matrix._loaded is not None
            with vault_at(root, settings=SEMANTIC) as fresh:
                assert found == nearest(fresh)


def test_many_notes_read_anew_are_loaded_again(tmp_path: Path) -> None:
    root = tmp_path / "vault"
    write(root, {f"{number}.md": text(number % 8, number % 7) for number in range(40)})
    with vault_at(root, settings=SEMANTIC) as warm:
        nearest(warm)
        nearest(warm)
        before = matrix.MOST_ANEW
        matrix.MOST_ANEW = 5
        try:
            write(root, {f"{number}.md": text(number % 5, number % 3) for number in range(20)})
            found = nearest(warm)
        finally:
            matrix.MOST_ANEW = before
        with vault_at(root, settings=SEMANTIC) as fresh:
            assert found == nearest(fresh)
