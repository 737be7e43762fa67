"""A document, page by page or section by section, and the comparison of two versions.

Its text is foreign, so only ``st.text`` shows it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import streamlit as st

from agent.engine.library import Comparison, MarkedText, SectionChange
from app import navigation
from app.components.widgets import bullets, icon_button, paginate, quiet_button
from app.formats import one_line, plain, plain_inline
from app.locale import N_
from app.session import _, address_number, cached, engine, format_time, notice_text, set_address
from services.domain import Citation, OpenDocument, PageImage, ParsedDocument, SectionSpan
from services.domain.errors import RabbitholeError
from services.domain.markdown import WORD_JOINER
from services.domain.notices import Notice
from services.domain.value import page_number
from services.library.pages.request import AROUND

Span = tuple[int, int]
READING_REPORT = N_("Reading report: what is missing or uncertain")
INDENT = "\u2003"
SECTION_NAME_LENGTH = 90
REACH: Final = 1200
"""Most characters shown before and after the span."""
MAX_PAGES: Final = 3
"""Most pages that are shown of one quote."""
QUOTE_LENGTH: Final = 600


@dataclass(frozen=True)
class Surroundings:
    """The text before a span, the span itself, and the text after it."""

    before: str
    marked: str
    after: str


def surroundings(parsed: ParsedDocument, span: Span, *, reach: int = REACH) -> Surroundings:
    """Return a span within the sections it touches, cut at paragraphs if they are long.

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
        paragraph = text.find("\n\n", start - reach, start)
        lower = start - reach if paragraph < 0 else paragraph + 2
    if upper - end > reach:
        paragraph = text.rfind("\n\n", end, end + reach)
        upper = end + reach if paragraph < 0 else paragraph
    return Surroundings(text[lower:start], text[start:end], text[end:upper])


def show_marked_text(text: Surroundings, key: str) -> None:
    """Draw three pieces of text that the style sheet joins into one.

    ``st.text`` strips its text; word joiners keep the white space between the pieces.
    """
    with st.container(key=f"marked-{key}"):
        _show_piece(text.before.lstrip())
        if text.marked:
            with st.container(key=f"span-{key}"):
                _show_piece(text.marked)
        _show_piece(text.after.rstrip())


def _show_piece(text: str) -> None:
    if text:
        st.text(f"{WORD_JOINER}{text}{WORD_JOINER}")


def show_warnings(warnings: Sequence[Notice]) -> None:
    """Draw the reading report of a document, if there is anything to report."""
    if warnings:
        lines = bullets(plain(notice_text(warning)) for warning in warnings)
        st.warning(lines, title=_(READING_REPORT), icon=":material/error:")


def show_warnings_briefly(warnings: Sequence[Notice]) -> None:
    """Draw the same in small letters, under a text that is shown without its page."""
    for warning in warnings:
        st.caption(f":material/error: {plain(notice_text(warning))}")


def show(opened: OpenDocument, span: Span | None) -> None:
    """Draw the page or section in the address, else the one where the span begins."""
    parsed = opened.parsed
    if parsed.pages:
        _pages(opened, span)
    elif parsed.sections:
        _sections(parsed, span)
    else:
        show_marked_text(_split_at_span(parsed.text, 0, len(parsed.text), span), "section")


def _pages(opened: OpenDocument, span: Span | None) -> None:
    parsed = opened.parsed
    count = len(parsed.pages)
    span_page = 1 if span is None else parsed.page_at(span[0]) or 1
    named = address_number("page")
    number = span_page if named is None else min(max(named, 1), count)
    with st.container(key="document-bar", horizontal=True, vertical_alignment="bottom"):
        _arrow("back", _("Previous page"), "page", number - 1, disabled=number == 1)
        _page_chooser(parsed, number)
        _arrow("on", _("Next page"), "page", number + 1, disabled=number == count)
        _outline(parsed, span[0] if span and number == span_page else parsed.pages[number - 1])
    _image(opened, number, span)


def _page_chooser(parsed: ParsedDocument, number: int) -> None:
    """Draw a field for the page: its number, or its label where the document prints others."""
    count = len(parsed.pages)
    title = f"{_('Page')} {_('of {pages}', pages=count)}"
    options: dict[str, Any] = {
        "key": "page-number",
        "on_change": lambda: _go("page", st.session_state["page-number"]),
        "width": 150,
    }
    st.session_state["page-number"] = number
    if labels := parsed.page_labels:

        def name(page: int) -> str:
            return page_number(page, "" if labels[page - 1] == str(page) else labels[page - 1])

        st.selectbox(title, range(1, count + 1), format_func=name, **options)
    else:
        st.number_input(title, min_value=1, max_value=count, **options)


def _sections(parsed: ParsedDocument, span: Span | None) -> None:
    last = len(parsed.sections) - 1
    named = address_number("section")
    if named is None:
        number = max(parsed.section_at(span[0] if span else 0), 0)
    else:
        number = min(named, last)
    with st.container(key="document-bar", horizontal=True, vertical_alignment="bottom"):
        _arrow("back", _("Previous section"), "section", number - 1, disabled=number == 0)
        _outline(parsed, parsed.sections[number].start)
        _arrow("on", _("Next section"), "section", number + 1, disabled=number == last)
    section = parsed.sections[number]
    if len(section.heading_path) > 1:
        st.caption(plain(" › ".join(section.heading_path[:-1])))
    first = section.start if number else 0
    show_marked_text(_split_at_span(parsed.text, first, section.end, span), "section")


def _arrow(direction: str, text: str, kind: str, number: int, *, disabled: bool) -> None:
    icon = "chevron_left" if direction == "back" else "chevron_right"
    options = {"type": "secondary", "disabled": disabled}
    icon_button(icon, text, f"{kind}-{direction}", _go, kind, number, **options)


def _go(kind: str, number: int) -> None:
    """Put another page or section into the address; the span stays."""
    set_address(**{"page": None, "section": None, kind: str(number)})


def _outline(parsed: ParsedDocument, offset: int) -> None:
    """Draw the list of all sections, with the one at ``offset`` selected."""

    def open_section() -> None:
        number = st.session_state["outline"]
        if parsed.pages:
            _go("page", parsed.page_at(parsed.sections[number].start) or 1)
        else:
            _go("section", number)

    if parsed.sections:
        st.session_state["outline"] = max(parsed.section_at(offset), 0)
        st.selectbox(
            _("Go to a section"),
            range(len(parsed.sections)),
            format_func=lambda number: _section_name(parsed.sections[number]),
            key="outline",
            on_change=open_section,
        )


def _section_name(section: SectionSpan) -> str:
    title = one_line(section.title)
    label = section.label if section.label and not title.startswith(section.label) else ""
    return INDENT * section.level + f"{label} {title}".strip()[:SECTION_NAME_LENGTH]


def _image(opened: OpenDocument, number: int, span: Span | None) -> None:
    """Draw a page as an image, or its text if it cannot be rendered."""
    parsed = opened.parsed
    try:
        image = engine().library.page_image(opened.info.document_id, number, span=span)
    except RabbitholeError as problem:
        show_no_image(problem)
        first, *following = [*parsed.pages, len(parsed.text)][number - 1 :]
        show_marked_text(_split_at_span(parsed.text, first, following[0], span), "page")
        return
    alt = _("Page {page} of {document}", page=number, document=opened.info.document)
    show_page_image(image, "whole", alt)


def show_page_image(image: PageImage, key: str, alt: str) -> None:
    """Draw a page as an image; for scanned text, name the least certain word."""
    with st.container(key=f"sheet-{key}"):
        st.image(image.png, width="stretch", output_format="PNG", alt=alt)
    if not image.recognised:
        return
    remark = _("Recognised text: compare it with the image.")
    if image.doubtful:
        word, sure = image.doubtful
        remark += " " + _(
            "Least certain word: “{word}” ({sure} of 100).", word=plain(word), sure=sure
        )
    st.caption(f":material/document_scanner: {remark}")


def show_no_image(problem: RabbitholeError) -> None:
    """Say why text is shown in place of the page."""
    why = plain(notice_text(problem.notice))
    st.caption(_("The extracted text is shown instead of the page. {why}", why=why))


def _split_at_span(text: str, first: int, last: int, span: Span | None) -> Surroundings:
    """Split ``text[first:last]`` at the part of the span inside it."""
    start, end = (last, last) if span is None else (max(span[0], first), min(span[1], last))
    if start >= end:
        start = end = last
    return Surroundings(text[first:start], text[start:end], text[end:last])


AGAINST: Final = "against"
"""Query parameter of the older version, in the address of the newer one."""
PAGE = 20
CONTEXT_LENGTH: Final = 160
"""Most unchanged characters that are shown beside a change."""
NAME_LENGTH = 100
CHANGE_KIND = {
    "changed": (N_("changed"), "orange"),
    "added": (N_("new"), "green"),
    "removed": (N_("removed"), "red"),
}


def compare_link(older: str, newer: str) -> None:
    """Link to the comparison of two versions."""
    st.page_link(
        navigation.DOCUMENT,
        label=_("Compare"),
        icon=":material/compare_arrows:",
        query_params={"doc": newer, AGAINST: older},
    )


def compare(newer: OpenDocument, older: str) -> None:
    """Draw the sections that changed, and the threads that cite their older text."""
    ids = (older, newer.info.document_id)
    comparison = cached("comparison", ids, lambda: engine().library.compare(*ids))
    old, new = comparison.old, comparison.new
    times = {"old": format_time(old.ingested_at), "new": format_time(new.ingested_at)}
    st.caption(_("{old} compared with {new}", **times))
    if old.parser_version != new.parser_version:
        st.caption(
            _(
                "The two documents were read by different versions of Rabbithole, which may "
                "explain some of the differences."
            )
        )
    if not comparison.changes:
        st.info(_("No section has changed in the newer version."))
        return
    st.markdown(_("Sections that changed: {count}", count=len(comparison.changes)))
    _citing(comparison)
    for number, change in enumerate(paginate(comparison.changes, PAGE, "changes-page")):
        _change(change, number)


def _citing(comparison: Comparison) -> None:
    if comparison.citing:
        st.warning(_("These answers cite a section that has changed since:"))
        for run in comparison.citing:
            name = plain(run.title or run.question, NAME_LENGTH)
            if quiet_button(name, f"cites-{run.thread_id}", "description"):
                navigation.switch_to_thread(run.thread_id)


def _change(change: SectionChange, number: int) -> None:
    kind, colour = CHANGE_KIND[change.kind]
    section = change.section
    name = section.title if section.label in section.title else f"{section.label} {section.title}"
    with st.container(border=True, key=f"change-{number}"):
        st.markdown(f"**{plain(name, NAME_LENGTH)}** :{colour}-badge[{_(kind)}]")
        sides = (("old", change.old), ("new", change.new))
        for column, (side, pieces) in zip(st.columns(2), sides, strict=True):
            with column, st.container(key=f"side-{side}-{number}"):
                st.markdown(
                    _version_text(pieces) if pieces else f"*{_('missing from this version')}*"
                )


def _version_text(pieces: Sequence[MarkedText]) -> str:
    """Return a text as Markdown, shortened where nothing changed."""
    last = len(pieces) - 1
    return "".join(_shortened(piece, n == 0, n == last) for n, piece in enumerate(pieces))


def _shortened(piece: MarkedText, first: bool, last: bool) -> str:
    text = piece.text
    if not piece.marked and not (first and last) and len(text) > 2 * CONTEXT_LENGTH:
        head = "" if first else text[:CONTEXT_LENGTH].rsplit(maxsplit=1)[0]
        tail = "" if last else "".join(text[-CONTEXT_LENGTH:].split(maxsplit=1)[-1:])
        text = f"{head} … {tail}"
    paragraphs = text.split("\n\n")
    return "\n\n".join(plain_inline(text, strong=piece.marked) for text in paragraphs)


def show_location(cited: Citation, version: str | None = None) -> None:
    """Draw the pages of a quote or, without pages, its section, with the quote marked."""
    if cited.page is None or not _quoted_pages(cited, cited.page, version):
        _section_text(cited, version)


def _quoted_pages(cited: Citation, page: int, version: str | None) -> bool:
    """Draw the pages of the quote; return whether that was possible."""
    try:
        number, last = page, page
        while number <= min(last, page + MAX_PAGES - 1):
            if number > page:
                st.caption(_("continues on p. {page}", page=number))
            last = _quoted_page(cited, number, version)
            number += 1
    except RabbitholeError as problem:
        show_no_image(problem)
        return False
    return True


def _quoted_page(cited: Citation, page: int, version: str | None) -> int:
    """Draw one page; return the page on which the quote ends."""
    image = engine().library.page_image(
        cited.document_id,
        page,
        span=(cited.start, cited.end),
        around=AROUND,
        parser_version=version,
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
    show_marked_text(surroundings(opened.parsed, (cited.start, cited.end)), "proof")
    show_warnings_briefly(opened.parsed.warnings)
