"""The plans that were learned, and the program: data, account, exit."""

import shutil
from functools import partial
from typing import Final

import streamlit as st

from app import session, shared
from app.components.notices import attempt
from app.components.widgets import bullets, button, quiet_button, row
from app.formats import plain
from app.locale import N_
from app.session import _, engine, format_duration, format_number
from services.domain.model_checks import ServerUse
from services.domain.plan_cases import PlanCase

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
    _sent()
    st.subheader(_("Storage"), anchor=False)
    _storage()
    _cache()
    st.subheader(_("Account"), anchor=False)
    _account()
    st.subheader(_("Exit Rabbithole"), anchor=False)
    _exit()


def _sent() -> None:
    """Draw which servers receive texts; with none, that nothing leaves the machine."""
    servers = engine().settings.remote_servers()
    if not servers:
        st.success(_("Nothing: documents, questions and answers stay on this machine."))
        return
    st.warning(bullets(_(SENT[use], host=plain(host)) for use, host in servers.items()))


def _storage() -> None:
    home = session.settings().home
    st.markdown(_("All data is stored in {home}", home=plain(str(home))))
    free = format_number(shutil.disk_usage(home).free / GIGABYTE, 1)
    st.caption(
        _(
            "Free disk space: {free} GB. To save everything in one file, run: rabbithole "
            "backup FILE",
            free=free,
        )
    )


def _cache() -> None:
    st.caption(
        _(
            "A repeated search is answered from the cache for five minutes, as long as the "
            "documents stay the same."
        )
    )
    cache = engine().settings.search_cache()
    st.markdown(
        _(
            "cached searches: {size} · answered from the cache: {hits} · not in the cache: "
            "{misses} · hit rate: {rate}%",
            size=cache.size,
            hits=cache.hits,
            misses=cache.misses,
            rate=format_number(100 * cache.hit_rate),
        )
    )
    clear = partial(attempt, lambda: engine().settings.search_cache(clear=True))
    button(_("Clear the cache"), "clear-cache", disabled=not cache.size, on_click=clear)


def _account() -> None:
    """Draw as whom the person works, with which rights, and how to change it."""
    principal = engine().principal
    rights = "named" if engine().settings.is_admin() else "user"
    role = ROLE["admin" if principal.role == "admin" else rights]
    st.markdown(
        _(
            "You are using Rabbithole as **{user}**. {role}",
            user=plain(principal.user),
            role=_(role),
        )
    )
    if session.settings().login is not None:
        return
    st.caption(
        _(
            "The user is set at startup: rabbithole serve --user NAME (add --admin for an "
            "administrator). Everybody listed in RABBITHOLE_ADMINS can set global values and "
            "locks."
        )
    )


def _exit() -> None:
    st.caption(
        _(
            "Pauses running research and stops the server, for all windows. Nothing is lost: "
            "after the next start, “Continue” resumes where it stopped."
        )
    )
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
    st.caption(
        _(
            "Plans that you approved or rated as good are reused for similar questions. "
            "Only you can see your plans. Deleting a research thread deletes its plan, "
            "unless you edited the plan."
        )
    )
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
    st.caption(" · ".join(filter(None, _facts(case))))
    key = f"tasks-{case.case_id}"
    tasks = "\n".join(item.task for item in case.tasks)
    st.text_area(_("Tasks, one per line"), value=tasks, key=key, height="content")
    with row():
        quiet_button(_("Save"), f"save-{key}", "save", on_click=partial(_save, case.case_id, key))
        forget = partial(attempt, lambda: engine().plans.forget(case.case_id))
        quiet_button(_("Forget"), f"forget-{key}", "delete", on_click=forget)


def _facts(case: PlanCase) -> tuple[str, ...]:
    return (
        _("this plan is not reused") if not case.serves else "",
        _(VOTES[case.vote]),
        _("edited by you") if case.edited else "",
        _("changed before approval") if case.had_plan_improvements else "",
        _("a new plan was made after a correction") if case.had_tactical_improvements else "",
        _("{count} tokens", count=format_number(case.tokens)) if case.tokens else "",
        format_duration(case.seconds),
        _("reused {count} times", count=len(case.used_in)) if case.used_in else "",
    )


def _save(case_id: str, key: str) -> None:
    tasks = st.session_state[key].splitlines()
    attempt(lambda: engine().plans.edit(case_id, tasks), done=_("Saved."))
