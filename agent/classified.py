"""What ``rabbithole classify`` shows: a question judged without store or language model."""

from typing import Any

from services.query.heads import QuestionReader
from services.query.understand import understand


def classified(question: str, reader: QuestionReader | None = None) -> dict[str, Any]:
    """Type, confidence, entities, language and complexity of a question, as JSON has them.

    Args:
        question: complete in itself.
        reader: the heads of the embedding model; without them the keyword table decides.
    """
    known = understand(question, reader=reader)
    return {
        **known.classification.model_dump(mode="json"),
        "language": known.language,
        "complexity": {
            "score_rules": known.complexity.score,
            **known.complexity.model_dump(mode="json", exclude={"score"}),
        },
    }
