"""What a thread is: research, or a conversation of quick answers."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    kind = sa.Column("kind", sa.Text(), nullable=False, server_default="research")
    op.add_column("runs", kind)


def downgrade() -> None:
    op.drop_column("runs", "kind")
