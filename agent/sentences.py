"""Sentences: which answer a question, best first, and how an answer shows them.

Quotes are shown as a reader needs them, with their case and their standing.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from agent.context import Context
from agent.prompts import say
from services.catalog.texts import Texts
from services.domain import (
    CaseSpan,
    Citation,
    CitedSentence,
    EvidenceSentence,
    Language,
    Passage,
    Standing,
)
from services.domain.value import PageFields
from services.evidence.quotes import widen_quote
from services.evidence.ranking import CARDS, certainty
from services.export.layout import case_of

MAX_RANKED: Final = 96
"""Sentences that are ranked at a time, those of the best passages first."""
MIN_SHARE: Final = 0.6
"""A sentence that answers less surely than this share of the best one is not quoted beside it."""
_OLDER: Final = 0.99 * MIN_SHARE
"""What an e-mail quotes has at most this share of what its author says of the same."""
MAX_EXCERPT: Final = 600
"""Characters of an excerpt that is shown though it is uncertain whether it answers."""
RankedSentence = tuple[float, EvidenceSentence]
"""How surely a sentence answers, 0-1, and the sentence."""


def verbatim(evidence: Citation) -> CitedSentence:
    """Return a quote as a sentence; its text is the catalog's own, so that it is verified."""
    return CitedSentence(
        text=evidence.quote, supported=True, standing="quote", citations=(evidence.bare(),)
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

    A heading stands once above its sentences; prose runs on up to the next ``paragraph``, items and
    rows stand below each other, and a verbatim sentence is a block quote. ``lines`` have a heading
    ("" for none), a form (``paragraph``, ``prose``, ``list`` or ``table``) and a sentence.
    """
    blocks: list[str] = []
    above, before = "", ""
    for heading, form, sentence in lines:
        if heading and heading != above:
            blocks.append(f"## {' '.join(heading.split())}")
            before = ""
        above = heading
        apart = sentence.quoted or form == "paragraph"
        form = "quote" if sentence.quoted else "prose" if form == "paragraph" else form
        text = f"{with_case(sentence)} {marks(sentence)}"
        text = {"quote": f"> {text}", "prose": text}.get(form, f"- {text}")
        if form != before or apart:
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


def rank_sentences(
    question: str, pairs: Sequence[RankedSentence], language: Language, context: Context
) -> list[RankedSentence]:
    """Return sentences, each once, by how surely they answer; ``pairs`` have relevance, 0-1."""
    unique = {sentence.key: (near, sentence) for near, sentence in reversed(pairs)}
    sentences = [sentence for _, sentence in unique.values()]
    relevance = [near for near, _ in unique.values()]
    scores = context.services.judge.scores(question, sentences, relevance, language)
    ranked = _author_first(list(zip(scores, sentences, strict=True)))
    return sorted(ranked, key=lambda pair: (-pair[0], pair[1].key))


def _author_first(ranked: Sequence[RankedSentence]) -> list[RankedSentence]:
    """Put what an e-mail quotes below what its author says of the same, since that is newer."""
    authors: dict[str, float] = {}
    for score, sentence in ranked:
        if not sentence.is_quoted_message:
            authors[sentence.document_id] = max(score, authors.get(sentence.document_id, 0.0))
    return [
        (min(score, _OLDER * author), sentence)
        if sentence.is_quoted_message
        and (author := authors.get(sentence.document_id, 0.0)) >= MIN_SHARE * score
        else (score, sentence)
        for score, sentence in ranked
    ]


def rank_passages(
    question: str,
    passages: Iterable[tuple[float, Passage]],
    language: Language,
    context: Context,
    limit: int | None = MAX_RANKED,
) -> list[RankedSentence]:
    """Rank the first ``limit`` sentences, or all, of passages that come with their relevance."""
    pairs = [(near, s) for near, passage in passages for s in context.passages.sentences(passage)]
    return rank_sentences(question, pairs[:limit], language, context)


def nearly_as_sure(ranked: Sequence[RankedSentence]) -> list[RankedSentence]:
    """Return the best sentence and those that answer nearly as surely, by the same bound."""
    best = ranked[0][0] if ranked else 0.0
    return [
        (score, sentence)
        for score, sentence in ranked
        if score >= MIN_SHARE * best and certainty([score]) == certainty([best])
    ]


def distinct(ranked: Iterable[RankedSentence]) -> list[RankedSentence]:
    """Leave out what overlaps something better: of a list and its items, what ranks first stays."""
    chosen: list[RankedSentence] = []
    for score, sentence in ranked:
        if not overlapping(sentence, (other for _, other in chosen)):
            chosen.append((score, sentence))
    return chosen


def overlapping(sentence: Citation, others: Iterable[Citation]) -> bool:
    return any(sentence.overlaps(other) for other in others)


def closest_excerpts(ranked: Sequence[RankedSentence], context: Context) -> list[EvidenceSentence]:
    """Return the excerpts that come closest, best first: sentences with their neighbours.

    Where it is uncertain which sentence answers, the one beside the best often does.
    """
    excerpts: list[EvidenceSentence] = []
    for _, best in ranked:
        if not overlapping(best, excerpts):
            free = [s for _, s in ranked if not overlapping(s, excerpts)]
            excerpts.append(_with_neighbours(best, free, context))
        if len(excerpts) == CARDS:
            break
    return excerpts


def _with_neighbours(
    best: EvidenceSentence, others: Sequence[EvidenceSentence], context: Context
) -> EvidenceSentence:
    """Join a sentence with its nearest neighbours of one passage and case, as many as fit."""
    origin = best.document_id, best.context, best.case
    neighbours = [s for s in others if (s.document_id, s.context, s.case) == origin]
    neighbours.sort(key=lambda s: max(best.start - s.end, s.start - best.end))
    start, end, first = best.start, best.end, best
    for neighbour in neighbours:
        if max(end, neighbour.end) - min(start, neighbour.start) <= MAX_EXCERPT:
            start, end = min(start, neighbour.start), max(end, neighbour.end)
            first = min(first, neighbour, key=lambda s: s.start)
    case = first.case or best.case
    inside = case is not None and case.start >= start and case.end <= end
    quote = context.catalog.documents.text(best.document_id)[start:end]
    page = first.model_dump(include=set(PageFields.__annotations__))
    changes = {"start": start, "end": end, "quote": quote, **page}
    return best.model_copy(update={**changes, "case": None if inside else case})
