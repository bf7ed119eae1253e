"""The value of a property as a person types it: no character of it changes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultmem.notes.frontmatter import read_frontmatter
from vaultmem.notes.model import PropertyValue
from vaultmem.notes.obsidian import ObsidianSettings
from vaultmem.notes.property_edit import SetProperty, plan_property_edit
from vaultmem.notes.textedit import apply_edits
from vaultmem.notes.typed_value import typed_value
from vaultmem.notes.yaml_splice import same_value


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("0", 0),
        ("-5", -5),
        ("3.0", 3.0),
        ("false", False),
        ("null", None),
        ("", None),
        # Spelled as no number is written: a version, a telephone number, a code.
        ("1.10", "1.10"),
        ("00491234567", "00491234567"),
        ("007", "007"),
        ("0x1F", "0x1F"),
        ("0o7", "0o7"),
        ("1e3", "1e3"),
        ("5.10e2", "5.10e2"),
        ("+3", "+3"),
        ("-0", "-0"),
        (".5", ".5"),
        ("1.", "1."),
        ("12345678901234567890", "12345678901234567890"),
        ("TRUE", "TRUE"),
        ("Null", "Null"),
        ("~", "~"),
        # What YAML would cut or take apart.
        ("due # soon", "due # soon"),
        (" x ", " x "),
        ("a: b", "a: b"),
        ("[a, b]", "[a, b]"),
        ("[[Reef]]", "[[Reef]]"),
        ("two\nlines", "two\nlines"),
        # Between quotes everything is text.
        ('"007"', "007"),
        ("'it''s'", "it's"),
        ('"null"', "null"),
        ('"a" and "b"', '"a" and "b"'),
        ('"', '"'),
    ],
)
def test_what_a_word_means(word: str, value: PropertyValue) -> None:
    assert same_value(typed_value(word), value)


WORDS = st.one_of(
    st.from_regex(r"[-+0-9.eExXo_:#~'\" ]{1,12}", fullmatch=True),
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12),
    st.integers().map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
)


@given(WORDS)
def test_no_character_of_a_value_changes(word: str) -> None:
    """Unless it is between quotes or null, the note holds the word itself: plain, or as text that reads back so."""
    value = typed_value(word)
    if value is None or (word[0] == word[-1] and word[0] in "\"'"):
        return
    change = SetProperty("k", value)
    text = "---\na: 1\n---\n"
    edits = plan_property_edit(text, change, path="a.md", settings=ObsidianSettings())
    after = apply_edits(text, edits)
    assert value == word or f"\nk: {word}\n" in after
    assert same_value(read_frontmatter(after).values["k"], value)
