"""The quotes of a task: its sentences, best first, and how a checkpoint keeps those chosen."""

from collections.abc import Sequence

from agent.context import Context
from agent.models import PreservedQuote, ToDoItem
from agent.ranking import MOST_COMPARED, RankedSentence, distinct
from agent.research.state import TaskInput
from services.domain import Evidence, EvidenceSentence, Passage, PassageSpan


def rank_sentences(
    state: TaskInput, entries: Sequence[Evidence], context: Context
) -> list[RankedSentence]:
    """Sentences of the evidence of a task, best first.

    A sentence counts by how surely it answers the task and the question: the mean of both.
    """
    pairs = context.passages.sentences_of(entries)
    pairs.sort(key=lambda pair: (-pair[0].score * pair[0].weight, pair[0].chunk_id, pair[1].start))
    pairs = pairs[:MOST_COMPARED]
    relevance = [entry.score * entry.weight for entry, _ in pairs]
    sentences = [sentence for _, sentence in pairs]
    anchor = state["query_anchor"]
    asked = dict.fromkeys([state["task"].task, anchor.original_query])
    scores = [
        context.judge.scores(question, sentences, relevance, anchor.detected_language)
        for question in asked
    ]
    ranked = [
        (sum(column) / len(asked), sentence)
        for *column, sentence in zip(*scores, sentences, strict=True)
    ]
    best = sorted(ranked, key=lambda item: (-item[0], item[1].chunk_id, item[1].start))
    return distinct(best)


def as_quote(ranked: RankedSentence, task: ToDoItem, rank: int) -> PreservedQuote:
    """A sentence as the quote number ``rank`` (from 1) of a task."""
    score, sentence = ranked
    return PreservedQuote(
        **{name: getattr(sentence, name) for name in PassageSpan.model_fields},
        quote=sentence.quote,
        relevance_reason=task.task,
        task_id=task.id,
        rank=rank,
        score=round(score, 4),
        case=sentence.case,
    )


def as_sentence(quote: PreservedQuote, passage: Passage | None) -> EvidenceSentence:
    """A quote as a sentence of its passage."""
    path = passage.heading_path if passage else ()
    return EvidenceSentence(
        **{name: getattr(quote, name) for name in PassageSpan.model_fields},
        quote=quote.quote,
        case=quote.case,
        heading=path[-1] if path else "",
        context="\n".join([*path, passage.text]) if passage else quote.quote,
    )
