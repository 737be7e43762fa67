"""The SQL source of truth: documents, chunks, collections, access, runs and their logs."""

from services.catalog.catalog import Catalog
from services.catalog.values import (
    Alias,
    AliasKind,
    Command,
    CommandStatus,
    JsonObject,
    Member,
    MembershipStatus,
    RunInfo,
    RunStatus,
    StaleLease,
    Visibility,
)

__all__ = [
    "Alias",
    "AliasKind",
    "Catalog",
    "Command",
    "CommandStatus",
    "JsonObject",
    "Member",
    "MembershipStatus",
    "RunInfo",
    "RunStatus",
    "StaleLease",
    "Visibility",
]
