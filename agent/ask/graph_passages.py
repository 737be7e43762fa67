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
    adjusted,
    followed,
    graph_weight,
    has_room,
    joined,
    most_of_graph,
    most_of_ties,
    walks,
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
    found = max(hit.relevance for hit in hits)
    after = adjusted(before, vector_confidence=found)
    asked = has_room(understanding, len(hits)) and (walks(before) or walks(after))
    use = GraphUse(
        weight=after,
        asked=asked,
        weight_before=before,
        vector_confidence=found,
        after_all=asked and not walks(before),
    )
    way = _Way(understanding, hits, only, context, graph, use)
    return await asyncio.to_thread(way.walked if use.asked else way.followed)


@dataclass(frozen=True)
class _Way:
    """From the passages that a search found to those that the graph leads to."""

    understanding: Understanding
    hits: Sequence[Hit]
    only: SearchFilter
    context: Context
    graph: KnowledgeGraph
    use: GraphUse

    def followed(self) -> Found:
        """The last passages replaced by the nearest that a reference ties to the best ones."""
        if (most := most_of_ties(len(self.hits))) == 0:
            return self.hits, self.use
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
        order = followed(found, {n: near[n] for n in chunks}, self._sections(chunks), most=most)
        new = {name: _hit(chunks[name], near[name], near[name]) for name in order if name in chunks}
        return self._arranged(order, new, paths, self.use)

    def walked(self) -> Found:
        """What a walk from question and best passages leads to, by the weights of both."""
        result = self.graph.search(
            self.understanding.question,
            self.context.scope,
            k=DEPTH * len(self.hits),
            hints=self.understanding.classification.entities,
            seeds=[(hit.chunk_id, hit.relevance) for hit in self.hits[:SEEDS]],
        )
        weight = adjusted(
            self.use.weight_before,
            vector_confidence=self.use.vector_confidence,
            graph_confidence=result.confidence,
        )
        found = [hit.chunk_id for hit in self.hits]
        walked = {passage.chunk_id: passage for passage in result.passages}
        others = (name for name in walked if name not in found)
        chunks = self.context.passages.get(allowed(others, self.only, self.context))
        order = joined(
            found,
            [name for name in walked if name in found or name in chunks],
            self._sections(chunks),
            most=most_of_graph(weight, len(self.hits)),
            weight=weight,
        )
        brought = [name for name in order if name not in found]
        near = self._near(brought)
        new = {name: _hit(chunks[name], walked[name].score, near[name]) for name in brought}
        told = {
            "weight": weight,
            "confidence": result.confidence,
            "entities": tuple(linked.node.name for linked in result.entities),
        }
        paths = {name: walked[name].path for name in brought}
        return self._arranged(order, new, paths, self.use.model_copy(update=told))

    def _arranged(
        self,
        order: Sequence[str],
        new: Mapping[str, Hit],
        paths: Mapping[str, tuple[Step, ...]],
        use: GraphUse,
    ) -> Found:
        """Old and new passages in their order, and the ways that led to the new ones."""
        of_id = {hit.chunk_id: hit for hit in self.hits} | dict(new)
        ways = tuple(
            GraphPath(
                chunk_id=name,
                document=hit.document,
                section=hit.section,
                path=as_text(paths[name]),
                steps=paths[name],
            )
            for name, hit in new.items()
        )
        return [of_id[name] for name in order], use.model_copy(update={"ways": ways})

    def _near(self, ids: Sequence[str]) -> dict[str, float]:
        question, scope = self.understanding.question, self.context.scope
        return self.context.retriever.relevances(question, ids, scope=scope)

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


def _hit(chunk: Passage, score: float, relevance: float) -> Hit:
    """A passage of the graph as the search would have found it."""
    return Hit(**dict(chunk), score=score, relevance=relevance, explain={})
