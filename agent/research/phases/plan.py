"""Planning: a proposal of tasks, and the checkpoint where a person changes and approves it."""

import asyncio
from collections.abc import Sequence
from itertools import chain, zip_longest
from typing import NamedTuple

from langgraph.runtime import Runtime
from langgraph.types import interrupt

from agent.context import Context
from agent.examination import model_reads
from agent.expect import Expected, expected, in_their_words
from agent.models import PlanDecision, RunOptions, ToDoItem
from agent.passages import evidence_of
from agent.plan_memory import earlier_plans
from agent.prompts import say
from agent.prompts.research import MAX_TASKS, MIN_TASKS, PlanInput, PlanTasks, SectionFound
from agent.research.assumptions import assumptions, corrected
from agent.research.outline import judge_parts, nearest_sentences
from agent.research.plan_changes import plan_changes
from agent.research.plans import analyse, bundled, checked_plan, make_anchor, with_subtasks
from agent.research.state import ResearchState
from agent.research.tiers import MINIMUM_RELEVANCE
from agent.sources import origin, section_names
from agent.step import Step, Update, node
from services.domain.events import AssumptionsCorrected, PlanApproved, PlanItem, PlanProposed
from services.domain.notices import Notice
from services.language.query.language import detect_language
from services.language.text.keyphrases import things_named

SHOWN_SECTIONS = 5


@node
async def generate_todo(state: ResearchState, step: Step) -> Update:
    """Three to five tasks, each a part of the question or something the corpus offers."""
    update = _without_clarification(state, step.context) if "query_anchor" not in state else {}
    known: ResearchState = {**state, **update}  # type: ignore[typeddict-item]
    analysis = known["query_analysis"]
    given = known["options"].research_queries
    earlier = await earlier_plans(
        step, "research", "" if given else known["query"], known["detected_language"]
    )
    looked = await asyncio.to_thread(_looked, known, step.context, {})
    words = await _expected(looked.unsure, known, step)
    if words:
        looked = await asyncio.to_thread(_looked, known, step.context, words)
    if update:  # nothing was looked at before
        update["knowledge_gaps"] = looked.gaps
    proposed = await step.run(
        PlanTasks(),
        PlanInput(
            question=known["query"],
            language=known["detected_language"],
            facets=given or bundled(analysis.facets, MAX_TASKS),
            refinements=analysis.hitl_refinements,
            found=looked.sections,
            earlier=earlier.tasks,
            earlier_question=earlier.asked,
        ),
    )
    items = [
        with_subtasks(item, known["detected_language"]) for item in earlier.told(step, proposed)
    ]
    step.emit(
        PlanProposed(
            items=tuple(items),
            assumed=analysis.assumed_context,
            note=why_short(items, known["options"]),
        )
    )
    _warn_of_unknown_words(known, step)
    return {**update, "expected": words, "todo_proposal": items, "todo_list": items}


def why_short(items: Sequence[ToDoItem], options: RunOptions) -> Notice | None:
    """Says why a plan has fewer than three tasks."""
    if len(items) >= MIN_TASKS:
        return None
    if options.research_queries:
        return Notice.of("The plan has a task for each query that was given, and no other.")
    if len(items) == 1:
        return Notice.of(
            "The question has one part, and the documents offered nothing further to look into."
        )
    return Notice.of(
        "The plan has two tasks: the question and what you added ask no more, and the documents "
        "offered nothing further to look into."
    )


def _warn_of_unknown_words(state: ResearchState, step: Step) -> None:
    """What the documents never name they may not hold, however near their passages come."""
    language = state["detected_language"]
    words = things_named(state["query"], language)
    if missing := step.context.retriever.unknown(words, language, scope=step.context.scope):
        step.warn(Notice.of(say(language, "unknown_words", "{words}"), words=", ".join(missing)))


def _without_clarification(state: ResearchState, context: Context) -> Update:
    """What clarification would have left behind, for runs that bring their own queries."""
    language = detect_language(state["query"], default="en")
    analysis = analyse(state["query"], language, context.searched)
    assumed = assumptions(analysis, (), language, context)
    parts = state["options"].research_queries or analysis.facets
    analysis = analysis.model_copy(update={"assumed_context": assumed, "facets": parts})
    return {
        "detected_language": language,
        "query_analysis": analysis,
        "query_anchor": make_anchor(analysis, language),
        "retrieval_history": [],
        "hitl_termination_reason": "skipped",
    }


class _Look(NamedTuple):
    """Sections for tasks; parts that nothing seems to answer, and all that nothing surely does."""

    sections: tuple[SectionFound, ...]
    gaps: list[str]
    unsure: list[str]


async def _expected(unsure: Sequence[str], state: ResearchState, step: Step) -> dict[str, str]:
    """What documents might say to parts that nothing surely answers, as asked and as refined."""
    reads = bool(unsure) and await model_reads(step)
    found = await expected(unsure, state["detected_language"], reads, step)
    refinements = state["query_analysis"].hitl_refinements
    refined = {" ".join([text, *refinements]).casefold(): said for text, said in found.items()}
    return found | refined


def _looked(state: ResearchState, context: Context, expected: Expected) -> _Look:
    """What a first search finds, sections of each part in turn.

    Of a part those come first that the judge lets speak for it, however far from it they are: a
    short question is near nothing. Who brings queries of their own gets no sections.
    """
    analysis, language = state["query_analysis"], state["detected_language"]
    columns: list[list[tuple[str, str]]] = []
    gaps, unsure = [], []
    for text in analysis.facets or (state["query"],):
        asked = " ".join([in_their_words(text, expected), *analysis.hitl_refinements])
        hits = context.retriever.search(asked, scope=context.scope, k=state["options"].k)
        entries = [evidence_of(hit, score=hit.relevance, rank=n) for n, hit in enumerate(hits, 1)]
        pairs = nearest_sentences(entries, context)
        (part,) = judge_parts([text], pairs, language, context, expected)
        if part.certainty == "refused":
            gaps.append(text)
        if part.certainty != "answered":
            unsure.append(text)
        near = [] if part.certainty == "refused" else part.near
        found = [(origin(s, context), s.heading.removeprefix(s.section).strip()) for s in near]
        for entry in entries:
            if entry.score >= MINIMUM_RELEVANCE:
                (whole,) = section_names([entry], context)
                name, _, title = whole.partition(": ")
                found.append((name, title))
        columns.append(found)
    headings: dict[str, str] = {}
    for name, title in filter(None, chain.from_iterable(zip_longest(*columns))):
        headings.setdefault(name, title)
    sections = [SectionFound(name=name, heading=title) for name, title in headings.items()]
    shown = () if state["options"].research_queries else tuple(sections[:SHOWN_SECTIONS])
    return _Look(shown, gaps, unsure)


async def hitl_approve_todo(state: ResearchState, runtime: Runtime[Context]) -> Update:
    """Waits for approval; the interrupt is alone in its node.

    Where the person corrects what the run assumes, the list is left empty and it plans anew.
    """
    proposal, decision = state["todo_proposal"], PlanDecision()
    if state["options"].approve_plan:
        note = why_short(proposal, state["options"])
        answer = interrupt(
            {
                "interrupt": "plan",
                "items": [item.model_dump(exclude={"completed"}) for item in proposal],
                "gaps": state.get("knowledge_gaps", []),
                "assumed": list(state["query_analysis"].assumed_context),
                "note": note and note.model_dump(),
            }
        )
        decision = PlanDecision.model_validate(answer)
    if decision.correction:
        return _corrected(state, decision.correction, Step(runtime))
    wanted: Sequence[PlanItem] = proposal if decision.items is None else decision.items
    items = checked_plan(wanted, state["detected_language"])
    changes = tuple(change.text for change in plan_changes(proposal, wanted))
    Step(runtime).emit(PlanApproved(items=tuple(items), changes=changes))
    return {"todo_list": items, "plan_changes": [change.model_dump() for change in changes]}


def _corrected(state: ResearchState, text: str, step: Step) -> Update:
    """The anchor with what the person corrected of it, before anything was extracted."""
    assumed, remark = corrected(state["query_analysis"], text, state["detected_language"])
    step.emit(AssumptionsCorrected(at="plan", text=text, assumed=assumed))
    refinements = [*state["query_analysis"].hitl_refinements, remark]
    analysis = state["query_analysis"].model_copy(
        update={"assumed_context": assumed, "hitl_refinements": tuple(refinements)}
    )
    return {
        "query_analysis": analysis,
        "query_anchor": make_anchor(analysis, state["detected_language"]),
        "hitl_refinements": refinements,
        "todo_list": [],
    }
