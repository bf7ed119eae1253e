"""Notes made, edited, renamed and removed: what is on the disk, in the index and in the journal afterwards."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

import apsw
import pytest

from tests.conftest import VaultOf
from tests.edits.conftest import Desk
from tests.vaults import AT_ONCE, found, verified
from vaultmem.edits.answers import ChangedFile, WriteAnswer
from vaultmem.edits.editor import Editor
from vaultmem.edits.planned import Planned
from vaultmem.errors import LockedError, NoteNotFoundError, UsageError, VaultmemError
from vaultmem.files.changes import ChangeSet, Edit, apply_changes
from vaultmem.files.events import EventKind, MemoryEvent
from vaultmem.files.journal import Journal
from vaultmem.files.objects import ObjectStore
from vaultmem.files.read import content_hash
from vaultmem.files.refusals import WriteConflict, WriteRefused
from vaultmem.files.targets import WriteRules
from vaultmem.index.queries import FileRef
from vaultmem.notes.note_edit import AppendText, ReplaceText
from vaultmem.notes.property_edit import AddItem, SetProperty
from vaultmem.notes.refusal import EditRefused
from vaultmem.notes.rename import LinkUpdates
from vaultmem.vault import Vault

_T = TypeVar("_T")


def texts(vault: Vault) -> dict[str, str]:
    """Every file that Obsidian shows, by path."""
    return {
        place.relative_to(vault.root).as_posix(): place.read_bytes().decode()
        for place in sorted(vault.root.rglob("*"))
        if place.is_file()
        and not any(p.startswith(".") for p in place.relative_to(vault.root).parts)
    }


def told(vault: Vault) -> list[tuple[str, str, str]]:
    """Kind, actor and cause of every event, oldest first."""
    return [(str(e.kind), e.actor, e.cause) for e in Journal(vault.root).read()]


# --- create ---


def test_a_new_note_is_on_the_disk_in_the_index_and_in_the_journal(desk_of: Desk) -> None:
    vault, editor = desk_of({})
    answer = editor.create("log/Low tide", "Mussels at dawn.\n", by="agent", why="asked to")

    (event,) = Journal(vault.root).read()
    digest = content_hash(b"Mussels at dawn.\n")
    diff = "--- /dev/null\n+++ b/log/Low tide.md\n@@ -0,0 +1 @@\n+Mussels at dawn.\n"
    made = ChangedFile("log/Low tide.md", None, None, digest, 0, diff)
    assert (answer.event, answer.kind, answer.files) == (event.id, "created", (made,))
    assert told(vault) == [("created", "agent", "asked to")]
    assert texts(vault) == {"log/Low tide.md": "Mussels at dawn.\n"}
    assert found(vault, "mussels") == ["log/Low tide.md"]


@pytest.mark.parametrize("taken", ["Kelp.md", "kelp.md", "KELP"])
def test_a_note_that_is_there_is_never_overwritten(desk_of: Desk, taken: str) -> None:
    vault, editor = desk_of({"Kelp.md": "old"})
    with pytest.raises(WriteRefused) as refused:
        editor.create(taken, "new")
    assert refused.value.code == "exists"
    assert texts(vault) == {"Kelp.md": "old"}
    assert told(vault) == []


@pytest.mark.parametrize(
    ("path", "error"),
    [
        ("", UsageError),
        ("/", UsageError),
        ("film.mp4", UsageError),
        ("../out", WriteRefused),
        (".hidden/x", WriteRefused),
        ("a#b", WriteRefused),
        ("CON", WriteRefused),
    ],
)
def test_a_name_that_does_not_travel_is_refused(
    desk_of: Desk, path: str, error: type[VaultmemError]
) -> None:
    vault, editor = desk_of({})
    with pytest.raises(error):
        editor.create(path, "x")
    assert texts(vault) == {}


def test_a_name_that_another_note_has_is_told(desk_of: Desk) -> None:
    vault, editor = desk_of({"log/Kelp.md": "old", "ref.md": "[[Kelp]]"})
    answer = editor.create("kelp")
    assert answer.warnings == (
        "There is a note of that name already, log/Kelp.md: links [[Kelp]] may mean either.",
    )
    assert texts(vault) == {"kelp.md": "", "log/Kelp.md": "old", "ref.md": "[[Kelp]]"}


def test_a_dot_in_a_name_is_no_ending(desk_of: Desk) -> None:
    vault, editor = desk_of({})
    editor.create("Release v1.2")
    assert texts(vault) == {"Release v1.2.md": ""}


# --- edit ---


def test_several_changes_are_one_event(desk_of: Desk) -> None:
    vault, editor = desk_of({"Kelp.md": "---\n# why\ntags: [sea]\n---\r\nBrown.\r\n"})
    answer = editor.edit(
        "kelp", [SetProperty("status", "done"), AddItem("tags", "alga"), AppendText("Long.")]
    )
    assert texts(vault) == {
        "Kelp.md": "---\n# why\ntags: [sea, alga]\nstatus: done\n---\r\nBrown.\r\n\r\nLong.\r\n"
    }
    assert [event.id for event in Journal(vault.root).read()] == [answer.event]
    assert found(vault, "long") == ["Kelp.md"]


def test_an_edit_is_all_of_its_changes_or_none(desk_of: Desk) -> None:
    vault, editor = desk_of({"Kelp.md": "Brown.\n"})
    with pytest.raises(EditRefused) as refused:
        editor.edit("Kelp", [AppendText("Long."), ReplaceText("green", "red")])
    assert refused.value.code == "no-match"
    assert texts(vault) == {"Kelp.md": "Brown.\n"}


def test_what_is_so_already_is_no_event(desk_of: Desk) -> None:
    vault, editor = desk_of({"Kelp.md": "---\na: 1\n---\n"})
    before = os.stat(vault.root / "Kelp.md")
    answer = editor.edit("Kelp", [SetProperty("a", 1)])
    assert (answer.event, answer.files) == (None, ())
    after = os.stat(vault.root / "Kelp.md")
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert told(vault) == []


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ("Prix : 12 – rôle".encode("cp1252"), "not-utf8"),
        (b"\0" * 40, "zero-filled"),
        (b"---\na: [1\n---\n", "invalid-frontmatter"),
        (b'{"a": 1}\n', None),
    ],
)
def test_bytes_that_a_rewrite_would_damage_are_left_alone(
    desk_of: Desk, content: bytes, code: str | None
) -> None:
    vault, editor = desk_of({"odd.md": content})
    if code is None:
        editor.edit("odd", [AppendText("x")])
        assert (vault.root / "odd.md").read_bytes() == content + b"\nx\n"
        return
    with pytest.raises(EditRefused) as refused:
        editor.edit("odd", [SetProperty("b", 2)])
    assert refused.value.code == code
    assert (vault.root / "odd.md").read_bytes() == content


def test_a_template_is_changed_only_when_it_is_named_itself(desk_of: Desk) -> None:
    vault, editor = desk_of(
        {"T/day.md": "x\n", ".obsidian/templates.json": '{"folder": "T"}', "a.md": ""}
    )
    with pytest.raises(EditRefused) as refused:
        editor.edit("day", [AppendText("y")])
    assert refused.value.code == "template-folder"
    editor.edit("T/day.md", [AppendText("y")], allow_template=True)
    assert texts(vault)["T/day.md"] == "x\n\ny\n"


def test_an_edit_is_planned_again_when_the_note_changed_meanwhile(vault_of: VaultOf) -> None:
    """Between the reading and the writing another program saves: its words stay, ours come to them."""
    vault = vault_of({"log.md": "one\n"})
    rival = iter(("one\ntwo\n", "one\ntwo\nthree\n"))

    editor = _MeddledEditor(vault, AT_ONCE, lambda: _save(vault.root / "log.md", next(rival, None)))
    editor.edit("log", [AppendText("ours")])
    assert texts(vault)["log.md"] == "one\ntwo\nthree\nours\n"


def test_a_whole_text_is_written_only_over_what_was_read(desk_of: Desk) -> None:
    vault, editor = desk_of({"a.md": "one\n"})
    with pytest.raises(WriteConflict):
        editor.write("a", "mine\n", expected=content_hash(b"zero\n"))
    assert texts(vault) == {"a.md": "one\n"}
    editor.write("a", "mine\n", expected=content_hash(b"one\n"))
    assert texts(vault) == {"a.md": "mine\n"}
    assert ObjectStore(vault.root).get(content_hash(b"one\n")) == b"one\n"


def test_a_note_whose_folder_is_renamed_meanwhile_stays_in_it(vault_of: VaultOf) -> None:
    """Another process renames the folder after the plan was made, and before it is carried out."""
    vault = vault_of({"Places/Ferry.md": "f\n", "Places/Quay.md": "[[Ferry]]\n"})
    rival = once(lambda: vault.edits.move("Places/", "Orte"))
    _MeddledEditor(vault, AT_ONCE, rival).move("Ferry", "Night ferry")
    assert texts(vault) == {"Orte/Night ferry.md": "f\n", "Orte/Quay.md": "[[Night ferry]]\n"}
    verified(vault)


def test_a_link_that_another_agent_writes_meanwhile_follows_too(vault_of: VaultOf) -> None:
    vault = vault_of({"A.md": "a\n## Crew\n", "B.md": "b\n"})
    rival = once(lambda: vault.edits.edit("B", [AppendText("see [[A#Crew]]")]))
    _MeddledEditor(vault, AT_ONCE, rival).rename("A", "New")
    assert texts(vault)["B.md"] == "b\n\nsee [[New#Crew]]\n"

    rival = once(lambda: vault.edits.edit("B", [AppendText("and [[New#Crew]]")]))
    _MeddledEditor(vault, AT_ONCE, rival).rename_heading("New", "Crew", "Hands")
    assert texts(vault)["B.md"] == "b\n\nsee [[New#Hands]]\n\nand [[New#Hands]]\n"


def test_notes_of_one_name_can_be_removed_at_once(vault_of: VaultOf) -> None:
    vault = vault_of({"a/N.md": "a", "b/N.md": "b"})
    answer = _MeddledEditor(vault, AT_ONCE, once(lambda: vault.edits.remove("b/N"))).remove("a/N")
    assert answer.files[0].path_after == ".trash/N 1.md"
    assert (vault.root / ".trash/N.md").read_text() == "b"
    assert (vault.root / ".trash/N 1.md").read_text() == "a"


def test_a_rename_gets_its_turn_however_busy_an_agent_is(vault_of: VaultOf) -> None:
    """It writes into a note with a link whenever nobody else may not."""
    vault = vault_of({"A.md": "a\n", "log.md": "[[A]]\n"})
    kept_out = 0

    def agent() -> None:
        nonlocal kept_out
        data = (vault.root / "log.md").read_bytes()
        edit = Edit("log.md", content_hash(data), data + b"and [[A]]\n")
        changes = ChangeSet(EventKind.UPDATED, "an agent", "a test", edits=(edit,))
        try:
            apply_changes(vault.root, changes, rules=AT_ONCE, timeout=0)
        except LockedError:
            kept_out += 1

    _MeddledEditor(vault, AT_ONCE, agent).rename("A", "B")
    assert texts(vault) == {"B.md": "a\n", "log.md": "[[B]]\nand [[B]]\n"}
    assert kept_out == 1
    verified(vault)


def test_a_note_that_is_saved_again_and_again_is_waited_for_with_the_eyes_alone(
    vault_of: VaultOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A person types in a note that links to the renamed one: not each save is an event of the history."""
    vault = vault_of({"A.md": "a\n", "log.md": "[[A]]\n"})
    monkeypatch.setattr("vaultmem.files.patience.PATIENCE_S", 1.0)
    note = vault.root / "log.md"
    saves = 0
    stopped = threading.Event()

    def type_on() -> None:
        nonlocal saves
        while not stopped.wait(0.05):
            saves += 1
            with note.open("a") as file:
                file.write(f"{saves}\n")

    person = threading.Thread(target=type_on)
    person.start()
    try:
        with pytest.raises(WriteRefused) as refused:
            Editor(vault._desk, WriteRules()).rename("A", "B")
    finally:
        stopped.set()
        person.join()
    assert refused.value.code == "too-fresh"
    assert refused.value.message == (
        "log.md was saved less than 2 s ago. It was waited for 1 s, in vain; nothing was changed."
    )
    by_hand = [e for e in Journal(vault.root).read() if e.kind is EventKind.EDITED_BY_HAND]
    assert saves > 3
    assert len(by_hand) <= 3


@pytest.mark.parametrize(
    "change",
    [
        lambda editor: editor.edit("Ferry", [AppendText("x")]),
        lambda editor: editor.rename("Ferry", "F"),
        lambda editor: editor.rename("Quay", "Q"),
        lambda editor: editor.rename_heading("Ferry", "Crew", "Hands"),
        lambda editor: editor.remove("Ferry"),
    ],
)
def test_a_file_that_the_index_has_and_the_disk_has_not_is_a_conflict(
    vault_of: VaultOf, change: Callable[[Editor], object]
) -> None:
    """It was taken away after the index had been asked: the change is planned anew, and not for ever."""
    vault = vault_of({"Ferry.md": "[[Quay]]\n# Crew\n", "Quay.md": "q"})
    vault.sync()
    (vault.root / "Ferry.md").unlink()
    with pytest.raises(WriteRefused) as refused:
        change(Editor(_OutdatedDesk(vault), AT_ONCE))
    assert refused.value.code == "conflict"
    assert texts(vault) == {"Quay.md": "q"}


def once(do: Callable[[], object]) -> Callable[[], None]:
    """Does it the first time, and nothing after."""
    left = [do]

    def first() -> None:
        if left:
            left.pop()()

    return first


class _OutdatedDesk:
    """Asks the index as it is: what the disk did since is not yet known."""

    def __init__(self, vault: Vault) -> None:
        self.root = vault.root
        self._vault = vault

    def settle(self) -> None:
        self._vault._desk.settle()

    def ask(self, question: Callable[[apsw.Connection], _T]) -> _T:
        return self._vault._store.answer(question)[0]

    def find(self, connection: apsw.Connection, name: str) -> FileRef:
        return self._vault._desk.find(connection, name)

    def bring_in(self, paths: Sequence[str]) -> None:
        self._vault._desk.bring_in(paths)


class _MeddledEditor(Editor):
    """Calls ``meddle`` between planning and writing."""

    def __init__(self, vault: Vault, rules: WriteRules, meddle: Callable[[], object]) -> None:
        super().__init__(vault._desk, rules)
        self._meddle = meddle

    def _apply(self, planned: Planned, told: Mapping[str, int] | None) -> MemoryEvent | None:
        self._meddle()
        return super()._apply(planned, told)


def _save(place: Path, text: str | None) -> None:
    if text is not None:
        place.write_text(text, encoding="utf-8")


def test_a_save_that_is_under_way_is_waited_for(vault_of: VaultOf) -> None:
    """An editor holds the note open for writing; when it is done, our change comes on top of its bytes."""
    vault = vault_of({"log.md": "one\n"})
    editor = vault.edits
    vault.sync()
    held = (vault.root / "log.md").open("r+b")
    held.write(b"ONE\n")

    def finish() -> None:
        held.close()

    timer = threading.Timer(0.3, finish)
    timer.start()
    editor.edit("log", [AppendText("two")])
    timer.join()
    assert texts(vault)["log.md"] == "ONE\n\ntwo\n"


def test_a_dry_run_changes_nothing(desk_of: Desk) -> None:
    files = {"a.md": "see [[b]]\n", "b.md": "x\n"}
    vault, editor = desk_of(files)
    made = editor.create("c", "z", dry_run=True)
    edited = editor.edit("a", [AppendText("y")], dry_run=True)
    moved = editor.rename("b", "d/B2", dry_run=True)
    gone = editor.remove("a", dry_run=True)

    def shown(answer: WriteAnswer) -> list[tuple[str, str | None, int]]:
        assert (answer.event, answer.dry_run) == (None, True)
        return [(file.path, file.path_after, file.links) for file in answer.files]

    assert shown(made) == [("c.md", None, 0)]
    assert shown(edited) == [("a.md", None, 0)]
    assert shown(moved) == [("b.md", "d/B2.md", 0), ("a.md", None, 1)]
    assert shown(gone) == [("a.md", ".trash/a.md", 0)]
    assert texts(vault) == files
    assert told(vault) == []


@pytest.mark.parametrize(
    "path", ["a", "A.md", "d", "a.md/b", "CON", "b|c", "x\u202ey", "f" * 300, "x//y"]
)
def test_a_dry_run_promises_no_note_that_would_be_refused(desk_of: Desk, path: str) -> None:
    _, editor = desk_of({"a.md": "x\n", "d.md/b.md": "y\n"})
    with pytest.raises(WriteRefused) as real:
        editor.create(path, "z")
    with pytest.raises(WriteRefused) as tried:
        editor.create(path, "z", dry_run=True)
    assert (tried.value.code, tried.value.message) == (real.value.code, real.value.message)


# --- rename ---


def test_the_name_that_a_note_has_is_nothing_to_change(desk_of: Desk) -> None:
    _, editor = desk_of({"a.md": "x\n"})
    answer = editor.rename("a", "a.md", expected=content_hash(b"x\n"))
    assert (answer.event, answer.files) == (None, ())


CASCADE = {
    "Ferry.md": "# Ferry\n\nThis is [[Ferry]]. [[#Crew]]\n\n## Crew\n\nThree.\n",
    "root.md": "---\nup: '[[Ferry]]'\n---\n[[ferry#Crew|crew]] ![[Ferry]] [x](Ferry.md#Crew)\r\n",
    "plan.canvas": '{"nodes":[{"id":"1","type":"file","file":"Ferry.md"}],"edges":[]}',
    "other.md": "no links",
}


def test_every_link_follows_in_one_event(desk_of: Desk) -> None:
    vault, editor = desk_of(CASCADE)
    answer = editor.rename("Ferry", "boats/Night ferry")
    assert texts(vault) == {
        "boats/Night ferry.md": "# Ferry\n\nThis is [[Night ferry]]. [[#Crew]]\n\n## Crew\n\nThree.\n",
        "root.md": "---\nup: '[[Night ferry]]'\n---\n[[Night ferry#Crew|crew]] ![[Night ferry]] "
        "[x](Night%20ferry.md#Crew)\r\n",
        "plan.canvas": '{"nodes":[{"id":"1","type":"file","file":"boats/Night ferry.md"}],"edges":[]}',
        "other.md": "no links",
    }
    assert answer.links == 6
    assert told(vault) == [("renamed", "vaultmem", "rename Ferry.md to boats/Night ferry.md")]
    assert [link.to for link in vault.links("root").links] == ["boats/Night ferry.md"] * 4
    verified(vault)


def test_a_folder_moves_with_all_that_is_in_it(desk_of: Desk) -> None:
    vault, editor = desk_of(
        {"Area/Ferry.md": "[[Area/Quay]]\n", "Area/Quay.md": "q\n", "Area/pic.png": "p"}
        | {"root.md": "[[Area/Ferry]] [[Ferry]]\n"}
    )
    (vault.root / "Area" / ".hidden").write_text("stays with it")
    editor.rename("Area/", "Old/Region")
    assert texts(vault) == {
        "Old/Region/Ferry.md": "[[Old/Region/Quay]]\n",
        "Old/Region/Quay.md": "q\n",
        "Old/Region/pic.png": "p",
        "root.md": "[[Old/Region/Ferry]] [[Ferry]]\n",
    }
    assert (vault.root / "Old/Region/.hidden").read_text() == "stays with it"
    assert not (vault.root / "Area").exists()
    assert len(told(vault)) == 1
    verified(vault)


def test_a_change_of_case_alone_goes_through(desk_of: Desk) -> None:
    vault, editor = desk_of({"log/ballast.md": "b\n", "ref.md": "[[ballast]] [[log/ballast]]\n"})
    editor.rename("log/ballast.md", "log/Ballast.md")
    assert texts(vault) == {"log/Ballast.md": "b\n", "ref.md": "[[ballast]] [[log/ballast]]\n"}
    verified(vault)


def test_what_is_in_the_way_is_never_replaced(desk_of: Desk) -> None:
    files = {"a.md": "a", "B.md": "b", "ref.md": "[[a]]"}
    vault, editor = desk_of(files)
    with pytest.raises(EditRefused) as refused:
        editor.rename("a", "b")
    assert refused.value.code == "exists"
    assert texts(vault) == files


def test_obsidians_setting_asks_for_consent(desk_of: Desk) -> None:
    files = {"a.md": "a", "ref.md": "[[a]]"}
    settings = {".obsidian/app.json": '{"alwaysUpdateLinks": false}'}
    vault, editor = desk_of(files | settings)
    with pytest.raises(EditRefused) as refused:
        editor.rename("a", "b")
    assert (refused.value.code, texts(vault)) == ("needs-consent", files)
    editor.rename("a", "b", links=LinkUpdates.NO)
    assert texts(vault) == {"b.md": "a", "ref.md": "[[a]]"}
    editor.rename("b", "c", links=LinkUpdates.YES)
    editor.rename("c", "a", links=LinkUpdates.YES)
    assert texts(vault) == {"a.md": "a", "ref.md": "[[a]]"}


def test_links_written_since_the_last_sync_follow_too(desk_of: Desk) -> None:
    vault, editor = desk_of({"a.md": "a"})
    vault.sync()
    (vault.root / "late.md").write_text("[[a]]\n")
    editor.rename("a", "b")
    assert texts(vault)["late.md"] == "[[b]]\n"


def test_a_heading_and_the_links_to_it(desk_of: Desk) -> None:
    vault, editor = desk_of(
        {"Ferry.md": "# Ferry\n## Crew ^c\n", "ref.md": "[[Ferry#Crew ^c]] [[Ferry#^c]]\n"}
    )
    answer = editor.rename_heading("Ferry", "Crew", "Hands")
    assert texts(vault) == {
        "Ferry.md": "# Ferry\n## Hands ^c\n",
        "ref.md": "[[Ferry#Hands c]] [[Ferry#^c]]\n",
    }
    assert (answer.links, len(told(vault))) == (1, 1)


def test_what_is_not_there_cannot_be_changed(desk_of: Desk) -> None:
    vault, editor = desk_of({"Kelp.md": "x"})
    attempts: list[Callable[[], object]] = [
        lambda: editor.rename("Kelb", "b"),
        lambda: editor.edit("Kelb", [AppendText("x")]),
        lambda: editor.remove("Kelb"),
        lambda: editor.rename_heading("Kelb", "a", "b"),
    ]
    for change in attempts:
        with pytest.raises(NoteNotFoundError, match=r"Kelp\.md"):
            change()
    assert texts(vault) == {"Kelp.md": "x"}


# --- remove ---


def test_a_removed_note_lies_in_the_trash_under_a_free_name(desk_of: Desk) -> None:
    vault, editor = desk_of({"a.md": "new", ".trash/a.md": "old", "ref.md": "[[a]]"})
    answer = editor.remove("a", by="agent")
    assert answer.files[0].path_after == ".trash/a 1.md"
    assert (vault.root / ".trash/a 1.md").read_text() == "new"
    assert texts(vault) == {"ref.md": "[[a]]"}
    assert told(vault) == [("deleted", "agent", "remove a.md")]
    assert found(vault, "new") == []


def test_links_that_lead_to_a_removed_file_no_more_are_told(desk_of: Desk) -> None:
    _, editor = desk_of(
        {
            "a.md": "[[a]]",
            "r.md": "[[a]] [[A|x]]",
            "s.md": "![[a]]",
            "p.png": "p",
            "q.md": "[[p.png]]",
        }
    )
    assert editor.remove("a", dry_run=True).warnings == (
        "3 links lead there no more, in r.md and 1 more.",
    )
    assert editor.remove("p.png").warnings == ("1 link leads there no more, in q.md.",)
    assert editor.remove("s").warnings == ()


@pytest.mark.parametrize(
    ("change", "error"),
    [
        (lambda editor: editor.create("b", "\ud800"), EditRefused),
        (lambda editor: editor.create("\ud800", "b"), UsageError),
        (lambda editor: editor.create("b", why="\udcff"), UsageError),
        (lambda editor: editor.edit("a", [AppendText("x")], by="\udcff"), UsageError),
        (lambda editor: editor.edit("a", [AppendText("\udcff")]), EditRefused),
        (lambda editor: editor.edit("\udcff", [AppendText("x")]), NoteNotFoundError),
        (lambda editor: editor.rename("a", "\udcff"), EditRefused),
        (lambda editor: editor.move("a", "\udcff/"), EditRefused),
        (lambda editor: editor.move("\udcff/", "b"), NoteNotFoundError),
        (lambda editor: editor.rename_heading("a", "H", "\udcff"), EditRefused),
        (lambda editor: editor.remove("\udcff"), NoteNotFoundError),
    ],
)
def test_half_a_character_is_refused(
    desk_of: Desk, change: Callable[[Editor], object], error: type[VaultmemError]
) -> None:
    vault, editor = desk_of({"a.md": "# H\n"})
    with pytest.raises(error):
        change(editor)
    assert (texts(vault), told(vault)) == ({"a.md": "# H\n"}, [])


def test_an_index_that_cannot_follow_does_not_undo_the_write(desk_of: Desk) -> None:
    vault, editor = desk_of({"a.md": "one"})
    vault.sync()

    editor = _Unindexed(vault._desk, AT_ONCE)
    answer = editor.create("b", "two")
    assert answer.note == "It is written; the index does not have it yet: The index is busy."
    assert texts(vault) == {"a.md": "one", "b.md": "two"}


class _Unindexed(Editor):
    """An editor whose index is busy whenever it wants to bring something in."""

    def _indexed(self, planned: Planned) -> str:
        def bring_in(paths: object) -> None:
            raise VaultmemError("The index is busy.")

        self._desk.bring_in = bring_in  # type: ignore[method-assign]
        return super()._indexed(planned)


# --- kills ---


def test_the_next_command_settles_what_a_killed_one_left(desk_of: Desk) -> None:
    """A cascade is cut off after its intent and its first file: whoever comes next finishes it, searching too."""
    vault, editor = desk_of({"a.md": "a\n", "r1.md": "[[a]]\n", "r2.md": "[[a]]\n"})
    pid = os.fork()
    if pid == 0:  # the one who is killed
        from vaultmem.files import execution

        def die(*_: object) -> None:
            os.kill(os.getpid(), 9)

        vars(execution)["carry"] = die
        editor.rename("a", "b")
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == -9
    assert texts(vault)["r1.md"] == "[[b]]\n"
    assert [hit.path for hit in vault.search("b").hits if hit.path == "b.md"] == ["b.md"]
    assert texts(vault) == {"b.md": "a\n", "r1.md": "[[b]]\n", "r2.md": "[[b]]\n"}
    verified(vault)
