"""What documents change of each other, and what they are about, for answers without a model.

An overview has areas, which are communities of the knowledge graph: their central sections are the
title, and the sentence that names most of their topics is quoted. In a short document, which is one
community, each central section is an area.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from agent.ask.models import Line, Reply
from agent.ask.state import AskState
from agent.context import Context
from agent.passages import as_evidence
from agent.prompts import say
from agent.sentences import overlapping, verbatim
from services.domain import CitedSentence, EvidenceSentence, Language
from services.evidence.units import QuotableUnit
from services.graph.values import Community
from services.language.text.sentences import sentences
from services.library.comparison import ComparedSection, SectionChange, compare
from services.library.relations import Relation
from services.retrieval.graph_share import SURE
from services.retrieval.named import named_documents

MAX_SECTIONS: Final = 12
"""Sections of which the differences are quoted."""
MAX_AREAS: Final = 6
MIN_AREAS: Final = 2
QUOTE_LENGTHS: Final = range(40, 321)
"""Characters of a quote."""
MAIN_DOCUMENT_SHARE: Final = 0.7
"""Share of the found passages from which on a question is taken to be about their document."""


def compare_documents(state: AskState, context: Context) -> Reply | None:
    """Quote the sentences in which two documents differ; None unless the question compares two."""
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
    relations = context.relations.of(document_id)
    is_newer = any(
        relation.document_id == document_id and relation.target_id in documents
        for relation in relations
    )
    return is_newer, context.passages.day(document_id)


def _different(
    document_id: str, side: ComparedSection | None, change: SectionChange, context: Context
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
    texts, end = context.catalog.documents, start + length
    passages = context.passages.between(document_id, start, end)
    for first, last in sentences(texts.text(document_id)[start:end]):
        unit = QuotableUnit(start + first, start + last, None, "sentence")
        around = [passage for passage in passages if passage.start <= unit.start < passage.end]
        yield from as_evidence(around[0], [unit], texts) if around else ()


def add_changes(reply: Reply, language: Language, context: Context) -> Reply:
    """Return the reply, followed by what replaces, amends or repeals the sections that it
    quotes."""
    relations = {sentence: _relations_on(sentence, context) for sentence in reply.sentences}
    if not any(relations.values()):
        return reply
    if not any(reply.headings):

        def is_over(sentence: CitedSentence) -> bool:
            return any(relation.kind != "amends" for relation in relations[sentence])

        sentences = sorted(reply.sentences, key=is_over)
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


def add_areas(reply: Reply, state: AskState, context: Context) -> Reply:
    """Add areas to a reply that is uncertain, if an overview is surely asked for."""
    classification, graph = state["understanding"].classification, context.graph
    is_sure = classification.type == "exploratory" and classification.confidence > SURE
    if graph is None or not is_sure or reply.certainty != "perhaps":
        return reply
    question, evidence = state["understanding"].question, state["evidence"]
    counts = Counter(entry.document_id for entry in evidence).most_common(1)
    bound = MAIN_DOCUMENT_SHARE * len(evidence)
    document = next((name for name, count in counts if count >= bound), None)
    areas = graph.areas(question, context.scope, document, limit=MAX_AREAS)
    cited = [citation for sentence in reply.sentences for citation in sentence.citations]
    if len(areas) == 1:
        passages = context.passages.get(areas[0].passages).items()
        titles = [{"title": p.heading_path[-1:], "passages": (name,)} for name, p in passages]
        areas = tuple(areas[0].model_copy(update=title) for title in titles)
    quotes = ((" · ".join(area.title), _typical_sentence(area, context)) for area in areas)
    lines = [
        (title, verbatim(quote))
        for title, quote in quotes
        if quote and not overlapping(quote, cited)
    ]
    return reply.followed_by(lines) if len(lines) >= MIN_AREAS else reply


def _typical_sentence(area: Community, context: Context) -> EvidenceSentence | None:
    """Return the full sentence that names most topics of the area, the first of equal ones."""
    topics = [name.casefold() for name in area.topics]
    sentences = [
        sentence
        for passage in context.passages.get(area.passages).values()
        for sentence in context.passages.sentences(passage)
        if sentence.case is None
        and len(sentence.quote) in QUOTE_LENGTHS
        and sentence.quote[0].isupper()
        and sentence.quote.endswith(".")
    ]
    return max(
        sentences,
        key=lambda sentence: sum(topic in sentence.quote.casefold() for topic in topics),
        default=None,
    )
