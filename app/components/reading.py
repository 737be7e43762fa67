"""The answer to read, with the proof of the chosen sentence beside it: the page, the quote marked.

Each paragraph is a block of text and marks that the style sheet lets run on as one. The proof
stands behind the paragraph that it belongs to; a wide window moves it into a second column, a
narrow one lays it over the lower part of the page, with its sentence and a way to close it.
"""

from collections.abc import Mapping
from typing import Any, Final

import streamlit as st

from agent.engine.layout import Layout, Line, Part, Piece, case_of, lay_out, sides
from app import navigation, texts
from app.components import document
from app.components.document import around
from app.components.widgets import icon_button, row
from app.formats import plain
from app.navigation import place
from app.session import (
    chosen_citation,
    chosen_turn,
    close_citation,
    engine,
    open_citation,
    say,
    tell,
)
from app.texts import report as words
from services.domain import Citation, Standing
from services.domain.errors import RabbitholeError

MOST_PAGES: Final = 3
"""A quote that goes on over more pages is shown on these."""
QUOTE_LENGTH: Final = 600

Versions = Mapping[str, str]
"""By document id, the version of the parser whose text a report cites."""


def _show_proof(
    number: int,
    cited: Citation,
    versions: Versions,
    line: Line | None,
    spoken: str,
    *,
    closest: bool = False,
) -> None:
    """Where the quote stands, and the page itself or, without pages, the text.

    Args:
        number: of the place in the report.
        cited: the place.
        versions: of the texts that the report cites.
        line: the sentence that cites it, None where no sentence does.
        spoken: language of the answer.
        closest: whether the place is only one that comes closest, and proves nothing.
    """
    with row():
        where = plain(place(cited.document, cited.titled, cited.page))
        st.markdown(f"**{number}**  {where}", width="stretch")
        _checked(cited, line, closest=closest)
    if case := case_of(cited):
        st.caption(say(words.CASE, case=plain(case.rstrip(":"))))
    if line is not None and not line.quote:
        _sides(line, cited, spoken)
    version = versions.get(cited.document_id)
    if cited.page is None or not _pages(cited, cited.page, version):
        _section_text(cited, version)


def _checked(cited: Citation, line: Line | None, *, closest: bool) -> None:
    """The tick where the place proves its sentence; else only whether the words stand there."""
    if not cited.verified:
        told = f":material/question_mark: {say(words.UNVERIFIED)}"
    elif closest or (line is not None and not line.proven):
        told = say(words.VERBATIM)
    elif line is not None and line.standing == "follows":
        told = f":material/check: {say(words.FOLLOWS_CHECKED)}"
    else:
        told = f":material/check: {say(words.VERIFIED)}"
    st.caption(told, width="content")


def _sides(line: Line, cited: Citation, spoken: str) -> None:
    """Why the sentence is proof or not: its words beside those of the quote."""
    if line.reason:
        st.caption(plain(line.reason))
    quote = f"{cited.case.text} {cited.quote}" if cited.case else cited.quote
    sentence, stated = sides(line.text, quote, spoken, line.decisive)
    for key, title, pieces in (
        ("sentence", words.SENTENCE_SIDE, sentence),
        ("quote", words.QUOTE_SIDE, stated),
    ):
        if any(piece.marked for piece in pieces):
            with st.container(key=f"side-{key}", gap=None):
                st.caption(say(title))
                st.markdown("".join(map(_marked, pieces)))


def _marked(piece: Piece) -> str:
    """A run of foreign text as Markdown that shows it letter by letter."""
    text = plain(piece.text)
    if piece.marked:
        return f"**{text}**"
    head, tail = " " * piece.text[:1].isspace(), " " * piece.text[-1:].isspace()
    return f"{head}{text}{tail}" if text else " "


def _pages(cited: Citation, page: int, version: str | None) -> bool:
    """Shows the pages of the quote; whether that could be done."""
    try:
        shown, last = page, page
        while shown <= min(last, page + MOST_PAGES - 1):
            if shown > page:
                st.caption(say(words.CONTINUES, page=shown))
            last = _page(cited, shown, version)
            shown += 1
    except RabbitholeError as problem:
        st.caption(say(words.NO_PAGE, why=plain(tell(str(problem)))))
        return False
    return True


def _page(cited: Citation, page: int, version: str | None) -> int:
    """Shows one page; the page on which the quote ends."""
    drawn = engine().library.page_image(
        cited.document_id, page, span=(cited.start, cited.end), excerpt=True, parser_version=version
    )
    with st.container(key=f"sheet-{page}"):
        st.image(drawn.png, width="stretch", output_format="PNG", alt=cited.quote)
    if not drawn.boxes:
        st.caption(say(words.NOT_MARKED, quote=plain(cited.quote, QUOTE_LENGTH)))
    return drawn.last_page


def _section_text(cited: Citation, version: str | None) -> None:
    """Shows the section with the span marked, or at least the quote."""
    try:
        opened = engine().library.open_document(cited.document_id, parser_version=version)
    except RabbitholeError as problem:
        st.caption(say(words.NO_TEXT, why=plain(tell(str(problem)))))
        with st.container(key="quote-proof"):
            st.text(cited.quote)
        return
    document.marked_text(around(opened.parsed, (cited.start, cited.end)), "proof")


def _document_link(cited: Citation) -> None:
    """A link to the place in the whole document."""
    label = words.WHOLE_DOCUMENT if cited.page is None else words.WHOLE_PAGE
    query = navigation.document_query(cited.document_id, cited.page, (cited.start, cited.end))
    st.page_link(
        navigation.DOCUMENT, label=say(label), icon=":material/open_in_full:", query_params=query
    )


def _help_of(cited: Citation) -> str:
    """What hovering over a mark says: place and quote."""
    return say(
        words.MARK_HELP,
        place=plain(place(cited.document, cited.titled, cited.page)),
        quote=plain(cited.quote, QUOTE_LENGTH),
    )


Report = dict[str, Any]
NO_PROOF_ICONS: Final[dict[Standing, str]] = {
    "loose": ":material/help:",
    "contradicts": ":material/block:",
    "none": ":material/search_off:",
}


def show(
    report: Report, turn: int | None = None, *, unasked: bool = True, closest: bool = False
) -> None:
    """The answer; in a fragment a click on a mark draws only this part of the page again.

    Args:
        report: sentences, sources and the answer that holds them.
        turn: of a conversation, where each answer has marks of its own.
        unasked: whether the first proof is shown before somebody has chosen one.
        closest: whether these are the passages that come closest, which claim nothing.
    """
    layout = lay_out(report)
    if not layout.parts:
        st.text(say(texts.NOTHING_FOUND))
        return
    versions = {source["document_id"]: source["parser_version"] for source in report["sources"]}
    reader = _Reader(layout, versions, report["language"], turn, unasked=unasked, closest=closest)
    of_turn = "" if turn is None else f"{turn}-"
    with st.container(key=f"reading-{of_turn or 'report'}"):
        for number, part in enumerate(layout.parts):
            reader.part(part, f"{of_turn}{number}")
        reader.end()


class _Reader:
    """Writes paragraph after paragraph, and the proof behind the first that has its mark."""

    def __init__(
        self,
        layout: Layout,
        versions: Versions,
        language_of: str,
        turn: int | None,
        *,
        unasked: bool,
        closest: bool,
    ) -> None:
        self._closest = closest
        self._places = dict(enumerate(layout.places, start=1))
        self._versions = versions
        self._turn = turn
        self._language = language_of
        chosen, at = chosen_citation()
        self._asked = chosen in self._places and chosen_turn() == turn
        first = min(self._places, default=None) if unasked else None
        self._chosen = chosen if self._asked else first
        self._at = at
        self._shown = False

    def part(self, part: Part, key: str) -> None:
        if part.heading:
            with st.container(key=f"head-{key}"):
                st.subheader(plain(part.heading), anchor=False)
        for number, paragraph in enumerate(part.paragraphs):
            self._paragraph(paragraph, f"{key}-{number}")

    def end(self) -> None:
        """The proof, should no paragraph have had it."""
        if not self._shown:
            self._proof(None)

    def _paragraph(self, lines: tuple[Line, ...], key: str) -> None:
        kind = "quote-para" if lines[0].quote else "para"
        with st.container(key=f"{'card' if self._closest else kind}-{key}"):
            if self._closest and lines[0].numbers:
                head = self._places[lines[0].numbers[0]]
                with st.container(key=f"place-{key}"):
                    st.text(place(head.document, head.titled, head.page))
            for position, line in enumerate(lines):
                self._line(line, f"{key}-{position}")
        cited = {
            f"{key}-{position}": line
            for position, line in enumerate(lines)
            if self._chosen in line.numbers
        }
        here = self._at is None or self._at.startswith(f"{key}-")
        if not self._shown and cited and here:
            self._proof(cited.get(self._at or "") or next(iter(cited.values())))

    def _line(self, line: Line, key: str) -> None:
        if line.case:
            with st.container(key=f"case-{key}"):
                st.text(line.case)
        if line.proven:
            st.text(line.text)
        else:
            _unproven(line, key)
        if line.standing == "follows":
            st.markdown(f":gray[:small[{say(words.FOLLOWS)}]]", width="content")
        for number in line.numbers:
            st.button(
                str(number),
                key=f"mark-{key}-{number}",
                type="primary" if number == self._chosen else "tertiary",
                help=_help_of(self._places[number]),
                on_click=open_citation,
                args=(number, key, self._turn),
            )

    def _proof(self, line: Line | None) -> None:
        self._shown = True
        if self._chosen is None:
            return
        cited = self._places[self._chosen]
        with st.container(key="proof" if self._asked else "proof-first", gap="small"):
            if self._asked:
                _bar(line.text if line else "")
            _show_proof(
                self._chosen, cited, self._versions, line, self._language, closest=self._closest
            )
            self._steps(self._chosen, cited)

    def _steps(self, number: int, cited: Citation) -> None:
        total = len(self._places)
        with row(key="proof-steps"):
            self._step(words.PREVIOUS, "chevron_left", number - 1, number == 1)
            st.caption(say(words.COUNT, number=number, total=total), width="content")
            self._step(words.NEXT, "chevron_right", number + 1, number == total)
            st.space("stretch")
            _document_link(cited)

    def _step(self, text: texts.Text, icon: str, number: int, disabled: bool) -> None:
        key = f"step-{icon.rsplit('_')[-1]}"
        turn = self._turn
        icon_button(icon, text, key, open_citation, number, None, turn, disabled=disabled)


def _unproven(line: Line, key: str) -> None:
    """A sentence that is no proof, plainly said to be none, and why."""
    with st.container(key=f"unproven-{key}"):
        st.text(line.text)
        assert line.standing is not None
        mark, icon = say(words.NO_PROOF[line.standing]), NO_PROOF_ICONS[line.standing]
        st.badge(mark, icon=icon, color="gray")
        if line.reason:
            st.markdown(f":gray[:small[{plain(line.reason)}]]", width="content")


def _bar(sentence: str) -> None:
    """What a narrow window needs, where the proof may cover its sentence."""
    with st.container(horizontal=True, vertical_alignment="top", key="proof-bar"):
        st.text(sentence, width="stretch")
        icon_button("close", words.CLOSE, "proof-close", close_citation)
