"""Clarification: search first, then ask the person only what leads to different passages."""

import asyncio
from collections.abc import Iterable, Sequence
from typing import Final

from langgraph.types import interrupt

from agent.context import Context
from agent.models import RetrievalRecord, Turn
from agent.prompts.reading import NameSearches, WordsInput
from agent.prompts.research import LookOver, Survey, SurveyInput
from agent.reading.gather import Gatherer, fuse_rankings
from agent.reading.reader import languages_of
from agent.reading.sections import numbered
from agent.reading.verify import passage_room
from agent.reading_test.tester import model_reads
from agent.research import tiers
from agent.research.analysis import analyse, assumptions, correct_assumptions, make_anchor
from agent.research.findings import searches_made
from agent.research.state import ResearchState
from agent.sources import titled_origin
from agent.step import Step, Update, node
from services.domain import Hit, Passage, events
from services.language.query.language import detect_language
from services.language.text.words import keyphrases
from services.library.search import unfinished

END_COMMAND = "/end"
SHOWN_SECTIONS = 6
ALTERNATIVES: Final = 2
"""Searches beside the question itself."""
LOOKED_OVER: Final = 6_000
"""Tokens of passages that the model looks over."""


@node
async def hitl_init(state: ResearchState, step: Step) -> Update:
    """Detect the language and what the question asks for, without a model."""
    query, context = state["query"], step.context
    language = detect_language(query, default="en")
    for notice in await asyncio.to_thread(unfinished, context.services, context.scope):
        step.warn(notice)
    return {
        "detected_language": language,
        "query_analysis": await asyncio.to_thread(
            analyse, query, language, context.searched, context.services.reader
        ),
        "reads": await model_reads(step),
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
    """Return the question with the person's last refinement, and two alternatives."""
    refinements, gaps = state["hitl_refinements"], state["knowledge_gaps"]
    first = " ".join([state["query"], *refinements[-1:]])
    earlier = [query for queries in state["iteration_queries"] for query in queries]
    proposed: Sequence[str] = []
    if state.get("reads"):
        inp = WordsInput(
            question=first,
            language=state["detected_language"],
            missing="; ".join(gaps),
            tried=tuple(earlier),
            languages=await languages_of(step.context),
        )
        proposed = (await step.run(NameSearches(), inp)).searches(first)
        proposed = [*proposed[:1], *proposed[1:][-1:]]  # one in short, and the passage
    phrases = keyphrases(state["query"], state["detected_language"], limit=6)
    subject = " ".join(phrases[:2])
    on_topics = (f"{subject} {topic}".strip() for topic in (*reversed(refinements), *gaps))
    candidates = dict.fromkeys([*proposed, *on_topics, " ".join(phrases), *phrases])
    fresh = [query for query in candidates if query not in (first, *earlier)]
    queries = [first, *fresh[:ALTERNATIVES]]
    return {"iteration_queries": [*state["iteration_queries"], queries]}


@node
async def hitl_retrieve_chunks(state: ResearchState, step: Step) -> Update:
    """Search with every query; chunks that an earlier iteration found count as duplicates."""
    queries = state["iteration_queries"][-1]
    rankings = await asyncio.gather(
        *(asyncio.to_thread(_search, query, state, step.context) for query in queries)
    )
    ids = [passage.chunk_id for passage in fuse_rankings(rankings)]
    earlier = set(state["query_retrieval"])
    new = [chunk_id for chunk_id in ids if chunk_id not in earlier]
    record = RetrievalRecord(
        iteration=state["hitl_iteration"],
        queries=tuple(queries),
        hits=len(ids),
        new=len(new),
        duplicates=len(ids) - len(new),
        dedup_ratio=tiers.dedup_ratio(hits=len(ids), duplicates=len(ids) - len(new)),
        searches=tuple(searches_made(dict(zip(queries, rankings, strict=True)), earlier)),
    )
    return {
        "query_retrieval": [*state["query_retrieval"], *new],
        "retrieval_history": [*state["retrieval_history"], record],
    }


def _search(query: str, state: ResearchState, context: Context) -> list[Hit]:
    options = state["options"]
    return context.retriever.search(query, scope=context.scope, k=options.k, options=options.look)


@node
async def hitl_analyze_retrieval(state: ResearchState, step: Step) -> Update:
    """Find out which aspects of the question the passages cover; the others are gaps."""
    context, analysis = step.context, state["query_analysis"]
    ids = state["query_retrieval"]
    passages = list((await asyncio.to_thread(context.passages.get, ids)).values())
    survey = await _survey(state, passages, step)
    if survey is None:
        aspects = await asyncio.to_thread(_coverage_by_relevance, state, passages, context)
    else:
        aspects = [(a.aspect.strip(), tiers.CREDIT[a.covered]) for a in survey.aspects]
    covered = round(sum(credit for _, credit in aspects) / len(aspects), 4)
    gaps = [aspect for aspect, credit in aspects if not credit]
    assumed = analysis.assumed_context
    if state["hitl_iteration"] == 0:
        stated = await asyncio.to_thread(assumptions, analysis, state["detected_language"], context)
        assumed = tuple(dict.fromkeys([*stated, *(survey.assumptions if survey else ())]))
    names = await asyncio.to_thread(_names, passages, context)
    *before, last = state["retrieval_history"]
    record = last.model_copy(update={"coverage": covered, "gaps": tuple(gaps)})
    counts = record.model_dump(exclude={"searches"})
    step.emit(events.RetrievalIteration(**counts, found=tuple(names)))
    questions = survey.questions if survey is not None else []
    update = {"clarification_needed": bool(questions), "assumed_context": assumed}
    if survey is not None:
        update["entities"] = tuple(dict.fromkeys(survey.concepts))
        update["facets"] = tuple(aspect for aspect, _ in aspects)
    return {
        "knowledge_gaps": gaps,
        "hitl_found": names,
        "hitl_questions": [question.question.strip() for question in questions],
        "hitl_answers": [[option.answer for option in q.options] for q in questions],
        "hitl_matters": [question.matters.strip() for question in questions],
        "retrieval_history": [*before, record],
        "query_analysis": analysis.model_copy(update=update),
    }


async def _survey(state: ResearchState, passages: Sequence[Passage], step: Step) -> Survey | None:
    if step.context.tasks.model is None or not state.get("reads") or not passages:
        return None
    language = state["detected_language"]
    turns = state["hitl_conversation_history"]
    inp = SurveyInput(
        question=state["query"],
        language=language,
        said=tuple(state["hitl_refinements"]),
        asked=tuple(
            line for turn in turns if turn.role != "user" for line in turn.content.splitlines()
        ),
    )
    gatherer = Gatherer(state["query"], step.context, language)
    most = min(LOOKED_OVER, passage_room(LookOver(), inp, step))
    gathered = await asyncio.to_thread(gatherer.gather, passages, most)
    inp = inp.model_copy(update={"passages": numbered(gathered.sections)})
    return await step.run(LookOver(), inp)


def _coverage_by_relevance(
    state: ResearchState, passages: Iterable[Passage], context: Context
) -> list[tuple[str, float]]:
    """Return how far the nearest passage covers each facet, 0-1: 1 is primary evidence."""
    ids = [passage.chunk_id for passage in passages]
    coverage = []
    for facet in state["query_analysis"].facets or (state["query"],):
        near = context.retriever.relevances(facet, ids, scope=context.scope)
        best = max(near.values(), default=0.0)
        credit = (best >= tiers.PRIMARY_RELEVANCE) / 2 + (best >= tiers.SECONDARY_RELEVANCE) / 2
        coverage.append((facet, credit))
    return coverage


def _names(passages: Iterable[Passage], context: Context) -> list[str]:
    names: dict[str, None] = {}
    for passage in passages:
        heading = passage.heading_path[-1] if passage.heading_path else ""
        names.setdefault(titled_origin(passage, heading, context))
    return list(names)[:SHOWN_SECTIONS]


@node
async def hitl_generate_questions(state: ResearchState, step: Step) -> Update:
    """Report the questions that only the person can answer."""
    questions, matters = state.get("hitl_questions", []), state.get("hitl_matters", [])
    step.emit(
        events.QuestionsAsked(
            iteration=state["hitl_iteration"],
            questions=tuple(questions),
            found=tuple(state["hitl_found"]),
            assumed=state["query_analysis"].assumed_context,
            matters=tuple(matters),
        )
    )
    turn = Turn(role="assistant", content="\n".join(questions))
    return {"hitl_conversation_history": [turn]}


async def hitl_await_response(state: ResearchState) -> Update:
    """Wait for the person; the interrupt is alone in its node."""
    answer: str = interrupt(
        {
            "interrupt": "clarification",
            "questions": state["hitl_questions"],
            "answers": state.get("hitl_answers", []),
            "matters": state.get("hitl_matters", []),
            "found": state["hitl_found"],
            "assumed": list(state["query_analysis"].assumed_context),
        },
        response_schema={"type": "string"},
    )
    return {"hitl_conversation_history": [Turn(role="user", content=answer)]}


@node
async def hitl_process_response(state: ResearchState, step: Step) -> Update:
    """Turn the answer into a refinement and corrected assumptions, or end the conversation."""
    answer = state["hitl_conversation_history"][-1].content.strip()
    step.emit(events.AnswerGiven(iteration=state["hitl_iteration"], text=answer))
    ends = answer.casefold().endswith(END_COMMAND)
    ended: Update = {"hitl_active": False, "hitl_termination_reason": "user_end"} if ends else {}
    text = answer[: -len(END_COMMAND)].strip() if ends else answer
    if not text:
        return ended
    analysis = state["query_analysis"]
    assumed, remark = correct_assumptions(analysis, text, state["detected_language"])
    if assumed != analysis.assumed_context:
        step.emit(events.AssumptionsCorrected(at="clarification", text=text, assumed=assumed))
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
    """Fix the anchor and hand over what clarification learned."""
    reason = state.get("hitl_termination_reason") or end_of_clarification(state) or "user_end"
    refinements = tuple(state["hitl_refinements"])
    analysis = state["query_analysis"].model_copy(update={"hitl_refinements": refinements})
    gaps = tuple(state["knowledge_gaps"])
    step.emit(events.ClarificationEnded(reason=reason, refinements=refinements, gaps=gaps))
    return {
        "hitl_active": False,
        "hitl_termination_reason": reason,
        "query_analysis": analysis,
        "query_anchor": make_anchor(analysis, state["detected_language"]),
    }


def end_of_clarification(state: ResearchState) -> str | None:
    """Return why no (further) question is asked, or None; tested after analysis, before asking."""
    if not state["hitl_active"]:
        return "skipped"
    last, gaps = state["retrieval_history"][-1], len(state["knowledge_gaps"])
    if tiers.converged(coverage=last.coverage, dedup=last.dedup_ratio, gaps=gaps):
        return "convergence"
    if not state["query_analysis"].clarification_needed:
        return "clarified" if state.get("hitl_iteration") else "nothing_to_clarify"
    return None
