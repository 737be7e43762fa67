"""A sentence of an answer with its citations, and what a task of the model took."""

from services.value import Value


class Citation(Value):
    """A verified place in a document. ``quote`` is the text at ``start``/``end``."""

    document: str
    document_id: str
    page: int | None
    section: str
    start: int
    end: int
    quote: str
    verified: bool


class Sentence(Value):
    """A sentence of an answer with the places that support it."""

    text: str
    supported: bool
    citations: tuple[Citation, ...]


class TaskUsage(Value):
    """Cost of one model task. ``fallback`` names why the deterministic result was used."""

    task: str
    model_calls: int = 0
    repairs: int = 0
    fallback: str | None = None
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
