"""Words that decide: negations, opposites, words without a claim, predicates, marks of time.

Words are lower case, without apostrophes. The lists are for general prose about work and home; a word that is in none
of them is simply a word.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from vaultmem.index.stems import stem
from vaultmem.judge.synonyms import SYNONYMS


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


NEGATIONS: Final = _words(
    "no not never none nobody nothing nowhere neither nor without cannot cant dont doesnt didnt isnt arent wasnt werent wont "
    "wouldnt shouldnt mustnt hasnt havent hadnt neednt couldnt lacks lack lacking fails unable hardly rarely seldom "
    "nicht kein keine keinen keiner nie niemals ohne ne pas jamais sin nunca"
)
CJK_NEGATIONS: Final = (
    "不", "没", "沒", "未", "无", "無", "别", "勿", "莫", "ない", "なく", "なかっ", "ません", "ませ", "せず", "ずに", "禁止",
    "않", "없", "못", "아니", "안 ", "말고", "불가",
)  # fmt: skip
NOT_NEGATIONS: Final = (
    "不过", "不断", "不久", "不同", "不仅", "不但", "不管", "不少", "无论", "無料", "特别", "别人", "别的", "差别", "少ない", "未来",
    "無線", "もない", "しかない", "必要ない", "하지 않을 수 없", "かもしれません", "かもしれない",
)  # fmt: skip
"""Words in which such a sign negates nothing."""

POLAR: Final = _words(
    "only all every each some any most many few several both either half almost about approximately nearly exactly least "
    "more less fewer above below over under before ahead after until except unless must may might can could should "
    "shall optional always sometimes per minimum maximum min max without with not first second third last "
    "next previous"
)
"""Words that change what is claimed: they may not come or go in a duplicate, but stand for others of ``SAME``."""

FUNCTION: Final = _words(
    "since a an the this that these those there here it its is are was were be been being am do does did has have had having i we "
    "you he she they them us me him her our your their my his of to in on at by for from into onto as and or but so than then "
    "if when whenever while because which who whom whose what where how although though however thus also still too very "
    "just really actually quite rather own such itself themselves will would let lets please well now yet already again "
    "one ones s t m re ll ve d around across along"
)
"""Words that carry no claim of their own; their coming and going changes nothing."""

SAME: Final = tuple(
    _words(group)
    for group in (
        "begin start commence launch", "end finish conclude", "big large great huge", "small little tiny", "fast quick rapid swift speedy",
        "slow sluggish", "use utilise utilize employ", "need require", "show display present", "help assist aid support",
        "buy purchase acquire", "get obtain receive", "make create produce build construct", "fix repair mend correct",
        "keep store retain hold", "remove delete erase drop", "choose pick select", "ask enquire inquire", "answer reply respond",
        "say tell state", "think believe", "often frequently", "usually mostly generally commonly normally", "always constantly",
        "only just merely solely", "before prior ahead", "later afterwards", "early soon", "also too", "near close", "about approximately roughly around",
        "maybe perhaps", "hard difficult", "easy simple", "important crucial essential", "wrong incorrect", "right correct", "error bug fault defect",
        "change alter modify", "allow permit", "forbid prohibit disallow", "must shall", "mandatory required obligatory", "person people", "car auto automobile",
        "picture image photo", "house home", "company firm", "job work", "folder directory", "setting option preference", "message note",
        "everyone everybody", "nobody none", "someone somebody", "shut close", "stop halt cease", "reason cause grounds", "goal aim target",
        "method approach way", "customer client", "colleague coworker", "doc document", "app application", "config configuration",
        "repo repository", "info information", "max maximum", "min minimum", "own belong possess", "lead head run", "live reside home",
        "located based situated", "contain include hold", "since because", "which that", "whenever when", "total sum", "seat place room",
        "yearly annually annual", "sofa couch", "soil earth", "chemist pharmacist", "tap faucet", "rug carpet", "rucksack backpack", "bucket pail",
        "street road", "lorry truck", "bicycle bike", "fridge refrigerator", "phone telephone", "pot vessel", "window pane", "stone rock", "cup mug",
        "cupboard cabinet", "shop store", "trip journey", "hallway corridor", "pavement sidewalk", "holiday vacation", "biscuit cookie", "petrol gasoline",
        "aubergine eggplant", "courgette zucchini", "torch flashlight", "spanner wrench", "jumper sweater", "pullover sweater", "wood wooden", "wool woollen",
        "gold golden", "forest wood", "caretaker janitor", "chili chilli", "kid child children",
    )
)  # fmt: skip
"""Words that may stand for each other."""

CJK_SAME: Final[Mapping[str, str]] = {
    word.replace("_", " "): group.split()[0].replace("_", " ")
    for group in (
        "我们 咱们", "我們 咱們", "然后 之后 接着 随后", "因为 由于", "请把 请将", "最有效 效果最好", "每周 每星期 每个星期", "简短 简要", "同时 一起", "经常 常常",
        "以后 将来 日后", "理由 原因", "旧的 老的", "开始 着手", "使用 采用", "需要 须要", "帮助 协助", "检查 查看", "立刻 马上 立即", "目前 现在",
        "但是 可是", "所以 因此", "如果 要是 假如", "告诉 告知", "例如 比如", "全部 所有",
        "最初に まず はじめに", "始め 開始し", "方法 やり方", "必要だった 必要があった", "横 隣", "良い よい", "まとめ 要約", "同時に 一緒に", "場合だけ ときだけ 時だけ",
        "そうです と聞きました とのことです", "理由 わけ", "後で あとで", "使う 使用する", "使い 使用し", "買う 購入する", "買い 購入し", "しかし けれども", "だから そのため", "すぐに ただちに",
        "確認 チェック", "例えば たとえば", "全部 すべて 全て", "作る 作成する", "作り 作成し",
        "먼저 우선", "뒤에 후에", "예전 옛날 이전", "방식 방법", "옆의 옆에_있는", "좋습니다 낫습니다", "짧은_요약 간단한_요약 간략한_요약", "경우에만 때만", "발생합니다 나타납니다 생깁니다",
        "동안에는 기간에는", "이유 까닭 원인", "적어_둡 써_둡", "사용 이용", "시작 개시", "하지만 그러나 그렇지만", "그래서 그러므로 따라서", "만약 만일", "바로 즉시 곧바로", "지금 현재",
        "예를_들어 예컨대", "모두 전부", "구입 구매", "확인 점검",
    )
    for word in group.split()
}  # fmt: skip
"""By an expression the one that stands for all that mean the same; ``_`` is a blank."""

OPPOSITES: Final = tuple(
    (_words(x), _words(y))
    for x, y in (
        ("enabled enable on activated", "disabled disable off deactivated"), ("open opened opening", "closed close shut locked closing"),
        ("accepted approved accept approve accepts", "rejected denied declined refused reject rejects deny"),
        ("active running live", "inactive stopped cancelled paused dead idle"), ("passed pass passes succeeded success succeed", "failed fail fails failure"),
        ("mandatory required obligatory", "optional voluntary"), ("available", "unavailable"), ("public", "private secret"),
        ("complete finished done final completed", "incomplete unfinished pending draft open"), ("alive living", "dead"),
        ("true yes correct", "false wrong incorrect"), ("allowed permitted allow allows permits permit", "forbidden prohibited disallowed banned forbids"),
        ("valid", "invalid expired"), ("safe", "unsafe dangerous"), ("present", "absent missing"), ("full", "empty"), ("hot warm", "cold cool"),
        ("fast quick", "slow"), ("old", "new young"), ("high higher highest", "low lower lowest"), ("light bright lit", "dark"),
        ("increase increases increased increasing rise rises rose raised elevated greater gain gains grow grows upregulated upregulates upregulation enhance enhances enhanced",
         "decrease decreases decreased decreasing reduce reduces reduced reducing reduction fall falls fell decline lowers lowered loss lose loses shrink shrinks downregulated downregulates downregulation attenuated"),
        ("activate activates activated activation promote promotes promoted stimulates induces", "inhibit inhibits inhibited inhibition suppress suppresses prevents prevent blocks deactivates deactivate impairs"),
        ("more", "less fewer"), ("all every", "none no"), ("always", "never"), ("improve improves improved better", "worsen worsens worse"),
        ("with", "without"), ("positive", "negative"), ("same similar", "different"), ("associated linked dependent", "independent unrelated"),
        ("sitting sits sit lying resting sleeping", "standing stands stand jumping running walking dancing"), ("inside indoors indoor", "outside outdoors outdoor"),
        ("man men boy boys male husband father", "woman women girl girls female wife mother"), ("black", "white"), ("up", "down"), ("left", "right"),
        ("first", "last"), ("start starts begin begins", "stop stops end ends"), ("buy buys bought", "sell sells sold"), ("win wins won", "lose loses lost"),
        ("easy simple", "hard difficult"), ("strong", "weak"), ("dry", "wet damp"), ("early", "late"), ("dangerous", "safe harmless"), ("north", "south"), ("east", "west"),
        ("loud noisy", "quiet silent"), ("many several", "few"), ("before", "after"), ("import imports imported", "export exports exported"),
        ("merged", "reverted"), ("online", "offline"), ("read", "write"), ("synchronous", "asynchronous"), ("vegetarian vegan", "meat"), ("like likes loves love", "dislike dislikes hate hates"),
        ("putting adding filling", "taking removing emptying"), ("opens", "closes"), ("encrypted", "unencrypted plain"), ("married", "single divorced"),
    )
)  # fmt: skip
CJK_OPPOSITES: Final = (
    ("打开", "关闭"), ("启用", "禁用"), ("开启", "关闭"), ("通过", "失败"), ("增加", "减少"), ("提高", "降低"), ("上升", "下降"), ("男", "女"), ("大", "小"),
    ("高", "低"), ("多", "少"), ("好", "坏"), ("喜欢", "讨厌"), ("容易", "困难"), ("有", "没有"), ("必须", "可选"), ("公开", "私密"), ("支持", "反对"), ("热", "冷"),
    ("有効", "無効"), ("開", "閉"), ("男性", "女性"), ("立っ", "座っ"), ("走っ", "止ま"), ("停ま", "走っ"), ("赤", "青"), ("赤い", "黒い"), ("白", "黒"), ("屋内", "屋外"),
    ("右", "左"), ("上", "下"), ("前", "後"), ("昼", "夜"), ("晴れ", "曇"), ("若い", "年配"), ("大人", "子ども"), ("犬", "猫"), ("合格", "不合格"), ("必須", "任意"),
    ("寝", "立"), ("座", "立"), ("大きな", "小さな"), ("全て", "一部"), ("緑", "赤"), ("青", "白"), ("増", "減"),
    ("열", "닫"), ("활성", "비활성"), ("가능", "불가능"), ("있", "없"), ("증가", "감소"), ("높", "낮"), ("많", "적"), ("좋", "나쁘"), ("좋", "별로"), ("크", "작"),
    ("남", "여"), ("어둡", "밝"), ("가깝", "멀"), ("쉽", "어렵"), ("모두", "일부"), ("최초", "마지막"), ("찬성", "반대"), ("성공", "실패"), ("늘", "줄"), ("깨끗", "더럽"),
)  # fmt: skip

MANY_VALUED: Final = _words(
    "know like love enjoy visit order depend plant meet buy read see watch eat speak play attend invite mention include contain "
    "support try use recommend shop customer partner friend member tag link part took take sell teach talk call write import export"
)
"""Stems of predicates that hold of many things at once: another object is no contradiction."""

RECURRING: Final = _words(
    "meet visit attend run fail order play talk call water harvest weigh happen occur take clean check"
)
"""Predicates of what happens again and again: another date is no contradiction."""

ENDED: Final = (
    "no longer", "any longer", "anymore", "any more", "used to", "formerly", "previously", "until last", "was replaced", "has moved",
    "took over", "in the past", "back then", "at that time", "deprecated", "obsolete", "outdated", "superseded", "has left", "once was",
    "不再", "曾经", "以前是", "もう", "以前は", "かつて", "더 이상", "예전에는",
)  # fmt: skip
"""What says that something has ceased."""

CONDITIONS: Final = _words(
    "in on at with without for during if when while after before under within outside inside by per"
)
"""Words that begin a condition, at the beginning of a claim."""

STATE_VERBS: Final = _words(
    "is are has have works lives leads runs listens costs needs keeps holds owns stores uses owes pays"
)
"""Verbs in the present: a claim about now."""

TIME_WORDS: Final = _words(
    "january february march april may june july august september october november december monday tuesday wednesday thursday friday "
    "saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays sundays spring summer autumn fall winter quarter week weekday weekdays "
    "weekend weekends holiday holidays morning evening night noon today yesterday tomorrow year month day"
)

MONTHS: Final[Mapping[str, int]] = {
    name: number
    for number, names in enumerate(
        (
            "january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul", "august aug", "september sep sept",
            "october oct", "november nov", "december dec",
        ),
        1,
    )
    for name in names.split()
}  # fmt: skip
SPELLED: Final[Mapping[str, int]] = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18,
    "nineteen": 19, "twenty": 20,
}  # fmt: skip


def _groups_by_stem() -> Mapping[str, frozenset[int]]:
    found: dict[str, set[int]] = {}
    for i, group in enumerate(SAME):
        for word in group:
            found.setdefault(stem(word), set()).add(i)
    return {word: frozenset(groups) for word, groups in found.items()}


_SAME_OF: Final = _groups_by_stem()
_SIDES: Final[Mapping[str, frozenset[tuple[int, int]]]] = {
    word: frozenset(
        (i, side) for i, pair in enumerate(OPPOSITES) for side in (0, 1) if word in pair[side]
    )
    for pair in OPPOSITES
    for words in pair
    for word in words
}
_PREFIXES: Final = ("un", "in", "im", "dis", "non", "de", "ir", "il", "mis")


MANY_STEMS: Final = frozenset(stem(word) for word in MANY_VALUED)
RECURRING_STEMS: Final = frozenset(stem(word) for word in RECURRING)


IRREGULAR: Final[Mapping[str, str]] = dict(
    pair.split("-")
    for pair in _words(
        "led-lead ran-run kept-keep held-hold wrote-write written-write went-go gone-go sold-sell bought-buy built-build sent-send "
        "left-leave began-begin begun-begin chose-choose chosen-choose grew-grow grown-grow made-make met-meet paid-pay said-say "
        "told-tell took-take taken-take thought-think spoke-speak spoken-speak gave-give given-give knew-know known-know lost-lose "
        "found-find brought-bring taught-teach drove-drive driven-drive ate-eat eaten-eat fell-fall fallen-fall rose-rise risen-rise "
        "shown-show drew-draw drawn-draw owner-own leader-lead maintainer-maintain manager-manage keeper-keep founder-found holder-hold "
        "tried-try tries-try dried-dry dries-dry cried-cry cries-cry fried-fry fries-fry spied-spy spies-spy"
    )
)
"""Forms that no rule brings to their stem."""


def root(word: str) -> str:
    """What all forms of the word have in common, in either spelling of English.

    >>> root("led") == root("leads"), root("colours") == root("color")
    (True, True)
    """
    return stem(_american(IRREGULAR.get(word, word)))


def same_meaning(a: str, b: str) -> bool:
    """Whether one word may stand for the other: same stem, or both in one group of ``SAME``; spellings like *colour*
    and *co-worker*."""
    x, y = root(a.replace("-", "")), root(b.replace("-", ""))
    return x == y or bool(_SAME_OF.get(x, frozenset()) & _SAME_OF.get(y, frozenset()))


def near_meaning(a: str, b: str) -> bool:
    """Whether one word most likely rewords the other (``SYNONYMS``), which is not enough to take two claims of one
    sentence for the same."""
    return bool(_NEAR_TO.get(root(a), frozenset()) & _NEAR_TO.get(root(b), frozenset()))


def opposite(a: str, b: str) -> bool:
    """Whether one word says the reverse of the other, by the table or by a prefix (*active*, *inactive*)."""
    other = {(i, 1 - side) for i, side in _SIDES.get(a, frozenset())}
    if other & _SIDES.get(b, frozenset()):
        return True
    short, long = sorted((a, b), key=len)
    return len(short) > 3 and any(long == prefix + short for prefix in _PREFIXES)


def _lines_by_root() -> Mapping[str, frozenset[int]]:
    found: dict[str, set[int]] = {}
    for i, line in enumerate(SYNONYMS):
        for word in line.split():
            found.setdefault(root(word), set()).add(i)
    return {word: frozenset(lines) for word, lines in found.items()}


def _american(word: str) -> str:
    if len(word) > 4:
        word = word.replace("isation", "ization").replace("ise", "ize").replace("yse", "yze")
        if word.endswith(("our", "ours", "oured")):
            word = word.replace("our", "or")
    return word


_NEAR_TO: Final = _lines_by_root()
