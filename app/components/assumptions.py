"""What a run takes for granted, each in a field in which a person can write what holds instead."""

import streamlit as st

from app.components.notices import reply
from app.components.widgets import button
from app.formats import one_line
from app.session import _, engine
from services.domain.events import Waiting


def fields(pending: Waiting) -> None:
    """The assumptions, to be read and overwritten."""
    if not pending.assumed:
        return
    st.markdown(f"**{_('Assumed')}**")
    st.caption(_("Overwrite what is not so; it is searched anew with what you write."))
    for number, text in enumerate(pending.assumed, start=1):
        st.text_area(
            _("Assumption {number}", number=number),
            value=text,
            key=_key(pending, number),
            height="content",
            max_chars=500,
            label_visibility="collapsed",
        )


def corrections(pending: Waiting) -> str:
    """What the person has overwritten: a line for each, which names the assumption."""
    written = (
        (number, one_line(text), one_line(str(st.session_state.get(_key(pending, number), text))))
        for number, text in enumerate(pending.assumed, start=1)
    )
    return "\n".join(f"A{n}: {now}" for n, before, now in written if now and now != before)


def correct(thread_id: str, pending: Waiting) -> None:
    """The assumptions of a plan, and a button that has it planned anew."""
    if not pending.assumed:
        return
    here = (thread_id, pending.interrupt_id)

    def send() -> None:
        if text := corrections(pending):
            reply(*here, lambda: engine().threads.correct(*here, text))

    with st.expander(_("Assumed"), icon=":material/rule:"):
        fields(pending)
        button(_("Plan anew with this"), f"correct-{pending.interrupt_id}", on_click=send)


def _key(pending: Waiting, number: int) -> str:
    return f"assumed-{number}-{pending.interrupt_id}"
