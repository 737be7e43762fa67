"""The second try: what a model is told about its unusable first answer."""

from collections.abc import Sequence

from services.errors import BadGeneration, TruncatedGeneration
from services.llm.base import Message
from services.types import Language

SHOWN_CHARS = 1500
"""Of the unusable answer; its beginning is enough to see what went wrong."""

_TEXTS: dict[Language, tuple[str, str]] = {
    "de": (
        "Deine Antwort war nicht brauchbar: {problem}. Gib die ganze Antwort noch einmal, ohne "
        "diesen Fehler und ohne Erklärung.",
        "Deine Antwort war zu lang und wurde abgeschnitten. Gib die ganze Antwort noch einmal, "
        "höchstens halb so lang.",
    ),
    "en": (
        "Your answer was not usable: {problem}. Give the whole answer again, without this "
        "mistake and without an explanation.",
        "Your answer was too long and was cut off. Give the whole answer again, at most half "
        "as long.",
    ),
}


def repair_messages(
    messages: Sequence[Message], answer: str, error: BadGeneration, language: Language | None
) -> tuple[Message, ...]:
    """The prompt again, followed by the unusable answer and what was wrong with it.

    The beginning stays as it was, so that a server can reuse what it has read. Where there
    is no answer to show, the last message is extended: some templates insist that roles
    alternate.

    Args:
        answer: The model's text, empty if none arrived whole.
        language: Of the prompt; English where it has no text here.
    """
    wrong, too_long = _TEXTS.get(language or "en", _TEXTS["en"])
    truncated = isinstance(error, TruncatedGeneration)
    complaint = too_long if truncated else wrong.format(problem=str(error).rstrip("."))
    shown = answer.strip()[:SHOWN_CHARS]
    if shown and not truncated:
        return (
            *messages,
            Message(role="assistant", content=shown),
            Message(role="user", content=complaint),
        )
    last = messages[-1]
    return (*messages[:-1], Message(role=last.role, content=f"{last.content}\n\n{complaint}"))
