"""The research agent: LangGraph and nothing below it.

Checkpoints are read back in strict mode: only types that the state declares are restored.
The switch must be set before langgraph is imported, hence here.
"""

import os

os.environ["LANGGRAPH_STRICT_MSGPACK"] = "true"
