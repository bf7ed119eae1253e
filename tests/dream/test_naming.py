"""Links as the dream writes them: each means one file and no other."""

from __future__ import annotations

import pytest

from vaultmem.dream.naming import Links

PATHS = (
    "Log.md",
    "Projects/Log.md",
    "Ideas/Winch.md",
    "Ideas/Winch.md.md",
    "Tides#1.md",
    "Memory/_archive/Pump.md",
    "Charts/coast.png",
)


@pytest.mark.parametrize(
    ("path", "link"),
    [
        ("Memory/_archive/Pump.md", "[[Pump]]"),
        ("Memory/keeper/Pump.md", "[[Pump]]"),
        ("Memory/Gone.md", "[[Gone]]"),
        ("Projects/Log.md", "[[Projects/Log]]"),
        ("Ideas/Winch.md", "[[Winch]]"),
        ("Ideas/Winch.md.md", "[[Winch.md.md]]"),
        ("Charts/coast.png", "[[coast.png]]"),
        ("Tides#1.md", "Tides#1.md"),
    ],
)
def test_a_link_leads_to_its_file(path: str, link: str) -> None:
    assert Links(PATHS).to(path) == link


def test_a_link_to_where_a_file_will_be_counts_it_there_only() -> None:
    links = Links(PATHS)

    assert links.wikilink("Ideas/Winch.md", moved_to="Memory/_archive/Winch.md") == "[[Winch]]"
    assert links.wikilink("Ideas/Winch.md", moved_to="Memory/_archive/Log.md") == (
        "[[Memory/_archive/Log]]"
    )


def test_a_property_gets_no_link_where_no_wikilink_can_hold_the_name() -> None:
    assert Links(PATHS).wikilink("Tides#1.md") == ""
