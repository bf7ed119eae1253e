"""Whatever a vault or a query may hold: a clear error or a listed warning, and nothing lost."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.conftest import VaultOf
from tests.vaults import CACHED, found, rows, vault_at, verified, write
from vaultmem.errors import FailedError, NoteNotFoundError, RefusedError, UsageError
from vaultmem.notes.note_edit import AppendText
from vaultmem.search.model import Lane
from vaultmem.settings import Settings
from vaultmem.vault import Vault

SLOW_S = 20.0
"""What takes longer than this would have been given up by a person; of the processor, so that a busy machine
fails no test."""


def codes(vault: Vault) -> set[str]:
    return {finding.code for finding in vault.doctor().findings}


class TestText:
    """Given a note with strange bytes, its neighbours are found, and it is found as far as it can be read."""

    @pytest.mark.parametrize(
        "data",
        [
            pytest.param(b"caf\xe9 tide", id="latin-1"),
            pytest.param("tide".encode("utf-16"), id="utf-16"),
            pytest.param(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 8, id="an image"),
            pytest.param(b"\xed\xa0\x80 half a pair", id="a surrogate"),
            pytest.param(b"\xff\xfe", id="a mark alone"),
        ],
    )
    def test_what_is_no_utf8_is_found_by_its_name(self, vault_of: VaultOf, data: bytes) -> None:
        vault = vault_of({"Strange gauge.md": data, "b.md": "[[Strange gauge]] ebb"})

        assert "Strange gauge.md" in found(vault, "gauge")
        assert vault.note("Strange gauge").text is None
        assert [source.path for source in vault.backlinks("Strange gauge").sources] == ["b.md"]
        assert "not-utf8" in codes(vault)
        verified(vault)

    @pytest.mark.parametrize(
        ("data", "query"),
        [
            pytest.param(b"high\0tide", "tide", id="NUL bytes"),
            pytest.param(b"\0\0\0\0tide", "tide", id="NUL bytes first"),
            pytest.param(b"one\r\ntwo\rthree\n\ntide", "tide", id="mixed line endings"),
            pytest.param(b"\xef\xbb\xbf---\ntags: [x]\n---\ntide", "tide", id="a byte order mark"),
            pytest.param("\u2028tide\u2029\x85\x0b\x0c".encode(), "tide", id="odd breaks"),
            pytest.param("\ufeff\ufeff tide \ufffe\uffff".encode(), "tide", id="non-characters"),
            pytest.param(b"\x1b[31mtide\x07\x08", "tide", id="control characters"),
            pytest.param(b"tide", "tide", id="no last newline"),
            pytest.param("ti\u0301de".encode(), "tíde", id="a combining mark"),
            pytest.param("tide🥳🧭".encode(), "tide", id="emoji at a word"),
            pytest.param("\ue000tide\ue001".encode(), "tide", id="private use"),
        ],
    )
    def test_odd_characters_hide_no_word(self, vault_of: VaultOf, data: bytes, query: str) -> None:
        vault = vault_of({"a.md": data})

        assert found(vault, query) == ["a.md"]
        assert [hit.path for hit in vault.search(query, lanes=[Lane.SUBSTRING]).hits] == ["a.md"]
        assert vault.note("a").text == data.decode()
        verified(vault)

    def test_an_empty_note(self, vault_of: VaultOf) -> None:
        vault = vault_of({"Slack water.md": b""})

        assert found(vault, "slack") == ["Slack water.md"]
        verified(vault)


class TestSize:
    """Given very much of something, it is read in reasonable time and nothing is left out."""

    @pytest.mark.parametrize(
        "text",
        [
            pytest.param(">" * 10_000 + " tide", id="quotes"),
            pytest.param("> - " * 3_000 + "tide", id="quotes and lists"),
            pytest.param("".join(f"{'  ' * i}- tide\n" for i in range(500)), id="lists"),
            pytest.param("[" * 100_000 + " tide", id="brackets"),
            pytest.param("![[" * 50_000 + " tide", id="embeds"),
            pytest.param("[tide](" * 10_000, id="links that do not end"),
            pytest.param("`" * 50_000 + "tide" + "`" * 49_999, id="code"),
            pytest.param("*tide " * 30_000, id="stars"),
            pytest.param("<!-- " * 30_000 + "tide", id="comments"),
            pytest.param("tide " + "<a " * 30_000, id="tags of HTML"),
            pytest.param("#tide/" * 20_000, id="a nested tag"),
            pytest.param("tide\n" + "---\n" * 30_000, id="rules"),
            pytest.param("|tide" * 20_000 + "\n" + "|-" * 20_000, id="a table"),
            pytest.param("tide\n" + "#" * 100_000, id="hashes"),
            pytest.param("tide\\" * 50_000, id="backslashes"),
            pytest.param("tide" + "\n" * 200_000, id="empty lines"),
            pytest.param("".join(f"# tide {i}\n" for i in range(20_000)), id="headings"),
            pytest.param("---\na: " + "[" * 10_000 + "\n---\ntide", id="flow in frontmatter"),
            pytest.param("---\n" + "".join(f"{' ' * i}a:\n" for i in range(2_000)) + "---\ntide", id="maps"),
        ],
    )  # fmt: skip
    def test_deep_or_long_markup(self, vault_of: VaultOf, text: str) -> None:
        vault = vault_of({"a.md": text, "b.md": "ebb"})
        began = time.process_time()

        assert found(vault, "tide") == ["a.md"]

        assert time.process_time() - began < SLOW_S
        assert found(vault, "ebb") == ["b.md"]
        verified(vault)

    def test_a_note_of_fifty_megabytes(self, vault_of: VaultOf) -> None:
        line = "The gauge stood at four metres when the ferry left the harbour.\n"
        text = "neap\n" + line * (25_000_000 // len(line)) + "\n\nslack [[b]]\n\n"
        text += line * (25_000_000 // len(line)) + "spring\n"
        vault = vault_of({"big.md": text, "b.md": "ebb"})
        began = time.process_time()

        assert [found(vault, word) for word in ("neap", "slack", "spring")] == [["big.md"]] * 3
        assert [source.path for source in vault.backlinks("b").sources] == ["big.md"]

        assert time.process_time() - began < 3 * SLOW_S
        assert rows(vault, "SELECT sum(length(text)) FROM notes_blocks WHERE note_id = (SELECT id FROM vault_files WHERE path = 'big.md')") == [(len(text),)]  # fmt: skip

    def test_one_line_of_many_megabytes(self, vault_of: VaultOf) -> None:
        vault = vault_of({"a.md": "neap " + "ab" * 2_000_000 + " spring"})

        assert [found(vault, word) for word in ("neap", "spring")] == [["a.md"]] * 2

    def test_five_thousand_links_in_one_note(self, vault_of: VaultOf) -> None:
        text = " ".join(f"[[n{i}]] [x](m{i}.md)" for i in range(2_500))
        vault = vault_of({"a.md": text, "n7.md": "", "m8.md": ""})

        links = vault.links("a").links

        assert len(links) == 5_000
        assert [link.to for link in links if link.to] == ["n7.md", "m8.md"]
        verified(vault)

    def test_a_long_path(self, vault_of: VaultOf) -> None:
        path = "/".join(["f" * 100] * 20 + [f"{'n' * 200}.md"])
        vault = vault_of({path: "tide"})

        assert found(vault, "tide") == [path]
        verified(vault)


class TestFrontmatter:
    """Given properties that no program should have written, they cost that note's properties, never its text."""

    @pytest.mark.parametrize(
        "yaml",
        [
            pytest.param("a: &a [x]\n" + "".join(f"b{i}: &b{i} [*a, *a, *a]\n" for i in range(9)), id="aliases"),
            pytest.param(
                "a0: &a0 [x,x,x,x,x,x,x,x,x]\n"
                + "".join(f"a{i + 1}: &a{i + 1} [{','.join([f'*a{i}'] * 9)}]\n" for i in range(9)),
                id="a bomb",
            ),
            pytest.param("a: &a [*a]\n", id="a list in itself"),
            pytest.param('title: "\\ud800"\naliases: ["\\udfff x"]\nup: "[[\\ud800]]"\n', id="surrogates"),
            pytest.param('title: "a\\0b"\n', id="a NUL"),
            pytest.param("n: .nan\ni: .inf\nj: -.inf\nk: 1e999\n", id="no numbers"),
            pytest.param(f"n: {'9' * 5_000}\nh: 0x{'f' * 5_000}\n", id="huge numbers"),
            pytest.param("d: 9999-99-99\ne: 0000-00-00\nf: 2001-02-30T99:99:99Z\n", id="no dates"),
            pytest.param("? [a, b]\n: c\n1: 2\nnull: 3\ntrue: 4\n", id="keys that are no text"),
            pytest.param("!!python/object/apply:os.system ['exit 1']\n", id="a command"),
            pytest.param("a: b: c\n", id="no YAML"),
            pytest.param("tags: {a: b}\naliases: 7\ntitle: [x]\n", id="other types"),
            pytest.param("a: |\n" + "  x\n" * 20_000, id="a long text"),
        ],
    )  # fmt: skip
    def test_strange_properties(self, vault_of: VaultOf, yaml: str) -> None:
        vault = vault_of({"Gauge.md": f"---\n{yaml}---\ntide [[b]]\n", "b.md": ""})
        began = time.process_time()

        assert found(vault, "tide") == ["Gauge.md"]

        assert time.process_time() - began < SLOW_S
        assert "b.md" in [link.to for link in vault.links("Gauge.md").links]
        json.dumps(dict(vault.note("Gauge.md").properties)).encode()
        verified(vault)


class TestCanvas:
    """Given a canvas that is none, it has a warning and no links."""

    @pytest.mark.parametrize(
        "text",
        [
            "[]", "1", '"x"', "null", "{", "\0", "{}{}", "NaN", '{"nodes": 3}', '{"nodes": {"a": 1}}',
            '{"nodes": [1, null, [], {"type": "file"}, {"type": "file", "file": 3}, {"type": "text", "text": {}}]}',
            '{"nodes": [{"id": ' + "9" * 5_000 + "}]}",
            "[" * 100_000,
            '{"nodes":' * 50_000,
        ],
        ids=lambda text: text[:24],
    )  # fmt: skip
    def test_no_canvas(self, vault_of: VaultOf, text: str) -> None:
        vault = vault_of({"Map.canvas": text, "b.md": "tide"})

        assert vault.links("Map.canvas").links == ()
        assert found(vault, "tide") == ["b.md"]
        verified(vault)

    def test_half_a_surrogate_pair_in_a_card(self, vault_of: VaultOf) -> None:
        card = '{"id":"a","type":"file","file":"\\ud800.md"},{"id":"\\udc00","type":"text","text":"[[\\ud800|b]] [[b]]"}'
        vault = vault_of({"Map.canvas": f'{{"nodes":[{card}],"edges":[]}}', "b.md": ""})

        assert [(link.target, link.to) for link in vault.links("Map.canvas").links] == [
            ("\ufffd.md", None), ("\ufffd", None), ("b", "b.md"),
        ]  # fmt: skip
        verified(vault)

    def test_ten_megabytes(self, vault_of: VaultOf) -> None:
        nodes = [{"id": str(i), "type": "text", "text": "tide " * 40} for i in range(40_000)]
        nodes.append({"id": "last", "type": "file", "file": "b.md"})
        vault = vault_of({"Map.canvas": json.dumps({"nodes": nodes, "edges": []}), "b.md": ""})
        began = time.process_time()

        assert [link.to for link in vault.links("Map.canvas").links] == ["b.md"]

        assert time.process_time() - began < SLOW_S


class TestPlaces:
    """Given things in the vault that are no plain files, they are left out and named."""

    @pytest.mark.skipif(sys.platform == "win32", reason="Windows has no FIFOs")
    def test_a_fifo_and_a_socket(self, vault_of: VaultOf) -> None:
        vault = vault_of({"a.md": "tide"})
        os.mkfifo(vault.root / "pipe.md")
        with socket.socket(socket.AF_UNIX) as listener:
            previous = Path.cwd()
            os.chdir(vault.root)
            try:
                listener.bind("plug.md")
            finally:
                os.chdir(previous)

            assert found(vault, "tide") == ["a.md"]
            assert vault.files().notes == ("a.md",)
            assert "not-a-regular-file" in codes(vault)
            verified(vault)

    def test_a_note_becomes_a_fifo_a_folder_a_link(self, vault_of: VaultOf) -> None:
        vault = vault_of({"a.md": "tide", "b.md": "tide", "c.md": "tide", "d.md": "tide"})
        vault.sync()
        for name in "abc":
            (vault.root / f"{name}.md").unlink()
        os.mkfifo(vault.root / "a.md")
        (vault.root / "b.md").mkdir()
        (vault.root / "c.md").symlink_to(vault.root / "d.md")

        assert found(vault, "tide") == ["d.md"]
        verified(vault)

    def test_names_that_clash(self, vault_of: VaultOf, tmp_path: Path) -> None:
        (tmp_path / "A").touch()
        if (tmp_path / "a").exists():
            pytest.skip("this disk does not tell upper case from lower")
        vault = vault_of(
            {"Tide.md": "one", "tide.md": "two", "Caf\u00e9.md": "three", "Cafe\u0301.md": "four"}
        )

        assert [found(vault, word) for word in ("one", "two", "three", "four")] == [
            ["Tide.md"], ["tide.md"], ["Caf\u00e9.md"], ["Cafe\u0301.md"],
        ]  # fmt: skip
        assert sorted(map(sorted, vault.files().clashes)) == [
            ["Cafe\u0301.md", "Caf\u00e9.md"], ["Tide.md", "tide.md"],
        ]  # fmt: skip
        assert "name-clashes" in codes(vault)
        verified(vault)

    @pytest.mark.parametrize(
        "name",
        [
            "a\nb.md",
            "a\tb.md",
            "a\x1b[31mb.md",
            "a'b\"c.md",
            "-rf.md",
            "%00.md",
            "?.md",
            "a#b^c.md",
        ],
    )
    def test_odd_names(self, vault_of: VaultOf, name: str) -> None:
        vault = vault_of({name: "tide"})

        assert found(vault, "tide") == [name]
        assert vault.note(name).path == name
        verified(vault)

    def test_a_name_that_is_no_utf8(self, vault_of: VaultOf) -> None:
        vault = vault_of({"a.md": "tide"})
        try:
            (Path(os.fsdecode(os.fsencode(vault.root) + b"/b\xff.md"))).write_text("tide")
        except OSError:
            pytest.skip("this disk takes only names in UTF-8")

        assert found(vault, "tide") == ["a.md"]
        assert "broken-name" in codes(vault)

    def test_a_file_that_is_written_all_the_time(self, vault_of: VaultOf) -> None:
        """Nothing half-written is taken for a note, and the last state is found."""
        vault = vault_of({"a.md": "tide" * 50_000})
        vault.sync()
        done = threading.Event()

        def restless() -> None:
            while not done.is_set():
                write(vault.root, {"a.md": "tide" * 50_000})

        writer = threading.Thread(target=restless)
        writer.start()
        try:
            for _ in range(20):
                vault.sync()
                [(size, whole)] = rows(
                    vault, "SELECT size, sum(length(text)) FROM vault_files, notes_blocks"
                )
                assert size == whole
        finally:
            done.set()
            writer.join()
        write(vault.root, {"a.md": "ebb"})

        assert found(vault, "ebb") == ["a.md"]
        verified(vault)


class TestReadOnly:
    """Given a place that cannot be written, search works and says what it lacks."""

    def test_an_index_that_cannot_be_written_answers(self, users_folder: Path) -> None:
        write(users_folder / "vault", {"a.md": "tide", "b.md": "ebb"})
        with vault_at(users_folder / "vault") as vault:
            vault.rebuild()
        state = users_folder / "vault/.vaultmem"
        for place in (*state.iterdir(), state):
            place.chmod(0o500 if place.is_dir() else 0o400)

        with vault_at(users_folder / "vault") as vault:
            answer = vault.search("tide")
            assert ([hit.path for hit in answer.hits], answer.freshness.pending) == (["a.md"], 0)
            assert answer.freshness.note == ""

            write(vault.root, {"a.md": "tides", "c.md": "tide"})
            answer = vault.search("tide")
            assert answer.freshness.pending == 2
            assert "cannot be written" in answer.freshness.note
            assert (vault.index_location, vault.note("b").text) == ("vault", "ebb")

    def test_a_read_only_vault_without_an_index_gets_one_in_the_cache(
        self, users_folder: Path
    ) -> None:
        root = users_folder / "vault"
        write(root, {"a.md": "tide"})
        root.chmod(0o500)

        with vault_at(root) as vault:
            answer = vault.search("tide")

            assert [hit.path for hit in answer.hits] == ["a.md"]
            assert answer.freshness.note == (
                f"The index was missing; it was built anew in {vault.index_dir}, since the vault cannot be written."
            )
            assert users_folder / "vault-cache" in vault.index_dir.parents
            assert vault.status().index_location == "cache"
            assert "read-only-vault" in codes(vault)
            verified(vault)
        with vault_at(root) as vault:
            assert vault.search("tide").freshness.note == ""
            (root / "a.md").write_text("ebb")
            assert found(vault, "ebb") == ["a.md"]
        assert list(root.iterdir()) == [root / "a.md"]

    def test_a_read_only_vault_with_a_damaged_index(self, users_folder: Path) -> None:
        root = users_folder / "vault"
        write(root, {"a.md": "tide", ".vaultmem/memory.db": b"noise" * 9_999})
        (root / ".vaultmem").chmod(0o500)
        root.chmod(0o500)

        with vault_at(root) as vault:
            assert found(vault, "tide") == ["a.md"]
            assert vault.index_location == "cache"

    def test_a_folder_that_cannot_be_listed_and_a_note_that_cannot_be_read(
        self, users_folder: Path
    ) -> None:
        root = users_folder / "vault"
        write(root, {"a.md": "tide", "Locked/b.md": "tide", "c.md": "tide"})
        (root / "Locked").chmod(0)
        (root / "c.md").chmod(0)

        with vault_at(root) as vault:
            report = vault.rebuild()

            assert report.unreadable == ("Locked", "c.md")
            assert found(vault, "tide") == ["a.md"]
            assert codes(vault) >= {"unreadable", "unreadable-files"}
            verified(vault)

    def test_nothing_at_all_can_be_written(self, users_folder: Path) -> None:
        from vaultmem.errors import IndexReadOnlyError

        root = users_folder / "vault"
        write(root, {"a.md": "tide"})
        root.chmod(0o500)
        users_folder.chmod(0o500)

        with vault_at(root) as vault, pytest.raises(IndexReadOnlyError, match="cannot be opened"):
            vault.search("tide")


CHANGES: list[Callable[[Vault], object]] = [
    lambda vault: vault.edits.create("New", "new"),
    lambda vault: vault.edits.edit("a", [AppendText("more")]),
    lambda vault: vault.edits.rename("a", "z.md"),
    lambda vault: vault.edits.remove("a"),
]


class TestReadOnlyChanges:
    """Given a vault that cannot be written, who wants to change it is told so, and that nothing was changed."""

    @pytest.fixture
    def shut(self, users_folder: Path) -> Path:
        root = users_folder / "vault"
        write(root, {"a.md": "tide", "b.md": "[[a]]"})
        with vault_at(root) as vault:
            vault.rebuild()
            vault.edits.edit("b", [AppendText("ebb")])
        return root

    @staticmethod
    def shut_it(root: Path) -> None:
        for place in (*root.rglob("*"), root):
            place.chmod(0o500 if place.is_dir() else 0o400)

    @pytest.mark.parametrize(
        "change",
        [*CHANGES, lambda v: v.history.undo(["last"]), lambda v: v.history.gc()],
    )
    def test_it_is_told(self, shut: Path, change: Callable[[Vault], object]) -> None:
        self.shut_it(shut)
        with vault_at(shut) as vault, pytest.raises(RefusedError) as refused:
            change(vault)
        assert "read-only" in refused.value.message
        assert "Nothing was changed" in str(refused.value)
        assert (shut / "b.md").read_text() == "[[a]]\n\nebb"

    @pytest.mark.parametrize("change", CHANGES)
    def test_it_is_told_too_when_the_index_lacks_an_edit(
        self, shut: Path, change: Callable[[Vault], object]
    ) -> None:
        write(shut, {"c.md": "by hand"})
        self.shut_it(shut)
        with vault_at(shut) as vault, pytest.raises(RefusedError) as refused:
            change(vault)
        assert refused.value.message == (
            f"The vault {shut} is read-only. The index lacks 1 edit, so nothing was changed."
        )
        assert (
            refused.value.hint
            == "To change notes, make the vault and its folder .vaultmem writable."
        )


@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="only root mounts")
def test_a_full_disk_that_keeps_the_index_behind_has_failed_and_says_what_to_do(
    tmp_path: Path,
) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", str(disk)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("no mounting here")
    try:
        write(disk / "vault", {"a.md": "tide", "b.md": "[[a]]"})
        with vault_at(disk / "vault") as vault:
            vault.rebuild()
            write(vault.root, {"c.md": "".join(f"word{n} " for n in range(100_000))})
            with suppress(OSError), open(disk / "filler", "wb", buffering=0) as filler:
                while True:
                    filler.write(b"x" * 4096)
            with pytest.raises(FailedError) as failed:
                vault.edits.rename("a", "z.md")
        assert failed.value.message == (
            f"The disk is full; the index {vault.index_path} was left as it was. "
            "The index lacks 1 edit, so nothing was changed."
        )
        assert failed.value.hint == "Free some room, try again."
    finally:
        subprocess.run(["umount", str(disk)], check=True)


QUERIES = st.one_of(
    st.text(),
    st.text(st.characters(categories=["Cs", "Cc", "So", "Mn"])),
    st.lists(st.sampled_from(['"', "NEAR(", "AND", "*", "^", ":", "(", ")", "NOT ", "-", "tide", "数据", "🌊", "\0", "\ud800"]), max_size=20).map("".join),
)  # fmt: skip


@pytest.fixture(scope="module")
def sea(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Vault]:
    """A small vault with vectors."""
    root = tmp_path_factory.mktemp("queries") / "vault"
    write(root, {"Tide.md": "tide 数据库 AND or NOT 🌊", "b.md": "#ebb [[Tide]]"})
    vault = vault_at(root, settings=Settings(index=CACHED.index))
    vault.rebuild()
    yield vault
    vault.close()


class TestQueries:
    """Given any text at all, a search answers."""

    @given(QUERIES)
    @settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    def test_any_text(self, sea: Vault, text: str) -> None:
        answer = sea.search(text, sync=False)
        answer.query.encode()
        assert {report.lane for report in answer.lanes} == set(Lane)
        sea.search(text, sync=False, lanes=[Lane.SUBSTRING])

    @given(QUERIES)
    @settings(max_examples=60, deadline=None)
    def test_any_name_or_tag_or_link(self, sea: Vault, text: str) -> None:
        sea.tags(text)
        sea.resolve(text, "Tide.md")
        sea.resolve(text, "Tide.md", markdown=True)
        for ask in (sea.note, sea.links, sea.backlinks, sea.unlinked):
            try:
                ask(text)
            except (NoteNotFoundError, UsageError) as error:
                str(error).encode()

    @pytest.mark.parametrize(
        "text",
        ["x" * 10_000, "数据库" * 3_333, "tide " * 2_000, '"' * 10_000, "a-" * 5_000, "🌊" * 10_000, "(" * 10_000],
        ids=lambda text: text[:6],
    )  # fmt: skip
    def test_ten_thousand_characters(self, sea: Vault, text: str) -> None:
        began = time.process_time()

        sea.search(text)
        with pytest.raises((NoteNotFoundError, UsageError)):
            sea.note(text)

        assert time.process_time() - began < 5

    @pytest.mark.parametrize("text", ["", " ", "\n\t", "\u0301", "?!", '""', "\0"])
    def test_nothing_to_look_for(self, sea: Vault, text: str) -> None:
        answer = sea.search(text)

        assert answer.hits == ()
        assert [report.note for report in answer.lanes] == ["the query has no word"] * 4

    def test_operators_are_words(self, sea: Vault) -> None:
        assert [hit.path for hit in sea.search("NOT", lanes=[Lane.KEYWORD]).hits] == ["Tide.md"]
        assert sea.search("NEAR", lanes=[Lane.KEYWORD]).hits == ()


JUNK = st.text(
    st.sampled_from("---\n\n:: []{}()#^!|*_`~<>&\\\"'%$=+?/ \t\r\0\u2028a数é🌊\ufeff1.- "),
    max_size=120,
)


@given(
    st.binary(max_size=200)
    | JUNK.map(str.encode)
    | JUNK.map(lambda t: f"---\n{t}\n---\n{t}".encode())
)
@settings(deadline=None, max_examples=100)
def test_no_content_breaks_a_rebuild(junk_folder: Path, data: bytes) -> None:
    write(junk_folder / "vault", {"a.md": data, "Map.canvas": data, "b.md": "tide [[a]]"})
    with vault_at(junk_folder / "vault", settings=CACHED) as vault:
        vault.rebuild()
        assert "b.md" in found(vault, "tide")
        for finding in vault.doctor().findings:
            finding.message.encode()


@pytest.fixture(scope="module")
def junk_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("junk")
