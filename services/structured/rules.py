"""Rules of the structured route: decomposition without a model, fusion, findings in evidence."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date
from itertools import combinations
from math import fsum, isclose
from typing import Final, TypeVar

from services.domain.answers import EvidenceSentence
from services.domain.value import Language
from services.evidence.grounding import ungrounded_names, ungrounded_words
from services.language.quantities import Quantity, quantities
from services.language.query.values import DateRange, QueryType, Understanding
from services.language.text.words import keyphrases, stem, tokens
from services.retrieval.scoring import RRF_K, Ranking, rank_by_score
from services.structured.values import (
    CREDIT,
    MOST_REQUIRED,
    EntityCount,
    Plan,
    QuestionType,
    Status,
    SubQuery,
)

_HINTS: Final = 12
_DIGITS: Final = 9
_LABEL_WEIGHT: Final = 1.0
WEIGHTS: Final[Mapping[QuestionType, Mapping[str, float]]] = {
    "factual": {"vector": 0.5, "keyword": 0.3, "graph": 0.2},
    "comparison": {"vector": 0.3, "keyword": 0.2, "graph": 0.5},
    "enumeration": {"vector": 0.2, "keyword": 0.3, "graph": 0.5},
    "temporal": {"vector": 0.4, "keyword": 0.3, "graph": 0.3},
    "causal": {"vector": 0.3, "keyword": 0.2, "graph": 0.5},
}
"""How much each strategy counts, by the type of the question (knowledge-retrieval, C1)."""
_BY_CLASS: Final[Mapping[QueryType, QuestionType]] = {
    "analytical": "causal",
    "comparative": "comparison",
    "exploratory": "enumeration",
}


def decompose_by_rules(understanding: Understanding) -> Plan:
    queries = {item: query for query in understanding.subquestions if (item := _as_item(query))}
    queries = queries or {understanding.question: understanding.question}
    required = tuple(queries)[:MOST_REQUIRED]
    return Plan(
        question_type=question_type(understanding),
        required_info=required,
        sub_queries=tuple(SubQuery(query=queries[item], target_info=item) for item in required),
        entity_hints=understanding.classification.entities[:_HINTS],
        topic_hints=_topics(understanding),
        dates=understanding.dates,
    )


def _topics(understanding: Understanding) -> tuple[str, ...]:
    named = {name.casefold() for name in understanding.classification.entities}
    phrases = keyphrases(understanding.question, understanding.language, _HINTS)
    return tuple(phrase for phrase in phrases if phrase.casefold() not in named)


def format_dates(dates: DateRange | None) -> str | None:
    """Return ``2018-01-01 - 2018-12-31``, with ``..`` for an open end; None without any date."""
    if dates is None or (dates.since is None and dates.until is None):
        return None
    return " - ".join(day.isoformat() if day else ".." for day in (dates.since, dates.until))


def question_type(understanding: Understanding) -> QuestionType:
    if understanding.dates is not None:
        return "temporal"
    scan = understanding.scan
    if scan is not None and scan.sure:
        return "enumeration"
    return _BY_CLASS.get(understanding.classification.type, "factual")


def _as_item(subquestion: str) -> str:
    plain = " ".join(subquestion.split()).strip(" ,;:?!.")
    return plain[:1].upper() + plain[1:]


TOP_K: Final = 50


def fuse_queries(rankings: Sequence[Ranking]) -> list[tuple[str, float]]:
    """Return the passages of all sub-queries; those that several of them found score higher.

    The score is the sum of ``1 / (60 + rank)`` times one plus the share of the sub-queries that
    found the passage.
    """
    ranks: dict[str, list[int]] = {}
    for ranking in rankings:
        for rank, (identifier, _) in enumerate(ranking, start=1):
            ranks.setdefault(identifier, []).append(rank)
    scores = {
        identifier: fsum(1.0 / (RRF_K + rank) for rank in own_ranks)
        * (1 + len(own_ranks) / len(rankings))
        for identifier, own_ranks in ranks.items()
    }
    return rank_by_score(scores)[:TOP_K]


def strategy_weights(kind: QuestionType, available: Collection[str]) -> dict[str, float]:
    """Return the weight of each available strategy; ``label`` counts as much as all others."""
    shares = {name: share for name, share in WEIGHTS[kind].items() if name in available}
    total = fsum(shares.values())
    weights = {name: round(share / total, _DIGITS) for name, share in shares.items()}
    return weights | ({"label": _LABEL_WEIGHT} if "label" in available else {})


def weigh_strategies(
    ranks: Mapping[str, Mapping[str, int]], weights: Mapping[str, float]
) -> list[tuple[str, float]]:
    """Rank passages by weighted reciprocal rank; ``ranks`` has each chunk's by strategy."""
    return rank_by_score(
        {
            chunk: fsum(weights.get(name, 0.0) / (RRF_K + rank) for name, rank in by_name.items())
            for chunk, by_name in ranks.items()
        }
    )


def coverage_of(statuses: Sequence[Status]) -> float:
    return round(fsum(CREDIT[status] for status in statuses) / len(statuses), 4)


def confidence(coverage: float, ranking: Ranking) -> float:
    """Return coverage of the required information times one plus the mean score, at most 1."""
    mean = fsum(score for _, score in ranking) / len(ranking) if ranking else 0.0
    return round(min(coverage * (1 + mean), 1.0), 4)


T = TypeVar("T")
MAX_ENTITIES: Final = 20
NAMED: Final = "named"
NO_DAY: Final = 99_999_999
_YEAR: Final = re.compile(r"(?<![\w.,/-])((?:19|20)\d{2})(?![\w/-]|[.,]\d)")


def entity_table(
    linked: Iterable[tuple[str, str]],
    named: Iterable[str],
    texts: Sequence[str],
    language: Language,
) -> tuple[EntityCount, ...]:
    """Return each entity once, whatever its case, the most frequent first, ties by name.

    ``linked`` are (name, kind) of nodes of the graph, ``named`` the names in the question,
    ``texts`` the passages of the evidence; inflections of ``language`` count as the same word.
    """
    kinds: dict[str, tuple[str, str]] = {}
    for name, kind in (*linked, *((name, NAMED) for name in named)):
        kinds.setdefault(name.casefold(), (name, kind))
    passages = [_stems_of(text, language) for text in texts]
    counted = [
        EntityCount(name=name, kind=kind, passages=sum(words in passage for passage in passages))
        for name, kind in kinds.values()
        if (words := _stems_of(name, language)).strip()
    ]
    return tuple(sorted(counted, key=lambda entity: (-entity.passages, entity.name))[:MAX_ENTITIES])


def _stems_of(text: str, language: Language) -> str:
    return f" {' '.join(stem(word, language) for word in tokens(text))} "


def covered_dates(days: Iterable[str]) -> str | None:
    """Return the range of ISO dates (``2017-06-27 - 2024-01-05``); None without a valid one."""
    dates = sorted(day for day in map(_day, days) if day is not None)
    if not dates:
        return None
    first, last = dates[0].isoformat(), dates[-1].isoformat()
    return first if first == last else f"{first} - {last}"


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        return None


def _first_day(text: str, language: Language) -> int | None:
    days = [round(number.number) for number in quantities(text, language) if number.unit == "date"]
    years = [int(match[1]) * 10_000 + 101 for match in _YEAR.finditer(text)]
    return next(iter(days or years), None)


def sort_by_date(dated: Sequence[tuple[str, str | None, T]], language: Language) -> list[T]:
    """Return the values by the first day that their sentence names, else by their own day."""

    def day_of(entry: tuple[str, str | None, T]) -> int:
        day = _day(entry[1]) if entry[1] else None
        return _first_day(entry[0], language) or (int(day.strftime("%Y%m%d")) if day else NO_DAY)

    return [value for _, _, value in sorted(dated, key=day_of)]


def differing_values(
    sentences: Sequence[EvidenceSentence], language: Language
) -> list[tuple[int, int, str]]:
    """Return pairs of sentences alike but for a value: their positions, and the values in English.

    They may both be true, of two contracts for example. Only sentences of different sections are
    compared: a section gives many limits, each for something else.
    """
    texts = [sentence.full_quote for sentence in sentences]
    sections = [(sentence.document_id, sentence.section) for sentence in sentences]
    pairs = ((i, j) for i, j in combinations(range(len(texts)), 2) if sections[i] != sections[j])
    return [(i, j, why) for i, j in pairs if (why := _conflict(texts[i], texts[j], language))]


def _conflict(one: str, other: str, language: Language) -> str:
    """Return ``30 Tage against 60 Tage`` if two sentences share all words but a value, else "".

    Other numbers and dates in a sentence are conditions (``under 18 years``) and must be equal.
    """
    for text, other_text in ((one, other), (other, one)):
        if ungrounded_words(text, other_text, language):
            return ""
        if ungrounded_names(text, other_text, language):
            return ""
    first, conditions = _value(one, language)
    second, others = _value(other, language)
    if first is None or second is None or conditions != others:
        return ""
    alike = all(getattr(first, n) == getattr(second, n) for n in ("unit", "period", "bound"))
    if not alike or isclose(first.value, second.value):
        return ""
    return f"{one[first.start : first.end]} against {other[second.start : second.end]}"


def _value(text: str, language: Language) -> tuple[Quantity | None, tuple[tuple[str, float], ...]]:
    numbers = [number for number in quantities(text, language) if not number.article]
    measured = [number for number in numbers if number.measured]
    stated = measured or [number for number in numbers if number.unit]
    value = stated[0] if len(stated) == 1 else None
    others = [number for number in numbers if number is not value]
    return value, tuple(sorted((n.unit or n.noun or "", n.value) for n in others))
