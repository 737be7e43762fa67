"""The graph of quick answers on one screen: one invocation is one turn of a conversation."""

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from agent.ask import finish, quotes, reading, retrieve, route, scan, structured
from agent.ask.react import loop
from agent.ask.state import AskState
from agent.context import Context


def build_ask_graph(
    checkpointer: BaseCheckpointSaver[str] | None = None,
) -> CompiledStateGraph[AskState, Context, AskState, AskState]:
    """Return the graph: complete the question, understand it, choose a route, answer or refuse."""
    graph = StateGraph(AskState, context_schema=Context)

    for node in (  # a node has the name of its function
        route.rewrite_question, route.understand, scan.answer_from_catalog, scan.scan_corpus,
        retrieve.recall, retrieve.retrieve, quotes.write_answer, structured.decompose,
        structured.quote_pieces, loop.think, loop.act, loop.reflect, loop.clarify, loop.conclude,
        reading.read_answer, reading.read_pieces, reading.read_gathered, finish.finish_turn,
    ):  # fmt: skip
        graph.add_node(node)

    graph.add_edge(START, "rewrite_question")
    graph.add_edge("rewrite_question", "understand")
    graph.add_conditional_edges("understand", route.after_understanding)
    graph.add_conditional_edges("recall", retrieve.after_recall)
    graph.add_edge("retrieve", "write_answer")
    graph.add_conditional_edges("decompose", route.after_decomposition)
    graph.add_conditional_edges("think", loop.after_think)
    graph.add_conditional_edges("act", loop.after_act)
    graph.add_conditional_edges("reflect", loop.next_step)
    graph.add_conditional_edges("clarify", loop.next_step)
    for name in ("read_answer", "read_pieces", "read_gathered"):
        graph.add_conditional_edges(name, reading.after_reading)
    for name in (
        "answer_from_catalog", "scan_corpus", "write_answer", "quote_pieces", "conclude",
    ):  # fmt: skip
        graph.add_edge(name, "finish_turn")
    graph.add_edge("finish_turn", END)
    return graph.compile(checkpointer=checkpointer)
