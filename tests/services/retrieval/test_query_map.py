"""The map that a question's vector gets before passages are searched."""

import numpy as np
import pytest

from services.retrieval.embedders import BundledEmbedder, Vectors
from services.retrieval.similarity import moved


def unit(text: str) -> Vectors:
    vector = np.random.default_rng(len(text)).normal(size=384)
    return np.asarray(vector / np.linalg.norm(vector), dtype=np.float32)


def test_models_that_it_was_not_made_for_keep_their_vectors() -> None:
    assert moved(unit, "another-model/384/v1") is unit


@pytest.mark.parametrize("text", ["a", "a question", "eine längere Frage"])
def test_a_moved_vector_is_another_one_of_length_one(text: str) -> None:
    found = moved(unit, BundledEmbedder.fingerprint)(text)
    assert found.dtype == np.float32 and found.shape == (384,)
    assert np.linalg.norm(found) == pytest.approx(1.0, abs=1e-5)
    assert 0.3 < float(found @ unit(text)) < 0.9999
