"""The end of rows that nobody needs any more."""

from datetime import UTC, datetime, timedelta
from typing import Final

from sqlalchemy import ColumnElement, String, cast, delete, func, literal, select
from sqlalchemy.orm import InstrumentedAttribute

from services.catalog.database import Repository
from services.catalog.queue import OPEN
from services.catalog.values import LOG_OF_JOB
from services.catalog.work_models import EventRow, IngestionRow, ModelReplyRow, QueuedJobRow

MOST: Final = 20_000
"""Rows of a table that stay, the newest, however young the others are."""


class Retention(Repository):
    """Outcomes and progress of jobs, and the model replies that a replay of a trace needs."""

    def clear(self, days: int, most: int = MOST) -> int:
        """Delete what is older than ``days`` or beyond the newest ``most``; return how many rows.

        What is under way stays, and so does all that a thread shows.
        """
        before = (datetime.now(UTC) - timedelta(days=days)).isoformat()
        job, ingestion, reply = QueuedJobRow, IngestionRow, ModelReplyRow

        def is_old(
            at: InstrumentedAttribute[str], n: InstrumentedAttribute[int]
        ) -> ColumnElement[bool]:
            return (at < before) | (n <= select(func.max(n)).scalar_subquery() - most)

        ended = job.status.not_in(OPEN) & is_old(job.created_at, job.id)
        logs = select(literal(LOG_OF_JOB) + cast(job.id, String)).where(ended)
        done = (ingestion.status != "running") & is_old(ingestion.started_at, ingestion.job_id)
        return self._database.execute(
            delete(EventRow).where(EventRow.thread_id.in_(logs)),
            delete(job).where(ended),
            delete(ingestion).where(done),
            delete(reply).where(is_old(reply.at, reply.seq)),
        )
