"""The tables that version 0.1 ended with: a new catalog is made from the models at once."""

revision = "0015"
down_revision = None


def upgrade() -> None:
    """Nothing: no catalog is older, see ``services.catalog.migrate``."""
