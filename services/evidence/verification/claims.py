"""Whether citations and sentences say what stands in their documents: pure checks of each."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from services.domain import PROOF, EvidenceSentence, ParsedDocument
from services.evidence.verification.documents import Opened
from services.evidence.verification.reading import ClaimedCitation, ClaimedReport
from services.ingestion.extraction import label_ahead
from services.language.text import normalise, normalise_mapped

if TYPE_CHECKING:  # it needs numpy, which most verifications can do without
    from services.evidence.judge import Judge

SHOWN: Final = 80
SHOWN_BEYOND: Final = 200
_AROUND: Final = 3_000
"""Characters before and after a quote in which its conditions may stand."""
_APART: Final = re.compile(r"\[[^\[\]]*\]|^#+ .*$|^[>*\-]\s", re.MULTILINE)
"""Marks of places, headings, and what begins quotes and items."""
_WORD: Final = re.compile(r"\w{2,}")


OpenJudge = Callable[[], "Judge"]
"""Opens the judge of evidence, whose weights are loaded only where a sentence is no quote."""


def problem_of(citation: ClaimedCitation, parsed: ParsedDocument) -> str | None:
    """What is wrong with a citation of a document; None if it holds.

    The text at the span must be the quote by the rules under which the product calls a quote
    verified: white space, hyphens at line breaks and the shape of quotation marks do not count.
    """
    return next(_problems(citation, parsed), None)


def _problems(citation: ClaimedCitation, parsed: ParsedDocument) -> Iterator[str]:
    """The problems, the first of which may be the cause of the others."""
    start, end, case = citation.start, citation.end, citation.case
    if not 0 <= start < end <= len(parsed.text):
        yield f"the text has {len(parsed.text)} characters, and no place {start}-{end}"
    if not _says(parsed, start, end, citation.quote):
        yield _other_words(citation, parsed.text)
    pages, labels = pages_of(parsed, start, end), labels_of(parsed, start, end)
    if pages is None and citation.page is not None:
        yield "the document has no pages"
    if pages and not (citation.page and pages[0] <= citation.page <= pages[1]):
        stated = "no page" if citation.page is None else f"page {citation.page}"
        yield f"the report says {stated}, the quote stands on page {pages[0]}"
    if citation.section not in labels:
        stated, found = citation.section or "no section", " and ".join(labels) or "no section"
        yield f"the report says {stated}, the quote stands in {found}"
    if case is None:
        return
    if not 0 <= case.start < case.end <= len(parsed.text):
        yield f"the case of the quote has no place {case.start}-{case.end} in the text"
    if not _says(parsed, case.start, case.end, case.text):
        yield f"the document does not have the case of the quote at {case.start}-{case.end}"
    if citation.section not in labels_of(parsed, case.start, case.end):
        yield f"the case of the quote does not stand in {citation.section or 'its section'}"


def pages_of(parsed: ParsedDocument, start: int, end: int) -> tuple[int, int] | None:
    """First and last page (from 1) of a span; None for a format without pages."""
    first = parsed.page_at(start)
    return None if first is None else (first, parsed.page_at(max(start, end - 1)) or first)


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
    whole, wanted = normalise_mapped(text), normalise(citation.quote).strip('" …')
    place = whole.text.find(wanted) if wanted else -1
    if place >= 0:
        start, end = whole.span(place, place + len(wanted))
        return f"the quote does not stand at {citation.start}-{citation.end} but at {start}-{end}"
    there = " ".join(text[citation.start : citation.end].split())
    cut = there if len(there) <= SHOWN else there[: SHOWN - 1] + "…"
    return f"the document does not have these words; at their place it says: {cut}"


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
    """What a sentence states that its quotes do not, judged as it was when it was written.

    What they nearly say was read again by its writer, which no verification does.
    """
    if not proof or is_quote(sentence, [each for each, _ in proof]):
        return None
    pool = [_evidence(each, opened.parsed) for each, opened in proof]
    (found,) = judge().claims([sentence], pool, language)
    if found.nearly or found.standing in PROOF:
        return None
    told = "; ".join((found.reason, *found.words))
    if found.standing == "contradicts":
        return f"its quotes say otherwise: {told}"
    return f"its quotes may not carry it: {told}"


def _evidence(citation: ClaimedCitation, parsed: ParsedDocument | None) -> EvidenceSentence:
    """A citation as the judge reads it: with its headings and the text around it."""
    text, sections = (parsed.text, parsed.sections) if parsed else ("", ())
    start, end = max(citation.start - _AROUND, 0), citation.end + _AROUND
    headings: tuple[str, ...] = ()
    for section in sections:
        if section.start <= citation.start < section.end:
            start, end = max(start, section.start), min(end, section.end)
            headings = tuple(section.heading_path)
            break
    context = "\n".join((*headings, text[start:end]))
    last = headings[-1] if headings else ""
    return EvidenceSentence(**dict(citation) | {"context": context, "heading": last})


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


def _spaced(text: str) -> str:
    return " ".join(text.split())
