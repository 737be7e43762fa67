"""Sections that found sentences refer to: ``exceeds the reference value under § 126``.

The next step of a question that takes two is often written there.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from agent.ask.context import AskContext
from agent.ask.sentences import Best
from agent.passages import origin
from services.evidence import EvidenceSentence


def leads_of(sentences: Sequence[EvidenceSentence], context: AskContext) -> tuple[str, ...]:
    """``StrlSchG § 126``: sections of the scope that sentences name, in order."""
    found = (name for sentence in sentences for name in _of_sentence(sentence, context))
    return tuple(dict.fromkeys(found))


def _of_sentence(sentence: EvidenceSentence, context: AskContext) -> Iterator[str]:
    home = sentence.document_id
    for reference in context.catalog.references.within(home, sentence.start, sentence.end):
        resolution = context.registry.resolve(reference, from_document_id=home)
        document, label = resolution.document_id, reference.label
        if document is None or label is None or (document, label) == (home, sentence.section):
            continue
        if document in context.catalog.documents.with_section(label, context.scope):
            yield f"{context.registry.name_of(document) or sentence.document} {label}"


def with_followed(best: Best, names: Sequence[str], context: AskContext) -> Best:
    """Sections that were followed first: the sentence that refers there, and the best one there."""
    pairs = (_followed(best, name, context) for name in names)
    first = [sentence for pair in pairs for sentence in pair]
    whole = [*first, *best.for_parts]
    return replace(best, for_parts=[each for n, each in enumerate(whole) if each not in whole[:n]])


def _followed(best: Best, name: str, context: AskContext) -> Sequence[EvidenceSentence]:
    """Both sentences, or none of them."""
    placed = [(origin(sentence, context), sentence) for _, sentence in best.ranked]
    label = name[name.find(" ") + 1 :]
    there = next((sentence for place, sentence in placed if place == name), None)
    source = next((s for place, s in placed if place != name and label in s.text), None)
    return () if there is None or source is None else (source, there)
