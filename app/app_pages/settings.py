"""Settings: models, parameters and profiles, language and colours, the program itself."""

from collections.abc import Callable

import streamlit as st

from app.session import say
from app.texts import settings as texts
from app.views import settings_models, settings_parameters, settings_program
from app.views.notices import reported

SECTIONS: dict[str, Callable[[], None]] = {
    "models": settings_models.show,
    "parameters": settings_parameters.show,
    "appearance": settings_program.show_appearance,
    "program": settings_program.show_program,
}
SECTION = "section"


def page() -> None:
    """Shows the page; only the chosen section is worked out."""
    st.title(say(texts.SETTINGS), anchor=False)
    section = st.segmented_control(
        say(texts.SECTION),
        list(SECTIONS),
        default=_linked(),
        required=True,
        format_func=lambda section: say(texts.SECTIONS[section]),
        key=SECTION,
        on_change=_link,
        label_visibility="collapsed",
    )
    with reported():
        SECTIONS[section]()


def _linked() -> str:
    """The section that the URL names, whatever the language; else the first."""
    named = st.query_params.get(SECTION, "")
    return named if named in SECTIONS else next(iter(SECTIONS))


def _link() -> None:
    st.query_params[SECTION] = st.session_state[SECTION]


page()
