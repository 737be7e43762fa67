"""Which sentences of the evidence are worth quoting for a task."""

from collections.abc import Mapping, Sequence

from agent.context import Context
from agent.models import ContextEntry
from agent.passages import quotable
from agent.state import TaskInput
from services.citations import EvidenceSentence
from services.extractive import rank_sentences
from services.retrieval.scoring import min_max
from services.types import Chunk

WEIGHTS = {"words": 0.2, "task": 0.3, "question": 0.3, "passage": 0.2}
"""Chosen on the development questions of tests/benchmarks."""

MOST_COMPARED = 64
"""Sentences of a task whose meaning is compared: a second or two of embedding."""

Ranked = tuple[float, str, EvidenceSentence]
"""Score (0-1), chunk id and sentence."""


def rank_quotes(
    state: TaskInput, entries: Sequence[ContextEntry], context: Context
) -> list[Ranked]:
    """Sentences of the evidence, best first.

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
    if not pairs:
        return []
    pairs.sort(key=lambda pair: -pair[0].score * pair[0].weight)
    pairs = pairs[:MOST_COMPARED]
    scores = combined(_features(state, pairs, chunks, context))
    ranked = [
        (score, entry.chunk_id, sentence)
        for score, (entry, sentence) in zip(scores, pairs, strict=True)
    ]
    return sorted(ranked, key=lambda item: (-item[0], item[1], item[2].start))


def _features(
    state: TaskInput,
    pairs: Sequence[tuple[ContextEntry, EvidenceSentence]],
    chunks: Mapping[str, Chunk],
    context: Context,
) -> dict[str, list[float]]:
    """Each feature spread over 0-1 among the sentences, so that the weights mean something."""
    task, anchor = state["task"].task, state["query_anchor"]
    texts = [sentence.text for _, sentence in pairs]
    paths = [chunks[entry.chunk_id].heading_path for entry, _ in pairs]
    by_words = rank_sentences(
        f"{task} {anchor.original_query}",
        texts,
        anchor.detected_language,
        contexts=[" ".join(path) for path in paths],
    )
    titled = ["\n".join([*path[-1:], text]) for path, text in zip(paths, texts, strict=True)]
    to_task, to_question = context.similarity.cosines([task, anchor.original_query], titled)
    return {
        "words": min_max(by_words),
        "task": min_max(to_task.tolist()),
        "question": min_max(to_question.tolist()),
        "passage": [entry.score * entry.weight for entry, _ in pairs],
    }


def combined(features: Mapping[str, Sequence[float]]) -> list[float]:
    """Weighted sums of the features, 0-1, one for each sentence."""
    columns = [[WEIGHTS[name] * value for value in features[name]] for name in WEIGHTS]
    return [sum(values) for values in zip(*columns, strict=True)]
