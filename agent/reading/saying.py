"""Say: claims as sentences of an answer, each with its places."""

from collections.abc import Iterable, Sequence

from agent.context import Context
from agent.prompts import say
from agent.reading.prove import Claim
from agent.reading.sections import Section
from agent.reading.values import Cut, Quote, ReadSpan, Replaced
from agent.sentences import readable_alone, verbatim
from services.domain import Citation, CitedSentence, Language
from services.domain.notices import Notice
from services.domain.passages import page_at


def said(claims: Sequence[Claim], sections: Sequence[Cut], context: Context) -> list[CitedSentence]:
    """The claims as sentences; the quotes of one that is not proven take its place.

    A quote that a proven claim cites does not stand beside it.
    """
    cited = {quote for claim in claims if not claim.fault for quote in claim.quotes}
    sentences: list[CitedSentence] = []
    for claim in claims:
        quotes = [each for each in claim.quotes if not claim.fault or each not in cited]
        citations = [citation(each, sections, context) for each in quotes]
        if claim.fault:
            sentences += verbatims(citations, context)
        else:
            sentences.append(following(claim.text, citations))
    return list(dict.fromkeys(sentences))


def verbatims(citations: Iterable[Citation], context: Context) -> list[CitedSentence]:
    """Quotes as sentences of their own, with the words that they cannot be read without."""
    lines = readable_alone([verbatim(each) for each in citations], context.catalog.documents)
    return [sentence for _, sentence in lines]


def following(text: str, citations: Iterable[Citation]) -> CitedSentence:
    """A sentence that was proven and verified by its citations."""
    return CitedSentence(text=text, supported=True, standing="follows", citations=tuple(citations))


def citation(quote: Quote, sections: Sequence[Cut], context: Context) -> Citation:
    """The place of a quote; ``sections`` are those that its number counts."""
    section = sections[quote.section]
    pages = context.catalog.documents.page_starts(section.text_id)
    return Citation(
        document=section.document,
        document_id=section.document_id,
        page=page_at(pages, quote.start),
        section=section.label,
        start=quote.start,
        end=quote.end,
        quote=quote.text,
        verified=True,
        heading=section.heading_path[-1] if section.heading_path else "",
    )


def read_spans(sections: Iterable[Section]) -> tuple[ReadSpan, ...]:
    """What a model was shown."""
    return tuple(
        ReadSpan(
            document=each.document,
            section=each.label,
            start=each.pieces[0][0],
            end=each.pieces[-1][1],
            tokens=each.tokens,
            how=each.way.how,
        )
        for each in sections
    )


def replacements(sections: Iterable[Cut]) -> tuple[Replaced, ...]:
    """Which sections others were shown to change or replace."""
    found = (
        Replaced(document=each.way.document, section=each.way.label, by=each.document)
        for each in sections
        if each.way.how == "change"
    )
    return tuple(dict.fromkeys(found))


def draft(claim: Claim, language: Language) -> str:
    """A claim with its state, while it is read."""
    match claim.fault:
        case "":
            return f"{claim.text} ✓"
        case "unread":
            return f"{claim.text} ({say(language, 'being_checked')})"
        case "quote":
            return f"({say(language, 'left_out_claim')})"
    return " … ".join(f"> {' '.join(quote.text.split())}" for quote in claim.quotes)


def left_out(claim: Claim) -> Notice:
    """What became of a claim that is not proven."""
    match claim.fault:
        case "quote":
            return Notice.of(
                "left out, its quote stands in none of the passages: {sentence}",
                sentence=claim.text,
            )
        case "unread":
            return Notice.of(
                "replaced by quotes, nobody could verify it: {sentence}", sentence=claim.text
            )
    return Notice.of(
        "replaced by quotes, its passages do not say {words}: {sentence}",
        sentence=claim.text,
        words=claim.words,
    )
