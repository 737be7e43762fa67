"""Errors and notices: what happened, and what to do. Never a traceback."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NoReturn

import streamlit as st

from app import texts
from app.formats import plain
from app.session import drop_notice, leave_notice, mark_answered, notice, say, tell
from app.texts import Text
from services.domain.errors import AlreadyAnswered, AskPerson, RabbitholeError, TryAgain


def show_notice() -> None:
    """Shows what the last action left to say."""
    left = notice()
    if left is not None:
        tone, text = left
        (st.error if tone == "error" else st.info)(text)


@contextmanager
def reported() -> Iterator[None]:
    """Shows an error of the block in its place; what follows the block goes on."""
    try:
        yield
    except RabbitholeError as problem:
        st.error(plain(tell(problem.notice)), title=say(_title(problem)))


def attempt(action: Callable[[], object]) -> bool:
    """Does something before a rerun; an error is kept for the next run of the script."""
    drop_notice()
    try:
        action()
    except RabbitholeError as problem:
        leave_notice(f"**{say(_title(problem))}.** {plain(tell(problem.notice))}", "error")
        return False
    return True


def act(action: Callable[[], object], done: str = "") -> NoReturn:
    """Does something and draws the page anew, which says that it is done, or the error."""
    if attempt(action) and done:
        leave_notice(done)
    st.rerun()


def reply(interrupt_id: str, send: Callable[[], None]) -> None:
    """Sends an answer or approval; if another came first, says so and moves on."""

    def send_first() -> None:
        try:
            send()
        except AlreadyAnswered:
            leave_notice(say(texts.SOMEBODY_WAS_FASTER))

    if attempt(send_first):
        mark_answered(interrupt_id)


def _title(problem: RabbitholeError) -> Text:
    match problem:
        case TryAgain():
            return texts.TRY_AGAIN
        case AskPerson():
            return texts.ASK_PERSON
        case _:
            return texts.BROKEN
