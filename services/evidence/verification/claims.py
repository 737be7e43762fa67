"""Whether citations and sentences say what stands in their documents: pure checks of each."""

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from services.domain import Language, ParsedDocument, SectionSpan
from services.domain.passages import title_of
from services.evidence.stated import unstated_labels, unstated_numbers
from services.evidence.verification.reading import ClaimedCitation, ClaimedReport
from services.ingestion.extraction import label_ahead
from services.language.text import normalise, normalise_mapped

SHOWN: Final = 80
SHOWN_BEYOND: Final = 200
_APART: Final = re.compile(r"\[[^\[\]]*\]|^#+ .*$|^[>*\-]\s", re.MULTILINE)
"""Marks of places, headings, and what begins quotes and items."""
_WORD: Final = re.compile(r"\w{2,}")


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


def sections_at(parsed: ParsedDocument, start: int, end: int) -> list[SectionSpan]:
    """The sections that a span touches, in order; what stands ahead of the first is one, too."""
    touched = [each for each in parsed.sections if each.start < end and start < each.end]
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
    """Labels of the sections that a span touches, each once."""
    return list(dict.fromkeys(each.label for each in sections_at(parsed, start, end)))


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


class CitedSection(NamedTuple):
    """A section that a sentence cites; ``headings`` name its document and its day, too."""

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
    """Numbers and labels of a sentence that its cited sections and the question do not state.

    It is the check that a model's sentence went through before it was shown.
    """
    sections = [each for citation, parsed in proof for each in _cited(citation, parsed)]
    return (
        *unstated_numbers(sentence, question, sections, language),
        *unstated_labels(sentence, question, sections),
    )


def _cited(citation: ClaimedCitation, parsed: ParsedDocument) -> Iterator[CitedSection]:
    """The sections that a citation touches."""
    title, day = title_of(parsed.title, citation.document), parsed.metadata.date
    for each in sections_at(parsed, citation.start, citation.end):
        yield CitedSection(
            label=each.label,
            headings="\n".join((title, str(day or ""), *each.heading_path)),
            text=parsed.text[each.start : each.end],
            language=parsed.language,
        )


def beyond_sentences(report: ClaimedReport) -> str:
    """Words of the answer that belong to no sentence, heading, mark or gap, shortened."""
    if report.listed or not report.sentences:
        return ""
    cited = [citation for sentence in report.sentences for citation in sentence.citations]
    cases = [each.case.text.rstrip(" ,;:.") for each in cited if each.case]
    ours = (report.opening, report.closing, *report.notes, *report.gaps)
    rest = report.answer
    sentences = (each.text for each in report.sentences)
    for text in sorted((*ours, *sentences, *cases), key=len, reverse=True):
        if words := text.split():
            rest = re.sub(r"\s+".join(map(re.escape, words)), " ", rest)
    rest = _spaced(_APART.sub(" ", rest))
    return rest[:SHOWN_BEYOND] if _WORD.search(rest) else ""


def _spaced(text: str) -> str:
    return " ".join(text.split())
