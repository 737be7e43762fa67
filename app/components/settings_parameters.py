"""Parameters in three tiers: what counts, where it comes from, inputs, profiles, thresholds."""

import streamlit as st
from pydantic import JsonValue

from app.components import settings_thresholds
from app.components.notices import attempt
from app.components.settings_inputs import value_input
from app.components.widgets import ask_first, icon_button, row
from app.formats import plain
from app.session import engine, say, say_number
from app.texts import parameters as texts
from services.library.configuration import EffectiveParameter

CHOICE, NAME = "settings-profile", "profile-name"
NAME_LENGTH = 60
NONE = ""
"""The choice of no profile; no profile has an empty name."""


def choose_profile() -> str | None:
    """The profile to show, None for what holds without one; and a form for another one."""
    profiles = engine().settings.profiles()
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
    st.session_state[key] = engine().settings.preference("profile") == profile

    def keep() -> None:
        usual = profile if st.session_state[key] else None
        attempt(lambda: engine().settings.set_preference("profile", usual))

    st.toggle(say(texts.USUAL), key=key, help=say(texts.USUAL_WHY), on_change=keep)


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
    if attempt(lambda: engine().settings.set_parameter("enabled", True, name)):
        st.session_state[CHOICE] = name
        st.session_state[NAME] = ""


def delete_button(profile: str) -> None:
    """Deleting asks once more, since it cannot be taken back."""

    def delete() -> None:
        if attempt(lambda: engine().settings.delete_profile(profile)):
            st.session_state[CHOICE] = NONE

    why, now = say(texts.DELETE_PROFILE_WHY, name=plain(profile)), texts.DELETE_NOW
    ask_first(texts.DELETE_PROFILE, why, now, "delete-profile", "delete", on_click=delete)


BADGES = {
    "default": ":gray-badge[{}]",
    "global": ":blue-badge[{}]",
    "profile": ":blue-badge[{}]",
    "locked": ":yellow-badge[:material/lock: {}]",
}
NEVER_UNSET = "enabled"
"""What makes a profile exist that has no other value."""


def show() -> None:
    """The values that hold for all, or those of one of the person's profiles."""
    st.caption(say(texts.TIERS_WHAT))
    profile = choose_profile()
    if profile is not None:
        usual_switch(profile)
    admin = engine().settings.is_admin()
    if profile is None and not admin:
        st.info(say(texts.ADMINS_ONLY))
    order = list(texts.NAMES)
    for parameter in sorted(
        engine().settings.parameters(profile), key=lambda each: order.index(each.key)
    ):
        _Row(parameter, profile, admin).show()
    if profile is not None:
        delete_button(profile)
    else:
        settings_thresholds.show()


class _Row:
    """One parameter in the view of a profile, or of all."""

    def __init__(self, parameter: EffectiveParameter, profile: str | None, admin: bool) -> None:
        self._parameter = parameter
        self._profile = profile
        self._changeable = (profile is not None and parameter.origin != "locked") or (
            profile is None and admin
        )

    def show(self) -> None:
        key = self._parameter.key
        with st.container(border=True, key=f"parameter-{key}", gap="xsmall"):
            left, right = st.columns([3, 2], vertical_alignment="center")
            left.markdown(self._heading())
            with right, row(gap="xsmall"):
                value_input(
                    self._parameter,
                    say(texts.NAMES[key]),
                    key=f"value-{key}-{self._profile or ''}",
                    disabled=not self._changeable,
                    change=self._set,
                )
                self._buttons()

    def _heading(self) -> str:
        """Name and origin, what it does, its name on the command line, and its bounds."""
        key, origin = self._parameter.key, self._parameter.origin
        badge = BADGES[origin].format(say(texts.ORIGIN[origin]))
        low, high = self._parameter.minimum, self._parameter.maximum
        bounds = ""
        if low is not None and high is not None:
            bounds = f" · {say(texts.BOUNDS, minimum=_bound(low), maximum=_bound(high))}"
        lines = [f"**{say(texts.NAMES[key])}** {badge}", f":small[{say(texts.WHAT[key])}]"]
        return "  \n".join([*lines, f":small[:gray[`{key}`{bounds}]]"])

    def _buttons(self) -> None:
        own = "profile" if self._profile is not None else "global"
        if not self._changeable:
            return
        key = self._parameter.key
        if self._parameter.origin == own and key != NEVER_UNSET:
            icon_button("undo", texts.UNSET, f"unset-{key}", self._unset)
        if self._profile is None:
            locked = self._parameter.origin == "locked"
            icon, text = ("lock_open", texts.UNLOCK) if locked else ("lock", texts.LOCK)
            icon_button(icon, text, f"lock-{key}", self._lock, not locked)

    def _set(self, value: JsonValue) -> None:
        attempt(lambda: engine().settings.set_parameter(self._parameter.key, value, self._profile))

    def _unset(self) -> None:
        attempt(lambda: engine().settings.unset_parameter(self._parameter.key, self._profile))

    def _lock(self, locked: bool) -> None:
        attempt(lambda: engine().settings.lock_parameter(self._parameter.key, locked))


def _bound(value: int | float) -> str:
    return say_number(value, 0 if value == int(value) else 3)
