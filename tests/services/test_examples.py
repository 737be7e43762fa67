"""Examples of rules, a table for each in tests/data/examples.yaml: inputs, and what comes out."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from services.evaluation.answers import document_names, is_gold, refuses, states, task_counts
from services.evidence.grounding import ungrounded_labels, ungrounded_numbers
from services.evidence.units import quotable_units
from services.language.quantities import agreement, quantities
from services.language.query.dates import date_range
from services.language.query.entities import entities
from services.language.query.language import detect_language
from services.language.query.understand import (
    classify,
    factors_of,
    level_of,
    subquestions,
    understand,
    weighted,
)
from services.language.query.values import Classification
from services.language.text.normal import normalise
from services.language.text.sentences import clauses, is_heading, sentences
from services.language.text.words import stems, tokens
from services.library.caches import normalise_query
from services.models.streaming import without_thoughts
from services.report_check.check import CitedSection
from services.retrieval.graph_share import (
    adjust_weight,
    confidence_shift,
    graph_weight,
    max_graph_passages,
    max_referenced_passages,
)
from services.retrieval.scan.facts import asked_topics
from services.retrieval.scan.matcher import Matcher, ScannedText, relation
from services.retrieval.scoring import age_days, blend, freshness
from services.retrieval.terms import Vocabulary, labels_in
from services.structured.rules import decompose_by_rules
from tests.support.desk import READER
from tests.support.tables import read_yaml

EXAMPLES = Path(__file__).parents[1] / "data" / "examples.yaml"
TABLES: dict[str, list[list[Any]]] = read_yaml(EXAMPLES)


def date_span(question: str) -> tuple[str | None, str | None] | None:
    found = date_range(question, detect_language(question))
    return found and tuple(day and str(day) for day in (found.since, found.until))


def cut(text: str) -> list[str]:
    return [" ".join(text[start:end].split()) for start, end in sentences(text)]


def ambiguous(question: str, language: str | None) -> bool:
    found = understand(question, language=language).complexity
    told = "ambiguous as it stands" in found.reasons
    assert told == (found.level == "ambiguous") and (found.score >= 0.65 or not told)
    return told


def about_database(question: str) -> bool:
    found = understand(question)
    assert found.complexity.score >= 0.75 and found.complexity.level == "complex"
    return found.about_database


def factors(kind: Any, confidence: float) -> Any:
    return factors_of(kind, confidence, entities=0, subquestions=1, keywords=0)


def term_to_look_for(question: str) -> str | None:
    found = understand(question, reader=READER)
    assert not found.about_database
    return found.scan and found.scan.term


def normalised_query(query: str) -> str:
    normal = normalise_query(query)
    assert normalise_query(normal) == normal
    return normal


def limits(text: str) -> list[list[str | None]]:
    return [[each.unit, each.bound, each.period] for each in quantities(text, "de")]


def claim_agreement(claim: str, source: str) -> str:
    [claimed] = quantities(claim, "de")
    return agreement(claimed, quantities(source, "de"))


def related(language: str, wanted: str, forms: str) -> str | None:
    """What each of the forms is to a word."""
    [kind] = {relation(wanted, form, [language]) for form in forms.split()}
    return kind


def complexity_score(kind: Any, confidence: float, named: int, words: int) -> list[Any]:
    found = factors_of(kind, confidence, entities=named, subquestions=1, keywords=words)
    return [weighted(found), level_of(weighted(found))]


def shown(text: str) -> list[list[str]]:
    """Case and quote of each unit, on one line each."""
    units = quotable_units(text, 0, len(text), (0, len(text)))
    spans = [(unit.case or (0, 0), (unit.start, unit.end)) for unit in units]
    return [[" ".join(text[slice(*span)].split()) for span in pair] for pair in spans]


WORDS = "grenzwert dosisgrenzwert grenzwertüberschreit dosis wert 10000 100001 betrieb vertrieben"
VOCABULARY = Vocabulary(WORDS.split())


def unstated(text: str, source: str, language: str) -> list[str]:
    """Numbers and labels of a claim that its only section does not state."""
    sections = [CitedSection("§ 78", "", source, language)]
    return [
        *ungrounded_numbers(text, "", sections, language),
        *ungrounded_labels(text, "", sections),
    ]


CHECKS: dict[str, Callable[..., Any]] = {
    "date_span": date_span,
    "entities": entities,
    "names_something": lambda text, language: bool(entities(text, language)),
    "language": detect_language,
    "number_of_questions": lambda question: len(subquestions(question, detect_language(question))),
    "type_without_heads": lambda text: classify(text, detect_language(text)).type,
    "about_database": about_database,
    "ambiguous": ambiguous,
    "type_factor": lambda kind: factors(kind, 0.7).query_type,
    "low_confidence": lambda confidence: factors("factual", confidence).low_confidence,
    "level": level_of,
    "type_by_heads": lambda question: understand(question, reader=READER).classification.type,
    "term_to_look_for": term_to_look_for,
    "follows": lambda before, question: READER.follows(question, before, detect_language(question)),
    "ends_no_sentence": lambda sentence: cut(f"{sentence} {sentence}"),
    "cut": cut,
    "clauses": lambda text: [text[a:b] for a, b in clauses(text, 0, len(text))],
    "normalise": normalise,
    "tokens": tokens,
    "stems": lambda text, language: list(stems(text, language)),
    "one_stem": lambda words, language: len(set(stems(words, language))) == 1,
    "is_heading": is_heading,
    "quantities": lambda text, language: [
        [pytest.approx(each.value), each.unit] for each in quantities(text, language)
    ],
    "limits": limits,
    "number_of_sentences": lambda text: len(sentences(text)),
    "agreement": claim_agreement,
    "asked_topics": asked_topics,
    "states": states,
    "refuses": refuses,
    "is_gold": lambda gold, section, file, title: is_gold(
        gold, section, document_names(file, title)
    ),
    "normal_query": normalised_query,
    "freshness": lambda days, rate: pytest.approx(freshness(days, rate), abs=0.0005),
    "blend": lambda near, days, weight: pytest.approx(
        blend(near, freshness(days, 0.005), weight), abs=0.0005
    ),
    "age": lambda stamp: age_days(stamp, datetime(2026, 1, 25, tzinfo=UTC)),
    "tasks_of_a_run": task_counts,
    "thoughts": without_thoughts,
    "occurrence": lambda term, text: [
        each.kind for each in Matcher(term, ["de", "en"]).find(ScannedText(text))
    ],
    "relation": related,
    "unstated": unstated,
    "graph_weight": lambda kind, confidence, entities: graph_weight(
        Classification(type=kind, confidence=confidence, entities=entities)
    ),
    "graph_shift": lambda confidence: pytest.approx(confidence_shift(confidence), abs=1e-9),
    "graph_adjusted": lambda before, vector, graph: adjust_weight(
        before, vector_confidence=vector, graph_confidence=graph
    ),
    "places_of_the_graph": lambda graph, k: [
        max_graph_passages(graph, k),
        max_referenced_passages(k),
    ],
    "complexity_score": complexity_score,
    "labels_in_query": labels_in,
    "relatives": lambda stem: sorted(VOCABULARY.relatives(stem)),
    "quotable": shown,
    "question_type": lambda text: decompose_by_rules(understand(text, reader=READER)).question_type,
}


def test_every_table_has_its_check() -> None:
    assert TABLES.keys() == CHECKS.keys() and all(TABLES.values())


@pytest.mark.parametrize(
    ("check", "row"), [(check, row) for check, rows in TABLES.items() for row in rows]
)
def test_an_example(check: str, row: list[Any]) -> None:
    *inputs, expected = row
    found = CHECKS[check](*inputs)
    assert (list(found) if isinstance(found, tuple) else found) == expected
