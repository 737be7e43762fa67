"""Model tasks of the agent: think and decide, reflect, summarise, conclude.

Text of documents stands behind bars (``| …``) and is called data; only the model's own reply is
parsed. Prompts are short, with one worked example: models of 1.5 billion parameters follow that.
"""

from typing import Final

from agent.ask.react.protocol import STOP
from agent.prompts.ask import AnswerInput, AnswerQuestion
from agent.prompts.react_texts import texts
from agent.prompts.structured import SynthesisInput, SynthesizeStructured
from services.errors import InvalidGeneration
from services.llm.base import Message
from services.llm.tasks import ModelTask
from services.types import Value

EMPTY: Final = "the answer is empty"


class ThinkInput(Value):
    """``tools`` are those that there are; ``hint`` says what went nowhere.

    ``fold``: nobody reflects after a step, so the thought does. ``last``: no step comes after.
    """

    question: str
    language: str
    tools: tuple[str, ...]
    history: str = ""
    hint: str = ""
    fold: bool = False
    last: bool = False


class ThinkAndDecide(ModelTask[ThinkInput, str]):
    """The next thought with its actions, as text; "" without a model."""

    name = "agent_think"
    schema = None
    max_tokens = 220
    stop = STOP

    def __init__(self, temperature: float = 0.0) -> None:
        self.temperature = temperature

    def render(self, inp: ThinkInput) -> tuple[Message, ...]:
        words = texts(inp.language)
        tools = "\n".join(f"{name} {words.tools[name]}" for name in inp.tools)
        system = f"{words.head}\n{tools}\n{words.rules}"
        parts = [f"{words.question}: {inp.question}"]
        if inp.history:
            parts.append(f"{words.so_far}:\n{inp.history}")
        if inp.hint:
            parts.append(inp.hint)
        if inp.fold and inp.history:
            parts.append(words.fold)
        parts.append(words.last if inp.last else words.next)
        user = "\n\n".join(parts)
        return Message(role="system", content=system), Message(role="user", content=user)

    def check(self, inp: ThinkInput, output: str) -> str:
        if not output.strip():
            raise InvalidGeneration(EMPTY)
        return output

    def fallback(self, inp: ThinkInput) -> str:
        """Nothing: without a thought the loop cannot go on."""
        return ""


class ReflectInput(Value):
    """``observation`` is what the last step brought, ``gathered`` what all brought before."""

    question: str
    language: str
    history: str
    gathered: str
    observation: str


class Reflect(ModelTask[ReflectInput, str]):
    """Whether the question can be answered now; "" without a model, which concludes nothing."""

    name = "agent_reflect"
    schema = None
    max_tokens = 90

    def __init__(self, temperature: float = 0.0) -> None:
        self.temperature = temperature

    def render(self, inp: ReflectInput) -> tuple[Message, ...]:
        words = texts(inp.language)
        user = (
            f"{words.question}: {inp.question}\n\n{words.so_far}:\n{inp.history}\n\n"
            f"{words.gathered}:\n{inp.gathered}\n\n{words.found}:\n{inp.observation}\n\n"
            f"{words.enough}"
        )
        return Message(role="system", content=words.judge), Message(role="user", content=user)

    def fallback(self, inp: ReflectInput) -> str:
        return ""


class NotesInput(Value):
    question: str
    focus: str
    language: str
    gathered: str


class SynthesizeNotes(ModelTask[NotesInput, str]):
    """A few sentences of what was gathered; "" without a model."""

    name = "agent_synthesize"
    schema = None
    max_tokens = 180

    def __init__(self, temperature: float = 0.0) -> None:
        self.temperature = temperature

    def render(self, inp: NotesInput) -> tuple[Message, ...]:
        words = texts(inp.language)
        focus = f"\n{words.focus}: {inp.focus}" if inp.focus else ""
        user = (
            f"{words.gathered}:\n{inp.gathered}\n\n{words.question}: {inp.question}{focus}"
            f"\n\n{words.sum_up}"
        )
        return Message(role="system", content=words.notes), Message(role="user", content=user)

    def language(self, inp: NotesInput) -> str | None:
        return inp.language

    def check(self, inp: NotesInput, output: str) -> str:
        text = " ".join(output.split())
        if not text:
            raise InvalidGeneration(EMPTY)
        return text

    def fallback(self, inp: NotesInput) -> str:
        return ""


class ConclusionInput(AnswerInput):
    """What an answer is written from, and ``history``: what the agent did to find it."""

    history: str = ""


class ConcludeAnswer(AnswerQuestion):
    """The answer to what the agent gathered, from its best sentences."""

    name = "agent_conclude"

    def __init__(self, temperature: float = 0.0) -> None:
        self.temperature = temperature

    def render(self, inp: AnswerInput) -> tuple[Message, ...]:
        history = inp.history if isinstance(inp, ConclusionInput) else ""
        return _after_history(super().render(inp), history, inp.language)


class ConcludeParts(SynthesizeStructured):
    """The answer to a question of several parts, from the best sentences of each."""

    name = "agent_conclude"

    def __init__(self, temperature: float = 0.0) -> None:
        self.temperature = temperature

    def render(self, inp: SynthesisInput) -> tuple[Message, ...]:
        return _after_history(super().render(inp), inp.history, inp.language)


def _after_history(
    messages: tuple[Message, ...], history: str, language: str
) -> tuple[Message, ...]:
    """A prompt whose user message begins with what was done so far."""
    if not history:
        return messages
    system, user = messages
    said = f"{texts(language).so_far}:\n{history}\n\n{user.content}"
    return system, Message(role="user", content=said)
