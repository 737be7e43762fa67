"""The health of a collection: the last check of its indexes, and what was ingested."""

from collections.abc import Iterator, Sequence
from datetime import datetime

import streamlit as st

from agent.engine.changes import Checked, CheckIndexes, Ingest
from agent.engine.jobs import JobState
from app.components.library_jobs import outcomes, show_unread_files, submit, unread_files
from app.components.widgets import attempt_and_rerun, bullets, button, confirm_button, paginate
from app.formats import age_s, plain
from app.labels import STATUS
from app.locale import N_
from app.session import _, engine, format_duration, format_number, format_time, notice_text
from services.domain import CollectionHealth, Shelf
from services.domain.runs import IngestionInfo

DAMAGE = {
    "missing_vectors": N_("Passages missing from the semantic index: {count}"),
    "missing_keywords": N_("Passages missing from the keyword index: {count}"),
    "lost": N_("Sampled passages not found by a search: {count}"),
    "unfinished": N_("Not fully read: {names}"),
    "lost_originals": N_(
        "The original is missing, has changed or cannot be read: {names}. Add the file again."
    ),
}
MAX_INGESTIONS = 20
JOB_STATUS = STATUS | {"interrupted": N_("interrupted, will resume")}


def show(shelf: Shelf) -> None:
    """Draw the last check and what can be done, and what was ingested."""
    newest = engine().jobs()
    if shelf.changeable:
        _checks(shelf, newest)
    _ingestions(shelf, newest)


def _checks(shelf: Shelf, newest: list[JobState]) -> None:
    here = shelf.collection_id
    busy = any(job.open and isinstance(job.job, CheckIndexes) for job in newest)
    health = _last_check(shelf, newest)
    if health is None:
        text = _(
            "Not checked yet. The check compares both indexes with the catalog, searches for "
            "sampled passages and reads every original."
        )
        st.caption(text)

    def check(**how: bool) -> None:
        attempt_and_rerun(lambda: submit(CheckIndexes(collection=here, **how)))

    why = _(
        "Rebuilds both indexes of this collection with the current embedding model. The files"
        " are not read again. Until this is finished, searches may miss documents."
    )
    repairable = health is not None and not health.healthy and health.problem is None
    with st.container(horizontal=True):
        if button(_("Check now"), "check", "search_check", disabled=busy):
            check(repair=False)
        if repairable and button(_("Repair"), "repair", "build", type="primary", disabled=busy):
            check(repair=True)
        if confirm_button(
            _("Rebuild the index"), why, _("Rebuild the index"), "rebuild", "refresh", disabled=busy
        ):
            check(repair=True, afresh=True)


def _last_check(shelf: Shelf, newest: list[JobState]) -> CollectionHealth | None:
    """Draw the last check of a collection and return its result, without files read since."""
    later = list[JobState]()
    for job in newest:
        for health in job.result.collections if isinstance(job.result, Checked) else ():
            if health.collection_id == shelf.collection_id:
                current = _without_read(health, later)
                _show_health(current)
                when = format_time(job.created_at)
                changed = _("checked {when}; the collection has changed since", when=when)
                st.caption(changed if later else _("checked {when}", when=when))
                return current
        if _changes(job, shelf) and job.status == "done":
            later.append(job)
    return None


def _without_read(health: CollectionHealth, later: Sequence[JobState]) -> CollectionHealth:
    """Return the result of a check without the files that were read after it."""
    read = {file.document for job in later for file in outcomes(job) if file.status != "failed"}
    damaged = {"unfinished": health.unfinished, "lost_originals": health.lost_originals}
    left = {name: tuple(f for f in files if f not in read) for name, files in damaged.items()}
    return health.model_copy(update=left)


def _changes(job: JobState, shelf: Shelf) -> bool:
    names = (shelf.collection_id, shelf.name)
    return not isinstance(job.job, CheckIndexes) and getattr(job.job, "collection", "") in names


def _show_health(health: CollectionHealth) -> None:
    if health.healthy:
        well = _(
            "No problems found: all {chunks} passages can be found, and all originals are present.",
            chunks=format_number(health.chunks),
        )
        st.success(well, icon=":material/check:")
    elif health.problem is not None:
        st.error(plain(notice_text(health.problem)), title=_("Needs a new index"))
    else:
        st.warning(bullets(_damage(health)), title=_("Repair needed"))


def _damage(health: CollectionHealth) -> Iterator[str]:
    for name, text in DAMAGE.items():
        value: int | tuple[str, ...] = getattr(health, name)
        if isinstance(value, tuple) and value:
            yield _(text, names=plain(", ".join(value)))
        elif value:
            yield _(text, count=value)


def _ingestions(shelf: Shelf, newest: list[JobState]) -> None:
    st.subheader(_("Added documents"), anchor=False)
    here = shelf.collection_id
    rows = [row for row in engine().library.ingestions() if row.collection_id == here]
    if not rows:
        st.caption(_("You have not added anything here yet. Add files under “Documents”."))
        return
    for row in paginate(rows, MAX_INGESTIONS, f"ingestions-{here}"):
        st.markdown(f"**{format_time(row.started_at)}** · {' · '.join(_facts(row))}")
    read_later = set[str]()
    for job in newest:
        if not isinstance(job.job, Ingest) or not _changes(job, shelf):
            continue
        files = [file for file in unread_files(job) if file.document not in read_later]
        read_later.update(file.document for file in outcomes(job))
        if files:
            when = format_time(job.created_at)
            with st.expander(_("{count} not read on {when}", count=len(files), when=when)):
                show_unread_files(files)


def _facts(row: IngestionInfo) -> Iterator[str]:
    yield _(JOB_STATUS[row.status])
    done = row.files_done + row.files_failed
    yield _("files: {done} of {total}", done=done, total=row.files_total)
    if row.files_failed:
        yield _("{failed} not read", failed=row.files_failed)
    if row.pages:
        yield _("pages: {pages}", pages=row.pages)
    yield _("passages: {chunks}", chunks=format_number(row.chunks))
    if row.ended_at is not None:  # an interrupted one has no known end
        yield format_duration(age_s(row.started_at, datetime.fromisoformat(row.ended_at)))
    if row.user != engine().principal.user:
        yield _("by {owner}", owner=plain(row.user))
    if row.error is not None:
        yield plain(notice_text(row.error))
