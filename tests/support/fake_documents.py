"""The documents of the fake client: a law with pages, and one without."""

import io
from functools import cached_property
from typing import Any

from services.domain import (
    Box,
    DocumentInfo,
    OpenDocument,
    PageImage,
    ParsedDocument,
    SectionSpan,
)
from services.domain.errors import NotFound, UnreadableDocument

PAGE_TEXT = "Seite {number}. Der Grenzwert beträgt 1 Millisievert im Kalenderjahr.\n\n"
PAGES = 60
TEXT = """§ 1 Zweck

Dieses Gesetz dient dem Schutz.

§ 2 Grenzwerte

Der Grenzwert beträgt 1 Millisievert.

Ausnahmen sind möglich.
"""


class FakeDocuments:
    """``lose_originals`` makes pages impossible to show, ``hide`` the documents themselves.

    ``reads`` keeps what was asked for.
    """

    lose_originals = False
    hide = False

    @cached_property
    def reads(self) -> list[tuple[Any, ...]]:
        return []

    def open_document(self, document: str, *, parser_version: str | None = None) -> OpenDocument:
        self.reads.append(("open_document", document, parser_version))
        if self.hide or document not in ("d1", "UVSV.txt"):
            raise NotFound(f"There is no document {document[:12]} that you can read.")
        return OpenDocument(info=_info(document), parsed=law() if document == "d1" else ordinance())

    def page_image(
        self,
        document_id: str,
        page: int,
        *,
        span: tuple[int, int] | None = None,
        around: float | None = None,
        parser_version: str | None = None,
    ) -> PageImage:
        self.reads.append(("page_image", document_id, page, span, around, parser_version))
        if self.lose_originals or self.hide:
            raise UnreadableDocument("The kept file is gone. Ingest it again.")
        box = Box(x0=10, y0=10, x1=90, y1=20)
        return PageImage(
            page=page,
            pages=PAGES,
            last_page=page,
            width=100,
            height=140,
            region=Box(x0=0, y0=0, x1=100, y1=140),
            boxes=(box,) if span else (),
            png=_png(),
        )


def law() -> ParsedDocument:
    """A text of 60 pages in 2 sections."""
    pages = [PAGE_TEXT.format(number=number) for number in range(1, PAGES + 1)]
    starts = [sum(map(len, pages[:number])) for number in range(PAGES)]
    text = "".join(pages)
    middle = starts[29]
    return _parsed(text, tuple(starts), [("§ 1", 0, middle), ("§ 78", middle, len(text))])


def ordinance() -> ParsedDocument:
    """A text without pages, in 2 sections."""
    middle = TEXT.index("§ 2")
    return _parsed(TEXT, (), [("§ 1", 0, middle), ("§ 2", middle, len(TEXT))])


def _parsed(
    text: str, pages: tuple[int, ...], sections: list[tuple[str, int, int]]
) -> ParsedDocument:
    return ParsedDocument(
        title="Strahlenschutzgesetz",
        text=text,
        pages=pages,
        sections=tuple(
            SectionSpan(
                label=label,
                title=f"{label} Titel",
                level=0,
                start=start,
                end=end,
                heading_path=(f"{label} Titel",),
            )
            for label, start, end in sections
        ),
        language="de",
        parser_version="1",
    )


def _info(document: str) -> DocumentInfo:
    return DocumentInfo(
        document_id=document,
        document="StrlSchG.pdf" if document == "d1" else document,
        title="Strahlenschutzgesetz",
        pages=PAGES if document == "d1" else None,
        sections=2,
        chunks=10,
        status="indexed",
        sha256="ab" * 32,
        ingested_at="2026-11-21T22:30:00+00:00",
        language="de",
        parser_version="1",
    )


def _png() -> bytes:
    import base64

    from PIL import Image

    stream = io.BytesIO()
    Image.new("RGB", (100, 140), "white").save(stream, "PNG")
    return base64.b64encode(stream.getvalue())
