"""Names the product may create."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultmem.notes.names import free_name, name_problems
from vaultmem.notes.paths import path_key


@pytest.mark.parametrize(
    ("name", "problems"),
    [
        ("Tide table 2.0", set()),
        ("潮の表 🌊", set()),
        ("50% done", set()),
        ("console", set()),
        ("com10", set()),
        ("C# intro", {"link-unsafe"}),
        ("a^b", {"link-unsafe"}),
        ("a[b", {"link-unsafe"}),
        ("a]b", {"link-unsafe"}),
        ("a%%b", {"link-unsafe"}),
        ("a|b", {"link-unsafe", "reserved-char"}),
        *((f"a{mark}b", {"reserved-char"}) for mark in '\\/:*?"<>'),
        (".draft", {"leading-dot"}),
        ("Notes.", {"trailing-dot-or-blank"}),
        ("Notes ", {"trailing-dot-or-blank"}),
        ("..", {"leading-dot", "trailing-dot-or-blank"}),
        (" ", {"trailing-dot-or-blank"}),
        ("con", {"device-name"}),
        ("Nul.old", {"device-name"}),
        ("LPT1", {"device-name"}),
        ("tide\u0007table", {"control-char"}),
        ("tide\ntable", {"control-char"}),
        ("tide\u0085table", {"control-char"}),
        ("", {"empty"}),
        ("x" * 252, set()),
        ("x" * 253, {"too-long"}),
        ("é" * 126, set()),
        ("é" * 127, {"too-long"}),
    ],
)
def test_problems(name: str, problems: set[str]) -> None:
    assert {str(problem) for problem in name_problems(name)} == problems


@pytest.mark.parametrize(
    ("name", "taken", "free"),
    [
        ("Reef", [], "Reef"),
        ("Reef", ["Other.md"], "Reef"),
        ("Reef", ["Reef.png"], "Reef"),
        ("Reef", ["reef.MD"], "Reef 1"),
        ("Reef", ["Reef.md", "REEF 1.md", "Reef 3.md"], "Reef 2"),
        ("Cafe\u0301", [], "Caf\u00e9"),
        ("Cafe\u0301", ["Cafe\u0301.md"], "Caf\u00e9 1"),
        ("x" * 252, ["x" * 252 + ".md"], "x" * 250 + " 1"),
    ],
)
def test_a_free_name(name: str, taken: list[str], free: str) -> None:
    assert free_name(name, taken) == free


@given(st.text(min_size=1, max_size=300), st.sets(st.integers(1, 30)))
def test_a_free_name_is_free_and_never_longer_than_a_file_system_takes(
    name: str, numbers: set[int]
) -> None:
    taken = [f"{name}.md", *(f"{name} {number}.md" for number in numbers)]
    found = free_name(name, taken)
    assert path_key(found + ".md") not in {path_key(other) for other in taken}
    assert len((found + ".md").encode("utf-8", "surrogatepass")) <= 255
