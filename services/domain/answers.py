"""A sentence of an answer with its citations, and what a task of the model took."""

from typing import Any, Literal

from pydantic import model_validator

from services.domain.notices import Notice
from services.domain.value import DocumentSpan, Location, Value

Standing = Literal["quote", "follows", "loose", "contradicts", "none"]
"""What a sentence rests on: it is a quote, or follows from one; or it is cited but not shown to
follow, another place says otherwise, or nothing like it was found. Only the first two are proof."""

PROOF: tuple[Standing, ...] = ("quote", "follows")

Certainty = Literal["answered", "perhaps", "refused"]
"""What may be said of the best that was found."""


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
        """The same for all quotes of the same words of a document."""
        return self.document_id, self.start, self.end

    @property
    def titled(self) -> str:
        """The section and what it is about: ``§ 78 Grenzwerte …``, ``PEP 655: Rejected Ideas``."""
        if self.section in self.heading:
            return self.heading
        return f"{self.section}: {self.heading}" if self.heading else self.section

    @property
    def whole(self) -> str:
        """The quote with its case before it."""
        return f"{self.case.text} {self.quote}" if self.case else self.quote

    def bare(self) -> "Citation":
        """The citation alone, where it is of a more special kind."""
        return Citation.model_construct(**{n: getattr(self, n) for n in Citation.model_fields})


class EvidenceSentence(Citation):
    """A sentence of a passage that an answer may rest on.

    ``heading`` is the last of the headings that it stands under, ``context`` all of them and the
    passage.
    """

    chunk_id: str = ""
    context: str
    verified: bool = True

    @property
    def premise(self) -> str:
        """Heading, case and quote."""
        return f"{self.heading}. {self.whole}" if self.heading else self.whole

    def overlaps(self, other: DocumentSpan) -> bool:
        """Return whether both share words of a document, or are the same words in two."""
        same = isinstance(other, Citation) and self.quote == other.quote
        return same or super().overlaps(other)

    def bare(self) -> Citation:
        """The citation as answers keep it; its heading is told when the answer is shown."""
        return super().bare().model_copy(update={"heading": ""})


class CitedSentence(Value):
    """A sentence of an answer with the places that it rests on, or that come closest.

    ``supported`` follows from ``standing``. ``reason`` says in the reader's language why it is no
    quote, ``decisive`` are the words that decided it. ``closest`` tells of a quote that claims
    nothing, beside others that answer. Sentences that were kept before there were standings get
    one: what was supported without being a quote counts as loose.
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
        kept = dict(values)
        if "standing" not in kept:
            kept["standing"] = _standing_of(kept)
        kept["supported"] = kept["standing"] in PROOF
        return kept

    @property
    def quoted(self) -> Citation | None:
        """The citation whose words the sentence is; None where it is a claim, or has its own."""
        if self.standing == "follows":
            return None
        return next((each for each in self.citations if each.quote == self.text), None)

    @property
    def case(self) -> str:
        """What a verbatim sentence cannot be read without, on one line; mostly empty."""
        case = self.quoted.case if self.quoted else None
        return " ".join(case.text.split()) if case else ""


def _standing_of(values: dict[str, Any]) -> Standing:
    """Of a sentence that was kept without one."""
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
