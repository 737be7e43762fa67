"""Whether a report still says what its documents say; needs neither store nor model."""

from services.evidence.verification.documents import Limits
from services.evidence.verification.reading import ClaimedReport, read_report
from services.evidence.verification.verify import (
    CheckedDocument,
    Failure,
    Remark,
    Verification,
    verify,
)

__all__ = [
    "CheckedDocument",
    "ClaimedReport",
    "Failure",
    "Limits",
    "Remark",
    "Verification",
    "read_report",
    "verify",
]
