"""The vocabulary of the generators: what stands in the slots of their templates.

Every list is cut in two halves (``Half``): rules may be looked at against the development half only, and figures are
those of the held-out half, which shares no template and no slot value with it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from random import Random
from typing import Final, TypeVar

T = TypeVar("T")


class Half(StrEnum):
    """Which half of templates and vocabulary is used."""

    DEVELOPMENT = "development"
    HELD_OUT = "held-out"


def half_of(items: Sequence[T], half: Half) -> list[T]:
    """Every second item: the first, third, … for development, the others for the held-out half."""
    return list(items[0 if half is Half.DEVELOPMENT else 1 :: 2])


SLOTS: Final[Mapping[str, tuple[str, ...]]] = {
    "person": (
        "Marta Quill", "Oskar Lindh", "Bruno Achterberg", "Petra Voss", "Yusuf Demir", "Inga Solberg",
        "Tomasz Wolny", "Leila Haddad", "Anneke Dijk", "Rafael Prado", "Dunja Kos", "Sven Arnesen",
        "Hana Mori", "Colm Reilly", "Giulia Ferri", "Noor Rahman",
    ),
    "team": (
        "Kestrel", "Halyard", "Tundra", "Obsidienne", "Marlin", "Juniper", "Saffron", "Gantry",
        "Lodestar", "Pumice", "Thistle", "Quarry",
    ),
    "company": (
        "Norvale", "Brightwell", "Ostrava Glass", "Pinecrest", "Velora", "Hadley & Sons", "Kubota Freight",
        "Silverton", "Meridian Foods", "Cobalt Works", "Tarn Energy", "Asterly",
    ),
    "city": (
        "Lisbon", "Gdansk", "Utrecht", "Bergen", "Porto", "Ghent", "Tartu", "Graz", "Lyon", "Malmo", "Leeds", "Bilbao",
    ),
    "service": (
        "ledger-api", "mailroom", "the invoice worker", "the greenhouse controller", "photo-index", "the billing gateway",
        "relay-7", "the boiler monitor", "the tape library", "catalogue-sync", "the door panel", "inkwell",
    ),
    "plant": (
        "the fig tree", "the lemon balm", "the climbing rose", "the quince", "the bay laurel", "the olive", "the wisteria",
        "the medlar", "the hop vine", "the camellia",
    ),
    "dish": (
        "the rye loaf", "the barley soup", "the plum cake", "the pickled beets", "the lamb stew", "the oat bread",
        "the fish pie", "the walnut tart",
    ),
    "path": (
        "/etc/mailroom/relay.conf", "/srv/photos/archive", "~/notes/garden/beds.md", "C:\\Data\\Export\\march.csv",
        "/var/lib/ledger/state.db", "/opt/inkwell/bin", "~/recipes/bread/rye.md", "/mnt/tape/vault-2",
        "D:\\Backups\\weekly", "src/parser/lexer.py", "docs/setup/network.md", "config/production.yaml",
    ),
    "library": ("Quartzite", "libmarrow", "Pelican", "fernjson", "Tessera", "oakcache", "Brindle", "snowdrop"),
    "month": (
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ),
    "weekday": ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
}  # fmt: skip


def pick(slot: str, half: Half, rng: Random, *, unlike: str | None = None) -> str:
    """One value of the slot, another one than ``unlike``."""
    values = half_of(SLOTS[slot], half)
    return rng.choice([value for value in values if value != unlike])


def number(rng: Random, *, unlike: int | None = None) -> int:
    """A count as notes have them: mostly small, now and then large; another one than ``unlike``."""
    while True:
        value = rng.choice((rng.randint(2, 40), rng.randint(41, 990), rng.randint(1000, 65000)))
        if value != unlike:
            return value


def near_number(value: int, rng: Random) -> int:
    """A number that is easily mistaken for ``value``: one more, a digit swapped, ten times as much."""
    digits = list(str(value))
    place = rng.randrange(len(digits))
    digits[place] = rng.choice([d for d in "123456789" if d != digits[place]])
    return rng.choice((value + 1, value * 10, int("".join(digits))))


def version(rng: Random) -> tuple[int, ...]:
    """A version of two or three parts."""
    return tuple(rng.randint(0, 19) for _ in range(rng.choice((2, 3))))


def near_version(value: tuple[int, ...], rng: Random) -> tuple[int, ...]:
    """The version with one part raised."""
    place = rng.randrange(len(value))
    return tuple(part + (rng.randint(1, 3) if i == place else 0) for i, part in enumerate(value))


def dotted(value: tuple[int, ...]) -> str:
    """The version as written."""
    return ".".join(map(str, value))
