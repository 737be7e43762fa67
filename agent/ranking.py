"""Which sentences of the evidence are worth quoting for a task."""

from collections.abc import Mapping, Sequence

from agent.context import Context
from agent.models import ContextEntry, PreservedQuote, QueryAnchor, ToDoItem
from agent.passages import above, distinct, quotable
from agent.state import TaskInput
from services.citations import EvidenceSentence
from services.extractive import rank_sentences as score_words
from services.retrieval.scoring import min_max

WEIGHTS = {"words": 0.15, "task": 0.25, "question": 0.25, "passage": 0.35}
"""Chosen on the development questions of tests/benchmarks."""

MOST_COMPARED = 192
"""Sentences of a task whose meaning is compared: two seconds of embedding, fewer once cached."""

Ranked = tuple[float, str, EvidenceSentence]
"""Score (0-1), chunk id and sentence."""


def rank_sentences(
    state: TaskInput, entries: Sequence[ContextEntry], context: Context
) -> list[Ranked]:
    """Sentences of the evidence of a task, best first.

    A sentence counts by its words, by its nearness in meaning to task and question, and by the
    passage it stands in: legal sentences often leave their subject to the heading.
    """
    chunks = context.catalog.chunks.get([e.chunk_id for e in entries], scope=context.scope)
    pairs = [
        (entry, sentence)
        for entry in entries
        if entry.chunk_id in chunks
        for sentence in quotable(chunks[entry.chunk_id], context)
    ]
    pairs.sort(key=lambda pair: (-pair[0].score * pair[0].weight, pair[0].chunk_id, pair[1].start))
    pairs = pairs[:MOST_COMPARED]
    scores = score_texts(
        [sentence.text for _, sentence in pairs],
        headings=[above(chunks[entry.chunk_id], sentence) for entry, sentence in pairs],
        passages=[entry.score * entry.weight for entry, _ in pairs],
        task=state["task"].task,
        question=state["query_anchor"].original_query,
        language=state["query_anchor"].detected_language,
        context=context,
    )
    ranked = [
        (score, entry.chunk_id, sentence)
        for score, (entry, sentence) in zip(scores, pairs, strict=True)
    ]
    best = sorted(ranked, key=lambda item: (-item[0], item[1], item[2].start))
    return distinct(best, lambda item: item[2])


def as_quote(ranked: Ranked, task: ToDoItem, rank: int) -> PreservedQuote:
    """A sentence as the quote number ``rank`` (from 1) of a task."""
    score, chunk_id, sentence = ranked
    return PreservedQuote(
        chunk_id=chunk_id,
        document_id=sentence.document_id,
        document=sentence.document,
        section=sentence.section,
        page=sentence.page,
        start=sentence.start,
        end=sentence.end,
        quote=sentence.text,
        relevance_reason=task.task,
        task_id=task.id,
        rank=rank,
        score=round(score, 4),
        case=sentence.case,
    )


def rank_quotes(
    quotes: Sequence[PreservedQuote], anchor: QueryAnchor, context: Context
) -> list[PreservedQuote]:
    """Quotes of all tasks by what they say to the question itself, each place once."""
    unique = list({(q.document_id, q.start, q.end): q for q in reversed(quotes)}.values())
    identifiers = [quote.chunk_id for quote in unique]
    question, scope = anchor.original_query, context.scope
    chunks = context.catalog.chunks.get(identifiers, scope=scope)
    relevance = context.retriever.relevances(question, identifiers, scope=scope)
    scores = score_texts(
        [quote.quote for quote in unique],
        headings=[chunks[name].heading_path if name in chunks else () for name in identifiers],
        passages=[relevance.get(name, 0.0) for name in identifiers],
        task=question,
        question=question,
        language=anchor.detected_language,
        context=context,
    )
    ranked = zip(scores, unique, strict=True)
    best = sorted(ranked, key=lambda pair: (-pair[0], pair[1].start))
    return distinct([quote for _, quote in best], lambda quote: quote)


def score_texts(
    texts: Sequence[str],
    *,
    headings: Sequence[Sequence[str]],
    passages: Sequence[float],
    task: str,
    question: str,
    language: str,
    context: Context,
) -> list[float]:
    """How well sentences answer a task within a question, 0-1.

    Each feature is spread over 0-1 among the sentences, so that the weights mean something.
    ``headings`` are those that a sentence stands under, ``passages`` what its passage is worth.
    """
    if not texts:
        return []
    by_words = score_words(
        f"{task} {question}",
        texts,
        language,
        contexts=[" ".join(path) for path in headings],
    )
    titled = ["\n".join([*path[-1:], text]) for path, text in zip(headings, texts, strict=True)]
    to_task, to_question = context.similarity.cosines([task, question], titled)
    return combined(
        {
            "words": min_max(by_words),
            "task": min_max(to_task.tolist()),
            "question": min_max(to_question.tolist()),
            "passage": passages,
        }
    )


def combined(features: Mapping[str, Sequence[float]]) -> list[float]:
    """Weighted sums of the features, 0-1, one for each sentence."""
    columns = [[WEIGHTS[name] * value for value in features[name]] for name in WEIGHTS]
    return [sum(values) for values in zip(*columns, strict=True)]
