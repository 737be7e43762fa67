"""The Ollama embedder keeps its contract against a loopback server, and names every fault."""

from base64 import b64encode
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from services.domain.errors import (
    EmbeddingMismatch,
    InvalidGeneration,
    ModelTimeout,
    ModelUnavailable,
    NoModel,
    RabbitholeError,
)
from services.retrieval.embedders import Embedder, ollama
from services.retrieval.embedders.ollama import OllamaEmbedder
from tests.contracts.embedder_contract import EmbedderContract
from tests.support.loopback import Fault
from tests.support.ollama_server import OllamaServer, vector_of
from tests.support.trap import Trap

MODEL = "all-minilm"


@pytest.fixture
def server() -> Iterator[OllamaServer]:
    models = (f"{MODEL}:latest", "nomic-embed-text:v1.5", "multilingual-e5:small")
    with OllamaServer(models=models, trained_context=512) as server:
        yield server


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ollama, "RETRY_PAUSE_S", 0.0)


def embedder_of(
    server: OllamaServer, model: str = MODEL, *, url: str = "", deadline_s: float = 60.0
) -> OllamaEmbedder:
    return OllamaEmbedder(model, url=url or server.url, deadline_s=deadline_s)


class TestOllamaEmbedder(EmbedderContract):
    @pytest.fixture
    def embedder(self, server: OllamaServer) -> Embedder:
        return embedder_of(server)


def test_texts_go_in_batches_with_the_context_of_the_model(server: OllamaServer) -> None:
    embedder_of(server, url="http://127.0.0.1:9")  # nothing is asked before it is needed
    progress: list[int] = []
    embedder_of(server).embed_passages([f"text {n}" for n in range(20)], progress.append)
    batches = [body for body in server.requests if body["input"] != ["dimension"]]
    assert [len(body["input"]) for body in batches] == [8, 8, 4] and progress == [8, 16, 20]
    assert {body["options"]["num_ctx"] for body in batches} == {512}
    for stated, most in ((512, 512), (8192, 2048), (40960, 2048)):
        server.trained_context = stated
        assert embedder_of(server).max_tokens == most


def test_the_fingerprint_tells_digests_and_families_apart(server: OllamaServer) -> None:
    first = embedder_of(server).fingerprint
    assert first == "ollama:all-minilm:latest@0a109f422b47/256/none/v1"
    nomic, e5 = (embedder_of(server, name) for name in server.models[1:])
    nomic.embed_query("Frage")
    nomic.embed_passages(["Stelle"])
    sent = {text for body in server.requests for text in body["input"]}
    assert {"search_query: Frage", "search_document: Stelle"} <= sent
    assert "/nomic/" in nomic.fingerprint and e5.calibration.low > 0.8 > nomic.calibration.low
    server.digest = "sha256:bbbbbbbbbbbbbbbbbbbb"
    assert embedder_of(server).fingerprint == first.replace("0a109f422b47", "b" * 12)


@pytest.mark.parametrize(
    ("fault", "error", "message"),
    [
        ("error", ModelUnavailable, "HTTP 500"),
        ("hangup", ModelUnavailable, "ollama serve"),
        ("garbage", ModelUnavailable, "Ollama's protocol"),
        ("blank", NoModel, "not an embedding model"),
        ("silent", ModelTimeout, "RABBITHOLE_MODEL_DEADLINE_S"),
    ],
)
def test_every_fault_has_its_error(
    server: OllamaServer, fault: Fault, error: type[RabbitholeError], message: str
) -> None:
    embedder = embedder_of(server, deadline_s=0.3 if fault == "silent" else 60.0)
    server.fault = fault
    with pytest.raises(error, match=message):
        embedder.embed_query("x")


def test_a_text_that_the_model_cannot_embed_is_no_fault_of_the_server(
    server: OllamaServer,
) -> None:
    def vector(text: str) -> list[float]:
        if "faulty" in text:
            raise ValueError("failed to encode response: json: unsupported value: NaN")
        return vector_of(text)

    server.vector = vector
    embedder = embedder_of(server)
    for _ in range(2):
        with pytest.raises(InvalidGeneration, match="NaN"):
            embedder.embed_passages(["good", "faulty"])
    assert embedder.embed_passages(["good"]).shape == (1, 256)


def test_passages_go_to_no_other_server(server: OllamaServer) -> None:
    embedder = embedder_of(server)
    with Trap() as trap:
        server.elsewhere = trap.address
        with pytest.raises(ModelUnavailable, match="307"):
            embedder.embed_query("x")
    assert not trap.asked


def test_a_password_in_the_address_is_sent(server: OllamaServer) -> None:
    address = server.url.replace("//", "//anna:geheim@")
    embedder_of(server, url=address).embed_query("Frage")
    assert server.headers[-1]["authorization"] == f"Basic {b64encode(b'anna:geheim').decode()}"


def test_a_passing_fault_is_survived(server: OllamaServer) -> None:
    server.fault, server.heals_after = "error", 2
    assert embedder_of(server).embed_query("x").shape == (256,)
    assert [body["input"] for body in server.requests[:3]] == [["x"]] * 3


def test_what_is_not_there_says_how_to_get_it(server: OllamaServer) -> None:
    asks: list[Callable[[OllamaEmbedder], object]] = [
        lambda embedder: embedder.embed_query("x"),
        lambda embedder: embedder.fingerprint,
    ]
    for ask in asks:
        with pytest.raises(NoModel, match=r"run `ollama pull bge-m3:latest`"):
            ask(embedder_of(server, "bge-m3"))
    server.stop()
    for ask in asks:
        with pytest.raises(ModelUnavailable, match=r"127\.0\.0\.1.*start Ollama with"):
            ask(embedder_of(server))


@pytest.mark.parametrize(
    "vector",
    [
        lambda text: [0.0] * 8,
        lambda text: [float("nan")] * 8,
        lambda text: [1.0] * (1 + len(text)),
        lambda text: [],
        lambda text: vector_of(text)[:100],  # another model under the same name
    ],
)
def test_vectors_that_fit_nothing_are_refused(
    server: OllamaServer, vector: Callable[[str], list[float]]
) -> None:
    embedder = embedder_of(server)
    assert embedder.dimension == 256
    server.vector = vector
    with pytest.raises((InvalidGeneration, EmbeddingMismatch), match="vector"):
        embedder.embed_passages(["a", "bbb"])


def test_blanks_and_control_characters_are_not_sent(server: OllamaServer) -> None:
    embedder = embedder_of(server)
    embedder.embed_passages(["", " \n", "a\0b\ud800"])
    sent = {text for body in server.requests for text in body["input"]}
    assert sent == {"dimension", "-", "a b?"}
    assert np.isfinite(embedder.embed_query("")).all()
