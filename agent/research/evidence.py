"""Evidence of one task: what was found for it, its sections and references, and what is quoted."""

from collections import deque
from collections.abc import Sequence
from typing import Any

from agent.context import Context, TaskHit
from agent.expect import in_their_words
from agent.models import PreservedQuote, ReferenceRecord, ToDoItem
from agent.passages import evidence_of
from agent.ranking import MOST_COMPARED, RankedSentence, distinct
from agent.research.state import TaskInput
from agent.research.tiers import REFERENCE_DEPTH, classify
from agent.sources import origin
from services.domain import (
    DetectedReference,
    Evidence,
    EvidenceSentence,
    Passage,
    PassageSpan,
)
from services.domain.notices import Notice
from services.evidence.ranking import PASSAGES_READ
from services.language.text import stems
from services.library.search import QUERY_LENGTH

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


def anchors(item: ToDoItem, state: TaskInput) -> tuple[str, ...]:
    """What the evidence of a task has to speak of: the part of the question that it is.

    Any other task has all parts. Each goes with what the person added.
    """
    task, anchor = item.task, state["query_anchor"]
    parts = state.get("parts") or (anchor.original_query,)
    own = tuple(part for part in parts if part.casefold() == task.casefold())
    return tuple(" ".join([part, *anchor.hitl_refinements]) for part in own[:1] or parts)


class Gathered:
    """The evidence of one task: its hits by tier, their sections complete, references followed.

    Where all are too far for evidence the nearest come in all the same, for the judge to read: a
    question in another language is near nothing. Each task has a visited list and its share of the
    budget.
    """

    def __init__(self, state: TaskInput, hits: list[TaskHit], context: Context) -> None:
        self._context = context
        self._task = state["task"]
        self._entries: dict[str, Evidence] = {}
        self._hits: dict[str, TaskHit] = {}
        self.references: list[ReferenceRecord] = []
        self._least = state["options"].min_relevance
        self._visited: set[str] = set()
        self._budget = REFERENCE_CHARACTERS // max(1, len(state["todo_list"]))
        anchor = state["query_anchor"]
        asked = dict.fromkeys([self._task.task, *anchors(self._task, state)])
        expected = state.get("expected", {})
        self._question = " ".join(in_their_words(each, expected) for each in asked)[:QUERY_LENGTH]
        self._language = anchor.detected_language
        self._entities = [set(stems(name, self._language)) for name in anchor.key_entities]
        for rank, hit in enumerate(hits, start=1):
            self._add(hit, rank)
        if not self._entries:
            for rank, hit in enumerate(hits[:PASSAGES_READ], start=1):
                self._add(hit, rank, otherwise=3)
        self._complete_sections(hits)
        self._follow_references()

    @property
    def entries(self) -> list[Evidence]:
        """Best tier and relevance first."""
        return sorted(self._entries.values(), key=lambda e: (e.tier, -e.score, e.chunk_id))

    def _add(self, hit: TaskHit, rank: int, otherwise: int | None = None) -> bool:
        """Takes a chunk in as evidence unless it is known or too far from the question.

        What is too far has the tier ``otherwise``, if any.
        """
        if hit.chunk_id in self._entries or hit.relevance < self._least:
            return False
        words = set(stems(" ".join([*hit.heading_path, hit.text]), self._language))
        tier = classify(
            relevance=hit.relevance,
            depth=hit.depth,
            source_type=hit.source_type,
            entity_match=any(entity and entity <= words for entity in self._entities),
        )
        tier = tier or otherwise
        if tier is None:
            return False
        self._hits[hit.chunk_id] = hit
        self._entries[hit.chunk_id] = evidence_of(
            hit,
            tier=tier,
            score=hit.relevance,
            query=self._task.task,
            rank=rank,
            task_id=self._task.id,
            **hit.model_dump(include={"source_type", "depth", "way", "led_from"}),
        )
        return True

    def _complete_sections(self, hits: list[TaskHit]) -> None:
        """Reads the best sections whole: the exception often stands one paragraph further."""
        sections = dict.fromkeys(
            (hit.document_id, hit.section)
            for hit in hits
            if hit.section and hit.source_type != "graph"
        )
        for document_id, section in list(sections)[:SECTIONS_COMPLETED]:
            chunks = self._chunks_of(document_id, section)
            if len(chunks) <= SECTION_CHUNKS:
                self._add_relevant(chunks, SECTION_CHUNKS)

    def _add_relevant(self, chunks: list[Passage], most: int, **how: Any) -> list[TaskHit]:
        """Adds the nearest chunks that are near enough; returns them, best first."""
        ids = [chunk.chunk_id for chunk in chunks]
        scope = self._context.scope
        near = self._context.retriever.relevances(self._question, ids, scope=scope)
        relevance = with_section(near, chunks)
        hits = [TaskHit.of(chunk, relevance[chunk.chunk_id], **how) for chunk in chunks]
        best = sorted(hits, key=lambda hit: (-hit.relevance, hit.start))[:most]
        return [hit for rank, hit in enumerate(best, start=1) if self._add(hit, rank)]

    def _follow_references(self) -> None:
        """Breadth first from the best evidence, each target once, within the budget."""
        references = self._context.catalog.references
        sources = deque(self._hits[entry.chunk_id] for entry in self.entries[:REFERENCE_SOURCES])
        while sources:
            if (source := sources.popleft()).depth < REFERENCE_DEPTH:
                for each in references.within(source.document_id, source.start, source.end):
                    if len(self.references) < REFERENCES_PER_TASK and self._budget > 0:
                        sources += self._follow(each, source)

    def _follow(self, reference: DetectedReference, source: TaskHit) -> list[TaskHit]:
        resolution = self._context.registry.resolve(reference, from_document_id=source.document_id)
        place = resolution.document_id, resolution.label
        target = f"{place[0]} {place[1]}" if place[0] is not None else reference.target
        if target in self._visited or place == (source.document_id, source.section):
            return []
        self._visited.add(target)
        chunks = self._chunks_of(*place)
        depth = source.depth + 1
        added = self._add_relevant(
            chunks, CHUNKS_PER_REFERENCE, source_type="reference", depth=depth
        )
        self._budget -= sum(len(hit.text) for hit in added)
        name = " ".join(part for part in (resolution.name, resolution.label) if part)
        reason = resolution.reason or Notice.of("no such section in the corpus")
        self.references.append(
            ReferenceRecord(
                task_id=self._task.id,
                source=origin(source, self._context),
                text=reference.text,
                type=reference.type,
                target=reference.target,
                found=bool(chunks),
                resolved_to=name if chunks else None,
                reason=None if chunks else reason,
                depth=depth,
                chunk_ids=tuple(hit.chunk_id for hit in added),
            )
        )
        return added

    def _chunks_of(self, document_id: str | None, label: str | None) -> list[Passage]:
        """Chunks of a resolved section; for a whole document those that the question finds."""
        if document_id is None:
            return []
        scope = self._context.scope
        if label is not None:
            return self._context.catalog.chunks.of_section(document_id, label, scope=scope)
        hits = self._context.retriever.search(self._question, scope=scope, k=DOCUMENT_SEARCH)
        nearest: list[Passage] = [hit for hit in hits if hit.document_id == document_id]
        return nearest[:CHUNKS_PER_REFERENCE]


def rank_sentences(
    state: TaskInput, entries: Sequence[Evidence], context: Context
) -> list[RankedSentence]:
    """Sentences of the evidence of a task, best first.

    A sentence counts by how surely it answers the task and a part of the question: the mean of
    both, or the first alone where the task is a part.
    """
    pairs = context.passages.sentences_of(entries)
    pairs.sort(key=lambda pair: (-pair[0].score * pair[0].weight, pair[0].chunk_id, pair[1].start))
    pairs = pairs[:MOST_COMPARED]
    relevance = [entry.score * entry.weight for entry, _ in pairs]
    sentences = [sentence for _, sentence in pairs]
    task, language = state["task"].task, state["query_anchor"].detected_language

    def scores(question: str) -> list[float]:
        near_to = in_their_words(question, state.get("expected", {}))
        return context.judge.scores(question, sentences, relevance, language, near_to=near_to)

    own = scores(task)
    others = [each for each in anchors(state["task"], state) if each.casefold() != task.casefold()]
    best_of = map(max, zip(*map(scores, others), strict=True)) if others else own
    ranked = [
        ((mine + best) / 2, sentence)
        for mine, best, sentence in zip(own, best_of, sentences, strict=True)
    ]
    best = sorted(ranked, key=lambda item: (-item[0], item[1].chunk_id, item[1].start))
    return distinct(best)


def as_quote(ranked: RankedSentence, task: ToDoItem, rank: int) -> PreservedQuote:
    """A sentence as the quote number ``rank`` (from 1) of a task."""
    score, sentence = ranked
    return PreservedQuote(
        **{name: getattr(sentence, name) for name in PassageSpan.model_fields},
        quote=sentence.quote,
        relevance_reason=task.task,
        task_id=task.id,
        rank=rank,
        score=round(score, 4),
        case=sentence.case,
    )


def as_sentence(quote: PreservedQuote, passage: Passage | None = None) -> EvidenceSentence:
    """A quote as a sentence of its passage."""
    path = passage.heading_path if passage else ()
    return EvidenceSentence(
        **{name: getattr(quote, name) for name in PassageSpan.model_fields},
        quote=quote.quote,
        case=quote.case,
        heading=path[-1] if path else "",
        context="\n".join([*path, passage.text]) if passage else quote.quote,
    )
