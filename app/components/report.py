"""The report: every sentence followed by the places that prove it, each one click away."""

import streamlit as st

from agent.engine.layout import headline
from agent.engine.reports import ResearchReport
from app.components import reading, report_details, vote
from app.components import review as reviewing
from app.components.widgets import row
from app.labels import CLOSEST
from app.session import _, engine, language, model_label, say_duration, tell


def show(written: ResearchReport) -> None:
    """Answer with proof, what is missing, warnings, and the details behind.

    What people decided about doubtful sentences is laid over the answer as it was written.
    """
    review = engine().reviews.get(written.thread_id)
    report = engine().reviews.shown(written, review)
    usage = report.usage
    facts = (
        headline(report, language()),
        reading.quotes_only(usage) or model_label(usage.model),
        say_duration(usage.total_s),
    )
    with row():
        st.caption(" · ".join(filter(None, facts)), width="stretch")
        reviewing.offer(report.thread_id, review)
        report_details.export_popover(report.thread_id)
    if reviewing.under_way(report.thread_id) and review.doubtful:
        reviewing.show(report.thread_id, written, review)
    reading.warnings(report.warnings)
    if report.certainty == "perhaps":
        st.subheader(_(CLOSEST), anchor=False)
    elif report.certainty == "refused" and report.opening:
        with st.container(key="answer-refused"):
            st.text(report.opening)
    st.fragment(reading.show)(report, review=review)
    if report.degraded:
        _limits(report)
    vote.show(report.thread_id, 1, vote.own(report.thread_id).get(1))
    st.fragment(report_details.show)(report)


def _limits(report: ResearchReport) -> None:
    """What was done by a rule instead of the model, or left out."""
    with st.expander(_("Produced with limits ({count})", count=len(report.degraded))):
        st.caption(_("A rule replaced the language model, or unsupported sentences were left out."))
        for notice in report.degraded:
            st.text(tell(notice))
