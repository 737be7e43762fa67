"""From model prose to sentences with proof: align, check, and quote what prose left out."""

from collections.abc import Sequence

from agent.context import Context
from agent.models import ContextEntry, PreservedQuote
from agent.passages import quotable
from services.citations import EvidenceSentence, align
from services.quantities import quantities
from services.text import normalise, sentences
from services.types import Citation, Sentence


def evidence_pool(entries: Sequence[ContextEntry], context: Context) -> list[EvidenceSentence]:
    """Every sentence that an answer may rest on."""
    chunks = context.catalog.chunks.get([e.chunk_id for e in entries], scope=context.scope)
    every = (sentence for chunk in chunks.values() for sentence in quotable(chunk, context))
    return list({(each.document_id, each.start, each.end): each for each in every}.values())


def checked_prose(
    prose: str, pool: Sequence[EvidenceSentence], language: str
) -> tuple[list[Sentence], list[str]]:
    """Sentences of the prose with their citations, and what had to be left out.

    A sentence that contradicts its closest evidence in a number, a unit, a negation, modality
    or a section label is left out, and so is one that states a number without proof; any other
    that is merely not found stays and is marked.
    """
    kept: list[Sentence] = []
    left_out: list[str] = []
    for start, end in sentences(prose):
        text = prose[start:end].strip()
        aligned = align(text, pool, language)
        supporting = [match for match in aligned if match.support.ok]
        refuted = bool(aligned) and not supporting and not aligned[0].support.too_little
        if supporting:
            citations = tuple(cite(match.evidence) for match in supporting)
            kept.append(Sentence(text=text, supported=True, citations=citations))
        elif refuted or quantities(text, language):
            problems = aligned[0].support.problems if aligned else ("nothing like it was found",)
            left_out.append(f"{text} ({'; '.join(sorted(problems))})")
        else:
            kept.append(Sentence(text=text, supported=False, citations=()))
    return kept, left_out


def cite(evidence: EvidenceSentence) -> Citation:
    """A citation of a sentence that was taken from the catalog by its span."""
    return Citation(
        document=evidence.document,
        document_id=evidence.document_id,
        page=evidence.page,
        section=evidence.section,
        start=evidence.start,
        end=evidence.end,
        quote=evidence.text,
        verified=True,
        case=evidence.case,
    )


def quoted(quote: PreservedQuote, context: Context) -> Sentence:
    """A quote as a sentence of the answer, verified against the document's text."""
    spans = [(quote.start, quote.end, quote.quote)]
    if quote.case:
        spans.append((quote.case.start, quote.case.end, quote.case.text))
    slices = context.catalog.documents.text_slice
    citation = Citation(
        document=quote.document,
        document_id=quote.document_id,
        page=quote.page,
        section=quote.section,
        start=quote.start,
        end=quote.end,
        quote=quote.quote,
        verified=all(
            normalise(slices(quote.document_id, start, end)) == normalise(text)
            for start, end, text in spans
        ),
        case=quote.case,
    )
    return Sentence(text=quote.quote, supported=citation.verified, citations=(citation,))


def carried(quote: PreservedQuote, prose: Sequence[Sentence]) -> bool:
    """Whether the prose already cites this quote."""
    return any(
        citation.document_id == quote.document_id
        and citation.start < quote.end
        and quote.start < citation.end
        for sentence in prose
        for citation in sentence.citations
    )
