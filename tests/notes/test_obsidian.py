"""Obsidian's settings as texts (G-07, F-03, F-07)."""

import json

import pytest

from vaultmem.notes.obsidian import LinkFormat, ObsidianSettings, read_settings


def excluding(*filters: object) -> ObsidianSettings:
    return read_settings({"app.json": json.dumps({"userIgnoreFilters": filters})})


@pytest.mark.parametrize(
    "texts",
    [
        {},
        {"app.json": ""},
        {"app.json": "{}", "types.json": "{}", "daily-notes.json": "{}", "templates.json": "{}"},
        {"app.json": '{"newLinkFormat": null, "userIgnoreFilters": null, "other": [1]}'},
        {"daily-notes.json": '{"format": "", "folder": "", "autorun": true}'},
        {"templates.json": '{"folder": ""}'},
        {"unknown.json": "{"},
    ],
)
def test_what_is_missing_has_obsidians_default(texts: dict[str, str]) -> None:
    assert read_settings(texts) == ObsidianSettings(
        new_link_format=LinkFormat.SHORTEST,
        use_markdown_links=False,
        always_update_links=True,
        ignore_filters=(),
        attachment_folder="/",
        templates_folder=None,
        daily_folder="",
        daily_format="YYYY-MM-DD",
        daily_template=None,
        property_types={},
        warnings=(),
    )


def test_what_is_set_is_read() -> None:
    app = {
        "newLinkFormat": "relative",
        "useMarkdownLinks": True,
        "alwaysUpdateLinks": False,
        "userIgnoreFilters": ["Archive/"],
        "attachmentFolderPath": "./files",
    }
    daily = {"folder": "/Journal/", "format": "YYYY/MM-DD", "template": "Templates/Day"}
    settings = read_settings(
        {
            "app.json": "\ufeff" + json.dumps(app),
            "daily-notes.json": json.dumps(daily),
            "templates.json": json.dumps({"folder": "Templates/"}),
            "types.json": json.dumps({"types": {"due": "date", "odd": 3}}),
        }
    )
    assert settings == ObsidianSettings(
        new_link_format=LinkFormat.RELATIVE,
        use_markdown_links=True,
        always_update_links=False,
        ignore_filters=("Archive/",),
        attachment_folder="./files",
        templates_folder="Templates",
        daily_folder="Journal",
        daily_format="YYYY/MM-DD",
        daily_template="Templates/Day",
        property_types={"due": "date"},
        ignored_prefixes=("archive/",),
    )


@pytest.mark.parametrize(
    ("name", "text", "about"),
    [
        ("app.json", "{", "app.json"),
        ("app.json", "[]", "app.json"),
        ("app.json", "[" * 100_000, "app.json"),
        ("app.json", '{"newLinkFormat": "longest"}', "newLinkFormat"),
        ("app.json", '{"newLinkFormat": 3}', "newLinkFormat"),
        ("app.json", '{"useMarkdownLinks": "yes"}', "useMarkdownLinks"),
        ("app.json", '{"userIgnoreFilters": "Archive/"}', "userIgnoreFilters"),
        ("templates.json", '{"folder": ["a"]}', "folder"),
        ("types.json", '{"types": []}', "types"),
        ("daily-notes.json", "nonsense", "daily-notes.json"),
    ],
)
def test_what_is_broken_has_the_default_and_is_listed(name: str, text: str, about: str) -> None:
    settings = read_settings({name: text})
    (warning,) = settings.warnings
    assert about in warning
    assert settings == ObsidianSettings(warnings=(warning,))


@pytest.mark.parametrize(
    ("filters", "path", "excluded"),
    [
        (["Archive/"], "Archive/a.md", True),
        (["Archive/"], "archive/a.md", True),
        (["Archive/"], "Archived.md", False),
        (["Archive/"], "x/Archive/a.md", False),
        (["Arch"], "Archived.md", True),
        (["Café/"], "Cafe\u0301/a.md", True),
        (["/^tmp-/"], "tmp-1.md", True),
        (["/^tmp-/"], "x/tmp-1.md", False),
        (["/tmp-/"], "x/tmp-1.md", True),
        ([r"/\.excalidraw\.md$/"], "x/drawing.excalidraw.md", True),
        (["/(?<year>\\d{4})-\\k/"], "2020.md", False),
        (["/(?<year>\\d{4})/"], "2020.md", True),
        (["/[[a]/"], "a.md", True),
        (["x", "/y/"], "ay.md", True),
        (["/"], "a.md", False),
        ([], "a.md", False),
    ],
)
def test_excluded_files(filters: list[str], path: str, excluded: bool) -> None:
    assert excluding(*filters).is_excluded(path) is excluded


@pytest.mark.parametrize("broken", ["/(/", "/[/", "/(?<a>x)(?<a>y)/"])
def test_a_broken_pattern_is_ignored_with_a_warning(broken: str) -> None:
    settings = excluding(broken, "Archive/")
    (warning,) = settings.warnings
    assert broken in warning
    assert settings.is_excluded("Archive/a.md")
    assert not settings.is_excluded("a.md")


def test_filters_that_are_no_texts_are_left_out_with_a_warning() -> None:
    settings = excluding("Archive/", 3, "")
    assert settings.ignore_filters == ("Archive/",)
    assert len(settings.warnings) == 1


@pytest.mark.parametrize(
    ("path", "inside"),
    [
        ("Templates/Day.md", True),
        ("templates/x/Day.md", True),
        ("Templates.md", False),
        ("x/Templates/Day.md", False),
    ],
)
def test_the_templates_folder(path: str, inside: bool) -> None:
    settings = read_settings({"templates.json": '{"folder": "Templates"}'})
    assert settings.in_templates(path) is inside
    assert not ObsidianSettings().in_templates(path)
