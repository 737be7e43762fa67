"""A chat model that answers from a script: for tests of everything that uses a model.

    model = ScriptedModel([
        ("clarify", {"questions": ["Welche Strahlung?"]}),     # by task name
        (r"Grenzwert.*UV", "Der Grenzwert beträgt 0,3 W/m²."),  # or by the prompt
        ("plan", ["kein JSON", {"items": ["a"]}]),              # one answer after the other
        ("synthesize", ModelTimeout("too slow")),               # or an error
    ])

The first rule whose pattern occurs in the task's name or in the prompt answers. A request
that no rule fits is an error of the test, unless ``default`` is given.
"""

import json
import re
import time
from collections.abc import Callable, Sequence

from pydantic import BaseModel, JsonValue

from services.models.base import ChatRequest, Completion, estimate_tokens, require_fit

Answer = str | dict[str, JsonValue] | BaseModel | Exception | Callable[[ChatRequest], str]
Rule = tuple[str, Answer | Sequence[Answer]]


class UnscriptedRequest(AssertionError):
    """A request that the script does not foresee."""


class ScriptedModel:
    """Answers by task name or prompt pattern and records what it was asked."""

    def __init__(
        self,
        rules: Sequence[Rule] = (),
        *,
        default: Answer | None = None,
        context_tokens: int = 8192,
        name: str = "scripted",
        slots: int = 1,
    ) -> None:
        self.name = name
        self.context_tokens = context_tokens
        self.prompt_tokens_per_s = 1000.0
        self.output_tokens_per_s = 100.0
        self.slots = slots
        self.requests: list[ChatRequest] = []
        self.closed = False
        self._default = default
        self.play(rules)

    def play(self, rules: Sequence[Rule]) -> None:
        """Begins another script; what was asked before is forgotten."""
        self.requests.clear()
        self._rules = [
            (re.compile(pattern, re.DOTALL), _queue(answers)) for pattern, answers in rules
        ]

    async def complete(
        self, request: ChatRequest, on_text: Callable[[str], None] | None = None
    ) -> Completion:
        require_fit(self, request)
        started = time.monotonic()
        text = self._said(request)
        if on_text is not None:
            for end in (match.end() for match in re.finditer(r"\S+", text)):
                on_text(text[:end])
        return Completion(
            text=text,
            prompt_tokens=sum(self.count_tokens(m.content) for m in request.messages),
            completion_tokens=self.count_tokens(text),
            seconds=time.monotonic() - started,
        )

    def count_tokens(self, text: str) -> int:
        return estimate_tokens(text)

    async def close(self) -> None:
        self.closed = True

    def prompts(self, task: str) -> list[str]:
        return [prompt_of(request) for request in self.requests if request.task == task]

    def _said(self, request: ChatRequest) -> str:
        self.requests.append(request)
        return self._text(self._answer(request), request)

    def _answer(self, request: ChatRequest) -> Answer:
        prompt = prompt_of(request)
        for pattern, answers in self._rules:
            if pattern.search(request.task) or pattern.search(prompt):
                return answers.pop(0) if len(answers) > 1 else answers[0]
        if self._default is None:
            raise UnscriptedRequest(f"no rule for task {request.task!r}: {prompt[:400]}")
        return self._default

    def _text(self, answer: Answer, request: ChatRequest) -> str:
        match answer:
            case Exception():
                raise answer
            case str():
                return answer
            case BaseModel():
                return answer.model_dump_json()
            case dict():
                return json.dumps(answer, ensure_ascii=False)
            case _:
                return answer(request)


def prompt_of(request: ChatRequest) -> str:
    return "\n".join(message.content for message in request.messages)


def _queue(answers: Answer | Sequence[Answer]) -> list[Answer]:
    return list(answers) if isinstance(answers, list | tuple) else [answers]
