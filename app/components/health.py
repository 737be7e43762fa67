"""Whether everything in a collection can be found, mending it, and what was ingested when."""

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime

import streamlit as st

from agent.engine.jobs import Checked, CheckIndexes, Ingest, JobState
from app.components import works
from app.components.notices import act
from app.components.widgets import ask_first, bullets, button, table
from app.formats import age_s, plain
from app.labels import STATUS
from app.locale import N_
from app.session import _, engine, say_duration, say_moment, say_number, tell
from services.domain import CollectionHealth, Shelf
from services.domain.runs import IngestionInfo

WRONG = {
    "missing_vectors": N_("Passages that the search by meaning lacks: {count}"),
    "missing_keywords": N_("Passages that the search by words lacks: {count}"),
    "lost": N_("Samples that are not found again: {count}"),
    "unfinished": N_("Not ingested to the end: {names}"),
    "lost_originals": N_(
        "The original is missing, has changed or cannot be read: {names}. Ingest the file again."
    ),
}
JOB_STATUS = STATUS | {"interrupted": N_("interrupted, is taken up again")}


def show(shelf: Shelf) -> None:
    """The last check, and what can be done; only those who may change the collection do it."""
    newest = engine().jobs()
    if shelf.changeable:
        _checks(shelf, newest)
    _ingestions(shelf, newest)


def _checks(shelf: Shelf, newest: list[JobState]) -> None:
    here = shelf.collection_id
    busy = any(work.open and isinstance(work.job, CheckIndexes) for work in newest)
    checks = (
        (work.created_at, health)
        for work in newest
        if isinstance(work.result, Checked)
        for health in work.result.collections
        if health.collection_id == here
    )
    checked_at, health = next(checks, ("", None))
    if health is None:
        st.caption(
            _(
                "Not checked yet. The check compares both indexes with the catalog, "
                "searches samples and reads every original."
            )
        )
    else:
        _state(health)
        st.caption(_("checked {when}", when=say_moment(checked_at)))

    def order(**how: bool) -> None:
        act(lambda: works.order(CheckIndexes(collection=here, **how)))

    why = _(
        "Rebuilds both indexes of this collection with the current embedding model. "
        "Texts are not read again. Until it is done, searches do not find "
        "everything."
    )
    repairable = health is not None and not health.healthy and health.problem is None
    with st.container(horizontal=True):
        if button(_("Check now"), "check", "search_check", disabled=busy):
            order(repair=False)
        if repairable and button(_("Repair"), "repair", "build", type="primary", disabled=busy):
            order(repair=True)
        if ask_first(
            _("Rebuild the index"), why, _("Rebuild the index"), "rebuild", "refresh", disabled=busy
        ):
            order(repair=True, afresh=True)


def _state(health: CollectionHealth) -> None:
    if health.healthy:
        well = _(
            "All is well: all passages ({chunks}) can be found, all originals are there.",
            chunks=say_number(health.chunks),
        )
        st.success(well, icon=":material/check:")
    elif health.problem is not None:
        st.error(plain(tell(health.problem)), title=_("Needs a new index"))
    else:
        st.warning(bullets(_wrong(health)), title=_("There is something to repair"))


def _wrong(health: CollectionHealth) -> Iterator[str]:
    """A line for each thing that is wrong, as Markdown."""
    for name, text in WRONG.items():
        value: int | tuple[str, ...] = getattr(health, name)
        if isinstance(value, tuple) and value:
            yield _(text, names=plain(", ".join(value)))
        elif value:
            yield _(text, count=value)


def _ingestions(shelf: Shelf, newest: list[JobState]) -> None:
    st.subheader(_("What was ingested"), anchor=False)
    rows = [
        {_(title): cell(each) for title, cell in _COLUMNS.items()}
        for each in engine().library.ingestions()
        if each.collection_id == shelf.collection_id
    ]
    if not rows:
        st.caption(_("You have not ingested anything here yet. Add files under “Documents”."))
        return
    table(rows, alt=_("What was ingested"))
    for work in newest:
        files = works.not_read(work)
        here = (shelf.collection_id, shelf.name)
        if files and isinstance(work.job, Ingest) and work.job.collection in here:
            when = say_moment(work.created_at)
            with st.expander(_("{count} not read on {when}", count=len(files), when=when)):
                works.failures(files)


def _took(ingestion: IngestionInfo) -> str | None:
    """How long it took; nobody knows when what was interrupted has ended."""
    if ingestion.ended_at is None:
        return None
    return say_duration(age_s(ingestion.started_at, datetime.fromisoformat(ingestion.ended_at)))


_COLUMNS: Mapping[str, Callable[[IngestionInfo], object]] = {
    N_("Started"): lambda each: say_moment(each.started_at),
    N_("State"): lambda each: _(JOB_STATUS[each.status]),
    N_("Files"): lambda each: f"{each.files_done + each.files_failed}/{each.files_total}",
    N_("not read"): lambda each: each.files_failed,
    N_("Pages"): lambda each: each.pages,
    N_("Passages"): lambda each: each.chunks,
    N_("Took"): _took,
    N_("By"): lambda each: _("you") if each.user == engine().principal.user else each.user,
    N_("Reason"): lambda each: tell(each.error) or None,
}
