"""Values of the analysis of a question."""

from datetime import date
from typing import Literal

from pydantic import Field

from services.domain.value import Value

QueryType = Literal[
    "factual", "relational", "comparative", "exploratory", "procedural", "analytical", "unknown"
]
ComplexityLevel = Literal["simple", "moderate", "complex", "ambiguous"]


class Classification(Value):
    """The type of a question; ``entities`` are what it is about, as written."""

    type: QueryType
    confidence: float = Field(ge=0.0, le=1.0)
    entities: tuple[str, ...] = ()


class ComplexityFactors(Value):
    query_type: float
    entity_count: float
    subquestion_count: float
    keyword_matches: float
    low_confidence: float


class ComplexityScore(Value):
    score: float
    level: ComplexityLevel
    factors: ComplexityFactors
    reasons: tuple[str, ...]


class Reading(Value):
    """Properties that the heads read from a question's vector.

    ``everything``: only the complete corpus can answer it. ``mention``: it asks where or how often
    a word occurs. ``store``: it is about the stored documents themselves.
    """

    type: QueryType
    confidence: float = Field(ge=0.0, le=1.0)
    everything: bool
    mention: bool
    store: bool


class CountRequest(Value):
    """A request that only the complete corpus can answer.

    ``term`` is the word or phrase to look for, None where only the meaning of passages can tell.
    ``core`` is the word of it that is certainly meant, ``wide`` has the words around it: the
    documents decide which of them belong to it. ``sure`` is False where the words only suggest such
    a request.
    """

    unit: Literal["section", "document"] = "section"
    term: str | None
    quoted: bool = False
    core: str = ""
    wide: str = ""
    sure: bool = True


class DateRange(Value):
    since: date | None = None
    until: date | None = None


class Understanding(Value, extra="ignore"):
    """A self-contained question with everything that code can say of it.

    ``about_database``: it is about the collections and documents themselves. ``asks_documents``: it
    asks which documents say something. ``dates`` bound documents or their statements.
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
