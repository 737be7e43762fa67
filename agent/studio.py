"""The graphs that langgraph.json names, for LangGraph's development server."""

from agent.ask.graph import build_ask_graph
from agent.research.graph import build_research_graph

ask = build_ask_graph()
research = build_research_graph()
