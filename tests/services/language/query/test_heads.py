"""What the heads read off questions that they were not fitted to."""

import pytest

from services.language.query import understand
from services.language.query.entities import search_term
from services.language.query.heads import reader_for
from tests.support.desk import READER
from tests.support.fakes_retrieval import HashEmbedder


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("How does the warranty for batteries differ from the one for chargers?", "comparative"),
        ("Weshalb hat der Verein den Antrag abgelehnt?", "analytical"),
        ("How do I descale the coffee machine?", "procedural"),
        ("Wie hoch ist der Mitgliedsbeitrag?", "factual"),
        ("Give me an overview of the warranty terms", "exploratory"),
        ("Qual è la differenza tra il vecchio e il nuovo contratto?", "comparative"),
        ("", "unknown"),
    ],
)
def test_types(question: str, kind: str) -> None:
    assert understand(question, reader=READER).classification.type == kind


@pytest.mark.parametrize(
    ("question", "term"),
    [
        ("In wie vielen Paragraphen steht das Wort Rasenmäher?", "Rasenmäher"),
        ("Which sections mention fireworks?", "fireworks"),
        ("In wie vielen Klauseln steht „grobe Fahrlässigkeit“?", "grobe Fahrlässigkeit"),
    ],
)
def test_a_word_to_look_for(question: str, term: str) -> None:
    scan = understand(question, reader=READER).scan
    assert scan is not None and scan.term == term


def test_names_of_documents_are_no_words_to_look_for() -> None:
    question = "How many sections of the Club Rules mention fireworks?"
    assert search_term(question, READER, known=("Club Rules",)) == "fireworks"


@pytest.mark.parametrize(
    "question",
    [
        "Wie oft muss der Feuerlöscher geprüft werden?",
        "How long are the recordings of the cameras stored?",
        "Which documents do I need for the visa?",
        "How many members left the club?",
    ],
)
def test_a_fact_is_neither_scanned_for_nor_asked_of_the_catalog(question: str) -> None:
    found = understand(question, reader=READER)
    assert not found.about_database and found.scan is None


def test_a_question_about_the_store_is_no_scan() -> None:
    found = understand("How many documents are in this collection?", reader=READER)
    assert found.about_database and found.scan is None


@pytest.mark.parametrize(
    ("before", "question", "needs"),
    [
        ("Who empties the letter box?", "And on Sundays?", True),
        ("Wer leert den Briefkasten?", "Wie oft macht er das?", True),
        ("Who empties the letter box?", "Which paint is used for the fence of the yard?", False),
        ("Wer leert den Briefkasten?", "Ich habe meinen Ausweis verloren. Was nun?", False),
    ],
)
def test_what_leans_on_the_question_before(before: str, question: str, needs: bool) -> None:
    assert READER.follows(question, before) is needs


def test_heads_are_for_their_own_embedding_alone() -> None:
    assert reader_for(HashEmbedder().fingerprint, HashEmbedder().embed_query) is None
