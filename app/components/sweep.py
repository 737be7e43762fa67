"""What a sweep found: groups with their places, contradictions, and what was read."""

import streamlit as st

from app.components import grid_form
from app.components.grid_cell import show_quotes
from app.components.widgets import paginate, quiet_button
from app.formats import plain
from app.session import _, format_duration, format_number, notice_text
from services.domain.grids import Contradiction, SweepGroup, SweepResult
from services.domain.runs import ACTIVE

PAGE, VALUE_LENGTH, TEXT_LENGTH = 25, 80, 160


def show(result: SweepResult) -> None:
    """Draw the groups, the contradictions and, once it has ended, the closing line.

    That nothing was read is said first.
    """
    if not result.reads:
        st.info(closing_line(result))
    if result.counts:
        st.caption(_("What counts: {text}", text=plain(result.counts)))
    for number, pair in enumerate(result.contradictions):
        _contradiction(pair, number)
    for number, group in paginate(list(enumerate(result.groups)), PAGE, "sweep-page"):
        _group(group, f"{result.thread_id}-{number}")
    ended = result.status == "done" or (result.sections_read and result.status not in ACTIVE)
    if ended and result.reads:
        with st.container(border=True, key="sweep-closing"):
            st.markdown(closing_line(result))
            costs = (
                _("model calls: {count}", count=format_number(result.calls)),
                _("{tokens} tokens", tokens=format_number(result.tokens)),
                format_duration(result.seconds) if result.seconds else "",
            )
            st.caption(" · ".join(filter(None, costs)))
            text = _("Turn this list into a grid")
            if result.groups and quiet_button(text, "sweep-grid", "table_chart"):
                grid_form.choose_sweep(result.thread_id)


def closing_line(result: SweepResult) -> str:
    """Return how much was read, and whether that was all."""
    count = {"read": format_number(result.sections_read), "total": format_number(result.sections)}
    if not result.reads:
        return _(
            "No model in use had passed the reading test, so nothing was read. These are the "
            "closest quotes."
        )
    if result.sections_read < result.sections:
        text = _("Stopped after {read} of {total} sections.", **count)
        return f"{text} {plain(notice_text(result.stopped))}".rstrip()
    if not result.groups:
        return _("{read} of {total} sections were read; none answers the question.", **count)
    count["answers"] = format_number(len(result.groups))
    count["places"] = format_number(sum(len(group.findings) for group in result.groups))
    text = _(
        "{read} of {total} sections were read; different answers: {answers}, findings: {places}."
    )
    return text.format(**count)


def _group(group: SweepGroup, key: str) -> None:
    """Draw a group as a fold; its places are drawn once it is opened."""
    wording = "" if group.text == group.value else f": {plain(group.text, TEXT_LENGTH)}"
    size = _("findings: {count}", count=len(group.findings))
    label = f"**{plain(group.value, VALUE_LENGTH)}**{wording} :gray[({size})]"
    fold = st.expander(label, key=f"group-{key}", on_change="rerun")
    if fold.open:
        with fold:
            for number, finding in enumerate(group.findings):
                show_quotes(finding, f"{key}-{number}")


def _contradiction(pair: Contradiction, number: int) -> None:
    """Draw two findings side by side, and why they cannot both hold."""
    with st.container(border=True, key=f"contradiction-{number}"):
        st.markdown(f":material/sync_problem: **{_('Contradiction')}:** {plain(pair.why)}")
        findings = (pair.first, pair.second)
        for side, (column, finding) in enumerate(zip(st.columns(2), findings, strict=True)):
            with column:
                st.markdown(f"**{plain(finding.value)}**")
                show_quotes(finding, f"against-{number}-{side}")
