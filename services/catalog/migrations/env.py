"""Run by Alembic for every command; the settings come from ``services.catalog.migrate``."""

from alembic import context

import services.catalog.feedback_models
import services.catalog.graph_models
import services.catalog.work_models  # noqa: F401 - its tables belong to the metadata
from services.catalog.models import Base

if context.is_offline_mode():  # writes SQL for the database named in the attributes
    context.configure(
        dialect_name=context.config.attributes["dialect"],
        target_metadata=Base.metadata,
        literal_binds=True,
    )
else:
    context.configure(
        connection=context.config.attributes["connection"],
        target_metadata=Base.metadata,
        render_as_batch=True,
    )

with context.begin_transaction():
    context.run_migrations()
