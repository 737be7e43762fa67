"""What must be known, without a model: the parts of a question, a comparison's sides, the type."""

from datetime import date

import pytest

from services.language.query.understand import understand
from services.language.query.values import DateRange
from services.structured.decomposition import decomposed
from services.structured.fusion import WEIGHTS, strategy_weights
from services.structured.values import QuestionType
from tests.support.desk import READER


@pytest.mark.parametrize(
    ("question", "items"),
    [
        (
            "Wie hoch ist der Grenzwert für Lärm, und wie hoch ist die Körperschaftsteuer?",
            ("Wie hoch ist der Grenzwert für Lärm", "Wie hoch ist die Körperschaftsteuer"),
        ),
        ("Was ist ein Strahlenpass?", ("Was ist ein Strahlenpass",)),
    ],
)
def test_each_part_is_required_once(question: str, items: tuple[str, ...]) -> None:
    plan = decomposed(understand(question))
    assert plan.required_info == items and plan.by == "rules"
    assert {each.target_info for each in plan.sub_queries} == set(items)


def test_a_part_that_leans_is_searched_for_with_what_it_leans_on() -> None:
    plan = decomposed(understand("Was kostet der Ausweis und wie lange gilt er?", reader=READER))
    assert plan.required_info[1] == "Wie lange gilt er"
    assert plan.sub_queries[1].query == "Was kostet der Ausweis wie lange gilt er?"


def test_no_more_than_six_pieces_are_required() -> None:
    many = "\n".join(f"- Was ist ein Ding {letter * 5}?" for letter in "abcdefgh")
    assert len(decomposed(understand(many)).required_info) == 6


def test_dates_become_a_scope() -> None:
    plan = decomposed(understand("Was galt zwischen 2010 und 2015 für Radon?"))
    assert plan.dates == DateRange(since=date(2010, 1, 1), until=date(2015, 12, 31))


@pytest.mark.parametrize("kind", list(WEIGHTS))
def test_the_share_of_a_missing_graph_goes_to_the_others(kind: QuestionType) -> None:
    weights = strategy_weights(kind, ("vector", "keyword"))
    assert sum(weights.values()) == pytest.approx(1.0) and "graph" not in weights
    whole = strategy_weights(kind, ("vector", "keyword", "graph", "label"))
    assert whole == {**WEIGHTS[kind], "label": 1.0}
    ratio = WEIGHTS[kind]["vector"] / WEIGHTS[kind]["keyword"]
    assert weights["vector"] / weights["keyword"] == pytest.approx(ratio)
