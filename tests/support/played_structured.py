"""What the structured route adds to a played turn; its words are hostile where they may be."""

from agent.ask.models import Answer, StructuredAnswer
from services.structured.values import JudgedPassage, RequiredInfo, SubQuerySearch
from tests.support.played_session import LAW

HOSTILE = "<script>alert(1)</script> [klick](https://example.org) **laut**"
WORKERS, PUBLIC = "Grenzwerte für Beschäftigte", "Grenzwerte für die Bevölkerung"


def evidence(section: str, document: str = LAW) -> JudgedPassage:
    return JudgedPassage(
        chunk_id=f"{document} {section}",
        document_id=document,
        document=document,
        section=section,
        page=49,
        relevance=0.9,
        score=0.8,
    )


REQUIRED = (
    RequiredInfo(
        item=WORKERS,
        status="covered",
        evidence=tuple(evidence(each) for each in ("§ 78", "§ 77", "§ 78", "§ 71", "§ 73")),
    ),
    RequiredInfo(item=PUBLIC, status="partial", evidence=(evidence("", "notes.txt"),)),
    RequiredInfo(item=HOSTILE, status="missing"),
)


def structured(answer: Answer) -> StructuredAnswer:
    """The answer with a plan of three pieces: found, found in part, and missing."""
    search = SubQuerySearch(
        query=HOSTILE,
        target_info=HOSTILE,
        found={"vector": 100, "keyword": 7, "label": 0},
        gap=True,
    )
    return StructuredAnswer(
        **dict(answer),
        question_type="comparison",
        required_info=REQUIRED,
        sub_queries=(search,),
        coverage_map={
            each.item: tuple(place.chunk_id for place in each.evidence) for each in REQUIRED
        },
        entities=(),
        gaps=(HOSTILE,),
        confidence=0.5,
        temporal_coverage="2017-06-27 - 2024-01-05",
        timings_ms={"decomposition": 1.0, "retrieval": 120.0, "total": 121.0},
    )
