"""What a drawn page is. Lengths are points, from the upper left corner of the page as shown."""

from typing import NamedTuple

from pydantic import Base64Bytes

from services.domain.value import Value


class Box(Value):
    """A rectangle on a page: a line, or part of one, that a mark covers."""

    x0: float
    y0: float
    x1: float
    y1: float


class PageWord(NamedTuple):
    """A word on a page, with its box."""

    text: str
    x0: float
    y0: float
    x1: float
    y1: float


class PageImage(Value):
    """A page, or a part of it, drawn as PNG.

    ``region`` is the part that ``png`` shows, the whole page unless an excerpt was wanted.
    ``boxes`` are what is marked, a box a line. ``last_page`` is the page on which the marked
    span ends; ``page`` itself where it does not go on. ``recognised``: the page is a picture, and
    its text was read from it; ``doubtful`` is then the marked word of which the engine was least
    sure, and how sure it was, 0 to 100. ``lines`` are the visible words of the entire page.
    """

    page: int
    pages: int
    last_page: int
    width: float
    height: float
    region: Box
    boxes: tuple[Box, ...]
    recognised: bool = False
    doubtful: tuple[str, int] | None = None
    lines: tuple[tuple[PageWord, ...], ...] = ()
    png: Base64Bytes
