"""What is known of a question before a search, beside the examples of test_examples.py."""

from datetime import date

import pytest

from services.language.query.dates import date_range
from services.language.query.entities import entities, search_term
from services.language.query.heads import reader_for
from services.language.query.language import detect_language
from services.language.query.understand import subquestions, understand
from services.language.query.values import DateRange
from tests.support.desk import READER
from tests.support.fakes_retrieval import HashEmbedder


def test_everything_in_one_value() -> None:
    found = understand(
        "Worin unterscheiden sich § 17 und § 19 StrlSchG seit 2018, und wer ist zuständig?"
    )
    assert (found.language, found.classification.type) == ("de", "comparative")
    assert {"§ 17", "§ 19", "StrlSchG"} <= set(found.classification.entities)
    assert found.subquestions == (found.question,)
    assert found.dates is not None and found.dates.since is not None
    assert found.scan is None and not found.about_database
    assert found.complexity.level in ("moderate", "complex")


def test_a_question_about_the_store_is_no_scan() -> None:
    for question, reader in (
        ("How many documents are there?", None),
        ("How many documents are in this collection?", READER),
    ):
        found = understand(question, reader=reader)
        assert found.about_database and found.scan is None


@pytest.mark.parametrize(
    "question",
    [
        "Where does the word algebra come from?",
        "how did the tea party get its name",
        "Wie hieß die erste Zeitung der Stadt?",
        "Was bedeutet der Begriff Entropie?",
        "How many goals did the striker score in 1998?",
    ],
)
def test_what_a_passage_answers_is_no_count_of_words(question: str) -> None:
    assert not ((scan := understand(question, reader=READER).scan) and scan.sure)


def test_a_comparison_is_one_part_and_gets_depth_for_what_it_asks() -> None:
    found = understand("Was unterscheidet die Zulassung von der Meldung beim Betrieb einer Anlage?")
    assert found.subquestions == (found.question,)
    assert "asks 3 questions" in found.complexity.reasons and found.complexity.score >= 0.35


def test_a_question_that_depends_on_the_one_before_stays_with_it() -> None:
    question = "Was kostet der Ausweis? Wie lange gilt er? Wer zahlt die Verpflegung?"
    first, second = understand(question, reader=READER).subquestions
    assert first == "Was kostet der Ausweis? Wie lange gilt er?"
    assert second == "Wer zahlt die Verpflegung?"
    assert subquestions("Was kostet der Ausweis? Und wann?", "de") == (
        "Was kostet der Ausweis? Und wann?",
    )


def test_what_is_known_is_an_entity_and_they_are_not_too_many() -> None:
    question, known = "what does the safety handbook say on radon?", ("Safety Handbook", "Radon")
    assert entities(question, "en", known_names=known) == ("safety handbook", "radon")
    assert len(entities(" ".join(f"§ {n}" for n in range(1, 40)), "de")) == 12
    assert len(subquestions("\n".join(f"- Was ist {n}?" for n in range(30)), "de")) == 8


@pytest.mark.parametrize("name", ["Großfeuerungsanlagenverordnung", "Satzung"])
@pytest.mark.parametrize("before", ["Gilt hier die", "Wer hat in İzmit mit Fuß die"])
def test_a_known_name_is_found_whatever_its_letters_fold_into(name: str, before: str) -> None:
    assert name.lower() in entities(f"{before} {name.lower()}?", "de", known_names=[name])


@pytest.mark.parametrize(
    ("words", "since", "until"),
    [
        ("in den Jahren 2018 bis 2020", 2018, 2020),
        ("in den Jahren 2018 und 2020", 2018, 2020),
        ("in 2018 and 2019", 2018, 2019),
        ("2018-2020", 2018, 2020),
        ("after 2018 until 2020", 2019, 2020),
        ("the 2018 and 2019 reports", None, None),
        ("not before 2018", 2018, None),
        ("no earlier than 2018", 2018, None),
        ("nicht nach 2018", None, 2018),
        ("no later than 2018", None, 2018),
        ("not later than 2018", None, 2018),
        ("later than 2018", 2019, None),
        ("before 2018", None, 2017),
    ],
)
def test_years_of_a_question(words: str, since: int | None, until: int | None) -> None:
    found = date_range(f"What applied {words}?", "en") or DateRange()
    assert found.since == (since and date(since, 1, 1))
    assert found.until == (until and date(until, 12, 31))


def test_names_of_documents_are_no_words_to_look_for() -> None:
    question = "How many sections of the Club Rules mention fireworks?"
    found = search_term(question, READER, known_names=("Club Rules",))
    assert found is not None and found.term == "fireworks"


def test_heads_are_for_their_own_embedding_alone() -> None:
    assert reader_for(HashEmbedder().fingerprint, HashEmbedder().embed_query) is None


def test_a_document_is_judged_by_its_prose() -> None:
    law = "§ 78 Grenzwerte\n(1) Der Grenzwert der effektiven Dosis beträgt 20 Millisievert.\n" * 200
    assert detect_language(law, "en") == "de"


def test_a_mark_that_was_read_wrongly_makes_no_text_spanish() -> None:
    wrong = "Die Behörde ¿ so steht es in dem Gesetz ¿ ist für die Abgabe nicht zuständig."
    assert detect_language(wrong, "en") == "de"
    assert detect_language("¿Plazo máximo?", "en") == "es"
