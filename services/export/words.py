"""What a file says besides the report, in the language of the answer."""

from collections.abc import Mapping
from dataclasses import dataclass

from services.types import Standing


@dataclass(frozen=True)
class Words:
    """Labels of an exported report; ``{}`` is filled in."""

    language: str
    standings: dict[Standing, tuple[str, str]]
    marks: dict[Standing, str]
    follows: str
    closest: str
    closest_count: tuple[str, str]
    unverified: str
    in_text: str
    nothing_found: str
    page: str
    pages: str
    sections: str
    document: str
    section: str
    relevance: str
    found_by: str
    how_found: dict[str, str]
    depth: str
    reason: str
    passages: str
    sources: str
    author: str
    checksum: str
    tiers: dict[int, str]
    dropped: str
    gaps: str
    warnings: str
    degraded: str
    quality: str
    dimensions: dict[str, str]
    total: str
    revised: str
    cost: str
    no_model: str
    model: str
    calls: str
    tokens: str
    duration: str
    made_by: str
    made_by_ask: str
    question: str
    understood: str
    answer: str
    decimal: str

    def number(self, value: float, digits: int = 0) -> str:
        """``0,91`` in German, ``0.91`` in English."""
        text = f"{value:,.{digits}f}"
        return text.translate(str.maketrans(",.", ".,")) if self.decimal == "," else text

    def model_name(self, name: str) -> str:
        """``Modell qwen3:14b``, or that there was none."""
        return self.no_model if name == "none" else self.model.format(name)


GERMAN = Words(
    language="de",
    standings={
        "quote": ("{} Zitat", "{} Zitate"),
        "follows": ("{} folgt aus Zitaten", "{} folgen aus Zitaten"),
        "loose": ("{} nicht belegt", "{} nicht belegt"),
        "contradicts": ("{} widersprochen", "{} widersprochen"),
        "none": ("{} ohne Fundstelle", "{} ohne Fundstelle"),
    },
    marks={
        "loose": "folgt nicht erkennbar aus der Stelle",
        "contradicts": "die Stelle widerspricht",
        "none": "keine Stelle gefunden",
    },
    follows="folgt aus",
    closest="Diese Stellen kommen der Frage am nächsten; ob sie sie beantworten, ist selbst zu "
    "sehen.",
    closest_count=("{} Stelle zum Selbstprüfen", "{} Stellen zum Selbstprüfen"),
    unverified="Zitat nicht geprüft",
    in_text="Wortlaut im Text oben",
    nothing_found="In den Dokumenten wurde nichts gefunden, was die Frage beantwortet.",
    page="S. {}",
    pages="Seiten {}",
    sections="Abschnitte {}",
    document="Dokument",
    section="Abschnitt",
    relevance="Relevanz",
    found_by="Gefunden durch",
    how_found={
        "vector_search": "Suche",
        "reference": "Verweis",
        "hitl": "Klärung",
        "graph": "Wissensgraph",
    },
    depth="Tiefe {}",
    reason="Grund",
    passages="Belegstellen",
    sources="Quellen",
    author="Verfasser: {}",
    checksum="SHA-256 {}",
    tiers={
        1: "Textstellen der Stufe 1 (beantworten die Frage)",
        2: "Textstellen der Stufe 2 (stützen die Antwort)",
        3: "Textstellen der Stufe 3 (Umfeld)",
    },
    dropped="Verworfen",
    gaps="Nicht in den Dokumenten gefunden",
    warnings="Hinweise",
    degraded="Mit Einschränkung entstanden",
    quality="Güte",
    dimensions={
        "factual_accuracy": "Sätze belegt",
        "semantic_validity": "Frage abgedeckt",
        "structural_integrity": "Teile gefüllt",
        "citation_correctness": "Zitate geprüft",
    },
    total="Gesamt: {} von 400",
    revised="Einmal überarbeitet.",
    cost="Aufwand",
    no_model="ohne Sprachmodell, nur Zitate",
    model="Modell {}",
    calls="{} Modellaufrufe",
    tokens="{} Token hinein, {} heraus",
    duration="{} Sekunden",
    made_by="Erstellt mit Rabbithole, Recherche {}",
    made_by_ask="Erstellt mit Rabbithole, Gespräch {}",
    question="Frage {}: {}",
    understood="Verstanden als: {}",
    answer="Antwort",
    decimal=",",
)
ENGLISH = Words(
    language="en",
    standings={
        "quote": ("{} quote", "{} quotes"),
        "follows": ("{} follows from quotes", "{} follow from quotes"),
        "loose": ("{} not proven", "{} not proven"),
        "contradicts": ("{} contradicted", "{} contradicted"),
        "none": ("{} without a passage", "{} without a passage"),
    },
    marks={
        "loose": "not shown to follow from the passage",
        "contradicts": "the passage contradicts it",
        "none": "no passage found",
    },
    follows="follows from",
    closest="These passages come closest; whether they answer is for you to see.",
    closest_count=("{} passage for you to judge", "{} passages for you to judge"),
    unverified="quote not verified",
    in_text="quoted in the text above",
    nothing_found="Nothing was found in the documents that answers the question.",
    page="p. {}",
    pages="pages {}",
    sections="sections {}",
    document="Document",
    section="Section",
    relevance="Relevance",
    found_by="Found by",
    how_found={
        "vector_search": "search",
        "reference": "reference",
        "hitl": "clarification",
        "graph": "knowledge graph",
    },
    depth="depth {}",
    reason="Reason",
    passages="Cited passages",
    sources="Sources",
    author="Author: {}",
    checksum="SHA-256 {}",
    tiers={
        1: "Evidence of tier 1 (answers the question)",
        2: "Evidence of tier 2 (supports the answer)",
        3: "Evidence of tier 3 (context)",
    },
    dropped="Dropped",
    gaps="Not found in the documents",
    warnings="Notes",
    degraded="Produced with limits",
    quality="Quality",
    dimensions={
        "factual_accuracy": "Sentences supported",
        "semantic_validity": "Question covered",
        "structural_integrity": "Parts filled",
        "citation_correctness": "Citations verified",
    },
    total="Total: {} of 400",
    revised="Revised once.",
    cost="Cost",
    no_model="no language model, quotes only",
    model="Model {}",
    calls="{} model calls",
    tokens="{} prompt tokens, {} completion tokens",
    duration="{} seconds",
    made_by="Made with Rabbithole, research {}",
    made_by_ask="Made with Rabbithole, conversation {}",
    question="Question {}: {}",
    understood="Understood as: {}",
    answer="Answer",
    decimal=".",
)


def words_for(language: str) -> Words:
    """German for German answers, else English."""
    return GERMAN if language == "de" else ENGLISH


def counted(standings: Mapping[Standing, int], certainty: str, language: str) -> str:
    """``4 Zitate, 2 folgen aus Zitaten, 1 nicht belegt``; of ``perhaps``, how many passages."""
    words = words_for(language)
    if certainty == "perhaps":
        return _numbered(words.closest_count, sum(standings.values()))
    return ", ".join(
        _numbered(forms, count)
        for standing, forms in words.standings.items()
        if (count := standings.get(standing, 0))
    )


def _numbered(forms: tuple[str, str], count: int) -> str:
    return forms[count != 1].format(count)
