"""Everything the agent calls; knows nothing of LangGraph or Streamlit."""

import os

from services.tracing import trace_only_where_named

trace_only_where_named(os.environ)
