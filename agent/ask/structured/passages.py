"""The passages whose sentences are compared for each item: the best, and of a list all of it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from agent.ask.context import AskContext
from agent.ask.state import AskState
from agent.ask.structured.assess import asked_for
from agent.ask.structured.documents import fields_asked
from agent.passages import quotable
from services.evidence import EvidenceSentence
from services.structured.coverage import weight_of, words_of
from services.structured.decomposition import head_of
from services.structured.leads import Lead, before_code, leads
from services.structured.values import Evidence, RequiredInfo
from services.types import Chunk, Language

PASSAGES: Final = 5
"""Passages of an item, the best."""

LONGEST_SECTION: Final = 12
"""Passages of a section that is read whole; a longer one is a document rather than a list."""

Place = tuple[str, int, int]


def place_of(sentence: EvidenceSentence) -> Place:
    """Document and span: a list begins where its lead-in does, a rule where its exception does."""
    return sentence.document_id, sentence.start, sentence.end


@dataclass(frozen=True)
class Passage:
    """A passage, what it is worth to the item, and its sentences.

    ``headed``: its section is headed as the item that is to be listed. ``fields``: those of the
    head of a document that the item asks for; they are among the sentences.
    """

    weight: float
    chunk: Chunk
    sentences: Sequence[EvidenceSentence]
    headed: bool = False
    fields: Sequence[EvidenceSentence] = ()


def passages_of(
    required: Sequence[RequiredInfo], state: AskState, context: AskContext
) -> dict[str, list[Passage]]:
    """Of each item its best passages; where a list is wanted, the section that is headed so too."""
    ids = [each.chunk_id for item in required for each in item.evidence[:PASSAGES]]
    chunks = context.catalog.chunks.get(list(dict.fromkeys(ids)), scope=context.scope)
    sentences = {name: quotable(chunk, context) for name, chunk in chunks.items()}
    found = {
        item.item: [
            Passage(weight_of(each), chunks[each.chunk_id], sentences[each.chunk_id])
            for each in item.evidence[:PASSAGES]
            if each.chunk_id in chunks
        ]
        for item in required
    }
    language, plan = state["understanding"].language, state["plan"]
    found = {
        item: [
            _with_fields(_with_lead_ins(each), item, asked_for(item, plan), language, context)
            for each in passages
        ]
        for item, passages in found.items()
    }
    if plan.question_type != "enumeration":
        return found
    return {
        item.item: _with_section(item, found[item.item], chunks, language, context)
        for item in required
    }


def _with_fields(
    passage: Passage, item: str, about: str, language: Language, context: AskContext
) -> Passage:
    """With what the head of a document states of it, as far as the item asks for that."""
    fields = fields_asked(item, about, passage.chunk, language, context)
    if not fields:
        return passage
    return replace(passage, sentences=[*fields, *passage.sentences], fields=fields)


def _with_lead_ins(passage: Passage) -> Passage:
    """With the lead-ins of code, which are no quotes elsewhere."""
    chunk = passage.chunk
    if chunk.page is not None:
        return passage
    found = [_quote(chunk, chunk.text, span) for span in before_code(chunk.text)]
    sentences = sorted([*passage.sentences, *found], key=lambda each: each.start)
    return replace(passage, sentences=sentences) if found else passage


def _quote(chunk: Chunk, text: str, span: tuple[int, int]) -> EvidenceSentence:
    """A span of a text that begins where a chunk without pages does."""
    start, end = span
    return EvidenceSentence(
        document_id=chunk.document_id,
        document=chunk.document,
        section=chunk.section,
        page=None,
        start=chunk.start + start,
        end=chunk.start + end,
        text=text[start:end],
        context="\n".join([*chunk.heading_path, text[:end]]),
    )


def _with_section(
    item: RequiredInfo,
    passages: list[Passage],
    chunks: Mapping[str, Chunk],
    language: Language,
    context: AskContext,
) -> list[Passage]:
    """With all passages of the best section whose heading says what is to be listed."""
    known = (each for each in item.evidence if each.chunk_id in chunks)
    best = next((e for e in known if _headed(item.item, e, chunks, language)), None)
    if best is None:
        return passages
    section = context.catalog.chunks.of_section(best.document_id, best.section, scope=context.scope)
    if len(section) > LONGEST_SECTION:
        return passages
    weight = weight_of(best)
    whole = [Passage(weight, chunk, quotable(chunk, context), headed=True) for chunk in section]
    ids = {chunk.chunk_id for chunk in section}
    return [*whole, *(each for each in passages if each.chunk.chunk_id not in ids)]


def _headed(item: str, evidence: Evidence, chunks: Mapping[str, Chunk], language: Language) -> bool:
    """Whether a section is headed with the head of the item, or with nothing but its words."""
    path = chunks[evidence.chunk_id].heading_path
    if not evidence.section or not path:
        return False
    heading = set(words_of(path[-1].removeprefix(evidence.section), language))
    head = set(words_of(head_of(item, language), language))
    return bool(heading) and (
        (len(head) > 1 and head <= heading) or heading <= set(words_of(item, language))
    )


def leads_of(passages: Sequence[Passage]) -> dict[Place, Lead]:
    """What leads to the sentences of passages, by their places; starts are of the documents."""
    return {place: lead for each in passages for place, lead in _leads(each)}


def _leads(passage: Passage) -> Iterator[tuple[Place, Lead]]:
    chunk = passage.chunk
    spans = [(each.start - chunk.start, each.end - chunk.start) for each in passage.sentences]
    found = leads(chunk.text, spans)
    for start, end in spans:
        if lead := found.get(start):
            moved = lead.model_copy(update={"start": lead.start + chunk.start})
            yield (chunk.document_id, start + chunk.start, end + chunk.start), moved


def beside(
    sentence: EvidenceSentence, passages: Sequence[Passage], context: AskContext
) -> list[Passage]:
    """The passages next to that of a sentence, where the rest of its list may stand."""
    home = next(each for each in passages if sentence in each.sentences)
    around = context.catalog.chunks.neighbours(
        home.chunk.chunk_id, scope=context.scope, before=1, after=2
    )
    return [Passage(0.0, chunk, quotable(chunk, context)) for chunk in around]
