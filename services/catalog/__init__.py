"""The SQL source of truth: documents, chunks, collections, access, runs and their logs."""

from services.catalog.catalog import Catalog
from services.catalog.values import (
    Alias,
    AliasKind,
    JsonObject,
    Member,
    MembershipStatus,
    StaleLease,
)

__all__ = [
    "Alias",
    "AliasKind",
    "Catalog",
    "JsonObject",
    "Member",
    "MembershipStatus",
    "StaleLease",
]
