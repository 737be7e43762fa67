"""Sentences of answers and summaries with their citations, and the cost of model tasks."""

from typing import Any, Final, Literal, Self

from pydantic import model_validator

from services.domain.notices import Notice
from services.domain.value import DocumentSpan, Location, Value

Standing = Literal["quote", "follows", "loose", "contradicts", "none"]
"""How a sentence relates to the documents: it is a quote, or follows from one; or it is cited but
not shown to follow, contradicted, or without any source. Only the first two are proof."""

PROOF: tuple[Standing, ...] = ("quote", "follows")

Certainty = Literal["answered", "perhaps", "refused"]
"""How surely a question is answered."""


class CaseSpan(Value):
    """Words elsewhere in a quote's section that say for whom or when it holds."""

    text: str
    start: int
    end: int


QuoteKey = tuple[str, int, int]
"""Document and span of a quote."""


class Citation(DocumentSpan, Location):
    """A verified quote: the text at ``start``/``end`` of a document.

    ``case`` is what the quote cannot be read without, None where it stands alone. ``heading`` is
    the nearest heading above it. ``recognised``: its words were read from a picture.
    """

    quote: str
    verified: bool
    case: CaseSpan | None = None
    heading: str = ""
    recognised: bool = False

    @property
    def key(self) -> QuoteKey:
        """Return what identifies the quoted words of a document."""
        return self.document_id, self.start, self.end

    @property
    def section_title(self) -> str:
        """Return label and heading: ``§ 78 Grenzwerte …``, ``PEP 655: Rejected Ideas``."""
        if self.section in self.heading:
            return self.heading
        return f"{self.section}: {self.heading}" if self.heading else self.section

    @property
    def full_quote(self) -> str:
        """Return the quote with its case before it."""
        return f"{self.case.text} {self.quote}" if self.case else self.quote

    def bare(self) -> "Citation":
        """Return a plain citation without the fields of a subclass."""
        return Citation.model_construct(**{n: getattr(self, n) for n in Citation.model_fields})


QUOTED_MESSAGE: Final = "Quoted"
"""How the heading of a message begins that an e-mail quotes."""


class EvidenceSentence(Citation):
    """A sentence of a passage that an answer may rest on.

    ``heading`` is the last of the headings that it stands under, ``context`` all of them and the
    passage.
    """

    chunk_id: str = ""
    context: str
    verified: bool = True

    @property
    def is_quoted_message(self) -> bool:
        """Return whether it is of an older message that an e-mail quotes."""
        return self.heading.startswith(QUOTED_MESSAGE)

    @property
    def premise(self) -> str:
        """Return heading, case and quote."""
        return f"{self.heading}. {self.full_quote}" if self.heading else self.full_quote

    def overlaps(self, other: DocumentSpan) -> bool:
        """Return whether both share words of a document, or are the same words in two."""
        same = isinstance(other, Citation) and self.quote == other.quote
        return same or super().overlaps(other)

    def bare(self) -> Citation:
        """Return the citation as answers store it, without the heading."""
        return super().bare().model_copy(update={"heading": ""})


class CitedSentence(Value):
    """A sentence of an answer with the quotes that support it, or that come closest.

    ``supported`` follows from ``standing``. ``reason`` says in the reader's language why it is no
    quote, ``decisive`` are the words that decided it. ``closest`` marks a quote that claims
    nothing, in an answer that has other sentences. Sentences stored before there were standings
    get one: a supported one that is no quote counts as loose.
    """

    text: str
    supported: bool
    citations: tuple[Citation, ...]
    standing: Standing
    reason: str = ""
    decisive: tuple[str, ...] = ()
    closest: bool = False

    @model_validator(mode="before")
    @classmethod
    def _with_standing(cls, values: Any) -> Any:
        if not isinstance(values, dict):
            return values
        standing = values["standing"] if "standing" in values else _standing_of(values)
        return {**values, "standing": standing, "supported": standing in PROOF}

    @property
    def quoted(self) -> Citation | None:
        """Return the citation that the sentence quotes verbatim; None where it is a claim."""
        if self.standing == "follows":
            return None
        return next((c for c in self.citations if c.quote == self.text), None)

    @property
    def case(self) -> str:
        """Return what a verbatim sentence cannot be read without, on one line; mostly empty."""
        case = self.quoted.case if self.quoted else None
        return " ".join(case.text.split()) if case else ""


def _standing_of(values: dict[str, Any]) -> Standing:
    """Return the standing of a sentence that was stored without one."""
    citations = [c if isinstance(c, dict) else c.model_dump() for c in values["citations"]]
    if any(citation["quote"] == values["text"] for citation in citations):
        return "quote" if all(citation["verified"] for citation in citations) else "loose"
    return "loose" if citations else "none"


class TaskUsage(Value):
    """Cost of one model task. ``fallback`` names why the deterministic result was used."""

    task: str
    model_calls: int = 0
    repairs: int = 0
    fallback: Notice | None = None
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0


class DocumentSummary(Value):
    """Sentences with their sources, and questions that the document answers.

    Both are empty if nothing could be proven. Of the document's ``sections`` the model read
    ``sections_read``. ``made_at`` is ISO 8601 in UTC.
    """

    sentences: tuple[CitedSentence, ...]
    questions: tuple[str, ...]
    sections_read: int
    sections: int
    model: str
    made_at: str = ""

    def of(self, document: str) -> Self:
        """Return the summary under this file name; another file may have the same text."""

        def renamed(sentence: CitedSentence) -> CitedSentence:
            cited = (c.model_copy(update={"document": document}) for c in sentence.citations)
            return sentence.model_copy(update={"citations": tuple(cited)})

        return self.model_copy(update={"sentences": tuple(map(renamed, self.sentences))})
