"""Which way and depth a question takes: pure functions of what is known of it."""

import pytest

from agent.ask.models import AskOptions
from agent.ask.route import LONGEST_UNASKED_S, choose_route
from services.language.query import understand
from services.language.query.values import ScanWish
from services.library.thresholds import adapted
from services.locale import sentence

AUTO = AskOptions()
THRESHOLDS = adapted(())
QUESTION = understand("Welcher Grenzwert gilt für Beschäftigte?")


@pytest.mark.parametrize(
    ("score", "by_score", "depth"),
    [
        (0.0, "fast", "fast"),
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
    slow, bound = LONGEST_UNASKED_S + 1, LONGEST_UNASKED_S
    route = choose_route(QUESTION, 0.7, AUTO, THRESHOLDS, agent_s=slow)
    assert (route.by_score, route.depth) == ("agent", "enhanced")
    assert route.deeper == ("structured", "agent") and "about 60 s" in str(route.reason)
    assert "Der Agent braucht mit diesem Sprachmodell meist etwa 60 s" in sentence(
        route.reason, "de"
    )
    assert choose_route(QUESTION, 0.7, AUTO, THRESHOLDS, agent_s=bound).depth == "agent"
    forced = AskOptions(depth="agent")
    assert choose_route(QUESTION, 0.1, forced, THRESHOLDS, agent_s=slow).depth == "agent"
    assert choose_route(QUESTION, 0.4, AUTO, THRESHOLDS, agent_s=slow).deeper == ()


@pytest.mark.parametrize("depth", ["fast", "enhanced", "agent"])
def test_a_person_decides_before_the_score(depth: str) -> None:
    options = AskOptions.model_validate({"depth": depth})
    for score in (0.0, 1.0):
        route = choose_route(QUESTION, score, options, THRESHOLDS, agent_s=10.0)
        assert (route.depth, str(route.reason)) == (depth, "chosen by the person who asks")


def test_the_catalog_and_all_texts_answer_whatever_the_depth() -> None:
    about = QUESTION.model_copy(update={"about_database": True})
    wish = ScanWish(unit="section", term="Lärm")
    counting = QUESTION.model_copy(update={"scan": wish})
    meaning = QUESTION.model_copy(update={"scan": wish.model_copy(update={"term": None})})
    ways = [
        choose_route(each, 0.9, AUTO, THRESHOLDS, agent_s=10.0).way
        for each in (about, counting, meaning)
    ]
    assert ways == ["catalog", "scan", "search"]
    assert choose_route(counting, 0.9, AUTO, THRESHOLDS, agent_s=10.0).depth == "fast"
