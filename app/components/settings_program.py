"""Language and colours of the app, its memory of searches, and the safe exit."""

from functools import partial

import streamlit as st

from app import server_exit, session
from app import texts as common
from app.components.notices import attempt
from app.components.widgets import button
from app.formats import plain
from app.session import engine, labels, language, say, say_number
from app.texts import settings as texts

_NO_ALARM = (
    "[data-testid=stDialog], [data-testid=stConnectionStatus], [data-testid=stStatusWidget]"
    " { display: none; }"
)
"""That the server is gone is no error then."""


def show_appearance() -> None:
    """Which language and colours count, and how to choose others."""
    st.subheader(say(common.LANGUAGE), anchor=False)
    st.session_state["language-setting"] = language()
    st.radio(
        say(common.LANGUAGE),
        list(texts.LANGUAGES),
        format_func=labels(texts.LANGUAGES),
        key="language-setting",
        horizontal=True,
        on_change=_keep_language,
        label_visibility="collapsed",
    )
    st.caption(say(texts.LANGUAGE_WHAT))
    st.subheader(say(texts.COLOURS), anchor=False)
    st.caption(say(texts.COLOURS_HOW))


def _keep_language() -> None:
    st.session_state[session.LANGUAGE] = st.session_state["language-setting"]
    attempt(session.keep_language)


def show_program() -> None:
    """What is remembered, where the data are, and the way out."""
    st.subheader(say(texts.CACHE), anchor=False)
    _cache()
    st.subheader(say(texts.WHO), anchor=False)
    _who()
    st.subheader(say(texts.DATA), anchor=False)
    st.markdown(say(texts.DATA_WHERE, home=plain(str(session.settings().home))))
    st.subheader(say(texts.EXIT), anchor=False)
    _exit()


def _who() -> None:
    """As whom the person works, what that allows, and how to be somebody else."""
    principal = engine().principal
    rights = "named" if engine().settings.is_admin() else "user"
    role = texts.ROLE["admin" if principal.role == "admin" else rights]
    st.markdown(say(texts.WHO_IS, user=plain(principal.user), role=say(role)))
    st.caption(say(texts.WHO_HOW))


def _cache() -> None:
    st.caption(say(texts.CACHE_WHAT))
    cache = engine().settings.search_cache()
    rate = say_number(100 * cache.hit_rate)
    counts = {"size": cache.size, "hits": cache.hits, "misses": cache.misses, "rate": rate}
    st.markdown(say(texts.CACHE_COUNTS, **counts))
    clear = partial(engine().settings.search_cache, clear=True)
    empty = not cache.size
    button(texts.CLEAR_CACHE, "clear-cache", disabled=empty, on_click=attempt, args=(clear,))


def _exit() -> None:
    st.caption(say(texts.EXIT_WHAT))
    if not engine().settings.is_admin():
        st.info(say(texts.EXIT_ADMINS))
        return
    running = len(engine().threads.active())
    with st.popover(f"{say(texts.EXIT)} …", icon=":material/power_settings_new:"):
        st.markdown(say(texts.EXIT_RUNNING, count=running))
        # A callback, so that no other rerun of the page comes in between.
        button(texts.EXIT_NOW, "exit", type="primary", on_click=_leave)


def _leave() -> None:
    """Pauses what runs and gives the stores up; the next run of the script says goodbye."""
    if attempt(engine().close):
        st.session_state["exited"] = True


def show_goodbye() -> bool:
    """Whether this window ends the program; if so, says how to start it again, and ends it."""
    if "exited" not in st.session_state:
        return False
    st.html(f"<style>{_NO_ALARM}</style>")
    st.title(say(texts.EXITED), anchor=False)
    st.markdown(say(texts.EXITED_HOW))
    server_exit.end_soon()
    return True
