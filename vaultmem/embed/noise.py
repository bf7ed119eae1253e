"""The cosine that unrelated texts reach with a model, for models that nobody has measured here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from vaultmem.embed.protocol import Embedder

__all__ = ["measured_noise"]

PERCENTILE: Final = 99

# Questions and passages of which no two have to do with each other.
QUESTIONS: Final = (
    "When does the night train to the coast leave?",
    "How long should bread dough rest before it is baked?",
    "Who repaired the church organ after the fire?",
    "What is the difference between a mutex and a semaphore?",
    "Which vaccine is given to calves in their first month?",
    "Why did the orchestra change its conductor in spring?",
    "How are tax returns filed by a married couple?",
    "What makes a glacier move down its valley?",
    "Where can I hire a bicycle near the harbour?",
    "How do I reset the password of the router?",
    "What did the council decide about the new playground?",
    "Which mushrooms grow under birch trees?",
    "How far is it to the nearest star?",
    "What was agreed in the call with the printer?",
    "How is the knee strengthened after an operation?",
    "Which paint holds on old window frames?",
)
PASSAGES: Final = (
    "The tide gauge in the bay was read twice a day until the storm took it away in November.",
    "Invoices are sent on the first working day of a month; a reminder follows after three weeks.",
    "Cut the onions finely, let them soften in butter, and add the rice only when they are clear.",
    "The parser keeps a stack of open brackets and reports the first one that is never closed.",
    "Her grandmother had come over the mountains with two goats and a sewing machine.",
    "A violin string sounds higher the shorter, thinner and tighter it is.",
    "The lease ends in June, with a notice of three months for both sides.",
    "Storm petrels come to land only at night and nest in crevices between boulders.",
    "In the second half they pressed higher, and the goal came from a corner kick.",
    "Insulin lets sugar pass from the blood into the cells of muscle and fat.",
    "The glaze cracked because the kiln was opened while the pots were still hot.",
    "Voters over seventy were the only group in which turnout fell.",
    "The meeting moved to Thursday; Ana brings the drawings of the second floor.",
    "Granite weathers along its joints until rounded blocks are left standing.",
    "Our flight was cancelled, so we spent the night in a hotel by the airport.",
    "The moons of Jupiter were drawn night after night in the winter of 1610.",
)


def measured_noise(embedder: Embedder) -> float:
    """The cosine below which ``PERCENTILE`` in 100 pairs of such a question and passage stay."""
    import numpy as np

    questions = np.array([embedder.embed_query(text) for text in QUESTIONS])
    cosines = questions @ embedder.embed_documents(PASSAGES).T
    return round(float(np.percentile(cosines, PERCENTILE)), 4)
