"""What kind of answer a question wants: as the heads read it, else as its keywords have it."""

from collections.abc import Collection

from services.query.comparison import pair_spans
from services.query.entities import entities
from services.query.keywords import type_by_keywords
from services.query.language import detect_language
from services.query.values import Classification, Reading
from services.value import Language


def classify(
    question: str,
    language: Language | None = None,
    *,
    known: Collection[str] = (),
    reading: Reading | None = None,
) -> Classification:
    """Tell the type of a question and what it is about.

    Args:
        question: complete in itself.
        language: of the question; recognised where it is not given.
        known: names, titles and abbreviations that the documents are known to hold.
        reading: what the heads read off it; without them keywords decide.
    """
    language = language or detect_language(question)
    if reading is not None:
        kind, confidence = reading.type, reading.confidence
    else:
        kind, confidence = type_by_keywords(question, language)
    pair = pair_spans(question) if kind == "comparative" else None
    found = entities(question, language, known=known, pair=pair or ())
    return Classification(type=kind, confidence=confidence, entities=found)
