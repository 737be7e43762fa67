"""What front ends are given besides text: the client's values, and when a thread is at work."""

from typing import Final

from services.archive.values import ExportReport
from services.catalog import Visibility
from services.catalog.feedback import VoteInfo
from services.catalog.values import JobInfo, RunCost, RunInfo
from services.configuration import EffectiveParameter
from services.engine_checks import EmbedderCheck, ModelCheck
from services.thresholds import Threshold, Thresholds

__all__ = [
    "ACTIVE",
    "EffectiveParameter",
    "EmbedderCheck",
    "ExportReport",
    "JobInfo",
    "ModelCheck",
    "RunCost",
    "RunInfo",
    "Threshold",
    "Thresholds",
    "Visibility",
    "VoteInfo",
]

ACTIVE: Final = ("queued", "running")
"""Of the states of a thread."""
