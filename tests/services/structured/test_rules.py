"""What the structured route knows without engines: the plan of a question, and differing values."""

from datetime import date

import pytest

from services.domain import EvidenceSentence, Language
from services.language.query.understand import understand
from services.language.query.values import DateRange
from services.structured.rules import (
    WEIGHTS,
    confidence,
    coverage_of,
    decompose_by_rules,
    differing_values,
    entity_table,
    format_dates,
    fuse_queries,
    strategy_weights,
    weigh_strategies,
)
from services.structured.values import QuestionType
from tests.support.desk import READER


def sentence(text: str, section: str) -> EvidenceSentence:
    return EvidenceSentence(
        document_id="d",
        document="d.txt",
        section=section,
        page=None,
        start=0,
        end=len(text),
        quote=text,
        context=text,
    )


@pytest.mark.parametrize(
    ("one", "other", "differ"),
    [
        ("Die Frist beträgt 30 Tage.", "Die Frist beträgt 60 Tage.", True),
        ("Die Frist beträgt 30 Tage.", "Die Frist beträgt einen Monat und 30 Tage.", False),
        ("Die Frist beträgt 30 Tage.", "Die Frist beträgt 30 Tage.", False),
        ("Die Frist beträgt 1 Monat.", "Die Frist beträgt 1 Jahr.", True),
        ("Die Dosis beträgt 20 mSv.", "Die Dosis beträgt 20 µSv.", True),
        ("Die Frist beträgt 60 Minuten.", "Die Frist beträgt 1 Stunde.", False),
        ("Die Frist für Mieter beträgt 30 Tage.", "Die Frist beträgt 60 Tage.", False),
        (
            "Unter 18 Jahren beträgt die Dosis 1 Millisievert.",
            "Unter 16 Jahren beträgt die Dosis 2 Millisievert.",
            False,
        ),
        (
            "Der Grenzwert für Iod-131 beträgt 20 Bq.",
            "Der Grenzwert für Iod-125 beträgt 50 Bq.",
            False,
        ),
        ("2. Die Frist beträgt 30 Tage.", "5. Die Frist beträgt 60 Tage.", True),
    ],
)
def test_values_are_compared_where_all_else_is_the_same(one: str, other: str, differ: bool) -> None:
    assert bool(differing_values([sentence(one, "§ 1"), sentence(other, "§ 2")], "de")) is differ
    same = differing_values([sentence(one, "§ 1"), sentence(other, "§ 1")], "de")
    assert same == [], "a section gives many values"


@pytest.mark.parametrize(
    ("name", "text", "mentions", "language"),
    [
        ("EU", "Die neue Steuer gilt heute.", False, "de"),
        ("EU", "Die EU-Richtlinie gilt.", True, "de"),
        ("Strahlenschutzgesetz", "§ 1 des Strahlenschutzgesetzes", True, "de"),
        ("StrlSchG § 78", "Siehe StrlSchG § 78 Absatz 1.", True, "de"),
        ("US", "No business is exempt.", False, "en"),
        ("US", "Sold in the US only.", True, "en"),
        ("type checker", "Type checkers reject it.", True, "en"),
    ],
)
def test_an_entity_is_counted_where_its_words_are(
    name: str, text: str, mentions: bool, language: Language
) -> None:
    (entity,) = entity_table([], [name], [text], language)
    assert entity.passages == mentions


@pytest.mark.parametrize(
    ("question", "items", "searched"),
    [
        (
            "Wie hoch ist der Grenzwert für Lärm? Wie hoch ist die Körperschaftsteuer?",
            ("Wie hoch ist der Grenzwert für Lärm", "Wie hoch ist die Körperschaftsteuer"),
            "Wie hoch ist die Körperschaftsteuer?",
        ),
        ("Was ist ein Strahlenpass?", ("Was ist ein Strahlenpass",), "Was ist ein Strahlenpass?"),
        (
            "Was kostet der Ausweis und wie lange gilt er?",
            ("Was kostet der Ausweis und wie lange gilt er",),
            "Was kostet der Ausweis und wie lange gilt er?",
        ),
    ],
)
def test_each_part_is_required_once(question: str, items: tuple[str, ...], searched: str) -> None:
    plan = decompose_by_rules(understand(question, reader=READER))
    assert plan.required_info == items and plan.by == "rules"
    assert tuple(query.target_info for query in plan.sub_queries) == items
    assert plan.sub_queries[-1].query == searched


def test_a_plan_has_at_most_six_pieces_and_the_dates_of_the_question() -> None:
    many = "\n".join(f"- Was ist ein Ding {letter * 5}?" for letter in "abcdefgh")
    assert len(decompose_by_rules(understand(many)).required_info) == 6
    dated = decompose_by_rules(understand("Was galt zwischen 2010 und 2015 für Radon?"))
    assert dated.dates == DateRange(since=date(2010, 1, 1), until=date(2015, 12, 31))
    assert format_dates(dated.dates) == "2010-01-01 - 2015-12-31"
    assert format_dates(DateRange(since=date(2010, 1, 1))) == "2010-01-01 - .."
    assert format_dates(None) is format_dates(DateRange()) is None


def test_hints_are_names_and_what_else_a_question_is_about() -> None:
    plan = decompose_by_rules(understand("Welche Dosis erlaubt § 78 StrlSchG im Kalenderjahr?"))
    assert any("78" in name for name in plan.entity_hints)
    assert "Dosis" in plan.topic_hints and not set(plan.topic_hints) & set(plan.entity_hints)


@pytest.mark.parametrize(
    ("coverage", "rankings", "expected"),
    [
        (0.5, [["a"], ["a", "b"]], 0.5 * (1 + (2 / 61 * 2 + 1 / 62 * 1.5) / 2)),
        (0.5, [], 0.5),  # nothing was searched for
        (0.0, [["a"]], 0.0),
        (1.0, [["a"]], 1.0),
    ],
)
def test_confidence_is_coverage_times_one_plus_the_mean_score(
    coverage: float, rankings: list[list[str]], expected: float
) -> None:
    ranking = fuse_queries([[(name, 1.0) for name in names] for names in rankings])
    assert confidence(coverage, ranking) == pytest.approx(expected, abs=1e-4)


def test_coverage_counts_half_of_what_is_partly_covered() -> None:
    assert coverage_of(["covered", "partial", "missing"]) == 0.5
    assert coverage_of(["missing"]) == 0.0


@pytest.mark.parametrize("kind", list(WEIGHTS))
def test_the_share_of_a_missing_graph_goes_to_the_others(kind: QuestionType) -> None:
    weights = strategy_weights(kind, ("vector", "keyword"))
    assert sum(weights.values()) == pytest.approx(1.0) and "graph" not in weights
    assert strategy_weights(kind, ("vector", "keyword", "graph", "label")) == {
        **WEIGHTS[kind],
        "label": 1.0,
    }
    ratio = WEIGHTS[kind]["vector"] / WEIGHTS[kind]["keyword"]
    assert weights["vector"] / weights["keyword"] == pytest.approx(ratio)


def test_the_type_of_a_question_decides_which_strategy_leads() -> None:
    ranks = {"meant": {"vector": 1}, "worded": {"keyword": 1}}
    for kind, first in (("factual", "meant"), ("enumeration", "worded")):
        weights = strategy_weights(kind, ("vector", "keyword"))
        assert weigh_strategies(ranks, weights)[0][0] == first
