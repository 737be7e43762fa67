"""Records of ingestions: who took what in where, how far it came, and how it ended."""

from typing import Literal

from sqlalchemy import select, true, update

from services.catalog import ids
from services.catalog.database import Database
from services.catalog.values import JobCounts, JobInfo
from services.catalog.work_models import JobRow
from services.types import CollectionInfo, Principal

SHOWN = 20


class Jobs:
    """Written by the process that ingests; read by those whose ingestions they are."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def begin(self, user: str, collection: CollectionInfo, files_total: int) -> int:
        """Record that an ingestion is under way; returns its id, which later ones exceed."""
        row = JobRow(
            user=user,
            collection_id=collection.collection_id,
            collection=collection.name,
            status="running",
            started_at=ids.now(),
            files_total=files_total,
            **JobCounts().model_dump(),
        )
        with self._database.write() as session:
            session.add(row)
            session.flush()
            return row.id

    def update(self, job_id: int, counts: JobCounts) -> None:
        """Record how far it is."""
        self._set(job_id, **counts.model_dump())

    def end(
        self,
        job_id: int,
        counts: JobCounts,
        status: Literal["done", "failed", "interrupted"],
        error: str | None = None,
    ) -> None:
        """Record how it ended; ``error`` says why it failed."""
        self._set(job_id, **counts.model_dump(), status=status, error=error, ended_at=ids.now())

    def _set(self, job_id: int, **values: object) -> None:
        with self._database.write() as session:
            session.execute(update(JobRow).where(JobRow.id == job_id).values(**values))

    def interrupt_running(self) -> list[JobInfo]:
        """Recognise what a dead process left running: for a new owner, before it ingests.

        Returns:
            These ingestions, oldest first. When they ended nobody knows: ``ended_at`` stays None.
        """
        running = JobRow.status == "running"
        with self._database.read() as session:  # most times there is nothing to write
            if session.scalar(select(JobRow.id).where(running).limit(1)) is None:
                return []
        with self._database.write() as session:
            rows = session.scalars(select(JobRow).where(running).order_by(JobRow.id)).all()
            for row in rows:
                row.status = "interrupted"
            return [as_info(row) for row in rows]

    def list(self, principal: Principal, *, most: int = SHOWN) -> list[JobInfo]:
        """The principal's ingestions, for an admin everybody's, newest first."""
        mine = true() if principal.role == "admin" else JobRow.user == principal.user
        with self._database.read() as session:
            query = select(JobRow).where(mine).order_by(JobRow.id.desc()).limit(most)
            return [as_info(row) for row in session.scalars(query)]


def as_info(row: JobRow) -> JobInfo:
    fields = {name: getattr(row, name) for name in JobInfo.model_fields if name != "job_id"}
    return JobInfo.model_validate({"job_id": row.id, **fields})
