"""Rank the sentences that answer a question, with one judge for every depth.

A logistic regression combines the cross-encoder, shared words and the search's relevance. Its
weights are data, fitted by ``python -m tests.benchmarks.train_ranking``.
"""

import json
import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import numpy as np

from services.cross_encoder import CrossEncoder
from services.domain.answers import Certainty, EvidenceSentence
from services.domain.value import Language
from services.evidence.grounding import content_words, stem_set
from services.language.text.words import best_match
from services.retrieval.embedders.base import Vectors

WEIGHTS: Final = Path(__file__).with_name("weights.json")
FEATURES: Final = ("sentence", "relevance", "around", "near")

PASSAGES_READ: Final = 10
EMBEDDED: Final = 24
"""Sentences whose own relevance is measured; more changed no order of 134 questions."""
UNREAD: Final = -4.0
"""Logit of a sentence that is not read, that of a text that does not answer."""

CARDS: Final = 3
"""Quotes to show where it is unclear whether they answer."""

Nearness = Callable[[Sequence[str], Sequence[str]], Vectors]
"""Returns log-odds of the relevance of sentences (m) to queries (n), shape (n, m)."""


class Judge:
    def __init__(self, encoder: CrossEncoder, nearness: Nearness) -> None:
        self._encoder, self._nearness = encoder, nearness

    def scores(
        self,
        question: str,
        sentences: Sequence[EvidenceSentence],
        relevance: Sequence[float],
        language: Language,
    ) -> list[float]:
        """Return how surely each sentence answers a question or covers a topic, 0-1.

        Sentences of one ``context`` are read together; ``relevance`` is the calibrated one of each
        sentence's passage, 0-1.
        """
        if not sentences:
            return []
        table = features(question, sentences, relevance, language, self._encoder, self._nearness)
        weights = _fitted()["ranking"]
        logits = weights["bias"] + sum(weights[name] * table[name] for name in FEATURES)
        return [float(value) for value in 1 / (1 + np.exp(-np.clip(logits, -30, 30)))]


def certainty(scores: Sequence[float], *, named: bool = False) -> Certainty:
    """Return whether the best score, 0-1, allows an answer, closest passages, or a refusal.

    A retrieved section that the question names (``named``) is never refused.
    """
    best, bounds = max(scores, default=0.0), _fitted()["certainty"]
    if best >= bounds["answered"]:
        return "answered"
    return "perhaps" if best >= bounds["perhaps"] or (named and scores) else "refused"


def features(
    question: str,
    sentences: Sequence[EvidenceSentence],
    relevance: Sequence[float],
    language: Language,
    encoder: CrossEncoder,
    nearness: Nearness,
) -> dict[str, np.ndarray]:
    """Return the columns of the regression, each of shape (sentences,).

    They are the cross-encoder's logit of the sentence, the log-odds of its passage's relevance, the
    share of the question's words in the passage, and the log-odds of the sentence's own relevance.
    Embedding takes time, so the last is measured only for the best by the other three.
    """
    table = {
        "sentence": _read(question, sentences, relevance, encoder),
        "relevance": np.array([logit(share) for share in relevance]),
        "around": word_shares(
            content_words(question, language),
            [sentence.full_quote for sentence in sentences],
            language,
            around=[sentence.context for sentence in sentences],
        ),
    }
    weights = _fitted()["ranking"]
    first = sum(weights[name] * column for name, column in table.items())
    best = np.argsort(-np.asarray(first), kind="stable")[:EMBEDDED]
    texts = [f"{sentences[n].heading}\n{sentences[n].full_quote}" for n in best]
    measured = nearness([question], texts)[0]
    near = np.full(len(sentences), measured.min())
    near[best] = measured
    return {**table, "near": near}


def _read(
    question: str,
    sentences: Sequence[EvidenceSentence],
    relevance: Sequence[float],
    encoder: CrossEncoder,
) -> np.ndarray:
    """Return the cross-encoder's logit of each sentence, reading each passage in one go.

    Reading takes time, so only the most relevant passages are read.
    """
    groups: dict[tuple[str, str], list[int]] = {}
    for number, sentence in enumerate(sentences):
        groups.setdefault((sentence.document_id, sentence.context), []).append(number)
    read = sorted(groups.values(), key=lambda members: -max(relevance[n] for n in members))
    read = read[:PASSAGES_READ]
    for members in read:
        members.sort(key=lambda number: sentences[number].start)
    passages = [
        [sentences[members[0]].heading or "-", *(sentences[n].full_quote for n in members)]
        for members in read
    ]
    logits = np.full(len(sentences), UNREAD)
    for members, reading in zip(read, encoder.read(question, passages), strict=True):
        logits[members] = reading.sentences[1:]
    return logits


@lru_cache(maxsize=1)
def _fitted() -> dict[str, Any]:
    """Return the weights and bounds, both fitted on development questions."""
    return dict(json.loads(WEIGHTS.read_text()))


def logit(share: float) -> float:
    """Return the log-odds of a share, which is clipped away from 0 and 1."""
    clipped = min(max(share, 1e-4), 1 - 1e-4)
    return math.log(clipped / (1 - clipped))


def word_shares(
    words: Sequence[str], quotes: Sequence[str], language: Language, around: Sequence[str]
) -> np.ndarray:
    """Return the share of words near each quote; words that few quotes contain count more."""
    rarity = np.log(1 + len(quotes) / (1 + _strengths(words, quotes, language).sum(0)))
    return np.asarray(_strengths(words, around, language) @ rarity / (rarity.sum() or 1.0))


def _strengths(words: Sequence[str], texts: Sequence[str], language: Language) -> np.ndarray:
    """Return how well each text matches each word, compounds included, shape (texts, words)."""
    rows = {
        text: [best_match(word, stem_set(text, language)) for word in words] for text in {*texts}
    }
    return np.array([rows[text] for text in texts], dtype=float).reshape(len(texts), len(words))
