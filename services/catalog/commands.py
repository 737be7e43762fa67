"""Commands: how a process that does not own the stores reaches the one that does."""

from collections.abc import Sequence
from typing import Final, Literal

from sqlalchemy import select, update

from services.catalog import ids
from services.catalog.database import Database
from services.catalog.values import Command, JsonObject
from services.catalog.work_models import CommandRow
from services.errors import NotFound, RabbitholeError
from services.types import Principal

_OPEN: Final = ("queued", "running")


class Commands:
    """A queue in the catalog: each command is claimed by one owner, in order."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._empty_at: int | None = None

    def submit(self, principal: Principal, kind: str, payload: JsonObject) -> int:
        """Queue a command; returns its id."""
        row = CommandRow(
            user=principal.user,
            role=principal.role,
            kind=kind,
            payload=payload,
            status="queued",
            created_at=ids.now(),
        )
        with self._database.write() as session:
            session.add(row)
            session.flush()
            return row.id

    def claim(self) -> Command | None:
        """Take the oldest queued command; nobody else gets it. None when there is none.

        Made to be polled: on SQLite nothing is asked again before somebody has written to the
        catalog, and the write lock is taken only when there is something to claim.
        """
        version = self._database.version()  # before the look: what comes after it counts as new
        if self._empty_still(version):
            return None
        oldest = (
            select(CommandRow).where(CommandRow.status == "queued").order_by(CommandRow.id).limit(1)
        )
        with self._database.read() as session:
            if session.scalars(oldest).first() is None:
                self._empty_at = version
                return None
        with self._database.write() as session:
            row = session.scalars(oldest.with_for_update(skip_locked=True)).first()
            if row is None:
                return None
            row.status = "running"
            return as_command(row)

    def unchanged(self) -> bool:
        """Whether ``claim`` would find nothing, as nothing was written since it did.

        Takes microseconds and waits for nobody, so an event loop may ask; never so on PostgreSQL.
        """
        return self._empty_at is not None and self._empty_still(self._database.version())

    def _empty_still(self, version: int | None) -> bool:
        return version is not None and version == self._empty_at

    def finish(
        self, id: int, result: JsonObject | None, error: str | None, error_type: str | None
    ) -> None:
        """Record what became of a command: done, or failed when there is an error."""
        status: Literal["done", "failed"] = "done" if error is None else "failed"
        with self._database.write() as session:
            session.execute(
                update(CommandRow)
                .where(CommandRow.id == id)
                .values(status=status, result=result, error=error, error_type=error_type)
            )

    def get(self, id: int) -> Command:
        """A command by id.

        Raises:
            NotFound: there is none.
        """
        with self._database.read() as session:
            row = session.get(CommandRow, id)
            if row is None:
                raise NotFound(f"There is no command {id}.")
            return as_command(row)

    def of(self, principal: Principal, kinds: Sequence[str], *, most: int) -> list[Command]:
        """The newest commands of these kinds that the principal gave, newest first."""
        mine = (CommandRow.user == principal.user) & CommandRow.kind.in_(kinds)
        query = select(CommandRow).where(mine).order_by(CommandRow.id.desc()).limit(most)
        with self._database.read() as session:
            return [as_command(row) for row in session.scalars(query)]

    def unfinished(self, principal: Principal, kinds: Sequence[str]) -> list[Command]:
        """Commands of these kinds that the principal gave and that are not done, newest first."""
        mine = (CommandRow.user == principal.user) & CommandRow.kind.in_(kinds)
        open_ = CommandRow.status.in_(_OPEN)
        query = select(CommandRow).where(open_, mine).order_by(CommandRow.id.desc())
        with self._database.read() as session:
            return [as_command(row) for row in session.scalars(query)]

    def is_open(self, id: int) -> bool:
        """Whether a command is still to be done: it has no outcome, and nobody gave it up."""
        query = select(CommandRow.status).where(CommandRow.id == id)
        with self._database.read() as session:
            return session.scalar(query) in _OPEN

    def give_up(self, id: int, error: RabbitholeError) -> None:
        """Record that nobody wants the outcome of a command any more, unless there is one."""
        still = (CommandRow.id == id) & CommandRow.status.in_(_OPEN)
        with self._database.write() as session:
            session.execute(
                update(CommandRow)
                .where(still)
                .values(status="failed", error=str(error), error_type=type(error).__name__)
            )

    def running(self) -> list[Command]:
        """The commands that are being done, oldest first."""
        query = select(CommandRow).where(CommandRow.status == "running").order_by(CommandRow.id)
        with self._database.read() as session:
            return [as_command(row) for row in session.scalars(query)]

    def requeue_running(self) -> None:
        """Queue again what a dead owner left running: for a new owner, before it claims."""
        with self._database.write() as session:
            session.execute(
                update(CommandRow).where(CommandRow.status == "running").values(status="queued")
            )


def as_command(row: CommandRow) -> Command:
    fields = {name: getattr(row, name) for name in Command.model_fields if name != "principal"}
    return Command.model_validate(fields | {"principal": {"user": row.user, "role": row.role}})
