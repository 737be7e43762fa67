"""A loopback server that speaks OpenAI's protocol as real servers do: each dialect by name."""

import json
from typing import Any, Literal

from tests.support.loopback import Body, Out
from tests.support.openai_server import OpenAIServer, event, head

Dialect = Literal[
    "usual",
    "max_completion_tokens",  # and no max_tokens
    "no_seed",
    "no_temperature",
    "no_schema",
    "no_stop",
    "bare",  # refuses every parameter, and does not say which
    "ignores_schema",  # takes it, and has the model write as it likes
    "fenced",  # JSON in a block of code, introduced by a sentence
    "think",  # thoughts before the answer, in tags
    "reasoning",  # thoughts before the answer, in a field of their own
    "renamed_reasoning",  # the same, in the newer name of that field
    "hidden_reasoning",  # thoughts before the answer, which it only counts
    "answer_in_reasoning",  # the answer in the field for thoughts
    "unstreamed",  # answers whole, whatever was asked
    "busy",  # takes every second request, and says when
    "keepalive",  # comments before the stream
]
REFUSED: dict[str, tuple[str, int, str]] = {
    "max_completion_tokens": (
        "max_tokens",
        400,
        "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
    ),
    "no_seed": ("seed", 422, "extra_forbidden: body.seed"),
    "no_temperature": ("temperature", 400, "'temperature' does not support 0 with this model."),
    "no_stop": ("stop", 400, "Unsupported parameter: 'stop' is not supported with this model."),
    "no_schema": ("response_format", 400, "This response_format type is unavailable now"),
}
THOUGHTS = {"reasoning": "reasoning_content", "renamed_reasoning": "reasoning"}
OPTIONAL = {
    "max_tokens", "max_completion_tokens", "seed", "temperature", "response_format",
    "stream_options", "stop",
}  # fmt: skip


class DialectServer(OpenAIServer):
    """Answers with ``reply`` as its dialect has it, or where it is ``closed`` not at all."""

    dialect: Dialect = "usual"
    closed = False
    retry_after_s = 0.05

    def _chat(self, body: Body, out: Out) -> None:
        self.requests.append(body)
        refused, status, message = REFUSED.get(self.dialect, ("", 0, ""))
        if refused in body:
            out.json({"error": {"message": message}}, status)
        elif self.closed or (self.dialect == "bare" and OPTIONAL & body.keys()):
            out.json({"error": {"message": "Bad request"}}, 400)
        elif self.dialect == "busy" and len(self.requests) % 2:
            out.json({"error": {"message": "Busy"}}, 429, Retry_After=self.retry_after_s)
        elif self.dialect == "unstreamed" or not body.get("stream"):
            out.json(self._answer(body))
        else:
            self._stream(body, out)

    def _answer(self, body: Body) -> dict[str, Any]:
        choice = {"index": 0, "message": self._message(body), "finish_reason": "stop"}
        return {**head(body, "chat.completion"), "choices": [choice], "usage": self._usage(body)}

    def _stream(self, body: Body, out: Out) -> None:
        out.start_stream(self.content_type)
        if self.dialect == "keepalive":
            out.chunk(": PROCESSING\n\n")
        if field := THOUGHTS.get(self.dialect):
            out.chunk(event(body, {"role": "assistant", field: "Hm {} well."}))
        out.chunk(event(body, self._message(body)))
        out.chunk(self.last(body, "", "stop"))
        out.end_stream()

    def _usage(self, body: Body) -> dict[str, Any]:
        thoughts = 5 if self.dialect == "hidden_reasoning" else 0
        details = {"completion_tokens_details": {"reasoning_tokens": thoughts}}
        return super()._usage(body) | details

    def _message(self, body: Body) -> dict[str, str]:
        text = self.text_for("none", body)
        content = {
            "fenced": f"Here is the JSON you asked for:\n```json\n{text}\n```\n",
            "think": f"<think>\nLet me see {{}}.\n</think>\n\n{text}",
            "ignores_schema": text if "schema" in json.dumps(body["messages"]) else "Of course!",
        }
        if self.dialect == "answer_in_reasoning":
            return {"role": "assistant", "content": "", "reasoning_content": f"So: {text}"}
        return {"role": "assistant", "content": content.get(self.dialect, text)}
