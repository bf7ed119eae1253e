"""From what a person typed to what each lane asks. Pure.

No user text is ever FTS syntax: every term is quoted by us. The language is that of :func:`parse_query`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from vaultmem.index.terms import SYMBOL, fold, split_runs, storable, symbol_word, without_cjk
from vaultmem.notes.letters import LETTER
from vaultmem.search.filters import (
    NO_FILTERS,
    Before,
    Below,
    Compared,
    Filter,
    Filters,
    Has,
    Holds,
    LinksTo,
    Not,
    OfType,
    Placed,
    Property,
    Says,
    Tagged,
)

if TYPE_CHECKING:
    from vaultmem.search.when import DateRange, FoundTime

MAX_TERMS = 64
"""Terms of a query that are looked up; the answer says so when there were more."""

MAX_TOKENS = 100
"""Tokens of a term that are looked up: enough to tell it from any other."""

MAX_SUBSTRING = 100
"""Characters of a word that the substring lane compares."""

MAX_FILTERS = 32
"""Filters of a query that act; the answer says so when there were more."""

MAX_VALUE = 500
"""Characters of a filter's value."""

MAX_TIMED = 2000
"""Characters of a query in which words of time are looked for."""

_WORD = re.compile(f"{LETTER}+")


@dataclass(frozen=True, slots=True)
class Term:
    """A piece of the query between blanks, or a CJK run or symbol within one; or a phrase."""

    text: str
    """Folded, as typed."""
    tokens: tuple[str, ...]
    """What the word index would cut it into; several make a phrase (``e-mail``), CJK pairs included."""
    is_cjk: bool
    """It is a CJK run or a symbol: found by its characters, wherever they stand."""


@dataclass(frozen=True, slots=True)
class Query:
    """A query taken apart."""

    text: str
    """As typed, trimmed."""
    terms: tuple[Term, ...]
    """Distinct, in order, at most ``MAX_TERMS``: what a note should speak of. Words that are left out are no terms."""
    cut: int
    """Terms beyond those."""
    filters: Filters = NO_FILTERS
    """What a note must have to be offered at all."""
    words: str = ""
    """What is asked, as typed, without filters and without what is left out: what an embedder should see."""
    said: frozenset[str] = frozenset()
    """Texts of the terms that were typed as names rather than as words of a sentence: in quotes, or in capitals in a
    query that is not all capitals. They are no stop words."""
    times: tuple[DateRange, ...] = ()
    """The times that the query speaks of."""
    only_when: bool = False
    """It says nothing but those times."""
    beside: tuple[Term, ...] = ()
    """What it says beside the times that it speaks of."""
    dated: tuple[str, ...] = ()
    """How words were read as those times, one sentence each."""
    told: tuple[str, ...] = ()
    """What the person should know about how the query was read; nothing when it was read as typed."""

    @property
    def filters_only(self) -> bool:
        """Whether it asks for nothing but notes that its filters admit."""
        return bool(self.filters) and not self.terms

    @property
    def is_cjk(self) -> bool:
        """Whether most of its terms are Chinese, Japanese or Korean."""
        return 2 * sum(term.is_cjk for term in self.terms) > len(self.terms)

    def without_phrases(self) -> Query | None:
        """The query with its words in a row as mere words; None where there are none, or nothing else is asked: a
        person who asks for a phrase alone means it."""
        kept = tuple(each for each in self.filters.all_of if not isinstance(each, Says))
        others = [term for term in self.terms if term.text not in self.said]
        if len(kept) == len(self.filters.all_of) or not others:
            return None
        words = {each.text: each for term in self.terms for each in _alone(term, self.said)}
        terms = tuple(words.values())[:MAX_TERMS]
        return replace(self, terms=terms, filters=Filters(kept), told=(*self.told, _NO_PHRASE))


def words_of(text: str) -> tuple[Term, ...]:
    """The terms of a plain text, in which nothing has a meaning of its own; at most ``MAX_TERMS``.

    >>> [term.tokens for term in words_of('E-Mail "数据库" tag:NOT')]
    [('e', 'mail'), ('数据', '据库'), ('tag', 'not')]
    """
    terms = {term.text: term for term in _word_terms(storable(text))}
    return tuple(terms.values())[:MAX_TERMS]


def _alone(term: Term, said: frozenset[str]) -> tuple[Term, ...]:
    """The words of a term that was said in quotes; the term itself otherwise."""
    return words_of(term.text) if term.text in said else (term,)


def parse_query(text: str, *, today: date | None = None) -> Query:
    """The query that a text means. Never raises, whatever the text.

    Between blanks stand words; ``"words in a row"``, which a note must have so; filters such as ``tag:idea``
    (``FILTERS`` names them), whose values may be in quotes; and each of these with ``-`` before it, which leaves out
    the notes that it means. Everything else is words: a quote that is not closed, a colon after another word, a dash
    before a blank. A filter whose value means nothing does not act and is told. Words of time count from ``today``;
    without it there are none.

    >>> query = parse_query('tide "low water" -draft tag:coast')
    >>> [term.text for term in query.terms], len(query.filters.all_of)
    (['tide', 'low water'], 3)
    """
    text = storable(text).replace(_PHRASE, " ")
    reading = _Reading(today)
    for piece in _pieces(text):
        reading.take(piece)
    times, plain = reading.times()
    terms = reading.terms(plain)
    only_when = bool(times) and not terms
    if only_when:
        plain = " ".join(reading.plain)
        terms = reading.terms(plain)
    kept = tuple(terms.values())[:MAX_TERMS]
    return Query(
        text=text.strip(),
        terms=kept,
        cut=len(terms) - len(kept),
        filters=Filters(tuple(dict.fromkeys(reading.filters))),
        words=reading.words(plain),
        said=frozenset(reading.names()),
        times=times,
        only_when=only_when,
        beside=reading.beside,
        dated=tuple(reading.dated),
        told=tuple(reading.told),
    )


class _Piece(NamedTuple):
    """A piece of the query as typed."""

    negated: bool
    name: str
    """Of the filter; "" for words, ``"`` for a phrase."""
    value: str
    typed: str


_QUOTES: Final[Mapping[str, str]] = {'"': '"', "“": "”“", "„": "“”", "«": "»"}
"""Opening quote → what closes it."""

_IN_QUOTES: Final = r'"[^"]*"|“[^”]*”|„[^“”]*[“”]|«[^»]*»'
_NAMED: Final = re.compile(r"([A-Za-z]+)[:：]")
_VALUE: Final = re.compile(rf'(?:{_IN_QUOTES}|\[\[[^\[\]]*\]\]|[^\s"“„«])+|\S+')
_NO_PHRASE: Final = (
    "no note that passes has the words in quotes in a row; they were looked for as words"
)
_PIECE: Final = re.compile(r"\S+")
_PHRASE: Final = "\ue000"
"""Stands for a phrase among the words; a character that no text means."""
_BLANKS: Final = re.compile(r"\s+")


def _pieces(text: str) -> Iterator[_Piece]:
    """The pieces of a query, in order."""
    at = 0
    while (found := _PIECE.search(text, at)) is not None:
        start = found.start()
        negated = text[start] == "-" and start + 1 < found.end() and text[start + 1] != "-"
        begin = start + negated
        piece = _phrase_at(text, begin) or _filter_at(text, begin)
        if piece is None:
            name, value, at = "", text[begin : found.end()], found.end()
        else:
            name, value, at = piece
        yield _Piece(negated, name, value, text[start:at])


def _phrase_at(text: str, at: int) -> tuple[str, str, int] | None:
    closing = _QUOTES.get(text[at])
    if closing is None:
        return None
    ends = [end for mark in closing if (end := text.find(mark, at + 1)) >= 0]
    return ('"', text[at + 1 : min(ends)], min(ends) + 1) if ends else None


def _filter_at(text: str, at: int) -> tuple[str, str, int] | None:
    named = _NAMED.match(text, at)
    name = named[1].lower() if named else ""
    if named is None or name not in _READERS:
        return None
    value = _VALUE.match(text, named.end())
    if value is None:
        return None  # "note: x" is a word, and so is "tag:" before a blank
    return name, value[0], value.end()


class _Reading:
    """What the pieces of a query come to."""

    def __init__(self, today: date | None) -> None:
        self._today = today
        self.plain: list[str] = []
        """Words as typed, and ``_PHRASE`` for each phrase."""
        self._phrases: list[str] = []
        self.filters: list[Filter] = []
        self.told: list[str] = []
        self.dated: list[str] = []
        self._is_full = False
        self.beside: tuple[Term, ...] = ()
        """What stands beside words of time."""

    def take(self, piece: _Piece) -> None:
        if piece.name == '"':
            self._take_phrase(piece)
        elif piece.name:
            self._take_filter(piece)
        elif piece.negated and (says := _says(piece.value)) is not None:
            self._add(Not(says), piece)
        else:
            self.plain.append(piece.typed)

    def _take_phrase(self, piece: _Piece) -> None:
        says = _says(piece.value)
        if says is None:
            return
        self._add(Not(says) if piece.negated else says, piece)
        if not piece.negated:
            self.plain.append(_PHRASE)
            self._phrases.append(piece.value)

    def _take_filter(self, piece: _Piece) -> None:
        read = _READERS[piece.name](_bare(piece.value), self._today)
        if isinstance(read, str):
            self.told.append(f"{_short(piece.typed)} was left out: {read}")
        else:
            self._add(Not(read) if piece.negated else read, piece)

    def _add(self, found: Filter, piece: _Piece) -> None:
        if len(self.filters) < MAX_FILTERS:
            self.filters.append(found)
        elif not self._is_full:
            self._is_full = True
            self.told.append(
                f"{_short(piece.typed)} and later filters were left out: at most {MAX_FILTERS} act"
            )

    def terms(self, plain: str) -> dict[str, Term]:
        """The terms of the words and the phrases, in order, each once."""
        phrases = iter(self._phrases)
        terms: dict[str, Term] = {}
        for piece in plain.split():
            found = _terms(fold(next(phrases))) if piece == _PHRASE else _word_terms(piece)
            for term in found:
                terms.setdefault(term.text, term)
        return terms

    def words(self, plain: str) -> str:
        """The words with the phrases among them, as typed."""
        phrases = iter(self._phrases)
        return " ".join(next(phrases) if piece == _PHRASE else piece for piece in plain.split())

    def names(self) -> Iterator[str]:
        """Folded texts of what was typed as a name."""
        for phrase in self._phrases:
            yield from (term.text for term in _terms(fold(phrase)))
        if any(piece.upper() != piece for piece in self.plain):
            for piece in self.plain:
                if len(piece) > 1 and piece.isupper():
                    yield from (term.text for term in _word_terms(piece))

    def times(self) -> tuple[tuple[DateRange, ...], str]:
        """The times that the words speak of, and the words without those that say nothing but when."""
        plain = " ".join(self.plain)
        if self._today is None or len(plain) > MAX_TIMED or not _may_speak_of_time(plain):
            return (), plain
        from vaultmem.search.when import find_times

        found = find_times(plain, self._today)
        self.dated = [_told(time) for time in found]
        self.beside = words_of(_without(plain, found, all_of=True)) if found else ()
        return tuple(dict.fromkeys(time.range for time in found)), _without(plain, found)


_TIME_HINT: Final = re.compile(
    r"(?<!\w)(?:(?:19|20)\d\d(?:'?s)?|q[1-4]|\d{1,2}(?:st|nd|rd|th)?(?=[ .][a-z])|h[12] \d|[\w']*days?|[\w']*week(?:end)?s?|"
    r"months?|years?|quarters?|decades?|fortnights?|ago|since|tonight|yesterday|tomorrow|recently|lately|last|past|this|"
    r"next|previous|spring|summer|autumn|winter|christmas|jan\w*|feb\w*|mar\w*|apr\w*|may\w*|jun\w*|jul\w*|"
    r"aug\w*|sep\w*|oct\w*|nov\w*|dec\w*|heute|(?:vor)?gestern|vor|seit|letzt\w*|vorig\w*|vergangen\w*|diese\w*|"
    r"aujourd'hui|avant-hier|hier|il y a|depuis|hoy|(?:ante)?ayer|hace|desde|\w*pasad[oa]|derni\w+|passee?|"
    r"este|esta|cette|ce)(?!\w)"
    r"|\d ?[年月日天週周년월일]|[ヶヵカヶかケ箇]月|[昨今明去来來先前本上下这這][天日年月周週个個晚夜晩]|最近|过去|過去|きのう|きょう|おととい|"
    r"어제|오늘|그제|지난|작년|올해|재작년|내년|최근|[天日周週月年일주달년] ?[前전]|[二三四五六七八九十]月"
)
"""A word of time can stand only in a text, folded, that has one of these. Spares most queries the rules."""


def _may_speak_of_time(text: str) -> bool:
    return _TIME_HINT.search(fold(text)) is not None


def _told(time: FoundTime) -> str:
    return f"“{_short(time.text)}” was read as {time.range}"


def _without(text: str, found: Sequence[FoundTime], *, all_of: bool = False) -> str:
    """The text without what says when: as far as no note would say it so, or all of it."""
    for time in reversed(found):
        if all_of or time.says_only_when:
            text = f"{text[: time.start]} {text[time.end :]}"
    return _BLANKS.sub(" ", text).strip()


# -- filters' values -----------------------------------------------------------------------------------------

_Reader: TypeAlias = "Callable[[str, date | None], Filter | str]"
"""From a value as typed, without its quotes, to the filter, or to why there is none."""


def _read_tag(value: str, _today: date | None) -> Filter | str:
    from vaultmem.index.queries import tag_key

    key = tag_key(value)
    return Tagged(key) if key else "it names no tag"


def _read_path(value: str, _today: date | None) -> Filter | str:
    pattern = fold(value).strip()
    return Placed(pattern) if pattern.strip("*") else "it names no path"


def _read_type(value: str, _today: date | None) -> Filter | str:
    name = fold(value).strip()
    return OfType(name) if name else "it names no type"


def _read_in(value: str, _today: date | None) -> Filter | str:
    heading = _BLANKS.sub(" ", fold(value)).strip().lstrip("#").strip()
    return Below(heading) if heading else "it names no heading"


_PLURALS: Final = {f"{what}s": what for what in Has} | {
    "aliases": Has.ALIAS,
    "properties": Has.PROPERTY,
    "blockid": Has.BLOCK_ID,
    "block": Has.BLOCK_ID,
}


def _read_has(value: str, _today: date | None) -> Filter | str:
    name = fold(value).strip().replace("_", "-").replace(" ", "-")
    what = _PLURALS.get(name, name)
    if what in list(Has):
        return Holds(Has(what))
    return f"a note can be asked for {', '.join(Has)}"


def _read_before(value: str, today: date | None) -> Filter | str:
    found = _range_of(value, today)
    return Before(found.first) if found is not None else _NO_DATE


def _read_after(value: str, today: date | None) -> Filter | str:
    found = _range_of(value, today)
    if found is None:
        return _NO_DATE
    if found.last == date.max:
        return "nothing comes after that"
    return Not(Before(date.fromordinal(found.last.toordinal() + 1)))


_NO_DATE: Final = "it is no date; write it as 2026-03-01, 2026-03, 2026, yesterday or “last spring”"


def _range_of(value: str, today: date | None) -> DateRange | None:
    from vaultmem.search.when import read_time

    return read_time(value, today or date(1970, 1, 1))


def _read_link(value: str, _today: date | None) -> Filter | str:
    from vaultmem.notes.paths import path_key

    target = value.strip().removeprefix("[[").removesuffix("]]")
    target = re.split(r"[#|]", target, maxsplit=1)[0].strip().strip("/")
    key = path_key(target)
    return LinksTo(key) if key else "it names no note"


_COMPARISON: Final = re.compile(
    r"(?P<key>[^=<>!]+?)\s*(?:(?P<how>!=|<=|>=|=|<|>)\s*(?P<value>.*))?", re.DOTALL
)


def _read_prop(value: str, _today: date | None) -> Filter | str:
    from vaultmem.notes.paths import path_key

    found = _COMPARISON.fullmatch(value.strip())
    if found is None:
        return "write it as prop:key, prop:key=value or with !=, <, <=, >, >="
    how = Compared(found["how"] or "")
    return Property(path_key(found["key"].strip()), how, fold(found["value"] or "").strip())


_READERS: Final[Mapping[str, _Reader]] = {
    "tag": _read_tag,
    "path": _read_path,
    "type": _read_type,
    "in": _read_in,
    "has": _read_has,
    "before": _read_before,
    "after": _read_after,
    "link": _read_link,
    "prop": _read_prop,
}

FILTERS: Final = tuple(_READERS)
"""The names of the filters, as typed before the colon."""


def _bare(value: str) -> str:
    """A value without quotes, and without a comma behind it."""
    cut = value[:MAX_VALUE].rstrip(",;")
    return re.sub(_IN_QUOTES, lambda quoted: quoted[0][1:-1], cut)


def _short(text: str) -> str:
    text = _BLANKS.sub(" ", text).strip()
    return text if len(text) <= 60 else f"{text[:59]}…"


# -- words ---------------------------------------------------------------------------------------------------


def _word_terms(text: str) -> Iterator[Term]:
    """The terms of words as typed, blanks between."""
    for piece in fold(text).split():
        yield from _terms(piece)


def _terms(folded: str) -> Iterator[Term]:
    """The terms of one piece: the words between CJK runs and symbols make one."""
    for part, is_cjk in split_runs(folded):
        tokens = _cjk_tokens(part) if is_cjk else tuple(_WORD.findall(part))
        if tokens:
            yield Term(_BLANKS.sub(" ", part).strip(), tokens[:MAX_TOKENS], is_cjk)


def _says(text: str) -> Says | None:
    """The filter for a word or words in a row; None when there is no word."""
    runs = tuple(term.tokens for term in _terms(fold(text)))
    return Says(runs[:MAX_TERMS]) if runs else None


def _cjk_tokens(run: str) -> tuple[str, ...]:
    if SYMBOL.match(run):
        return (symbol_word(run),)
    return (run,) if len(run) == 1 else tuple(run[i : i + 2] for i in range(len(run) - 1))


# -- expressions ---------------------------------------------------------------------------------------------


def match_any(terms: Sequence[Term]) -> str:
    """An FTS5 expression that any of the terms satisfies. A CJK run is satisfied as a whole or by any of its
    pairs, so that a question in a language without blanks still finds its words."""
    parts: list[str] = []
    for term in terms:
        parts.append(_phrase(term.tokens))
        if term.is_cjk and len(term.tokens) > 1:
            parts += [_phrase((token,)) for token in dict.fromkeys(term.tokens)]
    return " OR ".join(parts)


def match_whole(term: Term) -> str:
    """An FTS5 expression that the term satisfies as it stands, its words in a row."""
    return _phrase(term.tokens)


def match_all(terms: Sequence[Term]) -> str:
    """An FTS5 expression that all of the terms together satisfy, each as a whole."""
    return " AND ".join(_phrase(term.tokens) for term in terms)


def has_trigram(word: str) -> bool:
    """Whether the trigram index, which sees a blank for marks outside ASCII, can look for the word."""
    return len(without_cjk(word)) >= 3


def match_substrings(words: Sequence[str]) -> str:
    """An expression for the trigram index that every block with all the words in it satisfies (and others: the
    index knows which trigrams a block has, not where). For words with :func:`has_trigram`."""
    grams = dict.fromkeys(
        seen[i : i + 3]
        for seen in map(without_cjk, words)
        for i in range(min(len(seen), MAX_SUBSTRING) - 2)
    )
    return " AND ".join(_quoted(gram) for gram in grams)


def _phrase(tokens: Iterable[str]) -> str:
    return _quoted(" ".join(tokens))


def _quoted(text: str) -> str:
    return '"' + text.replace("\0", " ").replace('"', '""') + '"'
