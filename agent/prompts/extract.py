"""Model task of extraction: which sentences bear on the task, and what they say."""

from typing import Annotated

from pydantic import BaseModel, Field

from agent.prompts import in_language, numbered, worded
from services.errors import InvalidGeneration
from services.llm.base import Message
from services.llm.tasks import ModelTask
from services.types import Value


class ExtractInput(Value):
    """``sentences`` are best first, as code ranked them; ``origins`` name their sections."""

    task: str
    language: str
    sentences: tuple[str, ...]
    origins: tuple[str, ...]


MOST_SENTENCES = 8


class ExtractOutput(BaseModel):
    relevant: list[Annotated[int, Field(ge=1, le=MOST_SENTENCES)]] = Field(
        min_length=1, max_length=4
    )


class Extraction(Value):
    """Positions in ``sentences`` (0-based), the most relevant first."""

    chosen: tuple[int, ...]


class ExtractEvidence(ModelTask[ExtractInput, Extraction]):
    """One call over the whole batch of a task.

    The model chooses; code's first three sentences always stay, so that a poor choice costs
    precision and never the answer.
    """

    name = "extract"
    schema = ExtractOutput
    max_tokens = 60
    always = 3
    most = 5

    def render(self, inp: ExtractInput) -> tuple[Message, ...]:
        system = in_language(
            inp.language,
            de="Wähle die Nummern der Sätze, die die Aufgabe unmittelbar beantworten. "
            "Höchstens 4. Wichtigster Satz zuerst.",
            en="Choose the numbers of the sentences that directly answer the task. "
            "At most 4. Most important first.",
        )
        task = worded(inp.language, de="Aufgabe:", en="Task:")
        lines = [
            f"({origin}) {text}" for origin, text in zip(inp.origins, inp.sentences, strict=True)
        ]
        user = f"{task} {inp.task}\n\n{numbered(lines)}"
        return Message(role="system", content=system), Message(role="user", content=user)

    def check(self, inp: ExtractInput, output: ExtractOutput) -> Extraction:
        picked = [n - 1 for n in output.relevant if 1 <= n <= len(inp.sentences)]
        if not picked:
            raise InvalidGeneration(f"relevant must hold numbers from 1 to {len(inp.sentences)}")
        leading = range(min(self.always, len(inp.sentences)))
        chosen = list(dict.fromkeys([*leading, *picked]))[: self.most]
        return Extraction(chosen=tuple(chosen))

    def fallback(self, inp: ExtractInput) -> Extraction:
        return Extraction(chosen=tuple(range(min(4, len(inp.sentences)))))
