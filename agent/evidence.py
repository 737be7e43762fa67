"""Gathering evidence for one task: its share of the search, its sections, its references."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from agent.context import Context
from agent.models import ContextEntry, ReferenceRecord, SourceType, ToDoItem
from agent.passages import as_entry, origin
from agent.state import TaskInput
from agent.tiers import REFERENCE_DEPTH, TIER_WEIGHT, classify
from services.retrieval.scoring import min_max
from services.text import stems
from services.types import Chunk, DetectedReference, Hit

SEARCH_DEPTH = 40
CHUNKS_PER_TASK = 24
NEVER_TAKEN = 3
SECTIONS_COMPLETED = 3
SECTION_SHARE = 0.7
SECTION_CHUNKS = 6
REFERENCE_SOURCES = 4
REFERENCES_PER_TASK = 12
CHUNKS_PER_REFERENCE = 2
DOCUMENT_SEARCH = 50
REFERENCE_CHARACTERS = 24_000
"""Budget of a whole run for followed references, shared by its tasks (about 8,000 tokens)."""


@dataclass
class Gathered:
    """Evidence of a task, best tier and relevance first, and the references it met."""

    entries: list[ContextEntry] = field(default_factory=list)
    references: list[ReferenceRecord] = field(default_factory=list)


def share_out(state: TaskInput, context: Context) -> list[Hit]:
    """The chunks that belong to this task, best first: each goes to the task it fits best.

    A task's own words often leave out what the question is about ("which exceptions?"), so a
    chunk counts by its relevance to both. The sharing depends on nothing but the searches, which
    the first task makes for all of them, so a redone task gets the same chunks. The best few of a
    task stay with it even where another task claims them, or it could answer nothing.
    """
    tasks = state["todo_list"]
    found = context.searches.get(
        tuple(tasks), lambda: {task.id: _search(task, state, context) for task in tasks}
    )
    owner: dict[str, tuple[float, int]] = {}
    for task in tasks:
        for hit in found[task.id]:
            best = owner.get(hit.chunk_id)
            if best is None or hit.relevance > best[0]:
                owner[hit.chunk_id] = (hit.relevance, task.id)
    return [
        hit
        for rank, hit in enumerate(found[state["task"].id])
        if rank < NEVER_TAKEN or owner[hit.chunk_id][1] == state["task"].id
    ][:CHUNKS_PER_TASK]


def _search(task: ToDoItem, state: TaskInput, context: Context) -> list[Hit]:
    """Hits for a task alone, within the question, and what clarification found for it.

    They are ordered by the mean of relevance and fused score, stretched to the same range: the
    first knows paraphrases, the second rare words.
    """
    question = " ".join([state["query_anchor"].original_query, *refinements(state)])
    scope, found = context.scope, state["query_retrieval"]
    hits = {
        hit.chunk_id: hit
        for query in (task.task, f"{task.task} {question}")
        for hit in context.retriever.search(query, scope=scope, k=SEARCH_DEPTH)
    }
    stretched = dict(zip(hits, min_max([hit.score for hit in hits.values()]), strict=True))
    hits |= {
        name: Hit(**chunk.model_dump(), score=0.0, relevance=0.0, explain={})
        for name, chunk in context.catalog.chunks.get(found, scope=scope).items()
        if name not in hits
    }
    to_task = context.retriever.relevances(task.task, list(hits), scope=scope)
    to_question = context.retriever.relevances(question, list(hits), scope=scope)
    scored = [
        hit.model_copy(update={"relevance": (to_task[name] + to_question[name]) / 2})
        for name, hit in hits.items()
    ]
    return sorted(
        scored,
        key=lambda hit: (-hit.relevance - stretched.get(hit.chunk_id, 0.0), hit.chunk_id),
    )


def refinements(state: TaskInput) -> tuple[str, ...]:
    return state["query_anchor"].hitl_refinements


def with_section(
    relevance: dict[str, float], chunks: Sequence[Chunk | ContextEntry]
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


def gather(state: TaskInput, hits: list[Hit], context: Context) -> Gathered:
    """Classifies the hits, completes their sections, follows their references."""
    gathering = _Gathering(state, context)
    for rank, hit in enumerate(hits, start=1):
        gathering.add(hit, hit.relevance, source_type="vector_search", rank=rank)
    gathering.complete_sections(hits)
    gathering.follow_references()
    entries = sorted(gathering.entries.values(), key=lambda e: (e.tier, -e.score, e.chunk_id))
    return Gathered(entries=entries, references=gathering.references)


class _Gathering:
    """The growing evidence of one task, with its visited list and its share of the budget."""

    def __init__(self, state: TaskInput, context: Context) -> None:
        self.context = context
        self.task = state["task"]
        self.entries: dict[str, ContextEntry] = {}
        self.references: list[ReferenceRecord] = []
        self._least = state["options"].min_relevance
        self._chunks: dict[str, Chunk] = {}
        self._visited: set[str] = set()
        self._budget = REFERENCE_CHARACTERS // max(1, len(state["todo_list"]))
        anchor = state["query_anchor"]
        self._question = f"{self.task.task} {anchor.original_query}"
        self._language = anchor.detected_language
        self._entities = [set(stems(name, self._language)) for name in anchor.key_entities]

    def add(
        self, chunk: Chunk, relevance: float, *, source_type: SourceType, rank: int, depth: int = 0
    ) -> bool:
        """Takes a chunk in as evidence unless it is known or too far from the question."""
        if chunk.chunk_id in self.entries or relevance < self._least:
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
        self.entries[chunk.chunk_id] = as_entry(
            chunk,
            tier=tier,
            weight=TIER_WEIGHT[tier],
            score=relevance,
            source_type=source_type,
            query=self.task.task,
            rank=rank,
            depth=depth,
            task_id=self.task.id,
        )
        return True

    def _names_entity(self, chunk: Chunk) -> bool:
        words = set(stems(" ".join([*chunk.heading_path, chunk.text]), self._language))
        return any(entity and entity <= words for entity in self._entities)

    def complete_sections(self, hits: list[Hit]) -> None:
        """Reads the best sections whole: the exception often stands one paragraph further."""
        sections = dict.fromkeys((hit.document_id, hit.section) for hit in hits if hit.section)
        for document_id, section in list(sections)[:SECTIONS_COMPLETED]:
            chunks = self.context.catalog.chunks.of_section(
                document_id, section, scope=self.context.scope
            )
            if len(chunks) <= SECTION_CHUNKS:
                self._add_relevant(chunks, SECTION_CHUNKS, source_type="vector_search", depth=0)

    def _add_relevant(
        self, chunks: list[Chunk], most: int, *, source_type: SourceType, depth: int
    ) -> list[Chunk]:
        """Adds the nearest chunks that are near enough; returns them, best first."""
        relevance = with_section(
            self.context.retriever.relevances(
                self._question, [chunk.chunk_id for chunk in chunks], scope=self.context.scope
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
        ordered = sorted(self.entries.values(), key=lambda e: (e.tier, -e.score, e.chunk_id))
        frontier = [self._chunks[entry.chunk_id] for entry in ordered[:REFERENCE_SOURCES]]
        for depth in range(1, REFERENCE_DEPTH + 1):
            found: list[Chunk] = []
            for chunk in frontier:
                found.extend(self._follow_from(chunk, depth))
            frontier = found

    def _follow_from(self, chunk: Chunk, depth: int) -> list[Chunk]:
        added: list[Chunk] = []
        detected = self.context.catalog.references.within(chunk.document_id, chunk.start, chunk.end)
        for reference in detected:
            if len(self.references) < REFERENCES_PER_TASK and self._budget > 0:
                added.extend(self._follow(reference, chunk, depth))
        return added

    def _follow(self, reference: DetectedReference, source: Chunk, depth: int) -> list[Chunk]:
        resolution = self.context.registry.resolve(reference, from_document_id=source.document_id)
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
                task_id=self.task.id,
                source=origin(self._as_origin(source), self.context),
                text=reference.text,
                type=reference.type,
                target=reference.target,
                found=bool(chunks),
                resolved_to=name if chunks else None,
                reason=None if chunks else resolution.reason or "no such section in the corpus",
                depth=depth,
                chunk_ids=tuple(chunk.chunk_id for chunk in added),
            )
        )
        return added

    def _as_origin(self, chunk: Chunk) -> ContextEntry:
        return self.entries[chunk.chunk_id]

    def _chunks_of(self, document_id: str | None, label: str | None) -> list[Chunk]:
        """Chunks of a resolved section; for a whole document those that the question finds."""
        if document_id is None:
            return []
        chunks = self.context.catalog.chunks
        if label is not None:
            return chunks.of_section(document_id, label, scope=self.context.scope)
        hits = self.context.retriever.search(
            self._question, scope=self.context.scope, k=DOCUMENT_SEARCH
        )
        found: list[Chunk] = [hit for hit in hits if hit.document_id == document_id]
        return found[:CHUNKS_PER_REFERENCE]
