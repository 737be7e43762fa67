"""What ``rabbithole classify`` shows: a question judged by rules alone, without store or model."""

from typing import Any

from services.query.classify import classify
from services.query.complexity import complexity
from services.query.language import detect_language
from services.query.scanning import about_database
from services.query.subquestions import subquestions


def classified(question: str) -> dict[str, Any]:
    """Type, confidence, entities, language and complexity of a question, as JSON has them.

    Args:
        question: complete in itself.
    """
    question = question.strip()
    language = detect_language(question)
    classification = classify(question, language)
    score = complexity(
        question,
        classification,
        language=language,
        subquestions=len(subquestions(question, language)),
        about_database=about_database(question, language),
    )
    return {
        **classification.model_dump(mode="json"),
        "language": language,
        "complexity": {
            "score_rules": score.score,
            **score.model_dump(mode="json", exclude={"score"}),
        },
    }
