"""Read the type and intent of a question from its vector, with small linear heads.

Features are the bundled embedding model's vectors of the question and of its first words, the kinds
of its keywords, its length, and its question mark (``python -m tests.benchmarks.train_heads``).
"""

from collections.abc import Callable
from functools import cache
from importlib.resources import files
from typing import Final, get_args

import numpy as np
from numpy.typing import NDArray

from services.domain.value import Language
from services.language.query.keywords import KINDS, kinds
from services.language.query.values import QueryType, Reading

Floats = NDArray[np.float32]
EmbedQuery = Callable[[str], Floats]

TYPES: Final[tuple[QueryType, ...]] = get_args(QueryType)
SIGNS: Final = ("everything", "mention", "store", "threshold", "yes_no")
"""Yes-or-no properties of a question, each with a head; the first three are used."""
FOLLOWS: Final = "follows"
FRAME: Final = "frame"
START: Final = 4
LEAST: Final = 0.3
MOST: Final = 0.95
_LONGEST: Final = 2_000


Heads = dict[str, Floats]
"""Weights by name, with ``NAME_bias`` for each, and the ``fingerprint`` of the embedding model."""


@cache
def fitted() -> Heads:
    with (files("services.language.query") / "heads.npz").open("rb") as stream:
        return dict(np.load(stream))


def _logits(name: str, features: Floats) -> Floats:
    heads = fitted()
    logits: Floats = heads[name] @ features + heads[f"{name}_bias"]
    return logits


class QuestionReader:
    """Reads questions with the heads; ``embed`` must be the model that they were fitted to."""

    def __init__(self, embed: EmbedQuery) -> None:
        self._embed = embed

    def __call__(self, question: str, language: Language) -> Reading:
        text = question[:_LONGEST]
        features = features_of(text, self._embed, language)
        logits = _logits("types", features)
        powers = np.exp(logits - logits.max())
        probabilities = powers / powers.sum()
        best = int(np.argmax(probabilities))
        confidence = LEAST if TYPES[best] == "unknown" else float(probabilities[best])
        signs = _logits("signs", features) >= 0
        return Reading(
            type=TYPES[best],
            confidence=round(min(MOST, max(LEAST, confidence)), 2),
            everything=bool(signs[0]),
            mention=bool(signs[1]),
            store=bool(signs[2]),
        )

    def frame(self, word: str) -> float:
        """Return the log-odds that a word only says that something is mentioned (``section``)."""
        return float(_logits(FRAME, self._embed(word))[0])

    def follows(self, question: str, before: str, language: Language) -> bool:
        text, earlier = question[:_LONGEST], before[:_LONGEST]
        features = follow_features(text, earlier, self._embed, language)
        return bool(_logits(FOLLOWS, features)[0] >= 0)


def reader_for(fingerprint: str, embed: EmbedQuery) -> QuestionReader | None:
    """Return a reader for this embedding model, None if the heads were fitted to another."""
    return QuestionReader(embed) if fingerprint == str(fitted()["fingerprint"]) else None


def features_of(question: str, embed: EmbedQuery, language: Language) -> Floats:
    words = question.split()
    spoken_of = kinds(question, language)
    more = [float(kind in spoken_of) for kind in KINDS]
    more += [float(question.rstrip().endswith("?")), float(np.log1p(len(words)))]
    start = " ".join(words[:START])
    return np.concatenate([embed(question), embed(start), np.asarray(more, dtype=np.float32)])


def follow_features(question: str, before: str, embed: EmbedQuery, language: Language) -> Floats:
    cosine = np.asarray([embed(question) @ embed(before)], dtype=np.float32)
    return np.concatenate([features_of(question, embed, language), cosine])
