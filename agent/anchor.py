"""What a question asks for, by code alone, and the anchor that later phases hold on to."""

from datetime import UTC, datetime

from agent.models import QueryAnalysis, QueryAnchor
from services.extractive import facets, keyphrases
from services.ingestion.references import detect_references


def analyse(query: str, language: str, collections: tuple[str, ...]) -> QueryAnalysis:
    """Concepts, entities and facets of a question."""
    concepts = keyphrases(query, language, limit=8)
    labels = [reference.target for reference in detect_references(query)]
    return QueryAnalysis(
        original_query=query,
        key_concepts=tuple(concepts),
        entities=tuple(dict.fromkeys([*labels, *concepts[:5]])),
        scope=", ".join(collections),
        facets=tuple(facet.text for facet in facets(query, language)),
    )


def make_anchor(analysis: QueryAnalysis, language: str) -> QueryAnchor:
    """The question as it was meant, fixed for the rest of the run."""
    return QueryAnchor(
        original_query=analysis.original_query,
        detected_language=language,
        key_entities=analysis.entities,
        scope=analysis.scope,
        hitl_refinements=analysis.hitl_refinements,
        created_at=datetime.now(UTC).isoformat(timespec="seconds"),
    )


def anchor_queries(anchor: QueryAnchor, facets_: tuple[str, ...]) -> list[str]:
    """The texts against which drift is measured: question, its facets, what was added."""
    return list(dict.fromkeys([anchor.original_query, *facets_, *anchor.hitl_refinements]))
