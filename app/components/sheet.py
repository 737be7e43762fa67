"""A page of a document as an image whose text can be selected and found, and which can be enlarged.

The image is Streamlit's. Over it lies its text, unseen, which the style sheet places; the script
of the app enlarges all pages alike.
"""

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import Final

import streamlit as st

from app.formats import plain
from app.session import _, notice_text
from services.domain import PageImage
from services.domain.errors import RabbitholeError
from services.domain.passages import Box, PageWord

TYPE_HEIGHT: Final = 0.82
"""Size of the type of a line, as a share of its height."""
LETTER_WIDTH: Final = 0.56
"""Width of a usual letter, as a share of the size of its type."""
Boxes = Sequence[Box]


def show_page_image(
    image: PageImage, key: str, alt: str, matches: Sequence[Boxes] = (), current: int | None = None
) -> None:
    """Draw a page as an image; for scanned text, name the least certain word.

    The ``key`` is that of the page among those shown. ``matches`` are the boxes of each match of a
    search, ``current`` is the index of the one that is being looked at.
    """
    with st.container(key=f"leaf-{key}", gap=None):
        st.html(_zoom_buttons())
        with st.container(key=f"sheet-{key}"):
            # Streamlit makes an image smaller unless it is told its width.
            st.image(image.png, width=_pixels(image.png), output_format="PNG", alt=alt)
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


def _pixels(png: bytes) -> int:
    """Return the width of an image, which its header states."""
    return int.from_bytes(png[16:20])


def _zoom_buttons() -> str:
    """Return the buttons that make pages smaller and larger, as HTML."""
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
    """Yield the text, the place of the quote and the matches, as HTML over the image."""
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
    """Return where a box lies within a region, as CSS."""
    width, height = region.x1 - region.x0, region.y1 - region.y0
    shares = {
        "left": (box.x0 - region.x0) / width,
        "top": (box.y0 - region.y0) / height,
        "width": (box.x1 - box.x0) / width,
        "height": (box.y1 - box.y0) / height,
    }
    return ";".join(f"{name}:{100 * share:.3f}%" for name, share in shares.items())
