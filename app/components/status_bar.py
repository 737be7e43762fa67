"""What every page shows: the login, and the bar with the model, the collections and what runs."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from agent.engine.jobs import JobState
from app import navigation, session
from app.components import library_jobs, widgets
from app.components.widgets import attempt, attempt_and_rerun, button, redraw, row, show_errors
from app.formats import plain
from app.labels import STATUS
from app.session import _, engine, language, notice_text, thread_id
from services.domain.model_checks import ModelState
from services.domain.runs import RunInfo

POLL_S = 2.0
SHOWN_NAMES = 3
QUESTION_LENGTH = 60

Stamp = tuple[tuple[str, str], ...]
Active = tuple[Sequence[RunInfo], Sequence[JobState]]
"""Researches and jobs that are not done."""


def _active() -> Active:
    return engine().threads.active(), engine().open_jobs()


def _stamp(active: Active) -> Stamp:
    runs, jobs = active
    return (
        *((run.thread_id, run.status) for run in runs),
        *((str(job.number), job.status) for job in jobs),
    )


def show(*, in_library: bool = False, at_settings: bool = False) -> None:
    """Draw the bar; it polls only while something runs, and the library polls its jobs itself."""
    facts: list[str] = []
    active: Active = ((), ())
    model = ModelState(status="unasked")
    with show_errors():
        model = session.model_state()  # also notices the death of the owner
        facts = [session.model_summary(model), _corpus_summary()]
        active = _active()
        if not any(active):
            facts.append(_("idle"))
    with st.container(horizontal=True, key="status-bar", vertical_alignment="center"):
        st.caption(" · ".join(facts), width="stretch")
        saving: dict[str, Any] = {"on_change": attempt, "args": (session.save_language,)}
        st.segmented_control(
            _("Language"),
            ["de", "en"],
            default=language(),
            required=True,
            format_func=str.upper,
            key=session.LANGUAGE,
            label_visibility="collapsed",
            **saving,
        )
        if session.settings().login is not None:
            name = plain(session.engine().principal.user)
            widgets.quiet_button(_("Log out"), "log-out", "logout", help=name, on_click=st.logout)
    st.button("look", key="redrawn")  # `app.js` presses it to redraw the page
    if model.status == "loading":
        st.fragment(_watch_model, run_every=POLL_S)(model)
    elif model.problem is not None and not at_settings:
        problem = plain(notice_text(model.problem))
        st.warning(problem, title=_("No language model"), icon=":material/info:")
        st.page_link(navigation.SETTINGS, label=_("Choose a model"), icon=":material/tune:")
    if any(active):
        # A run's own page polls it, and redraws this bar when its state changes.
        runs, jobs = active
        elsewhere = any(run.thread_id != thread_id() for run in runs)
        interval = POLL_S if elsewhere or (jobs and not in_library) else None
        st.fragment(_running, run_every=interval)(_stamp(active), in_library)


def _watch_model(drawn: ModelState) -> None:
    with show_errors():
        if session.model_state().status != drawn.status:
            redraw()


def _corpus_summary() -> str:
    collections = engine().library.collections()
    documents = sum(info.documents for info in collections)
    if not documents:
        return _("no documents")
    names = [plain(info.name) for info in collections[:SHOWN_NAMES]]
    more = ["…"] if len(collections) > SHOWN_NAMES else []
    return _(
        "{names} · documents: {documents}", names=", ".join([*names, *more]), documents=documents
    )


def _running(drawn: Stamp, in_library: bool) -> None:
    """Draw what is active; a change redraws the whole page."""
    with show_errors():
        runs, jobs = active = _active()
        if _stamp(active) != drawn:
            redraw()
        for run in runs:
            _run_line(run)
        if jobs:
            names = {info.collection_id: info.name for info in engine().library.collections()}
            for job in jobs:
                with row(key=f"active-work-{job.number}"):
                    _status_line(job.status, library_jobs.heading(job, names))
                    key = f"open-work-{job.number}"
                    if not in_library and button(_("Open"), key, type="tertiary"):
                        st.switch_page(navigation.LIBRARY)


def _run_line(run: RunInfo) -> None:
    here = thread_id() == run.thread_id
    if here and run.kind in ("grid", "sweep"):
        return  # its page shows how far it is
    with row(key=f"active-{run.thread_id}"):
        quick = run.kind == "ask"
        name = plain(run.title or run.question, QUESTION_LENGTH)
        if here:
            name = _("this question") if quick else _("this research")
        _status_line(run.status, name)
        if not here and button(_("Open"), f"open-{run.thread_id}", type="tertiary"):
            navigation.switch_to_thread(run.thread_id)
        if run.kind != "research":
            return  # its own page can stop it
        if button(_("Pause"), f"pause-{run.thread_id}", "pause"):
            attempt_and_rerun(lambda: engine().threads.pause(run.thread_id))
        cancel_button(run.thread_id, where="bar")


def _status_line(status: str, name: str) -> None:
    st.markdown(f":material/progress_activity: **{_(STATUS[status])}:** {name}", width="stretch")


def cancel_button(thread: str, *, where: str) -> None:
    """Ask for confirmation before cancelling; ``where`` keeps the keys of two buttons apart."""
    why = _(
        "Ends the research. The report then covers what has been found so far; if nothing was "
        "found, there is no report. This cannot be undone."
    )
    if widgets.confirm_button(
        _("Cancel"), why, _("Cancel for good"), f"cancel-{where}-{thread}", "stop"
    ):
        attempt_and_rerun(lambda: engine().threads.cancel(thread))


def admitted() -> bool:
    """Return whether the person in this window has access; if not, draw the login page."""
    settings = session.settings()
    if session.current_principal(settings) is not None:
        return True
    st.title("Rabbithole", anchor=False)
    st.markdown(_("Answers from your own documents, with the source of every sentence."))
    if st.user.is_logged_in:
        text = _(
            "This login has expired, or {account} has no access. Ask the administrator of this "
            "server.",
            account=plain(str(st.user.get("email") or st.user.get("sub"))),
        )
        st.info(text)
        button(_("Log in again"), "log-out", "logout", type="primary", on_click=st.logout)
    else:
        button(_("Log in"), "log-in", "login", type="primary", on_click=st.login)
    return False
