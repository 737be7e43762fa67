"""Parameters in three tiers: what counts, where it comes from, inputs, profiles, thresholds."""

import streamlit as st
from pydantic import JsonValue

from app.components import settings_thresholds
from app.components.notices import attempt
from app.components.settings_inputs import value_input
from app.components.widgets import ask_first, icon_button, origin_badge, row
from app.formats import plain
from app.locale import N_
from app.session import _, engine, say_number
from services.library.configuration import EffectiveParameter

NAMES = {
    "enabled": N_("Profile switched on"),
    "collections": N_("Collections"),
    "maxDocs": N_("Passages a search"),
    "minRelevanceScore": N_("Least relevance"),
    "maxTokens": N_("Tokens for passages"),
    "maxChunksPerDocument": N_("Passages a document"),
    "freshnessWeight": N_("Weight of freshness"),
    "freshnessDecayRate": N_("Ageing a day"),
    "reranking": N_("Second look"),
    "synthesisPromptOverride": N_("Writing instruction of your own"),
    "fastThreshold": N_("Threshold for more depth"),
    "agentThreshold": N_("Threshold for the agent"),
    "adaptiveThresholds": N_("Thresholds learn"),
    "answerCache": N_("Remember answers"),
}

WHAT = {
    "enabled": N_("A profile that is switched off serves no request."),
    "collections": N_("What is searched when a request names nothing; empty: all."),
    "maxDocs": N_("How many hits a search returns."),
    "minRelevanceScore": N_("Hits below are left out."),
    "maxTokens": N_("How much text the language model is given for one part of an answer."),
    "maxChunksPerDocument": N_("At most this many hits of one document; 0: any number."),
    "freshnessWeight": N_("How much newer documents are preferred; 0: not at all."),
    "freshnessDecayRate": N_("How fast a document counts as dated."),
    "reranking": N_("Orders the best hits anew: more exact, but slower."),
    "synthesisPromptOverride": N_(
        "Replaces the instruction by which the answer is written; empty: the one "
        "supplied. The answer is checked as always."
    ),
    "fastThreshold": N_(
        "Questions below this difficulty are answered fast, all others more thoroughly."
    ),
    "agentThreshold": N_("From this difficulty on the agent searches step by step."),
    "adaptiveThresholds": N_("Votes move the thresholds of a collection by 0.10 at most."),
    "answerCache": N_("Answers the same question from memory as long as nothing has changed."),
}

CHOICE, NAME = "settings-profile", "profile-name"
NAME_LENGTH = 60
NONE = ""
"""The choice of no profile; no profile has an empty name."""


def choose_profile() -> str | None:
    """The profile to show, None for what holds without one; and a form for another one."""
    profiles = engine().settings.profiles()
    if st.session_state.get(CHOICE) not in (NONE, *profiles):
        st.session_state[CHOICE] = NONE  # at first, or deleted, here or elsewhere
    everybody = _("everybody, without a profile")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = st.selectbox(
            _("Show values for"),
            [NONE, *profiles],
            format_func=lambda name: everybody if name == NONE else name,
            key=CHOICE,
            disabled=not profiles,
            width=320,
        )
        # Another key once a profile is there, which closes it.
        key = f"new-profile-{len(profiles)}"
        with st.popover(_("New profile"), icon=":material/add:", key=key):
            _new_profile()
    if not profiles:
        st.caption(
            _(
                "You have no profile yet. A profile holds values under a name; a search "
                "names it: rabbithole search … --profile NAME."
            )
        )
    return chosen or None


def usual_switch(profile: str) -> None:
    """Whether new researches and searches begin with this profile."""
    key = f"usual-{profile}"
    st.session_state[key] = engine().settings.preference("profile") == profile

    def keep() -> None:
        usual = profile if st.session_state[key] else None
        attempt(lambda: engine().settings.set_preference("profile", usual))

    st.toggle(
        _("My usual profile"),
        key=key,
        help=_(
            "New researches and searches in the app begin with this profile; there another "
            "one can be chosen each time."
        ),
        on_change=keep,
    )


def _new_profile() -> None:
    with st.form("new-profile", border=False):
        hint = _("e.g. thorough")
        st.text_input(_("Name of the profile"), key=NAME, max_chars=NAME_LENGTH, placeholder=hint)
        st.form_submit_button(_("Create profile"), key="create-profile", on_click=_create)


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

    name, now = plain(profile), _("Delete for good")
    why = _("Deletes the profile “{name}” with all its values. This cannot be undone.", name=name)
    ask_first(_("Delete profile"), why, now, "delete-profile", "delete", on_click=delete)


NEVER_UNSET = "enabled"
"""What makes a profile exist that has no other value."""


def show() -> None:
    """The values that hold for all, or those of one of the person's profiles."""
    st.caption(
        _(
            "A locked value holds everywhere. Otherwise that of the profile counts, then "
            "the global one, then the default. Changes take effect at once."
        )
    )
    profile = choose_profile()
    if profile is not None:
        usual_switch(profile)
    admin = engine().settings.is_admin()
    if profile is None and not admin:
        st.info(
            _(
                "Only admins set global values and locks (RABBITHOLE_ADMINS names them). "
                "For yourself you can make a profile."
            )
        )
    order = list(NAMES)
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
                    _(NAMES[key]),
                    key=f"value-{key}-{self._profile or ''}",
                    disabled=not self._changeable,
                    change=self._set,
                )
                self._buttons()

    def _heading(self) -> str:
        """Name and origin, what it does, its name on the command line, and its bounds."""
        key, origin = self._parameter.key, self._parameter.origin
        badge = origin_badge(origin)
        low, high = self._parameter.minimum, self._parameter.maximum
        bounds = ""
        if low is not None and high is not None:
            bounds = f" · {_('{minimum} to {maximum}', minimum=_bound(low), maximum=_bound(high))}"
        lines = [f"**{_(NAMES[key])}** {badge}", f":small[{_(WHAT[key])}]"]
        return "  \n".join([*lines, f":small[:gray[`{key}`{bounds}]]"])

    def _buttons(self) -> None:
        own = "profile" if self._profile is not None else "global"
        if not self._changeable:
            return
        key = self._parameter.key
        if self._parameter.origin == own and key != NEVER_UNSET:
            icon_button("undo", _("Take the value back"), f"unset-{key}", self._unset)
        if self._profile is None:
            locked = self._parameter.origin == "locked"
            icon, text = ("lock_open", _("Unlock")) if locked else ("lock", _("Lock for everybody"))
            icon_button(icon, text, f"lock-{key}", self._lock, not locked)

    def _set(self, value: JsonValue) -> None:
        attempt(lambda: engine().settings.set_parameter(self._parameter.key, value, self._profile))

    def _unset(self) -> None:
        attempt(lambda: engine().settings.unset_parameter(self._parameter.key, self._profile))

    def _lock(self, locked: bool) -> None:
        attempt(lambda: engine().settings.lock_parameter(self._parameter.key, locked))


def _bound(value: int | float) -> str:
    return say_number(value, 0 if value == int(value) else 3)
