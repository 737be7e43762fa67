"""Files on their way into a collection, one line each."""

from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from app import texts
from app.formats import duration
from app.sanitise import plain
from app.session import client, language, leave_notice, say, settings
from app.views.notices import attempt
from services.events import DocumentProgress, Event
from services.types import IngestReport

SAMPLE = "strahlenschutz"
SAMPLE_LAW = Path("strahlenschutz") / "StrlSchG.pdf"
"""One law, as ``rabbithole demo`` takes in: all five take minutes on a small machine."""
STAGE_ICON = {"done": ":material/check:", "failed": ":material/error:"}


def ingest_sample() -> None:
    """Ingests the law that ships with Rabbithole and redraws the page."""
    ingest([settings().samples / SAMPLE_LAW], SAMPLE)
    st.rerun()


def ingest(paths: Sequence[Path], collection: str) -> None:
    """Ingests and shows each file moving; leaves a notice of the outcome."""
    with st.status(say(texts.INGESTING), expanded=True):
        lines = _Lines()
        attempt(
            lambda: leave_notice(_outcome(client().ingest(paths, collection, on_event=lines.show)))
        )


class _Lines:
    """One line a document, rewritten as it moves."""

    def __init__(self) -> None:
        self._slots: dict[str, st.delta_generator.DeltaGenerator] = {}

    def show(self, event: Event) -> None:
        if not isinstance(event, DocumentProgress):
            return
        if event.document not in self._slots:
            self._slots[event.document] = st.empty()
        stage = say(
            texts.STAGE[event.stage],
            done=event.done,
            total=event.total,
            error=plain(event.error or ""),
        )
        icon = STAGE_ICON.get(event.stage, "")
        self._slots[event.document].markdown(f"{icon} {plain(event.document)} · {stage}")


def _outcome(report: IngestReport) -> str:
    count = {
        status: sum(file.status == status for file in report.files)
        for status in ("added", "updated", "unchanged", "failed")
    }
    total = say(
        texts.INGESTED, **count, chunks=report.chunks, duration=duration(report.seconds, language())
    )
    failures = [
        f"- {plain(file.error or file.document)}"
        for file in report.files
        if file.status == "failed"
    ]
    return "\n".join([total, "", *failures]) if failures else total
