"""Works on the library: how far they are, what came of them, and whether all can be found.

A work is known by its number in the catalog, so a refresh or another window finds it again.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path, PurePath
from typing import Any

import streamlit as st

from agent.engine.jobs import Checked, CheckIndexes, Ingest, Job, JobState, Removed
from app.components.notices import attempt_and_rerun, show_errors
from app.components.widgets import bullets, button, confirm_button, quiet_button, redraw, table
from app.formats import age_s, plain
from app.labels import STATUS
from app.locale import N_
from app.run_log import JobLog
from app.session import (
    _,
    engine,
    format_duration,
    format_number,
    format_time,
    notice_text,
    settings,
)
from app.uploads import discard
from services.domain import (
    CollectionHealth,
    CollectionInfo,
    DocumentInfo,
    FileOutcome,
    IngestReport,
    Shelf,
)
from services.domain.events import DocumentProgress, IngestProgress
from services.domain.runs import IngestionInfo
from services.library.archive.values import RestoreReport

JOB = {
    "ingest": N_("Ingesting into “{name}”"),
    "remove": N_("Removing from “{name}”"),
    "check": N_("Checking “{name}”"),
    "repair": N_("Repairing “{name}”"),
    "rebuild": N_("Rebuilding the index of “{name}”"),
    "restore_document": N_("Restoring into “{name}”"),
    "restore": N_("Restoring an archive"),
}
STAGE = {
    "failed": N_("not read: {error}"),
    "parse": N_("parse"),
    "chunk": N_("chunk"),
    "embed": N_("embed {done}/{total}"),
    "index": N_("index"),
    "graph": N_("link terms"),
    "done": N_("done"),
    "unchanged": N_("already there"),
    "waits": N_("waits"),
}
"""Of more files than are shown, those come first that are in a stage which is named earlier."""
ICONS = {"done": "check", "unchanged": "check", "failed": "error", "waits": "schedule"}
POLL_S = 1.0
SILENT_AFTER_S = 20.0
FAILURE_SHOWN_S = 24 * 3600.0
MAX_LINES = 40
TALL, HEIGHT = 10, 300
"""Lines from which on the list scrolls by itself, and how many pixels it has then."""


@dataclass
class _Window:
    """Numbers of the works whose outcome a window tells, has cleared up after, and has hidden."""

    watched: set[int] = field(default_factory=set)
    tidied: set[int] = field(default_factory=set)
    hidden: set[int] = field(default_factory=set)
    logs: dict[int, JobLog] = field(default_factory=dict)


def _window() -> _Window:
    window: _Window = st.session_state.setdefault("works", _Window())
    return window


def submit(job: Job[Any]) -> None:
    """Orders a work that this window will tell the outcome of."""
    _window().watched.add(engine().submit(job))


def show(collections: Sequence[CollectionInfo]) -> None:
    """Works that run, then the newest that has ended and has something to say."""
    newest = engine().jobs()
    names = {info.collection_id: info.name for info in collections}
    running = [work.number for work in reversed(newest) if work.open]
    if running:
        _window().watched.update(running)
        st.fragment(_follow, run_every=POLL_S)(running, names)
    ended = [work for work in newest if not work.open]
    for work in ended:
        _discard_uploads(work)
    # Of a check that did what it should, the view of the collection's health tells.
    telling = (
        work
        for work in ended
        if work.status == "failed"
        or (work.status == "done" and not isinstance(work.job, CheckIndexes))
    )
    latest = next(telling, None)
    if latest is not None and _is_news(latest):
        with st.container(key="ended-work", gap="small"):
            _outcome(latest, heading(latest, names))
            hide, key = _window().hidden.add, f"hide-{latest.number}"
            quiet_button(_("Hide"), key, "close", on_click=hide, args=(latest.number,))


def heading(work: JobState, names: dict[str, str]) -> str:
    """What is being done to which collection, as Markdown."""
    job = work.job
    kind: str = job.kind
    if isinstance(job, CheckIndexes) and (job.afresh or job.repair):
        kind = "rebuild" if job.afresh else "repair"
    collection = getattr(job, "collection", "")
    name = _("all collections") if collection is None else plain(names.get(collection, collection))
    return _(JOB[kind], name=name)


def _follow(numbers: Sequence[int], names: dict[str, str]) -> None:
    """Looks once at works that run; when one has ended the whole page is drawn again."""
    with show_errors():
        for number in numbers:
            log = _window().logs.setdefault(number, JobLog())
            work = log.read(engine(), number)
            if not work.open:
                redraw()
            show_running(work, log, heading(work, names))
            if not engine().owner and age_s(log.last_at or work.created_at) > SILENT_AFTER_S:
                engine().settings.model_state()  # whether its owner has died


def _discard_uploads(ended: JobState) -> None:
    """Removes what was uploaded for a work, once a window: it is taken in, or never will be."""
    window = _window()
    if ended.number not in window.tidied:
        window.tidied.add(ended.number)
        window.logs.pop(ended.number, None)
        discard(settings().home, map(Path, ended.job.files))


def _is_news(work: JobState) -> bool:
    """Failures stay for a day, in every window; a success is told by those that watched it."""
    if work.number in _window().hidden:
        return False
    bad = work.status == "failed" or any(
        file.status == "failed" or file.unread_pages for file in _outcomes(work)
    )
    return work.number in _window().watched or (bad and age_s(work.created_at) < FAILURE_SHOWN_S)


def show_running(work: JobState, log: JobLog, heading: str) -> None:
    """Draws the work as it is now."""
    with st.container(border=True, key=f"work-{work.number}"):
        st.markdown(f"**{heading}**")
        if not log.files:
            st.caption(_("Waiting for another job"))
        if log.whole is not None:
            st.progress(log.whole.share, text=_progress_text(log.whole, log))
        lines = list(_file_lines(work, log))
        if lines:
            with st.container(height=HEIGHT if len(lines) > TALL else "content", border=False):
                st.markdown("  \n".join(lines))
        if isinstance(work.job, Ingest):
            st.caption(_("You can go on working or close the window: the ingestion goes on."))


def _progress_text(whole: IngestProgress, log: JobLog) -> str:
    """Files are counted by the lines below, which are told sooner than the whole."""
    failed = max(whole.documents_failed, log.count("failed"))
    done = max(whole.documents_done, log.count("failed", "done", "unchanged"))
    parts = [_("files: {done} of {total}", done=done, total=max(whole.documents_total, done))]
    if failed:
        parts.append(_("{failed} not read", failed=failed))
    if whole.chunks:
        chunks, speed = format_number(whole.chunks), format_number(whole.chunks_per_s, 1)
        parts.append(_("passages: {chunks}, {speed} a second", chunks=chunks, speed=speed))
    if whole.eta_s is not None and whole.share < 1:
        parts.append(_("{duration} left", duration=format_duration(whole.eta_s)))
    return " · ".join(parts)


def _file_lines(work: JobState, log: JobLog) -> Iterator[str]:
    """Of few files all, in their order; of many those that failed, move, are done, then others.

    Names are known of files that were ordered; those in folders are not before they are read.
    """
    paths = [PurePath(path) for path in work.job.files] if isinstance(work.job, Ingest) else []
    ordered = [path.name for path in paths if path.suffix]
    names = list(dict.fromkeys([*ordered, *log.files]))
    stages = list(STAGE)
    if len(names) > MAX_LINES:
        names.sort(key=lambda name: stages.index(_stage(log.files.get(name))))
    yield from (_file_line(name, log.files.get(name)) for name in names[:MAX_LINES])
    if len(names) > MAX_LINES:
        yield _("… and {count} more", count=len(names) - MAX_LINES)


def _stage(progress: DocumentProgress | None) -> str:
    return progress.stage if progress else "waits"


def _file_line(name: str, progress: DocumentProgress | None) -> str:
    stage = _stage(progress)
    values = progress.model_dump(include={"done", "total"}) if progress else {}
    error = plain(notice_text(progress.error)) if progress else ""
    shown = _(STAGE[stage], error=error, **values)
    return f":material/{ICONS.get(stage, 'arrow_right')}: {plain(name)} · {shown}"


def _outcome(work: JobState, heading: str) -> None:
    if work.status == "failed":
        st.error(plain(notice_text(work.error)), title=_("{work}: did not succeed", work=heading))
        return
    result = work.result
    if isinstance(result, IngestReport):
        st.markdown(f"**{heading}** · {_ingest_summary(result)}")
        show_unread_files(unread_files(work))
        if missing := [_named(f, notice_text(why)) for f in result.files for why in f.warnings]:
            st.warning(bullets(missing), title=_("Pages are missing"), icon=":material/error:")
        for warning in result.warnings:
            st.warning(plain(notice_text(warning)), icon=":material/error:")
    elif isinstance(result, RestoreReport):
        st.success(_restore_summary(result))
    elif isinstance(result, Removed):
        name = plain(result.document.document)
        st.success(_("“{document}” has been removed.", document=name))
    elif isinstance(result, DocumentInfo):
        st.success(_("“{document}” is back.", document=plain(result.document)))


def unread_files(work: JobState) -> list[FileOutcome]:
    """The files of an ingestion that could not be read."""
    return [file for file in _outcomes(work) if file.status == "failed"]


def _outcomes(work: JobState) -> Sequence[FileOutcome]:
    report = work.result
    return report.files if isinstance(report, IngestReport) else ()


def show_unread_files(files: list[FileOutcome]) -> None:
    """A line for each file that was not read, with the reason."""
    if files:
        title = _("{count} not read", count=len(files))
        lines = bullets(_named(file, notice_text(file.error)) for file in files)
        st.warning(lines, title=title, icon=":material/error:")


def _named(file: FileOutcome, said: str) -> str:
    """What is said of a file, with its name unless that is in it."""
    return plain(said) if file.document in said else f"{plain(file.document)}: {plain(said)}"


def _ingest_summary(report: IngestReport) -> str:
    count = dict.fromkeys(("added", "updated", "unchanged", "failed"), 0)
    count |= Counter(file.status for file in report.files)
    return _(
        "{added} new, {updated} updated, {unchanged} already there, {failed} not read; "
        "passages: {chunks} in {duration}",
        **count,
        chunks=format_number(report.chunks),
        duration=format_duration(report.seconds),
    )


def _restore_summary(report: RestoreReport) -> str:
    text = _(
        "“{name}” has been restored (documents: {documents}, passages: {chunks}).",
        name=plain(report.collection.name),
        documents=report.documents,
        chunks=report.chunks,
    )
    anew = _("Embedded again: {embedded}.", embedded=report.embedded) if report.embedded else ""
    return f"{text} {anew}".strip()


DAMAGE = {
    "missing_vectors": N_("Passages that the search by meaning lacks: {count}"),
    "missing_keywords": N_("Passages that the search by words lacks: {count}"),
    "lost": N_("Samples that are not found again: {count}"),
    "unfinished": N_("Not ingested to the end: {names}"),
    "lost_originals": N_(
        "The original is missing, has changed or cannot be read: {names}. Ingest the file again."
    ),
}
JOB_STATUS = STATUS | {"interrupted": N_("interrupted, is taken up again")}


def show_health(shelf: Shelf) -> None:
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
        _show_health(health)
        st.caption(_("checked {when}", when=format_time(checked_at)))

    def check(**how: bool) -> None:
        attempt_and_rerun(lambda: submit(CheckIndexes(collection=here, **how)))

    why = _(
        "Rebuilds both indexes of this collection with the current embedding model. "
        "Texts are not read again. Until it is done, searches do not find "
        "everything."
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


def _show_health(health: CollectionHealth) -> None:
    if health.healthy:
        well = _(
            "All is well: all passages ({chunks}) can be found, all originals are there.",
            chunks=format_number(health.chunks),
        )
        st.success(well, icon=":material/check:")
    elif health.problem is not None:
        st.error(plain(notice_text(health.problem)), title=_("Needs a new index"))
    else:
        st.warning(bullets(_damage(health)), title=_("There is something to repair"))


def _damage(health: CollectionHealth) -> Iterator[str]:
    """A line for each thing that is wrong, as Markdown."""
    for name, text in DAMAGE.items():
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
        files = unread_files(work)
        here = (shelf.collection_id, shelf.name)
        if files and isinstance(work.job, Ingest) and work.job.collection in here:
            when = format_time(work.created_at)
            with st.expander(_("{count} not read on {when}", count=len(files), when=when)):
                show_unread_files(files)


def _duration(ingestion: IngestionInfo) -> str | None:
    """How long it took; nobody knows when what was interrupted has ended."""
    if ingestion.ended_at is None:
        return None
    return format_duration(age_s(ingestion.started_at, datetime.fromisoformat(ingestion.ended_at)))


_COLUMNS: Mapping[str, Callable[[IngestionInfo], object]] = {
    N_("Started"): lambda each: format_time(each.started_at),
    N_("State"): lambda each: _(JOB_STATUS[each.status]),
    N_("Files"): lambda each: f"{each.files_done + each.files_failed}/{each.files_total}",
    N_("not read"): lambda each: each.files_failed,
    N_("Pages"): lambda each: each.pages,
    N_("Passages"): lambda each: each.chunks,
    N_("Took"): _duration,
    N_("By"): lambda each: _("you") if each.user == engine().principal.user else each.user,
    N_("Reason"): lambda each: notice_text(each.error) or None,
}
