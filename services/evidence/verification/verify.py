"""A report against its documents: files, spans and quotes, then what the sentences state.

What a verification finds has words of the report, which are somebody else's text.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from pydantic import JsonValue

from services.domain import PROOF, ParsedDocument, Standing
from services.domain.value import Value
from services.evidence.verification.claims import (
    beyond_sentences,
    is_quote,
    problem_of,
    stands_in,
    unstated,
)
from services.evidence.verification.documents import Opened, Opener
from services.evidence.verification.reading import ClaimedCitation, ClaimedReport, ClaimedSentence
from services.ingestion.parse import FileParser

Documents = Mapping[str, Opened]
OWN_DOUBT: Final[Mapping[Standing, str]] = {
    "loose": "the report itself says that it is not shown to follow from its quotes",
    "contradicts": "the report itself says that its quotes say otherwise",
    "none": "the report itself says that it has no support",
}


class Failure(Value):
    """A citation, or a sentence that needs one, that does not hold, and why.

    ``sentence`` is None for a place that the report lists apart from its sentences, ``citation``
    None where the sentence itself is at fault.
    """

    sentence: str | None
    citation: dict[str, JsonValue] | None
    reason: str


class Remark(Value):
    """Something that a reader should know though every citation holds."""

    sentence: str | None
    remark: str


class CheckedDocument(Value):
    """A document that the report names. ``path`` is relative to the folder that was searched."""

    document: str
    sha256: str
    found: bool
    path: str | None = None
    remark: str | None = None


class Verification(Value):
    """``ok``: nothing failed. ``checked`` counts citations, each as often as it is given."""

    ok: bool
    checked: int
    sentences: int
    failed: tuple[Failure, ...]
    remarks: tuple[Remark, ...]
    documents: tuple[CheckedDocument, ...]


def verify(
    reports: Sequence[ClaimedReport],
    folder: Path,
    parser: FileParser,
    originals: Path | None = None,
) -> Verification:
    """Checks every citation of a report, or of the turns of a conversation.

    Args:
        reports: as `read_report` gives them.
        folder: where the documents are looked for, with all folders in it.
        parser: the one that ingestion uses.
        originals: where a home keeps its files under their SHA-256.
    """
    sources = [source for report in reports for source in report.sources]
    opener = Opener(sources, folder, originals, parser)
    failed: list[Failure] = []
    remarks: list[Remark] = []
    documents: dict[tuple[str, str], CheckedDocument] = {}
    for report in reports:
        opened = {each.document_id: opener.open(each, report.language) for each in report.sources}
        failed += _failures(report, opened)
        remarks += _remarks(report)
        for each in opened.values():
            document, sha256 = each.source.document, each.source.sha256
            documents[document, sha256] = CheckedDocument(
                document=document,
                sha256=sha256,
                found=each.found,
                path=each.path,
                remark=each.problem or each.other_parser,
            )
    return Verification(
        ok=not failed,
        checked=sum(1 for report in reports for _ in _claims(report)),
        sentences=sum(len(report.sentences) for report in reports),
        failed=tuple(failed),
        remarks=tuple(remarks),
        documents=tuple(documents.values()),
    )


def _claims(report: ClaimedReport) -> Iterator[tuple[str | None, ClaimedCitation]]:
    """Every place that a report proves something with; with its sentence, if it has one.

    Quotes that were gathered and are not in the answer may be of documents that are no sources.
    """
    for sentence in report.sentences:
        yield from ((sentence.text, citation) for citation in sentence.citations)
    sources = {source.document_id for source in report.sources}
    gathered = (quote for quote in report.quotes if quote.document_id in sources)
    yield from ((None, citation) for citation in (*report.citations, *gathered))


def _failures(report: ClaimedReport, opened: Documents) -> Iterator[Failure]:
    for text, citation in _claims(report):
        if citation.verified and (problem := _problem(citation, opened)):
            yield Failure(sentence=text, citation=citation.model_dump(), reason=problem)
    for sentence in report.sentences:
        if problem := _unproven(sentence, report, opened):
            yield Failure(sentence=sentence.text, citation=None, reason=problem)
        if not report.listed and not stands_in(sentence.text, report.answer):
            said = "the text of the answer does not have this sentence"
            yield Failure(sentence=sentence.text, citation=None, reason=said)


def _problem(citation: ClaimedCitation, opened: Documents) -> str | None:
    known = opened.get(citation.document_id)
    if known is None:
        return "its document is not among the sources of the report"
    if known.parsed is None:
        return known.problem
    if known.source.document != citation.document:
        return f"among its sources the report calls this document {known.source.document}"
    problem = problem_of(citation, known.parsed)
    return f"{problem} ({known.other_parser})" if problem and known.other_parser else problem


def _holding(
    sentence: ClaimedSentence, opened: Documents
) -> list[tuple[ClaimedCitation, ParsedDocument]]:
    """The citations of a sentence that hold, each with the text of its document."""
    return [
        (citation, parsed)
        for citation in sentence.citations
        if citation.verified and _problem(citation, opened) is None
        if (parsed := opened[citation.document_id].parsed) is not None
    ]


def _unproven(sentence: ClaimedSentence, report: ClaimedReport, opened: Documents) -> str | None:
    standing = sentence.standing
    if standing is not None and sentence.supported != (standing in PROOF):
        called = "supported" if sentence.supported else "unsupported"
        return f"it is called {called}, and its standing is {standing}"
    if not sentence.supported:
        return None
    if not sentence.citations:
        return "it is called supported and has no citation"
    holding = _holding(sentence, opened)
    if not holding:
        return "it is called supported, and none of its citations holds"
    if is_quote(sentence.text, [citation for citation, _ in holding]):
        return None
    if standing == "quote":
        return "it is called a quote, and has other words than its citations"
    words = unstated(sentence.text, holding, report.asked, report.language)
    return f"neither its sections nor the question state: {', '.join(words)}" if words else None


def _remarks(report: ClaimedReport) -> Iterator[Remark]:
    for sentence in report.sentences:
        if not sentence.supported:
            doubt = OWN_DOUBT[sentence.standing or "none"]
            yield Remark(sentence=sentence.text, remark=doubt)
    if rest := beyond_sentences(report):
        yield Remark(sentence=None, remark=f"the answer has words that are no sentence: {rest}")
