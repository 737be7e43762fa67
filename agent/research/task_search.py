"""What the search for each task of a plan finds, and which task each passage goes to.

References of the best passages are followed anyway (``evidence.py``), but what they lead to
rarely speaks of the question itself and is dropped for it. A walk through the knowledge graph says
which of these sections the passages found have most to do with: the first of them count by the
passage that cites them.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from agent.context import Context, TaskHit
from agent.expect import in_their_words
from agent.models import ToDoItem
from agent.research.evidence import anchors
from agent.research.state import TaskInput
from agent.research.tiers import MINIMUM_RELEVANCE, REFERENCE_DEPTH, at_distance
from services.domain import Hit, Passage
from services.graph.values import GraphPassage, Step
from services.language.query.understand import understand
from services.language.query.values import Understanding
from services.retrieval.scoring import min_max

SEARCH_DEPTH: Final = 40
CHUNKS_PER_TASK: Final = 24
NEVER_TAKEN: Final = 3
PLACES: Final = 2
"""Sections that the graph may bring for a task."""
SEEDS: Final = 5
"""Best passages of the search that the walk begins at."""
HINTS: Final = 12
WALKED: Final = 20
"""Passages that the graph is asked for."""


def share_out(state: TaskInput, context: Context) -> list[TaskHit]:
    """The chunks that belong to this task, best first: each goes to the task it fits best.

    A task's own words often leave out what the question is about ("which exceptions?"), so a
    chunk counts by its relevance to both. The sharing depends on nothing but the searches, which
    the first task makes for all of them, so a redone task gets the same chunks. The best few of a
    task stay with it even where another task claims them, or it could answer nothing. So does what
    the graph led to from there.
    """
    tasks = state["todo_list"]
    found = context.searches.get(
        tuple(tasks), lambda: {task.id: search_task(task, state, context) for task in tasks}
    )
    owner: dict[str, tuple[float, int]] = {}
    for task in tasks:
        for hit in _searched(found[task.id]):
            best = owner.get(hit.chunk_id)
            if best is None or hit.relevance > best[0]:
                owner[hit.chunk_id] = (hit.relevance, task.id)
    own = found[state["task"].id]
    searched = [
        hit
        for rank, hit in enumerate(_searched(own))
        if rank < NEVER_TAKEN or owner[hit.chunk_id][1] == state["task"].id
    ]
    return [*searched[:CHUNKS_PER_TASK], *(hit for hit in own if hit.source_type == "graph")]


def _searched(hits: Iterable[TaskHit]) -> list[TaskHit]:
    return [hit for hit in hits if hit.source_type != "graph"]


def search_task(task: ToDoItem, state: TaskInput, context: Context) -> list[TaskHit]:
    """Hits for a task and for what it names, what clarification found, and where that leads.

    They are ordered by the mean of relevance, to the task and to a part of the question, and fused
    score, stretched to the same range: the first knows paraphrases, the second rare words. What the
    graph leads to comes last.
    """
    anchor, scope = state["query_anchor"], context.scope
    asked_for = anchors(task, state)
    question = asked_for[0] if len(asked_for) == 1 else anchor.original_query
    asked = understand(task.task, language=anchor.detected_language)
    expected = state.get("expected", {})
    hits: dict[str, Hit] = {}
    for query in sub_queries(asked, question, task.subtasks):
        words = in_their_words(query, expected)
        for hit in context.retriever.search(words, scope=scope, k=SEARCH_DEPTH):
            if hit.chunk_id not in hits or hits[hit.chunk_id].score < hit.score:
                hits[hit.chunk_id] = hit
    stretched = dict(zip(hits, min_max([hit.score for hit in hits.values()]), strict=True))
    others = [name for name in state["query_retrieval"] if name not in hits]
    chunks: dict[str, Passage] = {**hits, **context.passages.get(others)}
    to_task, *to_parts = (
        context.retriever.relevances(in_their_words(text, expected), list(chunks), scope=scope)
        for text in (task.task, *asked_for)
    )
    found = [
        TaskHit.of(chunk, (to_task[name] + max(each[name] for each in to_parts)) / 2)
        for name, chunk in chunks.items()
    ]
    found.sort(key=lambda hit: (-hit.relevance - stretched.get(hit.chunk_id, 0.0), hit.chunk_id))
    return expanded(asked, found, context)


def sub_queries(asked: Understanding, question: str, subtasks: Sequence[str] = ()) -> list[str]:
    """What is searched for: the task alone, within the question, and its parts if several."""
    task, parts = asked.question, subtasks or asked.subquestions
    whole = (task, f"{task} {question}")
    return list(dict.fromkeys([*whole, *(parts if subtasks or len(parts) > 1 else ())]))


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
    return TaskHit.of(
        chunk,
        at_distance(start.relevance, depth),
        source_type="graph",
        depth=depth,
        way=" › ".join(names),
        led_from=start.chunk_id,
    )
