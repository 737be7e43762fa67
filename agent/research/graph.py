"""The research graph on one screen, and where a run goes next: pure functions of the state.

In the names of nodes, ``hitl`` (human in the loop) marks those in which a person decides.
"""

from typing import Literal

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Send

from agent.context import Context
from agent.research.phases import assess, attribute, clarify, extract, plan, synthesize, validate
from agent.research.phases.clarify import end_of_clarification
from agent.research.state import ResearchState, TaskInput, input_of
from agent.research.tiers import REVISION_BELOW


def build_research_graph(
    checkpointer: BaseCheckpointSaver[str] | None = None,
) -> CompiledStateGraph[ResearchState, Context, ResearchState, ResearchState]:
    """Clarify, plan, approve, extract, validate, synthesize, assess, attribute."""
    graph = StateGraph(ResearchState, context_schema=Context)

    graph.add_node(extract.execute_task, input_schema=TaskInput)
    for phase_node in (  # a node has the name of its function, which is frozen
        clarify.hitl_init, clarify.hitl_generate_queries, clarify.hitl_retrieve_chunks,
        clarify.hitl_analyze_retrieval, clarify.hitl_generate_questions,
        clarify.hitl_await_response, clarify.hitl_process_response, clarify.hitl_finalize,
        plan.generate_todo, plan.hitl_approve_todo, validate.validate_relevance,
        synthesize.synthesize, assess.quality_check, attribute.attribute_sources,
    ):  # fmt: skip
        graph.add_node(phase_node)

    graph.add_conditional_edges(START, route_entry)
    graph.add_edge("hitl_init", "hitl_generate_queries")
    graph.add_edge("hitl_generate_queries", "hitl_retrieve_chunks")
    graph.add_edge("hitl_retrieve_chunks", "hitl_analyze_retrieval")
    graph.add_conditional_edges("hitl_analyze_retrieval", route_after_analysis)
    graph.add_conditional_edges("hitl_generate_questions", route_after_questions)
    graph.add_edge("hitl_await_response", "hitl_process_response")
    graph.add_conditional_edges("hitl_process_response", route_after_response)
    graph.add_edge("hitl_finalize", "generate_todo")
    graph.add_edge("generate_todo", "hitl_approve_todo")
    graph.add_conditional_edges(
        "hitl_approve_todo", route_after_approval, ["execute_task", "generate_todo"]
    )
    graph.add_edge("execute_task", "validate_relevance")
    graph.add_edge("validate_relevance", "synthesize")
    graph.add_conditional_edges("synthesize", route_after_synthesis)
    graph.add_conditional_edges("quality_check", route_after_quality)
    graph.add_edge("attribute_sources", END)
    return graph.compile(checkpointer=checkpointer)


def route_entry(state: ResearchState) -> Literal["hitl_init", "generate_todo", "hitl_approve_todo"]:
    """Route a new question, given research queries, or a given plan."""
    if state.get("todo_list") and "query_anchor" in state:
        return "hitl_approve_todo"
    if state["options"].research_queries:
        return "generate_todo"
    return "hitl_init"


def route_after_analysis(
    state: ResearchState,
) -> Literal["hitl_generate_questions", "hitl_finalize"]:
    return "hitl_finalize" if end_of_clarification(state) else "hitl_generate_questions"


def route_after_questions(state: ResearchState) -> Literal["hitl_await_response", "hitl_finalize"]:
    return "hitl_await_response" if state["hitl_active"] else "hitl_finalize"


def route_after_response(state: ResearchState) -> Literal["hitl_generate_queries", "hitl_finalize"]:
    return "hitl_generate_queries" if state["hitl_active"] else "hitl_finalize"


def route_after_approval(state: ResearchState) -> list[Send] | Literal["generate_todo"]:
    """Send each task to an execution of its own, which validation joins; without tasks, as a person
    has corrected an assumption, plan anew."""
    if not state["todo_list"]:
        return "generate_todo"
    return [Send("execute_task", input_of(task, state)) for task in state["todo_list"]]


def route_after_synthesis(state: ResearchState) -> Literal["quality_check", "attribute_sources"]:
    return "quality_check" if state["options"].quality_check else "attribute_sources"


def route_after_quality(state: ResearchState) -> Literal["synthesize", "attribute_sources"]:
    """Revise once when quality is low, unless nothing answers."""
    quality = state.get("quality_assessment")
    low = quality is not None and quality.total < REVISION_BELOW and not quality.revised
    answers = any(draft.sentences for draft in state["drafts"])
    return "synthesize" if low and answers else "attribute_sources"
