"""Planning: propose tasks, and wait for a person to change and approve them."""

import asyncio
from collections.abc import Sequence

from langgraph.runtime import Runtime
from langgraph.types import interrupt

from agent.context import Context
from agent.earlier_plans import earlier_plans
from agent.models import PlanDecision, RunOptions, ToDoItem
from agent.prompts import say
from agent.prompts.research import (
    MAX_TASKS,
    MIN_TASKS,
    PlanInput,
    PlanTasks,
    SectionFound,
    tasks_by_rule,
)
from agent.reading.reader import languages_of
from agent.reading_test.tester import model_reads
from agent.research.analysis import analyse, assumptions, correct_assumptions, make_anchor
from agent.research.plan_edits import bundle, check_plan, plan_changes, with_subtasks
from agent.research.state import ResearchState
from agent.research.tiers import MINIMUM_RELEVANCE
from agent.sources import origin
from agent.step import Step, Update, node
from services.domain.events import AssumptionsCorrected, PlanApproved, PlanItem, PlanProposed
from services.domain.notices import Notice
from services.language.query.language import detect_language
from services.language.text.words import things_named

SHOWN_SECTIONS = 12


@node
async def generate_todo(state: ResearchState, step: Step) -> Update:
    """Propose three to five tasks that answer the question; without a reading model its facets."""
    update = await _without_clarification(state, step) if "query_anchor" not in state else {}
    state = {**state, **update}  # type: ignore[typeddict-item]
    analysis, language = state["query_analysis"], state["detected_language"]
    queries = state["options"].research_queries
    earlier = await earlier_plans(step, "research", "" if queries else state["query"], language)
    inp = PlanInput(
        question=state["query"],
        language=language,
        aspects=queries or analysis.facets,
        refinements=analysis.hitl_refinements,
        found=() if queries else await asyncio.to_thread(_sections, state, step.context),
        earlier=earlier.tasks,
        earlier_question=earlier.best_question,
        languages=await languages_of(step.context),
    )
    proposed = await step.run(PlanTasks(), inp) if state.get("reads") and not queries else []
    if not proposed:
        by_rule = {"aspects": queries or bundle(analysis.facets, MAX_TASKS)}
        proposed = [
            with_subtasks(item, language) for item in tasks_by_rule(inp.model_copy(update=by_rule))
        ]
    items = earlier.improve(step, proposed)
    step.emit(
        PlanProposed(
            items=tuple(items),
            assumed=analysis.assumed_context,
            note=why_short(items, state["options"]),
        )
    )
    if not state.get("reads"):  # a model that reads knows synonyms
        _warn_of_unknown_words(state, step)
    return {**update, "todo_proposal": items, "todo_list": items}


def why_short(items: Sequence[ToDoItem], options: RunOptions) -> Notice | None:
    """Say why a plan has fewer than three tasks."""
    if len(items) >= MIN_TASKS:
        return None
    if options.research_queries:
        return Notice.of("The plan has exactly one task for each query that you gave.")
    return Notice.of("The plan is short. Add tasks for whatever else you want to know.")


def _warn_of_unknown_words(state: ResearchState, step: Step) -> None:
    """Name the words of the question that no document has, however near its passages come."""
    language = state["detected_language"]
    words = things_named(state["query"], language)
    if missing := step.context.retriever.unknown(words, language, scope=step.context.scope):
        step.warn(Notice.of(say(language, "unknown_words", "{words}"), words=", ".join(missing)))


async def _without_clarification(state: ResearchState, step: Step) -> Update:
    """Return what clarification would have left behind, for runs with queries of their own."""
    context, language = step.context, detect_language(state["query"], default="en")
    analysis = await asyncio.to_thread(
        analyse, state["query"], language, context.searched, context.services.reader
    )
    assumed = await asyncio.to_thread(assumptions, analysis, language, context)
    facets = state["options"].research_queries or analysis.facets
    analysis = analysis.model_copy(update={"assumed_context": assumed, "facets": facets})
    return {
        "detected_language": language,
        "query_analysis": analysis,
        "query_anchor": make_anchor(analysis, language),
        "reads": await model_reads(step),
        "retrieval_history": [],
        "hitl_termination_reason": "skipped",
    }


def _sections(state: ResearchState, context: Context) -> tuple[SectionFound, ...]:
    analysis = state["query_analysis"]
    sections: dict[str, str] = {}
    for facet in analysis.facets or (state["query"],):
        query = " ".join([facet, *analysis.hitl_refinements])
        hits = context.retriever.search(query, scope=context.scope, k=state["options"].k)
        for hit in hits:
            heading = hit.heading_path[-1] if hit.heading_path else ""
            if hit.relevance >= MINIMUM_RELEVANCE:
                title = heading.removeprefix(hit.section).strip()
                sections.setdefault(origin(hit, context), title)
    named = (SectionFound(name=name, heading=title) for name, title in sections.items())
    return tuple(named)[:SHOWN_SECTIONS]


async def hitl_approve_todo(state: ResearchState, runtime: Runtime[Context]) -> Update:
    """Wait for approval, alone in this node; with a corrected assumption, plan anew."""
    proposal, decision = state["todo_proposal"], PlanDecision()
    if state["options"].approve_plan:
        note = why_short(proposal, state["options"])
        items = [item.model_dump(exclude={"completed", "searches"}) for item in proposal]
        answer = interrupt(
            {
                "interrupt": "plan",
                "items": items,
                "gaps": state.get("knowledge_gaps", []),
                "assumed": list(state["query_analysis"].assumed_context),
                "note": note and note.model_dump(),
            }
        )
        decision = PlanDecision.model_validate(answer)
    step = Step.of(runtime)
    if decision.correction:
        return _with_correction(state, decision.correction, step)
    plan: Sequence[PlanItem] = proposal if decision.items is None else decision.items
    tasks = check_plan(plan, proposal)
    if not state.get("reads"):
        tasks = [with_subtasks(task, state["detected_language"]) for task in tasks]
    changes = tuple(change.text for change in plan_changes(proposal, plan))
    step.emit(PlanApproved(items=tuple(tasks), changes=changes))
    return {
        "todo_list": tasks,
        "plan_changes": [change.model_dump() for change in changes],
        "reads": await model_reads(step),
    }


def _with_correction(state: ResearchState, text: str, step: Step) -> Update:
    assumed, remark = correct_assumptions(state["query_analysis"], text, state["detected_language"])
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
