"""The SQL source of truth: documents, chunks, collections, access, runs and their logs."""

from services.catalog.catalog import Catalog
from services.catalog.values import Alias, Member, StaleLease

__all__ = ["Alias", "Catalog", "Member", "StaleLease"]
