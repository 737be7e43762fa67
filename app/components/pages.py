"""Pages of documents as images, their text, and where a quote stands."""

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import accumulate, pairwise
from typing import Final, Literal

import streamlit as st

from agent.engine.layout import MarkedText, by_line
from app.components.widgets import highlight
from app.formats import plain
from app.session import _, engine, notice_text
from services.domain import Citation, PageImage, ParsedDocument
from services.domain.errors import RabbitholeError
from services.domain.passages import Box, PageWord
from services.domain.value import Span
from services.library.pages.marks import AROUND, ENLARGED
from services.library.text_view import TableView, blocks

TYPE_HEIGHT: Final = 0.82
"""Size of the type of a line, as a share of its height."""
LETTER_WIDTH: Final = 0.56
"""Width of a usual letter, as a share of the size of its type."""
Boxes = Sequence[Box]


def show_page_image(
    image: PageImage, key: str, alt: str, matches: Sequence[Boxes] = (), current: int | None = None
) -> None:
    """Draw a page with the boxes of each match; ``current`` is the index of the match looked at."""
    with st.container(key=f"leaf-{key}", gap=None):
        st.html(_zoom_buttons())
        with st.container(key=f"sheet-{key}"):
            # Streamlit makes an image smaller unless it is told its width, which its header states.
            width = int.from_bytes(image.png[16:20])
            st.image(image.png, width=width, output_format="PNG", alt=alt)
            st.html("".join(_overlay(image, matches, current)))
    if not image.recognised:
        return
    remark = _("Recognised text: compare it with the image.")
    if image.doubtful:
        word, sure = image.doubtful
        remark += " " + _(
            "Least certain word: “{word}” (confidence {sure} out of 100).",
            word=plain(word),
            sure=sure,
        )
    st.caption(f":material/document_scanner: {remark}")


def show_no_image(problem: RabbitholeError) -> None:
    """Say why text is shown in place of the page."""
    why = plain(notice_text(problem.notice))
    st.caption(_("The extracted text is shown instead of the page. {why}", why=why))


def _zoom_buttons() -> str:
    buttons = (
        f'<button type="button" data-zoom="{step}" aria-label="{label}" title="{label}">'
        f"{sign}</button>"
        for step, sign, label in (
            (-1, "−", escape(_("Make pages smaller"))),
            (1, "+", escape(_("Make pages larger"))),
        )
    )
    return f'<div class="zoom">{"<output></output>".join(buttons)}</div>'


def _overlay(image: PageImage, matches: Sequence[Boxes], current: int | None) -> Iterator[str]:
    yield '<div class="sheet-text">'
    for line in image.lines:
        yield _line(line, image.region)
    yield from _marks(image.boxes, image.region, "quoted")
    for number, boxes in enumerate(matches):
        yield from _marks(boxes, image.region, "current" if number == current else "match")
    yield "</div>"


def _line(words: Sequence[PageWord], region: Box) -> str:
    """Return a line of text; "" outside the region."""
    x0, x1 = words[0].x0, max(word.x1 for word in words)
    y0, y1 = min(word.y0 for word in words), max(word.y1 for word in words)
    if y0 < region.y0 or y1 > region.y1 or x1 <= x0:
        return ""
    text = " ".join(word.text for word in words)
    size = min((y1 - y0) * TYPE_HEIGHT, (x1 - x0) / (LETTER_WIDTH * len(text)))
    of_width = 100 * size / (region.x1 - region.x0)
    box = Box(x0=x0, y0=y0, x1=x1, y1=y1)
    return f'<p style="{_position(box, region)};font-size:{of_width:.3f}cqw">{escape(text)}<br></p>'


def _marks(boxes: Iterable[Box], region: Box, kind: str) -> Iterator[str]:
    for box in boxes:
        yield f'<mark class="{kind}" style="{_position(box, region)}"></mark>'


def _position(box: Box, region: Box) -> str:
    width, height = region.x1 - region.x0, region.y1 - region.y0
    shares = {
        "left": (box.x0 - region.x0) / width,
        "top": (box.y0 - region.y0) / height,
        "width": (box.x1 - box.x0) / width,
        "height": (box.y1 - box.y0) / height,
    }
    return ";".join(f"{name}:{100 * share:.3f}%" for name, share in shares.items())


REACH: Final = 1200
"""Most characters shown before and after a span."""
BREAKS: Final = ("\n\n", "\n")
"""What a text is cut at, the best first."""
Mark = tuple[Span, Literal["quoted", "match", "current", "word"]]


def surroundings(parsed: ParsedDocument, span: Span, *, reach: int = REACH) -> Span:
    """Return the sections that a span touches, cut between lines ``reach`` characters around it."""
    text, sections = parsed.text, parsed.sections
    start = min(max(span[0], 0), len(text))
    end = min(max(span[1], start), len(text))
    first, last = map(parsed.section_at, (start, max(start, end - 1)))
    lower = sections[first].start if first >= 0 else 0
    upper = sections[last].end if last >= 0 else (*(s.start for s in sections), len(text))[0]
    if start - lower > reach:
        cuts = (text.find(sign, start - reach, start) for sign in BREAKS)
        lower = next((cut + 1 for cut in cuts if cut >= 0), start - reach)
    if upper - end > reach:
        cuts = (text.rfind(sign, end, end + reach) for sign in BREAKS)
        upper = next((cut for cut in cuts if cut >= 0), end + reach)
    return lower, upper


def show_text(parsed: ParsedDocument, extent: Span, marks: Sequence[Mark]) -> None:
    """Draw a part of a document's text; where marks overlap, the last one is shown."""
    _draw(parsed.text, blocks(parsed.text, extent), marks, parsed.language)


def show_cited(text: str, language: str) -> None:
    """Draw a sentence or quote, with rows of a table as a table."""
    pieces = list(blocks(text, (0, len(text))))
    if any(isinstance(piece, TableView) for piece in pieces):
        _draw(text, pieces, (), language)
    else:
        st.text(text)


def show_excerpt(pieces: Sequence[MarkedText], language: str) -> None:
    """Draw a passage with its decisive words in bold, and rows of a table as a table."""
    text = "".join(piece.text for piece in pieces)
    ends = list(accumulate(len(piece.text) for piece in pieces))
    spans = list(blocks(text, (0, len(text))))
    if any(isinstance(span, TableView) for span in spans):
        marks: list[Mark] = [
            ((end - len(piece.text), end), "word")
            for piece, end in zip(pieces, ends, strict=True)
            if piece.marked
        ]
        _draw(text, spans, marks, language)
    else:
        st.markdown("  \n".join(map(highlight, by_line(pieces))))


def _draw(
    text: str, pieces: Iterable[Span | TableView], marks: Sequence[Mark], language: str
) -> None:
    # The text is foreign: it is escaped, and Streamlit removes what is no plain HTML.
    html = "".join(_block(text, piece, marks) for piece in pieces)
    st.html(f'<div class="document-text" lang="{escape(language)}">{html}</div>')


def _block(text: str, block: Span | TableView, marks: Sequence[Mark]) -> str:
    if not isinstance(block, TableView):
        return f"<p>{_marked(text, _without_breaks(text, block), marks)}</p>"
    columns = max(map(len, (block.heads, *block.rows)))
    head = "".join(_cell(text, cell, marks, "th") for cell in block.heads)
    rows = "".join(
        f"<tr>{''.join(_cell(text, cell, marks, 'td', 1 if row[1:] else columns) for cell in row)}"
        "</tr>"
        for row in block.rows
    )
    head = f"<thead><tr>{head}</tr></thead>" if head else ""
    return f"<div><table>{head}<tbody>{rows}</tbody></table></div>"


def _without_breaks(text: str, span: Span) -> Span:
    """Return a span without line breaks at its ends; what begins a line may be indented."""
    piece = text[slice(*span)]
    return span[1] - len(piece.lstrip("\n")), span[0] + len(piece.rstrip())


def _cell(text: str, cell: Span | None, marks: Sequence[Mark], tag: str, columns: int = 1) -> str:
    across = f' colspan="{columns}"' if columns > 1 else ""
    return f"<{tag}{across}>{_marked(text, cell, marks) if cell else ''}</{tag}>"


def _marked(text: str, span: Span, marks: Sequence[Mark]) -> str:
    return "".join(
        f'<mark class="{kind}">{escape(piece)}</mark>' if kind else escape(piece)
        for piece, kind in _pieces(text, span, marks)
    )


def _pieces(text: str, span: Span, marks: Sequence[Mark]) -> Iterator[tuple[str, str]]:
    """Yield a text in pieces, each with the kind of its mark or ""."""
    start, end = span
    within = [((max(a, start), min(b, end)), kind) for (a, b), kind in marks]
    within = [(clipped, kind) for clipped, kind in within if clipped[0] < clipped[1]]
    cuts = sorted({start, end, *(edge for clipped, _ in within for edge in clipped)})
    for a, b in pairwise(cuts):
        kinds = [kind for clipped, kind in within if clipped[0] <= a and b <= clipped[1]]
        yield text[a:b], kinds[-1] if kinds else ""


MAX_PAGES: Final = 3
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
        text = _(
            "The passage could not be highlighted on the page. It reads: “{quote}”",
            quote=plain(cited.quote, QUOTE_LENGTH),
        )
        st.caption(text)
    return image.last_page


def _section_text(cited: Citation, version: str | None) -> None:
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
    for warning in opened.parsed.warnings:
        st.caption(f":material/error: {plain(notice_text(warning))}")
