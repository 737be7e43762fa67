"""The SQL source of truth: documents, chunks, collections, access, runs and their logs."""

from services.catalog.catalog import Catalog
from services.catalog.values import (
    Alias,
    AliasKind,
    Command,
    JobStatus,
    JsonObject,
    Member,
    MembershipStatus,
    RunStatus,
    StaleLease,
)
from services.domain.collections import Visibility
from services.domain.runs import RunInfo

__all__ = [
    "Alias",
    "AliasKind",
    "Catalog",
    "Command",
    "JobStatus",
    "JsonObject",
    "Member",
    "MembershipStatus",
    "RunInfo",
    "RunStatus",
    "StaleLease",
    "Visibility",
]
