"""Where a run goes next: pure functions of the state."""

from langgraph.types import Send

from agent.state import ResearchState, TaskInput
from agent.tiers import REVISION_BELOW, converged


def route_entry(state: ResearchState) -> str:
    """New question, research queries given, or a whole plan given.

    The two other situations of the design, an answered question and a decided plan, resume an
    interrupt and never pass here.
    """
    if state.get("todo_list") and "query_anchor" in state:
        return "hitl_approve_todo"
    if state["options"].research_queries:
        return "generate_todo"
    return "hitl_init"


def end_of_clarification(state: ResearchState) -> str | None:
    """Why no (further) question is asked, or None; tested after analysis, before asking."""
    if not state["hitl_active"]:
        return "skipped"
    if converged(
        coverage=state["coverage_score"],
        dedup=state["retrieval_dedup_ratios"][-1],
        gaps=len(state["knowledge_gaps"]),
    ):
        return "convergence"
    if not state["query_analysis"].clarification_needed:
        return "nothing_to_clarify"
    return None


def route_after_analysis(state: ResearchState) -> str:
    return "hitl_finalize" if end_of_clarification(state) else "hitl_generate_questions"


def route_after_questions(state: ResearchState) -> str:
    return "hitl_await_response" if state["hitl_active"] else "hitl_finalize"


def route_after_response(state: ResearchState) -> str:
    return "hitl_generate_queries" if state["hitl_active"] else "hitl_finalize"


def send_tasks(state: ResearchState) -> list[Send]:
    """One execution a task; all run side by side and are joined by validation."""
    return [
        Send(
            "execute_task",
            TaskInput(
                task=task,
                todo_list=state["todo_list"],
                query_anchor=state["query_anchor"],
                query_retrieval=state.get("query_retrieval", []),
                options=state["options"],
            ),
        )
        for task in state["todo_list"]
    ]


def route_after_synthesis(state: ResearchState) -> str:
    return "quality_check" if state["options"].quality_check else "attribute_sources"


def route_after_quality(state: ResearchState) -> str:
    """One revision when quality is low; ``revised`` tells that it has been made.

    Where nothing answers there is nothing to revise.
    """
    quality = state.get("quality_assessment")
    low = quality is not None and quality.total < REVISION_BELOW and not quality.revised
    said = any(draft.sentences for draft in state["drafts"])
    return "synthesize" if low and said else "attribute_sources"
