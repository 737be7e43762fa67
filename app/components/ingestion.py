"""Adding files: the field that takes them, ordering the ingestion, and a first visit."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, get_args

import streamlit as st

from agent.engine.jobs import Ingest
from app import navigation, session
from app.components import works
from app.components.notices import act
from app.components.widgets import button
from app.labels import LANGUAGES
from app.locale import N_
from app.session import _, labels, leave_notice, settings
from app.uploads import keep
from services.domain import Chunking, ChunkStrategy

STRATEGIES = {
    "paragraph": N_("paragraphs (usual)"),
    "sentence": N_("sentences"),
    "fixed": N_("equal length"),
    "semantic": N_("topics"),
}
EXAMPLES = (
    "Welche Dosisgrenzwerte gelten für beruflich exponierte Personen unter 18 Jahren, "
    "und welche Ausnahmen kann die Behörde zulassen?",
    "Wie wird ein Strahlenschutzbeauftragter bestellt, und wie ist er vor Kündigung geschützt?",
    "Was muss der Verantwortliche tun, wenn die Radonkonzentration an einem "
    "Arbeitsplatz den Referenzwert überschreitet?",
)
NO_DOCUMENTS_HOW = N_(
    "Rabbithole answers from your own documents only. To try it, ingest the German radiation "
    "protection act that ships with it (117 pages; this takes one to a few minutes), or upload "
    "files of your own in the library."
)
SAMPLE = "strahlenschutz"
SAMPLE_LAW = Path("strahlenschutz") / "StrlSchG.pdf"
"""One law, as ``rabbithole demo`` takes in: all five take minutes on a small machine."""
FILE_TYPES = ["pdf", "docx", "txt", "md"]
SIZES = (200, 4000)
OVERLAP = 5
"""What neighbours share where a text is cut by length: one part in so many."""


def offer_sample(**look: Any) -> None:
    """A button that orders the law that ships with Rabbithole and draws the page anew."""
    if button(_("Ingest the sample law"), "ingest-sample", **look):
        act(lambda: _order([settings().samples / SAMPLE_LAW], SAMPLE))


def sample_in_library() -> None:
    """What a library without documents says and does first."""
    st.markdown(_(NO_DOCUMENTS_HOW))
    offer_sample()


def offer_first_sample() -> None:
    """What to do first while there are no documents."""
    with st.container(border=True):
        st.markdown(f"**{_('No documents yet')}**  \n{_(NO_DOCUMENTS_HOW)}")
        with st.container(horizontal=True):
            offer_sample(type="primary")
            if button(_("To the library"), "to-library"):
                st.switch_page(navigation.LIBRARY)


def upload(collection_id: str | None) -> None:
    """Takes files for a collection; None asks for the name of a new one."""
    with st.form("upload", clear_on_submit=True):
        files = st.file_uploader(
            _("PDF, DOCX, TXT or Markdown, many at once"),
            type=FILE_TYPES,
            accept_multiple_files=True,
            key="files",
        )
        name = collection_id
        if collection_id is None:
            name = st.text_input(_("Name of the new collection"), key="into", max_chars=100).strip()
        with st.expander(_("How texts are cut"), icon=":material/tune:"):
            language, chunking = _cutting()
        submitted = st.form_submit_button(
            _("Ingest"), type="primary", icon=":material/upload:", key="ingest"
        )
    if not submitted:
        return
    if files and name:
        how = {"language": language, "chunking": chunking}
        act(lambda: _order(keep(settings().home, files), name, **how))
    leave_notice(_("Give the collection a name.") if files else _("Choose at least one file."))
    st.rerun()


def _cutting() -> tuple[str, Chunking]:
    """Language of the texts, and how they are cut."""
    left, middle, right = st.columns(3)
    language = left.selectbox(
        _("Language of the texts"),
        list(LANGUAGES),
        format_func=labels(LANGUAGES),
        key="text-language",
    )
    strategy = middle.selectbox(
        _("Cut by"), get_args(ChunkStrategy), format_func=labels(STRATEGIES), key="strategy"
    )
    usual, text = Chunking(), _("Length of a passage in characters")
    size = int(right.number_input(text, *SIZES, usual.size, step=100, key="chunk-size"))
    overlap = min(usual.overlap, size // OVERLAP)
    return language, Chunking(strategy=strategy, size=size, overlap=overlap)


def _order(paths: Sequence[Path], collection: str, **how: Any) -> None:
    works.order(Ingest(paths=tuple(map(str, paths)), collection=collection, **how))


def examples() -> str | None:
    """Questions to the sample, in the form of a new session; the one that was clicked."""
    st.caption(_("To try it, one click starts research in the German radiation protection act:"))
    clicked = None
    with st.container(gap="xxsmall"):
        for number, text in enumerate(EXAMPLES, start=1):
            if st.form_submit_button(
                text,
                key=f"example-{number}",
                icon=":material/arrow_forward:",
                type="tertiary",
                on_click=_fill,  # it stays in its field should the start fail
                args=(text,),
                wrap=True,
            ):
                clicked = text
    return clicked


def _fill(question: str) -> None:
    st.session_state[session.QUESTION] = question
