"""One entry put into settings that a person may have written."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultmem.server.mcp.json_splice import NotJsonError, with_value

PATH = ("servers", "vaultmem")
ENTRY = {"command": "vaultmem", "args": ["mcp"]}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", '{\n  "servers": {\n    "vaultmem": 1\n  }\n}\n'),
        ("{}", '{\n  "servers": {\n    "vaultmem": 1\n  }\n}'),
        (
            '{\n\t"a": 1, // mine\n\t"servers": {\n\t\t"x": {}\n\t}\n}\n',
            '{\n\t"a": 1, // mine\n\t"servers": {\n\t\t"x": {},\n\t\t"vaultmem": 1\n\t}\n}\n',
        ),
        ('{"servers": {"x": 2}}', '{"servers": {"x": 2, "vaultmem": 1}}'),
        ('{"servers": {"vaultmem": 2, "x": 3}}', '{"servers": {"vaultmem": 1, "x": 3}}'),
        (
            '{\r\n  "servers": {\r\n    "x": 2,\r\n  },\r\n}',
            '{\r\n  "servers": {\r\n    "x": 2,\r\n    "vaultmem": 1,\r\n  },\r\n}',
        ),
        ('\ufeff{"servers": {}}', '\ufeff{"servers": {\n  "vaultmem": 1\n}}'),
        ('{"servers":{"vaultmem":1}}', '{"servers":{"vaultmem":1}}'),
        (
            '{"a": "// no \\" comment", /* b */ "servers": {"c": [1, {}]}}',
            '{"a": "// no \\" comment", /* b */ "servers": {"c": [1, {}], "vaultmem": 1}}',
        ),
    ],
)
def test_everything_else_stays(before: str, after: str) -> None:
    assert with_value(before, PATH, 1) == after


@pytest.mark.parametrize(
    "text",
    [
        "[1]",
        "nonsense",
        '{"servers": 3}',
        '{"servers": {"a": }}',
        '{"a" 1}',
        '{"a": 1} x',
        "{" * 500,
    ],
)
def test_what_is_no_such_file_is_left_alone(text: str) -> None:
    with pytest.raises(NotJsonError):
        with_value(text, PATH, 1)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(st.dictionaries(st.text(max_size=6), JSON, max_size=4), st.sampled_from([None, 2, "\t"]))
def test_the_file_says_what_it_said_and_the_entry(
    held: dict[str, object], indent: int | str | None
) -> None:
    held.pop("servers", None)
    after = with_value(json.dumps(held, indent=indent), PATH, ENTRY)
    assert json.loads(after) == {**held, "servers": {"vaultmem": ENTRY}}
    assert with_value(after, PATH, ENTRY) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("{ // my servers\n}\n", '{ // my servers\n  "s": {\n    "v": {\n      "command": "x"\n    }\n  }\n}\n'),
        ('{"s": {"v": {"command": "old", "env": {"A": "1"}, "disabled": true}}}', '{"s": {"v": {"command": "x", "env": {"A": "1"}, "disabled": true}}}'),
        ('{"s": {"v": {"env": {"A": "1"}}}}', '{"s": {"v": {"env": {"A": "1"}, "command": "x"}}}'),
        ('{"s": {"v": 3}}', '{"s": {"v": {\n  "command": "x"\n}}}'),
    ],
)  # fmt: skip
def test_comments_and_members_of_a_person_stay(before: str, after: str) -> None:
    assert with_value(before, ["s", "v"], {"command": "x"}) == after


@pytest.mark.parametrize("broken", [r'{"a\qb": 1}', '{"a\tb": 1}', r'{"a": "\q"}'])
def test_a_string_that_json_does_not_know_is_told(broken: str) -> None:
    with pytest.raises(NotJsonError, match="line 1"):
        with_value(broken, ["s"], 1)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('{"a": 1 /* of a */ }', '{"a": 1, /* of a */ "b": 2 }'),
        ('{"a": 1, /* of a */ }', '{"a": 1, /* of a */ "b": 2, }'),
        ('{"a": 1 // of a\n}', '{"a": 1, // of a\n"b": 2\n}'),
        ('{\n  "a": 1 // of a\n}', '{\n  "a": 1, // of a\n  "b": 2\n}'),
        ('{\n  "a": 1,\n  // of a\n}', '{\n  "a": 1,\n  // of a\n  "b": 2,\n}'),
    ],
)
def test_a_comment_stays_with_the_member_that_it_stands_behind(before: str, after: str) -> None:
    assert with_value(before, ("b",), 2) == after
