"""What search makes of other forms, neighbours, relations and twins, and how it tells."""

from __future__ import annotations

import pytest

from tests.conftest import VaultOf
from vaultmem.errors import UsageError
from vaultmem.search.model import Lane
from vaultmem.search.profile import DEFAULT
from vaultmem.search.stages import STAGES
from vaultmem.settings import EmbedSettings, Settings
from vaultmem.vault import Vault

MEANING = Settings(embed=EmbedSettings(model="static"))
LONG = " ".join(f"word{number}" for number in range(60))


def paths(vault: Vault, query: str, **options: object) -> list[str]:
    return [hit.path for hit in vault.search(query, **options).hits]  # type: ignore[arg-type]


def test_another_form_of_a_word_is_found_behind_the_word_itself(vault_of: VaultOf) -> None:
    vault = vault_of({"a.md": "Two seals slept.", "b.md": "One seal slept.", "c.md": "A kettle."})

    assert paths(vault, "seal", lanes=[Lane.KEYWORD]) == ["b.md", "a.md"]
    assert paths(vault, "seals", lanes=[Lane.KEYWORD]) == ["a.md", "b.md"]


def test_a_form_that_came_with_an_edit_is_found(vault_of: VaultOf) -> None:
    vault = vault_of({"a.md": "A kettle."})
    vault.sync()
    (vault.root / "b.md").write_text("They were sealing the jars.", encoding="utf-8")

    assert paths(vault, "seal", lanes=[Lane.KEYWORD]) == ["b.md"]
    assert vault.verify().identical


@pytest.mark.parametrize("query", ["the who", "what is it", "to be or not to be"])
def test_a_query_of_stop_words_alone_still_answers(vault_of: VaultOf, query: str) -> None:
    vault = vault_of({"a.md": "The Who: what is it, to be or not to be?", "b.md": "A kettle."})

    assert paths(vault, query)[0] == "a.md"


def test_stop_words_find_nothing_beside_other_words(vault_of: VaultOf) -> None:
    vault = vault_of({"a.md": "What is the tide?", "b.md": "What is the matter with it?"})

    assert paths(vault, "what is the tide", lanes=[Lane.KEYWORD]) == ["a.md"]


def test_an_answer_is_found_by_the_question_before_it(vault_of: VaultOf) -> None:
    """Given a talk in turns, when one asks what was asked there, then the turn behind the question stands before turns
    farther off."""
    turns = ("Have you fed the heron?", "Yes, at six.", "Good night.", "Sleep well.", "Bye.")
    text = "".join(f"## Turn {i}\n\n{turn}\n\n" for i, turn in enumerate(turns))
    facts, _ = vault_of({"Talk.md": text}).retrieve_with_trace("heron", limit=3)

    assert [fact.heading_path[-1] for fact in facts] == ["Turn 0", "Turn 1", "Turn 2"]


def test_a_word_near_in_meaning_finds_what_uses_another(vault_of: VaultOf) -> None:
    files: dict[str, str | bytes] = {f"{i}.md": f"Entry {i} of the log: calm." for i in range(40)}
    files["Ines.md"] = "The doctor came by boat."
    vault = vault_of(files, settings=MEANING)
    vault.rebuild()

    [hit] = vault.search("physician", lanes=[Lane.BRIDGE]).hits

    assert (hit.path, [rank.lane for rank in hit.lanes]) == ("Ines.md", [Lane.BRIDGE])


def test_a_superseded_note_answers_through_its_successor(vault_of: VaultOf) -> None:
    vault = vault_of(
        {
            "Old.md": '---\nsuperseded_by: "[[New]]"\n---\nThe gauge offset is 7.161.',
            "New.md": "The gauge was set anew.",
            "Older.md": "The gauge offset was never written down.",
            "Newest.md": '---\nsupersedes: "[[Older]]"\n---\nNothing of it here.',
        }
    )

    found = [(hit.path, hit.stands_for) for hit in vault.search("gauge offset").hits]

    assert sorted(found) == [("New.md", "Old.md"), ("Newest.md", "Older.md")]


def test_a_ring_of_notes_that_supersede_each_other_stays_as_it_is(vault_of: VaultOf) -> None:
    vault = vault_of(
        {
            "a.md": '---\nsuperseded_by: "[[b]]"\n---\nheron',
            "b.md": '---\nsuperseded_by: "[[a]]"\n---\nheron',
        }
    )

    assert sorted(paths(vault, "heron")) == ["a.md", "b.md"]


def test_a_stale_note_says_so(vault_of: VaultOf) -> None:
    vault = vault_of({"a.md": "---\nstale: true\n---\nheron", "b.md": "a heron and a kettle"})

    assert {hit.path: hit.stale for hit in vault.search("heron").hits} == {
        "a.md": True,
        "b.md": False,
    }


def test_notes_that_say_the_same_are_one_hit(vault_of: VaultOf) -> None:
    vault = vault_of({"a.md": f"heron {LONG}", "b.md": f"heron {LONG}", "c.md": "a heron"})

    hits = vault.search("heron word7").hits

    assert [(hit.path, hit.also) for hit in hits] == [("a.md", ("b.md",)), ("c.md", ())]


def test_the_search_stays_in_the_folder_that_is_named(vault_of: VaultOf) -> None:
    files: dict[str, str | bytes] = {f"All/{i}.md": "heron heron" for i in range(150)}
    vault = vault_of(
        {**files, "Bay/a.md": "A heron.", "Bay/Deep/b.md": "heron", "Bayou/c.md": "heron"}
    )

    assert sorted(paths(vault, "heron", within="Bay")) == ["Bay/Deep/b.md", "Bay/a.md"]
    assert sorted(paths(vault, "hero", within="Bay")) == ["Bay/Deep/b.md", "Bay/a.md"]


def test_the_trace_tells_each_stage_and_what_was_left_out(vault_of: VaultOf) -> None:
    vault = vault_of({"a.md": "heron", "b.md": "heron " + "kettle " * 40, "c.md": "kettle"})

    trace = vault.search("heron", why=True).trace

    assert trace is not None
    assert [effect.stage for effect in trace.hits[0].stages] == ["fusion", *STAGES]
    assert [hit.path for hit in trace.hits] == ["a.md", "b.md"]
    assert (trace.profile, trace.relevant, trace.left_out) == ("default", True, ())
    classic = vault.search("heron kettle", why=True, profile="classic").trace
    assert classic is not None
    assert {left.by for left in classic.left_out} <= {"hard_min_score"}


def test_a_search_that_is_asked_why_answers_the_same(vault_of: VaultOf) -> None:
    vault = vault_of({"a.md": "heron", "b.md": "heron kettle"})

    assert vault.search("heron").hits == vault.search("heron", why=True).hits


def test_a_scored_fact_has_its_provenance(vault_of: VaultOf) -> None:
    text = "---\nsource: a talk\n---\n# Bay\n\n## Birds\n\n- The heron is grey. ^f-3k9x\n\n## Boats\n\nNone.\n"
    [fact], trace = vault_of({"Bay.md": text}).retrieve_with_trace("grey heron", limit=1)

    assert (fact.path, fact.heading_path, fact.line) == ("Bay.md", ("Bay", "Birds"), 5)
    assert (fact.block_ids, fact.fact_ids, fact.source) == (("f-3k9x",), ("f-3k9x",), "a talk")
    assert [hit.line for hit in trace.hits] == [5]


def test_a_profile_that_there_is_not(vault_of: VaultOf) -> None:
    with pytest.raises(UsageError) as caught:
        vault_of({"a.md": "x"}).search("x", profile="modern")

    assert "classic" in caught.value.hint


@pytest.mark.parametrize(
    "query", ["moon jellyfish", "Moon Jellyfish", "öhrenqualle", "Ohrenqualle"]
)
def test_who_types_a_title_or_an_alias_finds_that_note_first(vault_of: VaultOf, query: str) -> None:
    vault = vault_of(
        {
            "Moon jellyfish.md": "---\naliases: [Öhrenqualle]\n---\nSeen in May.",
            "Jelly log.md": "Moon jellyfish, moon jellyfish, Ohrenqualle: counted by the moon. "
            * 4,
        }
    )

    assert next(hit.path for hit in vault.search(query).hits) == "Moon jellyfish.md"


def test_a_model_that_has_not_learnt_a_script_has_next_to_no_say_on_it() -> None:
    for model in ("wordllama-l2-supercat-256/1", "all-minilm-l6-v2/1", "all-MiniLM-L6-v2-int8/1"):
        assert DEFAULT.trust_in(model, cjk=True).vector < 0.1 < DEFAULT.trust_in(model).vector
    learnt = "paraphrase-multilingual-MiniLM-L12-v2"
    assert DEFAULT.trust_in(learnt, cjk=True) == DEFAULT.trust_in(learnt)


def test_what_no_longer_holds_comes_behind_what_does(vault_of: VaultOf) -> None:
    vault = vault_of(
        {
            "Weir.md": "Reeds grow here.\n\n## Superseded\n\n- The weir passes 40 litres a second.\n",
            "Weir inspection.md": "Much else was seen that day.\n\nThe weir passes 55 litres a second.\n",
        }
    )

    hits = vault.search("how many litres a second pass the weir").hits

    assert [hit.path for hit in hits] == ["Weir inspection.md", "Weir.md"]
