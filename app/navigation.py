"""Where things are: the pages of the app, and how a place in a document is named and reached."""

from pathlib import Path, PurePath
from typing import NoReturn
from urllib.parse import quote, urlencode

import streamlit as st

from app.formats import one_line
from app.locale import N_
from app.session import _

RETRIEVAL = {
    "vector_search": N_("search"),
    "reference": N_("reference"),
    "hitl": N_("clarification"),
    "graph": N_("knowledge graph"),
}

_FOLDER = Path(__file__).resolve().parent / "app_pages"
ASK = _FOLDER / "ask.py"
LIBRARY = _FOLDER / "library.py"
RUNS = _FOLDER / "runs.py"
DOCUMENT = _FOLDER / "document.py"
SETTINGS = _FOLDER / "settings.py"


def switch_to_thread(thread_id: str) -> NoReturn:
    """Opens a thread."""
    st.switch_page(ASK, query_params={"thread": thread_id})


def document_query(
    document_id: str, page: int | None, span: tuple[int, int] | None
) -> dict[str, str]:
    """The part of the address that names a place in a document."""
    query = {"doc": document_id, "page": page, "span": span and f"{span[0]}-{span[1]}"}
    return {name: str(value) for name, value in query.items() if value is not None}


def location(document: str, section: str, page: int | None) -> str:
    """``§ 78 · StrlSchG.pdf · S. 50``."""
    parts = [section, document, "" if page is None else _("p. {page}", page=page)]
    return " · ".join(filter(None, parts))


def short_location(document: str, section: str, page: int | None) -> str:
    """``StrlSchG § 78, S. 50``: the file's name without its ending, and the section."""
    head = f"{PurePath(document).stem} {section}".strip()
    return head if page is None else f"{head}, {_('p. {page}', page=page)}"


def retrieval_label(source_type: str, depth: int, way: str = "") -> str:
    """``Suche``, ``Verweis, Tiefe 2`` or ``Wissensgraph, Tiefe 1: § 78 › § 79``."""
    known = RETRIEVAL.get(source_type)
    name = _(known) if known else source_type
    shown = f"{name}, {_('Depth')} {depth}" if depth else name
    return f"{shown}: {way}" if way else shown


def named_url(
    document_id: str, name: str, page: int | None = None, span: tuple[int, int] | None = None
) -> str:
    """The address of a document with its name behind it, for a table that shows the name alone."""
    return f"{document_url(document_id, page, span)}#{quote(one_line(name))}"


def document_url(
    document_id: str, page: int | None = None, span: tuple[int, int] | None = None
) -> str:
    """The address of a document in the app, at a page and with a span of its text marked."""
    return f"/document?{urlencode(document_query(document_id, page, span))}"
