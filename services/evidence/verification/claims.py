"""Whether citations and sentences say what stands in their documents: pure checks of each."""

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import Final, Protocol

from services.domain import PROOF, CaseSpan, EvidenceSentence, Judged, Language, ParsedDocument
from services.evidence.quotes import verify_quote
from services.evidence.verification.documents import Opened
from services.evidence.verification.reading import ClaimedCitation, ClaimedReport
from services.ingestion.extraction import label_ahead
from services.language.text import normalise

SHOWN: Final = 80
SHOWN_BEYOND: Final = 200
_AROUND: Final = 3_000
"""Characters before and after a quote in which its conditions may stand."""
_APART: Final = re.compile(r"\[[^\[\]]*\]|^#+ .*$|^[>*\-]\s", re.MULTILINE)
"""Marks of places, headings, and what begins quotes and items."""
_WORD: Final = re.compile(r"\w{2,}")


class ClaimJudge(Protocol):
    """Says what claims are worth beside evidence; ``services.evidence.judge`` is one."""

    def claims(
        self, claims: Sequence[str], pool: Sequence[EvidenceSentence], language: Language
    ) -> Sequence[Judged]: ...


OpenJudge = Callable[[], ClaimJudge]
"""Opens the judge of evidence, whose weights are loaded only where a sentence is no quote."""


def problem_of(citation: ClaimedCitation, parsed: ParsedDocument) -> str | None:
    """What is wrong with a citation of a document; None if it holds.

    The text at the span must be the quote by the rules under which the product calls a quote
    verified: white space, hyphens at line breaks and the shape of quotation marks do not count.
    """
    start, end = citation.start, citation.end
    if not 0 <= start < end <= len(parsed.text):
        return f"the text has {len(parsed.text)} characters, and no place {start}-{end}"
    if not _says(parsed, start, end, citation.quote):
        return _other_words(citation, parsed.text)
    return (
        _wrong_page(citation, parsed)
        or _wrong_section(citation, parsed)
        or _wrong_case(citation, parsed)
    )


def pages_of(parsed: ParsedDocument, start: int, end: int) -> tuple[int, int] | None:
    """First and last page (from 1) of a span; None for a format without pages."""
    if not parsed.pages:
        return None
    first = max(bisect_right(parsed.pages, start), 1)
    return first, max(bisect_right(parsed.pages, end - 1), first)


def labels_of(parsed: ParsedDocument, start: int, end: int) -> list[str]:
    """Labels of the sections that a span touches, in order; `label_ahead` ahead of the first."""
    touched = [each.label for each in parsed.sections if each.start < end and start < each.end]
    first = parsed.sections[0].start if parsed.sections else 0
    if not parsed.sections or start < first:
        touched.insert(0, label_ahead(parsed.title, parsed.text, first, parsed.pages))
    return list(dict.fromkeys(touched))


def _says(parsed: ParsedDocument, start: int, end: int, words: str) -> bool:
    wanted = normalise(words)
    return bool(wanted) and normalise(parsed.text[start:end]) == wanted


def _other_words(citation: ClaimedCitation, text: str) -> str:
    found = verify_quote(citation.quote, text) if citation.quote.strip() else None
    if found is not None:
        return (
            f"the quote does not stand at {citation.start}-{citation.end} but at "
            f"{found[0]}-{found[1]}"
        )
    there = " ".join(text[citation.start : citation.end].split())
    cut = there if len(there) <= SHOWN else there[: SHOWN - 1] + "…"
    return f"the document does not have these words; at their place it says: {cut}"


def _wrong_case(citation: ClaimedCitation, parsed: ParsedDocument) -> str | None:
    """Whether the words that say for whom or when the quote holds stand where they should."""
    case = citation.case
    if case is None:
        return None
    if not 0 <= case.start < case.end <= len(parsed.text):
        return f"the case of the quote has no place {case.start}-{case.end} in the text"
    if not _says(parsed, case.start, case.end, case.text):
        return f"the document does not have the case of the quote at {case.start}-{case.end}"
    if citation.section not in labels_of(parsed, case.start, case.end):
        return f"the case of the quote does not stand in {citation.section or 'its section'}"
    return None


def _wrong_page(citation: ClaimedCitation, parsed: ParsedDocument) -> str | None:
    pages = pages_of(parsed, citation.start, citation.end)
    if pages is None:
        return None if citation.page is None else "the document has no pages"
    first, last = pages
    if citation.page is not None and first <= citation.page <= last:
        return None
    stated = "no page" if citation.page is None else f"page {citation.page}"
    return f"the report says {stated}, the quote stands on page {first}"


def _wrong_section(citation: ClaimedCitation, parsed: ParsedDocument) -> str | None:
    labels = labels_of(parsed, citation.start, citation.end)
    if citation.section in labels:
        return None
    stated = citation.section or "no section"
    return f"the report says {stated}, the quote stands in {' and '.join(labels) or 'no section'}"


def stands_in(sentence: str, answer: str) -> bool:
    """Whether the answer that people read has a sentence, whatever its line breaks."""
    return _spaced(sentence) in _spaced(answer)


def is_quote(sentence: str, quotes: Sequence[ClaimedCitation]) -> bool:
    """Whether a sentence has the very words of one of its quotes."""
    return any(normalise(each.quote) == normalise(sentence) for each in quotes)


def says_more(
    sentence: str,
    proof: Sequence[tuple[ClaimedCitation, Opened]],
    language: str,
    judge: OpenJudge,
) -> str | None:
    """What a sentence states that its quotes do not, judged as it was when it was written."""
    if not proof or is_quote(sentence, [each for each, _ in proof]):
        return None
    pool = [_evidence(each, opened.parsed) for each, opened in proof]
    (found,) = judge().claims([sentence], pool, language)
    if found.standing in PROOF:
        return None
    told = "; ".join((found.reason, *found.words))
    if found.standing == "contradicts":
        return f"its quotes say otherwise: {told}"
    return f"its quotes may not carry it: {told}"


def _evidence(citation: ClaimedCitation, parsed: ParsedDocument | None) -> EvidenceSentence:
    """A citation as the judge reads it."""
    headings, around = _around(citation, parsed)
    case = citation.case
    return EvidenceSentence(
        document_id=citation.document_id,
        document=citation.document,
        section=citation.section,
        page=citation.page,
        start=citation.start,
        end=citation.end,
        quote=citation.quote,
        context="\n".join((*headings, around)),
        heading=headings[-1] if headings else "",
        case=CaseSpan(**case.model_dump()) if case else None,
    )


def beyond_sentences(report: ClaimedReport) -> str:
    """Words of the answer that belong to no sentence, heading, mark or gap, shortened."""
    if report.listed or not report.sentences:
        return ""
    cited = [citation for sentence in report.sentences for citation in sentence.citations]
    cases = [each.case.text.rstrip(" ,;:.") for each in cited if each.case]
    ours = (report.opening, report.closing, *report.gaps)
    rest = report.answer
    sentences = (each.text for each in report.sentences)
    for text in sorted((*ours, *sentences, *cases), key=len, reverse=True):
        if words := text.split():
            rest = re.sub(r"\s+".join(map(re.escape, words)), " ", rest)
    rest = _spaced(_APART.sub(" ", rest))
    return rest[:SHOWN_BEYOND] if _WORD.search(rest) else ""


def _around(
    citation: ClaimedCitation, parsed: ParsedDocument | None
) -> tuple[tuple[str, ...], str]:
    """Headings of a quote and the text around it, within its section."""
    if parsed is None:
        return (), ""
    start, end = max(citation.start - _AROUND, 0), citation.end + _AROUND
    for section in parsed.sections:
        if section.start <= citation.start < section.end:
            start, end = max(start, section.start), min(end, section.end)
            return tuple(section.heading_path), parsed.text[start:end]
    return (), parsed.text[start:end]


def _spaced(text: str) -> str:
    return " ".join(text.split())
