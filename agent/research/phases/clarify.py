"""Clarification: look into the corpus first, then ask only what the documents leave to the person.

A question to the person is worth asking only if its answers lead to different passages.
"""

import asyncio
from collections.abc import Iterable, Sequence
from typing import Final

from langgraph.types import interrupt

from agent.context import Context
from agent.examination import model_reads
from agent.models import RetrievalRecord, Turn
from agent.prompts.reading import NameSearches, WordsInput
from agent.prompts.research import LookOver, Survey, SurveyInput
from agent.reading.gather import Gatherer, fused
from agent.reading.sections import numbered
from agent.reading.verify import room
from agent.research.assumptions import assumptions, corrected
from agent.research.plans import analyse, make_anchor
from agent.research.state import ResearchState
from agent.research.tiers import (
    PRIMARY_RELEVANCE,
    SECONDARY_RELEVANCE,
    converged,
    dedup_ratio,
)
from agent.sources import titled_origin
from agent.step import Step, Update, node
from services.domain import Hit, Passage
from services.domain.events import (
    AnswerGiven,
    AssumptionsCorrected,
    ClarificationEnded,
    QuestionsAsked,
    RetrievalIteration,
)
from services.language.query.language import detect_language
from services.language.text.keyphrases import keyphrases
from services.models.output import language_name

END_COMMAND = "/end"
SHOWN_SECTIONS = 6
ALTERNATIVES: Final = 2
"""Searches beside the question itself."""
LOOKED_OVER: Final = 6_000
"""Tokens of passages that the model looks over."""
CREDIT: Final = {"yes": 1.0, "partly": 0.5, "no": 0.0}


@node
async def hitl_init(state: ResearchState, step: Step) -> Update:
    """Detects the language and what the question asks for, without a model."""
    query, context = state["query"], step.context
    language = detect_language(query, default="en")
    for notice in await asyncio.to_thread(context.services.library.unfinished, context.scope):
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
    """The question itself with what the person said, and two alternatives."""
    said, gaps = state["hitl_refinements"], state["knowledge_gaps"]
    first = " ".join([state["query"], *said[-1:]])
    earlier = [query for queries in state["iteration_queries"] for query in queries]
    proposed: Sequence[str] = []
    if state.get("reads"):
        languages = await asyncio.to_thread(
            step.context.catalog.corpus.languages, step.context.scope
        )
        inp = WordsInput(
            question=first,
            language=state["detected_language"],
            missing="; ".join(gaps),
            tried=tuple(earlier),
            languages=", ".join(map(language_name, languages)),
        )
        proposed = (await step.run(NameSearches(), inp)).searches(first)
        proposed = [*proposed[:1], *proposed[1:][-1:]]  # one in short, and the passage
    by_rule = _phrases(state["query"], state["detected_language"], [*reversed(said), *gaps])
    fresh = [each for each in dict.fromkeys([*proposed, *by_rule]) if each not in (first, *earlier)]
    queries = [first, *fresh[:ALTERNATIVES]]
    return {"iteration_queries": [*state["iteration_queries"], queries]}


def _phrases(question: str, language: str, wanted: Sequence[str]) -> list[str]:
    """What is wanted together with what the question is about, then its keyphrases."""
    phrases = keyphrases(question, language, limit=6)
    about = " ".join(phrases[:2])
    return [*(f"{about} {each}".strip() for each in wanted), " ".join(phrases), *phrases]


@node
async def hitl_retrieve_chunks(state: ResearchState, step: Step) -> Update:
    """Searches with every query; chunks seen in an earlier iteration count as duplicates."""
    queries = state["iteration_queries"][-1]
    rankings = await asyncio.gather(
        *(asyncio.to_thread(_looked, query, state, step.context) for query in queries)
    )
    found = [passage.chunk_id for passage in fused(rankings)]
    seen = set(state["query_retrieval"])
    new = [chunk_id for chunk_id in found if chunk_id not in seen]
    record = RetrievalRecord(
        iteration=state["hitl_iteration"],
        queries=tuple(queries),
        hits=len(found),
        new=len(new),
        duplicates=len(found) - len(new),
        dedup_ratio=dedup_ratio(hits=len(found), seen=len(found) - len(new)),
    )
    return {
        "query_retrieval": [*state["query_retrieval"], *new],
        "retrieval_history": [*state["retrieval_history"], record],
    }


def _looked(query: str, state: ResearchState, context: Context) -> list[Hit]:
    options = state["options"]
    return context.retriever.search(query, scope=context.scope, k=options.k, options=options.look)


@node
async def hitl_analyze_retrieval(state: ResearchState, step: Step) -> Update:
    """Which parts of the question the passages answer; gaps are those that they do not.

    The model reads the sections that were found; without one, relevance tells.
    """
    context, analysis = step.context, state["query_analysis"]
    ids = state["query_retrieval"]
    passages = list((await asyncio.to_thread(context.passages.get, ids)).values())
    survey = await _survey(state, passages, step)
    first = state["hitl_iteration"] == 0
    if survey is not None:
        aspects = [(each.aspect.strip(), CREDIT[each.covered]) for each in survey.aspects]
        entities, proposed = tuple(dict.fromkeys(survey.concepts)), tuple(survey.assumptions)
    else:
        aspects = await asyncio.to_thread(_nearness, state, passages, context)
        entities, proposed = analysis.entities, ()
    covered = round(sum(credit for _, credit in aspects) / len(aspects), 4)
    gaps = [aspect for aspect, credit in aspects if not credit]
    assumed = analysis.assumed_context
    if first:
        stated = await asyncio.to_thread(assumptions, analysis, state["detected_language"], context)
        assumed = tuple(dict.fromkeys([*stated, *proposed]))
    names = await asyncio.to_thread(_names, passages, context)
    *before, last = state["retrieval_history"]
    record = last.model_copy(update={"coverage": covered, "gaps": tuple(gaps)})
    step.emit(RetrievalIteration(**dict(record), found=tuple(names)))
    asked = survey.questions if survey is not None else []
    learned = {"clarification_needed": bool(asked), "assumed_context": assumed}
    if survey is not None:
        learned |= {"entities": entities, "facets": tuple(aspect for aspect, _ in aspects)}
    return {
        "knowledge_gaps": gaps,
        "hitl_found": names,
        "hitl_questions": [each.question.strip() for each in asked],
        "hitl_answers": [[option.answer for option in each.options] for each in asked],
        "hitl_matters": [each.matters.strip() for each in asked],
        "retrieval_history": [*before, record],
        "query_analysis": analysis.model_copy(update=learned),
    }


async def _survey(state: ResearchState, passages: Sequence[Passage], step: Step) -> Survey | None:
    """What the model finds in the sections of what was found so far."""
    model = step.context.tasks.model
    if model is None or not state.get("reads") or not passages:
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
    gatherer = Gatherer(state["query"], step.context, model.count_tokens, language)
    most = min(LOOKED_OVER, room(LookOver(), inp, step, model))
    gathered = await asyncio.to_thread(gatherer.gathered, passages, most)
    inp = inp.model_copy(update={"passages": numbered(gathered.sections)})
    return await step.run(LookOver(), inp)


def _nearness(
    state: ResearchState, passages: Iterable[Passage], context: Context
) -> list[tuple[str, float]]:
    """How near the nearest passage is to each part of the question: 1 for primary evidence."""
    ids = [passage.chunk_id for passage in passages]
    parts = state["query_analysis"].facets or (state["query"],)
    credits = []
    for part in parts:
        near = context.retriever.relevances(part, ids, scope=context.scope)
        best = max(near.values(), default=0.0)
        credits.append((part, (best >= PRIMARY_RELEVANCE) / 2 + (best >= SECONDARY_RELEVANCE) / 2))
    return credits


def _names(found: Iterable[Passage], context: Context) -> list[str]:
    """The first sections by name: ``StrlSchG § 78: Grenzwerte …``."""
    names: dict[str, None] = {}
    for each in found:
        heading = each.heading_path[-1] if each.heading_path else ""
        names.setdefault(titled_origin(each, heading, context))
    return list(names)[:SHOWN_SECTIONS]


@node
async def hitl_generate_questions(state: ResearchState, step: Step) -> Update:
    """Tells the questions that only the person can answer."""
    questions, matters = state.get("hitl_questions", []), state.get("hitl_matters", [])
    step.emit(
        QuestionsAsked(
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
    """Waits for the person; the interrupt is alone in its node."""
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
