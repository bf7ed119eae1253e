"""Words of other languages than English that say next to nothing in a query, and how it is told that they are meant so.

Such a word may be a good one in another language (*die*, *dans*, *para*), so a list holds only for a query that is
plainly in its language.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

FEWEST: Final = 2
"""Different words of a language's list that a query must have before the list holds."""

STOP_WORDS: Final[Mapping[str, frozenset[str]]] = {
    language: frozenset(words.split())
    for language, words in {
        "de": "aber als am an auch auf aus bei bin bis da das dass dein dem den der des die diese dieser dieses doch du ein "
        "eine einem einen einer eines er es fur habe haben hat hatte ich ihr im in ist ja kann kein keine man mein meine mich "
        "mir mit nach nicht noch nur oder schon sein seine sich sie sind so uber um und uns unser vom von vor war waren warum "
        "was wann welche welcher welches wenn wer wie wir wird wo wurde wurden zu zum zur",
        "fr": "a ai au aux avec avait avons c ce ces cet cette comment d dans de des du elle elles en est et etait ete il ils "
        "j je l la le les leur lui m ma mais me mes mon n ne nos notre nous on ont ou par pas plus pour pourquoi qu quand que "
        "quel quelle quelles quels qui quoi s sa sans se ses son sont sur t ta te tes toi ton tu un une vos votre vous y",
        "es": "a al con como cual cuales cuando de del donde e el ella ellos en era eran es esta este esto fue fueron ha han "
        "hay la las le les lo los me mi mis mas muy no nos nuestra nuestro o para pero por porque que quien quienes se ser si "
        "sin sobre son su sus te tu tus un una unos unas y ya yo",
        "it": "a ad al alla alle anche che chi ci come con cosa da dal dalla de dei del della delle di dove e ed era gli ha "
        "hanno ho i il in io la le lo ma mi nel nella noi non o per perche piu quale quali quando quanto questa questo se si "
        "sono su sua sul sulla suo tra tu un una uno",
        "pt": "a ao aos as com como da das de do dos e ela ele em era essa esse esta este eu foi foram ha isso ja mais mas me "
        "meu minha na nao nas no nos o onde os ou para pela pelo por porque qual quais quando que quem se sem ser seu sua sao "
        "tem um uma",
        "nl": "aan als bij dat de deze die dit door een en er had heb hebben heeft het hij hoe ik in is je kan maar met mij "
        "mijn naar niet nog nu of om onze ons ook op over te toen tot u uit van voor waar waarom wanneer was wat we welke wie "
        "wij ze zij zijn zo",
        "sv": "att av bade blev de dem den det denna dig din du eller en ett for fran ha hade han har hon hur i inte jag kan "
        "man med men mig min nar ni nu och om pa sa sig sin ska som till under upp ut vad var varfor vem vi vid vilka vilken",
    }.items()
}
"""Folded, by language."""


def stop_words_of(words: Iterable[str], english: frozenset[str]) -> frozenset[str]:
    """The list of the language that most of the folded words are stop words of; empty unless there are ``FEWEST``, and
    more of them than of the English ones.

    >>> sorted(stop_words_of("wann war die sitzung".split(), frozenset({"was"})) & {"wann", "war", "die"})
    ['die', 'wann', 'war']
    >>> stop_words_of(["die", "hard"], frozenset())
    frozenset()
    """
    asked = set(words)
    counts = Counter({language: len(asked & known) for language, known in STOP_WORDS.items()})
    language, count = counts.most_common(1)[0]
    if count < FEWEST or count <= len(asked & english):
        return frozenset()
    return STOP_WORDS[language]
