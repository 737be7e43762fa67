"""The text of a document, with tables as tables, and marks where a quote or a match is.

The text is foreign: it is escaped, and Streamlit removes what is no plain HTML.
"""

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import accumulate, pairwise
from typing import Final, Literal

import streamlit as st

from agent.engine.layout import MarkedText, by_line
from app.components.widgets import highlight
from services.domain import ParsedDocument
from services.domain.value import Span
from services.library.text_view import Table, blocks

REACH: Final = 1200
"""Most characters shown before and after a span."""
BREAKS: Final = ("\n\n", "\n")
"""What a text is cut at, the best first."""
Mark = tuple[Span, Literal["quoted", "match", "current", "word"]]


def surroundings(parsed: ParsedDocument, span: Span, *, reach: int = REACH) -> Span:
    """Return the sections that a span touches, cut between lines if they are long.

    Args:
        parsed: the document.
        span: characters of its text, end exclusive; clipped to the text.
        reach: most characters on either side.
    """
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
    if any(isinstance(piece, Table) for piece in pieces):
        _draw(text, pieces, (), language)
    else:
        st.text(text)


def show_excerpt(pieces: Sequence[MarkedText], language: str) -> None:
    """Draw a passage with its decisive words in bold, and rows of a table as a table."""
    text = "".join(piece.text for piece in pieces)
    ends = list(accumulate(len(piece.text) for piece in pieces))
    spans = list(blocks(text, (0, len(text))))
    if any(isinstance(span, Table) for span in spans):
        marks: list[Mark] = [
            ((end - len(piece.text), end), "word")
            for piece, end in zip(pieces, ends, strict=True)
            if piece.marked
        ]
        _draw(text, spans, marks, language)
    else:
        st.markdown("  \n".join(map(highlight, by_line(pieces))))


def _draw(text: str, pieces: Iterable[Span | Table], marks: Sequence[Mark], language: str) -> None:
    html = "".join(_block(text, piece, marks) for piece in pieces)
    st.html(f'<div class="document-text" lang="{escape(language)}">{html}</div>')


def _block(text: str, block: Span | Table, marks: Sequence[Mark]) -> str:
    if not isinstance(block, Table):
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
