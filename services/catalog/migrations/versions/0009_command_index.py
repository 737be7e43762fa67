"""An index of commands by who gave them and their kind."""

from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index("ix_commands_user_kind_id", "commands", ["user", "kind", "id"], unique=False)


def downgrade() -> None:
    op.drop_index("ix_commands_user_kind_id", table_name="commands")
