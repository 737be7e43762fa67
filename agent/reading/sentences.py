"""Claims as sentences of an answer, each with its citations, or written together by a model."""

from collections.abc import Iterable, Sequence

from agent.context import Context
from agent.prompts import say
from agent.prompts.reading import TogetherInput, WriteTogether, WrittenSentence
from agent.reading.prove import Claim, check_claim
from agent.reading.reader import Reading
from agent.reading.sections import Section
from agent.reading.values import Quote, ReadSpan, Replaced, SectionExcerpt
from agent.reading.verify import Question, verify_claims
from agent.sentences import readable_alone, verbatim
from agent.step import Step
from services.domain import Citation, CitedSentence, Language
from services.domain.notices import Notice
from services.evidence.units import quotable_units


def answer_sentences(
    claims: Sequence[Claim], sections: Sequence[SectionExcerpt], context: Context
) -> list[CitedSentence]:
    """Return claims as sentences; an unproven one gives way to quotes that no other cites."""
    cited = {quote for claim in claims if not claim.fault for quote in claim.quotes}
    sentences: list[CitedSentence] = []
    for claim in claims:
        quotes = [quote for quote in claim.quotes if not claim.fault or quote not in cited]
        citations = [cite(quote, sections, context) for quote in quotes]
        if claim.fault:
            verbatims = map(verbatim, citations)
            lines = readable_alone(list(verbatims), context.catalog.documents)
            sentences += [sentence for _, sentence in lines]
        else:
            sentences.append(proven_sentence(claim.text, citations))
    return list(dict.fromkeys(sentences))


def proven_sentence(text: str, citations: Iterable[Citation]) -> CitedSentence:
    """Return a sentence that was proven and verified by its citations."""
    return CitedSentence(text=text, supported=True, standing="follows", citations=tuple(citations))


def cite(quote: Quote, sections: Sequence[SectionExcerpt], context: Context) -> Citation:
    """Return the citation of a quote; ``sections`` are those that its index counts."""
    section = sections[quote.section]
    return Citation(
        document=section.document,
        document_id=section.document_id,
        **context.catalog.documents.page_fields(section.text_id, quote.start),
        section=section.label,
        start=quote.start,
        end=quote.end,
        quote=quote.text,
        verified=True,
        heading=section.heading_path[-1] if section.heading_path else "",
    )


def whole_units(quote: Quote, sections: Sequence[SectionExcerpt], context: Context) -> list[Quote]:
    """Return the sentences, items or rows that a quote lies in, since a model may have cut off a
    word that turns the rest round; the quote if they lack some of it."""
    section = sections[quote.section]
    text = context.catalog.documents.text_of(section.text_id)
    units = quotable_units(text, quote.start, quote.end, (section.start, section.end))
    spans = {(unit.start, unit.end) for unit in units if unit.kind != "list"}
    if not spans or min(spans)[0] > quote.start or max(end for _, end in spans) < quote.end:
        return [quote]
    return [
        quote.model_copy(update={"start": start, "end": end, "text": text[start:end]})
        for start, end in sorted(spans)
    ]


async def write_together(question: Question, reading: Reading, step: Step) -> list[Claim]:
    """Have a model write the proven claims as one answer; return them as they are if it cannot.

    A sentence is proven and verified by the quotes of the claims that it names. An unproven one
    gives way to these, and no claim is lost.
    """
    claims = reading.proof
    inp = TogetherInput(
        question=question.text,
        language=question.language,
        claims=tuple(claim.text for claim in claims),
    )
    written = await step.run(WriteTogether(), inp)
    sentences = check_written(written, claims, reading.sections, question)
    sentences = await verify_claims(sentences, reading.sections, question, step)
    answer: list[Claim] = []
    used: set[int] = set()
    for draft, sentence in zip(written, sentences, strict=True):
        used |= set(draft.claims)
        answer += [claims[n - 1] for n in draft.claims] if sentence.fault else [sentence]
    unused = (claim for n, claim in enumerate(claims, start=1) if n not in used)
    return list(dict.fromkeys([*answer, *unused]))


def check_written(
    written: Sequence[WrittenSentence],
    claims: Sequence[Claim],
    sections: Sequence[Section],
    question: Question,
) -> list[Claim]:
    """Return written sentences with the quotes of their claims and what nothing proves; what a
    claim without a fault states, such as a sum, needs no other proof."""
    checked: list[Claim] = []
    for draft in written:
        sources = [claims[n - 1] for n in draft.claims]
        quotes = dict.fromkeys(quote for claim in sources for quote in claim.quotes)
        claim = Claim(
            text=draft.text, quotes=tuple(quotes), made_of=tuple(claim.text for claim in sources)
        )
        stated = "\n".join((question.by_person, *(c.text for c in sources if not c.fault)))
        checked.append(check_claim(claim, sections, stated, question.language))
    return checked


def read_spans(sections: Iterable[Section]) -> tuple[ReadSpan, ...]:
    """Return what a model was shown."""
    return tuple(
        ReadSpan(
            document=section.document,
            section=section.label,
            start=section.pieces[0][0],
            end=section.pieces[-1][1],
            tokens=section.tokens,
            how=section.way.how,
        )
        for section in sections
    )


def replacements(sections: Iterable[SectionExcerpt]) -> tuple[Replaced, ...]:
    """Return which sections others were shown to change or replace."""
    replaced = (
        Replaced(document=section.way.document, section=section.way.label, by=section.document)
        for section in sections
        if section.way.how == "change"
    )
    return tuple(dict.fromkeys(replaced))


def draft_line(claim: Claim, language: Language) -> str:
    """Return a claim with its state, for whoever watches the reading."""
    match claim.fault:
        case "":
            return f"{claim.text} ✓"
        case "unread":
            return f"{claim.text} ({say(language, 'being_checked')})"
        case "quote":
            return f"({say(language, 'left_out_claim')})"
    return " … ".join(f"> {' '.join(quote.text.split())}" for quote in claim.quotes)


def replaced_claim(claim: Claim) -> Notice:
    """Say what became of a claim that is not proven."""
    match claim.fault:
        case "quote":
            return Notice.of(
                "left out because its quote is in none of the passages: {sentence}",
                sentence=claim.text,
            )
        case "unread":
            return Notice.of(
                "replaced by quotes because it could not be verified: {sentence}",
                sentence=claim.text,
            )
    return Notice.of(
        "replaced by quotes because its passages do not say {words}: {sentence}",
        sentence=claim.text,
        words=claim.words,
    )
