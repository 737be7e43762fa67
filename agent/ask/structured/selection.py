"""The judged sentences of each item: which are quoted, and which fit into a prompt."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Final, TypeVar

from agent.ask.answer import room
from agent.ask.step import AskContext
from agent.prompts.structured import ItemEvidence
from agent.ranking import LEAST_SHARE, RankedSentence, cards, distinct
from agent.sources import origin
from services.domain import EvidenceSentence, Language, QuoteKey
from services.models.tasks import ModelTask
from services.structured.findings import by_date
from services.structured.values import Assessment, QuestionType, Status

QUOTED: Final = {1: 3, 2: 2}
"""Sentences of an item that are quoted at most, by the number of items; of three or more one."""
OF_A_LIST: Final = 8

In = TypeVar("In")
Out = TypeVar("Out")
PROMPT_TOKENS: Final = 1_600
MOST_OF_ITEM: Final = 6


@dataclass(frozen=True)
class RankedItem:
    """An item and its sentences by how surely they answer it, best first."""

    item: str
    status: Status
    ranked: tuple[RankedSentence, ...]


@dataclass(frozen=True)
class Sentences:
    """``pool`` is every sentence of the judged passages, ``best`` the items that have some."""

    pool: list[EvidenceSentence]
    best: list[RankedItem]

    @property
    def answered(self) -> list[RankedItem]:
        return [each for each in self.best if each.status == "covered"]


def sentences_of(assessment: Assessment, context: AskContext) -> Sentences:
    """The sentences of the items that are not missing, read from the catalog by their spans."""
    items = [each for each in assessment.required if each.status != "missing"]
    ids = [each.chunk_id for item in items for each in assessment.ranked[item.item]]
    known = {
        (name, sentence.start, sentence.end): sentence
        for name, passage in context.passages.get(ids).items()
        for sentence in context.passages.sentences(passage)
    }
    best = [
        RankedItem(
            item.item,
            item.status,
            tuple(
                (each.score, known[place])
                for each in assessment.ranked[item.item]
                if (place := (each.chunk_id, each.start, each.end)) in known
            ),
        )
        for item in items
    ]
    pool = {each.key: each for each in known.values()}
    return Sentences(list(pool.values()), [each for each in best if each.ranked])


def selected(
    best: RankedItem, kind: QuestionType, items: int, language: Language, context: AskContext
) -> list[EvidenceSentence]:
    """The sentences of an item to quote: the best, and others that answer nearly as surely.

    Of a list the whole is quoted where it is one unit; a history goes by its days. Of what is only
    perhaps an answer one sentence is shown, three where nothing else was asked.
    """
    every = _whole_lists(best.ranked) if kind == "enumeration" else best.ranked
    ranked = distinct(every)
    if best.status == "partial":
        return cards(best.ranked, context)[: None if items == 1 else 1]
    most = OF_A_LIST if kind == "enumeration" else QUOTED.get(items, 1)
    least = LEAST_SHARE * ranked[0][0]
    chosen = [s for _, s in takewhile(lambda each: each[0] >= least, ranked[:most])]
    return _in_time(chosen, language, context) if kind == "temporal" else chosen


def _whole_lists(
    ranked: Sequence[RankedSentence],
) -> list[RankedSentence]:
    """Each sentence as the longest unit that it is a part of."""
    return [
        (score, max((s for _, s in ranked if s.contains(each)), key=lambda s: s.end - s.start))
        for score, each in ranked
    ]


def _in_time(
    sentences: list[EvidenceSentence], language: Language, context: AskContext
) -> list[EvidenceSentence]:
    """By the day that a sentence names, else by that of its document."""
    days = context.catalog.filters.dates(
        [each.document_id for each in sentences], scope=context.scope
    )
    dated = [(each.quote, days.get(each.document_id), each) for each in sentences]
    return by_date(dated, language)


def fitted_items(
    task: ModelTask[In, Out], wanted: In, best: Sequence[RankedItem], context: AskContext, most: int
) -> tuple[ItemEvidence, ...]:
    """The best sentence of every item, then the second of every item, while they fit.

    Each item has at least its best sentence, however slow the model was. ``wanted`` is the prompt
    without passages, ``most`` bounds their tokens.
    """
    model = context.tasks.model
    if model is None:
        return ()
    tokens = min(room(model, task, wanted, PROMPT_TOKENS), most)
    chosen: dict[str, list[EvidenceSentence]] = {each.item: [] for each in best}
    for rank in range(MOST_OF_ITEM):
        for each in best:
            if rank >= len(each.ranked):
                continue
            sentence = each.ranked[rank][1]
            tokens -= model.count_tokens(_line(0, sentence, context)) + 1
            if tokens < 0 and rank:
                return _numbered(chosen, context)
            chosen[each.item].append(sentence)
    return _numbered(chosen, context)


def _numbered(
    chosen: dict[str, list[EvidenceSentence]], context: AskContext
) -> tuple[ItemEvidence, ...]:
    """The sentences under their items; the same sentence has the same number everywhere."""
    numbers: dict[QuoteKey, int] = {}
    found = []
    for item, sentences in chosen.items():
        lines = [
            _line(numbers.setdefault(each.key, len(numbers) + 1), each, context)
            for each in sentences
        ]
        found.append(ItemEvidence(item=item, passages=tuple(lines)))
    return tuple(found)


def _line(number: int, sentence: EvidenceSentence, context: AskContext) -> str:
    return f"[{number}] {origin(sentence, context)}: {' '.join(sentence.whole.split())}"
