"""The graph of quick answers on one screen: one invocation is one turn of a conversation."""

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from agent.ask import answer, finish, reading, retrieve, rewrite, route, scan
from agent.ask.react import conclude, loop
from agent.ask.state import AskState
from agent.ask.structured import gather, required
from agent.context import Context


def build_ask_graph(
    checkpointer: BaseCheckpointSaver[str] | None = None,
) -> CompiledStateGraph[AskState, Context, AskState, AskState]:
    """Complete the question, understand it, choose a way, answer or refuse."""
    graph = StateGraph(AskState, context_schema=Context)

    for each in (  # a node has the name of its function, which is frozen
        rewrite.rewrite_question, route.understand, scan.answer_from_catalog, scan.scan_corpus,
        route.recall, retrieve.retrieve, required.decompose, gather.gather, required.critique,
        gather.fill_gaps, answer.synthesize, loop.think, loop.act, loop.reflect, loop.clarify,
        conclude.weigh, conclude.conclude, reading.read_answer, reading.read_pieces,
        reading.read_gathered, answer.write_answer, answer.refuse, finish.finish_turn,
    ):  # fmt: skip
        graph.add_node(each)

    graph.add_edge(START, "rewrite_question")
    graph.add_edge("rewrite_question", "understand")
    graph.add_conditional_edges("understand", route.after_understanding)
    graph.add_conditional_edges("recall", route.after_recall)
    graph.add_conditional_edges("retrieve", route.after_search)
    graph.add_conditional_edges("decompose", route.after_decomposition)
    graph.add_edge("gather", "critique")
    graph.add_conditional_edges("critique", required.after_critique)
    graph.add_conditional_edges("fill_gaps", required.after_gaps)
    graph.add_edge("synthesize", "finish_turn")
    graph.add_conditional_edges("think", loop.after_think)
    graph.add_conditional_edges("act", loop.after_act)
    graph.add_conditional_edges("reflect", loop.next_step)
    graph.add_conditional_edges("clarify", loop.next_step)
    graph.add_conditional_edges("weigh", conclude.after_weighing)
    graph.add_edge("conclude", "finish_turn")
    graph.add_edge("answer_from_catalog", "finish_turn")
    graph.add_edge("scan_corpus", "finish_turn")
    for name in ("read_answer", "read_pieces", "read_gathered"):
        graph.add_conditional_edges(name, reading.after_reading)
    graph.add_edge("write_answer", "finish_turn")
    graph.add_edge("refuse", "finish_turn")
    graph.add_edge("finish_turn", END)
    return graph.compile(checkpointer=checkpointer)
