"""A text as tokens that can be compared: words, names, and values. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

from vaultmem.judge.lexicon import FUNCTION, MONTHS, NEGATIONS, POLAR, SPELLED, TIME_WORDS
from vaultmem.judge.units import Quantity, quantity


class Kind(Enum):
    """What a token is."""

    WORD = auto()
    SIGN = auto()
    """One Chinese or Japanese character."""
    NAME = auto()
    NUMBER = auto()
    DATE = auto()
    VERSION = auto()
    PATH = auto()
    """A path, an address, a piece of code: to be compared as it is."""
    SYMBOL = auto()
    """A check box, an emoji, a sign of comparison."""


LONGEST: Final = 2000
"""Characters of a claim; what is longer is no sentence, and compared as it is."""

VALUES: Final = frozenset({Kind.NUMBER, Kind.DATE, Kind.VERSION, Kind.PATH, Kind.NAME, Kind.SYMBOL})
"""What differs between two claims that are alike otherwise."""


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a claim."""

    kind: Kind
    text: str
    """As written."""
    key: str
    """Equal for equal tokens."""
    amount: Quantity | None = None
    """Of a number."""
    first: bool = False
    """Whether it begins the claim, where any word has a capital letter."""


_MONTH: Final = "|".join(sorted(MONTHS, key=len, reverse=True))
_SCAN: Final = re.compile(
    rf"""
      (?P<code>`[^`\n]{{1,200}}`)
    | (?P<link>\[\[[^\[\]\n]{{1,200}}\]\])
    | (?P<path>(?<![a-z0-9+.-])[a-z][a-z0-9+.-]{{0,20}}://[^\s<>"'）。，、]+ | (?:~|\.\.?)?/[\w.@+-]+(?:/[\w.@+-]*)* | [A-Za-z]:\\[^\s"'，。]+
        | (?<![\w.-])[\w.-]{{1,100}}/[\w./-]+ | (?<![\w.+-])[\w.+-]{{1,64}}@[\w-]{{1,64}}\.[\w.]{{1,64}} | (?<![\w.-])[\w-]{{1,100}}\.(?:py|md|toml|yaml|yml|json|conf|cfg|ini|txt|csv|db|sh|js|ts|html|log|pdf|png)(?!\w))
    | (?P<iso>(?<!\d)\d{{4}}[-/.]\d{{1,2}}[-/.]\d{{1,2}}(?!\d))
    | (?P<cjkdate>\d{{4}}\s?[年년]\s?\d{{1,2}}\s?[月월]\s?(?:\d{{1,2}}\s?[日号일])?)
    | (?P<dmy>(?<![\d.])\d{{1,2}}[./]\d{{1,2}}[./]\d{{4}}(?!\d))
    | (?P<long>(?<!\w)(?:\d{{1,2}}(?:st|nd|rd|th)?\.?\s+(?:of\s+)?(?:{_MONTH})\b\.?(?:,?\s+\d{{4}}(?!\d))?
        |(?:{_MONTH})\b\.?\s+\d{{1,2}}(?:st|nd|rd|th)?(?!\d)(?:,?\s+\d{{4}}(?!\d))?|(?:{_MONTH})\b\.?,?\s+\d{{4}}(?!\d)))
    | (?P<clock>(?<![\w.:])\d{{1,2}}(?::\d{{2}}(?::\d{{2}})?)?\s?[ap](?:\.m\.|m\b))
    | (?P<time>(?<!\d)\d{{1,2}}:\d{{2}}(?::\d{{2}})?(?!\d))
    | (?P<version>(?<![\w.])v\d+(?:\.\d+)*(?:-?(?:alpha|beta|rc)\.?\d*)?(?!\w) | (?<![\w.])\d+\.\d+\.\d+(?:\.\d+)*[\w-]*)
    | (?P<number>(?<![\w.])[-−–+]?\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?(?!\d) | (?<![A-Za-z_\d.])[-−–+]?\d+(?:\.\d+)?(?![A-Za-z]*\d)(?!_))
    | (?P<symbol>^\[.\](?=\s) | (?<=\s)[<>=!+*/-]=?=?(?=\s) | (?<=\w)[<>=+]=?(?=\w) | (?<=\w)(?:\+\+?|\#)(?!\w) | (?<=\b[A-Z])[-−–](?!\w) | ~~ | [≤≥≠≈±→←⇒✓✔✗✘☐☑\u2300-\u23ff\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff])
    | (?P<hangul>[\uac00-\ud7a3]+)
    | (?P<sign>[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff々ー])
    | (?P<word>[^\W_](?:[^\W_\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]|['’_-](?=[^\W_]))*)
    """,
    re.VERBOSE | re.IGNORECASE,
)
_MONEY: Final = {"$": "usd", "€": "eur", "£": "gbp"}
_COIN: Final = "$€£¥₩₹₽₺₴₪₫₱₦฿₿"
_UNIT: Final = re.compile(rf"\s?(°[CF]|%|[{_COIN}]|[A-Za-zµ]+(?:/[a-z]+)?)")
_LABEL: Final = re.compile(r"[b-hj-z]|i{2,3}|i?[vx]|vi{1,3}")
"""*plan b*, *part iv*: what stands for one of a row."""
_PARTICLE: Final = re.compile(
    r"(?<=..)(?:에서는|에서|에게|으로|까지|부터|에는|은|는|이|가|을|를|에|의|로|와|과|도|만)$"
)


def tokens(claim: str) -> tuple[Token, ...]:
    """The tokens of a claim in their order.

    >>> [t.key for t in tokens("The port of inkwell is 8,080.")]
    ['the', 'port', 'of', 'inkwell', 'is', '8080']
    >>> [t.key for t in tokens("until 5 March 2026")] == [t.key for t in tokens("until 2026-03-05")]
    True
    """
    if len(claim) > LONGEST:
        return (Token(Kind.PATH, claim[:40], claim),)
    found: list[Token] = []
    position = 0
    while match := _SCAN.search(claim, position):
        position = match.end()
        token = _token(match, first=not found)
        if token.kind is Kind.NUMBER:
            token, position = _with_unit(token, claim, match)
        found.append(token)
    return tuple(found)


def _token(match: re.Match[str], *, first: bool) -> Token:
    kind, text = match.lastgroup or "", match[0]
    if kind in ("code", "path", "link"):
        bare = text.strip("`").rstrip(".,;:") if kind != "link" else text[2:-2].lower()
        return Token(Kind.NAME if kind == "link" else Kind.PATH, bare, bare)
    if kind in ("iso", "cjkdate", "dmy", "long"):
        return Token(Kind.DATE, text, _date_key(kind, text))
    if kind == "time":
        return Token(Kind.DATE, text, text.lstrip("0"))
    if kind == "clock":
        return Token(Kind.DATE, text, _clock_key(text))
    if kind == "version":
        return Token(Kind.VERSION, text, text.lower().removeprefix("v"))
    if kind == "number":
        return Token(Kind.NUMBER, text, re.sub("[−–]", "-", text.replace(",", "")))
    if kind == "symbol":
        return Token(Kind.SYMBOL, text, text)
    if kind == "sign":
        return Token(Kind.SIGN, text, text)
    if kind == "hangul":
        return Token(Kind.WORD, text, _PARTICLE.sub("", text))
    return _word(text, first=first)


def _word(text: str, *, first: bool) -> Token:
    key = text.lower().replace("'", "").replace("’", "")
    if not key.endswith("ss") and re.search("['’]s$", text.lower()):
        key = key[:-1]
    if key in SPELLED and key != "one":
        return Token(Kind.NUMBER, text, str(SPELLED[key]), first=first)
    known = key in FUNCTION or key in NEGATIONS or key in POLAR or key in TIME_WORDS
    coded = any(c.isdigit() for c in key) or "_" in key or text[1:] != text[1:].lower()
    coded = coded or (not known and bool(_LABEL.fullmatch(key)))
    capital = text[0].isupper() and not known
    if coded or (capital and not first):
        return Token(Kind.NAME, text, key, first=first)
    return Token(Kind.WORD, text, key, first=first)


def _with_unit(token: Token, claim: str, match: re.Match[str]) -> tuple[Token, int]:
    """The number with its unit, if one follows or a sign of money goes before, and where to go on."""
    before = claim[match.start() - 1 : match.start()]
    if before not in _COIN:
        before = ""
    found = _UNIT.match(claim, match.end())
    unit = _MONEY.get(before, before) or (found and found[1]) or ""
    amount = quantity(float(token.key), unit)
    if amount.unit is None:
        return Token(Kind.NUMBER, token.text, token.key, amount, token.first), match.end()
    end = found.end() if found and not before else match.end()
    key = f"{amount.value:.9g} {amount.unit}"
    return Token(Kind.NUMBER, claim[match.start() : end], key, amount, token.first), end


def _clock_key(text: str) -> str:
    """The time of day as by 24 hours: ``9:30 pm`` is ``21:30``."""
    hour, *rest = re.findall(r"\d+", text)
    later = 12 if "p" in text.lower() else 0
    return ":".join((str(int(hour) % 12 + later), *(rest or ["00"])))


def _date_key(kind: str, text: str) -> str:
    """``2026-03-05``, with ``?`` for what is not said."""
    numbers = [int(n) for n in re.findall(r"\d+", text)]
    if kind in ("iso", "cjkdate"):
        year, month, day = [*numbers, 0][:3]
    elif kind == "dmy":
        day, month, year = numbers
    else:
        month = MONTHS[re.findall(r"[a-z]{3,}", text.lower().replace("of", ""))[0]]
        year = next((n for n in numbers if n > 31), 0)
        day = next((n for n in numbers if n <= 31), 0)
    return f"{year or '????'}-{month:02}-{f'{day:02}' if day else '??'}"
