"""Quotes that can be read alone: with the lead-in of their list, or the sentence they lean on."""

from collections.abc import Sequence

from agent.ask.context import AskContext
from agent.ask.structured.passages import place_of
from agent.ask.structured.sentences import Sentences
from services.evidence import EvidenceSentence
from services.structured.leads import needs_lead
from services.types import Language


def complete(
    sentences: Sequence[EvidenceSentence],
    found: Sentences,
    language: Language,
    context: AskContext,
) -> list[EvidenceSentence]:
    """The sentences, each with what it would mislead without; none twice, nor in other places."""
    every = [_with_lead(each, found, language, context) for each in sentences]
    whole = list({" ".join(each.text.split()): each for each in reversed(every)}.values())[::-1]
    return [
        each
        for n, each in enumerate(whole)
        if not any(_within(each, other) for m, other in enumerate(whole) if m != n)
    ]


def _with_lead(
    sentence: EvidenceSentence, found: Sentences, language: Language, context: AskContext
) -> EvidenceSentence:
    """A longer quote of the same page, or the sentence as it is."""
    lead = None if sentence.case else found.leads.get(place_of(sentence))
    if lead is None or not needs_lead(sentence.text, lead, language):
        return sentence
    documents = context.catalog.documents
    if documents.page_of(sentence.document_id, lead.start) != sentence.page:
        return sentence
    text = documents.text_slice(sentence.document_id, lead.start, sentence.end)
    return sentence.model_copy(update={"start": lead.start, "text": text})


def _within(one: EvidenceSentence, other: EvidenceSentence) -> bool:
    """Whether a quote is a part of another."""
    same = one.document_id == other.document_id
    longer = other.end - other.start > one.end - one.start
    return same and longer and other.start <= one.start and one.end <= other.end
