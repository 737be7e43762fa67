"""Collect everything that is known of a question before a search."""

import re
from collections.abc import Callable, Collection
from typing import Final, Literal

from services.domain.value import Language
from services.language.query.complexity import AGENT, ENHANCED, complexity, is_ambiguous
from services.language.query.dates import date_range
from services.language.query.entities import (
    entities,
    phrases_of,
    quoted,
    search_term,
    suggests_mention,
)
from services.language.query.heads import QuestionReader
from services.language.query.keywords import about_database, type_by_keywords
from services.language.query.language import detect_language
from services.language.query.parts import subquestions
from services.language.query.values import Classification, CountRequest, Reading, Understanding

Lookup = Callable[[Collection[str]], Collection[str]]
"""Returns which of some phrases the documents know as names."""
_DOCUMENTS: Final = re.compile(r"(?<!\w)(?:do[ck]ument|datei|file|fichier|archivo)", re.IGNORECASE)
"""Words by which documents are counted rather than passages."""
_WHICH_DOCUMENTS: Final = re.compile(
    rf"(?<!\w)(?:welche\w?|which|what|quel\w*|qu[eé]|cu[aá]les)\s+{_DOCUMENTS.pattern}",
    re.IGNORECASE,
)


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
