"""Works on the library: how far they are, a line a file, and what came of them afterwards.

A work is known by its number in the catalog, so a refresh or another window finds it again.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path, PurePath
from typing import Any, TypeVar

import streamlit as st

from agent.engine.jobs import CheckIndexes, Ingest, Job, JobState, Removed, RestoreCollection
from app.components.notices import reported
from app.components.widgets import bullets, quiet_button
from app.formats import age_s, plain
from app.locale import N_
from app.run_log import WorkLog, WorkReader
from app.session import _, engine, say_duration, say_number, settings, tell
from app.uploads import discard
from services.domain import CollectionInfo, FileOutcome, IngestReport
from services.domain.events import DocumentProgress, IngestProgress
from services.library.archive.values import RestoreReport

WORK = {
    "ingest": N_("Ingesting into “{name}”"),
    "remove": N_("Removing from “{name}”"),
    "check": N_("Checking “{name}”"),
    "repair": N_("Repairing “{name}”"),
    "rebuild": N_("Indexing “{name}” anew"),
    "restore": N_("Restoring an archive"),
}

STAGE = {
    "waits": N_("waits"),
    "parse": N_("parse"),
    "chunk": N_("chunk"),
    "embed": N_("embed {done}/{total}"),
    "index": N_("index"),
    "graph": N_("link terms"),
    "done": N_("done"),
    "unchanged": N_("already there"),
    "failed": N_("not read: {error}"),
}

T = TypeVar("T")
POLL_S = 1.0
SILENT_AFTER_S = 20.0
SHOWN_FOR_S = 24 * 3600.0
MOST_LINES = 40
TALL, HEIGHT = 10, 300
"""Lines from which on the list scrolls by itself, and how many pixels it has then."""
ICONS = {"done": "check", "unchanged": "check", "failed": "error", "waits": "schedule"}


def order(wanted: Job[Any]) -> int:
    """Orders a work that this window will tell the outcome of; its number."""
    number = engine().submit(wanted)
    _watched().add(number)
    return number


def show(collections: Sequence[CollectionInfo]) -> None:
    """Works that run, then the newest that has ended and has something to say."""
    found = engine().jobs()
    names = {info.collection_id: info.name for info in collections}
    running = tuple(work.number for work in reversed(found) if work.open)
    if running:
        _watched().update(running)
        st.fragment(_follow, run_every=POLL_S)(running, names, list(running))
    _tidy(work for work in found if not work.open)
    ended = next((work for work in found if says_something(work)), None)
    if ended is not None and _has_news(ended):
        _ended(ended, names)


def heading(work: JobState, names: dict[str, str]) -> str:
    """What is being done to which collection, as Markdown."""
    order = work.job
    kind: str = order.kind
    if isinstance(order, CheckIndexes) and (order.afresh or order.repair):
        kind = "rebuild" if order.afresh else "repair"
    collection = getattr(order, "collection", "")
    if collection is None:
        return _(WORK[kind], name=_("all collections"))
    return _(WORK[kind], name=plain(names.get(collection, collection)))


def _of_window(name: str, kind: Callable[[], T]) -> T:
    """What this window keeps of works: those it ``watched``, ``tidied`` or ``hidden``, readers."""
    kept: T = st.session_state.setdefault(f"works-{name}", kind())
    return kept


def _watched() -> set[int]:
    """Numbers of the works whose outcome this window tells."""
    return _of_window("watched", set[int])


def _readers() -> dict[int, WorkReader]:
    return _of_window("readers", dict[int, WorkReader])


def _follow(numbers: Sequence[int], names: dict[str, str], unseen: list[int]) -> None:
    """Looks once at works that run; when one has ended the whole page is drawn again.

    Not those that are ``unseen``, with which the page itself is being drawn: a button of it that
    was pressed would not be heard.
    """
    with reported():
        for number in numbers:
            reader = _readers().setdefault(number, WorkReader(number))
            work, log = reader.read(engine())
            if number in unseen:
                unseen.remove(number)
            elif not work.open:
                st.rerun()
            show_running(work, log, heading(work, names))
            if not engine().owner and age_s(log.last_at or work.created_at) > SILENT_AFTER_S:
                engine().model_name()  # an owner that died is found out by asking it anything


def _tidy(ended: Iterable[JobState]) -> None:
    """Removes what was uploaded for works, once a window: it is taken in, or never will be."""
    tidied = _of_window("tidied", set[int])
    for work in ended:
        if work.number not in tidied:
            tidied.add(work.number)
            _readers().pop(work.number, None)
            discard(settings().home, map(Path, _files(work.job)))


def _files(order: Job[Any]) -> Sequence[str]:
    if isinstance(order, Ingest):
        return order.paths
    return [order.file] if isinstance(order, RestoreCollection) else []


def _has_news(work: JobState) -> bool:
    """Failures stay for a day, in every window; a success is told by those that watched it."""
    if work.number in _of_window("hidden", set[int]):
        return False
    bad = work.status == "failed" or bool(not_read(work) or damaged(work))
    return work.number in _watched() or (bad and age_s(work.created_at) < SHOWN_FOR_S)


def _ended(work: JobState, names: dict[str, str]) -> None:
    with st.container(key="ended-work", gap="small"):
        show_outcome(work, heading(work, names))
        hide = _of_window("hidden", set[int]).add
        key = f"hide-{work.number}"
        quiet_button(_("Hide"), key, "close", on_click=hide, args=(work.number,))


def show_running(work: JobState, log: WorkLog, heading: str) -> None:
    """Draws the work as it is now."""
    with st.container(border=True, key=f"work-{work.number}"):
        st.markdown(f"**{heading}**")
        if not log.files:
            st.caption(_("waits for another work to finish"))
        if log.whole is not None:
            st.progress(log.whole.share, text=_whole(log.whole, log))
        lines = list(_lines(work, log))
        if lines:
            with st.container(height=HEIGHT if len(lines) > TALL else "content", border=False):
                st.markdown("  \n".join(lines))
        if isinstance(work.job, Ingest):
            st.caption(_("You can go on working or close the window: the ingestion goes on."))


def _whole(whole: IngestProgress, log: WorkLog) -> str:
    """Files are counted by the lines below, which are told sooner than the whole."""
    failed = max(whole.documents_failed, len(log.failed))
    done = max(whole.documents_done, len(log.failed) + len(log.finished))
    parts = [_("files: {done} of {total}", done=done, total=max(whole.documents_total, done))]
    if failed:
        parts.append(_("{failed} not read", failed=failed))
    if whole.chunks:
        speed = say_number(whole.chunks_per_s, 1)
        parts.append(
            _("passages: {chunks}, {speed} a second", chunks=say_number(whole.chunks), speed=speed)
        )
    if whole.eta_s is not None and whole.share < 1:
        parts.append(_("{duration} left", duration=say_duration(whole.eta_s)))
    return " · ".join(parts)


def _lines(work: JobState, log: WorkLog) -> Iterator[str]:
    """Of few files all, in their order; of many those that failed, move, or came last."""
    waiting = [name for name in _names(work) if name not in log.files]
    if len(log.files) + len(waiting) <= MOST_LINES:
        names = dict.fromkeys([*_names(work), *log.files])
        yield from (_line(name, log.files.get(name)) for name in names)
        return
    yield from (_line(each.document, each) for each in [*log.failed, *log.moving])
    room = max(0, MOST_LINES // 2 - len(log.failed))
    newest = log.finished[-room:] if room else []
    yield from (_line(each.document, each) for each in reversed(newest))
    if rest := len(log.finished) - len(newest):
        yield _("… and {count} more are done", count=rest)
    if waiting:
        yield _("… and {count} more wait", count=len(waiting))


def _names(work: JobState) -> list[str]:
    """Names of the files that were ordered; of folders it is not known before they are read."""
    if not isinstance(work.job, Ingest):
        return []
    paths = [PurePath(path) for path in work.job.paths]
    return [path.name for path in paths if path.suffix]


def _line(name: str, progress: DocumentProgress | None) -> str:
    stage = progress.stage if progress else "waits"
    values = progress.model_dump(include={"done", "total"}) if progress else {}
    error = plain(tell(progress.error)) if progress else ""
    what = _(STAGE[stage], error=error, **values)
    return f":material/{ICONS.get(stage, 'arrow_right')}: {plain(name)} · {what}"


def show_outcome(work: JobState, heading: str) -> None:
    """Says it; of a check nothing, which the view of the collection's health shows."""
    if work.status == "failed":
        st.error(plain(tell(work.error)), title=_("{work}: did not succeed", work=heading))
        return
    result = work.result
    if isinstance(result, IngestReport):
        st.markdown(f"**{heading}** · {_counts(result)}")
        failures(not_read(work))
        _pages_missing(damaged(work))
        for warning in result.warnings:
            st.warning(plain(tell(warning)), icon=":material/error:")
    elif isinstance(result, RestoreReport):
        st.success(_restored(result))
    elif isinstance(result, Removed):
        name = plain(result.document.document)
        st.success(_("“{document}” has been removed.", document=name))


def says_something(work: JobState) -> bool:
    """Whether it has ended, and is no check that did what it should."""
    return work.status == "failed" or (
        work.status == "done" and not isinstance(work.job, CheckIndexes)
    )


def not_read(work: JobState) -> list[FileOutcome]:
    """The files of an ingestion that could not be read."""
    return [file for file in _files_of(work) if file.status == "failed"]


def damaged(work: JobState) -> list[FileOutcome]:
    """The files that went in without pages that could not be loaded."""
    return [file for file in _files_of(work) if file.unread_pages]


def _files_of(work: JobState) -> Sequence[FileOutcome]:
    report = work.result
    return report.files if isinstance(report, IngestReport) else ()


def failures(files: list[FileOutcome]) -> None:
    """A line for each file that was not read, with the reason."""
    if files:
        title = _("{count} not read", count=len(files))
        st.warning(bullets(map(_reason, files)), title=title, icon=":material/error:")


def _pages_missing(files: list[FileOutcome]) -> None:
    if files:
        pages = {plain(file.document): ", ".join(map(str, file.unread_pages)) for file in files}
        lines = (
            _("{document}: pages {pages}. Export or download the file again.", document=k, pages=v)
            for k, v in pages.items()
        )
        st.warning(bullets(lines), title=_("Damaged pages are missing"), icon=":material/error:")


def _reason(file: FileOutcome) -> str:
    error = tell(file.error)
    named = file.document in error
    return plain(error) if named else f"{plain(file.document)}: {plain(error)}"


def _counts(report: IngestReport) -> str:
    count = dict.fromkeys(("added", "updated", "unchanged", "failed"), 0)
    count |= Counter(file.status for file in report.files)
    chunks, took = say_number(report.chunks), say_duration(report.seconds)
    return _(
        "{added} new, {updated} updated, {unchanged} already there, {failed} not read; "
        "passages: {chunks} in {duration}",
        **count,
        chunks=chunks,
        duration=took,
    )


def _restored(report: RestoreReport) -> str:
    sizes = {"documents": report.documents, "chunks": report.chunks}
    text = _(
        "“{name}” has been restored (documents: {documents}, passages: {chunks}).",
        name=plain(report.collection.name),
        **sizes,
    )
    anew = _("Embedded anew: {embedded}.", embedded=report.embedded) if report.embedded else ""
    return f"{text} {anew}".strip()
