"""A job as the queue has it, for those who look at works."""

from dataclasses import dataclass
from typing import Any

from pydantic import JsonValue

from agent.engine.jobs import Job, job_of
from services.catalog.values import JobStatus, QueuedJob
from services.domain.notices import Notice


@dataclass(frozen=True)
class JobState:
    """A job that was submitted and what became of it; ``created_at`` is ISO 8601 in UTC.

    Jobs that change the stores wait for each other, so one that is ``running`` may wait.
    """

    number: int
    job: Job[Any]
    status: JobStatus
    created_at: str
    error: Notice | None = None
    stored: JsonValue = None

    @classmethod
    def of(cls, queued: QueuedJob) -> "JobState":
        """How a job in the queue is."""
        return cls(
            number=queued.id,
            job=job_of(queued),
            status=queued.status,
            created_at=queued.created_at,
            error=queued.error if queued.status == "failed" else None,
            stored=queued.result,
        )

    @property
    def open(self) -> bool:
        """Whether it is still to be done."""
        return self.status in ("queued", "running")

    @property
    def result(self) -> Any:
        """What came of it; None unless it is done."""
        return None if self.stored is None else self.job.result_of(self.stored)
