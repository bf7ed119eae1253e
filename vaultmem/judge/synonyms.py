"""Everyday words of the same meaning, in nearly all of their uses. Pure.

A word that stands for another of its line rewords a claim; one that stands for any other changes it. So a line holds
only what may be exchanged without a look at the rest: no kinds of a thing (*walk*, *march*), no degrees, no opposites.
"""

from __future__ import annotations

from typing import Final

SYNONYMS: Final = (
    # what is done
    "check examine inspect", "describe explain", "argue claim", "wish want", "enjoy like", "stroll walk", "talk speech lecture", "assemble compose",
    "gather collect", "mend repair", "swap exchange", "merge combine unite", "split divide", "join attend", "look appear seem", "happen occur",
    "try attempt test", "finish complete", "permit let", "reach attain achieve", "throw toss", "carry transport", "send forward dispatch", "notify inform",
    "request demand", "suggest propose recommend", "decide determine", "refuse decline", "fasten attach", "loosen release", "vanish disappear", "arrive come",
    "depart leave", "return revert", "hurry rush", "rest pause", "recall remember recollect", "study learn", "teach instruct", "gain win", "pull draw tug",
    "push press", "grab seize", "hide conceal", "reveal disclose", "guard protect", "harm damage", "hurt injure", "clean cleanse", "cover wrap", "lift raise",
    "spin rotate", "shine glow", "flash blink", "cry weep", "yell shout", "chat converse", "phone call ring", "note record", "enlarge expand extend",
    "shorten abbreviate", "sort order arrange", "count matter", "rely depend", "worry fret", "endure bear", "spare save", "track trace", "link connect",
    "cause provoke trigger", "avoid evade", "solve resolve", "clarify illuminate", "mix blend", "heat warm", "chill cool", "fill stuff", "own possess",
    "stay remain", "wait hold", "watch observe", "discover find", "check confirm verify", "postpone delay defer", "cancel annul", "hire recruit", "rent lease",
    # how it is
    "damp moist", "quiet calm still", "long lengthy", "short brief", "wide broad", "narrow slim", "rich wealthy", "sick ill", "glad happy", "angry furious",
    "odd strange peculiar", "clever smart", "silly foolish", "brave courageous", "famous renowned", "entire whole", "main chief principal primary",
    "former old previous", "current present", "modern contemporary", "ordinary common usual", "shared common joint", "rare scarce", "simple plain",
    "exact precise accurate", "correct accurate", "false untrue", "evident obvious clear", "vague unclear", "sharp keen", "blunt dull", "tidy neat", "filthy dirty",
    "silent noiseless", "enough sufficient", "extra spare additional", "single sole", "necessary essential", "useful helpful handy", "awful terrible",
    "wonderful marvellous", "pretty beautiful lovely", "costly expensive", "cheap inexpensive", "robust sturdy", "delicate fragile", "suitable appropriate fitting",
    "annual yearly", "lawful legal", "deadly lethal", "steady constant", "sudden abrupt", "complicated complex", "possible feasible",
    # adverbs and little words
    "slowly gradually", "quickly rapidly swiftly fast", "gently carefully", "badly poorly", "soon shortly", "simultaneously together", "otherwise else", "finally eventually",
    "suddenly abruptly", "afterwards later", "nearby close", "everywhere throughout", "again anew", "instead rather", "besides moreover furthermore", "hence therefore",
    "actually really", "directly immediately straight", "separately apart", "together jointly",
    # what it is
    "trouble problem difficulty", "step stage phase", "effort work", "trip journey visit", "habit routine", "group circle team", "error mistake", "part piece portion",
    "amount quantity", "sort kind type", "place spot location", "edge border rim", "middle centre center", "top summit", "bottom base", "purpose aim intention",
    "outcome result", "benefit advantage", "drawback disadvantage", "chance opportunity", "danger hazard peril", "rule regulation", "duty obligation", "pay salary wage",
    "price cost", "gift present", "prize award", "meal dish", "contest competition", "talk conversation", "argument quarrel", "fight battle", "dread fear",
    "story tale", "poem verse", "list catalogue", "sum total", "fix remedy cure", "clue hint", "proof evidence", "opinion view", "notion idea", "plan scheme",
    "law statute", "land ground", "soil earth", "path track trail", "garbage rubbish trash", "fall autumn", "film movie", "timetable schedule", "diary journal",
    "aircraft aeroplane airplane", "attorney lawyer", "physician doctor", "infant baby", "teenager adolescent", "guest visitor", "buddy friend", "enemy foe",
    "village hamlet", "dwelling residence", "flat apartment", "lift elevator", "luggage baggage", "snack bite", "rope cord", "record note", "grounds basis",
    "routine procedure", "gathering meeting", "region area", "border frontier", "era age", "dusk twilight", "dawn daybreak", "cupboard cabinet", "home house",
)  # fmt: skip
"""Lines of them."""
