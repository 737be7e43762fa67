"""What becomes of a question before it is answered: it is completed, and a way is chosen."""

import pytest

from agent.ask.models import AskOptions, PastTurn
from agent.ask.route import (
    MAX_AUTO_SECONDS,
    choose_route,
    completed,
    names_of,
    needs_conversation,
    resolves,
)
from services.language.query import understand
from services.language.query.values import CountRequest
from services.library.thresholds import adapted
from services.locale import sentence
from tests.support.desk import READER

AUTO = AskOptions()
THRESHOLDS = adapted(())
QUESTION = understand("Welcher Grenzwert gilt für Beschäftigte?")


def turn(question: str, answer: str) -> PastTurn:
    return PastTurn(question=question, names=names_of(question, "de"), answer=answer)


LIMIT = turn("Welcher Grenzwert gilt für beruflich exponierte Personen?", "Im Jahr 20 mSv.")


@pytest.mark.parametrize("reader", [READER, None])
def test_an_ellipsis_needs_the_conversation_where_there_is_one(reader: object) -> None:
    ellipsis, whole = "und für Jugendliche?", "Wann ist eine Quelle umschlossen und geprüft?"
    assert needs_conversation(ellipsis, [LIMIT], "de", reader)  # type: ignore[arg-type]
    assert not needs_conversation(ellipsis, [], "de", reader)  # type: ignore[arg-type]
    assert not needs_conversation(whole, [LIMIT], "de", reader)  # type: ignore[arg-type]


def test_an_ellipsis_takes_over_what_the_turn_before_was_about() -> None:
    whole = completed("und für Jugendliche?", [LIMIT], "de")
    assert whole.by == "rules"
    assert whole.question == "und für Jugendliche? (Grenzwert, beruflich exponierte Personen, Jahr)"
    past = [turn("Welche Bereiche?", "Überwachungsbereich, Kontrollbereich und Sperrbereich.")]
    assert "Kontrollbereich" in completed("Was gilt im zweiten?", past, "de").question
    long = f"Und wenn {'die Stelle dies anders sieht und ' * 20}nichts sagt?"
    assert completed(long, past, "de").question == long, "nothing of it is lost"


@pytest.mark.parametrize(
    ("whole", "enough"),
    [
        ("Welcher Grenzwert gilt für Jugendliche?", True),  # an ellipsis replaces the persons
        ("Welcher Dosisgrenzwert gilt für Jugendliche?", True),
        ("Gilt das Jahr für Jugendliche?", False),
    ],
)
def test_a_model_must_say_half_of_what_the_turn_before_was_about(whole: str, enough: bool) -> None:
    assert resolves(whole, LIMIT, "de") is enough


@pytest.mark.parametrize(
    ("score", "by_score", "depth"),
    [
        (0.3499, "fast", "fast"),
        (0.35, "enhanced", "enhanced"),
        (0.5499, "enhanced", "enhanced"),
        (0.25 + 0.15 + 0.15, "agent", "enhanced"),
        (1.0, "agent", "enhanced"),
    ],
)
def test_the_score_decides_and_without_a_model_nobody_thinks(
    score: float, by_score: str, depth: str
) -> None:
    route = choose_route(QUESTION, score, AUTO, THRESHOLDS, agent_s=None)
    assert (route.way, route.by_score, route.depth) == ("search", by_score, depth)
    assert ("needs a language model" in str(route.reason)) is (by_score == "agent")
    thinking = choose_route(QUESTION, score, AUTO, THRESHOLDS, agent_s=10.0)
    assert thinking.depth == thinking.by_score == by_score


def test_a_slow_model_thinks_only_where_the_person_says_so() -> None:
    slow, bound = MAX_AUTO_SECONDS + 1, MAX_AUTO_SECONDS
    route = choose_route(QUESTION, 0.7, AUTO, THRESHOLDS, agent_s=slow)
    assert (route.by_score, route.depth) == ("agent", "enhanced")
    assert route.deeper == ("structured", "agent") and "about 60 s" in str(route.reason)
    german = "Der Agent braucht mit diesem Sprachmodell meist etwa 60 s"
    assert german in sentence(route.reason, "de")
    assert choose_route(QUESTION, 0.7, AUTO, THRESHOLDS, agent_s=bound).depth == "agent"
    forced = AskOptions(depth="agent")
    assert choose_route(QUESTION, 0.1, forced, THRESHOLDS, agent_s=slow).depth == "agent"
    assert choose_route(QUESTION, 0.4, AUTO, THRESHOLDS, agent_s=slow).deeper == ()


@pytest.mark.parametrize("depth", ["fast", "enhanced", "agent"])
def test_a_person_decides_before_the_score(depth: str) -> None:
    options = AskOptions.model_validate({"depth": depth})
    for score in (0.0, 1.0):
        route = choose_route(QUESTION, score, options, THRESHOLDS, agent_s=10.0)
        assert (route.depth, str(route.reason)) == (depth, "chosen by the user")


def test_the_catalog_and_all_texts_answer_whatever_the_depth() -> None:
    wish = CountRequest(unit="section", term="Lärm")
    questions = {
        "catalog": QUESTION.model_copy(update={"about_database": True}),
        "scan": QUESTION.model_copy(update={"scan": wish}),
        "search": QUESTION.model_copy(update={"scan": wish.model_copy(update={"term": None})}),
    }
    for way, known in questions.items():
        route = choose_route(known, 0.9, AUTO, THRESHOLDS, agent_s=10.0)
        assert (route.way, route.depth) == (way, "agent" if way == "search" else "fast")
