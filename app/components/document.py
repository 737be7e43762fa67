"""A document, page by page or section by section, with a search, and a second one beside it.

The address says what is shown: ``page`` or ``section`` and ``span`` of the document, the same with
``beside-`` before it of the second one, the searched phrase (``find``), and which match of it is
being looked at (``match``, from 1). ``thread``, ``turn`` and ``cite`` say whence one has come.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

import streamlit as st

from agent.engine.layout import lay_out
from agent.engine.reports import Answered
from app import navigation, session
from app.components.pages import Mark, show_no_image, show_page_image, show_text
from app.components.review import reviewed
from app.components.widgets import bullets, choose_view, copy_button, icon_button, row
from app.formats import one_line, plain
from app.locale import N_
from app.session import _, address_number, cached, engine, format_number, set_address, thread_id
from services.domain import Citation, DocumentInfo, OpenDocument, ParsedDocument, SectionSpan
from services.domain.errors import NotFound, RabbitholeError
from services.domain.notices import Notice
from services.domain.value import Location, Span, page_number
from services.library.pages.marks import ENLARGED, match_boxes
from services.library.text_view import matches

READING_REPORT = N_("Reading report: what is missing or uncertain")
INDENT = "\u2003"
SECTION_NAME_LENGTH = 90
VIEWS = {"page": (N_("Page"), None), "text": (N_("Text"), None)}
PHRASE_LENGTH: Final = 200


def show_warnings(warnings: Sequence[Notice]) -> None:
    """Draw the reading report of a document, if there is anything to report."""
    if warnings:
        lines = bullets(plain(session.notice_text(warning)) for warning in warnings)
        st.warning(lines, title=_(READING_REPORT), icon=":material/error:")


def show_way_back() -> None:
    """Link the answer from which this page was opened, if any."""
    if thread_id() is not None:
        names = ("thread", "turn", "cite")
        address = {name: st.query_params[name] for name in names if name in st.query_params}
        label, icon = _("Back to the answer"), ":material/arrow_back:"
        st.page_link(navigation.ASK, label=label, icon=icon, query_params=address)


def show(opened: OpenDocument, span: Span | None) -> None:
    """Draw the page or section in the address, else the one where the span begins."""
    reader = _Reader(opened, span, st.query_params.get("find", ""))
    second = _document_beside()
    with row(key="document-tools", gap="small"):
        if opened.parsed.pages or (second and second.parsed.pages):
            choose_view(_("View"), VIEWS, "view")
        reader.search()
        _choose_beside(opened, reader.number)
        if span is not None:
            st.fragment(copy_button)(_("Copy the quote"), "quote", reader.quote(span))
    if second is None:
        reader.show()
        return
    span = navigation.parse_span(st.query_params.get(f"{navigation.SECOND_PREFIX}span", ""))
    readers = (reader, _Reader(second, span, reader.phrase, navigation.SECOND_PREFIX))
    for column, one in zip(st.columns(2), readers, strict=True):
        with column:
            st.caption(plain(version_name(one.opened.info)))
            one.show()


@dataclass(frozen=True)
class _Reader:
    """Draws a document of the page; its parameters in the address begin with ``prefix``."""

    opened: OpenDocument
    span: Span | None
    phrase: str
    prefix: str = ""

    @property
    def parsed(self) -> ParsedDocument:
        return self.opened.parsed

    @property
    def matches(self) -> list[Span]:
        """Return where the searched phrase occurs."""
        parsed = self.parsed
        key = (self.opened.info.document_id, parsed.parser_version, self.phrase)
        return cached("matches", key, lambda: matches(parsed.text, self.phrase))

    @property
    def match(self) -> int | None:
        """Return the index of the match that is looked at."""
        number = None if self.prefix else address_number("match")
        return number - 1 if number and number <= len(self.matches) else None

    @property
    def number(self) -> int:
        """Return the page (from 1) or section (from 0) that is shown."""
        parsed = self.parsed
        named = address_number(f"{self.prefix}{'page' if parsed.pages else 'section'}")
        if named is None:
            return self._number_at(self.span[0] if self.span else 0)
        first, last = (1, len(parsed.pages)) if parsed.pages else (0, len(parsed.sections) - 1)
        return min(max(named, first), max(last, first))

    @property
    def extent(self) -> Span:
        """Return the part of the text that is on this page or in this section."""
        parsed, number, end = self.parsed, self.number, len(self.parsed.text)
        if parsed.pages:
            return parsed.pages[number - 1], (*parsed.pages, end)[number]
        if parsed.sections:
            section = parsed.sections[number]
            return section.start if number else 0, section.end
        return 0, end

    def quote(self, span: Span) -> str:
        """Return the words of a span with their place."""
        parsed, (start, end) = self.parsed, span
        number = parsed.section_at(start)
        at = Location(
            document=self.opened.info.document,
            section=parsed.sections[number].label if number >= 0 else "",
            **parsed.page_fields(start),
        )
        quote = one_line(parsed.text[start:end])
        return _("{place}: “{quote}”", place=navigation.location(at), quote=quote)

    def show(self) -> None:
        """Draw the page or section, with what leads to others."""
        if self.parsed.pages:
            self._page()
        else:
            self._section()

    def search(self) -> None:
        """Draw the search field, and steps from match to match."""
        st.session_state["find"] = self.phrase
        st.text_input(
            _("Find in this document"),
            key="find",
            max_chars=PHRASE_LENGTH,
            placeholder=_("Find in this document"),
            icon=":material/search:",
            label_visibility="collapsed",
            on_change=self._find,
        )
        if not self.phrase:
            return
        count = len(self.matches)
        if not count:
            st.caption(_("Not in this document"), width="content")
            return
        icon_button("keyboard_arrow_up", _("Previous match"), "match-back", self._step, -1)
        number = "–" if self.match is None else format_number(self.match + 1)
        text = _("{number} of {total}", number=number, total=format_number(count))
        st.caption(text, width="content")
        icon_button("keyboard_arrow_down", _("Next match"), "match-on", self._step, 1)

    def _find(self) -> None:
        """Put the phrase into the address, and its first match from this page on."""
        phrase = st.session_state["find"].strip()
        searching = _Reader(self.opened, self.span, phrase)
        if searching.matches:
            searching._open_match(self.extent[0])
        else:
            set_address(find=phrase or None, match=None)

    def _step(self, direction: int) -> None:
        """Go to the next match, or to the one before; from another page, to the nearest."""
        spans, (start, end) = self.matches, self.extent
        at = self.match
        if at is not None and start <= spans[at][0] < end:
            self._open_match(spans[(at + direction) % len(spans)][0])
        elif direction > 0:
            self._open_match(start)
        else:
            before = [span for span in spans if span[0] < start]
            self._open_match((before or spans)[-1][0])

    def _open_match(self, offset: int) -> None:
        """Open the first match from an offset on, from the beginning if there is none."""
        spans = self.matches
        index = next((n for n, span in enumerate(spans) if span[0] >= offset), 0)
        self._go(self._number_at(spans[index][0]), find=self.phrase, match=str(index + 1))

    def _number_at(self, offset: int) -> int:
        if self.parsed.pages:
            return self.parsed.page_at(offset) or 1
        return max(self.parsed.section_at(offset), 0)

    def _go(self, number: int, **changes: str) -> None:
        """Put another page or section into the address; the span stays."""
        kind, other = ("page", "section") if self.parsed.pages else ("section", "page")
        here = {self.prefix + other: None, self.prefix + kind: str(number)}
        set_address(**here, **changes)

    def _page(self) -> None:
        number, count = self.number, len(self.parsed.pages)
        with row(vertical_alignment="bottom", key=f"{self.prefix}document-bar"):
            self._arrow("back", _("Previous page"), number - 1, disabled=number == 1)
            self._page_chooser(number)
            self._arrow("on", _("Next page"), number + 1, disabled=number == count)
            on_page = self.span and self._number_at(self.span[0]) == number
            self._outline(self.span[0] if self.span and on_page else self.extent[0])
        if st.query_params.get("view") == "text" or not self._image(number):
            show_text(self.parsed, self.extent, self._marks())

    def _section(self) -> None:
        sections, number = self.parsed.sections, self.number
        if sections:
            with row(vertical_alignment="bottom", key=f"{self.prefix}document-bar"):
                self._arrow("back", _("Previous section"), number - 1, disabled=number == 0)
                self._outline(sections[number].start)
                last = number == len(sections) - 1
                self._arrow("on", _("Next section"), number + 1, disabled=last)
            if len(path := sections[number].heading_path) > 1:
                st.caption(plain(" › ".join(path[:-1])))
        show_text(self.parsed, self.extent, self._marks())

    def _arrow(self, direction: str, text: str, number: int, *, disabled: bool) -> None:
        icon = "chevron_left" if direction == "back" else "chevron_right"
        key = f"{self.prefix}{'page' if self.parsed.pages else 'section'}-{direction}"
        icon_button(icon, text, key, self._go, number, type="secondary", disabled=disabled)

    def _page_chooser(self, number: int) -> None:
        """Draw a field for the page: its number, or its label where the document prints others."""
        count, key = len(self.parsed.pages), f"{self.prefix}page-number"
        st.session_state[key] = number
        options: dict[str, Any] = {
            "key": key,
            "on_change": lambda: self._go(st.session_state[key]),
            "width": 130,
        }
        if labels := self.parsed.page_labels:

            def name(page: int) -> str:
                return page_number(page, "" if labels[page - 1] == str(page) else labels[page - 1])

            st.selectbox(_("Page"), range(1, count + 1), format_func=name, **options)
        else:
            st.number_input(_("Page"), min_value=1, max_value=count, **options)
        st.caption(_("of {pages}", pages=count), width="content")

    def _outline(self, offset: int) -> None:
        sections, key = self.parsed.sections, f"{self.prefix}outline"

        def open_section() -> None:
            self._go(self._number_at(sections[st.session_state[key]].start))

        if sections:
            st.session_state[key] = max(self.parsed.section_at(offset), 0)
            st.selectbox(
                _("Go to a section"),
                range(len(sections)),
                format_func=lambda number: _section_name(sections[number]),
                key=key,
                on_change=open_section,
            )

    def _image(self, number: int) -> bool:
        """Draw a page as an image; return whether it could be drawn."""
        info, (start, end) = self.opened.info, self.extent
        try:
            image = engine().library.page_image(
                info.document_id, number, span=self.span, scale=ENLARGED
            )
        except RabbitholeError as problem:
            show_no_image(problem)
            return False
        here = [n for n, span in enumerate(self.matches) if start <= span[0] < end]
        boxes = match_boxes(image, self.parsed, [self.matches[n] for n in here])
        current = here.index(self.match) if self.match in here else None
        alt = _("Page {page} of {document}", page=number, document=info.document)
        is_alone = navigation.SECOND not in st.query_params
        key = "whole" if is_alone else f"{self.prefix}column"
        show_page_image(image, key, alt, boxes, current)
        return True

    def _marks(self) -> list[Mark]:
        quoted: list[Mark] = [(self.span, "quoted")] if self.span else []
        return quoted + [
            (span, "current" if n == self.match else "match") for n, span in enumerate(self.matches)
        ]


def _section_name(section: SectionSpan) -> str:
    title = one_line(section.title)
    label = section.label if section.label and not title.startswith(section.label) else ""
    return INDENT * section.level + f"{label} {title}".strip()[:SECTION_NAME_LENGTH]


def _document_beside() -> OpenDocument | None:
    with suppress(NotFound):
        if name := st.query_params.get(navigation.SECOND):
            return engine().library.open_document(name)
    return None


def _choose_beside(opened: OpenDocument, page: int) -> None:
    """Draw the choice of a document beside: another source of the answer, or another version."""
    choices = _choices_beside(opened, page)
    if not choices:
        return
    address = st.query_params.to_dict()
    targets = [_target(query) for label, query in choices]
    now = _target(address)
    st.session_state["beside-choice"] = targets.index(now) if now in targets else None

    def open_beside() -> None:
        chosen = st.session_state["beside-choice"]
        others = {name: None for name in address if name.startswith(navigation.SECOND)}
        set_address(**others | ({} if chosen is None else choices[chosen][1]))

    st.selectbox(
        _("Side by side with"),
        range(len(choices)),
        format_func=lambda n: choices[n][0],
        key="beside-choice",
        placeholder=_("Side by side with …"),
        label_visibility="collapsed",
        on_change=open_beside,
    )


def _target(query: Mapping[str, str]) -> tuple[str | None, str | None]:
    return query.get(navigation.SECOND), query.get(f"{navigation.SECOND_PREFIX}span")


def _choices_beside(opened: OpenDocument, page: int) -> list[tuple[str, dict[str, str]]]:
    info, current = opened.info, address_number("cite")
    same_page = {f"{navigation.SECOND_PREFIX}page": str(page)} if opened.parsed.pages else {}
    cited = [
        (f"{number} · {navigation.short_location(citation)}", navigation.beside_query(citation))
        for number, citation in _citations().items()
        if number != current
    ]
    versions = [
        (version_name(other), {navigation.SECOND: other.document_id} | same_page)
        for other in engine().library.versions(None, info.document)
        if other.document_id != info.document_id
    ]
    return cited + versions


def version_name(info: DocumentInfo) -> str:
    """Return the name of a document with its date, if it has one, and the day of its ingestion."""
    added = _("added {when}", when=session.format_time(info.ingested_at))
    dated = [session.format_dates(info.date.isoformat())] if info.date else []
    name = ", ".join([info.document, *dated, added])
    return f"{name} ({_('older version')})" if info.status == "retired" else name


def _citations() -> dict[int, Citation]:
    """Return the citations of the answer from which one has come, by their numbers."""
    thread, turn = thread_id(), address_number("turn")
    answered: Answered | None = None
    with suppress(NotFound):
        run = engine().threads.run(thread) if thread else None
        if run is not None and run.kind == "research":
            written = engine().threads.research_report(run.thread_id)
            answered = reviewed(written) if written else None
        elif run is not None and run.kind == "ask":
            answers = engine().answers.conversation(run.thread_id)
            answered = next((answer for answer in answers if answer.turn == turn), None)
    return dict(enumerate(lay_out(answered).citations, start=1)) if answered else {}
