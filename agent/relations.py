"""What new documents replace, amend or repeal, as a model that reads tells from their sentences.

Without one the forms count that `services.references.relations` knows.
"""

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

from pydantic import BaseModel

from agent.examination import may_read, reading
from agent.prompts import PromptInput, PromptTask
from services.build import Services
from services.domain import (
    DetectedReference,
    IngestReport,
    ParsedDocument,
    Principal,
)
from services.domain.errors import InvalidGeneration, RabbitholeError
from services.library.relations import statement
from services.models.tasks import TaskRunner
from services.references.registry import Registry

MOST: Final = 40
"""Most sentences of a document that a model is asked about, those of a known form first."""
AT_ONCE: Final = 20


class Candidate(NamedTuple):
    """A reference to another document by its number, and the sentence around it."""

    n: int
    reference: DetectedReference
    sentence: str


class RelationsInput(PromptInput):
    title: str
    lines: str
    count: int


class Related(BaseModel):
    number: int
    kind: Literal["replaces", "amends", "repeals", "none"]


class RelatedList(BaseModel):
    relations: list[Related]


class TellRelations(PromptTask[RelationsInput, dict[int, Related] | None]):
    """Tell what each sentence does to the document that it names; None without a model."""

    name = "relations"
    schema = RelatedList
    max_tokens = 1_000

    def check(self, inp: RelationsInput, output: RelatedList) -> dict[int, Related]:
        by_number = {related.number: related for related in output.relations}
        if lacking := [n for n in range(1, inp.count + 1) if n not in by_number]:
            raise InvalidGeneration("no reading of statement {numbers}", numbers=str(lacking[0]))
        return by_number

    def fallback(self, inp: RelationsInput) -> None:
        return None


async def read_relations(
    report: IngestReport, collection: str, principal: Principal, services: Services
) -> None:
    """Have the model in use decide about the documents that an ingestion brought, if it reads."""
    new = [file.document_id for file in report.files if file.status in ("added", "updated")]
    scope = services.library.scope(principal, [collection])
    registry = Registry(services.catalog.references.aliases(scope))
    by_document = {name: _candidates(name, registry, services) for name in filter(None, new)}
    if not any(by_document.values()) or not may_read(services):
        return
    try:
        model = await services.chat_model()
    except RabbitholeError:
        return  # a question will say so
    if model is None or not reading(services, model.name).reads:
        return
    tasks = TaskRunner(model, deadline_s=services.settings.call_deadline_s, caller=principal.user)
    for document_id, candidates in by_document.items():
        parsed = services.catalog.documents.parsed(document_id)
        for first in range(0, len(candidates), AT_ONCE):
            some = candidates[first : first + AT_ONCE]
            result = await tasks.run(TellRelations(), _input(parsed, some))
            if result.value is not None:
                kinds = {
                    candidate.n: result.value[n].kind for n, candidate in enumerate(some, start=1)
                }
                relations = {n: None if kind == "none" else kind for n, kind in kinds.items()}
                services.catalog.documents.relate(scope.collections[0], document_id, relations)


def _input(parsed: ParsedDocument, some: Sequence[Candidate]) -> RelationsInput:
    lines = [
        f"{n}. {candidate.sentence} [{candidate.reference.target}]"
        for n, candidate in enumerate(some, 1)
    ]
    return RelationsInput(
        language=parsed.language, title=parsed.title, lines="\n".join(lines), count=len(some)
    )


def _candidates(document_id: str, registry: Registry, services: Services) -> list[Candidate]:
    """Return the references of a document to others, those of a known form first."""
    documents = services.catalog.documents
    text, candidates = documents.text(document_id), list[Candidate]()
    for n, reference in services.catalog.references.to_documents(document_id):
        target = registry.resolve(reference, from_document_id=document_id).document_id
        if target not in (None, document_id):
            section = documents.section_of(document_id, reference.start)
            start, end = statement(text, reference, section)
            candidates.append(Candidate(n, reference, " ".join(text[start:end].split())))
    return sorted(candidates, key=lambda candidate: candidate.reference.relation is None)[:MOST]
