"""Sentences of an answer: quotes as a reader needs them, their case and their standing."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from agent.prompts import say
from services.catalog.texts import Texts
from services.domain import CaseSpan, Citation, CitedSentence, Language, Standing
from services.evidence.quotes import widen_quote
from services.export.layout import case_of


def verbatim(evidence: Citation) -> CitedSentence:
    """Return a quote as a sentence; its text is the catalog's own, so that it is verified."""
    return CitedSentence(
        text=evidence.quote,
        supported=True,
        standing="quote",
        citations=(evidence.bare(),),
    )


def standings_of(sentences: Iterable[CitedSentence]) -> dict[Standing, int]:
    """Count the sentences by standing."""
    return dict(Counter(sentence.standing for sentence in sentences))


def unproven(sentence: CitedSentence, language: Language) -> str:
    """Return the mark of a sentence whose citations are no proof, or that has none."""
    match sentence.standing:
        case "contradicts":
            return say(language, "contradicted")
        case "loose" if sentence.citations:
            return say(language, "not_shown")
    return say(language, "no_support")


def with_case(sentence: CitedSentence) -> str:
    """Return the sentence; before a quote, for whom or when it holds."""
    text = " ".join(sentence.text.split())
    cases = [case_of(c) for c in sentence.citations if c.quote == sentence.text]
    return f"{cases[0]} »{text}«" if any(cases[:1]) else text


def paragraphs(
    lines: Iterable[tuple[str, str, CitedSentence]], marks: Callable[[CitedSentence], str]
) -> list[str]:
    """Return sentences as Markdown blocks, each followed by its marks.

    A heading stands once above its sentences; prose runs on, items and rows stand below each other,
    and a verbatim sentence is a block quote.

    Args:
        lines: heading ("" for none), form and sentence; the form is ``prose``, ``list`` or
            ``table``.
        marks: returns the marks of a sentence.
    """
    blocks: list[str] = []
    above, before = "", ""
    for heading, form, sentence in lines:
        if heading and heading != above:
            blocks.append(f"## {' '.join(heading.split())}")
            before = ""
        above = heading
        form = "quote" if sentence.quoted else form
        text = f"{with_case(sentence)} {marks(sentence)}"
        text = {"quote": f"> {text}", "prose": text}.get(form, f"- {text}")
        if form != before or form == "quote":
            blocks.append(text)
        else:
            blocks[-1] += f" {text}" if form == "prose" else f"\n{text}"
        before = form
    return blocks


def readable_alone(
    sentences: Sequence[CitedSentence], texts: Texts, headings: Sequence[str] = ()
) -> list[tuple[int, CitedSentence]]:
    """Return sentences with quotes that can be read alone, each with its index.

    Quotes that need the same words become one, at the place of the first; with headings, those
    under the same one.
    """
    lines: list[tuple[int, CitedSentence]] = []
    for number, sentence in enumerate(sentences):
        widened = _widen(sentence, texts)
        for n, (first, above) in enumerate(lines):
            apart = headings and headings[first] != headings[number]
            if not apart and (joined := _join(above, widened, texts)):
                lines[n] = first, joined
                break
        else:
            lines.append((number, widened))
    return [(number, with_recognised(sentence, texts)) for number, sentence in lines]


def with_recognised(sentence: CitedSentence, texts: Texts) -> CitedSentence:
    """Mark the citations whose words, or case, were read from a picture."""

    def marked(citation: Citation) -> Citation:
        spans = (span for span in (citation, citation.case) if span is not None)
        parsed = texts.parsed(citation.document_id)
        is_recognised = any(parsed.is_recognised(span.start, span.end) for span in spans)
        return citation.model_copy(update={"recognised": is_recognised})

    return sentence.model_copy(update={"citations": tuple(map(marked, sentence.citations))})


def _widen(sentence: CitedSentence, texts: Texts) -> CitedSentence:
    citations = tuple(_alone(citation, texts) for citation in sentence.citations)
    pairs = zip(sentence.citations, citations, strict=True)
    text = next((new.quote for old, new in pairs if old is sentence.quoted), None)
    return sentence.model_copy(update={"citations": citations, "text": text or sentence.text})


def _alone(citation: Citation, texts: Texts) -> Citation:
    """Return a citation of all that its quote needs to be read; an unverified one as it is."""
    if not citation.verified:
        return citation
    text, case = texts.text(citation.document_id), citation.case
    start, end = citation.start, citation.end
    first, last = texts.section_of(citation.document_id, start)
    quote, new_case = widen_quote(
        text,
        (start, end),
        (case.start, case.end) if case else None,
        (min(first, start), max(last, end)),
    )
    return _moved(citation, *quote, new_case, texts)


def _moved(
    citation: Citation, start: int, end: int, case: tuple[int, int] | None, texts: Texts
) -> Citation:
    """Return the citation with other spans, and the page and heading of these."""
    parsed = texts.parsed(citation.document_id)
    text = parsed.text
    span = CaseSpan(text=text[slice(*case)], start=case[0], end=case[1]) if case else None
    section = parsed.section_at(start)
    headings = parsed.sections[section].heading_path if section >= 0 else ()
    last = headings[-1:]
    titles = last if citation.section in "".join(last) else headings[1:][-2:]
    return citation.model_copy(
        update={
            "start": start,
            "end": end,
            "quote": text[start:end],
            "case": span,
            "heading": " › ".join(titles),
            **parsed.page_fields(start),
        }
    )


def _join(one: CitedSentence, other: CitedSentence, texts: Texts) -> CitedSentence | None:
    """Return one quote for two of which one needs words of the other, None if neither does."""
    if one.quoted is None or other.quoted is None:
        return None
    if one.quoted.document_id != other.quoted.document_id:
        return None
    first, second = sorted((one.quoted, other.quoted), key=lambda citation: citation.start)
    needs_first = second.case and second.case.start < first.end and first.start < second.case.end
    if second.start >= first.end and not needs_first:
        return None
    end = max(first.end, second.end)
    case = (first.case.start, first.case.end) if first.case else None
    joined = _moved(first, first.start, end, case, texts)
    return one.model_copy(update={"text": joined.quote, "citations": (joined,)})
