"""What front ends are given besides text: the client's values, and when a thread is at work."""

from typing import Final

from services.catalog import Visibility as Visibility
from services.catalog.feedback import VoteInfo as VoteInfo
from services.catalog.values import IngestionInfo as IngestionInfo
from services.catalog.values import RunCost as RunCost
from services.domain.runs import RunInfo as RunInfo
from services.library.archive.values import ExportReport as ExportReport
from services.library.configuration import EffectiveParameter as EffectiveParameter
from services.library.thresholds import Threshold as Threshold
from services.library.thresholds import Thresholds as Thresholds
from services.models.checks import EmbedderCheck as EmbedderCheck
from services.models.checks import ModelCheck as ModelCheck

ACTIVE: Final = ("queued", "running")
"""Of the states of a thread."""
