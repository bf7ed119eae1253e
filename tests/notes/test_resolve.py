"""Where link targets lead (rules R-01 to R-21)."""

import unicodedata
from random import Random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from vaultmem.notes.model import Resolution, ResolvedBy
from vaultmem.notes.paths import path_key
from vaultmem.notes.resolve import (
    NameIndex,
    affected_name_keys,
    link_name_key,
    resolve,
    resolve_exact,
    unresolved_name,
)

NAME, EXACT, SUFFIX = ResolvedBy.NAME, ResolvedBy.EXACT, ResolvedBy.SUFFIX


@pytest.mark.parametrize(
    ("vault", "source", "target", "path", "by"),
    [
        # case
        (["Harbour Log.md"], "Start.md", "harbour LOG", "Harbour Log.md", NAME),
        (["Coast/Harbour.md"], "Start.md", "coast/harbour.MD", "Coast/Harbour.md", EXACT),
        (["x/g.MD"], "Start.md", "G", "x/g.MD", NAME),
        # names with a dot
        (["Release 1.2.md"], "Start.md", "Release 1.2", "Release 1.2.md", NAME),
        (["Log.md", "Log.md.md"], "Start.md", "Log.md", "Log.md", NAME),
        (["Log.md", "Log.md.md"], "Start.md", "Log.md.md", "Log.md.md", NAME),
        (["Log.md.md"], "Start.md", "Log.md", "Log.md.md", NAME),
        (["v1.2", "v1.2.md"], "Start.md", "v1.2", "v1.2", NAME),
        (["y/v1.2", "x/v1.2.md"], "Start.md", "x/v1.2", "x/v1.2.md", EXACT),
        # no extension means a note
        (["Board.canvas", "Board.base", "Board.png"], "Start.md", "Board", None, None),
        (["Board.canvas", "x/Board.md"], "Start.md", "Board", "x/Board.md", NAME),
        (["Board.canvas", "Board.md"], "Start.md", "Board.canvas", "Board.canvas", NAME),
        (["Board"], "Start.md", "Board", None, None),
        # Unicode form, no-break spaces
        (["Cafe\u0301.md"], "Start.md", "Caf\u00e9", "Cafe\u0301.md", NAME),
        (["Caf\u00e9.md"], "Start.md", "Cafe\u0301", "Caf\u00e9.md", NAME),
        (["Tide\u00a0table.md"], "Start.md", "Tide table", "Tide\u00a0table.md", NAME),
        (["a/Cafe\u0301/x.md"], "Start.md", "caf\u00e9/x", "a/Cafe\u0301/x.md", SUFFIX),
        #
        (["b/c/d/Reef.md"], "a/Start.md", "Reef", "b/c/d/Reef.md", NAME),
        # relative, exactly or not at all
        (["a/Reef.md", "Reef.md"], "a/b/S.md", "../Reef", "a/Reef.md", ResolvedBy.RELATIVE),
        (["a/Reef.md", "Reef.md"], "a/S.md", "./Reef", "a/Reef.md", ResolvedBy.RELATIVE),
        (["img/p.png"], "a/S.md", "../img/p.png", "img/p.png", ResolvedBy.RELATIVE),
        (["a/c/Reef.md"], "a/S.md", "./b/../c/reef", "a/c/Reef.md", ResolvedBy.RELATIVE),
        (["b/Reef.md"], "a/Start.md", "../Reef", None, None),
        (["b/Reef.md"], "a/Start.md", "./Reef", None, None),
        (["Reef.md"], "Start.md", "../Reef", None, None),
        (["Reef.md"], "a/Start.md", "../../Reef", None, None),
        # the exact path
        (["a/Reef.md", "Reef.md"], "a/Start.md", "Reef", "Reef.md", EXACT),
        (["a/b/Reef.md", "b/Reef.md"], "a/Start.md", "b/Reef", "b/Reef.md", EXACT),
        # a suffix at a folder's boundary
        (["a/b/Reef.md", "c/Reef.md"], "Start.md", "b/Reef", "a/b/Reef.md", SUFFIX),
        (["a/sub/Reef.md"], "Start.md", "ub/Reef", None, None),
        # a leading slash
        (["a/Reef.md", "b/Reef.md"], "a/Start.md", "/b/Reef", "b/Reef.md", EXACT),
        (["a/Reef.md", "c/b/Reef.md"], "a/Start.md", "/b/Reef", None, None),
        (["a/Reef.md"], "Start.md", "/Reef", None, None),
        # folders
        (["Coast/README.md", "Coast/index.md"], "Start.md", "Coast", None, None),
        (["Coast/README.md"], "Start.md", "Coast/", None, None),
        (["Coast/README.md"], "Coast/x.md", ".", None, None),
        (["Coast/README.md"], "Coast/x.md", "..", None, None),
        (["Coast/README.md"], "Coast/x.md", "./", None, None),
        (["Coast/README.md"], "Coast/x.md", "/", None, None),
        # hidden files
        ([".trash/Reef.md", "x/.old/Reef.md"], "Start.md", "Reef", None, None),
        # the note itself
        (["a/Start.md"], "a/Start.md", "", "a/Start.md", ResolvedBy.SELF),
    ],
)
def test_one_answer(
    vault: list[str], source: str, target: str, path: str | None, by: ResolvedBy | None
) -> None:
    assert resolve(target, source, NameIndex(vault)) == Resolution(path, by)


@pytest.mark.parametrize(
    ("vault", "source", "target", "ranking"),
    [
        # below the folder of the source first
        (
            ["a/deep/er/Reef.md", "b/Reef.md"],
            "a/Start.md",
            "Reef",
            ["a/deep/er/Reef.md", "b/Reef.md"],
        ),
        (["ab/Reef.md", "z/Reef.md"], "a/Start.md", "Reef", ["z/Reef.md", "ab/Reef.md"]),
        (
            ["a/Reef-long-folder-name/Reef.md", "z/Reef.md"],
            "a/b/Start.md",
            "Reef",
            ["z/Reef.md", "a/Reef-long-folder-name/Reef.md"],
        ),
        (["A/x/Reef.md", "b/Reef.md"], "a/Start.md", "reef", ["A/x/Reef.md", "b/Reef.md"]),
        # characters, then code points
        (
            ["longfolder/Reef.md", "a/b/Reef.md"],
            "Start.md",
            "Reef",
            ["a/b/Reef.md", "longfolder/Reef.md"],
        ),
        (["b/Reef.md", "a/Reef.md"], "Start.md", "Reef", ["a/Reef.md", "b/Reef.md"]),
        (["a/Reef.md", "B/Reef.md"], "Start.md", "Reef", ["B/Reef.md", "a/Reef.md"]),
        (["e\u0301/Reef.md", "ab/Reef.md"], "S.md", "Reef", ["e\u0301/Reef.md", "ab/Reef.md"]),
        (
            ["x/b/Reef.md", "long/b/Reef.md", "c/Reef.md"],
            "S.md",
            "b/Reef",
            ["x/b/Reef.md", "long/b/Reef.md"],
        ),
        # files that differ in case only: the one spelled as typed
        (["x/Reef.md", "x/reef.md"], "S.md", "reef", ["x/reef.md", "x/Reef.md"]),
        (["x/Reef.md", "x/reef.md"], "S.md", "Reef", ["x/Reef.md", "x/reef.md"]),
        (["x/Reef.md", "x/reef.md"], "S.md", "REEF", ["x/Reef.md", "x/reef.md"]),
        # neither of two equal paths is spelled as typed
        (["Reef.md", "reef.md"], "S.md", "REEF", ["Reef.md", "reef.md"]),
    ],
)
def test_ties_are_ranked_and_reported(
    vault: list[str], source: str, target: str, ranking: list[str]
) -> None:
    found = resolve(target, source, NameIndex(vault))
    assert (found.path, found.candidates) == (ranking[0], tuple(ranking))
    assert found.ambiguous


@pytest.mark.parametrize("typed", ["Reef", "reef"])
@pytest.mark.parametrize("form", ["{}", "/{}", "./{}", "{}.md"])
def test_of_two_exact_paths_the_one_spelled_as_typed_is_meant(typed: str, form: str) -> None:
    found = resolve(form.format(typed), "Start.md", NameIndex(["Reef.md", "reef.md"]))
    assert found.path == f"{typed}.md"
    assert not found.ambiguous


def test_a_canvas_names_exact_paths() -> None:
    names = NameIndex(["a/Reef.md", "b/Reef.md", "p.png"])
    assert resolve_exact("A/reef.md", names) == Resolution("a/Reef.md", EXACT)
    assert resolve_exact("Reef.md", names) == Resolution(None, None)
    assert resolve_exact("a/Reef", names) == Resolution(None, None)
    assert resolve_exact("p.png", names) == Resolution("p.png", EXACT)


def test_an_index_follows_files_that_come_and_go() -> None:
    names = NameIndex(["a/Reef.md"])
    names.add("b/Reef.md")
    names.add("b/Reef.md")
    assert sorted(names("reef.md")) == ["a/Reef.md", "b/Reef.md"]
    names.remove("a/Reef.md")
    names.remove("a/Reef.md")
    names.remove("never/there.md")
    assert resolve("Reef", "S.md", names) == Resolution("b/Reef.md", NAME)
    names.remove("b/Reef.md")
    assert list(names("reef.md")) == []


@pytest.mark.parametrize(
    ("target", "name"),
    [
        ("Sand", "Sand"),
        ("Sand.md", "Sand"),
        ("a/Sand.MD", "a/Sand"),
        ("../Sand", "../Sand"),
        ("p.png", "p.png"),
        ("|", "|"),
    ],
)
def test_a_missing_note_is_listed_as_typed_without_md(target: str, name: str) -> None:
    assert unresolved_name(target) == name


# --- against an oracle that goes through the whole vault, rule by rule ---


def oracle(target: str, source: str, vault: list[str]) -> Resolution:
    if target == "":
        return Resolution(source, ResolvedBy.SELF)
    last = target.split("/")[-1]
    for typed in [target, target + ".md"] if "." in last else [target + ".md"]:
        found = oracle_for_name(typed, source, vault)
        if found.path is not None:
            return found
    return Resolution(None, None)


def oracle_for_name(typed: str, source: str, vault: list[str]) -> Resolution:
    wanted = [part_key(part) for part in typed.split("/")]
    split = {path: [part_key(part) for part in path.split("/")] for path in vault}
    named = [path for path in vault if split[path][-1] == wanted[-1]]
    if wanted[-1] == ".md" or not named:
        return Resolution(None, None)
    if len(wanted) == 1 and len(named) == 1:
        return Resolution(named[0], NAME)
    if wanted[0] in {".", ".."}:
        folders = source.split("/")[:-1]
        for part in typed.split("/"):
            if part == ".." and not folders:
                return Resolution(None, None)
            folders = folders[:-1] if part == ".." else folders + [part] * (part != ".")
        hits = [path for path in named if split[path] == [part_key(part) for part in folders]]
        return oracle_choice(hits, "/".join(folders), ResolvedBy.RELATIVE)
    if wanted[0] == "":
        hits = [path for path in named if split[path] == wanted[1:]]
        return oracle_choice(hits, typed[1:], EXACT)
    exact = [path for path in named if split[path] == wanted]
    if exact:
        return oracle_choice(exact, typed, EXACT)
    hits = [path for path in named if split[path][-len(wanted) :] == wanted]
    if len(hits) < 2:
        return oracle_choice(hits, typed, SUFFIX)
    here = [part_key(part) for part in source.split("/")[:-1]]
    hits.sort(key=lambda path: (split[path][: len(here)] != here, len(path), path))
    twins = [path for path in hits if split[path] == split[hits[0]]]
    as_typed = [path for path in twins if path.split("/")[-len(wanted) :] == typed.split("/")]
    if len(as_typed) == 1:
        hits = as_typed + [path for path in hits if path not in as_typed]
    return Resolution(hits[0], SUFFIX, tuple(hits))


def oracle_choice(hits: list[str], typed: str, by: ResolvedBy) -> Resolution:
    if not hits:
        return Resolution(None, None)
    spelled = [path for path in hits if path == typed]
    if len(hits) == 1 or spelled:
        return Resolution((spelled or hits)[0], by)
    hits = sorted(hits, key=lambda path: (len(path), path))
    return Resolution(hits[0], by, tuple(hits))


def part_key(part: str) -> str:
    return unicodedata.normalize("NFC", part).lower()


FOLDERS = ["a", "A", "b", "ab", "é", "n.d"]
NAMES = ["Reef", "reef", "Sand", "v1.2", "Reef.md", "é"]
ENDINGS = [".md", ".MD", ".png", "", ".canvas"]

folder_lists = st.lists(st.sampled_from(FOLDERS), max_size=3)
file_names = st.builds(
    lambda name, end: name + end, st.sampled_from(NAMES), st.sampled_from(ENDINGS)
)
paths = st.builds(lambda folders, name: "/".join([*folders, name]), folder_lists, file_names)
vaults = st.lists(paths, max_size=8, unique=True)
targets = st.one_of(
    paths,
    st.builds(
        lambda start, folders, name: start + "/".join([*folders, name]),
        st.sampled_from(["", "/", "./", "../", "../../", "./../"]),
        folder_lists,
        st.sampled_from([*NAMES, "", "REEF", "Reef.png"]),
    ),
)


@given(vaults, paths, targets)
@example(["a/Reef.md", "A/Reef.md", "A/reef.md"], "x.md", "reef")
@example(["a/v1.2", "v1.2.md"], "a/x.md", "v1.2")
def test_resolving_agrees_with_a_walk_over_the_whole_vault(
    vault: list[str], source: str, target: str
) -> None:
    assert resolve(target, source, NameIndex(vault)) == oracle(target, source, vault)


@given(vaults, paths, targets, st.randoms(use_true_random=False))
def test_the_order_of_the_files_does_not_matter(
    vault: list[str], source: str, target: str, random: Random
) -> None:
    shuffled = list(vault)
    random.shuffle(shuffled)
    expected = resolve(target, source, NameIndex(vault))
    assert resolve(target, source, NameIndex(shuffled)) == expected


@given(vaults, paths, paths, targets)
def test_only_links_under_the_affected_keys_can_change_when_a_file_comes(
    vault: list[str], added: str, source: str, target: str
) -> None:
    if link_name_key(target) in affected_name_keys(added):
        return
    before = resolve(target, source, NameIndex(vault))
    assert resolve(target, source, NameIndex([*vault, added])) == before


@given(vaults, paths)
def test_a_full_path_always_leads_to_its_file(vault: list[str], source: str) -> None:
    for path in vault:
        if "." not in path.rpartition("/")[2]:
            continue  # a target without extension means a note
        found = resolve(path, source, NameIndex(vault)).path
        assert found is not None
        assert path_key(found) == path_key(path)
