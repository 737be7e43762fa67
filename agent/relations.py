"""What new documents replace, amend or repeal, as a model that reads tells from their sentences.

Without one the forms count that `services.references.relations` knows.
"""

import asyncio
import time
from collections.abc import Iterable, Sequence
from typing import Final, Literal, NamedTuple

from pydantic import BaseModel

from agent.prompts import PromptInput, PromptTask
from agent.prompts.grids import missing_numbers
from agent.reading_test.tester import may_read, reading
from services.build import Services
from services.domain import DetectedReference, IngestReport, ParsedDocument, Principal, Scope
from services.domain.errors import InvalidGeneration, RabbitholeError
from services.library.relations import statement
from services.models.tasks import TaskRunner
from services.references.registry import Registry
from services.references.relations import name_behind

MOST: Final = 40
"""Most sentences of a document that a model is asked about, those of a known form first."""
AT_ONCE: Final = 20
LONGEST_S: Final = 60.0


class RelationCandidate(NamedTuple):
    """A reference by its number, the name of the document that it leads to, and its sentence."""

    n: int
    reference: DetectedReference
    document: str
    sentence: str

    def related(self, kind: str) -> DetectedReference:
        if kind == "none":
            return self.reference.model_copy(update={"relation": None})
        named = self.reference.document or self.document
        return self.reference.model_copy(update={"relation": kind, "document": named})


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
        if lacking := missing_numbers(by_number, range(1, inp.count + 1)):
            raise InvalidGeneration("no verdict on statement {numbers}", numbers=lacking)
        return by_number


async def read_relations(
    report: IngestReport, collection: str, principal: Principal, services: Services
) -> None:
    """Have the model decide about new documents, if it reads, for up to ``LONGEST_S`` seconds."""
    if not await asyncio.to_thread(may_read, services):
        return
    new = [file.document_id for file in report.files if file.status in ("added", "updated")]
    scope = await asyncio.to_thread(services.library.scope, principal, [collection])
    by_document = await asyncio.to_thread(_candidates_of, filter(None, new), scope, services)
    if not any(by_document.values()):
        return
    try:
        model = await services.chat_model()
    except RabbitholeError:
        return  # a question will say so
    if model is None or not reading(services, model.name).reads:
        return
    tasks = TaskRunner(model, deadline_s=services.settings.call_deadline_s, caller=principal.user)
    ends, relate = time.monotonic() + LONGEST_S, services.catalog.documents.relate
    for document_id, candidates in by_document.items():
        parsed = services.catalog.documents.parsed(document_id)
        for first in range(0, len(candidates), AT_ONCE):
            if time.monotonic() > ends:
                return
            some = candidates[first : first + AT_ONCE]
            result = await tasks.run(TellRelations(), _input(parsed, some))
            if result.value is not None:
                related = {
                    candidate.n: candidate.related(result.value[n].kind)
                    for n, candidate in enumerate(some, start=1)
                }
                await asyncio.to_thread(relate, scope.collections[0], document_id, related)


def _input(parsed: ParsedDocument, some: Sequence[RelationCandidate]) -> RelationsInput:
    lines = [
        f"{n}. {candidate.sentence} [{candidate.reference.target}, {candidate.document}]"
        for n, candidate in enumerate(some, 1)
    ]
    return RelationsInput(
        language=parsed.language, title=parsed.title, lines="\n".join(lines), count=len(some)
    )


def _candidates_of(
    document_ids: Iterable[str], scope: Scope, services: Services
) -> dict[str, list[RelationCandidate]]:
    registry = Registry(services.catalog.references.aliases(scope))
    return {name: _candidates(name, registry, services) for name in document_ids}


def _candidates(
    document_id: str, registry: Registry, services: Services
) -> list[RelationCandidate]:
    """Return the references of a document to others, those of a known form first."""
    documents = services.catalog.documents
    text, candidates = documents.text(document_id), list[RelationCandidate]()
    references = services.catalog.references.within(document_id, 0, len(text))
    for n, reference in enumerate(references):
        target = registry.resolve(reference, from_document_id=document_id).document_id
        if reference.document is None:  # of a document with a name of its own, if it is one
            named = registry.begun_with(name_behind(text, reference.end))
            target = named[0] if len(named) == 1 else None
        if target is not None and target != document_id:
            section = documents.section_of(document_id, reference.start)
            start, end = statement(text, reference, section)
            name = registry.file_of(target).rsplit(".", 1)[0]
            candidates.append(
                RelationCandidate(n, reference, name, " ".join(text[start:end].split()))
            )
    return sorted(candidates, key=lambda candidate: candidate.reference.relation is None)[:MOST]
