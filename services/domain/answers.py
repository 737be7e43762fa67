"""Sentences of answers and summaries with citations, people's decisions, and costs of tasks."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, Self

from pydantic import Field, model_validator

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
        return self.document_id, self.start, self.end

    @property
    def section_title(self) -> str:
        """Return label and heading: ``§ 78 Grenzwerte …``, ``PEP 655: Rejected Ideas``."""
        if self.section in self.heading:
            return self.heading
        return f"{self.section}: {self.heading}" if self.heading else self.section

    @property
    def full_quote(self) -> str:
        return f"{self.case.text} {self.quote}" if self.case else self.quote

    def bare(self) -> "Citation":
        """Return a plain citation without the fields of a subclass."""
        return Citation.model_construct(**{n: getattr(self, n) for n in Citation.model_fields})


QUOTED_MESSAGE: Final = "Quoted"
"""How the heading of a message begins that an e-mail quotes."""


class EvidenceSentence(Citation):
    """A sentence of a passage that an answer may rest on; ``context`` are headings and passage."""

    chunk_id: str = ""
    context: str
    verified: bool = True

    @property
    def is_quoted_message(self) -> bool:
        return self.heading.startswith(QUOTED_MESSAGE)

    @property
    def premise(self) -> str:
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


Decision = Literal["accept", "quote", "edit", "remove", "open", "note"]
"""The sentence stays, is replaced by the quote, is edited or removed; or is open again. A note
decides nothing."""


class SentenceReview(Value):
    """A decision about one sentence, by its index; ``text`` is "" where it is removed."""

    sentence: int
    decision: Decision
    original: str
    text: str
    user: str
    at: str


class SignOff(Value):
    user: str
    at: str


class ReviewedSentence(CitedSentence):
    review: SentenceReview | None = None
    note: SentenceReview | None = None


class Review(Value):
    """Decisions about an answer, by the index of the sentence; ``doubtful`` are unproven ones.

    ``signed`` is None until somebody signs, and again after any later decision.
    """

    doubtful: tuple[int, ...] = ()
    decisions: dict[int, SentenceReview] = Field(default_factory=dict)
    notes: dict[int, SentenceReview] = Field(default_factory=dict)
    signed: SignOff | None = None

    @property
    def open(self) -> tuple[int, ...]:
        """Return the doubtful sentences without a decision."""
        return tuple(n for n in self.doubtful if n not in self.decisions)

    @property
    def listed(self) -> tuple[int, ...]:
        """Return the sentences that are doubtful or decided, in their order."""
        return tuple(sorted({*self.doubtful, *self.decisions}))

    def original_index(self, index: int) -> int:
        """Return the index in the original answer of a sentence of the reviewed one."""
        for n in sorted(self.decisions):
            index += n <= index and self.decisions[n].decision == "remove"
        return index


def parse_sentence(stored: Any) -> CitedSentence:
    """Parse a stored sentence of an answer, reviewed or not."""
    reviewed = isinstance(stored, Mapping) and (stored.get("review") or stored.get("note"))
    return (ReviewedSentence if reviewed else CitedSentence).model_validate(stored)


def unproven_indexes(sentences: Sequence[Any]) -> tuple[int, ...]:
    standings = (parse_sentence(stored).standing for stored in sentences)
    return tuple(n for n, standing in enumerate(standings) if standing not in PROOF)


def find_sentence(answer: str, sentence: str, after: int) -> re.Match[str] | None:
    """Find a sentence in an answer, whatever its line breaks."""
    pattern = r"\s+".join(map(re.escape, sentence.split()))
    return re.compile(pattern).search(answer, after) if pattern else None


def apply_review(answer: Mapping[str, Any], review: Review) -> dict[str, Any]:
    """Return a copy of an answer with the decisions about it; none makes a sentence proof.

    An accepted one keeps its standing, an edited one loses its proof, and one that is replaced by
    the quote has the document's own words.
    """
    text, position, sentences = answer["answer"], 0, []
    for n, stored in enumerate(answer["sentences"]):
        sentence = parse_sentence(stored)
        decision = review.decisions.get(n)
        match = find_sentence(text, sentence.text, position)
        position = match.end() if match else position
        if decision is not None:
            if match:
                text = text[: match.start()] + decision.text + text[match.end() :]
                position = match.start() + len(decision.text)
            sentence = _with_decision(sentence, decision)
        if note := review.notes.get(n):
            sentence = ReviewedSentence.model_validate({**dict(sentence), "note": note})
        if decision is None or decision.decision != "remove":
            sentences.append(sentence.model_dump(mode="json"))
    return {**answer, "answer": text, "sentences": sentences, "review": review}


def _with_decision(sentence: CitedSentence, decision: SentenceReview) -> ReviewedSentence:
    fields = {name: getattr(sentence, name) for name in CitedSentence.model_fields}
    if decision.decision == "quote":
        citation = next(c for c in sentence.citations if c.quote == decision.text)
        fields |= {"standing": "quote", "reason": "", "decisive": (), "citations": (citation,)}
    if decision.decision == "edit" and sentence.standing in PROOF:
        fields |= {"standing": "loose", "reason": "", "decisive": ()}
    fields |= {"text": decision.text, "review": decision}
    return ReviewedSentence.model_validate(fields)
