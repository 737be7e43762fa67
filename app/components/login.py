"""The gate where people log in, and who came through it."""

import streamlit as st

from app import session
from app.components.widgets import button, quiet_button
from app.formats import plain
from app.session import _


def admitted() -> bool:
    """Whether somebody who may come in works in this window; else the page to log in is drawn."""
    settings = session.settings()
    if session.whoever_sits_here(settings) is not None:
        return True
    st.title("Rabbithole", anchor=False)
    st.markdown(_("Answers from your own documents, with the source of every sentence."))
    if st.user.is_logged_in:
        st.info(
            _(
                "This login has expired, or {account} has no access. Ask whoever runs this "
                "Rabbithole.",
                account=plain(str(st.user.get("email") or st.user.get("sub"))),
            )
        )
        button(_("Log in again"), "log-out", "logout", type="primary", on_click=st.logout)
    else:
        button(_("Log in"), "log-in", "login", type="primary", on_click=st.login)
    return False


def show_way_out() -> None:
    """Who is logged in, and a way to log out; nothing where nobody has to log in."""
    if session.settings().login is not None:
        name = plain(session.engine().principal.user)
        quiet_button(_("Log out"), "log-out", "logout", help=name, on_click=st.logout)
