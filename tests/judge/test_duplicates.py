"""Whether two texts say the same: the verdict, and why."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultmem.judge import Duplicate, HeuristicJudge, as_duplicate
from vaultmem.judge.veto import hard_difference

JUDGE = HeuristicJudge()
WATER = "Water the fern twice a week. It likes shade. Turn the pot so that it grows evenly."


@pytest.mark.parametrize(
    ("a", "b", "reason"),
    [
        ("The port is 8080.", "The port is 9090.", "values differ: 8080 / 9090"),
        ("Due 2026-03-05.", "Due 6 March 2026.", "values differ: 2026-03-05 / 6 March 2026"),
        ("Ada keeps the keys.", "Tom keeps the keys.", "values differ: Ada / Tom"),
        ("We ask Ada.", "We ask Ada and Tom.", "values differ: nothing / Tom"),
        ("It runs on Linux.", "It does not run on Linux.", "one of them negates"),
        ("We need v2.1.", "We need v2.10.", "values differ: v2.1 / v2.10"),
        ("It holds 3 l.", "It holds 3 ml.", "values differ: 3 l / 3 ml"),
        ("It may use 2 GB.", "It may use 2 GiB.", "values differ: 2 GB / 2 GiB"),
        ("It may use 8 MB.", "It may use 8 MiB.", "values differ: 8 MB / 8 MiB"),
        ("It may use 4 kB.", "It may use 4 KiB.", "values differ: 4 kB / 4 KiB"),
        ("It may use 1 TB.", "It may use 1 TiB.", "values differ: 1 TB / 1 TiB"),
        ("It may use 2048 MB.", "It may use 2 GiB.", "values differ: 2048 MB / 2 GiB"),
        ("It may use 1000 MB.", "It may use 1024 MB.", "values differ: 1000 MB / 1024 MB"),
        (
            "It may use 2 gigabytes.",
            "It may use 2 gibibytes.",
            "values differ: 2 gigabytes / 2 gibibytes",
        ),
        ("Logs are in /var/log.", "Logs are in /srv/log.", "values differ: /var/log / /srv/log"),
        ("Sync is enabled.", "Sync is disabled.", "opposites: enabled / disabled"),
        ("The feed is active.", "The feed is inactive.", "opposites: active / inactive"),
        ("Lights are on.", "Lights are off.", "opposites: on / off"),
        ("Only guests pay.", "Guests pay.", "limits differ: only"),
        ("Open in May.", "Open in June.", "times differ: june, may"),
        ("The cat sees the dog.", "The dog sees the cat.", "the same words in another order"),
        ("The theme is dark.", "The theme is plain.", "the value may differ"),
        ("端口是8080。", "端口是9090。", "values differ: 8080 / 9090"),
        ("地下室里有水。", "地下室里没有水。", "one of them negates"),
        ("鍵は箱にある。", "鍵は箱にない。", "one of them negates"),
        ("물이 있습니다.", "물이 없습니다.", "one of them negates"),
        (
            "担当は佐藤さんです。",
            "担当は小林さんです。",
            "one word differs, and it may be what matters",
        ),
        ("Milk and eggs.", "The moon is far away.", "each says something that the other does not"),
        ("", "", "nothing in common"),
        ("## Tasks", "# Tasks", "too short to tell"),
        ("- [ ] call the plumber", "- [x] call the plumber", "tasks"),
        ("Moved the pot. 📅 soon", "Moved the pot. ⏳ soon", "values differ: 📅 / ⏳"),
        ("Keep while x > 3 holds.", "Keep while x < 3 holds.", "values differ: > / <"),
        ("The ferry leaves at 9 am.", "The ferry leaves at 9 pm.", "values differ: 9 am / 9 pm"),
        ("A night is ¥500 here.", "A night is ₩500 here.", "values differ: 500 / 500"),
        ("The line does 5 Gb of it.", "The line does 5 GB of it.", "values differ: 5 Gb / 5 GB"),
        ("It is –5 °C outside.", "It is 5 °C outside.", "values differ: –5 °C / 5 °C"),
        ("Keep x<y in the test.", "Keep x>y in the test.", "values differ: < / >"),
        ("We write it in C++ here.", "We write it in C here.", "values differ: ++ / nothing"),
        ("Blood of type O+ is short.", "Blood of type O- is short.", "values differ: + / -"),
        ("We take plan b of them.", "We take plan c of them.", "values differ: b / c"),
        ("~~The shop sells figs.~~", "The shop sells figs.", "values differ: ~~, ~~ / nothing"),
        ("Take salt and lime.", "Take salt or lime.", "little words differ: and / or"),
        ("Ada is the keeper.", "Ada was the keeper.", "little words differ: is / was"),
        ("My key fits the lock.", "Your key fits the lock.", "little words differ: my / your"),
        (
            "He pays her the rent.",
            "She pays him the rent.",
            "the same persons in another order",
        ),
        (
            "Send it from barn to mill.",
            "Send it to barn from mill.",
            "little words differ: from barn / to barn",
        ),
        ("It sells figs?", "It sells figs.", "one of them asks"),
        ("The dose is too high.", "The dose is high.", "limits differ: too"),
        ("Only Ada paid the bill.", "Ada paid only the bill.", "the same words in another order"),
        ("Not all eggs hatched.", "All eggs did not hatch.", "the same words in another order"),
        (
            "彼が彼女に本を貸した。",
            "彼に彼女が本を貸した。",
            "the same characters in another order",
        ),
        ("민수가 철수를 도왔다.", "민수를 철수가 도왔다.", "the same words in other roles"),
        ("The risk is very low.", "The risk is low.", "degrees differ: very"),
        ("The risk is quite low.", "The risk is very low.", "degrees differ: quite, very"),
        ("The soil is slightly wet.", "The soil is wet.", "degrees differ: slightly"),
        ("The soil is a bit wet.", "The soil is wet.", "degrees differ: slightly"),
        ("The soil is a little wet.", "The soil is wet.", "degrees differ: slightly"),
        ("The pond is highly toxic.", "The pond is toxic.", "degrees differ: highly"),
        (
            "The pond is extremely cold.",
            "The pond is rather cold.",
            "degrees differ: extremely, rather",
        ),
        ("It barely rained in the hills.", "It rained in the hills.", "degrees differ: barely"),
        ("It is really cold outside.", "It is cold outside.", "degrees differ: really"),
        ("It helps a lot with frost.", "It helps with frost.", "degrees differ: lot"),
        ("It is probably a moth.", "It is a moth.", "degrees differ: probably"),
        (
            "The fee is low for guests.",
            "The fee is lower for guests.",
            "degrees differ: low / lower",
        ),
        ("Der Boden ist sehr nass.", "Der Boden ist nass.", "degrees differ: sehr"),
        ("Er ist leicht erkältet.", "Er ist stark erkältet.", "degrees differ: leicht, stark"),
        ("这里的土很湿。", "这里的土湿。", "degrees differ: very"),
        ("这里的土非常湿。", "这里的土有点湿。", "degrees differ: slightly, very much"),
        ("ここの土はとても湿っている。", "ここの土は湿っている。", "degrees differ: very much"),
        (
            "ここの土は少し湿っている。",
            "ここの土はかなり湿っている。",
            "degrees differ: considerably, slightly",
        ),
        ("흙은 매우 젖어 있습니다.", "흙은 젖어 있습니다.", "degrees differ: 매우"),
        ("Add the salt to the pot.", "Add the sugar to the pot.", "things differ: salt / sugar"),
        ("Log for {{date}} of the day", "Log for {{date}} of the day", "a template"),
        ("Run it:\n```\nls a\n```", "Run it:\n```\nls b\n```", "code differs"),
        ("Ada tried to sell the mill.", "Ada sold the mill.", "only meant in one of them: try"),
        ("Ada refused to pay it.", "Ada paid it.", "only meant in one of them: refuse"),
        ("Ada claims that it is paid.", "It is paid.", "only meant in one of them: claim"),
        (
            "Ada wollte die Mühle verkaufen.",
            "Ada verkaufte die Mühle.",
            "only meant in one of them: wollen",
        ),
        ("小王打过电话。", "小王会打电话。", "only meant in one of them: will"),
        ("The roof has to be repaired.", "The roof has been repaired.", "limits differ: must"),
        ("Ada called Tom.", "Ada calls Tom.", "times of verbs differ"),
        ("田中さんは電話した。", "田中さんは電話する。", "times of verbs differ"),
        ("철수만 열쇠가 있다.", "철수도 열쇠가 있다.", "limits differ: 만"),
        ("서울에서 부산까지 간다.", "서울까지 부산에서 간다.", "the same words in other roles"),
    ],
)
def test_what_differs_in_a_value_is_kept_apart(a: str, b: str, reason: str) -> None:
    for first, second in ((a, b), (b, a)):
        assert JUDGE.duplicate(first, second).verdict is Duplicate.COEXIST
    assert JUDGE.duplicate(a, b).reason == reason


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (WATER, WATER),
        (
            WATER,
            "- It likes shade\n- Water the fern twice a week\n- Turn the pot so it grows evenly",
        ),
        ("The tank holds 2 GB.", "The tank holds 2048 MB."),
        ("The tank holds 2 GiB.", "The tank holds 2048 MiB."),
        ("The tank holds 2 GB.", "The tank holds 2 gigabytes."),
        ("The ferry leaves at 9:30 p.m.", "The ferry leaves at 21:30."),
        ("He came in because it rained.", "He came in since it rained."),
        ("Taxes are due on 2026-03-05", "Taxes are due on March 5, 2026."),
        ("We need 12,000 bricks.", "We need 12000 bricks."),
        ("The colour is chosen daily.", "The color is chosen every day."),
        ("We start early in spring.", "We begin early in spring."),
        ("The fern dries out entirely in June.", "The fern dries out completely in June."),
        ("We ask a lot of guests.", "We ask lots of guests."),
        ("Take flour and the same of water.", "Take flour and as much water."),
        (
            f"{WATER} The grey pot stands by the window.",
            f"{WATER} The grey vessel stands at the pane.",
        ),
    ],
)
def test_what_says_the_same_is_merged(a: str, b: str) -> None:
    assert JUDGE.duplicate(a, b).verdict is Duplicate.MERGE
    assert JUDGE.duplicate(b, a).verdict is Duplicate.MERGE


def test_what_is_done_and_what_is_open_are_not_merged() -> None:
    open_, done = f"{WATER}\n- [ ] buy a pot", f"{WATER}\n- [x] buy a pot"

    assert JUDGE.duplicate(open_, done).reason == "values differ: [ ] / [x]"


def test_one_word_for_another_throughout_tells_two_things_apart() -> None:
    form = "The {0} stands in the shed by the lane. Oil the {0} once the rain is gone. Whoever takes the {0} signs for it."
    plough, harrow = form.format("plough"), form.format("harrow")

    assert JUDGE.duplicate(plough, harrow).verdict is Duplicate.COEXIST
    assert "throughout" in hard_difference(plough, harrow)


@pytest.mark.parametrize(
    "exchanged",
    [
        {"tahini": "treacle", "boathouse": "chapel"},
        {"ochre": "mauve", "verger": "bursar", "pewter": "vellum"},
        {"brittle": "porous", "laminate": "rinse"},
        {"tahini": "molasses"},
    ],
)
def test_words_exchanged_for_unrelated_ones_tell_long_texts_apart(
    exchanged: dict[str, str],
) -> None:
    told = (
        "Stir the tahini in last and let the bowl rest. The deliveries go to the boathouse. The doors "
        "were painted ochre when the family moved back. The verger opens the meeting. The lid is made "
        "of pewter, so dry it. After rain the boards get brittle and nobody wants to sit there. We "
        "always laminate the signs before they go back to the owners. Nobody likes the old form."
    )
    other, reworded = told, told.replace("wants", "wishes").replace("so dry it", "so please dry it")
    for word, instead in exchanged.items():
        other = other.replace(word, instead)

    assert JUDGE.duplicate(told, reworded).verdict is Duplicate.MERGE
    assert JUDGE.duplicate(told, other).verdict is Duplicate.COEXIST
    assert JUDGE.duplicate(reworded, other).verdict is Duplicate.COEXIST


def test_a_text_within_another_is_absorbed() -> None:
    more = f"{WATER} Frost kills it."

    assert JUDGE.duplicate(WATER, more).verdict is Duplicate.ABSORB_A
    assert JUDGE.duplicate(more, WATER).verdict is Duplicate.ABSORB_B


def test_a_text_too_long_to_compare_is_left_alone() -> None:
    a = "\n".join(f"Line {i} of the first." for i in range(400))
    b = "\n".join(f"Line {i} of the second." for i in range(400))

    assert JUDGE.duplicate(a, b).reason == "too many differences"


@pytest.mark.parametrize("word", ["", "MERGE them", "oui", 7, None, ["MERGE"]])
def test_a_word_that_is_no_verdict_is_coexist(word: object) -> None:
    assert as_duplicate(word) is Duplicate.COEXIST


@given(st.text(max_size=80), st.text(max_size=80))
def test_any_two_texts_have_a_verdict_that_does_not_depend_on_their_order(a: str, b: str) -> None:
    mirrored = {Duplicate.ABSORB_A: Duplicate.ABSORB_B, Duplicate.ABSORB_B: Duplicate.ABSORB_A}
    verdict = JUDGE.duplicate(a, b).verdict

    assert JUDGE.duplicate(b, a).verdict is mirrored.get(verdict, verdict)
