"""Everything that rules can say of a question, in one value."""

from collections.abc import Collection

from services.query.classify import classify
from services.query.comparison import compared
from services.query.complexity import AGENT, ENHANCED, complexity
from services.query.dates import date_range
from services.query.language import detect_language
from services.query.scanning import about_database, about_threshold, scan_wish
from services.query.subquestions import subquestions
from services.query.values import QueryType, Understanding
from services.value import Language


def understand(
    question: str,
    *,
    known: Collection[str] = (),
    language: Language | None = None,
    enhanced: float = ENHANCED,
    agent: float = AGENT,
) -> Understanding:
    """Understand a question without a model and without a store, in a few milliseconds.

    Args:
        question: complete in itself; a follow-up is rewritten before.
        known: names, titles and abbreviations that the documents hold, to be found as entities.
        language: of the question; recognised where it is not given.
        enhanced: the lowest score of the enhanced route.
        agent: the lowest score of the agent route.
    """
    text = question.strip()
    language = language or detect_language(text)
    parts = subquestions(text, language)
    classification = classify(text, language, known=known)
    database = about_database(text, language)
    return Understanding(
        question=text,
        language=language,
        subquestions=_sides(text, language, classification.type, parts),
        classification=classification,
        complexity=complexity(
            text,
            classification,
            language=language,
            subquestions=len(parts),
            about_database=database,
            enhanced=enhanced,
            agent=agent,
        ),
        scan=None if database else scan_wish(text, language),
        about_database=database,
        about_threshold=about_threshold(text, language),
        dates=date_range(text),
    )


def _sides(
    text: str, language: Language, kind: QueryType, parts: tuple[str, ...]
) -> tuple[str, ...]:
    """Both sides of a comparison, which are looked for each; other questions as they are."""
    sides = compared(text, language) if kind == "comparative" and len(parts) == 1 else None
    return sides or parts
