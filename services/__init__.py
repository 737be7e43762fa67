"""Everything the agent calls; knows nothing of LangGraph or Streamlit."""
