"""Model tasks of synthesis: prose over chosen sentences, one part of the answer a call."""

from agent.prompts import bullets, in_language, worded
from services.errors import InvalidGeneration
from services.llm.base import Message
from services.llm.tasks import ModelTask
from services.types import Value


class WriteInput(Value):
    """``sentences`` are verbatim and best first; ``context`` is what the person added.

    ``instructions`` replace the system prompt unless empty.
    """

    task: str
    language: str
    sentences: tuple[str, ...]
    context: str = ""
    instructions: str = ""


class WritePart(ModelTask[WriteInput, str]):
    """A short paragraph that says only what the given sentences say; "" without a model."""

    name = "write"
    schema = None
    max_tokens = 400

    def render(self, inp: WriteInput) -> tuple[Message, ...]:
        """Dashes, not numbers, and the question last: else a small model lists what it read."""
        system = inp.instructions or in_language(
            inp.language,
            de="Du beantwortest Fragen zu Dokumenten. Antworte auf Deutsch in höchstens 3 kurzen "
            "Sätzen. Nimm nur die Stellen, die zur Frage passen. Schreibe Zahlen, Einheiten, "
            "Bedingungen und Ausnahmen genau ab.",
            en="You answer questions about documents. Answer in English in at most 3 short "
            "sentences. Use only the passages that fit the question. Copy numbers, units, "
            "conditions and exceptions exactly.",
        )
        passages = worded(inp.language, de="Stellen:", en="Passages:")
        question = worded(inp.language, de="Frage:", en="Question:")
        answer = worded(
            inp.language,
            de="Antwort in höchstens 3 Sätzen:",
            en="Answer in at most 3 sentences:",
        )
        lines = bullets([" ".join(sentence.split()) for sentence in inp.sentences])
        hint = f" ({inp.context})" if inp.context else ""
        user = f"{passages}\n{lines}\n\n{question} {inp.task}{hint}\n{answer}"
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
