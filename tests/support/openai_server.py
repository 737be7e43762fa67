"""A loopback server that speaks OpenAI's chat protocol, with faults on demand."""

import json
from collections.abc import Callable
from typing import Any

from tests.support.loopback import TOO_LONG, Body, LoopbackServer, Out


class OpenAIServer(LoopbackServer):
    """``/v1/chat/completions``, streamed or whole, and ``/v1/models``.

    ``key`` is what the ``Authorization`` header must carry, None for no check; ``cached_tokens``
    the share of the prompt that usage calls cached, None for not saying.
    """

    content_type = "text/event-stream"
    garbage = "data: <html>502 Bad Gateway</html>\n\n"

    def __init__(self, reply: str | Callable[[Body], str] = "Ja.") -> None:
        super().__init__(reply)
        self.key: str | None = None
        self.models = ["any"]
        self.cached_tokens: int | None = None

    @property
    def base_url(self) -> str:
        return f"{self.url}/v1"

    def handle(self, path: str, body: Body, out: Out) -> None:
        refused = self.key and self.headers[-1].get("authorization") != f"Bearer {self.key}"
        match path:
            case "/v1/models" if refused:
                out.json({"error": {"message": "invalid api key"}}, 401)
            case "/v1/models":
                out.json({"object": "list", "data": [{"id": name} for name in self.models]})
            case "/v1/chat/completions":
                self._chat(body, out)
            case _:
                out.json({"error": {"message": "not found"}}, 404)

    def _chat(self, body: Body, out: Out) -> None:
        fault = self.next_fault(body)
        if self.key and self.headers[-1].get("authorization") != f"Bearer {self.key}":
            out.json({"error": {"message": "invalid api key"}}, 401)
        elif fault == "hangup":
            out.hang_up()
        elif fault == "error":
            out.json({"error": {"message": "CUDA out of memory"}}, 500)
        elif fault == "missing":
            out.json({"error": {"message": "The model does not exist"}}, 404)
        elif fault == "too_long":
            out.json({"error": {"message": TOO_LONG}}, 400)
        elif not body.get("stream"):
            out.json(self._whole(fault, body))
        else:
            self.stream(fault, body, out)

    def _whole(self, fault: str, body: Body) -> dict[str, Any]:
        text = "" if fault == "empty" else self.text_for("none", body)
        message = {"role": "assistant", "content": text}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        return {**head(body, "chat.completion"), "choices": [choice], "usage": self._usage(body)}

    def piece(self, body: Body, word: str) -> str:
        return event(body, {"role": "assistant", "content": word})

    def thought(self, body: Body) -> str:
        return self.piece(body, "<think>Hm.")

    def last(self, body: Body, text: str, reason: str) -> str:
        lines = [event(body, {}, reason)]
        if (body.get("stream_options") or {}).get("include_usage"):
            usage = {**head(body), "choices": [], "usage": self._usage(body)}
            lines.append(f"data: {json.dumps(usage)}\n\n")
        return "".join([*lines, "data: [DONE]\n\n"])

    def _usage(self, body: Body) -> dict[str, Any]:
        prompt = sum(len(message["content"]) for message in body["messages"]) // 3
        usage: dict[str, Any] = {
            "prompt_tokens": prompt,
            "completion_tokens": 7,
            "total_tokens": prompt + 7,
        }
        if self.cached_tokens is not None:
            usage["prompt_tokens_details"] = {"cached_tokens": self.cached_tokens}
        return usage


def head(body: Body, kind: str = "chat.completion.chunk") -> dict[str, Any]:
    return {"id": "chatcmpl-1", "object": kind, "created": 1, "model": body["model"]}


def event(body: Body, delta: dict[str, str], reason: str | None = None) -> str:
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    return f"data: {json.dumps({**head(body), 'choices': [choice]}, ensure_ascii=False)}\n\n"
