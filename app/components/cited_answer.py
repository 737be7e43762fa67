"""The answer with the proof of the chosen sentence beside it: the page, with the quote marked.

Each paragraph is a block of texts and marks that the style sheet joins into running text. The
proof is drawn after its paragraph, or after the sections where these fold; a wide window moves it
into a column of its own, a narrow one lays it over the lower part of the page, with its sentence
and a button to close it.
"""

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from agent.engine.layout import (
    LayoutLine,
    LayoutSection,
    case_of,
    first_sight,
    lay_out,
    mark_differences,
    mark_query_words,
    split_lead,
)
from agent.engine.reports import Answered, Usage
from app import session
from app.components.pages import QUOTE_LENGTH, show_cited, show_excerpt, show_location
from app.components.review import (
    correction_field,
    decision_text,
    doubt_badge,
    note_field,
    note_text,
)
from app.components.widgets import highlight, icon_button, page_link, row
from app.formats import plain
from app.navigation import beside_query, location
from app.session import _, address_number, close_citation, notice_text, open_citation, thread_id
from services.domain import Citation
from services.domain.answers import Review
from services.domain.notices import Notice

LINE = 54
"""Letters of a line of a table beside a proof."""


def warnings(notices: tuple[Notice, ...]) -> None:
    """Draw what a reader has to know before the answer."""
    for notice in notices:
        st.warning(plain(notice_text(notice)), icon=":material/info:")


def quotes_only(usage: Usage) -> str:
    """Return that the model in use did not read; "" if it did, or if there is none."""
    if usage.reads != "no":
        return ""
    return _(
        "quotes only: {model} has not passed the reading test (see Settings)",
        model=plain(usage.model),
    )


def show(
    answered: Answered,
    turn: int | None = None,
    *,
    unasked: bool = True,
    review: Review | None = None,
) -> None:
    """Draw the answer; each ``turn`` of a conversation has its own marks.

    ``unasked`` shows the first proof before one is chosen; with a ``review`` there may be notes.
    """
    reader = _Reader(answered, turn, unasked, review)
    if reader.sections:
        reader.show()
    else:
        st.text(_("Nothing in the documents answers the question."))


class _Reader:
    """Draws paragraph after paragraph, and the proof after the first one with the chosen mark.

    Passages that only come closest are cards with their location, and none is ticked. In a
    conversation only a few of them are shown at first, the others in a fold.
    """

    def __init__(
        self, answered: Answered, turn: int | None, unasked: bool, review: Review | None
    ) -> None:
        layout = lay_out(answered)
        self.sections = layout.sections
        self._citations = dict(enumerate(layout.citations, start=1))
        self._versions = {source.document_id: source.parser_version for source in answered.sources}
        self._language = answered.language
        self._closest = answered.certainty == "perhaps"
        self._turn, self._review = turn, review
        self._thread = getattr(answered, "thread_id", "")
        chosen, self._clicked = session.chosen_citation()
        self._requested = chosen in self._citations and address_number("turn") == turn
        first = min(self._citations, default=None) if unasked else None
        self._chosen = chosen if self._requested else first
        self._proof_drawn = self._in_fold = False
        self._citing_line: LayoutLine | None = None
        abridged = self._closest and turn is not None
        self._excerpts = first_sight(self.sections) if abridged else {}

    def show(self) -> None:
        prefix = "" if self._turn is None else f"{self._turn}-"
        visible, folded = self._split()
        with st.container(key=f"reading-{prefix or 'report'}"):
            if self._turn is None:
                _contents([section.heading for section in visible])
            for number, section in enumerate(visible):
                self._section(section, f"{prefix}{number}")
            if folded:
                count = sum(len(section.lines) for section in folded)
                self._in_fold = True
                with st.expander(_("More passages ({count})", count=count)):
                    for number, section in enumerate(folded, len(visible)):
                        self._section(section, f"{prefix}{number}")
            if not self._proof_drawn:
                self._proof(self._citing_line)

    def _split(self) -> tuple[list[LayoutSection], list[LayoutSection]]:
        if not self._excerpts:
            return list(self.sections), []
        visible: list[LayoutSection] = []
        folded: list[LayoutSection] = []
        for section in self.sections:
            for sections, at_first in ((visible, True), (folded, False)):
                lines = (line for line in section.lines if (line.n in self._excerpts) == at_first)
                sections.append(replace(section, lines=tuple(lines)))
        return visible, [section for section in folded if section.lines]

    def _section(self, section: LayoutSection, key: str) -> None:
        """Draw a section; one of a report folds under its heading."""
        in_report = self._turn is None
        if section.heading:
            with st.container(key=f"{'anchor' if in_report else 'head'}-{key}"):
                st.subheader(
                    plain(section.heading), anchor=f"section-{key}" if in_report else False
                )
        if not (section.heading and in_report):
            self._paragraphs(section, key)
            return
        self._in_fold = True
        with st.expander(plain(section.heading), expanded=True, key=f"section-{key}"):
            self._paragraphs(section, key)
        self._in_fold = False

    def _paragraphs(self, section: LayoutSection, key: str) -> None:
        for number, paragraph in enumerate(section.paragraphs):
            self._paragraph(paragraph, f"{key}-{number}")

    def _paragraph(self, lines: tuple[LayoutLine, ...], key: str) -> None:
        form = lines[0].form
        if form == "row":
            self._table(lines, key)
        elif form == "item":
            for position, line in enumerate(lines):
                with st.container(key=f"item-{key}-{position}"):
                    self._line(line, f"{key}-{position}")
        else:
            self._running_text(lines, key)
        cited = {
            f"{key}-{position}": line
            for position, line in enumerate(lines)
            if self._chosen in line.numbers
        }
        here = self._clicked is None or self._clicked.startswith(f"{key}-")
        if self._proof_drawn or not cited or not here:
            return
        line = cited.get(self._clicked or "") or next(iter(cited.values()))
        if self._in_fold:
            self._citing_line = self._citing_line or line
        else:
            self._proof(line)

    def _running_text(self, lines: tuple[LayoutLine, ...], key: str) -> None:
        """Draw a paragraph; the first one of an answer begins with its lead, which is large."""
        leads = key == f"{self._turn}-0-0" and not self._closest
        lead, others = split_lead(lines) if leads else ((), lines)
        for sentences, first, style in ((lead, 0, "-lead"), (others, len(lines) - len(others), "")):
            if sentences:
                self._prose(sentences, key, first, style)

    def _prose(self, lines: Sequence[LayoutLine], key: str, first: int, style: str) -> None:
        """Draw running text or a quote, which begins at sentence ``first`` of paragraph ``key``."""
        by_us = lines[0].standing is None
        closest = (self._closest or lines[0].closest) and not by_us
        kind = f"quote-para-{self._language}" if lines[0].quote else "said" if by_us else "para"
        with st.container(key=f"{'card' if closest else kind}{style}-{key}-{first}"):
            if closest and lines[0].numbers:
                head = self._citations[lines[0].numbers[0]]
                _aside_text(f"place-{key}", location(head, head.section_title))
            for position, line in enumerate(lines, first):
                self._line(line, f"{key}-{position}")

    def _table(self, lines: tuple[LayoutLine, ...], key: str) -> None:
        widths = _column_widths(lines)
        with st.container(key=f"table-{key}", gap=None):
            for column, name in zip(st.columns(widths), lines[0].columns, strict=True):
                column.markdown(f"**{plain(name)}**")
            for position, line in enumerate(lines):
                *cells, last = st.columns(widths)
                for column, (_name, cell) in zip(cells, line.cells, strict=False):
                    column.text(cell)
                with last, st.container(key=f"cell-{key}-{position}"):
                    self._line(line, f"{key}-{position}")

    def _line(self, line: LayoutLine, key: str) -> None:
        excerpt = self._excerpts.get(line.n)
        if line.case and excerpt is None:
            _aside_text(f"case-{key}", line.case)
        if self._excerpts:
            pieces = mark_query_words(excerpt or line.cited_text, " ".join(line.decisive))
            show_excerpt(pieces, self._language)
        elif line.proven or line.standing is None:
            show_cited(line.cited_text, self._language)
            if line.review is not None:
                _remark(decision_text(line.review))
        else:
            with st.container(key=f"unproven-{key}"):
                show_cited(line.cited_text, self._language)
                doubt_badge(line.standing)
                _remark(decision_text(line.review) if line.review else line.reason)
        if line.note is not None:
            _remark(note_text(line.note))
        for number in line.numbers:
            cited = self._citations[number]
            where = plain(location(cited))
            st.button(
                f"{number}:gray[, {where}]",  # the location is for screen readers
                key=f"mark-{key}-{number}",
                type="primary" if number == self._chosen else "tertiary",
                help=mark_help(cited),
                on_click=open_citation,
                args=(number, key, self._turn),
            )

    def _proof(self, line: LayoutLine | None) -> None:
        """Draw the chosen citation with its page or section; ``line`` is the citing sentence."""
        self._proof_drawn = True
        if self._chosen is None:
            return
        cited = self._citations[self._chosen]
        with st.container(key="proof" if self._requested else "proof-first", gap="small"):
            if self._requested:
                _proof_bar(line.text if line else "")
            with row():
                where = plain(location(cited, cited.section_title))
                st.markdown(f"**{self._chosen}**  {where}", width="stretch")
                st.caption(self._checked(cited, line), width="content")
            if case := case_of(cited):
                st.caption(_("Applies to: {case}", case=plain(case.rstrip(":"))))
            show_location(cited, self._versions.get(cited.document_id))
            self._steps(self._chosen, cited)
            if line is not None and not line.quote:
                citations = [self._citations[number] for number in line.numbers]
                _differences(line, cited, citations, self._language)
            if self._review is not None and line is not None:
                index = self._review.original_index(line.n)
                with row():
                    correction_field(self._thread, index, line.text, line.review)
                    note_field(self._thread, index, line.note)

    def _checked(self, cited: Citation, line: LayoutLine | None) -> str:
        """Return a tick if the citation proves its sentence; recognised quotes get none."""
        if not cited.verified:
            return f":material/question_mark: {_('not checked')}"
        closest = self._closest or (line is not None and line.closest)
        if not closest and line is not None and line.proven:
            if line.standing == "follows":
                return f":material/check: {_('sentence follows from the passage')}"
            if line.quote and not cited.recognised:
                return f":material/check: {_('quote checked word for word')}"
        return _("Recognised text") if cited.recognised else _("Verbatim quote")

    def _steps(self, number: int, cited: Citation) -> None:
        total = len(self._citations)
        with row(key="proof-steps"):
            self._step(_("Previous passage"), "left", number - 1, number == 1)
            st.caption(_("{number} of {total}", number=number, total=total), width="content")
            self._step(_("Next passage"), "right", number + 1, number == total)
            st.space("stretch")
            label = _("In the document") if cited.page is None else _("Whole page")
            address = {"thread": thread_id(), "turn": self._turn, "cite": number}
            back = {name: str(value) for name, value in address.items() if value is not None}
            page_link(label, cited, query=back)
            if total > 1:
                query = back | beside_query(self._citations[number % total + 1])
                page_link(_("Side by side"), cited, "splitscreen_right", query=query)

    def _step(self, text: str, direction: str, number: int, disabled: bool) -> None:
        icon, click = f"chevron_{direction}", (open_citation, number, None, self._turn)
        icon_button(icon, text, f"step-{direction}", *click, disabled=disabled)


def _contents(headings: Sequence[str]) -> None:
    """Draw links to the sections of a report, if there are several, for wide windows."""
    links = [f"[{plain(heading)}](#section-{n})" for n, heading in enumerate(headings) if heading]
    if len(links) > 1:
        with st.container(key="contents"):
            st.caption(_("Contents"))
            st.markdown("\n\n".join(links))


def _column_widths(lines: Sequence[LayoutLine]) -> list[float]:
    """Return relative widths: room for the longest word, the rest shared by the length of texts."""
    rows = [lines[0].columns, *([cell for _name, cell in line.cells] for line in lines)]
    columns = [" ".join(column) for column in zip(*rows, strict=True)]
    most = LINE // len(columns)
    longest = [min(most, max(map(len, column.split()), default=1)) for column in columns]
    spare = max(0, LINE - sum(longest)) / max(1, sum(map(len, columns)))
    return [word + spare * len(column) for word, column in zip(longest, columns, strict=True)]


def _aside_text(key: str, text: str) -> None:
    with st.container(key=key):
        st.text(text)


def _remark(text: str) -> None:
    if text:
        st.markdown(f":gray[:small[{plain(text)}]]", width="content")


def mark_help(cited: Citation) -> str:
    """Return the location and quote of a citation, shown when its mark is hovered over."""
    return _(
        "{place}: “{quote}”",
        place=plain(location(cited, cited.section_title)),
        quote=plain(cited.quote, QUOTE_LENGTH),
    )


def _proof_bar(sentence: str) -> None:
    """Draw the sentence and a close button, for narrow windows where the proof covers it."""
    with row(vertical_alignment="top", key="proof-bar"):
        st.text(sentence, width="stretch")
        icon_button("close", _("Close the passage"), "proof-close", close_citation)


def _differences(
    line: LayoutLine, cited: Citation, citations: Sequence[Citation], language: str
) -> None:
    if line.reason:
        st.caption(plain(line.reason))
    passages = " ".join(citation.full_quote for citation in citations)
    sentence = mark_differences(line.text, passages, language, line.decisive)[0]
    stated = mark_differences(line.text, cited.full_quote, language, line.decisive)[1]
    for key, title, pieces in (
        ("sentence", _("The sentence; words missing from its passages are highlighted:"), sentence),
        ("quote", _("The passage; words missing from the sentence are highlighted:"), stated),
    ):
        if any(piece.marked for piece in pieces):
            with st.container(key=f"side-{key}", gap=None):
                st.caption(title)
                st.markdown(highlight(pieces))
