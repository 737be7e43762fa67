"""The parts of a question with the sentences that come closest: which of these are quoted.

On the fast and the enhanced route these are the questions that the message lists; the structured
route and the agent have one for each piece of required information.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from agent.ask.budgets import BUDGETS, Budget
from agent.ask.state import AskState
from agent.context import Context
from agent.ranking import (
    RankedSentence,
    beside,
    cards,
    distinct,
    overlapping,
    ranked_within,
)
from services.domain import EvidenceSentence, Language
from services.evidence.ranking import certainty
from services.retrieval.named import named_sections
from services.structured.decomposition import decompose_by_rules
from services.structured.findings import sort_by_date
from services.structured.values import STATUS, QuestionType, Status

OF_A_LIST: Final = 8
"""Sentences that are quoted of an enumeration."""


@dataclass(frozen=True)
class Part:
    """A part of the question and the sentences by how surely they answer it, best first."""

    text: str
    status: Status
    ranked: tuple[RankedSentence, ...]


@dataclass(frozen=True)
class Findings:
    """What was found for a question.

    Attributes:
        language: of the answer.
        budget: of the route that it is found on.
        parts: the parts to which some sentence speaks.
        missing: the other parts.
        kind: the form of the answer.
    """

    language: Language
    budget: Budget
    parts: list[Part]
    missing: tuple[str, ...] = ()
    kind: QuestionType = "factual"

    @property
    def count(self) -> int:
        """How many parts the question has."""
        return len(self.parts) + len(self.missing)

    @property
    def answered(self) -> list[Part]:
        return [part for part in self.parts if part.status == "covered"]


def of_passages(state: AskState, context: Context) -> Findings:
    """Return the parts of the question, a single one as it was asked, each judged by itself.

    A part that no sentence of the passages may answer is missing.
    """
    understanding, asked = state["understanding"], state["understanding"].question
    plan = [(one.target_info, one.query) for one in decompose_by_rules(understanding).sub_queries]
    texts = plan if len(plan) > 1 else [(asked, asked)]
    parts = [_judged(text, query, state, context) for text, query in texts]
    return Findings(
        understanding.language,
        BUDGETS[state["route"].depth],
        parts=[part for part in parts if part.status != "missing"],
        missing=tuple(part.text for part in parts if part.status == "missing"),
    )


def _judged(text: str, query: str, state: AskState, context: Context) -> Part:
    """A part with the sentences of the passages found, those of the nearest read first."""
    entries = {entry.chunk_id: entry for entry in state["evidence"]}
    sections = named_sections(query, context.scope, context.catalog)
    named = [name for name, e in entries.items() if (e.document_id, e.section) in sections]
    near = context.retriever.relevances(query, list(entries), scope=context.scope, named=named)
    nearest = context.passages.get(sorted(near, key=lambda name: -near[name]))
    passages = ((near[name], passage) for name, passage in nearest.items())
    language = state["understanding"].language
    best = ranked_within([query], passages, language, context)
    sure = certainty([score for score, _ in best], named=bool(named))
    return Part(text, STATUS[sure], tuple(best))


def of_assessment(state: AskState, context: Context) -> Findings:
    """The pieces of a plan, with the sentences of its assessment read by their spans."""
    assessment = state["assessment"]
    items = [item for item in assessment.required if item.status != "missing"]
    ids = [scored.chunk_id for item in items for scored in assessment.ranked[item.item]]
    sentences = {
        (chunk_id, sentence.start, sentence.end): sentence
        for chunk_id, passage in context.passages.get(ids).items()
        for sentence in context.passages.sentences(passage)
    }
    parts = [
        Part(
            item.item,
            item.status,
            tuple(
                (scored.score, sentences[place])
                for scored in assessment.ranked[item.item]
                if (place := (scored.chunk_id, scored.start, scored.end)) in sentences
            ),
        )
        for item in items
    ]
    return Findings(
        state["understanding"].language,
        BUDGETS[state["route"].depth],
        parts=[part for part in parts if part.ranked],
        missing=assessment.gaps,
        kind=state["plan"].question_type,
    )


def quotes_of(part: Part, found: Findings, context: Context) -> list[EvidenceSentence]:
    """The sentences of a part to quote: the best, and others that answer nearly as surely.

    Of an enumeration each sentence is quoted as the longest unit that it is part of; a history goes
    by its days. Of what is only perhaps an answer one place is shown, three where nothing else was
    asked.
    """
    if part.status == "partial":
        return cards(part.ranked, context)[: None if found.count == 1 else 1]
    most, sentences = found.budget.quotes_of(found.count), part.ranked
    if found.kind == "enumeration":
        most, sentences = OF_A_LIST, tuple(_longest_units(part.ranked))
    chosen: list[EvidenceSentence] = []
    for _, sentence in distinct(beside(sentences)):
        if len(chosen) >= most:
            break
        if overlapping(sentence, chosen):
            continue
        if not found.budget.quick or not _made_list(sentence, chosen, part.ranked):
            chosen.append(sentence)
    return _in_time(chosen, found.language, context) if found.kind == "temporal" else chosen


def _made_list(
    sentence: EvidenceSentence, chosen: list[EvidenceSentence], found: Sequence[RankedSentence]
) -> bool:
    """Whether a sentence is an item of a list of which another is chosen: the list takes its place.

    It is the shortest unit that holds both items; where there is none the first item stays.
    """
    for number, other in enumerate(chosen):
        same = (other.document_id, other.case) == (sentence.document_id, sentence.case)
        if other.case is not None and same:
            both = (one for _, one in found if one.contains(other) and one.contains(sentence))
            chosen[number] = min(both, key=lambda one: one.end - one.start, default=other)
            return True
    return False


def _longest_units(found: Sequence[RankedSentence]) -> Iterator[RankedSentence]:
    for score, sentence in found:
        around = (one for _, one in found if one.contains(sentence))
        yield score, max(around, key=lambda one: one.end - one.start)


def _in_time(
    sentences: list[EvidenceSentence], language: Language, context: Context
) -> list[EvidenceSentence]:
    """By the day that a sentence names, else by that of its document."""
    documents = [sentence.document_id for sentence in sentences]
    days = context.catalog.filters.dates(documents, scope=context.scope)
    return sort_by_date(
        [(one.quote, days.get(one.document_id), one) for one in sentences], language
    )
