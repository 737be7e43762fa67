"""Collect everything that is known of a question before a search.

That is its language, its sub-questions by form (list items and question marks), its type and
entities, its complexity, its dates, and whether only the complete corpus can answer it.
"""

import re
from collections.abc import Callable, Collection, Iterator
from itertools import pairwise
from typing import Final, Literal

from services.domain.value import Language
from services.language.query.dates import date_range
from services.language.query.entities import (
    entities,
    phrases_of,
    quoted,
    search_term,
    suggests_mention,
)
from services.language.query.heads import QuestionReader
from services.language.query.keywords import about_database, keywords, type_by_keywords, wavers
from services.language.query.language import detect_language
from services.language.query.values import (
    Classification,
    ComplexityFactors,
    ComplexityLevel,
    ComplexityScore,
    CountRequest,
    QueryType,
    Reading,
    Understanding,
)
from services.language.vocabulary import FUNCTION_WORDS

Lookup = Callable[[Collection[str]], Collection[str]]
"""Returns which of some phrases the documents know as names."""
_DOCUMENTS: Final = re.compile(r"(?<!\w)(?:do[ck]ument|datei|file|fichier|archivo)", re.IGNORECASE)
"""Words by which documents are counted rather than passages."""
_WHICH_DOCUMENTS: Final = re.compile(
    rf"(?<!\w)(?:welche\w?|which|what|quel\w*|qu[eé]|cu[aá]les)\s+{_DOCUMENTS.pattern}",
    re.IGNORECASE,
)
WEIGHTS: Final = ComplexityFactors(
    query_type=0.25,
    entity_count=0.20,
    subquestion_count=0.20,
    keyword_matches=0.20,
    low_confidence=0.15,
)
DATABASE_FLOOR: Final = 0.75
AMBIGUOUS_FLOOR: Final = 0.65
ENHANCED: Final = 0.35
AGENT: Final = 0.55
COMPARED: Final = 3
"""Number of questions in a comparison: one for each of two things, one for the difference."""

_TYPE_FACTOR: Final[dict[QueryType, float]] = {
    "factual": 0.0,
    "procedural": 0.0,
    "relational": 0.5,
    "exploratory": 0.5,
    "analytical": 1.0,
    "comparative": 1.0,
    "unknown": 0.0,
}
_DIGITS: Final = 9
_SHORT: Final = 15
_BULLET: Final = re.compile(
    r"(?:^[ \t]*|(?<=[?:;])[ \t]+)(?:[-*•‣–]|\(?\d{1,2}[.)]|\(?[a-h]\))[ \t]+", re.MULTILINE
)
_HELD_TOGETHER: Final = re.compile(
    r"„[^“”\"\n]*[“”\"]|“[^”\n]*”|\"[^\"\n]*\"|«[^»\n]*»|\([^()\n]*\)|`[^`\n]*`"
)
_QUESTION_END: Final = re.compile(r"\?+[\"”“»)]*(?:\s+|$)")
_MOST: Final = 8
_LONGEST: Final = 4_000


def understand(
    question: str,
    *,
    known_names: Collection[str] = (),
    language: Language | None = None,
    reader: QuestionReader | None = None,
    lookup: Lookup | None = None,
    enhanced: float = ENHANCED,
    agent: float = AGENT,
) -> Understanding:
    """Analyse a self-contained question without a language model, in milliseconds.

    ``known_names`` are of the documents; ``lookup`` finds more, and is asked only about a question
    that is ambiguous without them. Without a ``reader`` the keyword table decides.
    """
    text = question.strip()
    language = language or detect_language(text)
    reading = reader(text, language) if reader and text else None
    questions = subquestions(text, language, reader)
    classification = classify(text, language, known_names=known_names, reading=reading)
    if lookup and is_ambiguous(text, language, classification.entities):
        looked_up = lookup(phrases_of(text))
        classification = classify(
            text, language, known_names=(*known_names, *looked_up), reading=reading
        )
    database = reading.store if reading else about_database(text)
    return Understanding(
        question=text,
        language=language,
        subquestions=questions,
        classification=classification,
        complexity=complexity(
            text,
            classification,
            language=language,
            subquestions=len(questions),
            about_database=database,
            enhanced=enhanced,
            agent=agent,
        ),
        scan=None if database else _scan(text, reading, reader, known_names),
        about_database=database,
        asks_documents=_WHICH_DOCUMENTS.search(text) is not None,
        dates=date_range(text, language),
    )


def classify(
    question: str,
    language: Language,
    *,
    known_names: Collection[str] = (),
    reading: Reading | None = None,
) -> Classification:
    """Return a question's type, from the heads or else by its keywords, and its entities."""
    if reading is not None:
        kind, confidence = reading.type, reading.confidence
    else:
        kind, confidence = type_by_keywords(question, language)
    names = entities(question, language, known_names=known_names)
    return Classification(type=kind, confidence=confidence, entities=names)


def _scan(
    text: str, reading: Reading | None, reader: QuestionReader | None, known_names: Collection[str]
) -> CountRequest | None:
    """Return what only the complete corpus can answer; not ``sure`` where only words suggest it."""
    if reading is None or reader is None:
        return None
    exact = any(quoted(text))
    asks = (reading.everything and exact) or suggests_mention(text, reader)
    is_suggested = asks and not reading.mention
    if not (reading.everything or reading.mention or is_suggested):
        return None
    unit: Literal["document", "section"] = "document" if _DOCUMENTS.search(text) else "section"
    request = (
        search_term(text, reader, known_names=known_names)
        if reading.mention or is_suggested
        else None
    )
    if request is None:
        return CountRequest(unit=unit, term=None) if reading.everything or reading.mention else None
    return request.model_copy(update={"unit": unit, "quoted": exact, "sure": reading.mention})


def subquestions(
    message: str, language: Language, reader: QuestionReader | None = None
) -> tuple[str, ...]:
    """Return the 1-8 questions of a message; one that depends on the one before stays with it."""
    text = message[:_LONGEST].strip()
    questions = _items(text)
    for question in () if questions else _sentences(text):
        if questions and _depends(question, questions[-1], language, reader):
            questions[-1] = f"{questions[-1]} {question}"
        else:
            questions.append(question)
    return tuple(dict.fromkeys(questions))[:_MOST] or (text,)


def without_bullets(question: str) -> str:
    return "\n".join(line for line in question.splitlines() if not _BULLET.match(line))


def _depends(question: str, before: str, language: Language, reader: QuestionReader | None) -> bool:
    if reader is not None:
        return reader.follows(question, before, language)
    return all(word.casefold() in FUNCTION_WORDS for word in re.findall(r"\w+", question))


def _items(text: str) -> list[str]:
    starts = [match.span() for match in _BULLET.finditer(text)]
    if len(starts) < 2:
        return []
    ends = [start for start, _ in starts[1:]] + [len(text)]
    items = (text[begin:end].strip() for (_, begin), end in zip(starts, ends, strict=True))
    return [item for item in items if item]


def _sentences(text: str) -> Iterator[str]:
    """Yield the pieces that end with a question mark; text after the last one stays with it."""
    masked = _HELD_TOGETHER.sub(lambda match: "\u0001" * len(match.group()), text)
    ends = [match.end() for match in _QUESTION_END.finditer(masked)]
    cuts = [0, *ends[:-1], len(text)]
    yield from (sentence for a, b in pairwise(cuts) if (sentence := text[a:b].strip()))


def factors_of(
    query_type: QueryType, confidence: float, *, entities: int, subquestions: int, keywords: int
) -> ComplexityFactors:
    return ComplexityFactors(
        query_type=_TYPE_FACTOR[query_type],
        entity_count=_within(entities / 4),
        subquestion_count=_within((subquestions - 1) / 3),
        keyword_matches=_within(keywords / 4),
        low_confidence=_within((0.7 - confidence) / 0.5),
    )


def weighted(factors: ComplexityFactors) -> float:
    return round(sum(weight * getattr(factors, name) for name, weight in WEIGHTS), _DIGITS)


def level_of(score: float, *, enhanced: float = ENHANCED, agent: float = AGENT) -> ComplexityLevel:
    """Return the level of a score; a score on a limit belongs to the level above."""
    if round(score, _DIGITS) >= round(agent, _DIGITS):
        return "complex"
    return "moderate" if round(score, _DIGITS) >= round(enhanced, _DIGITS) else "simple"


def complexity(
    question: str,
    classification: Classification,
    *,
    language: Language,
    subquestions: int = 1,
    about_database: bool = False,
    enhanced: float = ENHANCED,
    agent: float = AGENT,
) -> ComplexityScore:
    """Score a self-contained question with reasons, 0-1, from five weighted factors.

    ================== ====== ==========================================
    factor             weight formula
    ================== ====== ==========================================
    query_type           0.25 0 / 0.5 / 1 by type
    entity_count         0.20 min(n / 4, 1)
    subquestion_count    0.20 min((n - 1) / 3, 1)
    keyword_matches      0.20 min(n / 4, 1)
    low_confidence       0.15 (0.7 - confidence) / 0.5, kept within 0-1
    ================== ====== ==========================================

    A score on a limit (``enhanced``, ``agent``) belongs to the level above. Floating-point sums put
    some just below it, so scores and limits are compared after rounding to nine digits.
    """
    words = keywords(question, language)
    if classification.type == "comparative":
        subquestions = max(subquestions, COMPARED)
    factors = factors_of(
        classification.type,
        classification.confidence,
        entities=len(classification.entities),
        subquestions=subquestions,
        keywords=len(words),
    )
    ambiguous = not about_database and is_ambiguous(question, language, classification.entities)
    floor = DATABASE_FLOOR if about_database else AMBIGUOUS_FLOOR if ambiguous else 0.0
    score = max(weighted(factors), floor)
    reasons = _reasons(classification, subquestions, words)
    if about_database:
        reasons += ("asks about the collection itself",)
    if ambiguous:
        reasons += ("ambiguous as it stands",)
    level = "ambiguous" if ambiguous else level_of(score, enhanced=enhanced, agent=agent)
    return ComplexityScore(score=score, level=level, factors=factors, reasons=reasons)


def is_ambiguous(question: str, language: Language, entities: tuple[str, ...] = ()) -> bool:
    """Return whether a question without ``entities`` is too short or undecided to be answered."""
    if entities:
        return False
    text = " ".join(question.split())
    several = without_bullets(question).count("?") >= 2
    return len(text) < _SHORT or several or wavers(text, language)


def _within(value: float) -> float:
    return round(min(1.0, max(0.0, value)), _DIGITS)


def _reasons(
    classification: Classification, subquestions: int, words: tuple[str, ...]
) -> tuple[str, ...]:
    reasons = [f"{classification.type} question"]
    if named := len(classification.entities):
        reasons.append(f"names {named} thing{'s' * (named > 1)}")
    if subquestions > 1:
        reasons.append(f"asks {subquestions} questions")
    if words:
        reasons.append(f"speaks of {', '.join(words)}")
    if classification.confidence < 0.7:
        reasons.append(f"type uncertain ({classification.confidence:.2f})")
    return tuple(reasons)
