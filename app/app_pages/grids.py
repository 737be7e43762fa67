"""Grids and sweeps: their list and the forms for new ones, or the one in the address."""

from collections.abc import Callable

import streamlit as st

from app import navigation
from app.components import grid_form, grids, runs
from app.components.widgets import choose_view, show_errors
from app.formats import plain
from app.locale import N_
from app.session import _, engine, thread_id


def show_all() -> None:
    """Draw the person's grids and sweeps."""
    runs.show_runs(runs.filter_runs(engine().grids.all()), engine().threads.costs)
    runs.show_dialog()


VIEWS: dict[str, tuple[str, Callable[[], None]]] = {
    "grids": (N_("Yours"), show_all),
    "new": (N_("New grid"), grid_form.new_grid),
    "sweep": (N_("New sweep"), grid_form.new_sweep),
}


with show_errors():
    thread = thread_id()
    run = runs.run_of_address(thread) if thread else None
    if run is None:
        st.title(_("Grids and sweeps"), anchor=False)
        text = _(
            "A grid asks the same questions of many documents. A sweep asks one question of every "
            "section, and counts what it has read."
        )
        st.caption(text)
        views = VIEWS if engine().grids.all() else {name: VIEWS[name] for name in ("new", "sweep")}
        VIEWS[choose_view(_("View"), views, "view")][1]()
    elif run.kind not in ("grid", "sweep"):
        navigation.switch_to_thread(run.thread_id)
    else:
        st.set_page_config(page_title=f"{plain(run.title or run.question)} · Rabbithole")
        grids.show(run)
