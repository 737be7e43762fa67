"""The progress of commands under ids that no run can have."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

OLD, NEW = "ingest-", "command:"


def upgrade() -> None:
    rename(OLD, NEW)


def downgrade() -> None:
    rename(NEW, OLD)


def rename(old: str, new: str) -> None:
    """A run may bear the old name too: only what is told by no run is told by a command."""
    events = sa.table("events", sa.column("thread_id", sa.Text()), sa.column("kind", sa.Text()))
    progress = events.c.kind.in_(("document_progress", "ingest_progress"))
    number = sa.func.substr(events.c.thread_id, len(old) + 1)
    renamed = sa.update(events).values(thread_id=sa.literal(new).concat(number))
    op.execute(renamed.where(progress, events.c.thread_id.startswith(old, autoescape=True)))
