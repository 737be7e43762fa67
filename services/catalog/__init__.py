"""The SQL source of truth: documents, chunks, collections, access, runs and their logs."""

from services.catalog.catalog import Catalog
from services.catalog.values import (
    Alias,
    AliasKind,
    JobStatus,
    JsonObject,
    Member,
    MembershipStatus,
    StaleLease,
)

__all__ = [
    "Alias",
    "AliasKind",
    "Catalog",
    "JobStatus",
    "JsonObject",
    "Member",
    "MembershipStatus",
    "StaleLease",
]
