"""Names and origins of runs; events by their kind."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for name in ("title", "parent_thread", "parent_checkpoint"):
        op.add_column("runs", sa.Column(name, sa.Text(), nullable=True))
    op.add_column("events", sa.Column("kind", sa.Text(), nullable=False, server_default=""))
    events = sa.table("events", sa.column("kind", sa.Text()), sa.column("event", sa.JSON()))
    op.execute(sa.update(events).values(kind=events.c.event["kind"].as_string()))
    op.create_index("ix_events_kind_thread_id", "events", ["kind", "thread_id"], unique=False)


def downgrade() -> None:
    op.drop_index("ix_events_kind_thread_id", table_name="events")
    op.drop_column("events", "kind")
    for name in ("parent_checkpoint", "parent_thread", "title"):
        op.drop_column("runs", name)
