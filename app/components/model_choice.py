"""The choice of the language model: what is found, a trial of it, and its result."""

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import streamlit as st

from app import session
from app.components.widgets import attempt_and_rerun, button, quiet_button, row, select
from app.formats import plain
from app.locale import N_
from app.session import _, engine, format_duration, format_number, notice_text, option_labels
from services.domain.model_checks import (
    ModelCheck,
    ModelChoice,
    ModelField,
    ModelOffers,
    ModelPlan,
    ModelTrial,
)
from services.domain.model_kinds import SERVERS

KINDS: Final = {
    "embedded": (
        N_("The embedded model"),
        N_("A small model that runs on this machine and needs no other service."),
    ),
    "ollama": (N_("Ollama"), N_("Larger models, on this or another machine.")),
    "openai": (
        N_("Another server"),
        N_("LM Studio, vLLM, Mistral … or any OpenAI-compatible server."),
    ),
    "none": (
        N_("None: verified quotes only"),
        N_("Nothing is written: answers are quotes from your documents."),
    ),
}
FIXED_HELP: Final = N_("This is set by an environment variable, which overrides any choice here.")
KIND, TRIAL, OFFERS = "setup-kind", "setup-trial", "setup-offers"
PROVIDER, ADDRESS = "setup-provider", "setup-address"
OFFERS_S: Final = 20.0
"""The models of an Ollama are asked for again after so many seconds."""
PROVIDERS: Final = {
    "": N_("any OpenAI-compatible server"),
    "http://127.0.0.1:1234/v1": "LM Studio",
    "http://127.0.0.1:8080/v1": "llama.cpp",
    "http://127.0.0.1:8000/v1": "vLLM",
    "http://127.0.0.1:11434/v1": "Ollama",
    "https://api.mistral.ai/v1": "Mistral",
    "https://api.openai.com/v1": "OpenAI",
    "https://openrouter.ai/api/v1": "OpenRouter",
}
"""Servers that speak OpenAI's protocol, by the addresses that they document."""


def offer() -> None:
    """Draw the choice in a frame on the first page, unless a model works or was chosen."""
    if session.model_state().status == "failed" and engine().settings.model_plan().llm is None:
        with st.container(border=True, key="setup-offer"):
            st.markdown(f"**{_('Which language model should write answers?')}**")
            text = _(
                "Without a language model, you get quotes from your documents, each with its page."
            )
            st.caption(text)
            model_form()


def model_form() -> None:
    """Draw the choice of the model, or who has decided it."""
    plan = engine().settings.model_plan()
    if plan.source == "environment":
        st.caption(
            ":material/lock: "
            + _(
                "{name} = {value} was set when Rabbithole started and overrides any choice "
                "here. To choose here, unset it and restart Rabbithole.",
                name="`RABBITHOLE_LLM`",
                value=f"**{plain(plan.llm or '')}**",
            )
        )
        return
    if not engine().settings.is_admin():
        st.info(_("Only administrators can choose the model for everybody."))
        return
    _chooser(plan)


def _chooser(plan: ModelPlan) -> None:
    chosen = engine().settings.model_choice()
    offers = _offers()
    if KIND not in st.session_state:
        default = "ollama" if offers.ollama else "embedded" if offers.embedded else "none"
        st.session_state[KIND] = chosen.kind if chosen and chosen.kind in KINDS else default
    kind = st.radio(
        _("Language model"),
        list(KINDS),
        format_func=option_labels({kind: name for kind, (name, _why) in KINDS.items()}),
        captions=[_(text) + _models_found(name, offers) for name, (_n, text) in KINDS.items()],
        key=KIND,
        on_change=_forget_server,
        label_visibility="collapsed",
    )
    trial = _trial()
    choice, key = _fields(kind, offers, chosen)
    with row():
        if button(_("Use this model"), "use-model", "check", type="primary"):
            _keep_trial(lambda: engine().settings.choose_model(choice, key))
        if kind != "none" and quiet_button(_("Test it first"), "try-model", "network_check"):
            with st.spinner(_("Waiting for the model …"), show_time=True):
                _keep_trial(lambda: engine().settings.try_model(choice, key))
        if plan.source == "chosen" and quiet_button(_("Reset"), "forget-model", "undo"):
            attempt_and_rerun(engine().settings.forget_model)
    if trial is not None and trial.field is None:
        if trial.problem is not None:
            st.error(plain(notice_text(trial.problem)), title=_("That did not work"))
        elif trial.check is not None:
            show_check(trial.check)


def _models_found(kind: str, offers: ModelOffers) -> str:
    counts = {"ollama": len(offers.ollama or ()), "embedded": int(offers.embedded)}
    count = counts.get(kind, 0)
    return f" **{_('Found: {count}', count=count)}**" if count else ""


def _fields(
    kind: str, offers: ModelOffers, chosen: ModelChoice | None
) -> tuple[ModelChoice, str | None]:
    """Draw the fields of a kind of model, each with its error; return the choice and the key."""
    before = chosen if chosen and chosen.kind == kind else None
    used = before.llm if before else str(st.session_state.get("model") or "")
    name = used.partition(":")[2] if used.startswith(f"{kind}:") else ""
    with st.container(key="setup-fields", gap="small"):
        match kind:
            case "ollama":
                return _ollama(offers, name), None
            case _ if kind in SERVERS:
                return _server(kind, before, name, offers.fixed.get(kind))
            case "embedded" if not offers.embedded:
                text = _(
                    "The embedded model is not installed yet. To install it, run the command "
                    "below, then reload this page."
                )
                st.caption(text)
                st.code(offers.install, language=None, wrap_lines=True)
        _field_error("model")
    return ModelChoice(llm=kind), None


def _ollama(offers: ModelOffers, name: str) -> ModelChoice:
    fixed = "ollama" in offers.fixed
    address = st.text_input(
        _("Address of Ollama"),
        offers.address,
        key="setup-ollama",
        on_change=_refresh_offers,
        disabled=fixed,
        help=_(FIXED_HELP) if fixed else None,
    )
    _field_error("address")
    if offers.ollama is None:
        text = _(
            "Ollama does not respond there. Start it with `ollama serve`, or correct the address."
        )
        st.caption(text)
    elif not offers.ollama:
        st.caption(_("Ollama has no model yet. Get one: `ollama pull qwen3:14b`"))
    model = _model_field("setup-ollama-model", offers.ollama or (), name, "qwen3:14b")
    if quiet_button(_("Check again"), "look-again", "refresh"):
        _refresh_offers()
        st.rerun()
    return ModelChoice(llm=f"ollama:{model}", address=address.strip())


def _server(
    kind: str, before: ModelChoice | None, name: str, fixed: str | None
) -> tuple[ModelChoice, str | None]:
    default = SERVERS[kind].default_url
    if ADDRESS not in st.session_state:
        st.session_state[ADDRESS] = fixed or (before and before.address) or default
    if fixed is None and not default:
        _provider()
    address = st.text_input(
        _("Address of the server"),
        key=ADDRESS,
        disabled=fixed is not None,
        help=fixed and _(FIXED_HELP),
        placeholder="http://127.0.0.1:8000/v1",
        on_change=_forget_trial,
    ).strip()
    _field_error("address")
    server = engine().settings.model_server(address)
    if "://" in address and not server.here:
        text = _(
            "This server is not on this machine: questions and passages of your documents are sent "
            "there."
        )
        st.warning(text, icon=":material/public:")
    key = st.text_input(
        _("Key"),
        type="password",
        key="setup-key",
        placeholder=_("saved; enter another to replace it") if server.keyed else _("none"),
        help=_(
            "The key is stored in Rabbithole's data folder, in a file that only your user account "
            "can read."
        ),
        on_change=_forget_trial,
    )
    _field_error("key")
    trial = _trial()
    model = _model_field("setup-model", trial.known if trial else (), name, "qwen3-14b")
    return ModelChoice(llm=f"{kind}:{model}", address=address), key.strip() or None


def _model_field(key: str, models: Sequence[str], name: str, example: str) -> str:
    model: str | None
    if models:
        name = st.session_state.get(key) or name  # entered in the field that was here until now
        index = models.index(name) if name in models else 0
        options: dict[str, Any] = {"accept_new_options": True, "on_change": _forget_result}
        model = st.selectbox(_("Model"), models, index, key=f"{key}s", **options)
    else:
        options = {"placeholder": example, "on_change": _forget_trial}
        model = st.text_input(_("Model"), name, key=key, **options)
    _field_error("model")
    return (model or "").strip()


def _provider() -> None:
    address = st.session_state[ADDRESS].strip().rstrip("/")
    st.session_state[PROVIDER] = address if address in PROVIDERS else ""

    def fill_in() -> None:
        st.session_state[ADDRESS] = st.session_state[PROVIDER]
        _forget_trial()

    select(st, _("Provider"), PROVIDERS, PROVIDER, on_change=fill_in)


def _trial() -> ModelTrial | None:
    """Return the last trial, unless something was changed since."""
    return st.session_state.get(TRIAL)


def _field_error(field: ModelField) -> None:
    trial = _trial()
    if trial is not None and trial.problem is not None and trial.field == field:
        st.error(plain(notice_text(trial.problem)), icon=":material/error:")


def _offers() -> ModelOffers:
    offers, until = st.session_state.get(OFFERS, (None, 0.0))
    if offers is None or time.monotonic() > until:
        address = st.session_state.get("setup-ollama")
        offers = engine().settings.model_offers(address or None)
        st.session_state[OFFERS] = (offers, time.monotonic() + OFFERS_S)
    return offers


def _refresh_offers() -> None:
    st.session_state.pop(OFFERS, None)
    _forget_trial()


def _forget_trial() -> None:
    st.session_state.pop(TRIAL, None)


def _forget_server() -> None:
    """Forget a trial and the address, which are those of the kind chosen before."""
    st.session_state.pop(ADDRESS, None)
    _forget_trial()


def _forget_result() -> None:
    """Forget the result of a trial, but not which models its server has."""
    if trial := st.session_state.get(TRIAL):
        st.session_state[TRIAL] = ModelTrial(known=trial.known)


def _keep_trial(run: Callable[[], ModelTrial]) -> None:
    """Run a trial and redraw the page with its error or result, or with the model that loads."""
    attempt_and_rerun(lambda: st.session_state.update({TRIAL: run()}))


NO_MODEL: Final = "none"
SLOW_TOKENS_PER_S: Final = 5.0
WORKS, FAILS = ":material/check_circle:", ":material/error:"
ICONS: Final = {True: WORKS, False: FAILS}


def show_check(check: ModelCheck) -> None:
    """Draw the result of a test of the language model."""
    if check.model == NO_MODEL:
        st.info(_("There is nothing to test: Rabbithole runs without a language model."))
        return
    if check.problem is None:
        st.success(_("The language model works."))
    else:
        st.error(plain(notice_text(check.problem)), title=_("The language model does not work"))
    st.markdown("  \n".join(_findings(check)))


def _findings(check: ModelCheck) -> Iterator[str]:
    if check.first_token_s is not None:
        wait = format_duration(check.first_token_s)
        yield f"{WORKS} {_('First word of an answer after {duration}', duration=wait)}"
    if check.tokens_per_s is not None:
        rate = format_number(check.tokens_per_s, 1)
        yield f"{WORKS} {_('Writes {rate} tokens per second', rate=rate)}"
        if check.tokens_per_s < SLOW_TOKENS_PER_S:
            yield f"{FAILS} " + _(
                "This is slow; research will take a long time with this model. A smaller one is "
                "faster."
            )
        form = _("Follows a JSON schema") if check.keeps_form else _("Did not follow a JSON schema")
        yield f"{ICONS[check.keeps_form]} {form}"
    if check.prompt_tokens_per_s is not None:
        rate = format_number(check.prompt_tokens_per_s)
        yield f"{WORKS} {_('Reads {rate} tokens per second', rate=rate)}"
    if check.context_tokens is not None:
        tokens = format_number(check.context_tokens)
        yield f"{WORKS} " + _(
            "Context of {tokens} tokens (question, passages and answer together)", tokens=tokens
        )
