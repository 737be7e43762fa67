"""What documents change of each other, for answers without a model.

Two documents that a question compares are compared section by section, as the library does it, and
what replaces, amends or repeals a quoted section is quoted below it.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from agent.ask.models import Line, Reply
from agent.ask.state import AskState
from agent.context import Context
from agent.passages import as_evidence
from agent.prompts import say
from agent.ranking import overlapping
from agent.sentences import verbatim
from services.domain import CitedSentence, EvidenceSentence, Language
from services.evidence.units import Unit
from services.language.text import sentences
from services.library.comparison import Section, SectionChange, compare
from services.library.relations import Relation
from services.retrieval.named import named_documents

MAX_SECTIONS: Final = 12
"""Sections of which the differences are quoted."""


def compare_documents(state: AskState, context: Context) -> Reply | None:
    """Quote the sentences in which two documents differ, if the question compares these two.

    None if it does not, or if no section of the one is one of the other.
    """
    understanding = state["understanding"]
    named = named_documents(understanding.question, scope=context.scope, catalog=context.catalog)
    if understanding.classification.type != "comparative" or len(named.documents) != 2:
        return None
    old, new = sorted(named.documents, key=lambda name: _order(name, named.documents, context))
    parsed = context.catalog.documents.parsed
    changes = compare(parsed(old), parsed(new))
    if not any(change.kind == "changed" and change.section.label for change in changes):
        return None
    language, names = understanding.language, context.registry.file_of
    lines = [
        (f"{change.section.label} {names(document_id)}".strip(), sentence)
        for change in changes[:MAX_SECTIONS]
        for document_id, side in ((old, change.before), (new, change.after))
        for sentence in _different(document_id, side, change, context)
    ]
    left = len(changes) - MAX_SECTIONS
    return Reply(
        opening=say(language, "differences", names(old), names(new), len(changes)),
        closing=say(language, "left_out", left) if left > 0 else "",
    ).followed_by([(heading, verbatim(sentence)) for heading, sentence in lines])


def _order(document_id: str, documents: Sequence[str], context: Context) -> tuple[bool, str]:
    """Return what sorts the newer of two documents last."""
    relations = context.relations.of(document_id)
    is_newer = any(
        relation.document_id == document_id and relation.target_id in documents
        for relation in relations
    )
    return is_newer, context.passages.day(document_id)


def _different(
    document_id: str, side: Section | None, change: SectionChange, context: Context
) -> Iterator[EvidenceSentence]:
    """Yield the sentences of one side of a change that the other side does not have."""
    if side is None:
        return
    title = context.catalog.documents.parsed(document_id).title
    other = change.after if side is change.before else change.before
    there = " ".join(other.text.split()) if other else ""
    for sentence in _sentences_within(document_id, side.start, len(side.text), context):
        is_title = sentence.quote.lstrip("# ") in (side.title, title)
        if not is_title and " ".join(sentence.quote.split()) not in there:
            yield sentence


def _sentences_within(
    document_id: str, start: int, length: int, context: Context
) -> Iterator[EvidenceSentence]:
    """Yield the sentences in a span of a document, short ones too."""
    texts, end = context.catalog.documents, start + length
    passages = context.passages.between(document_id, start, end)
    for first, last in sentences(texts.text(document_id)[start:end]):
        unit = Unit(start + first, start + last, None, "sentence")
        around = [passage for passage in passages if passage.start <= unit.start < passage.end]
        yield from as_evidence(around[0], [unit], texts) if around else ()


def add_changes(reply: Reply, language: Language, context: Context) -> Reply:
    """Return the reply, followed by what replaces, amends or repeals a section that it quotes.

    What holds no more comes after the other quotes, unless headings order them.
    """
    relations = {sentence: _relations_on(sentence, context) for sentence in reply.sentences}
    if not any(relations.values()):
        return reply
    if not any(reply.headings):
        sentences = sorted(reply.sentences, key=lambda sentence: _is_over(relations[sentence]))
        reply = reply.model_copy(update={"sentences": tuple(sentences)})
    cited = [citation for sentence in reply.sentences for citation in sentence.citations]
    lines: list[Line] = []
    for relation in dict.fromkeys(change for changes in relations.values() for change in changes):
        target = f"{relation.target} {relation.label}".rstrip()
        heading = f"{target}: {say(language, f'is_{relation.kind}', relation.document)}"
        span = relation.document_id, relation.start, relation.end - relation.start
        for sentence in _sentences_within(*span, context):
            if not overlapping(sentence, cited):
                cited.append(sentence)
                lines.append((heading, verbatim(sentence)))
    return reply.followed_by(lines)


def _relations_on(sentence: CitedSentence, context: Context) -> list[Relation]:
    return [
        relation
        for citation in sentence.citations
        for relation in context.relations.on(citation.document_id, citation.section)
    ]


def _is_over(relations: Sequence[Relation]) -> bool:
    """Return whether another document stands in the place of a section."""
    return any(relation.kind != "amends" for relation in relations)
