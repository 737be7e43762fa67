"""Commands that need no store and no language model: ``classify`` and ``verify``."""

from pathlib import Path
from typing import Any

from services.domain.errors import InvalidInput
from services.evidence.verification import Limits, read_report, verify
from services.factories import make_judge
from services.ingestion.parse import FileParser
from services.language.query.heads import QuestionReader
from services.language.query.understand import understand
from services.lazy import Lazy
from services.settings import Settings


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


def verified(report: Path, documents: Path | None, settings: Settings) -> dict[str, Any]:
    """What holds of a report and what does not, as one JSON object.

    Args:
        report: the JSON of a report, of quick answers, or a trace.
        documents: the folder to look in; None for that of the report, and the originals that a
            home keeps if there is one.
        settings: for the limits of the process that opens documents, and the place of a home.

    Raises:
        InvalidInput: the file is no report, or there is no such folder.
    """
    if documents is not None and not documents.is_dir():
        raise InvalidInput(
            "There is no folder {folder}. Name the one with the documents.", folder=documents
        )
    claims = read_report(report)
    kept = settings.home / "originals"
    with FileParser() as parser:
        found = verify(
            claims,
            [documents or report.absolute().parent],
            parser,
            Limits(settings.parse_timeout_s, settings.parse_memory_mb),
            Lazy(make_judge).get,
            originals=kept if documents is None and kept.is_dir() else None,
        )
    return found.model_dump(mode="json")
