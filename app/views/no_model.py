"""A language model is missing: what was looked for, and every way out."""

import streamlit as st

from app.sanitise import plain
from app.session import say, tell
from app.texts import start as texts
from services.errors import NoModel

WAYS = (
    (texts.WAY_EMBEDDED, 'pip install "rabbithole[embedded]"'),
    (
        texts.WAY_OLLAMA,
        "ollama pull qwen3:14b\n"
        "RABBITHOLE_LLM=ollama:qwen3:14b RABBITHOLE_OLLAMA_URL=http://127.0.0.1:11434 "
        "rabbithole serve",
    ),
    (
        texts.WAY_SERVER,
        "RABBITHOLE_LLM=openai:MODEL RABBITHOLE_OPENAI_URL=http://127.0.0.1:8000/v1 "
        "rabbithole serve",
    ),
    (texts.WAY_NONE, "RABBITHOLE_LLM=none rabbithole serve"),
)


def show(problem: NoModel) -> None:
    """Says what is wrong; the ways out unfold."""
    st.warning(plain(tell(str(problem))), title=say(texts.NO_MODEL_TITLE), icon=":material/info:")
    with st.expander(say(texts.NO_MODEL_WAYS)):
        for text, command in WAYS:
            st.markdown(say(text))
            st.code(command, language=None, wrap_lines=True)
