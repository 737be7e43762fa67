"""Clarification: look into the corpus first, then ask only what would change the search.

A question to the person is worth asking only if its answers change what is found.
"""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from itertools import combinations
from typing import Final

from langgraph.types import interrupt

from agent.context import Context
from agent.models import RetrievalRecord, Turn
from agent.passages import evidence_of
from agent.prompts.research import (
    AnalysisInput,
    AnalyzeRetrieval,
    AskQuestions,
    QueriesInput,
    QuestionOutput,
    QuestionsInput,
    SearchQueries,
)
from agent.research.assumptions import assumptions, corrected
from agent.research.outline import Part, coverage, judge_parts, nearest_sentences
from agent.research.plans import analyse, make_anchor
from agent.research.state import ResearchState
from agent.research.tiers import MINIMUM_RELEVANCE, SECONDARY_RELEVANCE, converged, dedup_ratio
from agent.sources import section_names, titled_origin
from agent.step import Step, Update, node
from services.domain import Evidence, Hit
from services.domain.events import (
    AnswerGiven,
    AssumptionsCorrected,
    ClarificationEnded,
    QuestionsAsked,
    RetrievalIteration,
)
from services.language.query.language import detect_language
from services.retrieval.scoring import reciprocal_rank

END_COMMAND = "/end"
SHOWN_SECTIONS = 6

MOST_READINGS: Final = 3
TOP: Final = 5
"""Passages that two readings are compared by."""

SAME: Final = 2 / 3
"""Share of the top passages in common from which on two readings are one."""


@node
async def hitl_init(state: ResearchState, step: Step) -> Update:
    """Detects the language and what the question asks for, without a model."""
    query, context = state["query"], step.context
    language = detect_language(query, default="en")
    for notice in await asyncio.to_thread(context.services.library.unfinished, context.scope):
        step.warn(notice)
    return {
        "detected_language": language,
        "query_analysis": analyse(query, language, step.context.searched),
        "hitl_active": state["options"].clarify,
        "hitl_iteration": 0,
        "hitl_conversation_history": [Turn(role="user", content=query)],
        "hitl_refinements": [],
        "iteration_queries": [],
        "retrieval_history": [],
        "query_retrieval": [],
        "knowledge_gaps": [],
    }


@node
async def hitl_generate_queries(state: ResearchState, step: Step) -> Update:
    """The question itself and two alternatives."""
    earlier = [query for queries in state["iteration_queries"] for query in queries]
    alternatives = await step.run(
        SearchQueries(),
        QueriesInput(
            question=state["query"],
            language=state["detected_language"],
            refinements=tuple(state["hitl_refinements"]),
            gaps=tuple(state["knowledge_gaps"]),
            earlier=tuple(earlier),
        ),
    )
    first = " ".join([state["query"], *state["hitl_refinements"][-1:]])
    return {"iteration_queries": [*state["iteration_queries"], [first, *alternatives]]}


@node
async def hitl_retrieve_chunks(state: ResearchState, step: Step) -> Update:
    """Searches with every query; chunks seen in an earlier iteration count as duplicates."""
    queries = state["iteration_queries"][-1]
    searches = [asyncio.to_thread(_looked, query, state, step.context) for query in queries]
    results = dict(zip(queries, await asyncio.gather(*searches), strict=True))
    entries = _clarification_entries(results)
    seen = set(state["query_retrieval"])
    new = [chunk_id for chunk_id in entries if chunk_id not in seen]
    record = RetrievalRecord(
        iteration=state["hitl_iteration"],
        queries=tuple(queries),
        hits=len(entries),
        new=len(new),
        duplicates=len(entries) - len(new),
        dedup_ratio=dedup_ratio(hits=len(entries), seen=len(entries) - len(new)),
    )
    return {
        "query_retrieval": [*state["query_retrieval"], *new],
        "evidence": {chunk_id: entries[chunk_id] for chunk_id in new},
        "retrieval_history": [*state["retrieval_history"], record],
    }


def _looked(query: str, state: ResearchState, context: Context) -> list[Hit]:
    options = state["options"]
    return context.retriever.search(query, scope=context.scope, k=options.k, options=options.look)


def _clarification_entries(results: dict[str, list[Hit]]) -> dict[str, Evidence]:
    """Each chunk once, with its best relevance and its rank over all queries; enters tier 3."""
    rankings = {q: [(hit.chunk_id, hit.score) for hit in hits] for q, hits in results.items()}
    fused = reciprocal_rank(rankings, {})
    ranks = {chunk_id: rank for rank, (chunk_id, _) in enumerate(fused, start=1)}
    best: dict[str, tuple[Hit, str]] = {}
    for query, hits in results.items():
        for hit in hits:
            if hit.relevance < MINIMUM_RELEVANCE:
                continue
            if hit.chunk_id not in best or hit.relevance > best[hit.chunk_id][0].relevance:
                best[hit.chunk_id] = (hit, query)
    return {
        chunk_id: evidence_of(
            hit,
            tier=3,
            score=hit.relevance,
            source_type="hitl",
            query=query,
            rank=ranks[chunk_id],
        )
        for chunk_id, (hit, query) in best.items()
    }


@node
async def hitl_analyze_retrieval(state: ResearchState, step: Step) -> Update:
    """Coverage by the judge: the share of the question's parts that the evidence answers.

    Gaps are the parts that nothing answers, and what else the model misses.
    """
    context, language = step.context, state["detected_language"]
    asked = state["query_analysis"].facets or (state["query"],)
    pairs = await asyncio.to_thread(nearest_sentences, state["evidence"].values(), context)
    parts = await asyncio.to_thread(judge_parts, asked, pairs, language, context, {})
    covered = round(coverage(parts), 4)
    near = (each for each in state["evidence"].values() if each.score >= SECONDARY_RELEVANCE)
    found = sorted(near, key=lambda entry: (-entry.score, entry.chunk_id))
    names = list(section_names(found, context))[:SHOWN_SECTIONS]
    readings = competing(parts, context)
    task = AnalyzeRetrieval()
    inp = AnalysisInput(
        question=state["query"],
        language=language,
        found=tuple(names),
        missing=tuple(part.text for part in parts if part.certainty == "refused"),
        complete=covered == 1.0,
        readings=readings,
    )
    # Whether to ask is what the model is for here: without asking, code's analysis will do.
    analysis = await step.run(task, inp) if state["hitl_active"] else task.fallback(inp)
    assumed = state["query_analysis"].assumed_context
    if state["hitl_iteration"] == 0:
        assumed = await asyncio.to_thread(_assumed, analysis.assumptions, found, state, step)
    *before, last = state["retrieval_history"]
    record = last.model_copy(update={"coverage": covered, "gaps": analysis.gaps})
    step.emit(RetrievalIteration(**dict(record), found=tuple(names)))
    needed = analysis.clarification_needed
    learned = {"clarification_needed": needed, "assumed_context": assumed}
    return {
        "knowledge_gaps": list(analysis.gaps),
        "hitl_found": names,
        "hitl_readings": readings,
        "retrieval_history": [*before, record],
        "query_analysis": state["query_analysis"].model_copy(update=learned),
    }


def _assumed(
    proposed: Sequence[str], found: Sequence[Evidence], state: ResearchState, step: Step
) -> tuple[str, ...]:
    """What code can tell, and of the model's proposals those that would change what is found."""
    query, context = state["query"], step.context
    stated = assumptions(state["query_analysis"], found, state["detected_language"], context)

    def top(text: str) -> list[str]:
        return [hit.chunk_id for hit in _looked(text, state, context)][:TOP]

    plain = top(query) if proposed else []
    return (*stated, *(each for each in proposed if differ([plain, top(f"{query} {each}")])))


@node
async def hitl_generate_questions(state: ResearchState, step: Step) -> Update:
    """Questions whose answers would change what is found; without one the asking ends."""
    asked = [turn.content for turn in state["hitl_conversation_history"] if turn.role != "user"]
    proposed = await step.run(
        AskQuestions(),
        QuestionsInput(
            question=state["query"],
            language=state["detected_language"],
            found=tuple(state["hitl_found"]),
            gaps=tuple(state["knowledge_gaps"]),
            readings=state.get("hitl_readings", ()),
            asked=tuple(line for text in asked for line in text.splitlines()),
        ),
    )

    def search(query: str) -> list[str]:
        return [hit.chunk_id for hit in _looked(query, state, step.context)]

    said = " ".join([state["query"], *state["hitl_refinements"]])
    worth = await asyncio.to_thread(worth_asking, proposed, search, said)
    questions = [each.question for each in worth]
    if not questions:
        return {"hitl_active": False, "hitl_termination_reason": "nothing_to_clarify"}
    step.emit(
        QuestionsAsked(
            iteration=state["hitl_iteration"],
            questions=tuple(questions),
            found=tuple(state["hitl_found"]),
            assumed=state["query_analysis"].assumed_context,
        )
    )
    turn = Turn(role="assistant", content="\n".join(questions))
    return {
        "hitl_questions": questions,
        "hitl_answers": [list(each.answers) for each in worth],
        "hitl_conversation_history": [turn],
    }


async def hitl_await_response(state: ResearchState) -> Update:
    """Waits for the person; the interrupt is alone in its node."""
    answer: str = interrupt(
        {
            "interrupt": "clarification",
            "questions": state["hitl_questions"],
            "answers": state.get("hitl_answers", []),
            "found": state["hitl_found"],
            "assumed": list(state["query_analysis"].assumed_context),
        },
        response_schema={"type": "string"},
    )
    return {"hitl_conversation_history": [Turn(role="user", content=answer)]}


@node
async def hitl_process_response(state: ResearchState, step: Step) -> Update:
    """Turns the answer into a refinement, or ends the conversation.

    What it says of an assumption takes its place.
    """
    answer = state["hitl_conversation_history"][-1].content.strip()
    step.emit(AnswerGiven(iteration=state["hitl_iteration"], text=answer))
    ends = answer.casefold().endswith(END_COMMAND)
    ended: Update = {"hitl_active": False, "hitl_termination_reason": "user_end"} if ends else {}
    text = answer[: -len(END_COMMAND)].strip() if ends else answer
    if not text:
        return ended
    analysis = state["query_analysis"]
    assumed, remark = corrected(analysis, text, state["detected_language"])
    if assumed != analysis.assumed_context:
        step.emit(AssumptionsCorrected(at="clarification", text=text, assumed=assumed))
    iteration = state["hitl_iteration"] + 1
    update: Update = {
        "hitl_iteration": iteration,
        "hitl_refinements": [*state["hitl_refinements"], remark],
        "query_analysis": analysis.model_copy(update={"assumed_context": assumed}),
        **ended,
    }
    if not ends and iteration >= state["options"].max_iterations:
        update |= {"hitl_active": False, "hitl_termination_reason": "max_iterations"}
    return update


@node
async def hitl_finalize(state: ResearchState, step: Step) -> Update:
    """Fixes the anchor and hands over what clarification learned."""
    reason = state.get("hitl_termination_reason") or end_of_clarification(state) or "user_end"
    refinements = tuple(state["hitl_refinements"])
    analysis = state["query_analysis"].model_copy(update={"hitl_refinements": refinements})
    gaps = tuple(state["knowledge_gaps"])
    step.emit(ClarificationEnded(reason=reason, refinements=refinements, gaps=gaps))
    return {
        "hitl_active": False,
        "hitl_termination_reason": reason,
        "query_analysis": analysis,
        "query_anchor": make_anchor(analysis, state["detected_language"]),
    }


def end_of_clarification(state: ResearchState) -> str | None:
    """Why no (further) question is asked, or None; tested after analysis, before asking."""
    if not state["hitl_active"]:
        return "skipped"
    last, gaps = state["retrieval_history"][-1], len(state["knowledge_gaps"])
    if converged(coverage=last.coverage, dedup=last.dedup_ratio, gaps=gaps):
        return "convergence"
    if not state["query_analysis"].clarification_needed:
        return "nothing_to_clarify"
    return None


def competing(parts: Iterable[Part], context: Context) -> tuple[str, ...]:
    """Sections that answer a part of the question about equally well, none of them surely.

    Returns:
        2-3 names of sections, the best first; nothing where one section fits best.
    """
    for part in parts:
        if part.certainty == "perhaps":
            names = dict.fromkeys(titled_origin(s, s.heading, context) for s in part.near)
            if len(names) > 1:
                return tuple(names)[:MOST_READINGS]
    return ()


def worth_asking(
    questions: Iterable[QuestionOutput], search: Callable[[str], Sequence[str]], query: str
) -> list[QuestionOutput]:
    """The questions of which two answers lead to different passages.

    ``search`` gives the ids of the passages for a query, best first.
    """
    return [
        each
        for each in questions
        if differ([search(f"{query} {answer}")[:TOP] for answer in each.answers])
    ]


def differ(found: Iterable[Iterable[str]]) -> bool:
    """Whether any two sets of passages have at most two thirds of the smaller in common."""
    pairs = combinations(map(set, found), 2)
    return any(len(a & b) / min(len(a), len(b)) <= SAME for a, b in pairs if a and b)
