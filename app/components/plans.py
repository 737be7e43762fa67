"""Remembered plans: what they are, edited and forgotten."""

from functools import partial

import streamlit as st

from app.components.notices import attempt
from app.components.widgets import button, quiet_button, row
from app.formats import plain
from app.locale import N_
from app.session import _, engine, say_duration, say_number
from services.domain.plans import PlanCase

VOTES = {True: N_("rated good"), False: N_("rated bad"), None: N_("not rated")}


def show() -> None:
    """One's own plans, newest first, each in a fold."""
    st.caption(
        _(
            "Plans that you approved or rated good help with plans for similar questions. Only "
            "you see yours. When a thread is deleted, its plan goes too, unless you edited it."
        )
    )
    cases = engine().plans.list()
    if not cases:
        st.caption(_("No plans yet. Approve the plan of a research; it is kept with its answer."))
        return
    for case in cases:
        with st.expander(plain(case.question), key=f"plan-{case.case_id}"):
            _case(case)
    with st.popover(_("Forget all"), icon=":material/delete_sweep:", type="tertiary"):
        st.caption(_("Threads and reports stay."))
        forget = partial(attempt, lambda: engine().plans.forget())
        button(_("Forget all plans"), "forget-plans", type="primary", on_click=forget)


def _case(case: PlanCase) -> None:
    st.caption(" · ".join(filter(None, _facts(case))))
    key = f"tasks-{case.case_id}"
    tasks = "\n".join(each.task for each in case.tasks)
    st.text_area(_("Tasks, one a line"), value=tasks, key=key, height="content")
    with row():
        quiet_button(_("Save"), f"save-{key}", "save", on_click=partial(_save, case.case_id, key))
        forget = partial(attempt, lambda: engine().plans.forget(case.case_id))
        quiet_button(_("Forget"), f"forget-{key}", "delete", on_click=forget)


def _facts(case: PlanCase) -> tuple[str, ...]:
    return (
        _("does not help") if not case.serves else "",
        _(VOTES[case.vote]),
        _("edited by you") if case.edited else "",
        _("changed before approval") if case.had_plan_improvements else "",
        _("the run corrected itself") if case.had_tactical_improvements else "",
        _("{count} tokens", count=say_number(case.tokens)) if case.tokens else "",
        say_duration(case.seconds),
        _("helped {count} times", count=len(case.used_in)) if case.used_in else "",
    )


def _save(case_id: str, key: str) -> None:
    tasks = st.session_state[key].splitlines()
    attempt(lambda: engine().plans.edit(case_id, tasks), done=_("Saved."))
