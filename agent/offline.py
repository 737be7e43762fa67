"""Commands that need neither the owner of the home nor a language model."""

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from services.domain.errors import InvalidInput, NotFound
from services.settings import Settings

if TYPE_CHECKING:
    from services.catalog import Catalog
    from services.domain import Scope
    from services.language.query.heads import QuestionReader


def classified(
    question: str, settings: Settings, *, user: str, collections: Sequence[str] | None
) -> dict[str, Any]:
    """Return type, confidence, entities, language and complexity of a question, as JSON.

    The embedding model that the settings name reads the question if it has heads for that; the
    documents in the home that the ``user`` may read know names. Raises InvalidInput for an empty
    question, NotFound if there is no such collection.
    """
    from services.language.query.heads import reader_for
    from services.retrieval.embedders import make_embedder

    embedder = make_embedder(settings)
    reader = reader_for(embedder.fingerprint, embedder.embed_query)
    if not (settings.database or (settings.home / "catalog.sqlite3").is_file()):
        if collections:
            raise NotFound(
                "There is no collection {name!r} that you can read. You can read: {names}.",
                name=collections[0],
                names="none yet (add documents first)",
            )
        return described(question, reader, None)
    from services.domain import Principal
    from services.home import open_catalog

    with open_catalog(settings) as catalog:
        scope = catalog.collections.scope(Principal(user=user), collections)
        return described(question, reader, (catalog, scope))


def described(
    question: str, reader: "QuestionReader | None", names_in: "tuple[Catalog, Scope] | None"
) -> dict[str, Any]:
    """Return what is understood of a question, with known names; raises InvalidInput if empty."""
    from services.language.query.understand import understand

    if not question.strip():
        raise InvalidInput("The question is empty. Ask something.")
    if names_in is None:
        understanding = understand(question, reader=reader)
    else:
        from services.references.registry import Registry

        catalog, scope = names_in
        understanding = understand(
            question,
            known_names=Registry(catalog.references.aliases(scope)).names,
            reader=reader,
            lookup=lambda phrases: catalog.corpus.named_phrases(phrases, scope),
        )
    return {
        **understanding.classification.model_dump(mode="json"),
        "language": understanding.language,
        "complexity": {
            "score_rules": understanding.complexity.score,
            **understanding.complexity.model_dump(mode="json", exclude={"score"}),
        },
    }


def recorded_by(settings: Settings, sample: str) -> tuple[str, str]:
    """Return model and ISO day of a sample's recorded research; raises InvalidInput without one."""
    from services.models.recording import RECORDING, read_recording

    recording = read_recording(settings.samples / sample / RECORDING)
    return recording.model, recording.day


def verified(report: Path, documents: Path | None, settings: Settings) -> dict[str, Any]:
    """Check a report against its documents; return the findings as one JSON object.

    ``report`` is the file of a report, of quick answers, or a trace; ``documents`` the folder to
    look in, None for that of the report, and the originals in the home if there is one. Raises
    InvalidInput if the file is no report, or there is no such folder.
    """
    from services.ingestion.parse import FileParser
    from services.report_check.check import check_reports
    from services.report_check.report import read_report

    if documents is not None and not documents.is_dir():
        raise InvalidInput(
            "There is no folder {folder}. Give the folder with the documents.", folder=documents
        )
    claims = read_report(report)
    originals = settings.home / "originals"
    with closing(FileParser(settings)) as parser:
        check = check_reports(
            claims,
            documents or report.absolute().parent,
            parser,
            originals=originals if documents is None and originals.is_dir() else None,
        )
    return check.model_dump(mode="json")
