"""The pages of the app, and how a location in a document is named and addressed."""

import re
from pathlib import Path, PurePath
from typing import Final, NoReturn
from urllib.parse import urlencode

import streamlit as st

from app.locale import N_
from app.session import _
from services.domain.value import DocumentSpan, Location, Span

RETRIEVAL = {
    "vector_search": N_("search"),
    "reference": N_("reference"),
    "hitl": N_("clarifying questions"),
    "graph": N_("knowledge graph"),
}

SECOND: Final = "beside"
"""Query parameter of the document that is shown beside another."""
SECOND_PREFIX: Final = f"{SECOND}-"
_SPAN = re.compile(r"(\d{1,12})-(\d{1,12})")
_FOLDER = Path(__file__).resolve().parent / "app_pages"
ASK = _FOLDER / "ask.py"
GRIDS = _FOLDER / "grids.py"
LIBRARY = _FOLDER / "library.py"
RUNS = _FOLDER / "runs.py"
DOCUMENT = _FOLDER / "document.py"
SETTINGS = _FOLDER / "settings.py"


def switch_to_thread(thread_id: str) -> NoReturn:
    """Open the page of a thread."""
    st.switch_page(ASK, query_params={"thread": thread_id})


def section_location(document: str, section: str) -> str:
    """Return ``§ 78 · StrlSchG.pdf``."""
    return " · ".join(filter(None, [section, document]))


def location(at: Location, section: str | None = None) -> str:
    """Return ``§ 78 · StrlSchG.pdf · S. 50``; ``section`` replaces the label of the section."""
    return " · ".join(filter(None, [section or at.section, at.document, page_name(at)]))


def short_location(at: Location) -> str:
    """Return ``StrlSchG § 78, S. 50``: the file name without its suffix, and the section."""
    head = f"{PurePath(at.document).stem} {at.section}".strip()
    return ", ".join(filter(None, [head, page_name(at)]))


def page_name(at: Location) -> str:
    """Return ``S. 50`` or ``S. iv (Seite 6 von 212)``; "" in a format without pages."""
    if at.page_label:
        fields = {"label": at.page_label, "page": at.page, "count": at.page_count}
        return _("p. {label} (page {page} of {count})", **fields)
    return "" if at.page is None else _("p. {page}", page=at.page)


def retrieval_label(source_type: str, hops: int, path: str = "") -> str:
    """Return ``Suche``, ``Verweis, Schritt 2`` or ``Wissensgraph, Schritt 1: § 78 › § 79``."""
    name = RETRIEVAL.get(source_type)
    label = _(name) if name else source_type
    if hops:
        label = f"{label}, {_('step {number}', number=hops)}"
    return f"{label}: {path}" if path else label


def document_query(
    document_id: str, page: int | None, span: tuple[int, int] | None
) -> dict[str, str]:
    """Return the query parameters that address a location in a document."""
    query = {"doc": document_id, "page": page, "span": span and f"{span[0]}-{span[1]}"}
    return {name: str(value) for name, value in query.items() if value is not None}


def document_url(
    document_id: str, page: int | None = None, span: tuple[int, int] | None = None
) -> str:
    """Return the address of a document in the app, at a page, with a span of its text marked."""
    return f"/document?{urlencode(document_query(document_id, page, span))}"


def span_query(at: DocumentSpan) -> dict[str, str]:
    """Return the query parameters that address a span, with its page if that is known."""
    page = at.page if isinstance(at, Location) else None
    return document_query(at.document_id, page, (at.start, at.end))


def beside_query(at: DocumentSpan) -> dict[str, str]:
    """Return the query parameters that show a span beside another document."""
    return {
        SECOND if name == "doc" else SECOND_PREFIX + name: value
        for name, value in span_query(at).items()
    }


def parse_span(text: str) -> Span | None:
    """Return the span ``A-B`` of an address, None if it is none."""
    match = _SPAN.fullmatch(text)
    if match is None:
        return None
    start, end = int(match[1]), int(match[2])
    return (start, end) if start < end else None


def span_url(at: DocumentSpan) -> str:
    """Return the address of a span in the app."""
    return f"/document?{urlencode(span_query(at))}"
