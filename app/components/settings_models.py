"""The language and embedding models: the choice of one, tests, and their results."""

import time
from collections.abc import Callable, Iterator
from typing import Final, TypeVar

import streamlit as st

from app import session
from app.components.notices import attempt_and_rerun, show_errors
from app.components.widgets import button, quiet_button, row
from app.formats import plain
from app.locale import N_
from app.session import _, engine, format_duration, format_number, notice_text, option_labels
from services.domain.errors import RabbitholeError
from services.domain.model_checks import (
    EmbedderCheck,
    ExaminedItem,
    ItemKind,
    ModelCheck,
    ModelChoice,
    ModelField,
    ModelOffers,
    ModelPlan,
    ModelReading,
    ModelTrial,
)
from services.domain.notices import Notice

T = TypeVar("T")


def show() -> None:
    """Draw the language model with its choice and tests, and the embedding model."""
    st.subheader(_("Language model"), anchor=False)
    state = session.model_state()
    with show_errors():
        st.markdown(session.model_summary(state))
    with show_errors():
        model_form()
        _test(
            _("Test the current model"),
            _("The language model does not work"),
            "model-check",
            lambda: engine().settings.check_model(),
            show_check,
        )
    if state.name not in (None, NO_MODEL):
        with show_errors():
            _reading_test(str(state.name))
    st.subheader(_("Embedding model"), anchor=False)
    st.caption(_("It turns texts into vectors, so that the search can compare meanings."))
    _test(
        _("Test the embedding model"),
        _("The embedding model does not work"),
        "embedder-check",
        lambda: engine().settings.check_embedder(),
        _show_embedder,
    )


def _reading_test(model: str) -> None:
    """Draw the result of the reading test, and a button to repeat it."""
    reading = engine().settings.model_reading(model)
    if button(_("Repeat the reading test"), "model-examination", "fact_check"):
        with st.spinner(_("Waiting for the model …"), show_time=True):
            reading = engine().settings.examine_model(again=True) or reading
    show_reading(reading)


def _test(
    label: str, failed: str, key: str, check: Callable[[], T], show_result: Callable[[T], None]
) -> None:
    """Draw a button that runs a test; the result of the last one stays below it."""
    result_key = f"{key}-result"
    if button(label, key, "network_check"):
        try:
            with st.spinner(_("Waiting for the model …"), show_time=True):
                st.session_state[result_key] = check()
        except RabbitholeError as problem:
            st.session_state[result_key] = problem.notice
    result: T | Notice | None = st.session_state.get(result_key)
    if isinstance(result, Notice):
        st.error(plain(notice_text(result)), title=failed)
    elif result is not None:
        show_result(result)


def _show_embedder(check: EmbedderCheck) -> None:
    st.success(_("The embedding model works."))
    st.markdown(f"{WORKS} {_('Embeds a question in {ms} ms', ms=format_number(check.query_ms))}")
    if check.foreign:
        st.warning(
            _(
                "These cannot be searched because they were indexed with another embedding model: "
                "{names}. Set RABBITHOLE_EMBEDDING to that model again, or ingest the documents "
                "into a new collection.",
                names=plain(", ".join(check.foreign)),
            )
        )
    with st.expander(_("Details")):
        size = _(
            "{dimension} dimensions; uses the first {tokens} tokens of a passage",
            dimension=check.dimension,
            tokens=format_number(check.max_tokens),
        )
        named = plain(session.settings().embedding)
        st.markdown(
            f"{size}  \n{_('Fingerprint')}: {plain(check.fingerprint)}  \n"
            f"`RABBITHOLE_EMBEDDING` = {named}"
        )


KINDS: Final = {
    "embedded": N_("The embedded model"),
    "ollama": N_("Ollama"),
    "openai": N_("Another server"),
    "none": N_("None: verified quotes only"),
}
KIND_EFFECT: Final = {
    "embedded": N_("A small model that runs on this machine and needs no other service."),
    "ollama": N_("Larger models, on this or another machine."),
    "openai": N_("LM Studio, vLLM, Mistral … or any OpenAI-compatible server."),
    "none": N_("Nothing is written: answers are quotes from your documents."),
}
FIXED_HELP: Final = N_("This is set by an environment variable, which overrides any choice here.")
KIND, TRIAL, OFFERS, ADDRESS = "setup-kind", "setup-trial", "setup-offers", "setup-address"
OFFERS_S: Final = 20.0
"""The models of an Ollama are asked for again after so many seconds."""
PROVIDERS: Final = {
    "LM Studio": "http://127.0.0.1:1234/v1",
    "llama.cpp": "http://127.0.0.1:8080/v1",
    "vLLM": "http://127.0.0.1:8000/v1",
    "Ollama": "http://127.0.0.1:11434/v1",
    "Mistral": "https://api.mistral.ai/v1",
    "OpenAI": "https://api.openai.com/v1",
    "OpenRouter": "https://openrouter.ai/api/v1",
}
"""Servers that speak OpenAI's protocol, with the addresses that they document."""
OTHER_SERVER: Final = ""
PROVIDER_NAMES: Final = {
    **{name: name for name in PROVIDERS},
    OTHER_SERVER: N_("any OpenAI-compatible server"),
}


def offer() -> None:
    """Draw the choice in a frame on the first page, unless a model works or was chosen."""
    if session.model_state().status == "failed" and engine().settings.model_plan().llm is None:
        with st.container(border=True, key="setup-offer"):
            st.markdown(f"**{_('Which language model should write answers?')}**")
            st.caption(
                _(
                    "Without a language model, you get quotes from your documents, each with its "
                    "page."
                )
            )
            model_form()


def model_form() -> None:
    """Draw the choice of the model, or who has decided it."""
    plan = engine().settings.model_plan()
    if plan.source == "environment":
        st.caption(
            ":material/lock: "
            + _(
                "{name} = {value} was set when the program started and overrides any choice here. "
                "To choose here, restart without it.",
                name="`RABBITHOLE_LLM`",
                value=f"**{plain(plan.llm or '')}**",
            )
        )
        return
    if not engine().settings.is_admin():
        st.info(_("Only admins can choose the model for everybody."))
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
        format_func=option_labels(KINDS),
        captions=[_(text) + _models_found(name, offers) for name, text in KIND_EFFECT.items()],
        key=KIND,
        on_change=_forget_trial,
        label_visibility="collapsed",
    )
    trial: ModelTrial | None = st.session_state.get(TRIAL)
    choice, key = _fields(kind, offers, chosen, trial)
    with row():
        if button(_("Use this model"), "use-model", "check", type="primary"):
            _use(choice, key)
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
    """Return how many models of a kind were found, to stand behind its effect."""
    counts = {"ollama": len(offers.ollama or ()), "embedded": int(offers.embedded)}
    count = counts.get(kind, 0)
    return f" **{_('Found: {count}', count=count)}**" if count else ""


def _fields(
    kind: str, offers: ModelOffers, chosen: ModelChoice | None, trial: ModelTrial | None
) -> tuple[ModelChoice, str | None]:
    """Draw the fields of a kind of model, each with its error; return the choice and the key."""
    before = chosen if chosen and chosen.kind == kind else None
    used = before.llm if before else str(st.session_state.get("model") or "")
    name = used.partition(":")[2] if used.startswith(f"{kind}:") else ""
    with st.container(key="setup-fields", gap="small"):
        match kind:
            case "ollama":
                return _ollama(offers, name, trial), None
            case "openai":
                return _server(before, name, offers.fixed.get(kind), trial)
            case "embedded" if not offers.embedded:
                st.caption(
                    _(
                        "It is not installed yet. To install it, run the command below, then "
                        "reload this page."
                    )
                )
                st.code(offers.install, language=None, wrap_lines=True)
        _field_error("model", trial)
    return ModelChoice(llm=kind), None


def _ollama(offers: ModelOffers, name: str, trial: ModelTrial | None) -> ModelChoice:
    fixed = "ollama" in offers.fixed
    address = st.text_input(
        _("Address of Ollama"),
        offers.address,
        key="setup-ollama",
        on_change=_refresh_offers,
        disabled=fixed,
        help=_(FIXED_HELP) if fixed else None,
    )
    _field_error("address", trial)
    if offers.ollama is None:
        st.caption(
            _(
                "Ollama does not respond there. Start it with `ollama serve`, or correct the "
                "address."
            )
        )
    elif not offers.ollama:
        st.caption(_("Ollama has no model yet. Get one: `ollama pull qwen3:14b`"))
    models = list(offers.ollama or ())
    index = models.index(name) if name in models else 0
    model = st.selectbox(
        _("Model"),
        models,
        index if models else None,
        key="setup-ollama-model",
        disabled=not models,
        placeholder="–",
        on_change=_forget_trial,
    )
    _field_error("model", trial)
    if quiet_button(_("Check again"), "look-again", "refresh"):
        _refresh_offers()
        st.rerun()
    return ModelChoice(llm=f"ollama:{model or name}", address=address.strip())


def _server(
    before: ModelChoice | None, name: str, fixed: str | None, trial: ModelTrial | None
) -> tuple[ModelChoice, str | None]:
    if ADDRESS not in st.session_state:
        st.session_state[ADDRESS] = fixed or (before and before.address) or ""
    if fixed is None:
        _providers()
    address = st.text_input(
        _("Address of the server"),
        key=ADDRESS,
        disabled=fixed is not None,
        help=fixed and _(FIXED_HELP),
        placeholder="http://127.0.0.1:8000/v1",
        on_change=_forget_trial,
    ).strip()
    _field_error("address", trial)
    server = engine().settings.model_server(address)
    if "://" in address and not server.here:
        st.warning(
            _(
                "This server is not on this machine: questions and passages of your documents are "
                "sent there."
            ),
            icon=":material/public:",
        )
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
    _field_error("key", trial)
    names = list(trial.known) if trial else []
    model: str | None
    if names:
        index = names.index(name) if name in names else 0
        model = st.selectbox(_("Model"), names, index, key="setup-known", accept_new_options=True)
    else:
        model = st.text_input(
            _("Model"), name, key="setup-model", placeholder="qwen3-14b", on_change=_forget_trial
        )
    _field_error("model", trial)
    return ModelChoice(llm=f"openai:{(model or '').strip()}", address=address), key.strip() or None


def _providers() -> None:
    """Draw the named providers; one that is clicked fills in its address."""
    address = st.session_state[ADDRESS].strip().rstrip("/")
    named = {url: name for name, url in PROVIDERS.items()}
    st.session_state["setup-provider"] = named.get(address, OTHER_SERVER)

    def fill_in() -> None:
        st.session_state[ADDRESS] = PROVIDERS.get(st.session_state["setup-provider"], "")
        _forget_trial()

    st.selectbox(
        _("Provider"),
        list(PROVIDER_NAMES),
        format_func=option_labels(PROVIDER_NAMES),
        key="setup-provider",
        on_change=fill_in,
    )


def _field_error(field: ModelField, trial: ModelTrial | None) -> None:
    """Draw the error of the field above, if it has one."""
    if trial is not None and trial.problem is not None and trial.field == field:
        st.error(plain(notice_text(trial.problem)), icon=":material/error:")


def _offers() -> ModelOffers:
    """Return the models on offer, asked again after a while."""
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


def _keep_trial(run: Callable[[], ModelTrial]) -> None:
    try:
        st.session_state[TRIAL] = run()
    except RabbitholeError as problem:
        st.session_state[TRIAL] = ModelTrial(problem=problem.notice)
    st.rerun()


def _use(choice: ModelChoice, key: str | None) -> None:
    """Switch to a model; the page is redrawn with the error, or with the model that loads."""

    def switch() -> None:
        trial = engine().settings.choose_model(choice, key)
        st.session_state[TRIAL] = trial if trial.problem else None

    attempt_and_rerun(switch)


NO_MODEL: Final = "none"
SLOW_TOKENS_PER_S: Final = 5.0
WORKS, FAILS = ":material/check_circle:", ":material/error:"
RESULTS: Final = {
    True: N_("It passed the reading test"),
    False: N_("It failed the reading test"),
    None: N_("It has not taken the reading test"),
}
ITEM_KINDS: Final[dict[ItemKind, str]] = {
    "read": N_("answer with quotes"),
    "decline": N_("decline to answer"),
    "verify": N_("find errors"),
}


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


def show_reading(reading: ModelReading) -> None:
    """Draw whether the model reads, the setting that overrides its test, and the test items."""
    effect = _("it writes answers") if reading.reads else _("answers are quotes only")
    if reading.setting != "auto":
        effect += f" (`RABBITHOLE_READS={reading.setting}`)"
    st.markdown(f"{_icon(reading.reads)} {_(RESULTS[reading.passed])}: {effect}")
    if reading.problem is not None:
        st.warning(
            plain(notice_text(reading.problem)), title=_("The last reading test was not finished")
        )
    if reading.items:
        with st.expander(_("The reading test, item by item")):
            for item in reading.items:
                _show_item(item)


def _show_item(item: ExaminedItem) -> None:
    problem = f"  \n**{plain(notice_text(item.problem))}**" if item.problem is not None else ""
    kind = _(ITEM_KINDS[item.kind])
    st.markdown(f"{_icon(item.problem is None)} {plain(item.question)} ({kind}){problem}")
    st.text(item.reply)


def _icon(right: bool) -> str:
    return WORKS if right else FAILS


def _findings(check: ModelCheck) -> Iterator[str]:
    """Yield a line for each thing that works or does not, as Markdown."""
    if check.first_token_s is not None:
        wait = format_duration(check.first_token_s)
        yield f"{WORKS} {_('First word of an answer after {duration}', duration=wait)}"
    if check.tokens_per_s is not None:
        rate = format_number(check.tokens_per_s, 1)
        written = _("Writes {rate} tokens per second", rate=rate)
        if check.tokens_per_s < SLOW_TOKENS_PER_S:
            slow = _(
                "This is slow; research will take a long time with this model. A smaller one is "
                "faster."
            )
            written = f"{written}. {slow}"
        yield f"{WORKS} {written}"
        if check.keeps_form:
            yield f"{WORKS} {_('Follows a JSON schema')}"
        else:
            yield f"{FAILS} {_('Did not follow a JSON schema')}"
    if check.prompt_tokens_per_s is not None:
        rate = format_number(check.prompt_tokens_per_s)
        yield f"{WORKS} {_('Reads {rate} tokens per second', rate=rate)}"
    if check.context_tokens is not None:
        takes = _(
            "Context of {tokens} tokens (question, passages and answer together)",
            tokens=format_number(check.context_tokens),
        )
        yield f"{WORKS} {takes}"
