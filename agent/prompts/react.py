"""Model tasks of the agent: think and decide, reflect, summarise.

Text of documents stands behind bars (``| …``) and is called data; only the model's own reply is
parsed. Prompts are short, with one worked example: models of 1.5 billion parameters follow that.
"""

from collections.abc import Mapping

from agent.ask.react.protocol import STOP
from agent.prompts import PromptTask, QuestionInput, words_of
from services.domain import Language
from services.domain.errors import InvalidGeneration


class ThinkInput(QuestionInput):
    """``tools`` are those that there are; ``hint`` says what went nowhere.

    ``fold``: nobody reflects after a step, so the thought does. ``last``: no step comes after.
    """

    tools: tuple[str, ...]
    history: str = ""
    hint: str = ""
    fold: bool = False
    last: bool = False


class ThinkAndDecide(PromptTask[ThinkInput, str]):
    """The next thought with its actions, as text; "" without a model, which ends the loop.

    Nobody reads it, so that its language does not count; its lines do.
    """

    name = "agent_think"
    max_tokens = 220
    stop = STOP

    def values(self, inp: ThinkInput, words: Mapping[str, str]) -> dict[str, object]:
        forms = words_of("agent_tools", inp.language)
        return {
            "tools": "\n".join(f"{name} {forms[name]}" for name in inp.tools),
            "fold": inp.fold and bool(inp.history),
            "next": not inp.last,
        }

    def check(self, inp: ThinkInput, output: str) -> str:
        if not output.strip():
            raise InvalidGeneration("the answer is empty")
        return output


class ReflectInput(QuestionInput):
    """``observation`` is what the last step brought, ``gathered`` what all brought before."""

    history: str
    gathered: str
    observation: str


class Reflect(PromptTask[ReflectInput, str]):
    """Whether the question can be answered now; "" without a model, which concludes nothing."""

    name = "agent_reflect"
    max_tokens = 90


class NotesInput(QuestionInput):
    focus: str
    gathered: str


class SynthesizeNotes(PromptTask[NotesInput, str]):
    """A few sentences of what was gathered, in one paragraph; "" without a model."""

    name = "agent_synthesize"
    max_tokens = 180

    def language(self, inp: NotesInput) -> Language | None:
        return inp.language

    def check(self, inp: NotesInput, output: str) -> str:
        text = " ".join(output.split())
        if not text:
            raise InvalidGeneration("the answer is empty")
        return text
