"""Answers to interrupts: of several, the first counts."""

from sqlalchemy.exc import IntegrityError

from services.catalog import ids
from services.catalog.database import Database
from services.catalog.values import JsonObject
from services.catalog.work_models import AnswerRow
from services.errors import AlreadyAnswered
from services.types import Principal


class Answers:
    """What people answered; a unique key decides between them, not their order of arrival."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(
        self, thread_id: str, interrupt_id: str, payload: JsonObject, principal: Principal
    ) -> None:
        """Record the answer.

        Raises:
            AlreadyAnswered: there is one; this one is not kept.
        """
        row = AnswerRow(
            thread_id=thread_id,
            interrupt_id=interrupt_id,
            payload=payload,
            user=principal.user,
            created_at=ids.now(),
        )
        try:
            with self._database.write() as session:
                session.add(row)
        except IntegrityError as error:
            raise AlreadyAnswered(
                f"This question of the thread {thread_id!r} was answered already. "
                "Look at the run to see how it went on."
            ) from error

    def get(self, thread_id: str, interrupt_id: str) -> JsonObject | None:
        """The answer that counts, None while there is none."""
        with self._database.read() as session:
            row = session.get(AnswerRow, (thread_id, interrupt_id))
            return None if row is None else row.payload
