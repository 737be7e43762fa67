"""The summary of a document with the source of every sentence, or its outline, and questions."""

from collections.abc import Sequence
from itertools import zip_longest
from typing import Final

import streamlit as st

from agent.engine.library import Outline
from app import navigation
from app.components.cited_answer import mark_help
from app.components.widgets import attempt, quiet_button, redraw, row, show_errors
from app.formats import plain
from app.session import _, engine
from services.domain import CitedSentence, DocumentInfo, SectionSpan
from services.domain.answers import DocumentSummary

POLL_S: Final = 3.0
MAX_HEADINGS: Final = 20
MAX_DOCUMENTS: Final = 3
SHORT_ID: Final = 12
NAME_LENGTH: Final = 100


def show(document_id: str, collection: str, key: str) -> None:
    """Draw a summary or, until it is written, the outline; ``key`` tells two of a page apart."""
    pending = document_id in engine().library.to_summarise()
    polled = st.fragment(_show, run_every=POLL_S if pending else None)
    polled(document_id, collection, f"{key}-{document_id[:SHORT_ID]}", pending)


def show_new(document_ids: Sequence[str], collection: str) -> None:
    """Draw the first documents of an upload, each under its name."""
    for document_id in document_ids[:MAX_DOCUMENTS]:
        with show_errors():
            info = engine().library.document(document_id, collection)
            with st.container(border=True, key=f"new-{document_id[:SHORT_ID]}"):
                address = navigation.document_url(document_id)
                st.link_button(plain(info.document), address, type="tertiary")
                show(document_id, collection, "new")


def show_pending() -> None:
    """Draw how many documents are still to be summarised, and a button that stops it."""
    if pending := engine().library.to_summarise():
        with row(key="to-summarise"):
            text = _("Documents still to be summarised: {count}", count=len(pending))
            st.caption(f":material/hourglass: {text}", width="content")
            stop = engine().library.stop_summaries
            quiet_button(_("Stop"), "stop-summaries", "stop", on_click=attempt, args=(stop,))


def _show(document_id: str, collection: str, key: str, was_pending: bool) -> None:
    with show_errors():
        pending = document_id in engine().library.to_summarise()
        if was_pending and not pending:
            redraw()
        outline = engine().library.outline(document_id, collection)
        if outline.summary is not None and outline.summary.sentences:
            _summary(outline.summary, outline.document, collection, key)
            return
        if pending:
            st.caption(f":material/hourglass: {_('Writing a summary …')}")
        elif outline.summary is not None:
            st.caption(_("No sentence of the summary could be proven, so there is no summary."))
        _headings(outline)


def _summary(summary: DocumentSummary, info: DocumentInfo, collection: str, key: str) -> None:
    with st.container(key=f"para-summary-{key}"):
        number = 0
        for sentence in summary.sentences:
            number = _sentence(sentence, number, key)
    counts = {"read": summary.sections_read, "sections": summary.sections}
    model = plain(summary.model)
    st.caption(_("Summary by {model}; {read} of {sections} sections read", model=model, **counts))
    if summary.questions:
        st.markdown(f"**{_('Questions to start with')}**")
        with st.container(gap="xxsmall"):
            for n, question in enumerate(summary.questions):
                text = plain(question)
                if quiet_button(text, f"ask-{key}-{n}", "arrow_forward", wrap=True):
                    _ask(question, info.document, collection)


def _sentence(sentence: CitedSentence, number: int, key: str) -> int:
    """Draw a sentence with its marks, which open the document; return the number of the last."""
    st.text(sentence.text)
    for cited in sentence.citations:
        number += 1
        label = f"{number}:gray[, {plain(navigation.location(cited))}]"  # for screen readers
        name, quote = f"mark-summary-{key}-{number}", mark_help(cited)
        if st.button(label, key=name, type="tertiary", help=quote):
            st.switch_page(navigation.DOCUMENT, query_params=navigation.span_query(cited))
    return number


def _ask(question: str, document: str, collection: str) -> None:
    def send() -> None:
        started = engine().answers.ask(question, collections=[collection], documents=[document])
        navigation.switch_to_thread(started.thread_id)

    attempt(send)


def _headings(outline: Outline) -> None:
    levels = sorted(section.level for section in outline.outline)[:2]  # a title alone says little
    lines = [
        _heading(section, page, outline.document.document_id)
        for section, page in zip_longest(outline.outline, outline.pages)
        if section.level <= levels[-1]
    ]
    if not lines:
        return
    with st.expander(_("Outline"), icon=":material/toc:"):
        st.markdown("  \n".join(lines[:MAX_HEADINGS]))
        if len(lines) > MAX_HEADINGS:
            st.caption(_("… and {count} more", count=len(lines) - MAX_HEADINGS))


def _heading(section: SectionSpan, page: int | None, document_id: str) -> str:
    address = navigation.document_url(document_id, page, (section.start, section.end))
    title = section.title if section.label in section.title else f"{section.label} {section.title}"
    where = "" if page is None else f" :gray[{_('p. {page}', page=page)}]"
    return f"[{plain(title, NAME_LENGTH)}]({address}){where}"
