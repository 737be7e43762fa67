"""Entry script of the app: the navigation and what every page shows."""

import json
from pathlib import Path

import streamlit as st

from app import memory, navigation, session
from app.components import runs, settings_program, status_bar, widgets
from app.session import _

SHEET, SCRIPT = (Path(__file__).with_name(name) for name in ("app.css", "app.js"))

st.set_page_config(page_title="Rabbithole", layout="wide")
st.html(SHEET)
gone = _("Rabbithole is not responding. This page will reload when it is back.")
script = (
    f"document.documentElement.lang = '{session.language()}';"
    f"document.documentElement.dataset.serverGone = {json.dumps(gone)};\n"
    f"{SCRIPT.read_text('utf-8')}"
)
st.html(f"<script>{script}</script>", unsafe_allow_javascript=True)
if not status_bar.admitted():
    st.stop()
session.preserve_choices()
session.keep_address()
page = st.navigation(
    [
        st.Page(navigation.ASK, title=_("Ask"), url_path="", default=True),
        st.Page(navigation.GRIDS, title=_("Grids"), url_path="grids"),
        st.Page(navigation.LIBRARY, title=_("Library"), url_path="library"),
        st.Page(navigation.RUNS, title=_("History"), url_path="runs"),
        st.Page(navigation.DOCUMENT, title=_("Document"), url_path="document", visibility="hidden"),
        st.Page(navigation.SETTINGS, title=_("Settings"), url_path="settings"),
        # The address that quick answers had before they moved to the first page.
        st.Page(navigation.ASK, title=_("Ask"), url_path="ask", visibility="hidden"),
    ],
    position="top",
)
if page.url_path not in ("runs", "grids"):
    runs.close_dialog()
if not settings_program.show_goodbye():
    # Within a container, nothing that comes and goes moves the page: a moved field is a new one to
    # the browser, and forgets the files that are being uploaded.
    with st.container():
        here = page.url_path
        status_bar.show(in_library=here == "library", at_settings=here == "settings")
        widgets.show_notice()
    page.run()
memory.settle()
