"""The best passages of a search as cards, before any model has spoken."""

import re

import streamlit as st

from app import navigation
from app.components.widgets import row
from app.formats import plain
from app.navigation import place
from app.session import _, engine, kept
from services.domain import Passage
from services.domain.events import KnowledgeRetrievalComplete

SHOWN = 3
LENGTH = 420
SHORTEST = 4
"""Letters of a word that is worth marking."""
_WORD = re.compile(r"\w+")


def show(question: str, found: KnowledgeRetrievalComplete) -> None:
    """The first passages with their places; words of the question are strong."""
    wanted = tuple(each.chunk_id for each in found.sources[:SHOWN])
    for number, passage in enumerate(
        kept("cards", wanted, lambda: engine().library.passages(wanted)), start=1
    ):
        with st.container(key=f"card-found-{number}"):
            st.markdown(_marked(_excerpt(passage.text, _stems(question)), question))
            _place(passage)


def _place(passage: Passage) -> None:
    span = (passage.start, passage.end)
    with row(key=f"place-found-{passage.chunk_id}"):
        st.page_link(
            navigation.DOCUMENT,
            label=plain(place(passage.document, passage.section, passage.page)),
            icon=":material/open_in_full:",
            help=_("Opens the page with the passage marked."),
            query_params=navigation.document_query(passage.document_id, passage.page, span),
        )


def _stems(question: str) -> set[str]:
    """The beginnings of the longer words: enough to show why a passage was found."""
    words = (word.casefold() for word in _WORD.findall(question) if len(word) >= SHORTEST)
    return {word[: max(SHORTEST, len(word) - 3)] for word in words}


def _excerpt(text: str, stems: set[str]) -> str:
    """As much as a card holds, from where most of the question's words stand."""
    line = " ".join(text.split())
    if len(line) <= LENGTH:
        return line
    starts = [0, *(match.end() for match in re.finditer(r"[.;:] (?=[A-ZÄÖÜ(\d])", line))]
    begin = max(starts, key=lambda at: (_hits(line[at : at + LENGTH], stems), -at))
    cut = line[begin : begin + LENGTH]
    return f"{'… ' if begin else ''}{cut.rsplit(' ', 1)[0]} …"


def _hits(text: str, stems: set[str]) -> int:
    folded = text.casefold()
    return sum(stem in folded for stem in stems)


def _marked(text: str, question: str) -> str:
    """Foreign text as Markdown in which the question's words are strong."""
    stems = tuple(_stems(question))
    pieces = re.split(r"(\w+)", text)
    return "".join(
        f"**{plain(each)}**"
        if len(each) >= SHORTEST and each.casefold().startswith(stems)
        else _kept_blanks(each)
        for each in pieces
    )


def _kept_blanks(piece: str) -> str:
    head, tail = " " * piece[:1].isspace(), " " * piece[-1:].isspace()
    return (f"{head}{plain(piece)}{tail}" if piece.strip() else " ") if piece else ""
