"""One model server for every system: a model behind a proxy that counts.

    python -m tests.benchmarks.peers.server --port 8399 --log CALLS.jsonl [--upstream URL]

Speaks OpenAI's protocol on loopback: ``/v1/chat/completions`` goes to URL, or else to llama.cpp
with the weights and threads of the product, ``/v1/embeddings`` to the product's embedder. Each call
is a line of the log, with its times, its tokens by the server's own count and whether the client
waited to the end.
"""

import json
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import anyio
import httpx
import uvicorn
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse

from services.models.embedded import ServerOptions, ServerProcess, ensure_weights
from services.retrieval.embedders import Embedder, make_embedder
from services.settings import Settings
from tests.benchmarks import common

CONTEXT_TOKENS = 32_768
"""What the weights were trained for: a peer must not fail for a window that we made small."""
QUERY_CHARACTERS = 400
"""A single text so short is taken for a question; the embedder marks questions and passages."""


class Log:
    """Calls as JSON lines."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def add(self, begun: float, **said: Any) -> None:
        line = {"begun": round(begun, 3), "ended": round(time.time(), 3), **said}
        with self._path.open("a", encoding="utf-8") as out:
            out.write(json.dumps(line) + "\n")


def tokens_of(piece: dict[str, Any]) -> dict[str, int]:
    """Prompt tokens, those of them that were read anew, and tokens written."""
    usage, timings = piece.get("usage") or {}, piece.get("timings") or {}
    if not usage and not timings:
        return {}
    read, kept = timings.get("prompt_n", 0), timings.get("cache_n", 0)
    return {
        "prompt_tokens": usage.get("prompt_tokens", read + kept),
        "read_tokens": read,
        "completion_tokens": usage.get("completion_tokens", timings.get("predicted_n", 0)),
    }


def make_app(upstream: httpx.AsyncClient, embedder: Embedder, log: Log) -> FastAPI:
    app = FastAPI()

    @app.get("/v1/models")
    async def models() -> Response:
        got = await upstream.get("/models")
        return Response(got.content, got.status_code, media_type="application/json")

    @app.post("/v1/embeddings")
    async def embeddings(request: Request) -> Response:
        begun, body = time.time(), await request.json()
        texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
        if not all(isinstance(text, str) for text in texts):
            return JSONResponse({"error": {"message": "texts only, no token ids"}}, 400)
        vectors = await anyio.to_thread.run_sync(embedded, embedder, texts)
        count = sum(embedder.count_tokens(text) for text in texts)
        log.add(begun, kind="embedding", texts=len(texts), prompt_tokens=count)
        data = [
            {"object": "embedding", "index": at, "embedding": vector}
            for at, vector in enumerate(vectors)
        ]
        usage = {"prompt_tokens": count, "total_tokens": count}
        return JSONResponse({"object": "list", "data": data, "model": "e5", "usage": usage})

    @app.post("/v1/chat/completions")
    async def chat(request: Request) -> Response:
        begun, body = time.time(), await request.json()
        wanted = upstream.build_request("POST", "/chat/completions", json=body)
        got = await upstream.send(wanted, stream=True)
        kind = got.headers.get("content-type", "application/json")
        counted = counting(got, begun, log)
        return StreamingResponse(counted, got.status_code, media_type=kind)

    return app


async def counting(got: httpx.Response, begun: float, log: Log) -> AsyncIterator[bytes]:
    """The answer as it comes; what it cost is logged when it ends or the client has gone."""
    first, seen, whole, last = None, {}, False, b""
    try:
        async for line in got.aiter_lines():
            piece = line.removeprefix("data: ")
            if piece.startswith("{"):
                value = json.loads(piece)
                seen |= tokens_of(value)
                if first is None and says_something(value):
                    first = time.time()
            last = line.encode() + b"\n"
            yield last
        whole = True
    finally:
        with anyio.CancelScope(shield=True):
            await got.aclose()
        first_s = None if first is None else round(first - begun, 3)
        log.add(begun, kind="chat", status=got.status_code, first_s=first_s, whole=whole, **seen)


def says_something(piece: dict[str, Any]) -> bool:
    choice = (piece.get("choices") or [{}])[0]
    said = choice.get("delta") or choice.get("message") or {}
    return bool(said.get("content") or said.get("tool_calls"))


def embedded(embedder: Embedder, texts: list[str]) -> list[list[float]]:
    if len(texts) == 1 and len(texts[0]) <= QUERY_CHARACTERS:
        return [embedder.embed_query(texts[0]).tolist()]
    return embedder.embed_passages(texts).tolist()  # type: ignore[no-any-return]


def client(url: str, key: str) -> httpx.AsyncClient:
    headers = {"Authorization": f"Bearer {key}"}
    return httpx.AsyncClient(base_url=url, headers=headers, timeout=None, trust_env=False)


def serve(upstream: httpx.AsyncClient, settings: Settings, log: Path, port: int) -> None:
    app = make_app(upstream, make_embedder(settings), Log(log))
    uvicorn.run(app, host="127.0.0.1", port=port, log_level="warning")


def main() -> None:
    parser = common.arguments(__doc__)
    parser.add_argument("--port", type=int, default=8399)
    parser.add_argument("--log", type=Path, required=True)
    parser.add_argument("--upstream", default="", help="ends with /v1")
    given, settings = parser.parse_args(), Settings()
    if given.upstream:
        serve(client(given.upstream, "none"), settings, given.log, given.port)
        return
    weights = ensure_weights(settings.cache_dir)
    server = ServerProcess(ServerOptions(path=str(weights), context_tokens=CONTEXT_TOKENS))
    try:
        serve(client(f"{server.url}/v1", server.api_key), settings, given.log, given.port)
    finally:
        server.stop()


if __name__ == "__main__":
    main()
