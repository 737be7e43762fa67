"""Jobs of the library, which every window finds by their numbers: their progress and outcome."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Any

import streamlit as st

from agent.engine.changes import CheckIndexes, Ingest, Removed
from agent.engine.jobs import Job, JobState
from app.components import summaries
from app.components.document import READING_REPORT
from app.components.widgets import bullets, quiet_button, redraw, show_errors
from app.formats import age_s, plain
from app.locale import N_
from app.run_log import JobLog
from app.session import _, engine, format_duration, format_number, notice_text, settings
from app.uploads import discard
from services.domain import CollectionInfo, DocumentInfo, FileOutcome, IngestReport
from services.domain.events import DocumentProgress, IngestProgress
from services.library.archive.export import RestoreReport

JOB = {
    "ingest": N_("Adding documents to “{name}”"),
    "remove": N_("Removing from “{name}”"),
    "check": N_("Checking “{name}”"),
    "repair": N_("Repairing “{name}”"),
    "rebuild": N_("Rebuilding the index of “{name}”"),
    "restore_document": N_("Restoring into “{name}”"),
    "restore": N_("Restoring an archive"),
}
STAGE = {
    "failed": N_("not read: {error}"),
    "parse": N_("parsing"),
    "chunk": N_("splitting"),
    "embed": N_("embedding {done} of {total}"),
    "index": N_("indexing"),
    "graph": N_("linking terms"),
    "done": N_("done"),
    "unchanged": N_("already present"),
    "waits": N_("waiting"),
}
"""If not all files fit, those in an earlier stage of this table come first."""
OUTCOME = {
    "added": N_("{count} new"),
    "updated": N_("{count} updated"),
    "unchanged": N_("{count} already present"),
    "failed": N_("{count} not read"),
}
ICONS = {"done": "check", "unchanged": "check", "failed": "error", "waits": "schedule"}
POLL_S = 1.0
SILENT_AFTER_S = 20.0
FAILURE_SHOWN_S = 24 * 3600.0
MAX_LINES = 40
TALL, HEIGHT = 10, 300
"""From so many lines on the list scrolls; its height in pixels."""


@dataclass
class _Window:
    """Numbers of the jobs that this window reports, has cleaned up after, and has hidden."""

    watched: set[int] = field(default_factory=set)
    tidied: set[int] = field(default_factory=set)
    hidden: set[int] = field(default_factory=set)
    logs: dict[int, JobLog] = field(default_factory=dict)


def _window() -> _Window:
    return st.session_state.setdefault("works", _Window())


def submit(job: Job[Any]) -> None:
    """Queue a job whose outcome this window will report."""
    _window().watched.add(engine().submit(job))


def show(collections: Sequence[CollectionInfo], *, with_summaries: bool = True) -> None:
    """Draw running jobs, and the newest finished one that has something to report."""
    newest = engine().jobs()
    names = {info.collection_id: info.name for info in collections}
    running = [job.number for job in reversed(newest) if job.open]
    if running:
        _window().watched.update(running)
        st.fragment(_follow, run_every=POLL_S)(running, names)
    summaries.show_pending()
    ended = [job for job in newest if not job.open]
    window = _window()
    for job in ended:
        if job.number not in window.tidied:
            window.tidied.add(job.number)
            window.logs.pop(job.number, None)
            discard(settings().home, map(Path, job.job.files))
    # The health view of the collection reports a check that succeeded.
    reportable = (
        job
        for job in ended
        if job.status == "failed"
        or (job.status == "done" and not isinstance(job.job, CheckIndexes))
    )
    latest = next(reportable, None)
    if latest is not None and _is_news(latest):
        with st.container(key="ended-work", gap="small"):
            _outcome(latest, heading(latest, names), with_summaries)
            hide, key = _window().hidden.add, f"hide-{latest.number}"
            quiet_button(_("Hide"), key, "close", on_click=hide, args=(latest.number,))


def heading(state: JobState, names: dict[str, str]) -> str:
    """Return what the job does to which collection, as Markdown."""
    job = state.job
    kind: str = job.kind
    if isinstance(job, CheckIndexes) and (job.afresh or job.repair):
        kind = "rebuild" if job.afresh else "repair"
    collection = getattr(job, "collection", "")
    name = _("all collections") if collection is None else plain(names.get(collection, collection))
    return _(JOB[kind], name=name)


def _follow(numbers: Sequence[int], names: dict[str, str]) -> None:
    with show_errors():
        for number in numbers:
            log = _window().logs.setdefault(number, JobLog())
            job = log.read(engine(), number)
            if not job.open:
                redraw()
            show_running(job, log, heading(job, names))
            if not engine().owner and age_s(log.last_at or job.created_at) > SILENT_AFTER_S:
                engine().settings.model_state()  # whether its owner has died


def _is_news(job: JobState) -> bool:
    """Report failures for a day in every window, successes only where the job was watched."""
    if job.number in _window().hidden:
        return False
    bad = job.status == "failed" or any(
        file.status == "failed" or file.unread_pages for file in outcomes(job)
    )
    return job.number in _window().watched or (bad and age_s(job.created_at) < FAILURE_SHOWN_S)


def show_running(job: JobState, log: JobLog, heading: str) -> None:
    """Draw the progress of a job."""
    with st.container(border=True, key=f"work-{job.number}"):
        st.markdown(f"**{heading}**")
        if not log.files:
            st.caption(_("Waiting for another job"))
        if log.total is not None:
            st.progress(log.total.share, text=_progress_text(log.total, log))
        lines = list(_file_lines(job, log))
        if lines:
            with st.container(height=HEIGHT if len(lines) > TALL else "content", border=False):
                st.markdown("  \n".join(lines))
        if isinstance(job.job, Ingest):
            st.caption(_("You can keep working or close the window; reading continues."))


def _progress_text(total: IngestProgress, log: JobLog) -> str:
    """Return the totals; files are counted by their own events, which arrive sooner."""
    failed = max(total.documents_failed, log.count("failed"))
    done = max(total.documents_done, log.count("failed", "done", "unchanged"))
    facts = [_("files: {done} of {total}", done=done, total=max(total.documents_total, done))]
    if failed:
        facts.append(_("{failed} not read", failed=failed))
    if total.chunks:
        chunks, speed = format_number(total.chunks), format_number(total.chunks_per_s, 1)
        facts.append(_("passages: {chunks}, {speed} per second", chunks=chunks, speed=speed))
    if total.eta_s is not None and total.share < 1:
        facts.append(_("{duration} left", duration=format_duration(total.eta_s)))
    return " · ".join(facts)


def _file_lines(job: JobState, log: JobLog) -> Iterator[str]:
    """Yield a line for each file; of many, first those that failed, are in progress, are done."""
    paths = [PurePath(path) for path in job.job.files] if isinstance(job.job, Ingest) else []
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
    state = _(STAGE[stage], error=error, **values)
    return f":material/{ICONS.get(stage, 'arrow_right')}: {plain(name)} · {state}"


def _outcome(job: JobState, heading: str, with_summaries: bool) -> None:
    if job.status == "failed":
        st.error(plain(notice_text(job.error)), title=_("{job}: failed", job=heading))
        return
    result = job.result
    if isinstance(result, IngestReport):
        st.markdown(f"**{heading}** · {_ingest_summary(result)}")
        show_unread_files(unread_files(job))
        if missing := [_named(f, notice_text(why)) for f in result.files for why in f.warnings]:
            st.warning(bullets(missing), title=_(READING_REPORT), icon=":material/error:")
        for warning in result.warnings:
            st.warning(plain(notice_text(warning)), icon=":material/error:")
        if with_summaries:
            new = [f.document_id for f in result.files if f.status in ("added", "updated")]
            summaries.show_new([*filter(None, new)], getattr(job.job, "collection", ""))
    elif isinstance(result, RestoreReport):
        st.success(_restore_summary(result))
    elif isinstance(result, Removed):
        name = plain(result.document.document)
        st.success(_("“{document}” has been removed.", document=name))
    elif isinstance(result, DocumentInfo):
        st.success(_("“{document}” has been restored.", document=plain(result.document)))


def unread_files(job: JobState) -> list[FileOutcome]:
    """Return the files of an ingestion that could not be read."""
    return [file for file in outcomes(job) if file.status == "failed"]


def outcomes(job: JobState) -> Sequence[FileOutcome]:
    """Return what became of each file of an ingestion."""
    report = job.result
    return report.files if isinstance(report, IngestReport) else ()


def show_unread_files(files: list[FileOutcome]) -> None:
    """Draw a line with the reason for each unread file."""
    if files:
        title = _("{count} not read", count=len(files))
        lines = bullets(_named(file, notice_text(file.error)) for file in files)
        st.warning(lines, title=title, icon=":material/error:")


def _named(file: FileOutcome, message: str) -> str:
    """Return a message about a file, with its name unless the message contains it."""
    text = plain(message)
    return text if file.document in message else f"{plain(file.document)}: {text}"


def _ingest_summary(report: IngestReport) -> str:
    count = Counter[str](file.status for file in report.files)
    facts = [_(text, count=count[status]) for status, text in OUTCOME.items() if count[status]]
    chunks, took = format_number(report.chunks), format_duration(report.seconds)
    if report.chunks:
        facts.append(_("passages: {chunks} in {duration}", chunks=chunks, duration=took))
    return " · ".join(facts)


def _restore_summary(report: RestoreReport) -> str:
    text = _(
        "“{name}” has been restored (documents: {documents}, passages: {chunks}).",
        name=plain(report.collection.name),
        documents=report.documents,
        chunks=report.chunks,
    )
    anew = _("Vectors recomputed: {embedded}.", embedded=report.embedded) if report.embedded else ""
    return f"{text} {anew}".strip()
