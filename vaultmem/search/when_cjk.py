"""The rules for Chinese and Japanese, and for the commonest expressions in Korean. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from typing import Final

from vaultmem.search.ranges import (
    DateRange,
    Unit,
    day_range,
    month_range,
    quarter_range,
    season_range,
    shifted,
    weekday_range,
)
from vaultmem.search.when import Meaning, Read, ago
from vaultmem.search.when_meanings import (
    SEASONS,
    any_of,
    any_year,
    fixed,
    lately,
    latest_day,
    latest_month,
    rolling,
    unit_away,
    weekend,
)

_CJK_DIGITS: Final = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"两": 2, "兩": 2}
_CJK_N: Final = r"(?P<n>\d{1,4}|[一二两兩三四五六七八九十]{1,3}|半|几|幾|数|數)"
_CJK_MONTH: Final = r"(?P<month>\d{1,2}|十[一二]?|[一二三四五六七八九])"
_CJK_YEAR: Final = r"(?:(?P<year>19\d\d|20\d\d) ?[年년] ?|(?P<named>今年|去年|前年|明年|昨年|一昨年|来年|來年|올해|작년|내년)の? ?)"
_NAMED_YEARS: Final = {
    "今年": 0, "올해": 0, "去年": -1, "昨年": -1, "작년": -1, "前年": -2, "一昨年": -2, "おととし": -2, "재작년": -2,
    "明年": 1, "来年": 1, "來年": 1, "내년": 1,
}  # fmt: skip
_CJK_UNITS: Final = (
    (Unit.DAY, "天|日間?|일"),
    (Unit.WEEK, "(?:个|個)?(?:周|星期|礼拜|禮拜)|週間?|주"),
    (Unit.MONTH, "(?:个|個|か|ヶ|ヵ|カ|ケ|箇)月間?|개월|달"),
    (Unit.QUARTER, "(?:个|個)?季度|四半期"),
    (Unit.YEAR, "年間?|년"),
)


def _cjk_number(text: str) -> int | None:
    """A number in figures or Chinese up to 99; None for a half and for some."""
    if text.isdecimal():
        return int(text)
    if text in ("半", "几", "幾", "数", "數"):
        return None
    tens, ten, ones = text.rpartition("十")
    if not ten:
        return _CJK_DIGITS.get(text)
    return (_CJK_DIGITS.get(tens, 1) if tens else 1) * 10 + (
        _CJK_DIGITS.get(ones, 0) if ones else 0
    )


def _cjk_count(unit: Unit) -> Callable[[re.Match[str]], tuple[Unit, int] | None]:
    def count(match: re.Match[str]) -> tuple[Unit, int] | None:
        text = match["n"]
        if text == "半":
            half = {Unit.YEAR: (Unit.MONTH, 6), Unit.MONTH: (Unit.DAY, 15)}
            return half.get(unit)
        found = _cjk_number(text)
        return (unit, 3 if found is None else found)

    return count


def _cjk_ago(unit: Unit) -> Read:
    counted = _cjk_count(unit)

    def read(match: re.Match[str], today: date) -> Meaning | None:
        count = counted(match)
        if count is None:
            return None
        if _cjk_number(match["n"]) is None and match["n"] != "半":
            first = shifted(today, unit, -7)
            return Meaning(DateRange(first, shifted(today, unit, -2)))
        found = ago(today, *count)
        return Meaning(found) if found is not None else None

    return read


def _cjk_rolling(unit: Unit) -> Read:
    counted = _cjk_count(unit)

    def read(match: re.Match[str], today: date) -> Meaning | None:
        count = counted(match)
        return rolling(today, *count) if count is not None else None

    return read


def _cjk_year(match: re.Match[str], today: date) -> int:
    if match["year"]:
        return int(match["year"])
    return today.year + _NAMED_YEARS[match["named"]]


def _cjk_date(match: re.Match[str], today: date) -> Meaning | None:
    found = match.groupdict()
    month = _cjk_number(found["month"])
    if month is None or not 1 <= month <= 12:
        return None
    has_year = found.get("year") or found.get("named")
    only_when = bool(found.get("named"))
    if found.get("day"):
        day = _cjk_number(found["day"])
        if day is None:
            return None
        if has_year:
            return Meaning(day_range(date(_cjk_year(match, today), month, day)), only_when)
        return Meaning(latest_day(month, day, today), False)
    if has_year:
        return Meaning(month_range(_cjk_year(match, today), month), only_when)
    return Meaning(latest_month(month, today), False)


def _cjk_season(match: re.Match[str], today: date) -> Meaning:
    year = _cjk_year(match, today)
    return Meaning(season_range(year, SEASONS[match["season"]]), bool(match["named"]))


def _cjk_part_of_year(match: re.Match[str], today: date) -> Meaning:
    year, part = _cjk_year(match, today), match["part"]
    quarters = {"上半年": (1, 2), "下半年": (3, 4), "初": (1, 1), "年初": (1, 1)}.get(part)
    if quarters is None:
        return Meaning(DateRange(date(year, 11, 1), date(year, 12, 31)), bool(match["named"]))
    found = DateRange(quarter_range(year, quarters[0]).first, quarter_range(year, quarters[1]).last)
    return Meaning(found, bool(match["named"]))


_STEPS_CJK: Final = {"上上": -2, "上": -1, "这": 0, "這": 0, "本": 0, "下": 1} | {
    "先々": -2, "先": -1, "今": 0, "来": 1,
}  # fmt: skip


def _cjk_weekday(match: re.Match[str], today: date) -> Meaning:
    names = "月火水木金土日" if match["weekday"] in "月火水木金土" else "一二三四五六日"
    weekday = 6 if match["weekday"] in "日天" else names.index(match["weekday"])
    return Meaning(weekday_range(today, weekday, weeks=_STEPS_CJK[match["step"]]))


def _fixed_words(days: int, words: str, *, only_when: bool = True) -> tuple[str, Read]:
    return any_of(words), fixed(days, only_when=only_when)


def _unit_words(unit: Unit, count: int, words: str) -> tuple[str, Read]:
    return any_of(words).replace("_", " "), unit_away(unit, count)


CJK: Final[tuple[tuple[str, Read], ...]] = (
    _fixed_words(0, "今天 今日 本日 きょう 오늘 今早 今晚 今晨"),
    _fixed_words(-1, "昨天 昨日 昨晚 昨夜 昨晩 きのう 어제 어젯밤"),
    _fixed_words(-2, "前天 一昨日 おととい 그제 그저께"),
    _fixed_words(-3, "大前天"),
    _fixed_words(1, "明天 明日 내일"),
    _fixed_words(2, "后天 後天 明後日 모레"),
    _unit_words(Unit.WEEK, 0, "本周 本週 这周 這周 這週 这个星期 這個星期 这星期 今週 이번_주 이번주"),
    _unit_words(Unit.WEEK, -1, "上周 上週 上个星期 上個星期 上星期 上个礼拜 上礼拜 上禮拜 先週 前週 지난주 지난_주"),
    _unit_words(Unit.WEEK, -2, "上上周 上上週 上上个星期 上上個星期 先々週 先先週 지지난주"),
    _unit_words(Unit.WEEK, 1, "下周 下週 下个星期 下個星期 下星期 来週 來週 다음_주 다음주"),
    _unit_words(Unit.MONTH, 0, "这个月 這個月 本月 今月 이번_달 이번달"),
    _unit_words(Unit.MONTH, -1, "上个月 上個月 上月 先月 前月 지난달 지난_달"),
    _unit_words(Unit.MONTH, -2, "上上个月 上上個月 先々月 先先月"),
    _unit_words(Unit.MONTH, 1, "下个月 下個月 下月 来月 來月 다음_달 다음달"),
    _unit_words(Unit.QUARTER, 0, "本季度 这个季度 這個季度 今四半期"),
    _unit_words(Unit.QUARTER, -1, "上个季度 上個季度 上季度 前四半期"),
    *(_unit_words(Unit.YEAR, count, name) for name, count in _NAMED_YEARS.items()),
    (r"(?:上个?|上個)周末|上週末|先週末|지난 ?주말", lambda _, today: weekend(today, -1)),
    (r"(?:本|这个?|這個?)(?:周末|週末)|今週末|이번 ?주말", lambda _, today: weekend(today, 0)),
    (r"(?P<step>上上|上|这|這|本|下)(?:个|個)?(?:周|週|星期|礼拜|禮拜)(?P<weekday>[一二三四五六日天])(?!个|個)", _cjk_weekday),
    (r"(?P<step>先々|先|今|来)週の?(?P<weekday>[月火水木金土日])曜日?", _cjk_weekday),
    *((rf"{_CJK_N}(?:{words}) ?(?:之|以|ほど)?(?:前|전)", _cjk_ago(unit)) for unit, words in _CJK_UNITS),
    *((rf"(?:最近|过去|過去|近|ここ|この|지난|최근) ?(?:的|の)?{_CJK_N}(?:{words})(?:来|來)?", _cjk_rolling(unit)) for unit, words in _CJK_UNITS),
    (rf"{_CJK_YEAR}{_CJK_MONTH} ?[月월](?:份)? ?(?:(?P<day>\d{{1,2}}|[一二三四五六七八九十]{{1,3}}) ?[日号號일])?", _cjk_date),
    (r"(?P<month>\d{1,2}|十[一二]?|[二三四五六七八九]) ?[月월] ?(?P<day>\d{1,2}|[一二三四五六七八九十]{1,3}) ?[日号號일]", _cjk_date),
    (r"(?<![\d一二三四五六七八九十])(?P<month>\d{1,2}|十[一二]?|[二三四五六七八九])(?:月份|月(?![球光亮饼間间])|월)", _cjk_date),
    (rf"{_CJK_YEAR}(?P<season>[春夏秋冬])(?:天|季)?", _cjk_season),
    (rf"{_CJK_YEAR}(?:的)?(?P<part>上半年|下半年|年?初|年?底|年?末)", _cjk_part_of_year),
    (r"(?P<year>19\d\d|20\d\d) ?(?:年度?|년)", any_year),
    (r"最近|近来|近來|このごろ|최근", lately),
)  # fmt: skip
