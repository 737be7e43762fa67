"""Errors and notices: what happened, and what to do. Never a traceback."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NoReturn

import streamlit as st

from app.formats import plain
from app.session import _, clear_notice, mark_answered, notice_text, set_notice
from services.domain.errors import AlreadyAnswered, AskPerson, RabbitholeError, TryAgain


def show_notice() -> None:
    """Show the notice of the last action for a while."""
    tone, text, until = st.session_state.get("notice", ("info", "", 0.0))
    if time.monotonic() < until:
        (st.error if tone == "error" else st.info)(text)


@contextmanager
def show_errors() -> Iterator[None]:
    """Show an error of the block in its place; the code after the block runs on."""
    try:
        yield
    except RabbitholeError as problem:
        st.error(plain(notice_text(problem.notice)), title=_title(problem))


def attempt(action: Callable[[], object], done: str = "") -> bool:
    """Run an action and leave a notice of its error, or that it is ``done``; return its success."""
    clear_notice()
    try:
        action()
    except RabbitholeError as problem:
        set_notice(f"**{_title(problem)}.** {plain(notice_text(problem.notice))}", "error")
        return False
    if done:
        set_notice(done)
    return True


def attempt_and_rerun(action: Callable[[], object], done: str = "") -> NoReturn:
    """Run an action as ``attempt`` does, then redraw the page with the notice."""
    attempt(action, done)
    st.rerun()


def reply(thread: str, interrupt_id: str, send: Callable[[], None]) -> None:
    """Send an answer or approval; if another one came first, say so and move on."""

    def send_first() -> None:
        try:
            send()
        except AlreadyAnswered:
            set_notice(
                _(
                    "This has already been answered, here or in another window. The research "
                    "continues with the first answer."
                )
            )

    if attempt(send_first):
        mark_answered(thread, interrupt_id)


def _title(problem: RabbitholeError) -> str:
    match problem:
        case TryAgain():
            return _("Not possible right now")
        case AskPerson():
            return _("That did not work")
        case _:
            return _("Something went wrong")
