"""What every embedder must do. Subclass and provide the fixture ``embedder``."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from services.retrieval.embedders import Embedder

QUESTION = "How many apples grow on the tree?"
ANSWER = "Many red apples grow on the old tree."
UNRELATED = "The invoice must be paid within thirty days."


class EmbedderContract:
    @pytest.fixture
    def embedder(self) -> Embedder:
        raise NotImplementedError

    def test_vectors_are_unit_float32_of_the_stated_dimension(self, embedder: Embedder) -> None:
        query = embedder.embed_query(QUESTION)
        passages = embedder.embed_passages([ANSWER, UNRELATED])
        assert query.shape == (embedder.dimension,)
        assert passages.shape == (2, embedder.dimension)
        assert query.dtype == passages.dtype == np.float32
        for vector in (query, *passages):
            assert np.linalg.norm(vector) == pytest.approx(1.0, abs=1e-3)

    def test_the_answer_is_nearer_than_an_unrelated_text(self, embedder: Embedder) -> None:
        query = embedder.embed_query(QUESTION)
        answer, unrelated = embedder.embed_passages([ANSWER, UNRELATED])
        assert query @ answer > query @ unrelated
        assert embedder.calibration.relevance(float(query @ answer)) > 0.5
        assert embedder.calibration.relevance(float(query @ unrelated)) < 0.3

    def test_passages_keep_their_order_whatever_their_length(self, embedder: Embedder) -> None:
        texts = [ANSWER * 2, "a tree", UNRELATED, *(f"number {i} " * i for i in range(1, 9))]
        together = embedder.embed_passages(texts)
        for i in (0, 1, 5, 10):
            assert together[i] @ embedder.embed_passages([texts[i]])[0] > 0.995

    def test_progress_counts_up_to_the_number_of_passages(self, embedder: Embedder) -> None:
        progress: list[int] = []
        embedder.embed_passages(["one", "two", "three"] * 5, progress.append)
        assert progress == sorted(set(progress))
        assert progress[-1] == 15

    def test_no_passages_give_an_empty_matrix(self, embedder: Embedder) -> None:
        assert embedder.embed_passages([]).shape == (0, embedder.dimension)

    @pytest.mark.parametrize("text", ["", " ", "a\0b", "\ud800 lone surrogate", "\U0001f600", "…"])
    def test_odd_texts_have_vectors_too(self, embedder: Embedder, text: str) -> None:
        assert np.isfinite(embedder.embed_query(text)).all()
        assert np.isfinite(embedder.embed_passages([text, text])).all()
        assert embedder.count_tokens(text) >= 0

    def test_tokens_grow_with_the_text(self, embedder: Embedder) -> None:
        short, long = embedder.count_tokens(ANSWER), embedder.count_tokens(f"{ANSWER} " * 40)
        assert 0 < short < embedder.max_tokens
        assert long > 30 * (short - 6)

    def test_fingerprint_names_the_dimension(self, embedder: Embedder) -> None:
        assert f"/{embedder.dimension}/" in embedder.fingerprint

    def test_threads_get_their_own_answers(self, embedder: Embedder) -> None:
        texts = [f"passage number {i} about subject {i * 7}" for i in range(8)]
        expected = embedder.embed_passages(texts)
        with ThreadPoolExecutor(len(texts)) as pool:
            alone = pool.map(lambda text: embedder.embed_passages([text])[0], texts)
            for vector, together in zip(alone, expected, strict=True):
                assert vector @ together > 0.995
