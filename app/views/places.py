"""How a place in a document, a tier and a way of finding are written everywhere."""

from pathlib import PurePath
from urllib.parse import urlencode

from app import texts
from app.session import say


def place(document: str, section: str, page: int | None) -> str:
    """``§ 78 · StrlSchG.pdf · S. 50``."""
    parts = [section, document, "" if page is None else say(texts.PAGE, page=page)]
    return " · ".join(part for part in parts if part)


def short_place(document: str, section: str, page: int | None) -> str:
    """``StrlSchG § 78, S. 50``: the file's name without its ending, and the section."""
    head = f"{PurePath(document).stem} {section}".strip()
    return head if page is None else f"{head}, {say(texts.PAGE, page=page)}"


def how_found(source_type: str, depth: int, way: str = "") -> str:
    """``Suche``, ``Verweis, Tiefe 2`` or ``Wissensgraph, Tiefe 1: § 78 › § 79``."""
    known = texts.HOW_FOUND.get(source_type)
    name = say(known) if known else source_type
    shown = f"{name}, {say(texts.DEPTH)} {depth}" if depth else name
    return f"{shown}: {way}" if way else shown


def document_url(
    document_id: str, page: int | None = None, span: tuple[int, int] | None = None
) -> str:
    """The address of a document in the app, at a page and with a span of its text marked."""
    where: dict[str, str] = {"doc": document_id}
    if page is not None:
        where["page"] = str(page)
    if span is not None:
        where["span"] = f"{span[0]}-{span[1]}"
    return f"/document?{urlencode(where)}"
