"""What a run takes for granted, each in a field in which a person can write what holds instead."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from app.components.notices import reply
from app.components.widgets import button
from app.formats import one_line
from app.session import _, engine
from services.domain.events import Waiting


def fields(pending: Waiting) -> DeltaGenerator | None:
    """A fold with the assumptions, to be read and overwritten; None where there are none."""
    if not pending.assumed:
        return None
    fold = st.expander(_("Assumed ({count})", count=len(pending.assumed)), icon=":material/rule:")
    with fold:
        st.caption(_("Correct anything that is wrong; the search starts again with your text."))
        for number, text in enumerate(pending.assumed, start=1):
            st.text_area(
                _("Assumption {number}", number=number),
                value=text,
                key=_key(pending, number),
                height="content",
                max_chars=500,
                label_visibility="collapsed",
            )
    return fold


def corrections(pending: Waiting) -> str:
    """What the person has overwritten: a line for each, which names the assumption."""
    written = (
        (number, one_line(text), one_line(str(st.session_state.get(_key(pending, number), text))))
        for number, text in enumerate(pending.assumed, start=1)
    )
    return "\n".join(f"A{n}: {now}" for n, before, now in written if now and now != before)


def correct(thread_id: str, pending: Waiting) -> None:
    """The assumptions of a plan, and a button that has it planned anew."""
    here = (thread_id, pending.interrupt_id)

    def send() -> None:
        if text := corrections(pending):
            reply(*here, lambda: engine().threads.correct(*here, text))

    if fold := fields(pending):
        with fold:
            button(_("Plan again"), f"correct-{pending.interrupt_id}", on_click=send)


def _key(pending: Waiting, number: int) -> str:
    return f"assumed-{number}-{pending.interrupt_id}"
