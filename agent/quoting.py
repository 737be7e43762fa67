"""Quotes as a reader needs them: with the words around them that they cannot be read without."""

from collections.abc import Sequence

from services.catalog.texts import Texts
from services.domain import CaseSpan, Citation, CitedSentence
from services.evidence.alone import standing_alone


def readable_alone(
    sentences: Sequence[CitedSentence], texts: Texts, headings: Sequence[str] = ()
) -> list[tuple[int, CitedSentence]]:
    """Sentences with their quotes as they can be read alone, each with its index.

    Quotes that need the same words become one, at the place of the first; with headings, those
    under the same one.
    """
    lines: list[tuple[int, CitedSentence]] = []
    for number, sentence in enumerate(sentences):
        whole = _widened(sentence, texts)
        for n, (first, above) in enumerate(lines):
            apart = headings and headings[first] != headings[number]
            if not apart and (joined := _joined(above, whole, texts)):
                lines[n] = first, joined
                break
        else:
            lines.append((number, whole))
    return [(number, with_recognised(sentence, texts)) for number, sentence in lines]


def with_recognised(sentence: CitedSentence, texts: Texts) -> CitedSentence:
    """The sentence, with a mark at places where words, or their case, were read from a picture."""

    def marked(citation: Citation) -> Citation:
        spans = (each for each in (citation, citation.case) if each is not None)
        parsed = texts.parsed(citation.document_id)
        is_read = any(parsed.is_recognised(span.start, span.end) for span in spans)
        return citation.model_copy(update={"recognised": is_read})

    return sentence.model_copy(update={"citations": tuple(map(marked, sentence.citations))})


def _widened(sentence: CitedSentence, texts: Texts) -> CitedSentence:
    own = sentence.quoted
    citations = {n: _alone(each, texts) for n, each in enumerate(sentence.citations)}
    text = next((citations[n].quote for n, c in enumerate(sentence.citations) if c is own), None)
    changes = {"citations": tuple(citations.values()), "text": text or sentence.text}
    return sentence.model_copy(update=changes)


def _alone(citation: Citation, texts: Texts) -> Citation:
    """A citation of all that its quote cannot be read without; an unverified one as it is."""
    if not citation.verified:
        return citation
    text, case = texts.text(citation.document_id), citation.case
    start, end = citation.start, citation.end
    first, last = texts.section_of(citation.document_id, start)
    quote, found = standing_alone(
        text,
        (start, end),
        (case.start, case.end) if case else None,
        (min(first, start), max(last, end)),
    )
    return _placed(citation, *quote, found, texts)


def _placed(
    citation: Citation, start: int, end: int, case: tuple[int, int] | None, texts: Texts
) -> Citation:
    """The citation with other spans."""
    parsed = texts.parsed(citation.document_id)
    text = parsed.text
    span = CaseSpan(text=text[slice(*case)], start=case[0], end=case[1]) if case else None
    section = parsed.section_at(start)
    headings = parsed.sections[section].heading_path if section >= 0 else ()
    own = headings[-1:] if citation.section in "".join(headings[-1:]) else headings[1:][-2:]
    changes = {"start": start, "end": end, "quote": text[start:end], "case": span}
    changes |= {"heading": " › ".join(own)}
    return citation.model_copy(update={**changes, "page": parsed.page_at(start)})


def _joined(one: CitedSentence, other: CitedSentence, texts: Texts) -> CitedSentence | None:
    """One quote for two that lie in each other or in each other's case, one behind the other."""
    here, there = one.quoted, other.quoted
    if here is None or there is None or here.document_id != there.document_id:
        return None
    first, second = sorted((here, there), key=lambda each: each.start)
    between = second.case
    needed = between and between.start < first.end and first.start < between.end
    if second.start >= first.end and not needed:
        return None
    end = max(first.end, second.end)
    case = (first.case.start, first.case.end) if first.case else None
    whole = _placed(first, first.start, end, case, texts)
    return one.model_copy(update={"text": whole.quote, "citations": (whole,)})
