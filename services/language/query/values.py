"""What is known about a question before anything is searched for."""

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
    """What kind of answer is wanted; ``confidence`` is 0-1.

    ``entities`` are what the question is about, as it writes them: section labels, documents,
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
    """How much work a question deserves, 0-1, and why; a reason is one short English phrase."""

    score: float
    level: ComplexityLevel
    factors: ComplexityFactors
    reasons: tuple[str, ...]


class Reading(Value):
    """What the heads read off a question, besides what follows from its words.

    ``everything``: only all of the corpus can tell. ``mention``: it asks where or how often a word
    or a name stands. ``store``: it is about the stored documents themselves.
    """

    type: QueryType
    confidence: float = Field(ge=0.0, le=1.0)
    everything: bool
    mention: bool
    store: bool


class ScanWish(Value):
    """Something that only all of the corpus can tell.

    ``term`` is the word or phrase to look for; None where only the meaning of passages can tell,
    so that a search can but sample. ``quoted``: the question has it in quotation marks, so that
    nothing else can be meant. ``unit`` is what is counted. ``core`` is the word of the term that
    is surely meant, ``wide`` has the words at its side: of these the documents decide.
    ``sure`` is False where its words only suggest it: then the count stands beside an answer.
    """

    unit: Literal["section", "document"] = "section"
    term: str | None
    quoted: bool = False
    core: str = ""
    wide: str = ""
    sure: bool = True


class DateRange(Value):
    """Dates that a question speaks of, both inclusive; None is open."""

    since: date | None = None
    until: date | None = None


class Understanding(Value, extra="ignore"):
    """A question, complete in itself, with everything that code can say of it.

    ``subquestions`` has at least one entry. ``about_database``: the question asks about the
    collections and documents themselves. ``dates`` bound documents or their statements.
    """

    question: str
    language: str
    subquestions: tuple[str, ...]
    classification: Classification
    complexity: ComplexityScore
    scan: ScanWish | None = None
    about_database: bool = False
    dates: DateRange | None = None
