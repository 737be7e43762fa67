"""Whether a citation says what stands in its document: a pure check of one place."""

from bisect import bisect_right

from services.citations import verify_quote
from services.ingestion.extraction import label_ahead
from services.text import normalise
from services.types import ParsedDocument
from services.verification.reading import ClaimedCitation

SHOWN = 80


def problem_of(citation: ClaimedCitation, parsed: ParsedDocument) -> str | None:
    """What is wrong with a citation of a document; None if it holds.

    The text at the span must be the quote by the rules under which the product calls a quote
    verified: white space, hyphens at line breaks and the shape of quotation marks do not count.
    """
    start, end = citation.start, citation.end
    if not 0 <= start < end <= len(parsed.text):
        return f"the text has {len(parsed.text)} characters, and no place {start}-{end}"
    wanted = normalise(citation.quote)
    if not wanted or normalise(parsed.text[start:end]) != wanted:
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
    if not (wanted := normalise(case.text)) or normalise(parsed.text[case.start : case.end]) != (
        wanted
    ):
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
