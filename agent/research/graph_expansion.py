"""Sections that the knowledge graph leads to from the passages that the search for a task found.

References of the best passages are followed anyway (``evidence.py``), but what they lead to
rarely speaks of the question itself and is dropped for it. The walk says which of these sections
the passages found have most to do with: the first of them count by the passage that cites them.
"""

from collections.abc import Sequence
from typing import Final

from agent.context import Context, TaskHit
from agent.research.tiers import MINIMUM_RELEVANCE, REFERENCE_DEPTH, at_distance
from services.domain import Passage
from services.graph.values import GraphPassage, Step
from services.language.query.values import Understanding

PLACES: Final = 2
"""Sections that the graph may bring for a task."""
SEEDS: Final = 5
"""Best passages of the search that the walk begins at."""
HINTS: Final = 12
WALKED: Final = 20
"""Passages that the graph is asked for."""


def expanded(asked: Understanding, found: Sequence[TaskHit], context: Context) -> list[TaskHit]:
    """What was found, and then at most two passages of sections that it has no evidence of.

    Args:
        asked: the task; what it names is where the walk begins besides the passages.
        found: what the search found, best first.
        context: without a graph nothing is added.
    """
    if context.graph is None or not found:
        return list(found)
    passages = context.graph.search(
        asked.question,
        context.scope,
        k=WALKED,
        hints=asked.classification.entities[:HINTS],
        seeds=[(hit.chunk_id, hit.relevance) for hit in found[:SEEDS]],
    ).passages
    chunks = context.passages.get(each.chunk_id for each in passages)
    known = {_section(hit) for hit in found if hit.relevance >= MINIMUM_RELEVANCE}
    added: dict[str, TaskHit] = {}
    for passage in passages:
        chunk, start = chunks.get(passage.chunk_id), _start(passage.path, found)
        if chunk is not None and start is not None and _section(chunk) not in known:
            known.add(_section(chunk))
            added[chunk.chunk_id] = _hit(chunk, passage, start)
        if len(added) == PLACES:
            break
    return [*(hit for hit in found if hit.chunk_id not in added), *added.values()]


def _section(chunk: Passage) -> tuple[str, str]:
    return chunk.document_id, chunk.section or chunk.chunk_id


def _start(way: Sequence[Step], found: Sequence[TaskHit]) -> TaskHit | None:
    """The found passage that a way of references begins in; None for any other way."""
    cites = all(step.kind == "cites" and not step.against for step in way)
    if not cites or not 1 <= len(way) <= REFERENCE_DEPTH or (place := way[0].place) is None:
        return None
    holding = (
        hit for hit in found if hit.text_id == place.text_id and hit.start <= place.start < hit.end
    )
    return next(holding, None)


def _hit(chunk: Passage, passage: GraphPassage, start: TaskHit) -> TaskHit:
    depth = len(passage.path)
    names = [passage.path[0].source.name, *(step.target.name for step in passage.path)]
    return TaskHit(
        **{name: getattr(chunk, name) for name in Passage.model_fields},
        relevance=at_distance(start.relevance, depth),
        source_type="graph",
        depth=depth,
        way=" › ".join(names),
        led_from=start.chunk_id,
    )
