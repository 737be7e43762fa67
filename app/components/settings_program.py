"""The settings of the program: its models, the plans that were learned, data, account and exit."""

import shutil
from collections.abc import Callable
from functools import partial
from typing import Final, TypeVar

import streamlit as st

from app import session, shared
from app.components.model_choice import ICONS, NO_MODEL, WORKS, model_form, show_check
from app.components.widgets import attempt, bullets, button, quiet_button, row, show_errors
from app.formats import plain
from app.locale import N_
from app.session import _, engine, format_duration, format_number, notice_text
from services.domain.errors import RabbitholeError
from services.domain.model_checks import EmbedderCheck, ItemKind, ModelReading, ServerUse
from services.domain.notices import Notice
from services.domain.plan_cases import PlanCase

T = TypeVar("T")
RESULTS: Final = {
    True: N_("Reading test passed"),
    False: N_("Reading test failed"),
    None: N_("Reading test not taken"),
}
ITEM_KINDS: Final[dict[ItemKind, str]] = {
    "read": N_("answer with quotes"),
    "decline": N_("decline to answer"),
    "verify": N_("find errors"),
}


def show_models() -> None:
    """Draw the language model with its choice and tests, and the embedding model."""
    st.subheader(_("Language model"), anchor=False)
    state = session.model_state()
    with show_errors():
        st.markdown(session.model_summary(state))
    with show_errors():
        model_form()
        check, failed = engine().settings.check_model, _("The language model does not work")
        _test(_("Test the current model"), failed, "model-check", check, show_check)
    if state.name not in (None, NO_MODEL):
        with show_errors():
            reading = engine().settings.model_reading(str(state.name))
            if button(_("Repeat the reading test"), "model-reading-test", "fact_check"):
                with st.spinner(_("Waiting for the model …"), show_time=True):
                    reading = engine().settings.take_reading_test(again=True) or reading
            show_reading(reading)
    st.subheader(_("Embedding model"), anchor=False)
    st.caption(
        _("The embedding model turns text into vectors, so that the search can compare meanings.")
    )
    embed, failed = engine().settings.check_embedder, _("The embedding model does not work")
    _test(_("Test the embedding model"), failed, "embedder-check", embed, _show_embedder)


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
    lines = [
        _("Embeds a question in {ms} ms", ms=format_number(check.query_ms)),
        _(
            "{dimension} dimensions; uses the first {tokens} tokens of a passage",
            dimension=check.dimension,
            tokens=format_number(check.max_tokens),
        ),
    ]
    st.markdown("  \n".join(f"{WORKS} {line}" for line in lines))
    st.caption(_("Model fingerprint: {id}", id=plain(check.fingerprint)))
    if check.foreign:
        text = _(
            "These collections cannot be searched because they were indexed with another "
            "embedding model: {names}. Set RABBITHOLE_EMBEDDING to that model again, or rebuild "
            "their indexes in the library, under “Health”.",
            names=plain(", ".join(check.foreign)),
        )
        st.warning(text)


def show_reading(reading: ModelReading) -> None:
    """Draw whether the model reads, the setting that overrides its test, and the test items."""
    effect = _("the model writes answers") if reading.reads else _("answers are quotes only")
    if reading.setting != "auto":
        effect += f" (`RABBITHOLE_READS={reading.setting}`)"
    st.markdown(f"{ICONS[reading.reads]} {_(RESULTS[reading.passed])}: {effect}")
    if reading.problem is not None:
        st.warning(
            plain(notice_text(reading.problem)), title=_("The last reading test was not finished")
        )
    if reading.items:
        with st.expander(_("The reading test, item by item")):
            for item in reading.items:
                problem = f"  \n**{plain(notice_text(item.problem))}**" if item.problem else ""
                kind = f"({_(ITEM_KINDS[item.kind])})"
                sign = ICONS[item.problem is None]
                st.markdown(f"{sign} {plain(item.question)} {kind}{problem}")
                st.text(item.reply)


ROLE = {
    "admin": N_("You are an administrator: you can also see and change other people's content."),
    "named": N_(
        "You can set global values and locks. Apart from that, you see only your own content "
        "and what is shared with you."
    ),
    "user": N_("You see your own content and what is shared with you."),
}
_NO_ALARM = "[data-testid=stDialog], #server-gone, [data-testid=stStatusWidget] { display: none; }"
"""Hides the messages about a lost connection."""


SENT: Final[dict[ServerUse, str]] = {
    "model": N_("Questions and passages go to the language model on {host}."),
    "embedding": N_("Documents and questions go to the embedding model on {host}."),
    "database": N_("Everything is stored in the database on {host}."),
    "telemetry": N_("Traces of research runs go to {host}."),
}
GIGABYTE: Final = 1e9


def show_program() -> None:
    """Draw what leaves the machine, the storage, the account, and the exit."""
    st.subheader(_("Data that leaves this machine"), anchor=False)
    if servers := engine().settings.remote_servers():
        st.warning(bullets(_(SENT[use], host=plain(host)) for use, host in servers.items()))
    else:
        st.success(_("Nothing: documents, questions and answers stay on this machine."))
    st.subheader(_("Storage"), anchor=False)
    _storage()
    st.subheader(_("Account"), anchor=False)
    _account()
    st.subheader(_("Exit Rabbithole"), anchor=False)
    _exit()


def _storage() -> None:
    home = session.settings().home
    st.markdown(_("All data is stored in {home}", home=plain(str(home))))
    free = format_number(shutil.disk_usage(home).free / GIGABYTE, 1)
    text = _(
        "Free disk space: {free} GB. To save everything in one file, run: rabbithole backup FILE",
        free=free,
    )
    st.caption(text)
    text = _(
        "A repeated search is answered from the cache for five minutes, as long as the documents "
        "stay the same."
    )
    st.caption(text)
    cache = engine().settings.search_cache()
    text = _(
        "cached searches: {size} · answered from the cache: {hits} · not in the cache: {misses} · "
        "hit rate: {rate}%",
        size=cache.size,
        hits=cache.hits,
        misses=cache.misses,
        rate=format_number(100 * cache.hit_rate),
    )
    st.markdown(text)
    clear = partial(attempt, lambda: engine().settings.search_cache(clear=True))
    button(_("Clear the cache"), "clear-cache", disabled=not cache.size, on_click=clear)


def _account() -> None:
    principal = engine().principal
    rights = "named" if engine().settings.is_admin() else "user"
    role = ROLE["admin" if principal.role == "admin" else rights]
    text = _(
        "You are using Rabbithole as **{user}**. {role}", user=plain(principal.user), role=_(role)
    )
    st.markdown(text)
    if session.settings().login is not None:
        return
    text = _(
        "The user is set at startup: rabbithole serve --user NAME (add --admin for an "
        "administrator). Everybody listed in RABBITHOLE_ADMINS can set global values and locks."
    )
    st.caption(text)


def _exit() -> None:
    text = _(
        "Pauses running research and stops the server, for all windows. Nothing is lost: after the "
        "next start, “Continue” resumes where it stopped."
    )
    st.caption(text)
    if not engine().settings.is_admin():
        st.info(_("Only administrators (listed in RABBITHOLE_ADMINS) can stop the server."))
        return
    with st.popover(f"{_('Exit Rabbithole')} …", icon=":material/power_settings_new:"):
        st.markdown(_("Running now: {count}", count=len(engine().threads.active())))
        # A callback, so no other rerun comes in between.
        button(_("Exit now"), "exit", type="primary", on_click=_close_engine)


def _close_engine() -> None:
    """Pause what runs and release the stores; the next run of the script says goodbye."""
    if attempt(engine().close):
        st.session_state["exited"] = True


def show_goodbye() -> bool:
    """Draw the goodbye and end the server, if this window exits; return whether it does."""
    if "exited" not in st.session_state:
        return False
    st.html(f"<style>{_NO_ALARM}</style>")
    st.title(_("Rabbithole has stopped."), anchor=False)
    st.markdown(_("You can close this window. To start again, run: rabbithole serve"))
    shared.end_soon()
    return True


VOTES = {True: N_("rated as good"), False: N_("rated as bad"), None: N_("not rated")}


def show_learned() -> None:
    """Draw the person's plans, newest first."""
    text = _(
        "Plans that you approved or rated as good are reused for similar questions. Only you can "
        "see your plans. Deleting a research thread deletes its plan, unless you edited the plan."
    )
    st.caption(text)
    cases = engine().plans.list()
    if not cases:
        st.caption(_("No plans yet. A research plan is remembered once you approve it."))
        return
    for case in cases:
        with st.expander(plain(case.question), key=f"plan-{case.case_id}"):
            _show_case(case)
    with st.popover(_("Forget all"), icon=":material/delete_sweep:", type="tertiary"):
        st.caption(_("Your research and reports are kept."))
        forget = partial(attempt, lambda: engine().plans.forget())
        button(_("Forget all plans"), "forget-plans", type="primary", on_click=forget)


def _show_case(case: PlanCase) -> None:
    facts = (
        _("this plan is not reused") if not case.serves else "",
        _(VOTES[case.vote]),
        _("edited by you") if case.edited else "",
        _("changed before approval") if case.had_plan_improvements else "",
        _("a new plan was made after a correction") if case.had_tactical_improvements else "",
        _("{count} tokens", count=format_number(case.tokens)) if case.tokens else "",
        format_duration(case.seconds),
        _("reused {count} times", count=len(case.used_in)) if case.used_in else "",
    )
    st.caption(" · ".join(filter(None, facts)))
    key = f"tasks-{case.case_id}"
    tasks = "\n".join(item.task for item in case.tasks)
    st.text_area(_("Tasks, one per line"), value=tasks, key=key, height="content")
    with row():
        quiet_button(_("Save"), f"save-{key}", "save", on_click=partial(_save, case.case_id, key))
        forget = partial(attempt, lambda: engine().plans.forget(case.case_id))
        quiet_button(_("Forget"), f"forget-{key}", "delete", on_click=forget)


def _save(case_id: str, key: str) -> None:
    tasks = st.session_state[key].splitlines()
    attempt(lambda: engine().plans.edit(case_id, tasks), done=_("Saved."))
