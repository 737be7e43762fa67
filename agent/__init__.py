"""The research agent: LangGraph and nothing below it.

Checkpoints are read back in strict mode: only types that the state declares are restored.
The switch must be set before langgraph is imported, hence here; so must that of tracing, which
importing services sets.
"""

import os

import services as services

os.environ["LANGGRAPH_STRICT_MSGPACK"] = "true"
