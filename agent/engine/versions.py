"""What differs between two versions of a document, and which threads rest on what changed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agent.engine.reports import answers_of, cited_by
from services.domain import DocumentInfo, OpenDocument
from services.domain.runs import RunInfo
from services.evidence.sides import Piece as Piece
from services.library.comparison import SectionChange as SectionChange
from services.library.comparison import compare


@dataclass(frozen=True)
class Comparison:
    """``citing`` are threads that cite a section of the older version that is no more the same."""

    old: DocumentInfo
    new: DocumentInfo
    changes: Sequence[SectionChange]
    citing: Sequence[RunInfo]


def compared(
    old: OpenDocument, new: OpenDocument, naming: Sequence[tuple[RunInfo, Mapping[str, Any]]]
) -> Comparison:
    """The two beside each other.

    Args:
        old: the older version.
        new: the newer one.
        naming: threads with their reports in which the older one is named.
    """
    changes = compare(old.parsed, new.parsed)
    labels = {change.before.label for change in changes if change.before}

    def rests(report: Mapping[str, Any]) -> bool:
        return any(
            cited["document_id"] == old.info.document_id and cited["section"] in labels
            for cited in cited_by(answers_of(report))
        )

    citing = [run for run, report in naming if report and rests(report)]
    return Comparison(old.info, new.info, changes, citing)
