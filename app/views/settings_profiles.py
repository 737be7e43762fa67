"""Profiles of one's own: choose, create, delete."""

import streamlit as st

from app.sanitise import plain
from app.session import client, say
from app.texts import parameters as texts
from app.views.notices import attempt

CHOICE, NAME = "settings-profile", "profile-name"
NAME_LENGTH = 60
NONE = ""
"""The choice of no profile; no profile has an empty name."""


def choose() -> str | None:
    """The profile to show, None for what holds without one; and a form for another one."""
    profiles = client().profiles()
    if st.session_state.get(CHOICE) not in (NONE, *profiles):
        st.session_state[CHOICE] = NONE  # at first, or deleted, here or elsewhere
    everybody = say(texts.EVERYBODY)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = st.selectbox(
            say(texts.APPLIES_TO),
            [NONE, *profiles],
            format_func=lambda name: everybody if name == NONE else name,
            key=CHOICE,
            disabled=not profiles,
            width=320,
        )
        # Another key once a profile is there, which closes it.
        key = f"new-profile-{len(profiles)}"
        with st.popover(say(texts.NEW_PROFILE), icon=":material/add:", key=key):
            _new_profile()
    if not profiles:
        st.caption(say(texts.NO_PROFILES))
    return chosen or None


def usual_switch(profile: str) -> None:
    """Whether new researches and searches begin with this profile."""
    key = f"usual-{profile}"
    st.session_state[key] = client().preference("profile") == profile
    st.toggle(
        say(texts.USUAL),
        key=key,
        help=say(texts.USUAL_WHY),
        on_change=_make_usual,
        args=(profile, key),
    )


def _make_usual(profile: str, key: str) -> None:
    usual = profile if st.session_state[key] else None
    attempt(lambda: client().set_preference("profile", usual))


def _new_profile() -> None:
    with st.form("new-profile", border=False):
        st.text_input(
            say(texts.PROFILE_NAME),
            key=NAME,
            max_chars=NAME_LENGTH,
            placeholder=say(texts.PROFILE_HINT),
        )
        st.form_submit_button(say(texts.CREATE_PROFILE), key="create-profile", on_click=_create)


def _create() -> None:
    name = st.session_state[NAME].strip()
    if attempt(lambda: client().set_parameter("enabled", True, name)):
        st.session_state[CHOICE] = name
        st.session_state[NAME] = ""


def delete_button(profile: str) -> None:
    """Deleting asks once more, since it cannot be taken back."""
    with st.popover(say(texts.DELETE_PROFILE), icon=":material/delete:"):
        st.markdown(say(texts.DELETE_PROFILE_WHY, name=plain(profile)))
        st.button(
            say(texts.DELETE_NOW),
            key="delete-profile",
            type="primary",
            on_click=_delete,
            args=(profile,),
        )


def _delete(profile: str) -> None:
    if attempt(lambda: client().delete_profile(profile)):
        st.session_state[CHOICE] = NONE
