"""The library part of the fake client: one collection, works that are done at once."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from agent.engine.changes import Ingest
from agent.engine.jobs import Job, JobState
from services.domain import CollectionInfo, DocumentInfo, IngestReport, Principal, Shelf
from services.domain.events import Event, EventRecord

NOW = "2026-11-21T22:30:00+00:00"


class FakeLibrary:
    """Needs ``collections`` and ``ingest`` of whoever inherits it."""

    collections: Callable[[], list[CollectionInfo]]
    ingest: Callable[..., IngestReport]
    principal: Principal

    def __init__(self) -> None:
        self._works: list[JobState] = []

    def shelves(self) -> list[Shelf]:
        return [
            Shelf(**info.model_dump(), own=True, subscribed=False, changeable=True)
            for info in self.collections()
        ]

    def to_summarise(self) -> tuple[str, ...]:
        return ()

    def versions(self, collection: str, document: str) -> list[DocumentInfo]:
        return []

    def ingestions(self) -> Sequence[Any]:
        return []

    def submit(self, job: Job[Any]) -> int:
        events: list[Event] = []
        assert isinstance(job, Ingest)
        report = self.ingest([Path(p) for p in job.paths], job.collection, on_event=events.append)
        work = JobState(
            number=len(self._works) + 1,
            job=job,
            status="done",
            created_at=NOW,
            stored=report.model_dump(mode="json"),
        )
        self._works.insert(0, work)
        return work.number

    def jobs(self) -> list[JobState]:
        return self._works

    def open_jobs(self) -> list[JobState]:
        return [work for work in self._works if work.open]

    def job(self, number: int) -> JobState:
        return next(work for work in self._works if work.number == number)

    def poll_job(self, number: int, after: int = 0) -> tuple[JobState, list[EventRecord]]:
        return self.job(number), []

    def exists(self, collections: Sequence[str] | None = None) -> bool:
        return False
