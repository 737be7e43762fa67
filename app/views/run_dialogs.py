"""Renaming, exporting, forking and deleting a thread: each asks in a dialog.

The open dialog stands in the session, so that a rerun of the whole page keeps it. Whoever leaves
the page with one open, by the browser's way back say, does not find it open on return.
"""

from collections.abc import Callable, Sequence

import streamlit as st

from agent.checkpoint_info import CheckpointInfo
from agent.shown import ACTIVE, RunInfo
from app import navigation, texts
from app.formats import moment, number
from app.sanitise import plain
from app.session import client, language, leave_notice, say
from app.texts import Text
from app.texts import export as export_words
from app.texts import runs as words
from app.views import export
from app.views.notices import attempt, reported

OPEN = "run-dialog"
QUESTION_LENGTH = 200
TITLE_LENGTH = 200


def ask(action: str, thread: str) -> None:
    """Opens the dialog of an action on a thread."""
    st.session_state[OPEN] = (action, thread)


def show() -> None:
    """Shows the open dialog, if there is one."""
    action, thread = st.session_state.get(OPEN, ("", ""))
    if action not in _DIALOGS:
        return
    title, body = _DIALOGS[action]

    @st.dialog(say(title), width="medium", on_dismiss=forget)
    def dialog() -> None:
        with reported():
            body(client().run(thread))

    dialog()


def forget() -> None:
    """Another page is shown: no dialog is open any more."""
    st.session_state.pop(OPEN, None)


def _done() -> None:
    forget()
    st.rerun()


def _name(run: RunInfo) -> str:
    return plain(run.title or run.question, QUESTION_LENGTH)


def _buttons(label: str, *, disabled: bool = False) -> bool:
    """The decision and the way back; whether it was decided."""
    with st.container(horizontal=True, horizontal_alignment="right"):
        if st.button(say(words.ABANDON), key="dialog-leave", type="tertiary"):
            _done()
        return st.button(label, key="dialog-do", type="primary", disabled=disabled)


def _rename(run: RunInfo) -> None:
    st.caption(plain(run.question, QUESTION_LENGTH))
    title = st.text_input(
        say(words.TITLE),
        run.title or "",
        max_chars=TITLE_LENGTH,
        placeholder=say(words.TITLE_HINT),
        key=f"title-{run.thread_id}",
    )
    if _buttons(say(words.SAVE)):
        attempt(lambda: client().rename_run(run.thread_id, title))
        _done()


def _delete(run: RunInfo) -> None:
    st.markdown(f"**{_name(run)}**")
    running = run.status in ACTIVE
    st.markdown(say(words.DELETE_RUNNING if running else words.DELETE_WHY))
    if _buttons(say(words.DELETE_NOW), disabled=running):
        if attempt(lambda: client().delete_run(run.thread_id)):
            leave_notice(say(words.DELETED, title=_name(run)))
        _done()


def _export(run: RunInfo) -> None:
    st.markdown(f"**{_name(run)}**")
    if client().report(run.thread_id) is None:
        st.info(say(words.NO_REPORT))
    else:
        export.downloads(run.thread_id, run.kind)


def _fork(run: RunInfo) -> None:
    st.markdown(f"**{_name(run)}**")
    st.caption(say(words.FORK_WHY))
    places = [info for info in client().checkpoints(run.thread_id) if info.next in words.BEFORE]
    if not places:
        st.info(say(words.NO_CHECKPOINTS))
        return
    names = {info.id: _place(info) for info in places}
    chosen = st.radio(
        say(words.FORK_FROM),
        list(names),
        index=_usual(places),
        format_func=names.__getitem__,
        captions=[_facts(info) for info in places],
        key=f"place-{run.thread_id}",
        label_visibility="collapsed",
    )
    if _buttons(say(words.FORK_NOW)) and chosen is not None:
        new: list[str] = []
        if attempt(lambda: new.append(client().fork(run.thread_id, chosen))):
            forget()
            navigation.to_research(new[0])
        _done()


def _usual(places: Sequence[CheckpointInfo]) -> int:
    """Where most people want to go back to: the plan as it was proposed."""
    plans = [at for at, info in enumerate(places) if info.next == "hitl_approve_todo"]
    return plans[-1] if plans else len(places) - 1


def _place(info: CheckpointInfo) -> str:
    return f"**{say(texts.PHASE[info.phase])}** · {say(words.BEFORE[info.next])}"


def _facts(info: CheckpointInfo) -> str:
    """``22.11.2026 10:31 · Aufgaben: 4 · Textstellen: 31``."""
    counted = (
        (words.FACT_ROUNDS, info.rounds),
        (words.FACT_TASKS, info.tasks),
        (words.FACT_EVIDENCE, info.evidence),
    )
    facts = [say(text, count=number(count, language())) for text, count in counted if count]
    drafted = [say(words.FACT_DRAFTED)] if info.drafted else []
    when = moment(info.at, language(), st.context.timezone)
    return " · ".join([when, *facts, *drafted])


_DIALOGS: dict[str, tuple[Text, Callable[[RunInfo], None]]] = {
    "rename": (words.RENAME, _rename),
    "export": (export_words.EXPORT, _export),
    "fork": (words.FORK, _fork),
    "delete": (words.DELETE, _delete),
}
