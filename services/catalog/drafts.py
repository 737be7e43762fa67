"""Drafts: what a person is preparing as the answer to an open question of a thread."""

from sqlalchemy import delete

from services.catalog import ids
from services.catalog.database import Database
from services.catalog.values import JsonObject
from services.catalog.work_models import DraftRow
from services.types import Principal


class Drafts:
    """One draft a person and question; the last word counts. Answering forgets it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(
        self, thread_id: str, interrupt_id: str, payload: JsonObject, principal: Principal
    ) -> None:
        """Keep the draft in place of an earlier one."""
        row = DraftRow(
            thread_id=thread_id,
            interrupt_id=interrupt_id,
            user=principal.user,
            payload=payload,
            updated_at=ids.now(),
        )
        with self._database.write() as session:
            session.merge(row)

    def get(self, thread_id: str, interrupt_id: str, principal: Principal) -> JsonObject | None:
        """The draft as it was kept last, None if there is none."""
        with self._database.read() as session:
            row = session.get(DraftRow, (thread_id, interrupt_id, principal.user))
            return None if row is None else row.payload

    def forget(self, thread_id: str, interrupt_id: str) -> None:
        """Drop everybody's drafts of a question that has its answer."""
        of_question = (DraftRow.thread_id == thread_id, DraftRow.interrupt_id == interrupt_id)
        with self._database.write() as session:
            session.execute(delete(DraftRow).where(*of_question))
