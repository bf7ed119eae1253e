"""Sentences that stand around a value: the same in both texts of a look-alike, reworded in a duplicate."""

from __future__ import annotations

from random import Random
from typing import Final

from tests.dream.words import Half, half_of, number, pick

CONTEXT: Final = (
    "We started with a small trial and moved the rest of the work over after a quiet week.",
    "{person} wrote the first draft and asked the group to check it before the end of the month.",
    "The old approach was slow because every request had to wait for the one before it.",
    "Please keep the spare key in the grey box beside the workshop door.",
    "Most of the trouble came from the cable, which was too long and badly shielded.",
    "It helps to water early in the morning, when the soil is still cool.",
    "A short summary goes to {team} every week so that nobody needs to ask.",
    "The supplier said that delivery often takes longer during the summer holidays.",
    "Remember to close the valve before you remove the filter, otherwise the floor gets wet.",
    "The error appears only when two people save the same file at once.",
    "Our aim is to make the weekly review quick enough that people really do it.",
    "{person} thinks the simplest fix is to show the total at the top of the page.",
    "If the lamp blinks, wait a little and then try again with the other switch.",
    "The meeting in {city} was long, but we finally agreed on a common plan.",
    "Leave the dough in a warm corner and cover it with a damp cloth.",
    "The report explains why the big customers leave and which ones usually return.",
    "Nobody likes the current form, so we want to begin with an empty page.",
    "The printer jams often; gently pull the paper out and shut the lid again.",
    "A new colleague from {company} will help us to build the test bench.",
    "The roof needs a repair soon, since the rain gets in near the chimney.",
    "We buy the seeds from {company}, mainly because they answer letters quickly.",
    "The garden looks best when the beds are not too wide and the paths are dry.",
    "Before the talk, {person} should send the slides to everyone who takes part.",
    "The large table is for maps; the narrow one holds the tools we use daily.",
    "They chose this method since it needs fewer steps and is easy to explain.",
    "Copies of the contract are in the cabinet, sorted by the name of the client.",
    "The children enjoy the walk along the river more than the visit to the museum.",
    "Old notes about the migration are kept for reference and should stay where they are.",
    "In winter the pump runs less, which saves money and makes the house quieter.",
    "Each change is reviewed by {team} and then tried on a copy of the real data.",
    "The book argues that habits form slowly and that small rewards matter a lot.",
    "Write down the reason for each choice, as it will be hard to recall later.",
)  # fmt: skip

CJK_CONTEXT: Final = {
    "zh": (
        "我们先做了一个小规模的试验，然后把其余的工作也搬了过来。",
        "旧的办法很慢，因为每个请求都要等前一个完成。",
        "请把备用钥匙放在工作室门边的灰色盒子里。",
        "早上土还凉的时候浇水效果最好。",
        "每周给小组发一份简短的总结，这样大家就不用再问了。",
        "只有两个人同时保存同一个文件时才会出现这个错误。",
        "供应商说夏天假期期间送货常常会更久。",
        "写下每个选择的理由，因为以后很难想起来。",
    ),
    "ja": (
        "まず小さな試験から始めて、静かな一週間の後に残りの作業を移しました。",
        "古い方法は、前の処理が終わるまで待つ必要があったので遅かったです。",
        "予備の鍵は作業場の扉の横にある灰色の箱に入れてください。",
        "土がまだ冷たい朝のうちに水をやると良いです。",
        "毎週短いまとめを班に送るので、誰も尋ねる必要がありません。",
        "二人が同時に同じファイルを保存したときだけエラーが出ます。",
        "夏休みの間は配達に時間がかかることが多いそうです。",
        "後で思い出すのは難しいので、選んだ理由を書いておきます。",
    ),
    "ko": (
        "먼저 작은 시험을 하고 조용한 한 주가 지난 뒤에 나머지 작업을 옮겼습니다.",
        "예전 방식은 앞의 요청이 끝날 때까지 기다려야 해서 느렸습니다.",
        "예비 열쇠는 작업실 문 옆의 회색 상자에 넣어 주세요.",
        "흙이 아직 차가운 아침에 물을 주는 것이 좋습니다.",
        "매주 짧은 요약을 팀에 보내므로 아무도 물어볼 필요가 없습니다.",
        "두 사람이 동시에 같은 파일을 저장할 때만 오류가 나타납니다.",
        "여름 휴가 동안에는 배송이 더 오래 걸릴 때가 많다고 합니다.",
        "나중에 기억하기 어려우니 선택한 이유를 적어 둡니다.",
    ),
}


def context(count: int, half: Half, rng: Random, language: str = "en") -> list[str]:
    """That many different sentences with their slots filled."""
    pool = half_of(CONTEXT if language == "en" else CJK_CONTEXT[language], half)
    chosen = rng.sample(pool, min(count, len(pool)))
    return [fill(sentence, half, rng) for sentence in chosen]


def fill(template: str, half: Half, rng: Random) -> str:
    """The template with each slot of the vocabulary filled; ``{number}`` is a count."""
    values = {
        slot: pick(slot, half, rng)
        for slot in ("person", "team", "company", "city", "service", "plant", "dish", "library")
        if f"{{{slot}}}" in template
    }
    text = template.format(number=number(rng), **values)
    return text[:1].upper() + text[1:] if text[:1].islower() and template.startswith("{") else text
