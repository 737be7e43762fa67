"""Model tasks of the agent: think and decide, reflect, summarise, conclude.

Text of documents stands behind bars (``| …``) and is called data; only the model's own reply is
parsed. Prompts are short, with one worked example: models of 1.5 billion parameters follow that.
"""

from typing import Final

from agent.ask.react.protocol import STOP
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


class ConcludeAnswer(SynthesizeStructured):
    """The answer to what was asked, from the best sentences that were found of each part."""

    name = "agent_conclude"

    def __init__(self, temperature: float = 0.0) -> None:
        self.temperature = temperature

    def render(self, inp: SynthesisInput) -> tuple[Message, ...]:
        """The prompt of the structured route, after what was done so far."""
        system, user = super().render(inp)
        if not inp.history:
            return system, user
        said = f"{texts(inp.language).so_far}:\n{inp.history}\n\n{user.content}"
        return system, Message(role="user", content=said)
