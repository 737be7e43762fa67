"""Model tasks of synthesis: prose over chosen sentences, one part of the answer a call."""

from agent.prompts import in_language, numbered
from services.errors import InvalidGeneration
from services.llm.base import Message
from services.llm.tasks import ModelTask
from services.types import Value


class WriteInput(Value):
    """``sentences`` are verbatim and best first; ``origins`` name their sections."""

    question: str
    task: str
    language: str
    sentences: tuple[str, ...]
    origins: tuple[str, ...]
    context: str = ""


class WritePart(ModelTask[WriteInput, str]):
    """A short paragraph that says only what the given sentences say; "" without a model."""

    name = "write"
    schema = None
    max_tokens = 350

    def render(self, inp: WriteInput) -> tuple[Message, ...]:
        system = in_language(
            inp.language,
            de="Beantworte die Frage auf Deutsch in 1 bis 3 ganzen Sätzen. Verwende nur die "
            "Angaben der nummerierten Sätze. Übernimm Zahlen, Einheiten, Bedingungen und "
            "Ausnahmen genau. Lass weg, was nicht zur Frage gehört.",
            en="Answer the question in English in 1 to 3 full sentences. Use only what the "
            "numbered sentences say. Keep numbers, units, conditions and exceptions exactly. "
            "Leave out what does not belong to the question.",
        )
        question = in_language(inp.language, de="Frage:", en="Question:")
        answer = in_language(inp.language, de="Antwort:", en="Answer:")
        lines = [
            f"({origin}) {text}" for origin, text in zip(inp.origins, inp.sentences, strict=True)
        ]
        hint = f"\n{inp.context}" if inp.context else ""
        user = f"{question} {inp.task}{hint}\n\n{numbered(lines)}\n\n{answer}"
        return Message(role="system", content=system), Message(role="user", content=user)

    def language(self, inp: WriteInput) -> str | None:
        return inp.language

    def check(self, inp: WriteInput, output: str) -> str:
        text = " ".join(output.split())
        if not text:
            raise InvalidGeneration("the answer is empty")
        return text

    def fallback(self, inp: WriteInput) -> str:
        """Nothing: the verified quotes that follow each part carry it alone."""
        return ""
