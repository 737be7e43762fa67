"""A turn of quick answers as ``ask --json`` prints it."""

from typing import Any

from agent.ask.models import (
    AgentTrace,
    Answer,
    Complexity,
    Coverage,
    NumberedCitation,
    RetrievalSummary,
)
from agent.models import Source
from services.domain import CacheStatistics, CaseSpan, Citation, CitedSentence
from services.language.query.values import Classification, ComplexityFactors
from tests.support import played_structured
from tests.support.played_session import EXCEPTION, LAW, LIMIT, ORGANS

PROSE = "Der Grenzwert beträgt 20 Millisievert im Kalenderjahr."
NOT_FOUND = "Die Dokumente beantworten diese Frage nicht."
PLACE = Citation(
    document=LAW,
    document_id="d1",
    page=49,
    section="§ 78",
    start=100,
    end=100 + len(LIMIT),
    quote=LIMIT,
    verified=True,
)
FOLLOWING = CitedSentence(
    text=PROSE,
    supported=True,
    standing="follows",
    reason="Die Stelle sagt es mit anderen Worten.",
    citations=(PLACE,),
)
NEAR = tuple(
    PLACE.model_copy(update={"start": start, "end": start + len(quote), "quote": quote})
    for start, quote in ((100, LIMIT), (300, EXCEPTION), (700, ORGANS))
)
CLOSEST = "Diese Stellen kommen der Frage am nächsten; ob sie sie beantworten, ist selbst zu sehen."
COMPLEXITY = Complexity(
    score_rules=0.08,
    score=0.08,
    level="simple",
    factors=ComplexityFactors(
        query_type=0.0,
        entity_count=0.25,
        subquestion_count=0.0,
        keyword_matches=0.0,
        low_confidence=0.2,
    ),
    reasons=(),
)
SOURCE = Source(
    document=LAW,
    document_id="d1",
    sha256="9f" * 32,
    title="Strahlenschutzgesetz",
    parser_version="1",
    sections=("§ 78",),
    pages=(49,),
)
UNANSWERABLE = "Kuchen"
UNSURE = "Brot"
COUNTED = "Wie viele"


def turn(thread_id: str, number: int, question: str, depth: str) -> dict[str, Any]:
    """An answer, structured if asked so; cake is refused, "Wie viele" at the beginning counts.

    Of bread it is not known whether the passages answer.
    """
    if depth == "structured":
        parts = played_structured.structured(_answer(number, question, "structured"))
        return {"thread_id": thread_id, **parts.model_dump(mode="json")}
    refused, counted = UNANSWERABLE in question, question.startswith(COUNTED)
    answer = _answer(number, question, depth)
    if refused:
        answer = answer.model_copy(
            update={
                "answer": NOT_FOUND,
                "opening": NOT_FOUND,
                "closing": "Gesucht wurde: »Kuchen«.",
                "sentences": (),
                "citations": (),
                "sources": (),
                "certainty": "refused",
                "standings": {},
                "refused": True,
            }
        )
    elif UNSURE in question:
        answer = answer.model_copy(update=_closest())
    elif counted:
        whole = Coverage(whole=True, unit="section", matched=34, total=586, occurrences=61)
        quoted = CitedSentence(text=LIMIT, supported=True, standing="quote", citations=(PLACE,))
        answer = answer.model_copy(
            update={
                "way": "scan",
                "opening": "„Freigrenze“ steht in 34 von 586 Abschnitten.",
                "sentences": (quoted,),
                "listed": True,
                "notes": ("genau so",),
                "coverage": whole.model_copy(update={"statement": "34 von 586 Abschnitten"}),
            }
        )
    return {"thread_id": thread_id, **answer.model_dump(mode="json")}


def _closest() -> dict[str, Any]:
    case = CaseSpan(text="(1) Für beruflich exponierte Personen gilt:", start=50, end=93)
    first, *others = NEAR
    places = (first.model_copy(update={"case": case}), *others)
    return {
        "opening": CLOSEST,
        "answer": "\n\n".join([CLOSEST, *(f"> {each.quote}" for each in places)]),
        "sentences": tuple(
            CitedSentence(text=each.quote, supported=True, standing="quote", citations=(each,))
            for each in places
        ),
        "citations": tuple(
            NumberedCitation(**each.model_dump(), number=number, place="StrlSchG § 78, S. 49")
            for number, each in enumerate(places, 1)
        ),
        "certainty": "perhaps",
        "standings": {"quote": 3},
    }


def _answer(number: int, question: str, depth: str) -> Answer:
    return Answer.model_validate(
        {
            "turn": number,
            "question": question,
            "question_rewritten": f"{question} (Jugendliche)" if number > 1 else None,
            "rewritten_because": "it is no whole question" if number > 1 else None,
            "answer": f"{PROSE} [1]",
            "opening": "",
            "closing": "",
            "listed": False,
            "notes": (),
            "language": "de",
            "way": "search",
            "depth": depth,
            "by_score": "fast",
            "reason": "score 0.080 is below 0.35",
            "complexity": COMPLEXITY,
            "classification": Classification(type="factual", confidence=0.6),
            "subquestions": (question,),
            "sentences": (FOLLOWING,),
            "citations": (
                NumberedCitation(**PLACE.model_dump(), number=1, place="StrlSchG § 78, S. 49"),
            ),
            "sources": (SOURCE,),
            "certainty": "answered",
            "standings": {"follows": 1},
            "refused": False,
            "coverage": Coverage(whole=False),
            "from_cache": False,
            "agent": AgentTrace(),
            "found": RetrievalSummary(
                searches=(question,),
                results=10,
                relevance=0.8,
                coverage=0.7,
                named=False,
                from_cache=False,
                cache=CacheStatistics(size=1, hits=0, misses=1, hit_rate=0.0),
            ),
            "warnings": (),
            "degraded": (),
            "usage": {
                "model": "qwen3:14b",
                "model_calls": 1,
                "repairs": 0,
                "fallbacks": 0,
                "prompt_tokens": 900,
                "completion_tokens": 40,
                "seconds": {"retrieve": 0.1, "answer": 2.4},
            },
        }
    )
