"""Model tasks of the agent: think and decide, reflect, summarise, conclude.

Text of documents stands behind bars (``| …``) and is called data; only the model's own reply is
parsed. Prompts are short, with one worked example: models of 1.5 billion parameters follow that.
"""

from collections.abc import Sequence

from agent.ask.react.protocol import STOP
from agent.prompts import Asked, TextTask, in_language, messages, say, words_of
from agent.prompts.structured import SynthesisInput, SynthesizeStructured
from services.domain import Language
from services.domain.errors import InvalidGeneration
from services.models.base import Message


class ThinkInput(Asked):
    """``tools`` are those that there are; ``hint`` says what went nowhere.

    ``fold``: nobody reflects after a step, so the thought does. ``last``: no step comes after.
    """

    tools: tuple[str, ...]
    history: str = ""
    hint: str = ""
    fold: bool = False
    last: bool = False


class ThinkAndDecide(TextTask[ThinkInput]):
    """The next thought with its actions, as text; "" without a model, which ends the loop."""

    name = "agent_think"
    max_tokens = 220
    stop = STOP

    def render(self, inp: ThinkInput) -> tuple[Message, ...]:
        words = words_of("agent", inp.language)
        forms = words_of("agent_tools", inp.language)
        tools = "\n".join(f"{name} {forms[name]}" for name in inp.tools)
        rules = in_language("agent", inp.language, words["rules"], "\nWrite")
        parts = [
            f"{words['question']}: {inp.question}",
            f"{words['so_far']}:\n{inp.history}" * bool(inp.history),
            inp.hint,
            words["fold"] * (inp.fold and bool(inp.history)),
            words["last"] if inp.last else words["next"],
        ]
        return messages(f"{words['head']}\n{tools}\n{rules}", "\n\n".join(filter(None, parts)))

    def language(self, inp: ThinkInput) -> None:
        """Nobody reads it."""

    def check(self, inp: ThinkInput, output: str) -> str:
        """Lines count here."""
        if not output.strip():
            raise InvalidGeneration("the answer is empty")
        return output


class ReflectInput(Asked):
    """``observation`` is what the last step brought, ``gathered`` what all brought before."""

    history: str
    gathered: str
    observation: str


class Reflect(TextTask[ReflectInput]):
    """Whether the question can be answered now; "" without a model, which concludes nothing."""

    name = "agent_reflect"
    max_tokens = 90

    def render(self, inp: ReflectInput) -> tuple[Message, ...]:
        words = words_of("agent", inp.language)
        user = (
            f"{words['question']}: {inp.question}\n\n{words['so_far']}:\n{inp.history}\n\n"
            f"{words['gathered']}:\n{inp.gathered}\n\n{words['found']}:\n{inp.observation}\n\n"
            f"{words['enough']}"
        )
        return messages(words["judge"], user)

    def language(self, inp: ReflectInput) -> None:
        """Nobody reads it."""

    def check(self, inp: ReflectInput, output: str) -> str:
        return output


class NotesInput(Asked):
    focus: str
    gathered: str


class SynthesizeNotes(TextTask[NotesInput]):
    """A few sentences of what was gathered; "" without a model."""

    name = "agent_synthesize"
    max_tokens = 180

    def render(self, inp: NotesInput) -> tuple[Message, ...]:
        words = words_of("agent", inp.language)
        focus = f"\n{words['focus']}: {inp.focus}" if inp.focus else ""
        question = f"{words['question']}: {inp.question}{focus}"
        return messages(
            in_language("agent", inp.language, words["notes"], " Write"),
            f"{words['gathered']}:\n{inp.gathered}\n\n{question}\n\n{words['sum_up']}",
        )


class ConcludeAnswer(SynthesizeStructured):
    """The answer to what was asked, from the best sentences that were found of each part."""

    name = "agent_conclude"

    def render(self, inp: SynthesisInput) -> tuple[Message, ...]:
        """The prompt of the structured route, after what was done so far."""
        system, user = super().render(inp)
        if not inp.history:
            return system, user
        so_far = words_of("agent", inp.language)["so_far"]
        return messages(system.content, f"{so_far}:\n{inp.history}\n\n{user.content}")


def person_said(language: Language, text: str) -> str:
    """What a person answered; nothing where they want no more questions."""
    return say(language, "answer", text) if text else say(language, "no_answer")


def dead_end(language: Language, calls: Sequence[str], observations: Sequence[str]) -> str:
    """What failed, for the thought after it."""
    tried = (f"{call}: {seen}" for call, seen in zip(calls, observations, strict=True))
    return say(language, "dead_end", "\n".join(tried))
