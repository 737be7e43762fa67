"""What kind of answer a question wants, told by rules from how it is put.

Patterns give points to types: 3 what is beyond doubt, 2 what is clear, 1 a hint, each once. The
type with the most points wins; of equal ones the more special. The confidence follows from the
points alone: 0.5, plus 0.15 for each of the winner's (at most 3), minus 0.1 for each (at most 3)
of the next best type's. So a hint alone gives 0.65, a clear sign 0.8, one beyond doubt 0.95, and
two types head to head between 0.55 and 0.65.

Where no pattern matches, the question word decides: facts with confidence 0.6, reasons and
manners 0.5. What then remains, bare nouns and fragments, is unknown with 0.3.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from services.query.entities import entities
from services.query.language import detect_language
from services.query.patterns import TABLES, compiled, prepared
from services.query.values import Classification, QueryType
from services.value import Language

FACT_CONFIDENCE: Final = 0.6
REASON_CONFIDENCE: Final = 0.5
UNKNOWN_CONFIDENCE: Final = 0.3

_PRECEDENCE: Final[tuple[QueryType, ...]] = (
    "comparative",
    "relational",
    "procedural",
    "exploratory",
    "analytical",
    "factual",
)
_TIERS: Final = (3, 2, 1)
_MOST_POINTS: Final = 3
_WHOLE_QUESTION: Final = 4
_LONGEST: Final = 2_000
_WORD = re.compile(r"\w+")
_MARGIN = re.compile(r"^[ ,]+", re.M)
_FRONTED = re.compile(r"[^,:\n?]{3,90}, ")


@dataclass(frozen=True)
class _Rules:
    """A language's patterns, compiled: by type the three tiers in the order of `_TIERS`."""

    folded: bool
    types: dict[QueryType, tuple[re.Pattern[str], ...]]
    openers: re.Pattern[str]
    asked: re.Pattern[str]
    facts: re.Pattern[str]
    reasons: re.Pattern[str]
    fragments: re.Pattern[str]


def classify(
    question: str, language: Language | None = None, *, known: Collection[str] = ()
) -> Classification:
    """Tell the type of a question and what it is about.

    Args:
        question: complete in itself.
        language: of the question; recognised where it is not given.
        known: names, titles and abbreviations that the documents are known to hold.
    """
    language = language or detect_language(question)
    query_type, confidence = question_type(question, language)
    return Classification(
        type=query_type,
        confidence=confidence,
        entities=entities(question, language, known=known),
    )


def question_type(question: str, language: Language) -> tuple[QueryType, float]:
    """The type and the confidence in it; languages without a table are tried with all of them."""
    if language in TABLES:
        return _judge(question, language)
    return max((_judge(question, other) for other in TABLES), key=lambda found: found[1])


def _judge(question: str, language: Language) -> tuple[QueryType, float]:
    rules = _rules(language)
    text = prepared(question[:_LONGEST], folded=rules.folded)
    if rules.fragments.fullmatch(text.strip(" .,;:?!…\n")):
        return "unknown", UNKNOWN_CONFIDENCE
    text = _proper(text, rules)
    points = {kind: _points(text, tiers) for kind, tiers in rules.types.items()}
    ranked = sorted(_PRECEDENCE, key=lambda kind: -points[kind])
    best, second = ranked[0], ranked[1]
    if points[best] == 0:
        return _by_question_word(text, rules, asks=question.rstrip().endswith("?"))
    return best, _confidence(points[best], points[second])


def _proper(text: str, rules: _Rules) -> str:
    """The question without its openers; what follows a phrase in front is there a second time.

    ``After a leak, who is told`` asks as ``who is told`` does, which then begins a line too.
    """
    shorter = _MARGIN.sub("", rules.openers.sub("", text)).strip() or text
    fronted = _FRONTED.match(shorter)
    if fronted and rules.asked.match(shorter, fronted.end()):
        return f"{shorter}\n{shorter[fronted.end() :]}"
    return shorter


def _points(text: str, tiers: tuple[re.Pattern[str], ...]) -> int:
    return sum(
        weight for weight, pattern in zip(_TIERS, tiers, strict=True) if pattern.search(text)
    )


def _confidence(first: int, second: int) -> float:
    """Follows from the points as the module says, 0.35-0.95."""
    return round(0.5 + 0.15 * min(first, _MOST_POINTS) - 0.1 * min(second, _MOST_POINTS), 2)


def _by_question_word(text: str, rules: _Rules, *, asks: bool) -> tuple[QueryType, float]:
    """Question words first; a whole question without one wants a yes or a no, which is a fact."""
    if rules.reasons.search(text):
        return "analytical", REASON_CONFIDENCE
    whole = asks and len(_WORD.findall(text)) >= _WHOLE_QUESTION
    if whole or rules.facts.search(text):
        return "factual", FACT_CONFIDENCE
    return "unknown", UNKNOWN_CONFIDENCE


@lru_cache(maxsize=8)
def _rules(language: Language) -> _Rules:
    table = TABLES[language]
    folded = table.folded
    return _Rules(
        folded=folded,
        types={
            kind: (
                compiled(patterns.decisive, folded=folded),
                compiled(patterns.clear, folded=folded),
                compiled(patterns.hint, folded=folded),
            )
            for kind, patterns in table.types.items()
        },
        openers=compiled((rf"^(?:{pattern})\s*" for pattern in table.openers), folded=folded),
        asked=compiled(table.asked, folded=folded),
        facts=compiled(table.facts, folded=folded),
        reasons=compiled(table.reasons, folded=folded),
        fragments=compiled(table.fragments, folded=folded),
    )
