"""Parameters in their three tiers, presets and profiles."""

from collections.abc import Callable
from functools import partial
from typing import Any, Final, NamedTuple, get_args

import streamlit as st
from pydantic import JsonValue

from app.components.widgets import attempt, confirm_button, icon_button, row, select
from app.formats import plain
from app.locale import N_
from app.session import _, engine, format_number, option_labels, parameter_name
from services.domain import Reranking
from services.library.configuration import EffectiveParameter
from services.library.parameters import Preset

ORIGINS = {
    "default": (":gray-badge[{}]", N_("default")),
    "global": (":blue-badge[{}]", N_("set globally")),
    "profile": (":blue-badge[{}]", N_("set in the profile")),
    "locked": (":yellow-badge[:material/lock: {}]", N_("locked")),
}


class Explained(NamedTuple):
    """A parameter on the page: its effect, its unit, and the step of a fraction."""

    effect: str
    unit: str = ""
    step: float = 0.05


GROUPS: Final = {
    N_("Profile"): {
        "enabled": Explained(N_("A profile that is switched off cannot be used.")),
        "collections": Explained(N_("The collections that are searched by default (empty: all).")),
    },
    N_("Finding passages"): {
        "maxDocs": Explained(N_("How many hits a search returns."), N_("hits")),
        "minRelevanceScore": Explained(N_("Hits below this are left out; 1 is a perfect match.")),
        "maxChunksPerDocument": Explained(
            N_("Maximum number of hits from one document (0: no limit)."), N_("hits")
        ),
        "reranking": Explained(N_("Reorders the best hits: more precise, but slower.")),
        "freshnessWeight": Explained(
            N_("How strongly newer documents are preferred (0: not at all).")
        ),
        "freshnessDecayRate": Explained(
            N_("How quickly older documents lose weight."), N_("per day"), 0.001
        ),
    },
    N_("Answers"): {
        "maxTokens": Explained(
            N_("How much text the language model gets for one part of an answer."),
            N_("tokens (a token is about three quarters of a word)"),
        ),
        "synthesisPromptOverride": Explained(
            N_(
                "Replaces the instructions for writing answers (empty: default). Answers are "
                "still checked."
            )
        ),
        "answerCache": Explained(
            N_("Answers a repeated question from memory as long as nothing has changed.")
        ),
        "planMemory": Explained(N_("Plans that you approved are reused for similar questions.")),
    },
    N_("When to search more thoroughly"): {
        "fastThreshold": Explained(
            N_(
                "Questions below this complexity get a fast answer; all others get a more "
                "thorough one."
            )
        ),
        "agentThreshold": Explained(
            N_("Questions at or above this complexity go to the agent, which works step by step.")
        ),
        "adaptiveThresholds": Explained(
            N_("Ratings of answers move the thresholds of a collection by at most 0.10.")
        ),
    },
}
"""The parameters in the order of the page, by the title of their group."""
PRESET: Final[dict[Preset, tuple[str, str]]] = {
    "quick": (
        N_("Quick"),
        N_("Uses few passages, gives short answers, and answers repeated questions from memory."),
    ),
    "balanced": (N_("Balanced"), N_("Suits most questions.")),
    "thorough": (N_("Thorough"), N_("Uses more passages and reranks them; takes longer.")),
}
CHOICE, NAME = "settings-profile", "profile-name"
NAME_LENGTH = 60
NONE = ""
"""The choice of no profile; no profile has an empty name."""
NEVER_UNSET = "enabled"
"""The parameter of which every profile has a value: it makes the profile exist."""


def show() -> None:
    """Draw the global values, or those of a profile of the person."""
    profile, admin = _choose_profile(), engine().settings.is_admin()
    if profile is not None:
        _default_switch(profile)
    elif not admin:
        text = _(
            "Only administrators (listed in RABBITHOLE_ADMINS) can set global values and locks. "
            "You can create your own profile."
        )
        st.info(text)
    _presets(profile, changeable=admin or profile is not None)
    _expert(profile, admin)
    if profile is not None:
        _delete_button(profile)


def _expert(profile: str | None, admin: bool) -> None:
    """Draw all parameters once the fold is opened, for their inputs cost a rerun 200 ms."""
    fold = st.expander(_("Expert"), icon=":material/tune:", key="expert", on_change="rerun")
    if not fold.open:
        return
    with fold:
        text = _(
            "A locked value applies everywhere. Otherwise the profile's value applies, then the "
            "global one, then the default. Changes take effect at once."
        )
        st.caption(text)
        parameters = {row.key: row for row in engine().settings.parameters(profile)}
        for title, group in GROUPS.items():
            if present := group.keys() & parameters.keys():
                st.subheader(_(title), anchor=False)
            for key in (key for key in group if key in present):
                _parameter(parameters[key], group[key], profile, admin)


def _presets(profile: str | None, *, changeable: bool) -> None:
    key = f"preset-{profile or ''}"
    chosen = engine().settings.preset(profile)
    st.session_state[key] = chosen

    def choose() -> None:
        name = st.session_state[key]
        attempt(lambda: engine().settings.apply_preset(name, profile))

    st.radio(
        _("Preset"),
        list(PRESET),
        index=None,
        format_func=option_labels({name: text for name, (text, _why) in PRESET.items()}),
        captions=[_(text) for _name, text in PRESET.values()],
        key=key,
        disabled=not changeable,
        on_change=choose,
    )
    if chosen is None:
        st.caption(_("The values that you set under “Expert” apply."))


def _choose_profile() -> str | None:
    """Draw the choice of a profile and the form for a new one; None is no profile."""
    profiles = engine().settings.profiles()
    if st.session_state.get(CHOICE) not in (NONE, *profiles):
        st.session_state[CHOICE] = NONE  # not chosen yet, or deleted
    everybody = _("everybody, without a profile")
    with row(vertical_alignment="bottom"):
        chosen: str | None = NONE
        if profiles:
            chosen = st.selectbox(
                _("Show values for"),
                [NONE, *profiles],
                format_func=lambda name: name or everybody,
                key=CHOICE,
                width=320,
            )
        # The key changes with a new profile, which closes the popover.
        key = f"new-profile-{len(profiles)}"
        with (
            st.popover(_("New profile"), icon=":material/add:", key=key),
            st.form("new-profile", border=False),
        ):
            label, hint = _("Name of the profile"), _("e.g. thorough")
            st.text_input(label, key=NAME, max_chars=NAME_LENGTH, placeholder=hint)
            st.form_submit_button(_("Create profile"), key="create-profile", on_click=_create)
    if not profiles:
        text = _(
            "You have no profile yet. A profile is a named set of values that you can choose for "
            "research or a search."
        )
        st.caption(text)
    return chosen or None


def _create() -> None:
    name = st.session_state[NAME].strip()
    if attempt(lambda: engine().settings.set_parameter("enabled", True, name)):
        st.session_state[CHOICE] = name
        st.session_state[NAME] = ""


def _default_switch(profile: str) -> None:
    key = f"usual-{profile}"
    st.session_state[key] = engine().settings.preference("profile") == profile

    def save() -> None:
        default = profile if st.session_state[key] else None
        attempt(lambda: engine().settings.set_preference("profile", default))

    why = _("Research and searches in the app use this profile unless you choose another one.")
    st.toggle(_("My default profile"), key=key, help=why, on_change=save)


def _delete_button(profile: str) -> None:
    def delete() -> None:
        if attempt(lambda: engine().settings.delete_profile(profile)):
            st.session_state[CHOICE] = NONE

    why = _(
        "Deletes the profile “{name}” with all its values. This cannot be undone.",
        name=plain(profile),
    )
    label, confirm = _("Delete profile"), _("Delete for good")
    confirm_button(label, why, confirm, "delete-profile", "delete", on_click=delete)


def _parameter(
    parameter: EffectiveParameter, words: Explained, profile: str | None, admin: bool
) -> None:
    key, change = parameter.key, engine().settings
    changeable = admin if profile is None else not parameter.locked
    with st.container(border=True, key=f"parameter-{key}", gap="xsmall"):
        left, right = st.columns([3, 2], vertical_alignment="center")
        left.markdown(_heading(parameter, words))
        with right, row(gap="xsmall"):
            _input(
                parameter,
                words,
                key=f"value-{key}-{profile or ''}",
                disabled=not changeable,
                change=lambda value: attempt(lambda: change.set_parameter(key, value, profile)),
            )
            tier = "global" if profile is None else "profile"
            if changeable and parameter.origin == tier and key != NEVER_UNSET:
                unset = partial(change.unset_parameter, key, profile)
                icon_button("undo", _("Reset"), f"unset-{key}", attempt, unset)
            if changeable and profile is None:
                locked = parameter.locked
                icon = "lock_open" if locked else "lock"
                text = _("Unlock") if locked else _("Lock for everybody")
                lock = partial(change.lock_parameter, key, not locked)
                icon_button(icon, text, f"lock-{key}", attempt, lock)


def _heading(parameter: EffectiveParameter, words: Explained) -> str:
    badge, origin = ORIGINS[parameter.origin]
    name = f"**{parameter_name(parameter.key)}** {badge.format(_(origin))}"
    text = f"{name}  \n:small[{_(words.effect)}]"
    if parameter.minimum is None or parameter.maximum is None:
        return text
    low, high = (
        format_number(bound, 0 if bound == int(bound) else 3)
        for bound in (parameter.minimum, parameter.maximum)
    )
    bounds = _("{minimum} to {maximum}", minimum=low, maximum=high)
    unit = f" {_(words.unit)}" if words.unit else ""
    return f"{text}  \n:small[:gray[{bounds}{unit}]]"


AS_IN_PROFILE: Final = ""
"""The choice that leaves the reranking of a collection to the profile."""
RERANKING = {
    AS_IN_PROFILE: N_("as in the profile"),
    "none": N_("none"),
    "llm": N_("by the language model"),
    "cross-encoder": N_("by a cross-encoder"),
}
Change = Callable[[JsonValue], object]


def _input(
    parameter: EffectiveParameter, words: Explained, *, key: str, disabled: bool, change: Change
) -> None:
    """Draw an input whose value is read anew in every run: ``change`` may refuse another one."""
    label = parameter_name(parameter.key)
    if parameter.key == "collections":
        _collections(parameter, label, key=key, disabled=disabled, change=change)
        return

    def save() -> None:
        if st.session_state[key] is not None:
            change(st.session_state[key])

    common: dict[str, Any] = {"key": key, "disabled": disabled, "on_change": save}
    common["label_visibility"] = "collapsed"
    value = parameter.value
    if parameter.type == "number" and isinstance(value, int):
        value = float(value)
    elif parameter.key == "reranking" and value not in get_args(Reranking):
        value = None  # set by an earlier version that had more
    st.session_state[key] = value
    if parameter.key == "reranking":
        names = {name: RERANKING[name] for name in get_args(Reranking)}
        select(st, label, names, index=None, **common)
    elif parameter.type == "boolean":
        st.toggle(label, **common)
    elif parameter.type == "string":
        st.text_area(label, height="content", **common)
    else:
        st.number_input(label, **_range(parameter, words.step), **common)


def _range(parameter: EffectiveParameter, step: float) -> dict[str, Any]:
    """Return bounds, step and format of a number field, which must all be of one type."""
    kind, digits = (int, "%d") if parameter.type == "integer" else (float, "%.3g")
    low, high = (
        None if bound is None else kind(bound) for bound in (parameter.minimum, parameter.maximum)
    )
    return {"min_value": low, "max_value": high, "step": kind(step) or 1, "format": digits}


def _collections(
    parameter: EffectiveParameter, label: str, *, key: str, disabled: bool, change: Change
) -> None:
    stored = parameter.value if isinstance(parameter.value, list) else []
    chosen = {str(row["collection"]): row["reranking"] for row in stored if isinstance(row, dict)}

    def save() -> None:
        rerankings = {name: st.session_state.get(f"{key}-{name}") for name in st.session_state[key]}
        change([{"collection": name, "reranking": r or None} for name, r in rerankings.items()])

    readable = [info.name for info in engine().library.collections()]
    st.session_state[key] = list(chosen)
    with st.container(gap="xsmall"):
        st.multiselect(
            label,
            list(dict.fromkeys([*readable, *chosen])),
            key=key,
            disabled=disabled,
            on_change=save,
            placeholder=_("all"),
            label_visibility="collapsed",
        )
        for name, reranking in chosen.items():
            valid = reranking in get_args(Reranking)
            st.session_state[f"{key}-{name}"] = reranking if valid else AS_IN_PROFILE
            title = _("Reranking in {collection}", collection=plain(name))
            style: dict[str, Any] = {"disabled": disabled, "on_change": save}
            select(st, title, RERANKING, f"{key}-{name}", **style)
