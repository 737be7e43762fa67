"""Passages that the knowledge graph leads to, beside those that the search found.

The search goes first, since its best passages are where the graph's walk begins too; the walk takes
some milliseconds. Where the graph is not walked, one step of references is followed either way: who
asks for one thing often needs a second section all the same, which says what the first means by
it, and whose words the question lacks. Without a graph nothing here runs.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from agent.ask.models import GraphPath, GraphUse
from agent.context import Context
from agent.graph_paths import as_text
from services.domain import Hit, Passage, SearchFilter
from services.domain.notices import Notice
from services.graph.search import KnowledgeGraph
from services.graph.values import Step
from services.language.query.values import Understanding
from services.retrieval.graph_share import (
    SKIP_BELOW,
    adjust_weight,
    append_referenced,
    graph_weight,
    has_room,
    max_graph_passages,
    max_referenced_passages,
    merge_graph,
)

FROM: Final = 3
"""Best passages whose references are followed."""
LOOKED_AT: Final = 20
"""Nearest passages that are read, to tell their sections apart."""
SEEDS: Final = 5
"""Best passages of the search that the walk begins at."""
DEPTH: Final = 2
"""Passages that the graph is asked for, for each that is wanted."""

Found = tuple[Sequence[Hit], GraphUse | None]
"""The passages of a search with the graph, and what it did; None without one."""

GRAPH_LOADING: Final = Notice.of(
    "The knowledge graph is large and is being loaded; this answer was found without "
    "it. Ask again in a minute."
)


def usable_graph(context: Context) -> tuple[KnowledgeGraph | None, bool]:
    """The graph, if anything of the scope is in it; without it, whether it is being loaded."""
    graph = context.graph
    if graph is None or not graph.has_graph(context.scope):
        return None, False
    return (graph, False) if graph.ready(context.scope) else (None, True)


async def with_graph(
    understanding: Understanding, hits: Sequence[Hit], only: SearchFilter, context: Context
) -> Found:
    """The passages found, some of them replaced by what the graph leads to, in a new order.

    ``only``: where the search has looked, and where passages of the graph may be from.
    """
    graph = context.graph
    if graph is None or not hits:
        return hits, None
    if not await asyncio.to_thread(graph.ready, context.scope):
        return hits, GraphUse(weight=0.0, asked=False, loading=True)
    before = graph_weight(understanding.classification)
    nearest = max(hit.relevance for hit in hits)
    after = adjust_weight(before, vector_confidence=nearest)
    asked = has_room(understanding, len(hits)) and max(before, after) >= SKIP_BELOW
    use = GraphUse(
        weight=after,
        asked=asked,
        weight_before=before,
        vector_confidence=nearest,
        after_all=asked and before < SKIP_BELOW,
    )
    expansion = _Expansion(understanding.question, hits, only, context, graph)
    if asked:
        hints = understanding.classification.entities
        return await asyncio.to_thread(expansion.walked, use, hints)
    return await asyncio.to_thread(expansion.followed, use)


@dataclass(frozen=True)
class _Expansion:
    """From the passages that a search found to those that the graph leads to."""

    question: str
    hits: Sequence[Hit]
    only: SearchFilter
    context: Context
    graph: KnowledgeGraph

    def followed(self, use: GraphUse) -> Found:
        """The last passages replaced by the nearest that a reference ties to the best ones."""
        if (most := max_referenced_passages(len(self.hits))) == 0:
            return self.hits, use
        found = [hit.chunk_id for hit in self.hits]
        paths = {
            name: (tied.step,)
            for tied in self.graph.reference_neighbours(found[:FROM], self.context.scope)
            for name in tied.chunk_ids
            if set(found).isdisjoint(tied.chunk_ids)
        }
        near = self._near(allowed(paths, self.only, self.context))
        nearest = sorted(near, key=lambda name: (-near[name], name))[:LOOKED_AT]
        chunks = self.context.passages.get(nearest)
        order = append_referenced(
            found, {n: near[n] for n in chunks}, self._sections(chunks), limit=most
        )
        return self._arranged(order, chunks, near, near, paths, use)

    def walked(self, use: GraphUse, hints: Sequence[str]) -> Found:
        """What a walk from question and best passages leads to, by the weights of both."""
        result = self.graph.search(
            self.question,
            self.context.scope,
            k=DEPTH * len(self.hits),
            hints=hints,
            seeds=[(hit.chunk_id, hit.relevance) for hit in self.hits[:SEEDS]],
        )
        weight = adjust_weight(
            use.weight_before,
            vector_confidence=use.vector_confidence,
            graph_confidence=result.confidence,
        )
        found = [hit.chunk_id for hit in self.hits]
        scores = {passage.chunk_id: passage.score for passage in result.passages}
        others = (name for name in scores if name not in found)
        chunks = self.context.passages.get(allowed(others, self.only, self.context))
        order = merge_graph(
            found,
            [name for name in scores if name in found or name in chunks],
            self._sections(chunks),
            limit=max_graph_passages(weight, len(self.hits)),
            weight=weight,
        )
        near = self._near([name for name in order if name not in found])
        names = tuple(linked.node.name for linked in result.entities)
        told = {"weight": weight, "confidence": result.confidence, "entities": names}
        paths = {passage.chunk_id: passage.path for passage in result.passages}
        return self._arranged(order, chunks, scores, near, paths, use.model_copy(update=told))

    def _arranged(
        self,
        order: Sequence[str],
        chunks: Mapping[str, Passage],
        scores: Mapping[str, float],
        near: Mapping[str, float],
        paths: Mapping[str, tuple[Step, ...]],
        use: GraphUse,
    ) -> Found:
        """Old and new passages in their order, and the ways that led to the new ones."""
        of_id = {hit.chunk_id: hit for hit in self.hits}
        ways = []
        for name in order:
            if name not in of_id:
                new = Hit(
                    **dict(chunks[name]), score=scores[name], relevance=near[name], explain={}
                )
                of_id[name] = new
                way = {"document": new.document, "section": new.section}
                path = paths[name]
                ways.append(GraphPath(chunk_id=name, path=as_text(path), steps=path, **way))
        return [of_id[name] for name in order], use.model_copy(update={"ways": tuple(ways)})

    def _near(self, ids: Sequence[str]) -> dict[str, float]:
        return self.context.retriever.relevances(self.question, ids, scope=self.context.scope)

    def _sections(self, chunks: Mapping[str, Passage]) -> dict[str, str]:
        """The section of each passage by its id."""
        passages = (*self.hits, *chunks.values())
        return {p.chunk_id: f"{p.document_id} {p.section or p.chunk_id}" for p in passages}


def allowed(chunk_ids: Iterable[str], only: SearchFilter, context: Context) -> list[str]:
    """Those of the passages that the filter of a search lets through."""
    ids = list(chunk_ids)
    if only.neutral:
        return ids
    found = context.catalog.filters.among(ids, only, scope=context.scope)
    return [each for each in ids if each in found]
