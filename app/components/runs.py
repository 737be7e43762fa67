"""Threads as rows and as a table, and the dialogs that rename, export, fork and delete one.

The open dialog stands in the session, so that a rerun of the whole page keeps it. Whoever leaves
the page with one open, by the browser's way back say, does not find it open on return.
"""

from collections.abc import Callable, Mapping, Sequence
from html import escape

import streamlit as st

from agent.research.checkpoint_info import PHASE_OF, CheckpointInfo
from app import navigation
from app.components import report_details
from app.components.notices import act, attempt, reported
from app.components.widgets import button, quiet_button, row
from app.formats import plain
from app.labels import PHASE, STATUS
from app.locale import N_
from app.session import (
    _,
    engine,
    open_thread,
    pgettext,
    say_duration,
    say_moment,
    say_number,
)
from services.domain.errors import NotFound
from services.domain.runs import ACTIVE, RunCost, RunInfo, RunKind

ACTION = {
    "open": N_("Open"),
    "rename": N_("Rename …"),
    "replay": N_("Replay"),
    "fork": N_("Fork …"),
    "export": N_("Export …"),
    "delete": N_("Delete …"),
}

BEFORE = {
    "hitl_init": N_("from the start"),
    "hitl_generate_questions": N_("before new questions"),
    "hitl_await_response": N_("before your answer"),
    "generate_todo": N_("before the proposal of a plan"),
    "hitl_approve_todo": N_("before the approval of the plan"),
    "execute_task": N_("after the approval"),
    "validate_relevance": N_("before evidence is checked"),
    "synthesize": N_("before writing"),
    "quality_check": N_("before the assessment"),
    "attribute_sources": N_("before sources are attributed"),
}

UNKNOWN: Mapping[RunKind, str] = {
    "research": N_(
        "There is no such research, or it belongs to somebody else. Check the address or start "
        "anew."
    ),
    "ask": N_("There is no such conversation, or it belongs to somebody else."),
}

ORDER = ("waiting", "failed", "interrupted", "paused", "running", "queued")
PAGE = 20
"""Rows at a time: a browser takes longer to draw them than the server to find them."""
URGENCY = {"waiting": 0, "queued": 1, "running": 1, "interrupted": 2}
RESUMABLE = ("interrupted", "paused", "failed")
RESEARCH_ALONE = ("replay", "fork")
"""Actions that a conversation of quick answers does not have."""
ROW_LENGTH = 140
QUESTION_LENGTH = TITLE_LENGTH = 200
OPEN = "run-dialog"
FACTS_WIDTH = 530
ACTIONS_WIDTH = 150


def run_of_address(thread: str, kind: RunKind = "research") -> RunInfo | None:
    """The thread that the address names; None, and it is said, where there is none."""
    try:
        return engine().threads.run(thread)
    except NotFound:
        st.warning(_(UNKNOWN[kind]))
        return None


def new_thread(label: str) -> None:
    """A button that leaves the thread for a new one."""
    if quiet_button(label, "new", "add"):
        open_thread(None)
        st.rerun()


def show_runs(runs: Sequence[RunInfo]) -> None:
    """Shows runs, those that wait for somebody first."""
    for run in sorted(runs, key=_urgency):
        _row(run)


def _urgency(run: RunInfo) -> int:
    return ORDER.index(run.status) if run.status in ORDER else len(ORDER)


def _row(run: RunInfo) -> None:
    with st.container(key=f"run-{run.thread_id}", gap=None):
        question = plain(run.title or run.question, ROW_LENGTH)
        if st.button(question, key=f"show-{run.thread_id}", type="tertiary"):
            navigation.to_thread(run.thread_id, run.kind)
        names, when = plain(", ".join(run.collections)), say_moment(run.updated_at)
        kind = f" · {_('quick answer')}" if run.kind == "ask" else ""
        st.caption(f"**{_(STATUS[run.status])}** · {names} · {when}{kind}")


_CSS = """
.run-facts { display: grid; grid-template-columns: 7rem 7.4rem 7.7rem 4.6rem 3.8rem; gap: .6rem;
  font-size: .875rem; line-height: 1.35; align-items: center; }
.run-facts > span { color: color-mix(in srgb, currentColor 78%, transparent); }
.run-facts > .strong, .run-facts.head > span { color: inherit; font-weight: 600; }
.run-facts > .figure { text-align: right; }
.run-facts b { font-weight: 400; position: absolute; width: 1px; height: 1px; overflow: hidden;
  clip-path: inset(50%); white-space: nowrap; }
.st-key-runs-head, [class*="st-key-run-row-"] { padding: .3rem 0; flex-wrap: nowrap;
  border-bottom: 1px solid color-mix(in srgb, currentColor 14%, transparent); }
[class*="st-key-run-row-"] [class*="st-key-show-"] { min-width: 0; }
[class*="st-key-run-row-"] [class*="st-key-show-"] button > div { justify-content: flex-start;
  text-align: left; }
@media (max-width: 1080px) {
  .st-key-runs-head { display: none; }
  [class*="st-key-run-row-"] { flex-wrap: wrap; row-gap: 0; }
  [class*="st-key-run-row-"] > * { max-width: 100%; }
  [class*="st-key-run-row-"] > [class*="st-key-show-"] { flex-basis: 100%; }
  [class*="st-key-run-do-"] { justify-content: flex-start !important; }
  .run-facts { display: flex; flex-wrap: wrap; column-gap: .9rem; row-gap: .1rem; }
  .run-facts > .figure { text-align: left; }
  .run-facts > .empty { display: none; }
  .run-facts b { position: static; width: auto; height: auto; clip-path: none; }
}
"""


def show_table(runs: Sequence[RunInfo], costs: Mapping[str, RunCost]) -> None:
    """Those that wait for somebody first, then what runs, what was interrupted, the newest."""
    st.html(f"<style>{_CSS}</style>")
    ordered = sorted(runs, key=lambda run: URGENCY.get(run.status, len(URGENCY)))
    pages = -(-len(ordered) // PAGE)
    page = st.session_state.get("runs-page", 1) if pages > 1 else 1
    with st.container(gap=None):
        _head()
        for run in ordered[(page - 1) * PAGE : page * PAGE]:
            _table_row(run, costs.get(run.thread_id))
    if pages > 1:
        st.pagination(pages, key="runs-page")
    st.caption(_("Duration is the time spent working, without waiting for you."))


def _head() -> None:
    texts = (pgettext("of a run", "State"), _("Phase"), pgettext("of a run", "Started"))
    kinds = dict.fromkeys(texts, "") | dict.fromkeys((_("Duration"), _("Tokens")), "figure")
    cells = "".join(f'<span class="{kind}">{escape(name)}</span>' for name, kind in kinds.items())
    with row(key="runs-head"):
        st.markdown(f":small[**{_('Question')}**]", width="stretch")
        st.html(f'<div class="run-facts head">{cells}</div>', width=FACTS_WIDTH)
        st.html("<span></span>", width=ACTIONS_WIDTH)


def _table_row(run: RunInfo, cost: RunCost | None) -> None:
    thread = run.thread_id
    with row(key=f"run-row-{thread}"):
        name = plain(run.title or run.question, ROW_LENGTH)
        if st.button(name, key=f"show-{thread}", type="tertiary", width="stretch", wrap=True):
            navigation.to_thread(thread, run.kind)
        st.html(_row_facts(run, cost), width=FACTS_WIDTH)
        with st.container(
            horizontal=True,
            width=ACTIONS_WIDTH,
            horizontal_alignment="right",
            gap="xsmall",
            key=f"run-do-{thread}",
        ):
            _actions(run)


def _row_facts(run: RunInfo, cost: RunCost | None) -> str:
    """Texts and figures of our own alone: what documents and people wrote is no part of it."""
    state = _(STATUS[run.status])
    if run.parent_thread is not None:
        state += f" ({_('fork')})"
    if run.kind == "ask":
        state += f" ({_('quick answer')})"
    ended = run.status in ("done", "cancelled")
    phase = PHASE_OF.get(run.phase or "")
    cells = [
        ("" if ended else "strong", pgettext("of a run", "State"), state),
        ("", _("Phase"), "" if ended or phase is None else _(PHASE[phase])),
        ("", pgettext("of a run", "Started"), say_moment(run.created_at)),
        ("figure", _("Duration"), say_duration(cost.seconds) if cost else ""),
        ("figure", _("Tokens"), say_number(cost.tokens) if cost and cost.tokens else ""),
    ]
    shown = "".join(
        f'<span class="{kind}{"" if value else " empty"}">'
        f"<b>{escape(name)}: </b>{escape(value) or '–'}</span>"
        for kind, name, value in cells
    )
    return f'<div class="run-facts">{shown}</div>'


def _actions(run: RunInfo) -> None:
    thread = run.thread_id
    resumes = run.status in RESUMABLE
    if resumes and button(_("Continue"), f"resume-{thread}", type="tertiary"):
        if attempt(lambda: engine().threads.resume(thread)):
            navigation.to_thread(thread, run.kind)
        st.rerun()
    hidden = RESEARCH_ALONE if run.kind == "ask" else ()
    names = {name: _(text) for name, text in ACTION.items() if name not in hidden}
    chosen = st.menu_button(
        _("More"),
        list(names),
        key=f"menu-{thread}",
        type="tertiary",
        format_func=names.__getitem__,
    )
    if chosen == "open":
        navigation.to_thread(thread, run.kind)
    elif chosen == "replay":
        st.switch_page(navigation.RUNS, query_params={"replay": thread})
    elif chosen is not None:
        ask(chosen, thread)


def ask(action: str, thread: str) -> None:
    """Opens the dialog of an action on a thread."""
    st.session_state[OPEN] = (action, thread)


def show_dialog() -> None:
    """Shows the open dialog, if there is one."""
    action, thread = st.session_state.get(OPEN, ("", ""))
    if action not in _DIALOGS:
        return
    title, body = _DIALOGS[action]

    @st.dialog(_(title), width="medium", on_dismiss=forget)
    def dialog() -> None:
        with reported():
            body(engine().threads.run(thread))

    dialog()


def forget() -> None:
    """Another page is shown: no dialog is open any more."""
    st.session_state.pop(OPEN, None)


def _name(run: RunInfo) -> str:
    return plain(run.title or run.question, QUESTION_LENGTH)


def _buttons(label: str, *, disabled: bool = False) -> bool:
    """The decision and the way back; whether it was decided."""
    with st.container(horizontal=True, horizontal_alignment="right"):
        if button(_("Leave it"), "dialog-leave", type="tertiary"):
            forget()
            st.rerun()
        return button(label, "dialog-do", type="primary", disabled=disabled)


def _rename(run: RunInfo) -> None:
    st.caption(plain(run.question, QUESTION_LENGTH))
    title = st.text_input(
        _("Title"),
        run.title or "",
        max_chars=TITLE_LENGTH,
        placeholder=_("Without a title the question stands here."),
        key=f"title-{run.thread_id}",
    )
    if _buttons(_("Save")):
        forget()
        act(lambda: engine().threads.rename(run.thread_id, title))


def _delete(run: RunInfo) -> None:
    st.markdown(f"**{_name(run)}**")
    running = run.status in ACTIVE
    st.markdown(
        _("This research is running. Pause or cancel it first, then it can be deleted.")
        if running
        else _(
            "Its report, its history and all its checkpoints are lost. This cannot be "
            "undone; your documents and forks of this research stay."
        )
    )
    if _buttons(_("Delete for good"), disabled=running):
        forget()
        deleted = _("Deleted: {title}", title=_name(run))
        act(lambda: engine().threads.delete(run.thread_id), done=deleted)


def _export(run: RunInfo) -> None:
    st.markdown(f"**{_name(run)}**")
    if engine().threads.report(run.thread_id) is None:
        st.info(
            _(
                "There is no report and no answer yet. Open the run and bring it to its "
                "end, then it can be exported."
            )
        )
    else:
        report_details.downloads(run.thread_id, run.kind)


def _fork(run: RunInfo) -> None:
    st.markdown(f"**{_name(run)}**")
    st.caption(
        _("This makes a second research that goes on where you choose. This one stays as it is.")
    )
    places = [info for info in engine().threads.checkpoints(run.thread_id) if info.next in BEFORE]
    if not places:
        st.info(_("This research has no point yet from which it could be continued."))
        return
    names = {info.id: f"**{_(PHASE[info.phase])}** · {_(BEFORE[info.next])}" for info in places}
    # Where most people want to go back to: the plan as it was proposed.
    plans = [at for at, info in enumerate(places) if info.next == "hitl_approve_todo"]
    chosen = st.radio(
        _("Point"),
        list(names),
        index=plans[-1] if plans else len(places) - 1,
        format_func=names.__getitem__,
        captions=[_facts(info) for info in places],
        key=f"place-{run.thread_id}",
        label_visibility="collapsed",
    )
    if _buttons(_("Fork here")) and chosen is not None:
        new: list[str] = []
        forget()
        if attempt(lambda: new.append(engine().threads.fork(run.thread_id, chosen))):
            navigation.to_thread(new[0])
        st.rerun()


def _facts(info: CheckpointInfo) -> str:
    """``22.11.2026 10:31 · Aufgaben: 4 · Textstellen: 31``."""
    counted = (
        (N_("looks into the documents: {count}"), info.rounds),
        (N_("tasks: {count}"), info.tasks),
        (N_("passages: {count}"), info.evidence),
    )
    facts = [_(text, count=say_number(count)) for text, count in counted if count]
    drafted = [_("answer written")] if info.drafted else []
    return " · ".join([say_moment(info.at), *facts, *drafted])


_DIALOGS: dict[str, tuple[str, Callable[[RunInfo], None]]] = {
    "rename": (N_("Rename"), _rename),
    "export": (N_("Export"), _export),
    "fork": (N_("Continue anew from an earlier point"), _fork),
    "delete": (N_("Delete this research?"), _delete),
}
