"""What is to be drawn, as it is sent to the process that draws it."""

from dataclasses import dataclass
from typing import Final

from services.domain import RecognisedWord

CONTEXT: Final = 300
"""Characters around a quote that tell it from equal ones on its page."""
AROUND: Final = 96.0
CLOSE: Final = 14.0
"""Points of the page that an excerpt shows above and below the quote: to read it, to print it."""


@dataclass(frozen=True)
class RenderRequest:
    """A page (1-based), and what to mark on it.

    ``quote`` is the part of the quote that stands on this page, empty for none; ``before`` and
    ``after`` are the page's text around it. ``around`` are the points of the page that are wanted
    above and below the quote, None for the whole page. ``words`` are those that were read from
    a page that is a picture, which has no characters of its own to be found.
    """

    page: int
    quote: str = ""
    before: str = ""
    after: str = ""
    around: float | None = None
    words: tuple[RecognisedWord, ...] = ()


def render_request(
    text: str,
    pages: tuple[int, ...],
    page: int,
    span: tuple[int, int] | None,
    *,
    around: float | None = None,
    words: tuple[RecognisedWord, ...] = (),
) -> RenderRequest:
    """A request to draw a page (1-based) with that part of a span that stands on it.

    ``pages`` says where each page starts in the text; the span may go on beyond the page.
    """
    first = pages[page - 1]
    last = pages[page] if page < len(pages) else len(text)
    start, end = (first, first) if span is None else (max(span[0], first), min(span[1], last))
    if start >= end:
        return RenderRequest(page, words=words)
    return RenderRequest(
        page,
        quote=text[start:end],
        before=text[max(first, start - CONTEXT) : start],
        after=text[end : min(last, end + CONTEXT)],
        around=around,
        words=words,
    )
