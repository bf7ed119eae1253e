"""Pairs of notes of several sentences in which one to three words stand for others: each names another thing, so they
must never be merged."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Final

from tests.dream.duplicates import reworded
from tests.dream.lookalikes import LookAlike
from tests.dream.sentences import context
from tests.dream.words import Half, half_of

VALUES: Final = {
    "ingredient": (
        "buckwheat", "lentils", "ricotta", "tahini", "parsley", "molasses", "polenta", "capers", "semolina", "nettles", "pistachios", "cardamom",
        "anchovies", "horseradish", "yoghurt", "treacle",
    ),
    "place": (
        "pantry", "boathouse", "attic", "courtyard", "chapel", "quarry", "sacristy", "dairy", "belfry", "cloakroom", "orchard", "smithy", "lobby",
        "crypt", "greenhouse", "tollhouse",
    ),
    "colour": ("ochre", "teal", "crimson", "mauve", "beige", "turquoise", "lilac", "sepia", "amber", "indigo", "russet", "ivory"),
    "tool": (
        "chisel", "trowel", "mandrel", "spokeshave", "plumbline", "billhook", "mallet", "gimlet", "rasp", "auger", "awl", "jigsaw", "crowbar",
        "soldering", "spirit-level", "whetstone",
    ),
    "role": (
        "beekeeper", "treasurer", "verger", "surveyor", "midwife", "glazier", "registrar", "warden", "farrier", "curator", "bursar", "steward",
        "auditor", "cooper", "notary", "usher",
    ),
    "material": (
        "zinc", "larch", "slate", "linoleum", "hessian", "basalt", "plywood", "pewter", "limestone", "tin", "rattan", "vellum", "bakelite", "cork",
        "jute", "terracotta",
    ),
    "quality": (
        "brittle", "sturdy", "fragrant", "dusty", "glossy", "crooked", "hollow", "sticky", "porous", "stiff", "greasy", "ragged", "mellow",
        "faded", "lumpy", "crumbly",
    ),
    "doing": (
        "varnish", "weigh", "rinse", "photograph", "label", "sharpen", "soak", "auction", "catalogue", "polish", "bury", "insure", "sand",
        "measure", "donate", "laminate",
    ),
}  # fmt: skip
"""By kind the words that stand for each other; none means the same as another."""

TEMPLATES: Final = (
    "Stir the {ingredient} in last and let the bowl rest until the evening bell.",
    "The deliveries go to the {place}, where somebody signs for them.",
    "The doors were painted {colour} when the family moved back.",
    "You need the {tool} for the second step, and somebody who holds the board.",
    "The {role} opens the meeting and reads out what was decided.",
    "The lid is made of {material}, so it has to be dried at once.",
    "After rain the surface gets {quality} and nobody wants to sit there.",
    "We always {doing} the frames before they go back to the owners.",
    "A handful of {ingredient} gives the filling its taste.",
    "Visitors wait in the {place} until their names are called.",
    "Folders with a {colour} spine belong to the parish and go back to it.",
    "He borrowed the {tool} from the neighbours and never brought it back.",
    "Ask the {role} about the keys, since the office knows nothing of them.",
    "They lined the drawers with {material} that was left over from the boat.",
    "The older batch turned out {quality}, which the tasters wrote down.",
    "Whoever comes first should {doing} the samples from the day before.",
    "Without {ingredient} the crust does not hold together in the pan.",
    "The spare chairs are stacked in the {place} behind the organ.",
    "The route is marked with {colour} dots on the trunks.",
    "Put the {tool} back on its hook, with the edge to the wall.",
    "Only the {role} may sign the receipts of the society.",
    "The new handles are of {material} and came from a sale.",
    "She calls the sound {quality} and wants to hear it again.",
    "In the last week we {doing} everything that is left on the shelves.",
)  # fmt: skip
"""The first and then every second one is of the development half; each half has one of each kind and more."""

CJK: Final = {
    "zh": (
        ("最后把{}放进锅里，再等到晚上。", ("糖", "盐", "蜂蜜", "芝麻", "花生", "辣椒")),
        ("货物送到{}，那里有人签收。", ("仓库", "厨房", "车库", "教堂", "花园", "码头")),
        ("大门刷成了{}色。", ("绿", "蓝", "黄", "紫", "灰", "棕")),
        ("第二步要用{}，还要有人扶着木板。", ("锤子", "锯子", "凿子", "钳子", "扳手", "刨子")),
    ),
    "ja": (
        ("最後に{}を鍋に入れて、夕方まで待ちます。", ("砂糖", "塩", "蜂蜜", "胡麻", "味噌", "酢")),
        ("荷物は{}に届けて、誰かが受け取ります。", ("倉庫", "台所", "車庫", "教会", "庭", "港")),
        ("門は{}色に塗られました。", ("緑", "紫", "灰", "茶", "桃", "藍")),
        ("二番目の作業には{}が要ります。", ("金槌", "鋸", "鑿", "ペンチ", "鉋", "錐")),
    ),
    "ko": (
        ("마지막에 {} 냄비에 넣고 저녁까지 둡니다.", ("설탕을", "소금을", "꿀을", "깨를", "식초를", "된장을")),
        ("짐은 {} 가져가면 누군가 받습니다.", ("창고로", "부엌으로", "차고로", "교회로", "마당으로", "항구로")),
        ("문은 {} 칠했습니다.", ("초록색으로", "파란색으로", "보라색으로", "회색으로", "갈색으로", "노란색으로")),
        ("두 번째 작업에는 {} 필요합니다.", ("망치가", "톱이", "끌이", "집게가", "대패가", "송곳이")),
    ),
}  # fmt: skip


def exchanges(
    count: int, half: Half, seed: int, *, also_reworded: bool = False
) -> Iterator[LookAlike]:
    """That many pairs of 5 to 15 sentences, one to three words of which are exchanged; every fifth pair is in Chinese,
    Japanese or Korean, and shorter. ``also_reworded``: all sentences have a tenth of their words changed as well."""
    rng = Random(f"exchanges {half} {seed} {also_reworded}")
    for i in range(count):
        yield _cjk(half, rng) if i % 5 == 4 else _english(half, rng, also_reworded=also_reworded)


def _english(half: Half, rng: Random, *, also_reworded: bool) -> LookAlike:
    templates = rng.sample(half_of(TEMPLATES, half), rng.randint(3, 9))
    around = context(rng.randint(2, 6), half, rng)
    changed = set(rng.sample(range(len(templates)), min(len(templates), rng.randint(1, 3))))
    ours, theirs, kinds = [], [], []
    for place, template in enumerate(templates):
        kind = next(kind for kind in VALUES if f"{{{kind}}}" in template)
        x, y = rng.sample(half_of(VALUES[kind], half), 2)
        ours.append(template.format(**{kind: x}))
        theirs.append(template.format(**{kind: y if place in changed else x}))
        kinds += [kind] if place in changed else []
    order = rng.sample(range(len(ours) + len(around)), len(ours) + len(around))
    a, b = [*ours, *around], [*theirs, *around]
    if also_reworded:
        b = [reworded(text, half, rng) for text in b]
    return LookAlike(
        f"{len(kinds)} exchanged",
        " ".join(a[place] for place in order),
        " ".join(b[place] for place in order),
        ", ".join(sorted(kinds)),
    )


def _cjk(half: Half, rng: Random) -> LookAlike:
    language = rng.choice(list(CJK))
    joint = " " if language == "ko" else ""
    template, values = rng.choice(half_of(CJK[language], half))
    x, y = rng.sample(values, 2)
    around = context(rng.randint(2, 4), half, rng, language)
    place = rng.randint(0, len(around))
    a, b = (
        joint.join([*around[:place], template.format(value), *around[place:]]) for value in (x, y)
    )
    return LookAlike("1 exchanged", a, b, template, language)
