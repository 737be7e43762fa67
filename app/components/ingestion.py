"""Adding files: the field that takes them, ordering the ingestion, and a first visit."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, get_args

import streamlit as st

from agent.engine.jobs import Ingest
from app import navigation, session
from app import texts as common
from app.components import works
from app.components.notices import act
from app.components.widgets import button
from app.session import labels, leave_notice, say, settings
from app.texts import documents, start
from app.texts import works as texts
from app.uploads import keep
from services.domain import Chunking, ChunkStrategy

SAMPLE = "strahlenschutz"
SAMPLE_LAW = Path("strahlenschutz") / "StrlSchG.pdf"
"""One law, as ``rabbithole demo`` takes in: all five take minutes on a small machine."""
FILE_TYPES = ["pdf", "docx", "txt", "md"]
SIZES = (200, 4000)
OVERLAP = 5
"""What neighbours share where a text is cut by length: one part in so many."""


def ingest_sample() -> None:
    """Orders the law that ships with Rabbithole and redraws the page."""
    act(lambda: _order([settings().samples / SAMPLE_LAW], SAMPLE))


def sample_in_library() -> None:
    """What a library without documents says and does first."""
    st.markdown(say(common.NO_DOCUMENTS_HOW))
    if button(common.INGEST_SAMPLE, "ingest-sample"):
        ingest_sample()


def upload(collection_id: str | None) -> None:
    """Takes files for a collection; None asks for the name of a new one."""
    with st.form("upload", clear_on_submit=True):
        files = st.file_uploader(
            say(texts.UPLOAD_HINT), type=FILE_TYPES, accept_multiple_files=True, key="files"
        )
        name = collection_id
        if collection_id is None:
            name = st.text_input(say(texts.INTO_COLLECTION), key="into", max_chars=100).strip()
        with st.expander(say(texts.HOW_TO_CUT), icon=":material/tune:"):
            options = _options()
        submitted = st.form_submit_button(
            say(texts.INGEST), type="primary", icon=":material/upload:", key="ingest"
        )
    if not submitted:
        return
    if files and name:
        act(lambda: _order(keep(settings().home, files), name, **options))
    leave_notice(say(texts.NO_NAME if files else texts.NOTHING_TO_INGEST))
    st.rerun()


def _options() -> dict[str, Any]:
    """Language and chunking of the files."""
    languages, strategies = documents.LANGUAGES, get_args(ChunkStrategy)
    left, middle, right = st.columns(3)
    language = left.selectbox(
        say(texts.LANGUAGE_OF), list(languages), format_func=labels(languages), key="text-language"
    )
    strategy = middle.selectbox(
        say(texts.STRATEGY), strategies, format_func=labels(texts.STRATEGIES), key="strategy"
    )
    usual = Chunking().size
    size = int(right.number_input(say(texts.CHUNK_SIZE), *SIZES, usual, step=100, key="chunk-size"))
    overlap = min(Chunking().overlap, size // OVERLAP)
    chunking = Chunking(strategy=strategy, size=size, overlap=overlap)
    return {"language": language, "chunking": chunking}


def _order(paths: Sequence[Path], collection: str, **options: Any) -> None:
    works.order(Ingest(paths=tuple(map(str, paths)), collection=collection, **options))


def offer_first_sample() -> None:
    """What to do first while there are no documents."""
    with st.container(border=True):
        st.markdown(f"**{say(common.NO_DOCUMENTS)}**  \n{say(common.NO_DOCUMENTS_HOW)}")
        with st.container(horizontal=True):
            if button(common.INGEST_SAMPLE, "ingest-sample", type="primary"):
                ingest_sample()
            if button(common.TO_LIBRARY, "to-library"):
                st.switch_page(navigation.LIBRARY)


def examples() -> str | None:
    """Questions to the sample, in the form of a new session; the one that was clicked."""
    st.caption(say(start.TRY_EXAMPLES))
    clicked = None
    with st.container(gap="xxsmall"):
        for number, text in enumerate(start.EXAMPLES, start=1):
            if st.form_submit_button(
                say(text),
                key=f"example-{number}",
                icon=":material/arrow_forward:",
                type="tertiary",
                on_click=_fill,  # it stays in its field should the start fail
                args=(say(text),),
                wrap=True,
            ):
                clicked = say(text)
    return clicked


def _fill(question: str) -> None:
    st.session_state[session.QUESTION] = question
