"""From model prose to sentences with proof: judge each beside the evidence, and cite it."""

from collections import Counter
from collections.abc import Iterable, Sequence

from agent.context import Context
from agent.models import ContextEntry
from agent.passages import quotable
from agent.sources import reason_of
from services.domain import Citation, Sentence, Standing
from services.evidence import EvidenceSentence, Judge
from services.language.text import normalise, sentences


def evidence_pool(entries: Sequence[ContextEntry], context: Context) -> list[EvidenceSentence]:
    """Every sentence that an answer may rest on."""
    chunks = context.catalog.chunks.get([e.chunk_id for e in entries], scope=context.scope)
    return [sentence for chunk in chunks.values() for sentence in quotable(chunk, context)]


def checked_prose(
    prose: str, pool: Sequence[EvidenceSentence], language: str, judge: Judge
) -> tuple[list[Sentence], list[str]]:
    """Sentences of the prose with their standing, and those that other evidence contradicts."""
    texts = [prose[start:end].strip() for start, end in sentences(prose)]
    kept: list[Sentence] = []
    left_out: list[str] = []
    for text, judged in zip(texts, judge.claims(texts, pool, language), strict=True):
        reason = reason_of(judged, language)
        if judged.standing == "contradicts":
            left_out.append(f"{text} ({reason})")
            continue
        cited = judged.evidence if judged.standing != "none" else ()
        kept.append(
            Sentence(
                text=text,
                supported=False,
                standing=judged.standing,
                reason=reason,
                decisive=judged.words,
                citations=tuple(cite(each) for each in cited),
            )
        )
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


def verbatim(evidence: EvidenceSentence) -> Sentence:
    """A sentence of a document; its text is the catalog's own, so that it is verified."""
    return Sentence(
        text=evidence.text, supported=True, standing="quote", citations=(cite(evidence),)
    )


def quoted(evidence: EvidenceSentence, context: Context) -> Sentence:
    """A quote as a sentence of the answer, verified against the document's text."""
    spans = [(evidence.start, evidence.end, evidence.text)]
    if evidence.case:
        spans.append((evidence.case.start, evidence.case.end, evidence.case.text))
    slices = context.catalog.documents.text_slice
    if all(
        normalise(slices(evidence.document_id, start, end)) == normalise(text)
        for start, end, text in spans
    ):
        return verbatim(evidence)
    citation = cite(evidence).model_copy(update={"verified": False})
    return Sentence(text=evidence.text, supported=False, standing="loose", citations=(citation,))


def carried(evidence: EvidenceSentence, sentences: Iterable[Sentence]) -> bool:
    """Whether one of the sentences is proven by this quote already, or says it."""
    return any(
        sentence.text == evidence.text
        or any(
            citation.document_id == evidence.document_id
            and citation.start < evidence.end
            and evidence.start < citation.end
            for citation in sentence.citations
        )
        for sentence in sentences
        if sentence.supported
    )


def standings_of(sentences: Iterable[Sentence]) -> dict[Standing, int]:
    """How many sentences have each standing."""
    return dict(Counter(sentence.standing for sentence in sentences))
