"""Where a quote stands: its pages, or its section in a document without pages."""

from typing import Final

import streamlit as st

from app.components.document import show_warnings_briefly
from app.components.reading_text import show_text, surroundings
from app.components.sheet import show_no_image, show_page_image
from app.formats import plain
from app.session import _, engine, notice_text
from services.domain import Citation
from services.domain.errors import RabbitholeError
from services.library.pages.marks import AROUND, ENLARGED

MAX_PAGES: Final = 3
"""Most pages that are shown of one quote."""
QUOTE_LENGTH: Final = 600


def show_location(cited: Citation, version: str | None = None) -> None:
    """Draw the pages of a quote or, without pages, its section, with the quote marked."""
    if cited.page is None or not _pages(cited, cited.page, version):
        _section_text(cited, version)


def _pages(cited: Citation, page: int, version: str | None) -> bool:
    """Draw the pages of the quote; return whether that was possible."""
    try:
        number, last = page, page
        while number <= min(last, page + MAX_PAGES - 1):
            if number > page:
                st.caption(_("continues on p. {page}", page=number))
            last = _page(cited, number, version)
            number += 1
    except RabbitholeError as problem:
        show_no_image(problem)
        return False
    return True


def _page(cited: Citation, page: int, version: str | None) -> int:
    """Draw one page; return the page on which the quote ends."""
    image = engine().library.page_image(
        cited.document_id,
        page,
        span=(cited.start, cited.end),
        around=AROUND,
        parser_version=version,
        scale=ENLARGED,
    )
    show_page_image(image, str(page), cited.quote)
    if not image.boxes:
        st.caption(
            _(
                "The passage could not be highlighted on the page. It reads: “{quote}”",
                quote=plain(cited.quote, QUOTE_LENGTH),
            )
        )
    return image.last_page


def _section_text(cited: Citation, version: str | None) -> None:
    """Draw the section with the quote marked, or at least the quote."""
    try:
        opened = engine().library.open_document(cited.document_id, parser_version=version)
    except RabbitholeError as problem:
        why = plain(notice_text(problem.notice))
        st.caption(_("The document cannot be opened, so only the quote is shown. {why}", why=why))
        with st.container(key="quote-proof"):
            st.text(cited.quote)
        return
    span = (cited.start, cited.end)
    show_text(opened.parsed, surroundings(opened.parsed, span), [(span, "quoted")])
    show_warnings_briefly(opened.parsed.warnings)
