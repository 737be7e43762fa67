"""The report: every sentence followed by the places that prove it, each one click away."""

from typing import Any

import streamlit as st

from agent.engine.layout import counted, standings_of
from app.components import reading, report_details
from app.components.widgets import row
from app.formats import plain
from app.labels import CLOSEST
from app.session import _, language, model_label, say_duration
from services.domain.events import total_seconds

Report = dict[str, Any]


def show(report: Report) -> None:
    """Answer with proof, what is missing, warnings, and the details behind."""
    _facts(report)
    for warning in report["warnings"]:
        st.warning(plain(warning), icon=":material/info:")
    closest = report.get("certainty") == "perhaps"
    if closest:
        st.subheader(_(CLOSEST), anchor=False)
    st.fragment(reading.show)(report, closest=closest)
    _gaps(report["gaps"])
    _limits(report["degraded"])
    st.fragment(report_details.show)(report)


def _facts(report: Report) -> None:
    usage, certainty = report["usage"], report.get("certainty", "answered")
    facts = [
        counted(standings_of(report), certainty, language()),
        model_label(usage["model"]),
        say_duration(total_seconds(usage["seconds"])),
    ]
    with row():
        st.caption(" · ".join(filter(None, facts)), width="stretch")
        report_details.export_popover(report["thread_id"])


def _gaps(gaps: list[str]) -> None:
    if gaps:
        st.subheader(_("Not found in the documents"), anchor=False)
        st.markdown("\n".join(f"- {plain(gap)}" for gap in gaps))


def _limits(degraded: list[str]) -> None:
    """What was done by a rule instead of the model, or left out; nothing where all went well."""
    if degraded:
        with st.expander(_("Produced with limits ({count})", count=len(degraded))):
            st.caption(
                _(
                    "Here a rule stood in for the language model, or sentences were left "
                    "out for lack of support."
                )
            )
            for line in degraded:
                st.text(line)
