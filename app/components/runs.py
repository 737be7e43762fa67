"""Threads as rows, their links, and the dialogs that rename, export, fork and delete one.

The open dialog is kept in the session, so it survives a rerun of the page. It is closed when the
person leaves the page, by the back button for example.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

import streamlit as st

from agent.research.state import PHASE_OF, CheckpointInfo
from app import navigation
from app.components import report, review, widgets
from app.components.widgets import attempt_and_rerun, button, quiet_button, row, show_errors
from app.formats import plain
from app.labels import PHASE, STATUS
from app.locale import N_
from app.session import _, engine, format_duration, format_number, format_time, open_thread
from services.domain.errors import NotFound
from services.domain.runs import ACTIVE, RunCost, RunInfo, RunKind

ACTION = {
    "open": N_("Open"),
    "rename": N_("Rename …"),
    "replay": N_("Replay"),
    "fork": N_("Branch …"),
    "export": N_("Export …"),
    "delete": N_("Delete …"),
}

CHECKPOINT = {
    "hitl_init": N_("from the start"),
    "hitl_generate_questions": N_("before new questions"),
    "hitl_await_response": N_("before your answer"),
    "generate_todo": N_("before the plan is proposed"),
    "hitl_approve_todo": N_("before the plan is approved"),
    "execute_task": N_("after approval"),
    "validate_relevance": N_("before relevance is checked"),
    "synthesize": N_("before writing"),
    "quality_check": N_("before the quality check"),
    "attribute_sources": N_("before sources are added"),
}

UNKNOWN = N_(
    "This research does not exist, or it belongs to someone else. Check the address, or start"
    " new research."
)

PAGE = 15
"""Rows a page: drawing them takes the browser longer than finding them takes the server."""
ICON = {"ask": "bolt", "research": "travel_explore", "grid": "table_chart", "sweep": "checklist"}
KIND = {"ask": N_("quick answer"), "grid": N_("grid"), "sweep": N_("sweep")}
DELETED: dict[RunKind, str] = {
    "ask": N_("Deletes this conversation with all its questions and answers."),
    "research": N_(
        "Deletes this research with its report, history and checkpoints; its branches are kept."
    ),
    "grid": N_("Deletes this grid with all its values and your corrections."),
    "sweep": N_("Deletes this sweep with all its findings."),
}
URGENCY = {"waiting": 0, "queued": 1, "running": 1, "interrupted": 2, "failed": 2, "paused": 2}
ENDED = ("done", "cancelled")
RESUMABLE = ("interrupted", "paused", "failed")
RESEARCH_ALONE = ("replay", "fork")
ROW_LENGTH = 140
QUESTION_LENGTH = TITLE_LENGTH = 200
OPEN = "run-dialog"
CostsOf = Callable[[str], Mapping[str, RunCost]]


def run_of_address(thread: str) -> RunInfo | None:
    """Return the thread in the address; warn and return None if there is none."""
    try:
        return engine().threads.run(thread)
    except NotFound:
        st.warning(_(UNKNOWN))
        return None


def new_thread() -> None:
    """Draw a button that leaves the thread for a new one."""
    if quiet_button(_("New question"), "new", "add"):
        open_thread(None)
        st.rerun()


def show_before(run: RunInfo) -> None:
    """Draw what a thread continues: the conversation so far, or the thread it was forked from."""
    if run.parent_thread is not None:
        with suppress(NotFound):
            parent = engine().threads.run(run.parent_thread)
            _thread_link(parent, "fork_right", _("Branched from: {title}"))
    earlier = run.options.get("follows")
    if isinstance(earlier, str):
        with suppress(NotFound):
            before = engine().threads.run(earlier)
            show_before(before)
            with st.expander(_name(before), icon=":material/history:"), show_errors():
                st.text(_answer_text(before))
                if button(_("Open"), f"before-{earlier}", type="tertiary"):
                    navigation.switch_to_thread(earlier)


def show_after(run: RunInfo) -> None:
    """Link the threads that continue this one or were forked from it."""
    for other in engine().threads.runs():
        if other.options.get("follows") == run.thread_id:
            _thread_link(other, "subdirectory_arrow_right", _("Continued in: {title}"))
        elif other.parent_thread == run.thread_id:
            _thread_link(other, "fork_right", _("Branch: {title}"))


def _answer_text(run: RunInfo) -> str:
    if run.kind == "ask":
        turns = engine().answers.conversation(run.thread_id)
        return "\n\n".join(f"{turn.question}\n\n{turn.answer}" for turn in turns)
    written = engine().threads.research_report(run.thread_id)
    return review.reviewed(written).answer if written else _(STATUS[run.status])


def _thread_link(run: RunInfo, icon: str, text: str) -> None:
    if quiet_button(text.replace("{title}", _name(run)), f"lead-{run.thread_id}", icon):
        navigation.switch_to_thread(run.thread_id)


def filter_runs(listed: Sequence[RunInfo]) -> list[RunInfo]:
    """Draw a search field and return the runs whose question or title has all its words."""
    words = st.text_input(_("Search questions"), key="box-history").casefold().split()
    texts = ((run, f"{run.question} {run.title or ''}".casefold()) for run in listed)
    return [run for run, text in texts if all(word in text for word in words)]


def show_runs(runs: Sequence[RunInfo], costs: CostsOf | None = None) -> None:
    """Draw the runs, newest first, by urgency; without ``costs`` the rows can only be opened."""
    ordered = sorted(runs, key=lambda run: URGENCY.get(run.status, len(URGENCY)))
    for run in widgets.paginate(ordered, PAGE, "runs-page"):
        with row(key=f"run-{run.thread_id}", wrap=False):
            with st.container(gap=None):
                name = plain(run.title or run.question, ROW_LENGTH)
                icon = "fork_right" if run.parent_thread else ICON[run.kind]
                if quiet_button(name, f"show-{run.thread_id}", icon, wrap=True):
                    navigation.switch_to_thread(run.thread_id)
                took = costs(run.thread_id) if costs else {}
                st.caption(_facts(run, took.get(run.thread_id, RunCost())))
            if costs is not None:
                _actions(run)


def _facts(run: RunInfo, cost: RunCost) -> str:
    ended = run.status in ENDED
    phase = None if ended else PHASE_OF.get(run.phase or "")
    facts = [
        f"**{_(STATUS[run.status])}**",
        _(PHASE[phase]) if phase else "",
        _(KIND[run.kind]) if run.kind in KIND else "",
        _("branch") if run.parent_thread is not None else "",
        plain(", ".join(run.documents or run.collections)),
        format_time(run.created_at),
        format_duration(cost.seconds) if cost.seconds else "",
        _("{tokens} tokens", tokens=format_number(cost.tokens)) if cost.tokens else "",
    ]
    return " · ".join(filter(None, facts))


def _actions(run: RunInfo) -> None:
    thread = run.thread_id
    hidden = () if run.kind == "research" else RESEARCH_ALONE
    names = {name: _(text) for name, text in ACTION.items() if name not in hidden}
    with row(width="content", horizontal_alignment="right", gap="xsmall"):
        resumes = run.status in RESUMABLE and run.kind in ("ask", "research")
        if resumes and button(_("Continue"), f"resume-{thread}", type="tertiary"):
            if widgets.attempt(lambda: engine().threads.resume(thread)):
                navigation.switch_to_thread(thread)
            st.rerun()
        key, name_of = f"menu-{thread}", names.__getitem__
        chosen = st.menu_button(
            _("More"), list(names), key=key, type="tertiary", format_func=name_of
        )
    if chosen == "open":
        navigation.switch_to_thread(thread)
    elif chosen == "replay":
        st.switch_page(navigation.RUNS, query_params={"replay": thread})
    elif chosen is not None:
        st.session_state[OPEN] = (chosen, thread)


def show_dialog() -> None:
    """Draw the open dialog, if any."""
    action, thread = st.session_state.get(OPEN, ("", ""))
    if action not in _DIALOGS:
        return
    title, body = _DIALOGS[action]

    @st.dialog(_(title), width="medium", on_dismiss=close_dialog)
    def dialog() -> None:
        with show_errors():
            body(engine().threads.run(thread))

    dialog()


def close_dialog() -> None:
    """Forget the open dialog."""
    st.session_state.pop(OPEN, None)


def _name(run: RunInfo) -> str:
    return plain(run.title or run.question, QUESTION_LENGTH)


def _dialog_buttons(label: str, *, disabled: bool = False) -> bool:
    """Draw the buttons of a dialog; return whether its action was confirmed."""
    with st.container(horizontal=True, horizontal_alignment="right"):
        if button(_("Cancel"), "dialog-leave", type="tertiary"):
            close_dialog()
            st.rerun()
        return button(label, "dialog-do", type="primary", disabled=disabled)


def _rename(run: RunInfo) -> None:
    st.caption(plain(run.question, QUESTION_LENGTH))
    title = st.text_input(
        _("Title"),
        run.title or "",
        max_chars=TITLE_LENGTH,
        placeholder=_("Without a title, the question is shown."),
        key=f"title-{run.thread_id}",
    )
    if _dialog_buttons(_("Save")):
        close_dialog()
        attempt_and_rerun(lambda: engine().threads.rename(run.thread_id, title))


def _delete(run: RunInfo) -> None:
    st.markdown(f"**{_name(run)}**")
    running = run.status in ACTIVE
    st.markdown(
        _("It is still running. Pause or cancel it first, then delete it.")
        if running
        else f"{_(DELETED[run.kind])} {_('This cannot be undone; your documents are kept.')}"
    )
    if _dialog_buttons(_("Delete for good"), disabled=running):
        close_dialog()
        deleted = _("Deleted: {title}", title=_name(run))
        attempt_and_rerun(lambda: engine().threads.delete(run.thread_id), done=deleted)


def _export(run: RunInfo) -> None:
    st.markdown(f"**{_name(run)}**")
    answers = run.kind in ("ask", "research")
    if answers and engine().threads.report(run.thread_id) is None:
        text = _(
            "There is no report or answer to export yet. Open the research or conversation and let "
            "it finish first."
        )
        st.info(text)
    else:
        report.downloads(run)


def _fork(run: RunInfo) -> None:
    st.markdown(f"**{_name(run)}**")
    st.caption(
        _("Creates a copy that continues from the chosen step. This research does not change.")
    )
    checkpoints = engine().threads.checkpoints(run.thread_id)
    points = [info for info in checkpoints if info.next in CHECKPOINT]
    if not points:
        st.info(_("This research has no step to branch from yet."))
        return
    names = {info.id: f"**{_(PHASE[info.phase])}** · {_(CHECKPOINT[info.next])}" for info in points}
    # Most people want to return to the plan as it was proposed.
    plans = [n for n, info in enumerate(points) if info.next == "hitl_approve_todo"]
    chosen = st.radio(
        _("Step"),
        list(names),
        index=plans[-1] if plans else len(points) - 1,
        format_func=names.__getitem__,
        captions=[_checkpoint_facts(info) for info in points],
        key=f"place-{run.thread_id}",
        label_visibility="collapsed",
    )
    if _dialog_buttons(_("Branch here")) and chosen is not None:
        close_dialog()
        attempt_and_rerun(
            lambda: navigation.switch_to_thread(engine().threads.fork(run.thread_id, chosen))
        )


def _checkpoint_facts(info: CheckpointInfo) -> str:
    """Return ``22.11.2026 10:31 · Aufgaben: 4 · Textstellen: 31``."""
    counted = (
        (N_("search rounds: {count}"), info.rounds),
        (N_("tasks: {count}"), info.tasks),
        (N_("passages: {count}"), info.evidence),
    )
    facts = [_(text, count=format_number(count)) for text, count in counted if count]
    drafted = [_("answer written")] if info.drafted else []
    return " · ".join([format_time(info.at), *facts, *drafted])


_DIALOGS: dict[str, tuple[str, Callable[[RunInfo], None]]] = {
    "rename": (N_("Rename"), _rename),
    "export": (N_("Export"), _export),
    "fork": (N_("Branch from an earlier step"), _fork),
    "delete": (N_("Delete for good?"), _delete),
}
