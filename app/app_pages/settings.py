"""Settings: models, parameters, profiles, what was learned, and the program."""

from collections.abc import Callable

import streamlit as st

from app.components import settings_parameters, settings_program
from app.components.widgets import choose_view, show_errors
from app.locale import N_
from app.session import _, pgettext

SECTIONS: dict[str, tuple[str, Callable[[], None]]] = {
    "models": (N_("Models"), settings_program.show_models),
    "parameters": (N_("Search and profiles"), settings_parameters.show),
    "plans": (N_("Plans"), settings_program.show_learned),
    "program": (N_("Data and system"), settings_program.show_program),
}


st.title(_("Settings"), anchor=False)
section = choose_view(pgettext("part of a page", "Section"), SECTIONS, "section")
with show_errors():
    SECTIONS[section][1]()
