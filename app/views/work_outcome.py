"""What came of a work: counts, and a line with the reason for every file that was not read."""

import streamlit as st

from agent.works import RestoreReport, Work
from app.formats import duration, number
from app.sanitise import plain
from app.session import language, say, tell
from app.texts import works as texts
from services.types import FileOutcome, IngestReport


def show(work: Work, heading: str) -> None:
    """Says it; of a check nothing, which the view of the collection's health shows."""
    if work.status == "failed":
        st.error(plain(tell(work.error or "")), title=say(texts.WORK_FAILED, work=heading))
        return
    if report := work.report:
        st.markdown(f"**{heading}** · {_counts(report)}")
        failures(not_read(work))
        _pages_missing(damaged(work))
        for warning in report.warnings:
            st.warning(plain(tell(warning)), icon=":material/error:")
    elif restored := work.restored:
        st.success(_restored(restored))
    elif work.order.kind == "remove":
        st.success(say(texts.REMOVED, document=plain(removed_document(work))))


def says_something(work: Work) -> bool:
    """Whether it has ended, and is no check that did what it should."""
    return work.status == "failed" or (work.status == "done" and work.health is None)


def not_read(work: Work) -> list[FileOutcome]:
    """The files of an ingestion that could not be read."""
    report = work.report
    return [file for file in report.files if file.status == "failed"] if report else []


def damaged(work: Work) -> list[FileOutcome]:
    """The files that went in without pages that could not be loaded."""
    report = work.report
    return [file for file in report.files if file.unread_pages] if report else []


def removed_document(work: Work) -> str:
    """The file name of a document that was taken out."""
    document = (work.result or {}).get("document")
    return str(document.get("document", "")) if isinstance(document, dict) else ""


def failures(files: list[FileOutcome]) -> None:
    """A line for each file that was not read, with the reason."""
    if files:
        lines = "\n".join(f"- {_reason(file)}" for file in files)
        st.warning(lines, title=say(texts.NOT_READ, count=len(files)), icon=":material/error:")


def _pages_missing(files: list[FileOutcome]) -> None:
    if files:
        lines = "\n".join(
            "- "
            + say(
                texts.PAGES_MISSING_OF,
                document=plain(file.document),
                pages=", ".join(map(str, file.unread_pages)),
            )
            for file in files
        )
        st.warning(lines, title=say(texts.PAGES_MISSING), icon=":material/error:")


def _reason(file: FileOutcome) -> str:
    error = tell(file.error or "")
    named = file.document in error
    return plain(error) if named else f"{plain(file.document)}: {plain(error)}"


def _counts(report: IngestReport) -> str:
    count = {
        status: sum(file.status == status for file in report.files)
        for status in ("added", "updated", "unchanged", "failed")
    }
    chunks = number(report.chunks, language())
    took = duration(report.seconds, language())
    return say(texts.INGESTED, **count, chunks=chunks, duration=took)


def _restored(report: RestoreReport) -> str:
    text = say(
        texts.RESTORED,
        name=plain(report.collection.name),
        documents=report.documents,
        chunks=report.chunks,
    )
    anew = say(texts.RESTORED_EMBEDDED, embedded=report.embedded) if report.embedded else ""
    return f"{text} {anew}".strip()
