"""Gathering evidence for one task: what was found for it, its sections, its references."""

from collections.abc import Sequence

from agent.context import Context, TaskHit
from agent.models import ReferenceRecord
from agent.passages import evidence_of
from agent.research.state import TaskInput
from agent.research.tiers import REFERENCE_DEPTH, classify
from agent.sources import origin
from services.domain import DetectedReference, Evidence, Passage, SourceType
from services.domain.notices import Notice
from services.language.text import stems

SECTIONS_COMPLETED = 3
SECTION_SHARE = 0.7
SECTION_CHUNKS = 6
REFERENCE_SOURCES = 4
REFERENCES_PER_TASK = 12
CHUNKS_PER_REFERENCE = 2
DOCUMENT_SEARCH = 50
REFERENCE_CHARACTERS = 24_000
"""Budget of a whole run for followed references, shared by its tasks (about 8,000 tokens)."""


def with_section(
    relevance: dict[str, float], chunks: Sequence[Passage | Evidence]
) -> dict[str, float]:
    """Relevance in view of the section: a chunk counts at least 0.7 of its section's best.

    The sentence that answers often stands in a paragraph that takes its subject from the
    paragraph before.
    """
    best: dict[tuple[str, str], float] = {}
    for chunk in chunks:
        place = chunk.document_id, chunk.section
        best[place] = max(best.get(place, 0.0), relevance.get(chunk.chunk_id, 0.0))
    return {
        chunk.chunk_id: max(
            relevance.get(chunk.chunk_id, 0.0),
            SECTION_SHARE * best[chunk.document_id, chunk.section] if chunk.section else 0.0,
        )
        for chunk in chunks
    }


def gather(state: TaskInput, hits: list[TaskHit], context: Context) -> "Gathered":
    """Classifies the hits, completes their sections, follows their references."""
    gathering = Gathered(state, context)
    for rank, hit in enumerate(hits, start=1):
        found = hit.model_dump(include={"source_type", "depth", "way", "led_from"})
        gathering.add(hit, hit.relevance, rank=rank, **found)
    gathering.complete_sections(hits)
    gathering.follow_references()
    return gathering


class Gathered:
    """The growing evidence of one task, with its visited list and its share of the budget."""

    def __init__(self, state: TaskInput, context: Context) -> None:
        self._context = context
        self._task = state["task"]
        self._entries: dict[str, Evidence] = {}
        self.references: list[ReferenceRecord] = []
        self._least = state["options"].min_relevance
        self._chunks: dict[str, Passage] = {}
        self._visited: set[str] = set()
        self._budget = REFERENCE_CHARACTERS // max(1, len(state["todo_list"]))
        anchor = state["query_anchor"]
        self._question = f"{self._task.task} {anchor.original_query}"
        self._language = anchor.detected_language
        self._entities = [set(stems(name, self._language)) for name in anchor.key_entities]

    def add(
        self,
        chunk: Passage,
        relevance: float,
        *,
        source_type: SourceType,
        rank: int,
        depth: int = 0,
        **way: str,
    ) -> bool:
        """Takes a chunk in as evidence unless it is known or too far from the question."""
        if chunk.chunk_id in self._entries or relevance < self._least:
            return False
        tier = classify(
            relevance=relevance,
            depth=depth,
            source_type=source_type,
            entity_match=self._names_entity(chunk),
        )
        if tier is None:
            return False
        self._chunks[chunk.chunk_id] = chunk
        self._entries[chunk.chunk_id] = evidence_of(
            chunk,
            tier=tier,
            score=relevance,
            source_type=source_type,
            query=self._task.task,
            rank=rank,
            depth=depth,
            task_id=self._task.id,
            **way,
        )
        return True

    @property
    def entries(self) -> list[Evidence]:
        """Best tier and relevance first."""
        return sorted(self._entries.values(), key=lambda e: (e.tier, -e.score, e.chunk_id))

    def _names_entity(self, chunk: Passage) -> bool:
        words = set(stems(" ".join([*chunk.heading_path, chunk.text]), self._language))
        return any(entity and entity <= words for entity in self._entities)

    def complete_sections(self, hits: list[TaskHit]) -> None:
        """Reads the best sections whole: the exception often stands one paragraph further."""
        sections = dict.fromkeys(
            (hit.document_id, hit.section)
            for hit in hits
            if hit.section and hit.source_type != "graph"
        )
        for document_id, section in list(sections)[:SECTIONS_COMPLETED]:
            chunks = self._context.catalog.chunks.of_section(
                document_id, section, scope=self._context.scope
            )
            if len(chunks) <= SECTION_CHUNKS:
                self._add_relevant(chunks, SECTION_CHUNKS, source_type="vector_search", depth=0)

    def _add_relevant(
        self, chunks: list[Passage], most: int, *, source_type: SourceType, depth: int
    ) -> list[Passage]:
        """Adds the nearest chunks that are near enough; returns them, best first."""
        relevance = with_section(
            self._context.retriever.relevances(
                self._question, [chunk.chunk_id for chunk in chunks], scope=self._context.scope
            ),
            chunks,
        )
        best = sorted(chunks, key=lambda c: (-relevance.get(c.chunk_id, 0.0), c.start))
        return [
            chunk
            for rank, chunk in enumerate(best[:most], start=1)
            if self.add(
                chunk,
                relevance.get(chunk.chunk_id, 0.0),
                source_type=source_type,
                rank=rank,
                depth=depth,
            )
        ]

    def follow_references(self) -> None:
        """Breadth first from the best evidence, each target once, within the budget."""
        frontier = [self._chunks[entry.chunk_id] for entry in self.entries[:REFERENCE_SOURCES]]
        while frontier:
            frontier = [found for chunk in frontier for found in self._follow_from(chunk)]

    def _follow_from(self, chunk: Passage) -> list[Passage]:
        added: list[Passage] = []
        depth = self._entries[chunk.chunk_id].depth + 1
        if depth > REFERENCE_DEPTH:
            return added
        detected = self._context.catalog.references.within(
            chunk.document_id, chunk.start, chunk.end
        )
        for reference in detected:
            if len(self.references) < REFERENCES_PER_TASK and self._budget > 0:
                added.extend(self._follow(reference, chunk, depth))
        return added

    def _follow(self, reference: DetectedReference, source: Passage, depth: int) -> list[Passage]:
        resolution = self._context.registry.resolve(reference, from_document_id=source.document_id)
        resolved = resolution.document_id is not None
        target = f"{resolution.document_id} {resolution.label}" if resolved else reference.target
        own_section = (
            resolution.document_id == source.document_id and resolution.label == source.section
        )
        if target in self._visited or own_section:
            return []
        self._visited.add(target)
        chunks = self._chunks_of(resolution.document_id, resolution.label)
        added = self._add_relevant(
            chunks, CHUNKS_PER_REFERENCE, source_type="reference", depth=depth
        )
        self._budget -= sum(len(chunk.text) for chunk in added)
        name = " ".join(part for part in (resolution.name, resolution.label) if part)
        self.references.append(
            ReferenceRecord(
                task_id=self._task.id,
                source=origin(self._entries[source.chunk_id], self._context),
                text=reference.text,
                type=reference.type,
                target=reference.target,
                found=bool(chunks),
                resolved_to=name if chunks else None,
                reason=None
                if chunks
                else resolution.reason or Notice.of("no such section in the corpus"),
                depth=depth,
                chunk_ids=tuple(chunk.chunk_id for chunk in added),
            )
        )
        return added

    def _chunks_of(self, document_id: str | None, label: str | None) -> list[Passage]:
        """Chunks of a resolved section; for a whole document those that the question finds."""
        if document_id is None:
            return []
        chunks = self._context.catalog.chunks
        if label is not None:
            return chunks.of_section(document_id, label, scope=self._context.scope)
        hits = self._context.retriever.search(
            self._question, scope=self._context.scope, k=DOCUMENT_SEARCH
        )
        found: list[Passage] = [hit for hit in hits if hit.document_id == document_id]
        return found[:CHUNKS_PER_REFERENCE]
