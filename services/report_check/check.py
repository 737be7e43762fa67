"""Check a report against its documents: files, spans and quotes, then what its sentences state.

A report is somebody else's text: nothing in it is believed, and what the check finds may quote it.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from pydantic import JsonValue

from services.domain import PROOF, Language, ParsedDocument, SectionSpan, Standing
from services.domain.passages import title_of
from services.domain.value import Value
from services.evidence.grounding import ungrounded_labels, ungrounded_numbers
from services.ingestion.parse import FileParser
from services.ingestion.parsers.extraction import label_ahead
from services.language.text.normal import normalise, normalise_mapped
from services.report_check.report import (
    CheckedDocument,
    ClaimedCitation,
    ClaimedReport,
    ClaimedSentence,
    Opener,
)

MOST_SHOWN: Final = 80
MOST_BEYOND: Final = 200
_APART: Final = re.compile(r"\[[^\[\]]*\]|^#+ .*$|^[>*\-]\s", re.MULTILINE)
"""Citation marks, headings, and the marks of quotes and list items."""
_WORD: Final = re.compile(r"\w{2,}")


def problem_of(citation: ClaimedCitation, parsed: ParsedDocument) -> str | None:
    """Return what is wrong with a citation of a document, None if it holds.

    The text at the span must equal the quote after normalisation: white space, hyphens at line
    breaks and the shape of quotation marks do not count.
    """
    start, end, case = citation.start, citation.end, citation.case
    if not 0 <= start < end <= len(parsed.text):
        return f"the text has only {len(parsed.text)} characters, so there is no span {start}-{end}"
    if not _has_words(parsed, start, end, citation.quote):
        return _other_words(citation, parsed.text)
    pages, labels = pages_of(parsed, start, end), labels_of(parsed, start, end)
    if pages is None and citation.page is not None:
        return "the document has no pages"
    if pages and not (citation.page and pages[0] <= citation.page <= pages[1]):
        stated = "no page" if citation.page is None else f"page {citation.page}"
        return f"the report says {stated}, but the quote is on page {pages[0]}"
    if citation.section not in labels:
        stated, actual = citation.section or "no section", " and ".join(labels) or "no section"
        return f"the report says {stated}, but the quote is in {actual}"
    if case is None:
        return None
    if not 0 <= case.start < case.end <= len(parsed.text):
        return f"there is no span {case.start}-{case.end} in the text for the case of the quote"
    if not _has_words(parsed, case.start, case.end, case.text):
        return f"the case of the quote is not at {case.start}-{case.end} of the document"
    if citation.section not in labels_of(parsed, case.start, case.end):
        return f"the case of the quote is not in {citation.section or 'its section'}"
    return None


def pages_of(parsed: ParsedDocument, start: int, end: int) -> tuple[int, int] | None:
    """Return the first and last page (from 1) of a span, None for a format without pages."""
    first = parsed.page_at(start)
    return None if first is None else (first, parsed.page_at(max(start, end - 1)) or first)


def sections_at(parsed: ParsedDocument, start: int, end: int) -> list[SectionSpan]:
    """Return the sections that a span touches, including text before the first section."""
    touched = [
        section for section in parsed.sections if section.start < end and start < section.end
    ]
    first = parsed.sections[0].start if parsed.sections else 0
    if not parsed.sections or start < first:
        ahead = SectionSpan(
            label=label_ahead(parsed.title, parsed.text, first, parsed.pages),
            title="",
            level=0,
            start=0,
            end=first or len(parsed.text),
            heading_path=(),
        )
        touched.insert(0, ahead)
    return touched


def labels_of(parsed: ParsedDocument, start: int, end: int) -> list[str]:
    """Return the labels of the sections that a span touches, each once."""
    return list(dict.fromkeys(section.label for section in sections_at(parsed, start, end)))


def _has_words(parsed: ParsedDocument, start: int, end: int, words: str) -> bool:
    normal = normalise(words)
    return bool(normal) and normalise(parsed.text[start:end]) == normal


def _other_words(citation: ClaimedCitation, text: str) -> str:
    normal, quote = normalise_mapped(text), normalise(citation.quote).strip('" …')
    index = normal.text.find(quote) if quote else -1
    if index >= 0:
        start, end = normal.span(index, index + len(quote))
        return f"the quote is not at {citation.start}-{citation.end} but at {start}-{end}"
    actual = " ".join(text[citation.start : citation.end].split())
    cut = actual if len(actual) <= MOST_SHOWN else actual[: MOST_SHOWN - 1] + "…"
    return f"the document does not contain these words; there it says: {cut}"


class CitedSection(NamedTuple):
    """A section that a sentence cites; ``headings`` include its document's title and date."""

    label: str
    headings: str
    text: str
    language: Language


def unstated(
    sentence: str,
    proof: Sequence[tuple[ClaimedCitation, ParsedDocument]],
    question: str,
    language: Language,
) -> tuple[str, ...]:
    """Return the numbers and labels of a sentence that its sections and question do not state."""
    sections = [section for citation, parsed in proof for section in _cited(citation, parsed)]
    return (
        *ungrounded_numbers(sentence, question, sections, language),
        *ungrounded_labels(sentence, question, sections),
    )


def _cited(citation: ClaimedCitation, parsed: ParsedDocument) -> Iterator[CitedSection]:
    title, day = title_of(parsed.title, citation.document), parsed.metadata.date
    for section in sections_at(parsed, citation.start, citation.end):
        yield CitedSection(
            label=section.label,
            headings="\n".join((title, str(day or ""), *section.heading_path)),
            text=parsed.text[section.start : section.end],
            language=parsed.language,
        )


def beyond_sentences(report: ClaimedReport) -> str:
    """Return words of the answer that belong to no sentence, heading, mark or gap, shortened."""
    if report.listed or not report.sentences:
        return ""
    cited = [citation for sentence in report.sentences for citation in sentence.citations]
    cases = [citation.case.text.rstrip(" ,;:.") for citation in cited if citation.case]
    ours = (report.opening, report.closing, *report.notes, *report.gaps)
    remainder = report.answer
    sentences = (sentence.text for sentence in report.sentences)
    for text in sorted((*ours, *sentences, *cases), key=len, reverse=True):
        if words := text.split():
            remainder = re.sub(r"\s+".join(map(re.escape, words)), " ", remainder)
    remainder = _spaced(_APART.sub(" ", remainder))
    return remainder[:MOST_BEYOND] if _WORD.search(remainder) else ""


def _spaced(text: str) -> str:
    return " ".join(text.split())


Documents = Mapping[str, CheckedDocument]
OWN_DOUBT: Final[Mapping[Standing, str]] = {
    "loose": "the report itself says that it is not shown to follow from its quotes",
    "contradicts": "the report itself says that its quotes contradict it",
    "none": "the report itself says that it has no support",
}


class Failure(Value):
    """A citation that does not hold, or a sentence without one that does, and why.

    ``sentence`` is None for a citation outside sentences, ``citation`` where the sentence fails.
    """

    sentence: str | None
    citation: dict[str, JsonValue] | None
    reason: str


class Remark(Value):
    """Something that a reader should know although every citation holds."""

    sentence: str | None
    remark: str


class ReportCheck(Value):
    """The result; ``ok`` if nothing failed. ``checked`` counts citations, repeated ones too."""

    ok: bool
    checked: int
    sentences: int
    failed: tuple[Failure, ...]
    remarks: tuple[Remark, ...]
    documents: tuple[CheckedDocument, ...]


def check_reports(
    reports: Sequence[ClaimedReport],
    folder: Path,
    parser: FileParser,
    originals: Path | None = None,
) -> ReportCheck:
    """Check every citation of reports, as `read_report` returns them; see `Opener`."""
    sources = [source for report in reports for source in report.sources]
    opener = Opener(sources, folder, originals, parser)
    failed: list[Failure] = []
    remarks: list[Remark] = []
    documents: dict[tuple[str, str], CheckedDocument] = {}
    for report in reports:
        opened = {document.document_id: opener.open(document) for document in report.sources}
        failed += _failures(report, opened)
        remarks += _remarks(report)
        documents |= {(d.document, d.sha256): d for d in opened.values()}
    return ReportCheck(
        ok=not failed,
        checked=sum(1 for report in reports for _ in _claims(report)),
        sentences=sum(len(report.sentences) for report in reports),
        failed=tuple(failed),
        remarks=tuple(remarks),
        documents=tuple(documents.values()),
    )


def _claims(report: ClaimedReport) -> Iterator[tuple[str | None, ClaimedCitation]]:
    """Yield every citation of a report, with its sentence if it has one.

    Gathered quotes may be from documents that are not sources; these are skipped.
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
        if not report.listed and _spaced(sentence.text) not in _spaced(report.answer):
            reason = "the text of the answer does not contain this sentence"
            yield Failure(sentence=sentence.text, citation=None, reason=reason)


def _problem(citation: ClaimedCitation, opened: Documents) -> str | None:
    document = opened.get(citation.document_id)
    if document is None:
        return "its document is not one of the sources of the report"
    if document.parsed is None:
        return document.remark
    if document.document != citation.document:
        return f"the report lists this document as {document.document}"
    problem = problem_of(citation, document.parsed)
    return f"{problem} ({document.remark})" if problem and document.remark else problem


def _holding(
    sentence: ClaimedSentence, opened: Documents
) -> list[tuple[ClaimedCitation, ParsedDocument]]:
    """Return the citations of a sentence that hold, each with its document."""
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
        return f"it is called {called}, but its standing is {standing}"
    if not sentence.supported:
        return None
    if not sentence.citations:
        return "it is called supported but has no citation"
    holding = _holding(sentence, opened)
    if not holding:
        return "it is called supported, but none of its citations is right"
    if normalise(sentence.text) in [normalise(citation.quote) for citation, _ in holding]:
        return None
    if standing == "quote":
        return "it is called a quote, but its words differ from those of its citations"
    words = unstated(sentence.text, holding, report.full_question, report.language)
    return f"neither its sections nor the question contain: {', '.join(words)}" if words else None


def _remarks(report: ClaimedReport) -> Iterator[Remark]:
    for sentence in report.sentences:
        if not sentence.supported:
            doubt = OWN_DOUBT[sentence.standing or "none"]
            yield Remark(sentence=sentence.text, remark=doubt)
    if words := beyond_sentences(report):
        yield Remark(
            sentence=None, remark=f"the answer has words that are not part of a sentence: {words}"
        )
