"""Settings: models, parameters and profiles, language and colours, the program itself."""

from collections.abc import Callable

import streamlit as st

from app.components import settings_models, settings_parameters, settings_program
from app.components.notices import reported
from app.components.widgets import choose_part
from app.session import say
from app.texts import settings as texts

SECTIONS: dict[str, Callable[[], None]] = {
    "models": settings_models.show,
    "parameters": settings_parameters.show,
    "appearance": settings_program.show_appearance,
    "program": settings_program.show_program,
}


def page() -> None:
    """Shows the page; only the chosen section is worked out."""
    st.title(say(texts.SETTINGS), anchor=False)
    section = choose_part(texts.SECTION, texts.SECTIONS, "section")
    with reported():
        SECTIONS[section]()


page()
