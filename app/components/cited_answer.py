"""The answer to read, with the proof of the chosen sentence beside it: the page, the quote marked.

Each paragraph is a block of text and marks that the style sheet lets run on as one. The proof
stands behind the paragraph that it belongs to; a wide window moves it into a second column, a
narrow one lays it over the lower part of the page, with its sentence and a way to close it.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import streamlit as st

from agent.engine.layout import (
    LayoutSection,
    Line,
    case_of,
    first_sight,
    lay_out,
    mark_differences,
    mark_query_words,
)
from agent.engine.reports import Answered, Usage
from app.components import document
from app.components.document import surroundings
from app.components.review import decision_text, doubt_badge, note_field, note_text
from app.components.widgets import highlight, icon_button, page_link, row
from app.formats import plain
from app.navigation import location
from app.session import (
    _,
    address_number,
    chosen_citation,
    close_citation,
    engine,
    notice_text,
    open_citation,
)
from services.domain import Citation
from services.domain.errors import RabbitholeError
from services.domain.notices import Notice
from services.domain.reviews import Review
from services.library.pages.request import AROUND

MAX_PAGES: Final = 3
"""A quote that goes on over more pages is shown on these."""
QUOTE_LENGTH: Final = 600


def warnings(notices: tuple[Notice, ...]) -> None:
    """What a reader has to know before the answer."""
    for notice in notices:
        st.warning(plain(notice_text(notice)), icon=":material/info:")


def quotes_only(usage: Usage) -> str:
    """Say that the model in use did not read; "" where it did, or where there is none."""
    if usage.reads != "no":
        return ""
    return _("quotes only: {model} did not read (see Settings)", model=plain(usage.model))


def show(
    answered: Answered,
    turn: int | None = None,
    *,
    unasked: bool = True,
    review: Review | None = None,
) -> None:
    """The answer; in a fragment a click on a mark draws only this part of the page again.

    Args:
        answered: sentences, sources and the text that holds them.
        turn: of a conversation, where each answer has marks of its own.
        unasked: whether the first proof is shown before somebody has chosen one.
        review: what is laid over the report, whose sentences may then have notes.
    """
    reader = _Reader(answered, turn, unasked, review)
    if reader.sections:
        reader.show()
    else:
        st.text(_("Nothing was found in the documents that answers the question."))


class _Reader:
    """Writes paragraph after paragraph, and the proof behind the first that has its mark.

    Where the passages only come closest, each is a card under its place, and none is ticked. Of an
    answer no more than can be taken in at a glance is shown first, the others in a fold.
    """

    def __init__(
        self, answered: Answered, turn: int | None, unasked: bool, review: Review | None
    ) -> None:
        layout = lay_out(answered)
        self.sections = layout.sections
        self._places = dict(enumerate(layout.citations, start=1))
        self._versions = {source.document_id: source.parser_version for source in answered.sources}
        self._language = answered.language
        self._closest = answered.certainty == "perhaps"
        self._turn, self._review = turn, review
        self._thread = getattr(answered, "thread_id", "")
        chosen, self._at = chosen_citation()
        self._asked = chosen in self._places and address_number("turn") == turn
        first = min(self._places, default=None) if unasked else None
        self._chosen = chosen if self._asked else first
        self._shown = self._folding = False
        self._cited: Line | None = None
        glance = self._closest and turn is not None
        self._first_sight = first_sight(self.sections) if glance else {}

    def show(self) -> None:
        of_turn = "" if self._turn is None else f"{self._turn}-"
        shown, folded = self._split()
        with st.container(key=f"reading-{of_turn or 'report'}"):
            for number, part in enumerate(shown):
                self._part(part, f"{of_turn}{number}")
            if folded:
                count = sum(len(part.lines) for part in folded)
                self._folding = True
                with st.expander(_("More passages ({count})", count=count)):
                    for number, part in enumerate(folded, len(shown)):
                        self._part(part, f"{of_turn}{number}")
            if not self._shown:
                self._proof(self._cited)

    def _split(self) -> tuple[list[LayoutSection], list[LayoutSection]]:
        """Return the parts with what is shown at first sight, and with the rest."""
        if not self._first_sight:
            return list(self.sections), []
        first, rest = (
            [
                replace(part, lines=tuple(line for line in part.lines if wants(line)))
                for part in self.sections
            ]
            for wants in (
                lambda line: line.n in self._first_sight,
                lambda line: line.n not in self._first_sight,
            )
        )
        return first, [part for part in rest if part.lines]

    def _part(self, part: LayoutSection, key: str) -> None:
        if part.heading:
            with st.container(key=f"head-{key}"):
                st.subheader(plain(part.heading), anchor=False)
        for number, paragraph in enumerate(part.paragraphs):
            self._paragraph(paragraph, f"{key}-{number}")

    def _paragraph(self, lines: tuple[Line, ...], key: str) -> None:
        form = lines[0].form
        if form == "row":
            self._table(lines, key)
        elif form == "item":
            for position, line in enumerate(lines):
                with st.container(key=f"item-{key}-{position}"):
                    self._line(line, f"{key}-{position}")
        else:
            self._prose(lines, key)
        cited = {
            f"{key}-{position}": line
            for position, line in enumerate(lines)
            if self._chosen in line.numbers
        }
        here = self._at is None or self._at.startswith(f"{key}-")
        if self._shown or not cited or not here:
            return
        line = cited.get(self._at or "") or next(iter(cited.values()))
        if self._folding:
            self._cited = self._cited or line
        else:
            self._proof(line)

    def _prose(self, lines: tuple[Line, ...], key: str) -> None:
        """Running text or a quote; where it only comes closest, a card under its place."""
        by_us = lines[0].standing is None
        closest = (self._closest or lines[0].closest) and not by_us
        kind = f"quote-para-{self._language}" if lines[0].quote else "said" if by_us else "para"
        with st.container(key=f"{'card' if closest else kind}-{key}"):
            if closest and lines[0].numbers:
                head = self._places[lines[0].numbers[0]]
                _aside_text(f"place-{key}", location(head.document, head.titled, head.page))
            for position, line in enumerate(lines):
                self._line(line, f"{key}-{position}")

    def _table(self, lines: tuple[Line, ...], key: str) -> None:
        """Rows under the names of their columns; the marks stand in the last cell."""
        with st.container(key=f"table-{key}", gap=None):
            for column, name in zip(st.columns(len(lines[0].cells)), lines[0].columns, strict=True):
                column.markdown(f"**{plain(name)}**")
            for position, line in enumerate(lines):
                *cells, last = st.columns(len(line.cells))
                for column, (_name, cell) in zip(cells, line.cells, strict=False):
                    column.text(cell)
                with last, st.container(key=f"cell-{key}-{position}"):
                    self._line(line, f"{key}-{position}")

    def _line(self, line: Line, key: str) -> None:
        excerpt = self._first_sight.get(line.n)
        if line.case and excerpt is None:
            _aside_text(f"case-{key}", line.case)
        if self._first_sight:
            rows, words = (excerpt or line.cited_text).splitlines(), " ".join(line.decisive)
            st.markdown("  \n".join(highlight(mark_query_words(each, words)) for each in rows))
        elif line.proven or line.standing is None:
            st.text(line.cited_text)
            if line.review is not None:
                _remark(decision_text(line.review))
        else:
            with st.container(key=f"unproven-{key}"):
                st.text(line.cited_text)
                doubt_badge(line.standing)
                _remark(decision_text(line.review) if line.review else line.reason)
        if line.note is not None:
            _remark(note_text(line.note))
        for number in line.numbers:
            cited = self._places[number]
            where = plain(location(cited.document, cited.section, cited.page))
            st.button(
                f"{number}:gray[, {where}]",  # only the number is seen, the rest is heard
                key=f"mark-{key}-{number}",
                type="primary" if number == self._chosen else "tertiary",
                help=_mark_help(cited),
                on_click=open_citation,
                args=(number, key, self._turn),
            )

    def _proof(self, line: Line | None) -> None:
        """The chosen place: where the quote stands, and the page itself or, without, the text.

        Args:
            line: the sentence that cites it, None where no sentence does.
        """
        self._shown = True
        if self._chosen is None:
            return
        cited = self._places[self._chosen]
        with st.container(key="proof" if self._asked else "proof-first", gap="small"):
            if self._asked:
                _proof_bar(line.text if line else "")
            with row():
                where = plain(location(cited.document, cited.titled, cited.page))
                st.markdown(f"**{self._chosen}**  {where}", width="stretch")
                st.caption(self._checked(cited, line), width="content")
            if case := case_of(cited):
                st.caption(_("Applies to: {case}", case=plain(case.rstrip(":"))))
            if line is not None and not line.quote:
                beside = [self._places[number] for number in line.numbers]
                _differences(line, cited, beside, self._language)
            version = self._versions.get(cited.document_id)
            if cited.page is None or not _pages(cited, cited.page, version):
                _section_text(cited, version)
            self._steps(self._chosen, cited)
            if self._review is not None and line is not None:
                note_field(self._thread, self._review.place_of(line.n), line.note)

    def _checked(self, cited: Citation, line: Line | None) -> str:
        """A tick where the place proves its sentence; else only whether the words stand there."""
        if not cited.verified:
            return f":material/question_mark: {_('not checked')}"
        closest = self._closest or (line is not None and line.closest)
        if not closest and line is not None and line.proven:
            if line.standing == "follows":
                return f":material/check: {_('sentence follows from the passage')}"
            if line.quote:
                return f":material/check: {_('checked word for word')}"
        return _("Verbatim quote")

    def _steps(self, number: int, cited: Citation) -> None:
        total = len(self._places)
        with row(key="proof-steps"):
            self._step(_("Previous proof"), "left", number - 1, number == 1)
            st.caption(_("{number} of {total}", number=number, total=total), width="content")
            self._step(_("Next proof"), "right", number + 1, number == total)
            st.space("stretch")
            label = _("In the document") if cited.page is None else _("Whole page")
            page_link(label, cited)

    def _step(self, text: str, way: str, number: int, disabled: bool) -> None:
        icon, click = f"chevron_{way}", (open_citation, number, None, self._turn)
        icon_button(icon, text, f"step-{way}", *click, disabled=disabled)


def _aside_text(key: str, text: str) -> None:
    """Words that are set apart from the sentence that follows."""
    with st.container(key=key):
        st.text(text)


def _remark(text: str) -> None:
    """What is to be known of a sentence, small behind it."""
    if text:
        st.markdown(f":gray[:small[{plain(text)}]]", width="content")


def _mark_help(cited: Citation) -> str:
    """What hovering over a mark says: place and quote."""
    return _(
        "{place}: “{quote}”",
        place=plain(location(cited.document, cited.titled, cited.page)),
        quote=plain(cited.quote, QUOTE_LENGTH),
    )


def _proof_bar(sentence: str) -> None:
    """What a narrow window needs, where the proof may cover its sentence."""
    with st.container(horizontal=True, vertical_alignment="top", key="proof-bar"):
        st.text(sentence, width="stretch")
        icon_button("close", _("Close the proof"), "proof-close", close_citation)


def _differences(line: Line, cited: Citation, places: Sequence[Citation], language: str) -> None:
    """Why the sentence is proof or not: its words beside those of all its places and of this."""
    if line.reason:
        st.caption(plain(line.reason))
    whole = " ".join(each.whole for each in places)
    sentence = mark_differences(line.text, whole, language, line.decisive)[0]
    stated = mark_differences(line.text, cited.whole, language, line.decisive)[1]
    for key, title, pieces in (
        ("sentence", _("The sentence; marked is what its passages do not have:"), sentence),
        ("quote", _("The passage; marked is what the sentence does not have:"), stated),
    ):
        if any(piece.marked for piece in pieces):
            with st.container(key=f"side-{key}", gap=None):
                st.caption(title)
                st.markdown(highlight(pieces))


def _pages(cited: Citation, page: int, version: str | None) -> bool:
    """Shows the pages of the quote; whether that could be done."""
    try:
        shown, last = page, page
        while shown <= min(last, page + MAX_PAGES - 1):
            if shown > page:
                st.caption(_("continues on p. {page}", page=shown))
            last = _page(cited, shown, version)
            shown += 1
    except RabbitholeError as problem:
        document.show_no_image(problem)
        return False
    return True


def _page(cited: Citation, page: int, version: str | None) -> int:
    """Shows one page; the page on which the quote ends."""
    drawn = engine().library.page_image(
        cited.document_id,
        page,
        span=(cited.start, cited.end),
        around=AROUND,
        parser_version=version,
    )
    document.show_page_image(drawn, str(page), cited.quote)
    if not drawn.boxes:
        st.caption(
            _(
                "The place could not be marked on the page. The wording is: “{quote}”",
                quote=plain(cited.quote, QUOTE_LENGTH),
            )
        )
    return drawn.last_page


def _section_text(cited: Citation, version: str | None) -> None:
    """Shows the section with the span marked, or at least the quote."""
    try:
        opened = engine().library.open_document(cited.document_id, parser_version=version)
    except RabbitholeError as problem:
        why = plain(notice_text(problem.notice))
        st.caption(_("The document cannot be opened, so here is the quote alone. {why}", why=why))
        _aside_text("quote-proof", cited.quote)
        return
    document.show_marked_text(surroundings(opened.parsed, (cited.start, cited.end)), "proof")
