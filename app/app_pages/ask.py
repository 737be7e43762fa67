"""Ask: quick answers, one conversation a thread."""

import streamlit as st

from app import navigation
from app.components import ask_form, ask_turn, report_details, runs
from app.components.notices import act, reported
from app.components.widgets import button, row
from app.formats import plain
from app.labels import STATUS
from app.session import _, engine, tell, thread_id
from services.domain.runs import ACTIVE, RunInfo


def page() -> None:
    """Shows the page."""
    thread = thread_id()
    with reported():
        if thread is None:
            ask_form.show()
            return
        run = runs.run_of_address(thread, "ask")
        if run is None:
            runs.new_thread(_("New conversation"))
        elif run.kind != "ask":
            navigation.to_thread(thread, run.kind)
        else:
            _conversation(run)


def _conversation(run: RunInfo) -> None:
    turns = engine().answers.conversation(run.thread_id)
    with row():
        st.caption(plain(", ".join(run.collections)), width="stretch")
        if turns:
            report_details.export_popover(run.thread_id, run.kind)
        runs.new_thread(_("New conversation"))
    votes = {vote.turn: vote for vote in engine().answers.votes(run.thread_id)}
    for turn in turns:
        last = turn is turns[-1] and run.status not in ACTIVE
        ask_turn.show(run, turn, votes.get(turn.turn), latest=last)
    if run.status in ACTIVE:
        ask_form.follow(run)
        return
    if run.pending is not None:
        ask_form.show_waiting(run, run.pending)
        return
    if run.status != "done":
        _unanswered(run)
    ask_form.go_on(run)


def _unanswered(run: RunInfo) -> None:
    """The last question broke off: why, and asking it again."""
    ask_turn.asked(run)
    st.error(plain(tell(run.error))) if run.error else st.info(_(STATUS[run.status]))
    if button(_("Ask again"), "again", "refresh", type="primary"):
        act(lambda: engine().threads.resume(run.thread_id))


page()
