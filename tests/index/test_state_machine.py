"""Whatever a person does to a vault, upkeep leaves the index that a rebuild would make (P1)."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from tests.index.own_changes import do, edit, event, move, trash
from tests.vaults import keep_times, rows, vault_at, verified, write
from vaultmem.files.events import FileChange
from vaultmem.files.journal import Journal
from vaultmem.files.refusals import WriteRefused
from vaultmem.notes.paths import path_key

NAMES = ("Tide", "Ebb", "潮")
FOLDERS = ("", "Log/", "Sea/")
NOTES = tuple(f"{folder}{name}.md" for folder in FOLDERS for name in NAMES)
OTHERS = ("Map.canvas", "Log/Map.canvas", "Tide.png", "Log/Tide.png", "Sea/Chart.pdf")
COPIES = (
    "Tide (conflicted copy 2026-01-01 101010).md",
    "Log/Ebb.sync-conflict-20260101-101010-ABCDEFG.md",
    "tide.md",
)
PATHS = st.sampled_from((*NOTES, *OTHERS, *COPIES))

LINES = st.sampled_from(
    [
        "# Spring tides\n",
        "## 潮汐表\n",
        "See [[Tide]] and [[Log/Ebb|ebb]].\n",
        "![[Tide.png]] and [chart](Sea/Chart.pdf)\n",
        "[[tide#Spring tides]] [[Log/Tide]] [[潮]] [[Sea/Ebb]] [[Missing note]]\n",
        "- [ ] read the gauge #todo/gauge\n",
        "height:: 4.2\nup:: [[Flow]]\n",
        "The high water mark ^mark\n",
        "水位数据库和潮汐\n",
        "```\n[[not a link]]\n```\n",
    ]
)
HEADS = st.sampled_from(
    ["", "---\ntags: [sea]\naliases: [Slack water]\n---\n", "---\ntitle: Neap\nup: '[[Tide]]'\n---\n", "---\na: [\n---\n"]
)  # fmt: skip
NOTE_TEXTS = st.tuples(HEADS, st.lists(LINES, max_size=5)).map(lambda t: t[0] + "".join(t[1]))
CANVAS = st.sampled_from(
    [
        "",
        "not JSON",
        '{"nodes":[{"id":"a","type":"file","file":"Tide.md"}],"edges":[]}',
        '{"nodes":[{"id":"a","type":"text","text":"[[Ebb]] \\ud800 [[潮]]"}],"edges":[]}',
    ]
)
EXCLUSIONS = st.sampled_from(
    [None, "{}", '{"userIgnoreFilters":["Log/"]}', '{"userIgnoreFilters":["/潮/", "Sea/"]}', "{"]
)


def became(change: FileChange) -> str:
    """What a path is once its file or folder went from it."""
    return "gone" if change.path_after is None or change.path_after.startswith(".") else "moved"


class Upkeep(RuleBasedStateMachine):
    """A folder that a person and their programs work in, and a vault that is brought up now and then."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="vaultmem-test-"))
        self.vault = vault_at(self.folder / "vault")

    def teardown(self) -> None:
        try:
            verified(self.vault)
        finally:
            self.vault.close()
            shutil.rmtree(self.folder)

    @property
    def root(self) -> Path:
        return self.vault.root

    def files(self) -> list[Path]:
        return sorted(
            place
            for place in self.root.rglob("*")
            if place.is_file() and not place.relative_to(self.root).parts[0].startswith(".")
        )

    def path_of(self, place: Path) -> str:
        return place.relative_to(self.root).as_posix()

    @initialize(texts=st.dictionaries(st.sampled_from(NOTES), NOTE_TEXTS, min_size=3, max_size=7))
    def begin(self, texts: dict[str, str]) -> None:
        write(self.root, texts)
        self.vault.sync()

    @rule(path=PATHS, data=st.data())
    def write(self, path: str, data: st.DataObject) -> None:
        if path.endswith(".md"):
            text = data.draw(NOTE_TEXTS)
        elif path.endswith(".canvas"):
            text = data.draw(CANVAS)
        else:
            text = "pixels"
        write(self.root, {path: text})

    @rule(data=st.data())
    def edit_and_keep_the_time(self, data: st.DataObject) -> None:
        files = [place for place in self.files() if place.stat().st_size]
        if files:
            place = data.draw(st.sampled_from(files))
            keep_times(place, place.read_bytes()[::-1])

    @rule(data=st.data())
    def touch(self, data: st.DataObject) -> None:
        if files := self.files():
            os.utime(data.draw(st.sampled_from(files)))

    @rule(data=st.data())
    def delete(self, data: st.DataObject) -> None:
        if files := self.files():
            data.draw(st.sampled_from(files)).unlink()

    @rule(data=st.data(), to=PATHS)
    def move(self, data: st.DataObject, to: str) -> None:
        if files := self.files():
            place = data.draw(st.sampled_from(files))
            (self.root / to).parent.mkdir(parents=True, exist_ok=True)
            place.replace(self.root / to)

    @rule(data=st.data())
    def swap(self, data: st.DataObject) -> None:
        if files := self.files():
            one, two = data.draw(st.sampled_from(files)), data.draw(st.sampled_from(files))
            aside = self.folder / "aside"
            one.replace(aside)
            if two != one:
                two.replace(one)
            aside.replace(two)

    @rule(data=st.data(), to=st.sampled_from(["Log", "Sea", "Archive"]))
    def move_folder(self, data: st.DataObject, to: str) -> None:
        folders = [p for p in self.root.iterdir() if p.is_dir() and not p.name.startswith(".")]
        if folders and not (self.root / to).exists():
            data.draw(st.sampled_from(sorted(folders))).rename(self.root / to)

    @rule(data=st.data(), text=NOTE_TEXTS)
    def edit_as_vaultmem(self, data: st.DataObject, text: str) -> None:
        if files := self.files():
            path = self.path_of(data.draw(st.sampled_from(files)))
            with suppress(WriteRefused):
                do(self.root, edit(self.root, path, text))

    @rule(data=st.data(), to=PATHS)
    def move_as_vaultmem(self, data: st.DataObject, to: str) -> None:
        if files := self.files():
            with suppress(WriteRefused):
                do(self.root, move(self.root, self.path_of(data.draw(st.sampled_from(files))), to))

    @rule(data=st.data())
    def delete_as_vaultmem(self, data: st.DataObject) -> None:
        if files := self.files():
            with suppress(WriteRefused):
                trash(self.root, self.path_of(data.draw(st.sampled_from(files))))

    @rule(folder=st.sampled_from(["Log", "Sea", "Archive"]), to=st.sampled_from([
        "Log", "Sea/Log", ".trash/Log"
    ]))  # fmt: skip
    def move_folder_as_vaultmem(self, folder: str, to: str) -> None:
        if (self.root / folder).is_dir() and not f"{to}/".startswith(f"{folder}/"):
            with suppress(WriteRefused):
                do(self.root, move(self.root, folder, to))

    @rule(
        path=PATHS,
        to=st.none() | PATHS,
        digest=st.sampled_from([None, "f" * 32]),
        ago=st.integers(0, 10**10),
    )
    def journal_of_another_machine_comes(
        self, path: str, to: str | None, digest: str | None, ago: int
    ) -> None:
        change = FileChange(path, to, "e" * 32, digest)
        Journal(self.root, "bbbb0000").append(event(change, time_ns=time.time_ns() - ago))

    @rule(text=EXCLUSIONS)
    def change_settings(self, text: str | None) -> None:
        place = self.root / ".obsidian/app.json"
        if text is None:
            place.unlink(missing_ok=True)
        else:
            write(self.root, {".obsidian/app.json": text})

    @rule(folder=st.sampled_from(["", "Log", "Sea"]))
    def choose_templates(self, folder: str) -> None:
        write(self.root, {".obsidian/templates.json": f'{{"folder":"{folder}"}}'})

    @rule(name=st.sampled_from(["Ebb", "Flow"]), away=st.booleans())
    def offload(self, name: str, away: bool) -> None:
        stub = self.root / f".{name}.md.icloud"
        stub.unlink(missing_ok=True)
        if away:
            write(self.root, {stub.name: ""})

    @rule(proven=st.booleans())
    def bring_up(self, proven: bool) -> None:
        self.vault.sync()
        if proven:
            verified(self.vault)

    @rule(word=st.sampled_from(["tide", "潮", "gauge", "ide"]))
    def search(self, word: str) -> None:
        assert self.vault.search(word).freshness.pending == 0

    @rule()
    def close(self) -> None:
        self.vault.close()

    @rule()
    def rebuild(self) -> None:
        self.vault.rebuild()

    @rule()
    def a_second_sync_has_nothing_to_tell(self) -> None:
        self.vault.sync()
        before = len(list(Journal(self.root).read()))
        self.vault.sync()
        assert len(list(Journal(self.root).read())) == before
        self.tombstones_are_what_the_events_say()

    def tombstones_are_what_the_events_say(self) -> None:
        """Told here in another way: by the last event that names a path, or a folder above it, from the beginning."""
        last: dict[str, str] = {}
        for one in Journal(self.root).read():
            folders = [change for change in one.changes if change.is_folder]
            files = [change for change in one.changes if not change.is_folder]
            for folder in folders:
                inside = path_key(folder.path) + "/"
                for path in [p for p in last if p.startswith(inside) and last[p] == "here"]:
                    last[path] = became(folder)
                    last[f"{path_key(folder.final_path)}/{path.removeprefix(inside)}"] = "here"
            for change in files:
                if change.path_after or change.hash_after is None:
                    last[path_key(change.path)] = became(change)
            for change in files:
                if change.hash_after is not None:
                    last[path_key(change.final_path)] = "here"
        there = {path_key(path) for (path,) in rows(self.vault, "SELECT path FROM vault_files")}
        kept = {key for (key,) in rows(self.vault, "SELECT path_key FROM notes_tombstones")}
        said = {path for path in last if last[path] == "gone" and not path.startswith(".")}
        assert kept == said - there

    @invariant()
    def nothing_lies_about(self) -> None:
        names = {place.name for place in (self.root / ".vaultmem").glob("*.db.*")}
        assert names == set()


TestUpkeep = Upkeep.TestCase
TestUpkeep.settings = settings(
    max_examples=40,
    stateful_step_count=20,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
