"""A sentence of an answer with its citations, and what a task of the model took."""

from services.value import Value


class CaseSpan(Value):
    """The words of a document that say for whom or when a quote holds.

    They stand in the section of the quote, outside of it; ``text`` at ``start``/``end``.
    """

    text: str
    start: int
    end: int


class Citation(Value):
    """A verified place in a document. ``quote`` is the text at ``start``/``end``.

    ``case`` is what the quote cannot be read without, None where it stands alone.
    """

    document: str
    document_id: str
    page: int | None
    section: str
    start: int
    end: int
    quote: str
    verified: bool
    case: CaseSpan | None = None

    @property
    def whole(self) -> str:
        """The quote with its case before it."""
        return f"{self.case.text} {self.quote}" if self.case else self.quote


class Sentence(Value):
    """A sentence of an answer with the places that support it."""

    text: str
    supported: bool
    citations: tuple[Citation, ...]

    @property
    def quoted(self) -> Citation | None:
        """The citation whose words the sentence is; None where it has words of its own."""
        return next((each for each in self.citations if each.quote == self.text), None)

    @property
    def case(self) -> str:
        """What a verbatim sentence cannot be read without, on one line; mostly empty."""
        case = self.quoted.case if self.quoted else None
        return " ".join(case.text.split()) if case else ""


class TaskUsage(Value):
    """Cost of one model task. ``fallback`` names why the deterministic result was used."""

    task: str
    model_calls: int = 0
    repairs: int = 0
    fallback: str | None = None
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
