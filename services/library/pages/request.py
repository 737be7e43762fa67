"""Requests to draw a page, sent to the drawing process."""

from dataclasses import dataclass
from typing import Final

from services.domain import RecognisedWord

CONTEXT: Final = 300
"""Characters around a quote that distinguish it from equal ones on its page."""
AROUND: Final = 96.0
CLOSE: Final = 14.0
"""Points of the page above and below the quote: to read an excerpt on screen, and in print."""
SCALE: Final = 2.0
ENLARGED: Final = 3.0
"""Pixels per point: sharp on a high-density screen, and also when enlarged there."""


@dataclass(frozen=True)
class RenderRequest:
    """A page (1-based) to draw, with a quote to mark.

    Attributes:
        page: The page.
        quote: The piece of the quote on this page, empty for none.
        before, after: The page's text around the quote.
        around: Points to show above and below the quote, None for the entire page.
        words: The recognised words of a page that is a picture.
        scale: Pixels per point; large pages get fewer.
    """

    page: int
    quote: str = ""
    before: str = ""
    after: str = ""
    around: float | None = None
    words: tuple[RecognisedWord, ...] = ()
    scale: float = SCALE


def render_request(
    text: str,
    pages: tuple[int, ...],
    page: int,
    span: tuple[int, int] | None,
    *,
    around: float | None = None,
    words: tuple[RecognisedWord, ...] = (),
    scale: float = SCALE,
) -> RenderRequest:
    """Return a request to draw a page (1-based) with the piece of a span on it.

    ``pages`` has the offsets of the pages in the text; the span may extend beyond the page.
    """
    first = pages[page - 1]
    last = pages[page] if page < len(pages) else len(text)
    start, end = (first, first) if span is None else (max(span[0], first), min(span[1], last))
    if start >= end:
        return RenderRequest(page, words=words, scale=scale)
    return RenderRequest(
        page,
        quote=text[start:end],
        before=text[max(first, start - CONTEXT) : start],
        after=text[end : min(last, end + CONTEXT)],
        around=around,
        words=words,
        scale=scale,
    )
