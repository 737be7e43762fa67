"""The report of the played session, in the shape that others script against."""

import copy
from collections.abc import Sequence
from typing import Any, Final

from services.domain import PROOF
from services.domain.notices import Notice
from tests.support.played_session import (
    ANSWER,
    EXCEPTION,
    HOSTILE,
    ITEMS,
    LAW,
    LIMIT,
    ORGANS,
    QUESTION,
)

CASE: Final = {"text": "Für Personen unter 18 Jahren gelten:", "start": 640, "end": 676}
DRIFT = Notice.of(
    "{dropped} of {total} findings were dropped as not relevant: the tasks may have strayed from "
    "the question.",
    dropped=12,
    total=30,
)
CUT_OFF = Notice.of(
    "{step}: {fallback}",
    step="plan",
    fallback=Notice.of(
        "{failure}: {reason}",
        failure="TruncatedGeneration",
        reason=Notice.of(
            "the answer was cut off after {tokens} tokens; ask for a shorter one", tokens=400
        ),
    ),
)

RETRIEVAL_HISTORY: Final[list[dict[str, Any]]] = [
    {
        "iteration": 0,
        "queries": [QUESTION],
        "hits": 24,
        "new": 24,
        "duplicates": 0,
        "dedup_ratio": 0.0,
        "coverage": 0.45,
        "gaps": ["Ausnahme"],
    },
    {
        "iteration": 1,
        "queries": [f"{QUESTION} {ANSWER}"],
        "hits": 24,
        "new": 9,
        "duplicates": 15,
        "dedup_ratio": 0.63,
        "coverage": 0.68,
        "gaps": [],
    },
]
SEARCHED: Final = "Dosimeter Jugendliche Messung"
DRIFTED: Final = "Für die Bevölkerung gelten die Grenzwerte des § 80."
WHY: Final = Notice.of(
    "relevance {relevance} to the question is below {least}", relevance=0.21, least=0.3
).model_dump()
DROPPED: Final[list[dict[str, Any]]] = [
    {
        "chunk_id": "d93",
        "document": LAW,
        "document_id": "d1",
        "section": "§ 80",
        "page": 52,
        "tier": 3,
        "score": 0.21,
        "reason": WHY,
        "text": DRIFTED,
        "task": 3,
    }
]
ROWS: Final = (
    "Organ: Augenlinse | Grenzwert: 15 mSv",
    "Organ: Hände und Füße | Grenzwert: 50 mSv",
)
ITEM: Final = "Der Grenzwert gilt für jede beruflich exponierte Person unter 18 Jahren."
NOTHING: Final = "Dazu fand sich nichts, bei 2 Suchen und 3 gelesenen Abschnitten."
CHANGED: Final = "Änderung-2026.pdf ist später als StrlSchV.pdf."
GAP: Final = "Schwangere unter 18 Jahren"
QUALITY: Final[dict[str, Any]] = {
    "factual_accuracy": 80.0,
    "semantic_validity": 75.0,
    "structural_integrity": 87.0,
    "citation_correctness": 100.0,
    "total": 342.0,
    "remarks": [Notice.of("partly covered: {facet}", facet="Schwangere").model_dump()],
    "revised": True,
}
USAGE: Final[dict[str, Any]] = {
    "model": "qwen3:14b",
    "model_calls": 14,
    "repairs": 1,
    "fallbacks": 1,
    "prompt_tokens": 15230,
    "completion_tokens": 2210,
    "model_seconds": 88.2,
    "seconds": {
        "clarify": 12.0,
        "plan": 4.2,
        "extract": 61.0,
        "validate": 1.1,
        "synthesize": 30.4,
        "assess": 0.1,
        "attribute": 0.1,
    },
    "tasks": {},
}


def report(thread_id: str, question: str, *, hostile: bool = False) -> dict[str, Any]:
    extra = HOSTILE if hostile else ""
    sentences = _sentences(hostile)
    whole = {
        "thread_id": thread_id,
        "question": question,
        "language": "de",
        "answer": _answer(sentences, extra),
        "sentences": sentences,
        "findings": [],
        "sources": [_source(extra)],
        "evidence": [_evidence(rank, extra) for rank in range(9)],
        "references": _references(extra),
        "todo": [{**item.model_dump(), "completed": True, "subtasks": []} for item in ITEMS],
        "tasks": [_task(item.id) for item in ITEMS],
        "replaced": [{"document": "StrlSchV.pdf", "section": "§ 71", "by": "Änderung-2026.pdf"}],
        "missing": GAP,
        "anchor": {"original_query": question},
        "retrieval_history": RETRIEVAL_HISTORY,
        "dropped": DROPPED,
        "task_summaries": [
            {"task_id": 1, "task": ITEMS[0].task, "relevance": 0.9, "gaps": []},
            {"task_id": 2, "task": ITEMS[1].task, "relevance": 0.7, "gaps": [ITEMS[1].task]},
        ],
        "quotes": [{"task_id": 1, "chunk_id": "c0", "quote": LIMIT}],
        "clarification": {"reason": "user_end", "conversation": []},
        "quality": QUALITY,
        "gaps": [GAP],
        "warnings": [DRIFT.model_dump()],
        "degraded": [
            Notice.of(
                "{step}: {reason}",
                step="lead",
                reason=Notice.of(
                    "sentences left out because their findings support only part of them: "
                    "{sentences}",
                    sentences=f"Der Grenzwert ist 7 mSv. {extra}".rstrip(),
                ),
            ).model_dump(),
            CUT_OFF.model_dump(),
            "A limit of another version",
        ],
        "usage": USAGE,
    }
    return copy.deepcopy(whole)


def _sentences(hostile: bool) -> list[dict[str, Any]]:
    rows = [_sentence(row, ORGANS, 51, 700, standing="follows") for row in ROWS]
    sentences = [
        _sentence(
            "Für beruflich exponierte Personen unter 18 Jahren beträgt der Grenzwert der "
            "effektiven Dosis 1 Millisievert im Kalenderjahr.",
            LIMIT,
            50,
            100,
            standing="follows",
            reason="Die Stelle sagt es mit anderen Worten.",
        ),
        _sentence("Die Behörde berücksichtigt dabei in der Regel auch die Schwere der Tätigkeit."),
        _sentence(ITEM, LIMIT, 50, 100, standing="follows"),
        _sentence(
            "Für Auszubildende zwischen 16 und 18 Jahren kann die Behörde 6 Millisievert "
            "festlegen.",
            EXCEPTION,
            50,
            300,
            standing="loose",
            reason="Nicht in der Stelle: festlegen.",
            decisive=["festlegen"],
        ),
        _sentence(EXCEPTION, EXCEPTION, 50, 300),
        *rows,
        _sentence(ORGANS, ORGANS, 51, 700, case=CASE),
    ]
    if hostile:
        sentences.append(_sentence(HOSTILE, HOSTILE, 52, 900))
    return sentences


def _answer(sentences: list[dict[str, Any]], extra: str) -> str:
    texts = [" ".join(sentence["text"].split()) for sentence in sentences]
    rows = "\n".join(f"- {text} [StrlSchG § 78, S. 51]" for text in texts[5:7])
    return "\n\n".join(
        [
            f"{texts[0]} [StrlSchG § 78, S. 50] {texts[1]} [⚠ ohne Beleg]",
            f"## {ITEMS[0].task}",
            f"- {texts[2]} [StrlSchG § 78, S. 50]",
            f"## {ITEMS[1].task} {extra}".rstrip(),
            f"{texts[3]} [StrlSchG § 78, S. 50]",
            f"> {texts[4]} [StrlSchG § 78, S. 50]",
            f"## {ITEMS[2].task}",
            rows,
            *(f"> {text} [StrlSchG § 78, S. 51]" for text in texts[7:]),
            f"## {ITEMS[3].task}",
            NOTHING,
            f"## Spätere Dokumente gleichen Titels\n\n- {CHANGED}",
            f"## In den gelesenen Abschnitten nicht gefunden\n\n- {GAP}",
        ]
    )


def _task(number: int) -> dict[str, Any]:
    searches = [{"query": ITEMS[number - 1].task, "hits": 20, "new": 11}]
    found = {
        1: [_found("1.1", ITEM, LIMIT, 50, 100)],
        2: [_found("2.1", EXCEPTION, EXCEPTION, 50, 300)],
        3: [
            *(_found(f"3.{n}", row, ORGANS, 51, 700) for n, row in enumerate(ROWS, start=1)),
            {
                **_found("3.3", DRIFTED, DRIFTED, 52, 900),
                **{"status": "dropped", "grade": 2.1, "reason": WHY, "chunk_ids": ["d93"]},
            },
        ],
        4: [],
    }[number]
    return {
        "id": number,
        "task": ITEMS[number - 1].task,
        "answered": "yes" if found else "no",
        "missing": "",
        "rounds": 1,
        "read": [],
        "searches": [*searches, {"query": SEARCHED, "hits": 20, "new": 3}]
        if number == 4
        else searches,
        "findings": found,
    }


def _found(name: str, text: str, quote: str, page: int, start: int) -> dict[str, Any]:
    return {
        "id": name,
        "task_id": int(name[0]),
        "text": text,
        "standing": "follows",
        "citations": _sentence(text, quote, page, start)["citations"],
        "chunk_ids": ["c0"],
        "tier": 1,
        "weight": 1.0,
        "score": 0.8,
        "status": "kept",
        "grade": 9.0,
        "reason": Notice.of("{why}", why="beantwortet die Frage").model_dump(),
        "repeats": "",
    }


def _source(extra: str) -> dict[str, Any]:
    return {
        "document": LAW,
        "document_id": "d1",
        "sha256": "9f" * 32,
        "title": f"Strahlenschutzgesetz {extra}",
        "parser_version": "1",
        "sections": ["§ 78"],
        "pages": [50, 51],
    }


def _references(extra: str) -> list[dict[str, Any]]:
    return [
        {
            "from": "StrlSchG § 78",
            "text": "§ 77 Absatz 1",
            "type": "section",
            "task": 1,
            "target": "§ 77",
            "found": True,
            "resolved_to": "StrlSchG § 77",
            "depth": 1,
            "reason": None,
            "chunk_ids": ["c9"],
        },
        {
            "from": "StrlSchG § 78",
            "text": f"Richtlinie 2013/59 {extra}",
            "type": "document",
            "target": "Richtlinie 2013/59",
            "found": False,
            "resolved_to": None,
            "depth": 1,
            "reason": "not in your documents",
            "chunk_ids": [],
            "task": 1,
        },
    ]


def _sentence(
    text: str,
    quote: str | None = None,
    page: int = 0,
    start: int = 0,
    *,
    standing: str = "quote",
    reason: str = "",
    decisive: Sequence[str] = (),
    case: dict[str, Any] | None = None,
) -> dict[str, Any]:
    citations = (
        []
        if quote is None
        else [
            {
                "document": LAW,
                "document_id": "d1",
                "page": page,
                "section": "§ 78",
                "start": start,
                "end": start + len(quote),
                "quote": quote,
                "verified": True,
                "case": case,
            }
        ]
    )
    standing = standing if citations else "none"
    return {
        "text": text,
        "supported": standing in PROOF,
        "citations": citations,
        "standing": standing,
        "reason": reason,
        "decisive": list(decisive),
    }


def _evidence(rank: int, extra: str) -> dict[str, Any]:
    return {
        "chunk_id": f"c{rank}",
        "document": LAW,
        "document_id": "d1",
        "page": 50 + rank,
        "section": f"§ {78 + rank} {extra}".rstrip(),
        "start": 0,
        "end": 10,
        "tier": 1 + rank // 3,
        "weight": 1.0,
        "score": 0.9 - rank / 12,
        "relevance": 0.88 - rank / 12,
        "depth": 0 if rank < 6 else 1,
        "source_type": "vector_search" if rank < 6 else "reference" if rank < 8 else "graph",
        "way": "§ 78 › § 86" if rank == 8 else "",
        "task": 1 + rank % 3,
        "query": QUESTION,
        "rank": rank + 1,
    }
