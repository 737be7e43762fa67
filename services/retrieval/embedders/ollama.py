"""Embedding models of an Ollama server."""

import math
import time
from collections.abc import Callable
from functools import cached_property
from typing import TypeVar

import httpx
import numpy as np
from ollama import Client, EmbedResponse, ResponseError

from services.domain.errors import (
    EmbeddingMismatch,
    InvalidGeneration,
    ModelTimeout,
    ModelUnavailable,
    NoModel,
)
from services.domain.model_kinds import KINDS
from services.domain.notices import Notice
from services.models.endpoint import CLOSE_AFTER_REQUEST, CONNECT_TIMEOUT_S, Endpoint, is_loopback
from services.models.ollama import full_name
from services.retrieval.embedders.base import PrefixedEmbedder, Vectors, family_of

SETTING = "RABBITHOLE_EMBEDDING"
MOST_TOKENS = 2048
"""Enough for the longest chunk of 4,000 characters; a larger context only costs memory."""
UNSTATED_TOKENS = 512
CHARS_PER_TOKEN = 2.0
"""Conservative: the server has the tokenizer, and German in an English vocabulary has little more
characters a token."""
SPECIAL_TOKENS = 2
DIGEST_CHARACTERS = 12
RETRIES = 2
RETRY_PAUSE_S = 0.5
PROBE = "dimension"
"""Every model embeds it."""
BLANK = "-"
"""Sent for a text of blanks, for which some models have no vector."""
Response = TypeVar("Response")


class OllamaEmbedder(PrefixedEmbedder):
    """A model by its Ollama name; the server is first called when something of it is needed.

    The server cuts texts longer than ``max_tokens``. A batch may take ``deadline_s``.
    """

    def __init__(self, model: str, *, url: str, deadline_s: float) -> None:
        self.name = full_name(model)
        self.family = family_of(model)
        self._url = url
        self._deadline_s = deadline_s
        self._endpoint = Endpoint(
            f"ollama:{self.name}",
            url,
            KINDS["ollama"],
            remedy=Notice.of(
                "start Ollama with `ollama serve`, or set {setting} to another embedding model",
                setting=SETTING,
            ),
        )

    @cached_property
    def fingerprint(self) -> str:
        """Name and digest, as a model that was pulled again may have other vectors."""
        models = self._call(lambda: self._client.list().models)
        digests = [model.digest or "unknown" for model in models if model.model == self.name]
        if not digests:
            raise self._missing()
        digest = self._endpoint.scrub(digests[0]).removeprefix("sha256:")[:DIGEST_CHARACTERS]
        return f"ollama:{self.name}@{digest}/{self.dimension}/{self.family.prefixes}/v1"

    @cached_property
    def dimension(self) -> int:
        return self._vectors([PROBE]).shape[1]

    @cached_property
    def max_tokens(self) -> int:
        info = self._call(lambda: self._client.show(self.name)).modelinfo or {}
        stated = [size for key, size in info.items() if key.endswith(".context_length")]
        sizes = [size for size in stated if isinstance(size, int)]
        return min(MOST_TOKENS, *sizes) if sizes else UNSTATED_TOKENS

    def count_tokens(self, text: str) -> int:
        """Return an estimate, rather too many."""
        length = len(self.family.passage) + len(text)
        return math.ceil(length / CHARS_PER_TOKEN) + SPECIAL_TOKENS

    @cached_property
    def _client(self) -> Client:
        url = httpx.URL(self._url)  # the client ignores user and password in it
        return Client(
            host=self._url,
            auth=(url.username, url.password) if url.username else None,
            timeout=httpx.Timeout(self._deadline_s, connect=CONNECT_TIMEOUT_S),
            trust_env=not is_loopback(self._url),
            headers=CLOSE_AFTER_REQUEST,
            follow_redirects=False,
        )

    def _encode(self, texts: list[str]) -> Vectors:
        vectors = self._vectors(texts)
        if vectors.shape[1] != self.dimension:
            raise EmbeddingMismatch(
                "{name} sent a vector of {found} numbers instead of {expected}: the model has"
                " been replaced; restart Rabbithole",
                name=self._endpoint.name,
                found=vectors.shape[1],
                expected=self.dimension,
            )
        return vectors

    def _vectors(self, texts: list[str]) -> Vectors:
        inputs = [text if text.strip() else BLANK for text in texts]
        response = self._embed(inputs)
        try:
            vectors = np.array(response.embeddings, dtype=np.float32)
        except ValueError:  # rows of different lengths
            vectors = np.zeros((0, 0), dtype=np.float32)
        if vectors.ndim != 2 or len(vectors) != len(inputs) or not np.isfinite(vectors).all():
            raise InvalidGeneration(
                "{name} did not send one vector for each text", name=self._endpoint.name
            )
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not lengths.all():
            raise InvalidGeneration("{name} sent a zero vector", name=self._endpoint.name)
        return vectors / lengths

    def _embed(self, inputs: list[str]) -> EmbedResponse:
        """Return the response; InvalidGeneration if it fails on these texts, but not on others."""
        options = {"num_ctx": self.max_tokens}
        try:
            return self._call(lambda: self._client.embed(self.name, inputs, options=options))
        except ModelUnavailable as error:
            answer = error.__context__
            if not isinstance(answer, ResponseError) or answer.status_code != 500:
                raise
            if inputs == [PROBE]:
                raise
            self._embed([PROBE])
            raise InvalidGeneration(
                "{name} cannot embed one of these texts, but embeds others ({said}); use another "
                "embedding model",
                name=self._endpoint.name,
                said=self._endpoint.scrub(answer.error)[:300],
            ) from None

    def _call(self, request: Callable[[], Response]) -> Response:
        for _ in range(RETRIES):
            try:
                return self._call_once(request)
            except ModelUnavailable:
                time.sleep(RETRY_PAUSE_S)
        return self._call_once(request)

    def _call_once(self, request: Callable[[], Response]) -> Response:
        try:
            return request()
        except ResponseError as error:
            raise self._refused(error) from None
        except httpx.TimeoutException as error:
            if isinstance(error, httpx.ConnectTimeout):
                raise self._endpoint.connection_lost(False) from error
            raise ModelTimeout(
                "{name} did not embed a batch within {seconds:g} s; raise "
                "RABBITHOLE_MODEL_DEADLINE_S or use a smaller model",
                name=self._endpoint.name,
                seconds=self._deadline_s,
            ) from error
        except (httpx.HTTPError, ConnectionError) as error:
            raise self._endpoint.connection_lost(False) from error
        except (ValueError, TypeError) as error:
            raise self._endpoint.unparsable(error, True) from error

    def _refused(self, error: ResponseError) -> Exception:
        if error.status_code == 404:
            return self._missing()
        if "does not support embed" in error.error:
            return NoModel(
                "{model} is not an embedding model. Set {setting} to one, such as "
                "ollama:nomic-embed-text.",
                model=self.name,
                setting=SETTING,
            )
        return self._endpoint.status_error(error.status_code, error.error)

    def _missing(self) -> NoModel:
        return NoModel(
            "Ollama at {url} does not have the embedding model {model}: run `ollama pull "
            "{model}`, or set {setting} to another embedding model.",
            url=self._endpoint.url,
            model=self.name,
            setting=SETTING,
        )
