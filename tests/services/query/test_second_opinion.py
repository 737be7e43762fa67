"""The embedding may raise the keyword factor, a little, and nothing else."""

from collections.abc import Sequence

import numpy as np
import pytest

from services.embeddings import BundledEmbedder, Calibration, Vectors
from services.query import understand
from services.query.phrasings import ANALYTIC
from services.query.second_opinion import SecondOpinion, masked


class Leaning:
    """Puts comparison at one axis and plain phrasings at another, a question between them."""

    fingerprint = "leaning"
    dimension = 3
    max_tokens = 100
    calibration = Calibration(low=0.2, high=0.6)

    def __init__(self, nearer: float) -> None:
        self._nearer = nearer
        self.calls = 0

    def count_tokens(self, text: str) -> int:
        return len(text.split())

    def embed_query(self, text: str) -> Vectors:
        self.calls += 1
        if text in ANALYTIC["comparison"]:
            return np.array([1, 0, 0], dtype=np.float32)
        if any(text in phrasings for phrasings in ANALYTIC.values()):
            return np.array([0, 0, 1], dtype=np.float32)
        if "?" in text and len(text) > 30:
            return np.array([0.5 + self._nearer, 0.5, 0], dtype=np.float32)
        return np.array([0, 1, 0], dtype=np.float32)

    def embed_passages(self, texts: Sequence[str], on_progress: object = None) -> Vectors:
        raise AssertionError("a question is compared with questions")


QUESTION = understand("Muss der Betreiber der Anlage den Schaden melden?")


@pytest.mark.parametrize(
    ("nearer", "factor"),
    [(-0.3, 0.0), (0.0, 0.0), (0.02, 0.0), (0.03, 0.25), (0.06, 0.5), (0.4, 0.5)],
)
def test_raises_by_at_most_two_keywords(nearer: float, factor: float) -> None:
    rules = QUESTION.complexity
    raised = SecondOpinion(Leaning(nearer))(QUESTION).complexity
    assert raised.factors.keyword_matches == rules.factors.keyword_matches + factor
    assert raised.factors.model_dump(exclude={"keyword_matches"}) == rules.factors.model_dump(
        exclude={"keyword_matches"}
    )
    assert raised.score == pytest.approx(rules.score + 0.2 * factor)
    assert (raised == rules) == (factor == 0.0)


def test_the_factor_stays_within_one() -> None:
    many = understand("Warum vergleichen: Folgen, Vorteile, Nachteile und Unterschiede der beiden?")
    assert many.complexity.factors.keyword_matches == 1.0
    assert SecondOpinion(Leaning(0.4))(many).complexity == many.complexity


def test_floors_and_ambiguity_stay() -> None:
    stored = understand("Wie viele Dokumente sind in der Datenbank gespeichert?")
    assert SecondOpinion(Leaning(0.4))(stored).complexity.score == 0.75
    unclear = understand("Ist es dies oder das oder doch etwas ganz anderes?")
    assert unclear.complexity.level == "ambiguous"
    assert SecondOpinion(Leaning(0.4))(unclear).complexity.level == "ambiguous"


def test_thresholds_decide_the_level() -> None:
    opinion = SecondOpinion(Leaning(0.4))
    assert opinion(QUESTION).complexity.level == "simple"
    assert opinion(QUESTION, enhanced=0.05, agent=0.1).complexity.level == "complex"


def test_examples_are_embedded_once() -> None:
    embedder = Leaning(0.1)
    opinion = SecondOpinion(embedder)
    opinion(QUESTION)
    first = embedder.calls
    opinion(QUESTION)
    assert embedder.calls == first + 1


def test_what_a_question_is_about_is_hidden() -> None:
    known = understand("Worin unterscheiden sich Anzeige und Genehmigung?")
    assert masked(known) == "Worin unterscheiden sich X und Y?"


def test_the_bundled_model_catches_rephrasings() -> None:
    opinion = SecondOpinion(BundledEmbedder())
    rephrased = understand("En quoi le bail commercial et le bail rural divergent-ils ?")
    assert rephrased.complexity.factors.keyword_matches == 0.0
    found = opinion(rephrased)
    assert found.kind == "comparison"
    assert found.complexity.score > rephrased.complexity.score
    for plain in (
        "Wann endet der Mietvertrag mit der Firma Nordtec?",
        "How high is the deposit for the warehouse?",
        "¿Quién firmó el contrato de obra?",
    ):
        assert opinion(understand(plain)).complexity == understand(plain).complexity
