"""The research graph on one screen."""

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from agent import routing
from agent.context import Context
from agent.phases import assess, attribute, clarify, extract, plan, synthesize, validate
from agent.state import ResearchState, TaskInput


def build_research_graph(
    checkpointer: BaseCheckpointSaver[str] | None = None,
) -> CompiledStateGraph[ResearchState, Context, ResearchState, ResearchState]:
    """Clarify, plan, approve, extract, validate, synthesize, assess, attribute."""
    graph = StateGraph(ResearchState, context_schema=Context)

    graph.add_node("hitl_init", clarify.hitl_init)
    graph.add_node("hitl_generate_queries", clarify.hitl_generate_queries)
    graph.add_node("hitl_retrieve_chunks", clarify.hitl_retrieve_chunks)
    graph.add_node("hitl_analyze_retrieval", clarify.hitl_analyze_retrieval)
    graph.add_node("hitl_generate_questions", clarify.hitl_generate_questions)
    graph.add_node("hitl_await_response", clarify.hitl_await_response)
    graph.add_node("hitl_process_response", clarify.hitl_process_response)
    graph.add_node("hitl_finalize", clarify.hitl_finalize)
    graph.add_node("generate_todo", plan.generate_todo)
    graph.add_node("hitl_approve_todo", plan.hitl_approve_todo)
    graph.add_node("execute_task", extract.execute_task, input_schema=TaskInput)
    graph.add_node("validate_relevance", validate.validate_relevance)
    graph.add_node("synthesize", synthesize.synthesize)
    graph.add_node("quality_check", assess.quality_check)
    graph.add_node("attribute_sources", attribute.attribute_sources)

    graph.add_conditional_edges(
        START, routing.route_entry, ["hitl_init", "generate_todo", "hitl_approve_todo"]
    )
    graph.add_edge("hitl_init", "hitl_generate_queries")
    graph.add_edge("hitl_generate_queries", "hitl_retrieve_chunks")
    graph.add_edge("hitl_retrieve_chunks", "hitl_analyze_retrieval")
    graph.add_conditional_edges(
        "hitl_analyze_retrieval",
        routing.route_after_analysis,
        ["hitl_generate_questions", "hitl_finalize"],
    )
    graph.add_conditional_edges(
        "hitl_generate_questions",
        routing.route_after_questions,
        ["hitl_await_response", "hitl_finalize"],
    )
    graph.add_edge("hitl_await_response", "hitl_process_response")
    graph.add_conditional_edges(
        "hitl_process_response",
        routing.route_after_response,
        ["hitl_generate_queries", "hitl_finalize"],
    )
    graph.add_edge("hitl_finalize", "generate_todo")
    graph.add_edge("generate_todo", "hitl_approve_todo")
    graph.add_conditional_edges("hitl_approve_todo", routing.send_tasks, ["execute_task"])
    graph.add_edge("execute_task", "validate_relevance")
    graph.add_edge("validate_relevance", "synthesize")
    graph.add_conditional_edges(
        "synthesize", routing.route_after_synthesis, ["quality_check", "attribute_sources"]
    )
    graph.add_conditional_edges(
        "quality_check", routing.route_after_quality, ["synthesize", "attribute_sources"]
    )
    graph.add_edge("attribute_sources", END)
    return graph.compile(checkpointer=checkpointer)
