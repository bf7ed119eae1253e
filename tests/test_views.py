"""What is shown of places and tags, made from index rows."""

from __future__ import annotations

from tests.conftest import VaultOf
from tests.vaults import write

ODD_BREAKS = "a\u2028b\x0cc\x85d\x1ce\nsee [[Tide]] here\nlast Tide\n"


def test_the_line_of_a_link_or_mention_is_the_parsers_line(vault_of: VaultOf) -> None:
    r"""Given characters that only str.splitlines breaks at, then the line shown is still that of the place."""
    vault = vault_of({"Tide.md": "", "s.md": ODD_BREAKS})

    (link,) = vault.backlinks("Tide").sources
    (mention,) = vault.unlinked("Tide").sources

    assert [(place.line, place.context) for place in link.places] == [(1, "see [[Tide]] here")]
    assert [(place.line, place.context) for place in mention.places] == [(2, "last Tide")]


def test_a_mention_in_a_footnotes_text_is_one(vault_of: VaultOf) -> None:
    vault = vault_of({"Low tide.md": "", "s.md": "a[^1]\n\n[^1]: at low\ntide\n\n[1]: low tide\n"})

    (source,) = vault.unlinked("Low tide").sources

    assert [(place.line, place.context) for place in source.places] == [(2, "[^1]: at low")]


def test_equally_common_spellings_of_a_tag_show_the_first_by_path(vault_of: VaultOf) -> None:
    """T-06, P1: what a sync shows is what a rebuild shows, and within a note the first written goes first."""
    vault = vault_of({"b.md": "#Foo\n#low #Low\n"})
    vault.sync()
    write(vault.root, {"a.md": "#foo\n"})

    synced = [count.tag for count in vault.tags().tags]
    vault.rebuild()

    assert synced == ["foo", "low"]
    assert [count.tag for count in vault.tags().tags] == synced
