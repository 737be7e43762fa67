"""The report: every sentence followed by the places that prove it, each one click away."""

from typing import Any

import streamlit as st

from app import texts
from app.answer_layout import Line, Mark, Part, lay_out
from app.formats import duration
from app.sanitise import plain
from app.session import language, say
from app.views import export, report_details
from app.views.places import place, short_place

Report = dict[str, Any]
TEXT_AND_MARGIN = [7, 3]


def show(report: Report) -> None:
    """Answer, what is missing, warnings, and the details behind."""
    _facts(report)
    for warning in report["warnings"]:
        st.warning(plain(warning), icon=":material/info:")
    with st.container(key="answer"):
        _answer(lay_out(report))
    _gaps(report["gaps"])
    _degraded(report["degraded"])
    report_details.show(report)


def _facts(report: Report) -> None:
    sentences = report["sentences"]
    supported = sum(sentence["supported"] for sentence in sentences)
    usage = report["usage"]
    facts = [
        say(texts.SUPPORTED_COUNT, supported=supported, total=len(sentences)),
        plain(_model(usage["model"])),
        duration(sum(usage["seconds"].values()), language()),
    ]
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(" · ".join(facts), width="stretch")
        export.show(report)


def _model(name: str) -> str:
    if name == "none":
        return say(texts.NO_MODEL_NEEDED)
    return say(texts.MODEL, name=name)


def _answer(parts: list[Part]) -> None:
    if not any(part.lines for part in parts):
        st.text(say(texts.NOTHING_FOUND))
    for number, part in enumerate(parts):
        if part.heading:
            st.subheader(plain(part.heading), anchor=False)
        for position, line in enumerate(part.lines):
            _line(line, f"{number}-{position}")


def _line(line: Line, key: str) -> None:
    text, margin = st.columns(TEXT_AND_MARGIN, gap="small")
    with text:
        if line.quote:
            with st.container(key=f"quote-{key}"):
                st.text(line.text)
        else:
            st.text(line.text)
    with margin, st.container(horizontal=True, gap="xsmall"):
        if not line.supported:
            st.badge(say(texts.NO_SUPPORT), icon=":material/help:", color="gray")
        for mark in line.marks:
            _mark(mark)


def _mark(mark: Mark) -> None:
    """A numbered mark that opens the quote with document, section and page."""
    cited = mark.citation
    label = f"{mark.number} · {plain(short_place(cited.document, cited.section, cited.page))}"
    with st.popover(label, type="tertiary"):
        st.markdown(f"**{plain(place(cited.document, cited.section, cited.page))}**")
        st.text(cited.quote)
        verified = texts.QUOTE_VERIFIED if cited.verified else texts.QUOTE_UNVERIFIED
        st.caption(say(verified))


def _gaps(gaps: list[str]) -> None:
    if gaps:
        st.subheader(say(texts.NOT_FOUND), anchor=False)
        st.markdown("\n".join(f"- {plain(gap)}" for gap in gaps))


def _degraded(degraded: list[str]) -> None:
    if degraded:
        with st.expander(say(texts.DEGRADED, count=len(degraded))):
            st.caption(say(texts.DEGRADED_WHY))
            for line in degraded:
                st.text(line)
