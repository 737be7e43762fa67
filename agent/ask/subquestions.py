"""The sentences that come closest to each subquestion, and which of these are quoted.

On the structured route the subquestions are the pieces of required information, elsewhere the
questions that the message lists.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from agent.ask.models import Depth
from agent.ask.state import AskState
from agent.context import Context
from agent.sentences import (
    RankedSentence,
    closest_excerpts,
    distinct,
    nearly_as_sure,
    overlapping,
    rank_passages,
)
from services.domain import EvidenceSentence, Language, PassageSpan
from services.evidence.ranking import certainty
from services.retrieval.named import named_sections
from services.structured.rules import decompose_by_rules, sort_by_date
from services.structured.values import STATUS, QuestionType, Status

MAX_LIST_QUOTES: Final = 8
"""Sentences that are quoted of an enumeration."""

MAX_QUOTES: Final[Mapping[Depth, tuple[int, ...]]] = {
    "fast": (3, 2, 1),
    "enhanced": (5, 3, 2),
    "structured": (3, 2, 1),
    "agent": (3, 2, 1),
}
"""Sentences quoted of each subquestion, by the number of subquestions; the last holds for more."""


@dataclass(frozen=True)
class Subquestion:
    """A subquestion with its sentences, the most certain answer first; ``relevance``, 0-1, and
    ``named``, whose section it names, are by chunk id."""

    text: str
    status: Status
    ranked: tuple[RankedSentence, ...]
    relevance: Mapping[str, float] = field(default_factory=dict)
    named: frozenset[str] = frozenset()

    def merge(self, other: "Subquestion") -> "Subquestion":
        """Return the subquestion with the sentences of other passages, too."""
        ranked = sorted((*self.ranked, *other.ranked), key=lambda pair: (-pair[0], pair[1].key))
        named = self.named | other.named
        status = STATUS[certainty([score for score, _ in ranked], named=bool(named))]
        relevance = {**self.relevance, **other.relevance}
        return Subquestion(self.text, status, tuple(ranked), relevance, named)


@dataclass(frozen=True)
class Findings:
    """The subquestions of a question that some sentence may answer; the others are missing."""

    language: Language
    depth: Depth
    subquestions: list[Subquestion]
    missing: tuple[str, ...] = ()
    kind: QuestionType = "factual"

    @classmethod
    def of(
        cls, subquestions: Sequence[Subquestion], state: AskState, kind: QuestionType = "factual"
    ) -> "Findings":
        """Return the findings of ranked subquestions; without any the question is missing."""
        missing = tuple(sub.text for sub in subquestions if sub.status == "missing")
        return cls(
            language=state["understanding"].language,
            depth=state["route"].depth,
            subquestions=[sub for sub in subquestions if sub.status != "missing"],
            missing=missing if subquestions else (state["understanding"].question,),
            kind=kind,
        )

    @property
    def count(self) -> int:
        """How many subquestions the question has."""
        return len(self.subquestions) + len(self.missing)

    @property
    def answered(self) -> list[Subquestion]:
        """The subquestions that are surely answered."""
        return [sub for sub in self.subquestions if sub.status == "covered"]

    @property
    def max_quotes(self) -> int:
        """How many sentences of a subquestion are quoted."""
        limits = MAX_QUOTES[self.depth]
        return limits[min(self.count, len(limits)) - 1]


def rank_subquestion(
    text: str, query: str, passages: Sequence[PassageSpan], language: Language, context: Context
) -> Subquestion:
    """Rank the sentences of passages by ``query``, those of the nearest passages first; ``text`` is
    the subquestion as it is listed."""
    sections = named_sections(query, context.scope, context.catalog)
    named = [p.chunk_id for p in passages if (p.document_id, p.section) in sections]
    ids = [passage.chunk_id for passage in passages]
    near = context.retriever.relevances(query, ids, scope=context.scope, named=named)
    nearest = context.passages.get(sorted(near, key=lambda name: -near[name]))
    pairs = ((near[name], passage) for name, passage in nearest.items())
    ranked = rank_passages(query, pairs, language, context)
    status = STATUS[certainty([score for score, _ in ranked], named=bool(named))]
    return Subquestion(text, status, tuple(ranked), near, frozenset(named))


def rank_subquestions(state: AskState, context: Context) -> Findings:
    """Rank the evidence for each subquestion, or for the question if it is only one."""
    understanding, question = state["understanding"], state["understanding"].question
    if not state["evidence"]:
        return Findings.of([], state)
    plan = [
        (query.target_info, query.query) for query in decompose_by_rules(understanding).sub_queries
    ]
    texts = plan if len(plan) > 1 else [(question, question)]
    evidence, language = state["evidence"], understanding.language
    subquestions = [
        rank_subquestion(text, query, evidence, language, context) for text, query in texts
    ]
    return Findings.of(subquestions, state)


def choose_quotes(sub: Subquestion, findings: Findings, context: Context) -> list[EvidenceSentence]:
    """Return the sentences to quote: the best, and others that answer nearly as surely.

    Items of a list become the list; of an enumeration the longest unit around each is quoted; a
    history is ordered by date. If nothing surely answers, one excerpt is shown, or three if nothing
    else was asked.
    """
    if sub.status == "partial":
        return closest_excerpts(sub.ranked, context)[: None if findings.count == 1 else 1]
    limit, sentences = findings.max_quotes, sub.ranked
    if findings.kind == "enumeration":
        limit, sentences = MAX_LIST_QUOTES, tuple(_longest_units(sub.ranked))
    chosen: list[EvidenceSentence] = []
    for _, sentence in distinct(nearly_as_sure(sentences)):
        if len(chosen) >= limit:
            break
        if overlapping(sentence, chosen):
            continue
        if _join_list(sentence, chosen, sub.ranked):
            continue
        chosen.append(sentence)
    if findings.kind == "temporal":
        return _by_date(chosen, findings.language, context)
    return chosen


def _join_list(
    sentence: EvidenceSentence, chosen: list[EvidenceSentence], ranked: Sequence[RankedSentence]
) -> bool:
    """Replace the chosen item of a list by the shortest unit that holds both, if a sentence is
    another item of it; return whether it is."""
    for number, other in enumerate(chosen):
        same_list = (other.document_id, other.case) == (sentence.document_id, sentence.case)
        if other.case is not None and same_list:
            both = (s for _, s in ranked if s.contains(other) and s.contains(sentence))
            chosen[number] = min(both, key=lambda unit: unit.end - unit.start, default=other)
            return True
    return False


def _longest_units(ranked: Sequence[RankedSentence]) -> Iterator[RankedSentence]:
    for score, sentence in ranked:
        around = (other for _, other in ranked if other.contains(sentence))
        yield score, max(around, key=lambda unit: unit.end - unit.start)


def _by_date(
    sentences: list[EvidenceSentence], language: Language, context: Context
) -> list[EvidenceSentence]:
    documents = [sentence.document_id for sentence in sentences]
    days = context.catalog.filters.dates(documents, scope=context.scope)
    return sort_by_date([(s.quote, days.get(s.document_id), s) for s in sentences], language)
