"""Pages of the app; Streamlit runs them as scripts."""
