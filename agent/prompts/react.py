"""Model tasks of the agent: think and decide, reflect, summarise, conclude.

Text of documents stands behind bars (``| …``) and is called data; only the model's own reply is
parsed. Prompts are short, with one worked example: models of 1.5 billion parameters follow that.
"""

from collections.abc import Mapping

from agent.ask.react.protocol import STOP
from agent.prompts import Asked, PromptTask, TextTask, in_language, words_of
from agent.prompts.structured import SynthesisInput, SynthesizeStructured
from services.domain.errors import InvalidGeneration


class ThinkInput(Asked):
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

    name, prompt = "agent_think", "agent"
    max_tokens = 220
    stop = STOP

    def system(self, inp: ThinkInput, words: Mapping[str, str]) -> str:
        forms = words_of("agent_tools", inp.language)
        tools = "\n".join(f"{name} {forms[name]}" for name in inp.tools)
        rules = in_language("agent", inp.language, words["rules"], "\nWrite")
        return f"{words['head']}\n{tools}\n{rules}"

    def user(self, inp: ThinkInput, words: Mapping[str, str]) -> str:
        parts = [
            f"{words['question']}: {inp.question}",
            f"{words['so_far']}:\n{inp.history}" * bool(inp.history),
            inp.hint,
            words["fold"] * (inp.fold and bool(inp.history)),
            words["last"] if inp.last else words["next"],
        ]
        return "\n\n".join(filter(None, parts))

    def check(self, inp: ThinkInput, output: str) -> str:
        if not output.strip():
            raise InvalidGeneration("the answer is empty")
        return output

    def fallback(self, inp: ThinkInput) -> str:
        return ""


class ReflectInput(Asked):
    """``observation`` is what the last step brought, ``gathered`` what all brought before."""

    history: str
    gathered: str
    observation: str


class Reflect(PromptTask[ReflectInput, str]):
    """Whether the question can be answered now; "" without a model, which concludes nothing."""

    name, prompt = "agent_reflect", "agent"
    max_tokens = 90

    def system(self, inp: ReflectInput, words: Mapping[str, str]) -> str:
        return words["judge"]

    def user(self, inp: ReflectInput, words: Mapping[str, str]) -> str:
        return (
            f"{words['question']}: {inp.question}\n\n{words['so_far']}:\n{inp.history}\n\n"
            f"{words['gathered']}:\n{inp.gathered}\n\n{words['found']}:\n{inp.observation}\n\n"
            f"{words['enough']}"
        )

    def fallback(self, inp: ReflectInput) -> str:
        return ""


class NotesInput(Asked):
    focus: str
    gathered: str


class SynthesizeNotes(TextTask[NotesInput]):
    """A few sentences of what was gathered; "" without a model."""

    name, prompt = "agent_synthesize", "agent"
    max_tokens = 180

    def system(self, inp: NotesInput, words: Mapping[str, str]) -> str:
        return in_language("agent", inp.language, words["notes"], " Write")

    def user(self, inp: NotesInput, words: Mapping[str, str]) -> str:
        focus = f"\n{words['focus']}: {inp.focus}" if inp.focus else ""
        question = f"{words['question']}: {inp.question}{focus}"
        return f"{words['gathered']}:\n{inp.gathered}\n\n{question}\n\n{words['sum_up']}"


class ConcludeAnswer(SynthesizeStructured):
    """The answer to what was asked, from the best sentences that were found of each part.

    The prompt is that of the structured route, after what was done so far.
    """

    name = "agent_conclude"

    def user(self, inp: SynthesisInput, words: Mapping[str, str]) -> str:
        so_far = words_of("agent", inp.language)["so_far"]
        asked = super().user(inp, words)
        return f"{so_far}:\n{inp.history}\n\n{asked}" if inp.history else asked
