"""A vault that wants tending: notes with planted duplicates, look-alikes, claims out of date and broken links, and questions
whose answers are known, of which the dream knows nothing.

Everything in it is invented, with names and sentences of its own. What a question asks for is worded apart from the
claim that answers it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from random import Random
from typing import Final

from tests.dream.duplicates import reworded
from tests.dream.words import Half

FIRST_DAY: Final = date(2025, 3, 1)
DAYS: Final = 600
"""Between the oldest note and the newest."""

SHARE_OF: Final[Mapping[str, float]] = {
    "duplicate": 0.10,
    "near-miss": 0.06,
    "outdated": 0.10,
    "ceased": 0.04,
    "broken link": 0.04,
    "faded": 0.05,
}
"""Of the notes."""
HAND: Final = 0.10
"""Of the notes that are a person's."""
TITLES: Final = (
    ("{}", "{} inspection"), ("{} survey", "{} inspection"), ("{} survey", "{}"), ("{} in brief", "{} update"),
)  # fmt: skip
"""What the older and the newer of two notes about one thing are called."""
ASKED: Final = 0.3
"""Of the questions' notes that somebody has asked for before, in other words."""


@dataclass(frozen=True, slots=True)
class Aspect:
    """One thing that can be known of a subject."""

    claim: str
    """``{e}`` is the subject, ``{x}`` the value."""
    values: str
    question: str
    ceased: str
    """What says that it is so no longer."""


SITES: Final = (
    Aspect("{e} passes {x} litres a second.", "number", "how much water gets through {e}", ""),
    Aspect("The sluice at {e} has {x} boards.", "number", "count of planks in the gate {e}", ""),
    Aspect("{e} was surveyed by {x}.", "person", "who measured {e} last", ""),
    Aspect(
        "{e} is kept by {x}.", "person", "caretaker responsible for {e}",
        "{e} is no longer kept by {x}.",
    ),
    Aspect(
        "{e} belongs to {x}.", "firm", "which owner has {e}", "{e} no longer belongs to {x}.",
    ),
    Aspect("The toll at {e} is {x} crowns.", "number", "what does crossing {e} cost", ""),
    Aspect("The reeds at {e} are cut in {x}.", "month", "when do we mow the reed near {e}", ""),
    Aspect("{e} stands on {x}.", "ground", "what is the soil under {e}", ""),
    Aspect(
        "The winch at {e} is enabled.|The winch at {e} is disabled.", "state",
        "may the hoist of {e} be used", "",
    ),
    Aspect("The gauge of {e} runs firmware {x}.", "version", "software release on the meter {e}", ""),
    Aspect("The log of {e} is kept in {x}.", "path", "where do records for {e} live", ""),
    Aspect("The lease of {e} ends on {x}.", "date", "until which day is {e} rented", ""),
)  # fmt: skip

_FRONT: Final = (
    "Hes",
    "Pel",
    "Brack",
    "Tarn",
    "Osk",
    "Wim",
    "Sal",
    "Dun",
    "Mar",
    "Quen",
    "Rud",
    "Fen",
    "Gar",
    "Lov",
    "Ist",
    "Cor",
    "Ned",
    "Yar",
    "Zel",
    "Bram",
)
_MIDDLE: Final = (
    "ke",
    "en",
    "ol",
    "is",
    "ar",
    "um",
    "ay",
    "or",
    "ick",
    "al",
    "edge",
    "ingh",
    "over",
    "ath",
)
_END: Final = (
    "by",
    "ham",
    "wick",
    "stow",
    "mere",
    "dale",
    "ford",
    "holt",
    "thorpe",
    "ness",
    "combe",
    "garth",
)
_KIND: Final = (
    "Weir",
    "Lock",
    "Culvert",
    "Sluice",
    "Mill",
    "Quay",
    "Ferry",
    "Basin",
    "Footbridge",
    "Boathouse",
)
_GIVEN: Final = (
    "Oda",
    "Bren",
    "Kasimir",
    "Ljuba",
    "Ansgar",
    "Perpetua",
    "Tove",
    "Wendel",
    "Ilka",
    "Joris",
    "Maud",
    "Ruben",
)
_FAMILY: Final = (
    "Marrick",
    "Tolva",
    "Ostler",
    "Penhale",
    "Quist",
    "Ravn",
    "Sorrel",
    "Tamm",
    "Uxley",
    "Vane",
    "Wisk",
    "Yelland",
)
_FIRMS: Final = (
    "Aldwater Trust",
    "Cray & Tolley",
    "Eastmere Board",
    "Northfen Guild",
    "Ropewalk Society",
    "Tidal Estate",
    "Weald Company",
    "Osier Cooperative",
)
_GROUND: Final = ("clay", "gravel", "peat", "chalk", "sandstone", "marl", "slate", "loam")
_MONTHS: Final = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
_FOLDERS: Final = (
    "surveys/north",
    "surveys/south",
    "ledgers/tolls",
    "ledgers/leases",
    "plans/gates",
    "plans/banks",
    "reports/flood",
    "reports/ice",
)

_FILL: Final = (
    "{p} started with a small trial near {s} and moved the rest of the {n} after a quiet week.",
    "The old {n} was slow because every {m} had to wait for the one before it.",
    "Please keep the spare {n} beside the {m} at {s}.",
    "Most of the trouble came from the {n}, which was too long and badly laid.",
    "It helps to look at the {n} early, while the {m} is still cool.",
    "A short note about the {n} goes to {p} so that nobody needs to ask.",
    "{p} said that the {n} often takes longer when the {m} is wet.",
    "Remember to close the {n} before you remove the {m}, otherwise the bank gets wet.",
    "Our aim is to make the {n} quick enough that people really use it.",
    "{p} thinks the simplest fix is to show the {m} beside the {n}.",
    "The walk to {s} was long, but they finally agreed on a common {n}.",
    "The report explains why the {n} leans and which {m} usually returns.",
    "A colleague from {s} will help us build the {n}, mainly for the {m}.",
    "The {n} needs a repair soon, since rain gets in near the {m}.",
    "Each {n} is reviewed by {p} and then tried on the {m}.",
    "They chose this {n} since it needs fewer steps and is easy to explain to {p}.",
    "The large {n} is for the {m}; the other holds what {p} uses daily.",
    "Write down the reason for the {n}, as it will be hard to recall later at {s}.",
    "Copies of the {n} are in the cabinet, sorted by {m}.",
    "In winter the {n} runs less, which saves the {m} and makes the house quiet.",
)  # fmt: skip
_THINGS: Final = (
    "boom", "tackle", "paddle", "rack", "pile", "cofferdam", "spindle", "hatch", "staithe", "towpath", "bollard", "fender",
    "penstock", "riprap", "gabion", "groyne", "dredger", "punt", "barge", "capstan", "windlass", "rowlock", "fairlead", "hawser",
    "mooring", "jetty", "slipway", "trestle", "culm", "withy", "osier", "sedge", "eelgrass", "alder", "lantern", "klaxon",
    "tide table", "float", "stoplog", "ratchet", "gantry", "silt trap", "fish pass", "spillway", "headrace", "tailrace",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Held:
    """A question and what answers it."""

    kind: str
    """plain, duplicate, near-miss, outdated, beside (what else a note says that has an outdated claim), ceased or faded: what
    was planted about it."""
    query: str
    right: tuple[str, ...]
    """The claim that holds now, in each wording that stands in the vault."""
    wrong: tuple[str, ...] = ()
    """What held once."""


@dataclass(frozen=True, slots=True)
class LookAlikes:
    """Two notes that must stay two, and the claims that tell them apart."""

    first: str
    second: str
    claims: tuple[str, str]


@dataclass(slots=True)
class Tended:
    """The vault and what was planted in it."""

    files: dict[str, str] = field(default_factory=dict)
    days: dict[str, date] = field(default_factory=dict)
    """When each note was saved last."""
    claims: set[str] = field(default_factory=set)
    """Each line that somebody put down: none may vanish."""
    held: list[Held] = field(default_factory=list)
    look_alikes: list[LookAlikes] = field(default_factory=list)
    duplicates: list[tuple[str, str]] = field(default_factory=list)
    asked: list[tuple[str, str]] = field(default_factory=list)
    """(question, path) that somebody asked before the first night."""


class Maker:
    """Makes such a vault, always the same one for a seed."""

    def __init__(self, notes: int, questions: int, seed: int) -> None:
        self._rng = Random(f"tended {seed}")
        self._notes = notes
        self._questions = questions
        self._names: set[str] = set()
        self.made = Tended()
        self._titles: list[str] = []

    def make(self) -> Tended:
        """The vault."""
        wanted = {kind: round(self._notes * share) for kind, share in SHARE_OF.items()}
        for _ in range(wanted["duplicate"] // 2):
            self._duplicate()
        for _ in range(wanted["near-miss"] // 2):
            self._near_miss()
        for _ in range(wanted["outdated"] // 2):
            self._outdated()
        for _ in range(wanted["ceased"] // 2):
            self._ceased()
        for _ in range(wanted["faded"]):
            self._faded()
        for number in range(max(0, self._notes - len(self.made.files))):
            self._plain(number, broken=number < wanted["broken link"])
        self._choose_questions()
        return self.made

    # -- what is planted ---------------------------------------------------------------------------------------------

    def _plain(self, number: int, *, broken: bool) -> None:
        name, day = self.name(), self._day()
        told = self._told(name, 2)
        lines = [claim for claim, _ in told]
        link = self._link(broken)
        path = self._place(name, hand=self._rng.random() < HAND)
        self._put(path, self._text(path, name, day, lines, link=link), day)
        self._ask("plain", name, told[0])
        if self._rng.random() < ASKED:
            self.made.asked.append((f"{name} {told[1][1].values}", path))

    def _duplicate(self) -> None:
        """Twice the same: by an agent that did not look, or looked and left out the half."""
        name, day = self.name(), self._day()
        told = self._told(name, 3)
        path = self._place(name, hand=False)
        body = self._body([claim for claim, _ in told])
        self._put(path, self._headed(path, name, day, body), day)
        kept = body if self._rng.random() < 0.6 else body.split("\n\n")[0]
        again = reworded(kept, Half.HELD_OUT, self._rng)
        other = self._beside(path, name)
        later = day + timedelta(days=self._rng.randint(0, 20))
        self._put(other, self._headed(other, _stem(other), later, again), later)
        self.made.duplicates.append((path, other))
        anew = dict(zip(told_by(kept), told_by(again), strict=True))
        for claim, aspect in told[:2]:
            question = aspect.question.format(e=name)
            right = tuple(dict.fromkeys((claim, anew.get(claim, claim))))
            self.made.held.append(Held("duplicate", question, right))

    def _near_miss(self) -> None:
        """Two notes of one wording about two things, or of one thing under two conditions."""
        name, day = self.name(), self._day()
        aspect = self._rng.choice([a for a in SITES if a.values not in ("state", "path")])
        x, y = self._two(aspect.values)
        fill = self._filling(3)
        if self._rng.random() < 0.5:
            other = self.name()
            claims = aspect.claim.format(e=name, x=x), aspect.claim.format(e=other, x=y)
            titles = name, other
        else:
            claim = aspect.claim[0].lower() + aspect.claim[1:]
            claims = (
                f"At spring tide {claim.format(e=name, x=x)}",
                f"At neap tide {claim.format(e=name, x=y)}",
            )
            titles = f"{name} at spring tide", f"{name} at neap tide"
        paths = []
        for title, claim in zip(titles, claims, strict=True):
            path = self._place(title, hand=False)
            paths.append(path)
            self._put(path, self._headed(path, title, day, f"{claim} {fill}\n"), day)
            question = aspect.question.format(e=title)
            self.made.held.append(Held("near-miss", question, (claim,)))
        self.made.look_alikes.append(LookAlikes(paths[0], paths[1], (claims[0], claims[1])))

    def _outdated(self) -> None:
        """An older note, and a newer one that says otherwise."""
        name = self.name()
        aspect = self._rng.choice([a for a in SITES if a.values not in ("ground", "path")])
        first, second = self._day(), FIRST_DAY
        second = first + timedelta(days=self._rng.randint(30, 200))
        if aspect.values == "state":
            old, new = aspect.claim.format(e=name).split("|")
        else:
            x, y = self._two(aspect.values)
            old, new = aspect.claim.format(e=name, x=x), aspect.claim.format(e=name, x=y)
        titles = self._rng.choice(TITLES)
        told = ((old, first), (new, second))
        beside: list[tuple[str, Aspect]] = []
        for pattern, (claim, day) in zip(titles, told, strict=True):
            title = pattern.format(name)
            path = self._place(title, hand=False)
            rest = [(c, a) for c, a in self._told(name, 2) if a is not aspect]
            beside += rest[:1]
            self._put(path, self._text(path, title, day, [claim, *(c for c, _ in rest[:1])]), day)
        if beside[0][1] is not beside[1][1]:
            self._ask("beside", name, beside[0])
        self.made.held.append(Held("outdated", aspect.question.format(e=name), (new,), (old,)))

    def _ceased(self) -> None:
        """A claim, and a later note that says it is so no longer and what is so now."""
        name = self.name()
        aspect = self._rng.choice([a for a in SITES if a.ceased])
        x, y = self._two(aspect.values)
        old, new = aspect.claim.format(e=name, x=x), aspect.claim.format(e=name, x=y)
        gone = aspect.ceased.format(e=name, x=x)
        first = self._day()
        second = first + timedelta(days=self._rng.randint(30, 200))
        one, other = self._place(name, hand=False), self._place(f"{name} handover", hand=False)
        self._put(one, self._text(one, name, first, [old]), first)
        lines = [gone, new]
        self._put(other, self._text(other, f"{name} handover", second, lines), second)
        self.made.held.append(Held("ceased", aspect.question.format(e=name), (new,), (old,)))

    def _faded(self) -> None:
        """What was of use for a day. Of these, only what somebody asked for since is asked for again."""
        name, day = self.name(), FIRST_DAY + timedelta(days=self._rng.randint(0, DAYS))
        told = self._told(name, 2)
        path = self._place(f"{name} visit", hand=False)
        text = self._headed(path, f"{name} visit", day, self._body([c for c, _ in told]))
        self._put(path, text.replace("---\n", "---\ntype: episode\n", 1), day)
        if self._rng.random() < 0.5:
            for n in range(3):
                self.made.asked.append((f"visit {n} {name} {told[0][1].values}", path))
            self._ask("faded", name, told[0])

    # -- a person's edits ---------------------------------------------------------------------------------------------

    def added(self, day: date) -> tuple[str, str]:
        """A note that somebody adds on that day: its path and text."""
        name = self.name()
        path = self._place(name, hand=self._rng.random() < 0.5)
        text = self._text(path, name, day, [claim for claim, _ in self._told(name, 2)])
        self._put(path, text, day)
        return path, text

    def line(self) -> str:
        """A line that somebody adds to a note."""
        found = self._filling(1)
        self.made.claims.add(found)
        return found

    # -- texts -----------------------------------------------------------------------------------------------------

    def name(self) -> str:
        """A name that nothing else has."""
        rng = self._rng
        while True:
            name = (
                f"{rng.choice(_FRONT)}{rng.choice(_MIDDLE)}{rng.choice(_END)} {rng.choice(_KIND)}"
            )
            if name not in self._names:
                self._names.add(name)
                self._titles.append(name)
                return name

    def _told(self, name: str, count: int) -> list[tuple[str, Aspect]]:
        chosen = self._rng.sample([a for a in SITES if a.values != "state"], count)
        return [(a.claim.format(e=name, x=self._value(a.values)), a) for a in chosen]

    def _ask(self, kind: str, name: str, told: tuple[str, Aspect]) -> None:
        claim, aspect = told
        self.made.held.append(Held(kind, aspect.question.format(e=name), (claim,)))

    def _value(self, kind: str) -> str:
        rng = self._rng
        match kind:
            case "number":
                return str(rng.choice((rng.randint(2, 40), rng.randint(41, 990))))
            case "person":
                return f"{rng.choice(_GIVEN)} {rng.choice(_FAMILY)}"
            case "firm":
                return rng.choice(_FIRMS)
            case "month":
                return rng.choice(_MONTHS)
            case "ground":
                return rng.choice(_GROUND)
            case "version":
                return f"{rng.randint(1, 9)}.{rng.randint(0, 19)}.{rng.randint(0, 9)}"
            case "path":
                return f"/srv/{rng.choice(_FOLDERS)}/{rng.randint(1, 99)}.csv"
            case _:
                return (FIRST_DAY + timedelta(days=rng.randint(700, 3000))).isoformat()

    def _two(self, kind: str) -> tuple[str, str]:
        first = second = self._value(kind)
        while second == first:
            second = self._value(kind)
        return first, second

    def _filling(self, count: int) -> str:
        rng = self._rng
        found = []
        for template in rng.sample(_FILL, count):
            n, m = rng.sample(_THINGS, 2)
            place = f"{rng.choice(_FRONT)}{rng.choice(_MIDDLE)}{rng.choice(_END)}"
            found.append(template.format(n=n, m=m, s=place, p=self._value("person")))
        return " ".join(found)

    def _body(self, lines: Sequence[str]) -> str:
        """Paragraphs, each a claim among sentences, or claims as a list."""
        if self._rng.random() < 0.3:
            listed = "\n".join(f"- {line}" for line in lines)
            return f"{self._filling(2)}\n\n{listed}\n"
        return (
            "\n\n".join(f"{line} {self._filling(self._rng.randint(1, 3))}" for line in lines) + "\n"
        )

    def _text(
        self, path: str, title: str, day: date, lines: Sequence[str], *, link: str = ""
    ) -> str:
        """A note with each claim on a line of its own, as agents write them."""
        listed = "\n".join(f"- {line}" for line in lines)
        body = f"{self._filling(self._rng.randint(1, 3))}\n\n{listed}\n"
        return self._headed(path, title, day, body + (f"\nSee [[{link}]].\n" if link else ""))

    def _headed(self, path: str, title: str, day: date, body: str) -> str:
        if not path.startswith("Memory/"):
            return f"# {title}\n\n{body}"
        category = path.split("/")[2]
        return (
            f"---\ncategory: {category}\ndate: {day.isoformat()}\nmanaged_by: vaultmem\n---\n{body}"
        )

    def _link(self, broken: bool) -> str:
        if not self._titles[:-1] or not (broken or self._rng.random() < 0.5):
            return ""
        title = self._rng.choice(self._titles[:-1])
        at = self._rng.randrange(2, len(title) - 2)
        return title[:at] + title[at + 1 :] if broken else title

    def _place(self, title: str, *, hand: bool) -> str:
        rng = self._rng
        folder = rng.choice(("Water", "Water/Sites", "Journal of works"))
        agent = rng.choice(("clerk", "warden"))
        ours = f"Memory/{agent}/{rng.choice(('sites', 'people', 'works', 'dues'))}"
        return f"{folder if hand else ours}/{title}.md"

    def _beside(self, path: str, name: str) -> str:
        """The path that an agent gives a note of which it does not know that it is there."""
        folder = path.rpartition("/")[0]
        low = "-".join(name.lower().split())
        title = self._rng.choice(
            (
                f"{name} 2",
                f"{name} (copy)",
                f"About {name}",
                f"{name} notes",
                low,
                f"{name} overview",
            )
        )
        return f"{folder}/{title}.md"

    def _day(self) -> date:
        return FIRST_DAY + timedelta(days=self._rng.randint(0, DAYS - 210))

    def _put(self, path: str, text: str, day: date) -> None:
        self.made.files[path] = text
        self.made.days[path] = day
        self.made.claims.update(told_by(text))

    def _choose_questions(self) -> None:
        """As many as wanted of each kind, in the shares in which they were planted, plain ones for the rest."""
        by_kind: dict[str, list[Held]] = {}
        for held in self.made.held:
            by_kind.setdefault(held.kind, []).append(held)
        chosen: list[Held] = []
        for kind, part in QUESTIONS.items():
            found = by_kind.get(kind, [])
            chosen += self._rng.sample(found, min(len(found), round(part * self._questions)))
        self.made.held = chosen


QUESTIONS: Final[Mapping[str, float]] = {
    "plain": 0.4, "duplicate": 0.15, "near-miss": 0.1, "outdated": 0.2, "ceased": 0.1, "faded": 0.05, "beside": 0.1,
}  # fmt: skip
"""Share of the held questions by what was planted about them."""


_SENTENCE: Final = re.compile(r"(?<=[.])\s+(?=[A-Z])")


def told_by(text: str) -> Iterator[str]:
    """What a note says: each sentence of its body, without the marks of lists. Links, which may be mended, are none."""
    body = text.split("\n---\n", 1)[-1] if text.startswith("---\n") else text
    for line in body.splitlines():
        bare = line.removeprefix("- ").strip()
        if bare and not bare.startswith(("#", "See [[")):
            yield from _SENTENCE.split(bare)


def _stem(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".md")


def tended_vault(notes: int, questions: int, seed: int) -> Maker:
    """The maker, which has made the vault (``made``) and can go on to make a person's edits."""
    maker = Maker(notes, questions, seed)
    maker.make()
    return maker
