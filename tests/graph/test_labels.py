"""What communities are called: by whole words, also in scripts without blanks, and by folders and dates last."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.conftest import VaultOf
from tests.graph.test_communities import graph_of
from vaultmem.graph.communities import describe
from vaultmem.graph.labels import is_dated, labels_of
from vaultmem.graph.weights import weights_of


def terms_of(*titles: str, tags: tuple[str, ...] = ()) -> list[list[str]]:
    """The labels of notes with these titles; the tags are those of one more note."""
    graph = replace(
        graph_of(len(titles) + 1, []),
        titles=[*titles, ""],
        tags=[*([] for _ in titles), list(tags)],
    )
    return [sorted(terms) for terms in labels_of(graph, {}).terms[:-1]]


@pytest.mark.parametrize(
    ("titles", "expected"),
    [
        pytest.param(
            ("常青笔记", "常青笔记之间应该建立链接", "如何写常青笔记"),
            [["常青笔记"]] * 3,
            id="a whole title stands for itself in others",
        ),
        pytest.param(
            ("2022年度网络流行语", "有意思的网络流行语", "网络流行语"),
            [["网络流行语"]] * 3,
            id="particles part the words",
        ),
        pytest.param(
            ("减脂和增肌", "增肌与减脂", "在线文档", "在线文档及目的"),
            [["减脂", "增肌"], ["减脂", "增肌"], ["在线文档"], ["在线文档"]],
            id="a particle's sign within a word parts nothing",
        ),
        pytest.param(
            ("メモの取り方", "知識とメモ", "知識の管理", "管理"),
            [["メモ"], ["メモ", "知識"], ["知識", "管理"], ["管理"]],
            id="Japanese is cut where the script changes",
        ),
        pytest.param(
            ("정원을 가꾸기", "정원의 꽃", "고양이", "고양이 사진"),
            [["정원"], ["정원"], ["고양이"], ["고양이"]],
            id="Korean endings are told by another one",
        ),
        pytest.param(
            ("windows软件推荐", "mac软件推荐"),
            [["windows", "软件推荐"], ["mac", "软件推荐"]],
            id="scripts are apart",
        ),
        pytest.param(
            ("中文学习法", "中文学习", "文学", "学习法与文学", "中文"),
            [["中文", "中文学习"], ["中文", "中文学习"], ["文学"], ["学习法", "文学"], ["中文"]],
            id="no word stands across the end of another",
        ),
    ],
)
def test_words_are_what_stands_whole_somewhere(
    titles: tuple[str, ...], expected: list[list[str]]
) -> None:
    assert terms_of(*titles) == expected


def test_a_tag_is_a_word_in_titles() -> None:
    assert terms_of("我看反向链接", tags=("反向链接",)) == [["反向链接"]]
    assert terms_of("我看反向链接") == [[]]


def test_names_are_folders_and_dates_only_when_there_is_nothing_better() -> None:
    ring = [(node, (node + step) % 4) for node in range(4) for step in (1, 2)]
    graph = graph_of(12, [(a + at, b + at) for a, b in ring for at in (0, 4, 8)])
    titles = ["2023-02-08", "数字仓鼠", "Well made", "One"]
    titles += ["2023-02-09", "Ship", "Ship yard", "Dock"]
    titles += [f"2023-03-{day:02}" for day in range(4)]
    graph = replace(
        graph,
        titles=titles,
        paths=[f"cards/{node:02}.md" for node in range(12)],
        categories=["Cards"] * 12,
    )
    ids = np.repeat([1, 2, 3], 4)

    names = {each.id: each.name for each in describe(graph, weights_of(graph), ids, {})}

    assert names == {1: "数字仓鼠", 2: "ship", 3: "cards"}


def test_a_name_of_words_that_no_note_has_any_more_is_given_up() -> None:
    graph = replace(graph_of(3, [(0, 1), (1, 2)]), titles=["快捷键", "快捷键列表", "改快捷键"])
    ids = np.ones(3, np.int64)
    last = {1: ("快捷键, 捷键", ("快捷键", "捷键"))}

    (found,) = describe(graph, weights_of(graph), ids, last)

    assert (found.name, found.terms) == ("快捷键", ("快捷键",))


@pytest.mark.parametrize(
    ("title", "expected"),
    [("2023-02-08", True), ("2023年2月8日", True), ("2023-W05", True), ("Trip 2023", False)],
)
def test_a_date_is_told_from_a_title(title: str, expected: bool) -> None:
    assert is_dated(title) is expected


def test_aliases_name_a_community(vault_of: VaultOf) -> None:
    names = "abc"
    vault = vault_of(
        {
            f"{name}.md": f"---\naliases: [双向链接{at}]\n---\n[[{names[at - 1]}]]"
            for at, name in enumerate(names)
        }
    )

    (found,) = vault.graph.communities().communities

    assert found.name == "双向链接"
