"""Records of ingestions, in the table ``jobs``."""

from typing import Any, Final, Literal

from sqlalchemy import select, true, update

from services.catalog import ids
from services.catalog.database import Repository
from services.catalog.work_models import IngestionRow
from services.domain import CollectionInfo, Principal
from services.domain.notices import Notice
from services.domain.runs import IngestionCounts, IngestionInfo

MOST_LISTED: Final = 20


class Ingestions(Repository):
    """Progress and outcome of ingestions, written by the process that ingests."""

    def begin(self, user: str, collection: CollectionInfo, files_total: int) -> int:
        """Record that an ingestion has begun; return its id, which is less than later ids."""
        row = IngestionRow(
            user=user,
            collection_id=collection.collection_id,
            collection=collection.name,
            status="running",
            started_at=ids.now(),
            files_total=files_total,
            **IngestionCounts().model_dump(),
        )
        with self._database.write() as session:
            session.add(row)
            session.flush()
            return row.job_id

    def update(self, job_id: int, counts: IngestionCounts, **more: Any) -> None:
        """Record the progress of an ingestion."""
        values = counts.model_dump() | more
        self._database.execute(
            update(IngestionRow).where(IngestionRow.job_id == job_id).values(values)
        )

    def end(
        self,
        job_id: int,
        counts: IngestionCounts,
        status: Literal["done", "failed", "interrupted"],
        error: Notice | None = None,
    ) -> None:
        """Record the outcome of an ingestion; ``error`` says why it failed."""
        self.update(job_id, counts, status=status, error=error, ended_at=ids.now())

    def interrupt_running(self, user: str | None = None) -> list[IngestionInfo]:
        """Mark what a dead process left running as interrupted.

        For a new owner, before it ingests, or for the only process that ingests for ``user``.

        Returns:
            These ingestions, oldest first. ``ended_at`` stays None, as it is unknown.
        """
        of_user = true() if user is None else IngestionRow.user == user
        running = (
            select(IngestionRow)
            .where(IngestionRow.status == "running", of_user)
            .order_by(IngestionRow.job_id)
        )
        if self._database.scalar(running) is None:  # mostly there is nothing to write
            return []
        with self._database.write() as session:
            rows = session.scalars(running).all()
            for row in rows:
                row.status = "interrupted"
            return [IngestionInfo.model_validate(row, from_attributes=True) for row in rows]

    def list(self, principal: Principal, *, most: int = MOST_LISTED) -> list[IngestionInfo]:
        """Return the principal's ingestions, for an admin everybody's, newest first."""
        visible = true() if principal.role == "admin" else IngestionRow.user == principal.user
        query = select(IngestionRow).where(visible).order_by(IngestionRow.job_id.desc())
        return self._database.values(IngestionInfo, query.limit(most))
