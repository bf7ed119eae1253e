"""Typed pairs of claims: what contradicts, what is out of date, and what only looks as if it did."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from random import Random
from typing import Final

from tests.dream.sentences import context, fill
from tests.dream.words import (
    SLOTS,
    Half,
    dotted,
    half_of,
    near_number,
    near_version,
    number,
    pick,
    version,
)


@dataclass(frozen=True, slots=True)
class ClaimPair:
    """Two texts, whether they can both hold now (``consistent``, ``contradictory``, ``stale``), and the type."""

    type: str
    label: str
    a: str
    b: str


SPELLED: Final = (
    "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
)  # fmt: skip

Made = tuple[str, str]
Maker = Callable[[Half, Random], Made]


def _one(pairs: tuple[tuple[str, str], ...]) -> Maker:
    """A maker that fills one of the pairs of templates, the same values in both."""

    def make(half: Half, rng: Random) -> Made:
        a, b = rng.choice(half_of(pairs, half))
        seed = rng.random()
        return fill(a, half, Random(seed)), fill(b, half, Random(seed))

    return make


def _two_values(
    templates: tuple[tuple[str, str], ...],
    slot: str,
    values: Callable[[Half, Random], tuple[str, str]],
) -> Maker:
    """A maker that writes one value into the first template and another into the second."""

    def make(half: Half, rng: Random) -> Made:
        a, b = rng.choice(half_of(templates, half))
        x, y = values(half, rng)
        seed = rng.random()
        return (
            fill(a.replace(f"<{slot}>", x), half, Random(seed)),
            fill(b.replace(f"<{slot}>", y), half, Random(seed)),
        )

    return make


def _numbers(half: Half, rng: Random) -> tuple[str, str]:
    x = number(rng)
    return str(x), str(near_number(x, rng))


def _versions(half: Half, rng: Random) -> tuple[str, str]:
    v = version(rng)
    return dotted(v), dotted(near_version(v, rng))


def _dates(half: Half, rng: Random) -> tuple[str, str]:
    day, month, year = rng.randint(1, 27), rng.randrange(12), rng.randint(2020, 2028)
    return f"{day} {SLOTS['month'][month]} {year}", f"{day + 1} {SLOTS['month'][month]} {year}"


def _same_dates(half: Half, rng: Random) -> tuple[str, str]:
    day, month, year = rng.randint(1, 28), rng.randrange(12), rng.randint(2020, 2028)
    iso = f"{year}-{month + 1:02}-{day:02}"
    return iso, rng.choice(
        (f"{day} {SLOTS['month'][month]} {year}", f"{SLOTS['month'][month]} {day}, {year}")
    )


def _same_numbers(half: Half, rng: Random) -> tuple[str, str]:
    x = rng.choice((rng.randint(2, 12), rng.randint(1000, 90000)))
    if x < 13:
        return str(x), SPELLED[x - 2]
    return str(x), f"{x:,}"


def _of(slot: str) -> Callable[[Half, Random], tuple[str, str]]:
    def values(half: Half, rng: Random) -> tuple[str, str]:
        x = pick(slot, half, rng)
        return x, pick(slot, half, rng, unlike=x)

    return values


NEGATED: Final = (
    ("{service} keeps a log of every call.", "{service} keeps no log of calls."),
    ("{plant} needs full sun.", "{plant} doesn't need full sun."),
    ("Guests may park in the yard.", "Guests may not park in the yard."),
    ("{person} has signed the contract.", "{person} has not signed the contract yet."),
    ("The policy at {company} allows remote work.", "The policy at {company} does not allow remote work."),
    ("{library} is safe to use from several threads.", "{library} isn't safe to use from several threads."),
    ("Every room has a window.", "Not every room has a window."),
    ("{dish} contains nuts.", "{dish} never contains nuts."),
    ("Somebody checks the alarm at night.", "Nobody checks the alarm at night."),
    ("{team} can deploy on weekends.", "{team} can't deploy on weekends."),
)  # fmt: skip
NUMBERED: Final = (
    ("{service} listens on port <x>.", "The port of {service} is <x>."),
    ("The hall has room for <x> guests.", "The hall has room for <x> guests at most."),
    ("{company} employs <x> people.", "{company} employs <x> people in all."),
    ("{service} keeps <x> backups.", "{service} keeps <x> backups."),
    ("The lease costs <x> euros a month.", "The lease costs <x> euros a month."),
    ("{team} has <x> members.", "There are <x> members in {team}."),
    ("Batch size of {service}: <x>", "Batch size of {service}: <x>"),
    ("Bake {dish} for <x> minutes.", "{dish} has to be baked for <x> minutes."),
)  # fmt: skip
DATED: Final = (
    ("The contract with {company} ends on <x>.", "The contract with {company} ends on <x>."),
    ("{library} was first released on <x>.", "The first release of {library} was on <x>."),
    ("{person} was born on <x>.", "{person} was born on <x>."),
    ("The deadline for the tax papers is <x>.", "Deadline for the tax papers: <x>"),
    ("The house in {city} was sold on <x>.", "The house in {city} was sold on <x>."),
    ("{team} was founded on <x>.", "The founding day of {team} is <x>."),
)  # fmt: skip
VERSIONED: Final = (
    ("{service} runs on {library} <x>.", "{service} runs on {library} <x>."),
    ("The leak in {library} was fixed in <x>.", "The leak in {library} was fixed in version <x>."),
    ("{service} needs at least {library} <x>.", "{service} needs at least version <x> of {library}."),
    ("The pinned version of {library} is <x>.", "The pinned version of {library} is <x>."),
)  # fmt: skip
UNITS: Final = (
    ("{service} answers within 40 ms.", "{service} answers within 40 s."),
    ("The tank behind the house holds 300 litres.", "The tank behind the house holds 300 gallons."),
    ("{service} may use 8 MB of memory.", "{service} may use 8 GB of memory."),
    ("{plant} grows 12 cm a year.", "{plant} grows 12 m a year."),
    ("The backup of {service} is kept for 6 days.", "The backup of {service} is kept for 6 weeks."),
    ("The fee for {team} is 90 EUR.", "The fee for {team} is 90 USD."),
)  # fmt: skip
STATES: Final = (
    ("Replication for {service} is enabled.", "Replication for {service} is disabled."),
    ("The proposal of {team} was accepted.", "The proposal of {team} was rejected."),
    ("The valve in the cellar is open.", "The valve in the cellar is closed."),
    ("The check of {service} passed.", "The check of {service} failed."),
    ("Two-step login for {service} is mandatory.", "Two-step login for {service} is optional."),
    ("The line to {city} is active.", "The line to {city} is inactive."),
    ("{person} is available on Fridays.", "{person} is unavailable on Fridays."),
    ("The share for {team} is public.", "The share for {team} is private."),
    ("The order from {company} is complete.", "The order from {company} is incomplete."),
    ("{plant} is alive.", "{plant} is dead."),
)  # fmt: skip
SINGLE: Final = (
    ("{person} works for <x>.", "{person} works for <x>.", "company"),
    ("{service} is owned by <x>.", "The owner of {service} is <x>.", "team"),
    ("{person} lives in <x>.", "{person} lives in <x>.", "city"),
    ("The head office of {company} is in <x>.", "The head office of {company} is in <x>.", "city"),
    ("{team} is led by <x>.", "The lead of {team} is <x>.", "person"),
    ("{service} stores its state in <x>.", "{service} stores its state in <x>.", "path"),
    ("The maintainer of {library} is <x>.", "Maintainer of {library}: <x>", "person"),
    ("{dish} is baked by <x>.", "{dish} is baked by <x>.", "person"),
)  # fmt: skip
OUTDATED: Final = (
    ("As of 2023, {team} has 11 members.", "As of 2025, {team} has 14 members."),
    ("{person} currently works for Norvale.", "Since 2024 {person} no longer works for Norvale."),
    ("{service} runs on {library}.", "{service} used to run on {library} until last year."),
    ("(2022-03-01) The rent of the hall is 700 euros.", "(2024-03-01) The rent of the hall is 760 euros."),
    ("{company} is based in {city}.", "{company} was based in {city} until 2021."),
    ("The office of {team} is in {city}.", "The office of {team} is no longer in {city}."),
    ("In 2021 the fee was 40 EUR.", "In 2025 the fee is 55 EUR."),
    ("{person} leads {team}.", "{person} led {team} until 2022, when somebody else took over."),
)  # fmt: skip

OTHER_SUBJECT: Final = (
    ("<x> listens on port 8080.", "<x> listens on port 9090.", "service"),
    ("<x> has 12 members.", "<x> has 31 members.", "team"),
    ("<x> lives in Porto.", "<x> lives in Graz.", "person"),
    ("The fair in <x> begins on 4 May 2025.", "The fair in <x> begins on 9 June 2025.", "city"),
    ("<x> 2.4 fixed the leak.", "<x> 3.1 fixed the leak.", "library"),
    ("<x> needs full sun.", "<x> does not need full sun.", "plant"),
    ("<x> accepted the offer.", "<x> rejected the offer.", "company"),
    ("<x> contains nuts.", "<x> contains no nuts.", "dish"),
)  # fmt: skip
OTHER_ATTRIBUTE: Final = (
    ("{service} listens on port 8080.", "{service} keeps 12 backups."),
    ("{team} has 9 members.", "{team} has 4 open tickets."),
    ("The contract with {company} was signed on 3 May 2024.", "The contract with {company} ends on 9 May 2026."),
    ("{person} was born in {city}.", "{person} works for Velora."),
    ("{library} 2.1 added streaming.", "{library} 2.4 fixed the leak."),
    ("The hall seats 120 guests.", "The hall costs 700 euros a day."),
    ("{plant} grows 12 cm a year.", "{plant} needs 3 litres of water."),
    ("{service} is enabled in the test network.", "The alarm of {service} is disabled at night."),
)  # fmt: skip
MANY_VALUED: Final = (
    ("{person} knows <x>.", "{person} knows <x>.", "person"),
    ("{team} ordered chairs from <x>.", "{team} ordered chairs from <x>.", "company"),
    ("{person} has visited <x>.", "{person} has visited <x>.", "city"),
    ("{service} depends on <x>.", "{service} depends on <x>.", "library"),
    ("{person} likes <x>.", "{person} likes <x>.", "dish"),
    ("{person} planted <x>.", "{person} planted <x>.", "plant"),
    ("{company} has a shop in <x>.", "{company} has a shop in <x>.", "city"),
    ("{person} took part in a meeting with <x>.", "{person} took part in a meeting with <x>.", "team"),
)  # fmt: skip
DIFFERENT_TIMES: Final = (
    ("In 2019 {company} employed 40 people.", "In 2023 {company} employed 65 people."),
    ("On Monday {service} failed twice.", "On Thursday {service} failed five times."),
    ("In March {person} ran 80 km.", "In April {person} ran 95 km."),
    ("The harvest of 2020 gave 14 crates.", "The harvest of 2022 gave 9 crates."),
    ("In the first quarter {team} closed 30 tickets.", "In the second quarter {team} closed 45 tickets."),
    ("{person} weighed 70 kg in 2018.", "{person} weighed 74 kg in 2021."),
)  # fmt: skip
SAME_QUANTITY: Final = (
    ("{service} may use 2 GB of memory.", "{service} may use 2048 MB of memory."),
    ("The trail near {city} is 1.5 km long.", "The trail near {city} is 1500 m long."),
    ("Bake {dish} for 90 minutes.", "Bake {dish} for 1.5 hours."),
    ("{service} answers within 0.5 s.", "{service} answers within 500 ms."),
    ("Add 0.25 kg of flour.", "Add 250 g of flour."),
    ("The discount for {team} is 8 %.", "The discount for {team} is 8 percent."),
)  # fmt: skip
ADDITION: Final = (
    ("{service} keeps a log.", "{service} keeps a log, and the log is rotated every 7 days."),
    ("{person} works for {company}.", "{person} works for {company} as an engineer."),
    ("{plant} needs full sun.", "{plant} needs full sun and does not like wet soil."),
    ("The hall has 120 seats.", "The hall has 120 seats, 14 of them near the door."),
    ("The contract with {company} ends in 2026.", "The contract with {company} ends in March 2026."),
    ("{team} meets on Mondays.", "{team} meets on Mondays at 10:00."),
    ("{library} is fast.", "{library} is fast but not small."),
    ("{dish} takes an hour.", "{dish} takes an hour, without the time for the dough."),
)  # fmt: skip
CONDITION: Final = (
    ("In the test network {service} is disabled.", "In production {service} is enabled."),
    ("Members pay 10 euros.", "Guests pay 15 euros."),
    ("In summer {plant} needs water every day.", "In winter {plant} doesn't need water every day."),
    ("On weekdays the gate is open.", "On holidays the gate is closed."),
    ("Version 2 of {library} supports streams.", "Version 1 of {library} does not support streams."),
    ("With the patch {service} passed the check.", "Without the patch {service} failed the check."),
)  # fmt: skip
REWORDED: Final = (
    ("{service} is not enabled.", "{service} is disabled."),
    ("{person} lives in {city}.", "The home of {person} is in {city}."),
    ("It isn't allowed to smoke in the hall.", "Smoking is forbidden in the hall."),
    ("{team} owns {service}.", "{service} belongs to {team}."),
    ("The port of {service} is 8443.", "{service} listens on port 8443."),
    ("{dish} contains no milk.", "{dish} is made without milk."),
    ("{plant} is not dead.", "{plant} is alive."),
    ("Nobody may enter the server room.", "No one is allowed to enter the server room."),
)  # fmt: skip

_SAME_NUMBER: Final = (
    ("{company} sold <x> chairs last spring.", "{company} sold <x> chairs last spring."),
    ("The store room has <x> shelves.", "There are <x> shelves in the store room."),
    ("{person} owns <x> maps.", "{person} owns <x> maps."),
    ("{team} closed <x> tickets.", "{team} closed <x> tickets in all."),
)  # fmt: skip

TYPES: Final[Mapping[str, tuple[str, Maker]]] = {
    "negation": ("contradictory", _one(NEGATED)),
    "number": ("contradictory", _two_values(NUMBERED, "x", _numbers)),
    "date": ("contradictory", _two_values(DATED, "x", _dates)),
    "version": ("contradictory", _two_values(VERSIONED, "x", _versions)),
    "unit": ("contradictory", _one(UNITS)),
    "status": ("contradictory", _one(STATES)),
    "single-valued": ("contradictory", lambda h, r: _slotted(SINGLE, h, r)),
    "out of date": ("stale", _one(OUTDATED)),
    "other subject": ("consistent", lambda h, r: _slotted(OTHER_SUBJECT, h, r)),
    "other attribute": ("consistent", _one(OTHER_ATTRIBUTE)),
    "many-valued": ("consistent", lambda h, r: _slotted(MANY_VALUED, h, r)),
    "different times": ("consistent", _one(DIFFERENT_TIMES)),
    "same quantity": ("consistent", _one(SAME_QUANTITY)),
    "same date": ("consistent", _two_values(DATED, "x", _same_dates)),
    "same number": ("consistent", _two_values(_SAME_NUMBER, "x", _same_numbers)),
    "addition": ("consistent", _one(ADDITION)),
    "condition": ("consistent", _one(CONDITION)),
    "reworded": ("consistent", _one(REWORDED)),
}


def _slotted(templates: tuple[tuple[str, str, str], ...], half: Half, rng: Random) -> Made:
    a, b, slot = rng.choice(half_of(templates, half))
    return _two_values(((a, b),) * 2, "x", _of(slot))(half, rng)


def claim_pairs(count: int, half: Half, seed: int) -> Iterator[ClaimPair]:
    """That many pairs, all types in turn; in half of them other sentences stand around either claim."""
    rng = Random(f"claims {half} {seed}")
    types = list(TYPES)
    for i in range(count):
        name = types[i % len(types)]
        label, make = TYPES[name]
        a, b = make(half, rng)
        if rng.random() < 0.5:
            a, b = b, a
        if rng.random() < 0.5:
            others = context(rng.randint(2, 5), half, rng)
            cut = rng.randint(0, len(others))
            a, b = _inside(a, others[:cut], rng), _inside(b, others[cut:], rng)
        yield ClaimPair(name, label, a, b)


def _inside(claim: str, others: list[str], rng: Random) -> str:
    place = rng.randint(0, len(others))
    stopped = claim if claim.endswith(".") else f"{claim}."
    return " ".join([*others[:place], stopped, *others[place:]])
