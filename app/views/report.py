"""The report: every sentence followed by the places that prove it, each one click away."""

from typing import Any

import streamlit as st

from agent.layout import counted, standings_of
from app import texts
from app.formats import duration
from app.sanitise import plain
from app.session import language, say, tell
from app.texts import report as words
from app.views import export, reading, report_details
from services.events import total_seconds

Report = dict[str, Any]


def show(report: Report) -> None:
    """Answer with proof, what is missing, warnings, and the details behind."""
    _facts(report)
    for warning in report["warnings"]:
        st.warning(plain(tell(warning)), icon=":material/info:")
    closest = report.get("certainty") == "perhaps"
    if closest:
        st.subheader(say(words.CLOSEST), anchor=False)
    st.fragment(reading.show)(report, closest=closest)
    _gaps(report["gaps"])
    _limits(report["degraded"])
    st.fragment(report_details.show)(report)


def _facts(report: Report) -> None:
    usage, certainty = report["usage"], report.get("certainty", "answered")
    facts = [
        counted(standings_of(report), certainty, language()),
        plain(_model(usage["model"])),
        duration(total_seconds(usage["seconds"]), language()),
    ]
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(" · ".join(filter(None, facts)), width="stretch")
        export.show(report["thread_id"])


def _model(name: str) -> str:
    if name == "none":
        return say(texts.NO_MODEL_NEEDED)
    return say(texts.MODEL, name=name)


def _gaps(gaps: list[str]) -> None:
    if gaps:
        st.subheader(say(texts.NOT_FOUND), anchor=False)
        st.markdown("\n".join(f"- {plain(gap)}" for gap in gaps))


def _limits(degraded: list[str]) -> None:
    """What was done by a rule instead of the model, or left out; nothing where all went well."""
    if degraded:
        with st.expander(say(texts.DEGRADED, count=len(degraded))):
            st.caption(say(texts.DEGRADED_WHY))
            for line in degraded:
                st.text(tell(line))
