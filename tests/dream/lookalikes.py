"""Pairs of texts that differ in one value and must never be merged."""

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
class LookAlike:
    """Two texts, the kind of value in which they differ, and the template they come from."""

    kind: str
    a: str
    b: str
    template: str
    language: str = "en"


NUMBER: Final = (
    "{service} listens on port {x}.", "{team} has {x} open tickets left.", "Bake {dish} for {x} minutes.",
    "The shed holds {x} boxes.", "{service} retries {x} times before it gives up.", "Plant the bulbs {x} rows deep.",
    "The rent for the hall is {x} euros.", "{company} employs {x} people.", "Page limit: {x}", "Seats in the bus: {x}",
    "{person} ran {x} laps on the old track.", "The reading room closes after {x} visitors.",
)  # fmt: skip
DATE: Final = (
    "The contract with {company} ends on {d}.", "{person} visits {city} on {d}.", "Release of {library}: {d}",
    "{plant} was pruned on {d}.", "The warranty of {service} runs until {d}.", "Deadline {d} for the tax papers.",
    "{team} moved offices on {d}.", "Next check of the boiler: {d}",
)  # fmt: skip
NAME: Final = (
    ("{x} is responsible for {service}.", "person"), ("The lease was signed by {x}.", "person"),
    ("{service} belongs to {x}.", "team"), ("We order the glass from {x}.", "company"),
    ("The archive is in {x}.", "city"), ("The dentist is called {x}.", "person"),
    ("{service} was written with {x}.", "library"), ("The yearly fair takes place in {x}.", "city"),
    ("Contact for questions: {x}", "person"), ("Owner: {x}", "team"),
)  # fmt: skip
NEGATION: Final = (
    ("{service} stores passwords.", "{service} does not store passwords."),
    ("{plant} survives frost.", "{plant} doesn't survive frost."),
    ("You may freeze {dish}.", "You may not freeze {dish}."),
    ("{person} eats meat.", "{person} never eats meat."),
    ("{service} can be restarted during the day.", "{service} cannot be restarted during the day."),
    ("The contract with {company} covers theft.", "The contract with {company} does not cover theft."),
    ("{library} works with threads.", "{library} won't work with threads."),
    ("The cellar is dry.", "The cellar is not dry."),
    ("{team} has a budget for travel.", "{team} has no budget for travel."),
    ("{dish} is made with milk.", "{dish} is made without milk."),
)  # fmt: skip
VERSION: Final = (
    "{service} runs on {library} {v}.", "We pinned {library} to version {v}.", "{library} {v} fixed the leak.",
    "Minimum supported: v{v}", "{service} was upgraded to {v} last spring.", "The bug is in release {v} of {library}.",
)  # fmt: skip
UNIT: Final = (
    ("{service} answers within {n} {u}.", ("ms", "s")), ("The tank holds {n} {u}.", ("l", "gallons")),
    ("{service} may use {n} {u} of memory.", ("MB", "GB")), ("Add {n} {u} of salt to {dish}.", ("g", "kg")),
    ("{plant} grows {n} {u} a year.", ("cm", "mm")), ("The trail is {n} {u} long.", ("km", "miles")),
    ("Backups are kept for {n} {u}.", ("days", "weeks")), ("The oven for {dish} is at {n} {u}.", ("°C", "°F")),
    ("The fee is {n} {u}.", ("EUR", "USD")), ("The cable carries {n} {u}.", ("volts", "amps")),
)  # fmt: skip
PATH: Final = (
    "{service} reads its settings from {p}.", "The scans are in {p}.", "Edit {p} and start {service} again.",
    "Log file: {p}", "{person} keeps the drafts under {p}.", "The key was moved to {p}.",
)  # fmt: skip
STATUS: Final = (
    ("{service} is enabled.", "{service} is disabled."), ("The request of {team} is approved.", "The request of {team} is rejected."),
    ("The gate to the yard is open.", "The gate to the yard is closed."), ("Status: draft", "Status: final"),
    ("{person} is available in spring.", "{person} is unavailable in spring."), ("The sensor is active.", "The sensor is inactive."),
    ("Replication for {service} is on.", "Replication for {service} is off."), ("The review passed.", "The review failed."),
    ("Logging in is required.", "Logging in is optional."), ("The project with {company} is running.", "The project with {company} is cancelled."),
)  # fmt: skip

CJK: Final = (
    ("zh", "number", "服务器监听端口{x}。"), ("zh", "number", "仓库里有{x}个箱子。"),
    ("ja", "number", "サーバーはポート{x}で待ち受けます。"), ("ja", "number", "倉庫には{x}個の箱があります。"),
    ("ko", "number", "서버는 포트 {x}에서 대기합니다."), ("ko", "number", "창고에는 상자가 {x}개 있습니다."),
    ("zh", "version", "我们使用版本{v}。"), ("zh", "version", "漏洞在{v}版里修好了。"),
    ("ja", "version", "バージョン{v}を使っています。"), ("ja", "version", "不具合は{v}で直りました。"),
    ("ko", "version", "버전 {v}을 사용합니다."), ("ko", "version", "버그는 {v}에서 고쳐졌습니다."),
    ("zh", "date", "合同在{y}年{m}月{t}日到期。"), ("zh", "date", "下次检查是{y}年{m}月{t}日。"),
    ("ja", "date", "契約は{y}年{m}月{t}日に終わります。"), ("ja", "date", "次の点検は{y}年{m}月{t}日です。"),
    ("ko", "date", "계약은 {y}년 {m}월 {t}일에 끝납니다."), ("ko", "date", "다음 점검은 {y}년 {m}월 {t}일입니다."),
)  # fmt: skip
CJK_NEGATION: Final = (
    ("zh", "这个服务保存密码。", "这个服务不保存密码。"), ("zh", "地下室里有水。", "地下室里没有水。"),
    ("ja", "このサービスはパスワードを保存します。", "このサービスはパスワードを保存しません。"),
    ("ja", "地下室は乾いている。", "地下室は乾いていない。"),
    ("ko", "이 서비스는 비밀번호를 저장합니다.", "이 서비스는 비밀번호를 저장하지 않습니다."),
    ("ko", "지하실에 물이 있습니다.", "지하실에 물이 없습니다."),
)  # fmt: skip
CJK_NAME: Final = (
    ("zh", "负责人是{x}。", ("王小明", "李建国", "陈静", "赵一鸣")), ("zh", "档案存放在{x}。", ("杭州", "成都", "厦门", "大连")),
    ("ja", "担当は{x}さんです。", ("佐藤", "高橋", "中村", "小林")), ("ja", "書庫は{x}にあります。", ("京都", "仙台", "福岡", "金沢")),
    ("ko", "담당자는 {x}입니다.", ("김민수", "박서연", "최지훈", "정하윤")), ("ko", "자료는 {x}에 있습니다.", ("부산", "대전", "광주", "전주")),
)  # fmt: skip


def _number(half: Half, rng: Random) -> tuple[str, str, str]:
    template = rng.choice(half_of(NUMBER, half))
    x = number(rng)
    return _with(template, half, rng, x=(str(x), str(near_number(x, rng))))


def _date(half: Half, rng: Random) -> tuple[str, str, str]:
    template = rng.choice(half_of(DATE, half))
    day, month, year = rng.randint(1, 27), rng.randrange(12), rng.randint(2015, 2027)
    other = rng.choice(
        ((day + 1, month, year), (day, (month + 1) % 12, year), (day, month, year + 1))
    )
    style = rng.randrange(4)
    return _with(
        template, half, rng, d=(_written(style, day, month, year), _written(style, *other))
    )


def _written(style: int, day: int, month: int, year: int) -> str:
    name = SLOTS["month"][month]
    return (
        f"{year}-{month + 1:02}-{day:02}",
        f"{day} {name} {year}",
        f"{name} {day}, {year}",
        f"{day:02}.{month + 1:02}.{year}",
    )[style]


def _name(half: Half, rng: Random) -> tuple[str, str, str]:
    template, slot = rng.choice(half_of(NAME, half))
    x = pick(slot, half, rng)
    return _with(template, half, rng, x=(x, pick(slot, half, rng, unlike=x)))


def _version(half: Half, rng: Random) -> tuple[str, str, str]:
    template = rng.choice(half_of(VERSION, half))
    v = version(rng)
    return _with(template, half, rng, v=(dotted(v), dotted(near_version(v, rng))))


def _unit(half: Half, rng: Random) -> tuple[str, str, str]:
    template, units = rng.choice(half_of(UNIT, half))
    return _with(template.replace("{n}", str(rng.randint(2, 90))), half, rng, u=units)


def _path(half: Half, rng: Random) -> tuple[str, str, str]:
    template = rng.choice(half_of(PATH, half))
    p = pick("path", half, rng)
    return _with(template, half, rng, p=(p, pick("path", half, rng, unlike=p)))


def _negation(half: Half, rng: Random) -> tuple[str, str, str]:
    return _both(rng.choice(half_of(NEGATION, half)), half, rng)


def _status(half: Half, rng: Random) -> tuple[str, str, str]:
    return _both(rng.choice(half_of(STATUS, half)), half, rng)


def _both(templates: tuple[str, str], half: Half, rng: Random) -> tuple[str, str, str]:
    seed = rng.random()
    return (
        fill(templates[0], half, Random(seed)),
        fill(templates[1], half, Random(seed)),
        templates[0],
    )


def _with(template: str, half: Half, rng: Random, **slots: tuple[str, str]) -> tuple[str, str, str]:
    """The template twice, with the first and with the second of the values, and otherwise alike."""
    texts = [template, template]
    for slot, values in slots.items():
        texts = [
            text.replace(f"{{{slot}}}", value) for text, value in zip(texts, values, strict=True)
        ]
    a, b, _ = _both((texts[0], texts[1]), half, rng)
    return a, b, template


MAKERS: Final[Mapping[str, Callable[[Half, Random], tuple[str, str, str]]]] = {
    "number": _number,
    "date": _date,
    "name": _name,
    "negation": _negation,
    "version": _version,
    "unit": _unit,
    "path": _path,
    "status": _status,
}


def value_pair(kind: str, half: Half, rng: Random) -> tuple[str, str, str]:
    """Two sentences that differ in one value of the kind, and their template."""
    return MAKERS[kind](half, rng)


def look_alikes(count: int, half: Half, seed: int) -> Iterator[LookAlike]:
    """That many pairs, all kinds in turn, every fifth one in Chinese, Japanese or Korean.

    The sentence with the value stands alone, or among up to four others that are the same in both.
    """
    rng = Random(f"look-alikes {half} {seed}")
    kinds = list(MAKERS)
    for i in range(count):
        if i % 5 == 4:
            yield _cjk(half, rng)
            continue
        kind = kinds[i % len(kinds)]
        a, b, template = value_pair(kind, half, rng)
        around = context(rng.randint(0, 4), half, rng)
        place = rng.randint(0, len(around))
        yield LookAlike(kind, _among(a, around, place), _among(b, around, place), template)


def _among(sentence: str, around: list[str], place: int, joint: str = " ") -> str:
    stopped = sentence if sentence[-1] in ".。" else f"{sentence}."
    return joint.join([*around[:place], stopped if around else sentence, *around[place:]])


def _cjk(half: Half, rng: Random) -> LookAlike:
    which = rng.randrange(3)
    if which == 0:
        language, first, second = rng.choice(half_of(CJK_NEGATION, half))
        kind, template = "negation", first
    elif which == 1:
        language, template, names = rng.choice(half_of(CJK_NAME, half))
        x, y = rng.sample(names, 2)
        kind, first, second = "name", template.format(x=x), template.format(x=y)
    else:
        language, kind, template = rng.choice(half_of(CJK, half))
        count, v = number(rng), version(rng)
        date = {"y": rng.randint(2015, 2027), "m": rng.randint(1, 12), "t": rng.randint(1, 27)}
        changed = rng.choice("ymt")
        first = template.format(x=count, v=dotted(v), **date)
        second = template.format(
            x=near_number(count, rng),
            v=dotted(near_version(v, rng)),
            **{**date, changed: date[changed] + 1 if date[changed] != 12 else 11},
        )
    around = context(rng.randint(0, 3), half, rng, language)
    place = rng.randint(0, len(around))
    joint = " " if language == "ko" else ""
    return LookAlike(
        kind,
        _among(first, around, place, joint),
        _among(second, around, place, joint),
        template,
        language,
    )
