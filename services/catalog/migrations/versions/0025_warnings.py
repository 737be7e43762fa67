"""What was not read of a file, told again wherever its document is shown."""

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"


def upgrade() -> None:
    op.add_column("extractions", sa.Column("warnings", sa.JSON(), nullable=True))
