"""Values of the analysis of a question."""

from datetime import date
from typing import Literal

from pydantic import Field

from services.domain.value import Value

QueryType = Literal[
    "factual",
    "relational",
    "comparative",
    "exploratory",
    "procedural",
    "analytical",
    "unknown",
]
ComplexityLevel = Literal["simple", "moderate", "complex", "ambiguous"]


class Classification(Value):
    """The type of a question; ``confidence`` is 0-1.

    ``entities`` are what the question is about, as written: section labels, documents,
    abbreviations, names and terms.
    """

    type: QueryType
    confidence: float = Field(ge=0.0, le=1.0)
    entities: tuple[str, ...] = ()


class ComplexityFactors(Value):
    """The five factors of the score, each 0-1."""

    query_type: float
    entity_count: float
    subquestion_count: float
    keyword_matches: float
    low_confidence: float


class ComplexityScore(Value):
    """The complexity of a question, 0-1, with reasons as short English phrases."""

    score: float
    level: ComplexityLevel
    factors: ComplexityFactors
    reasons: tuple[str, ...]


class Reading(Value):
    """Properties that the heads read from a question's vector.

    ``everything``: only the complete corpus can answer it. ``mention``: it asks where or how often
    a word or a name occurs. ``store``: it is about the stored documents themselves.
    """

    type: QueryType
    confidence: float = Field(ge=0.0, le=1.0)
    everything: bool
    mention: bool
    store: bool


class CountRequest(Value):
    """A request that only the complete corpus can answer.

    ``term`` is the word or phrase to look for, None where only the meaning of passages can tell, so
    that a search can only sample. ``quoted``: the question has it in quotation marks. ``unit`` is
    what is counted. ``core`` is the word of the term that is certainly meant, ``wide`` has the
    words around it: the documents decide which of them belong to the term. ``sure`` is False where
    the words only suggest such a request; then the count is shown beside an answer.
    """

    unit: Literal["section", "document"] = "section"
    term: str | None
    quoted: bool = False
    core: str = ""
    wide: str = ""
    sure: bool = True


class DateRange(Value):
    """The dates that a question names, both inclusive; None is open."""

    since: date | None = None
    until: date | None = None


class Understanding(Value, extra="ignore"):
    """A self-contained question with everything that code can say of it.

    ``subquestions`` has at least one entry. ``about_database``: the question is about the
    collections and documents themselves. ``asks_documents``: it asks which documents say something.
    ``dates`` bound documents or their statements.
    """

    question: str
    language: str
    subquestions: tuple[str, ...]
    classification: Classification
    complexity: ComplexityScore
    scan: CountRequest | None = None
    about_database: bool = False
    asks_documents: bool = False
    dates: DateRange | None = None
