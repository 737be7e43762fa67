"""A loopback server that speaks Ollama's HTTP protocol, with faults on demand."""

import json
from collections.abc import Callable, Sequence
from typing import Any

from tests.support.fakes_retrieval import HashEmbedder
from tests.support.loopback import TOO_LONG, Body, LoopbackServer, Out


class OllamaServer(LoopbackServer):
    """``/api/chat``, ``/api/tags``, ``/api/ps``, ``/api/show`` and ``/api/embed``.

    ``models`` are listed and known, trained for ``trained_context``; ``counts`` are the tokens that
    a prompt is said to have had, None for a third of its characters; ``held`` are the models in
    memory, None for a server that does not say; ``vector`` makes the vectors of ``/api/embed``,
    which need not have length one, and whose ValueError becomes HTTP 500.
    """

    content_type = "application/x-ndjson"
    garbage = "<html>502 Bad Gateway</html>\n"

    def __init__(
        self,
        reply: str | Callable[[Body], str] = "Ja.",
        *,
        models: Sequence[str] = ("qwen3:14b",),
        trained_context: int = 40960,
    ) -> None:
        super().__init__(reply)
        self.models = tuple(models)
        self.trained_context = trained_context
        self.counts: int | None = None
        self.held: tuple[str, ...] | None = None
        self.digest = "0a109f422b47e3a30ba2b10eca18548e944e8a23073ee3f3e947efcf3c45e59f"
        self.vector: Callable[[str], list[float]] = vector_of

    def handle(self, path: str, body: Body, out: Out) -> None:
        match path:
            case "/api/tags":
                listed = ({"name": each, "model": each} for each in self.models)
                out.json({"models": [{**each, "digest": self.digest} for each in listed]})
            case "/api/ps" if self.held is not None:
                out.json({"models": [{"name": each} for each in self.held]})
            case "/api/show":
                out.json({"model_info": {"qwen3.context_length": self.trained_context}})
            case "/api/embed":
                self._embed(body, out)
            case "/api/chat":
                self._chat(body, out)
            case _:
                out.json({"error": "not found"}, 404)

    def _embed(self, body: Body, out: Out) -> None:
        match self.next_fault(body):
            case "hangup":
                out.hang_up()
            case "error":
                out.json({"error": "llama runner process has terminated"}, 500)
            case "silent":
                self.wait(30)
            case "garbage":
                out.json(["<html>502 Bad Gateway</html>"])
            case "blank":
                out.json({"error": f"model {body['model']} does not support embeddings"}, 400)
            case _ if body["model"] not in self.models:
                out.json({"error": f"model '{body['model']}' not found"}, 404)
            case _:
                try:
                    vectors = [self.vector(text) for text in body["input"]]
                except ValueError as error:
                    return out.json({"error": str(error)}, 500)
                out.json({"model": body["model"], "embeddings": vectors})

    def _chat(self, body: Body, out: Out) -> None:
        fault = self.next_fault(body)
        if fault == "hangup":
            out.hang_up()
        elif fault == "error":
            out.json({"error": "llama runner process has terminated"}, 500)
        elif fault == "missing" or body["model"] not in self.models:
            out.json({"error": f"model '{body['model']}' not found"}, 404)
        elif fault == "too_long":
            out.json({"error": TOO_LONG}, 400)
        else:
            self.stream(fault, body, out)

    def piece(self, body: Body, word: str) -> str:
        return line(body, content=word)

    def thought(self, body: Body) -> str:
        return line(body, content="", thinking="Ich denke nach.")

    def last(self, body: Body, text: str, reason: str) -> str:
        prompt = sum(len(message["content"]) for message in body["messages"]) // 3
        counted = prompt if self.counts is None else self.counts
        return line(
            body,
            content="",
            done=True,
            done_reason=reason,
            prompt_eval_count=counted,
            prompt_eval_duration=counted * 10_000_000,
            eval_count=len(text) // 3,
            eval_duration=1_000_000,
        )


def line(body: Body, *, content: str, thinking: str | None = None, **end: Any) -> str:
    message = {"role": "assistant", "content": content}
    if thinking is not None:
        message["thinking"] = thinking
    head = {"model": body["model"], "created_at": "2026-11-21T00:00:00Z", "message": message}
    return json.dumps({**head, "done": False, **end}, ensure_ascii=False) + "\n"


def vector_of(text: str) -> list[float]:
    """A vector that counts the words of a text; near for texts that share words."""
    return [3 * float(part) for part in HashEmbedder().embed_query(text)]
