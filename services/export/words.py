"""What a file says besides the report, in the language of the answer."""

from collections.abc import Mapping

from services.domain import Standing
from services.domain.value import Value


class Words(Value):
    """Labels of an exported report, by default the English ones; ``{}`` is filled in.

    A pair is a singular and a plural.
    """

    language: str = "en"
    standings: Mapping[Standing, tuple[str, str]] = {
        "quote": ("{} quote", "{} quotes"),
        "follows": ("{} follows from quotes", "{} follow from quotes"),
        "loose": ("{} not proven", "{} not proven"),
        "contradicts": ("{} contradicted", "{} contradicted"),
        "none": ("{} without a passage", "{} without a passage"),
    }
    marks: Mapping[Standing, str] = {
        "loose": "not shown to follow from the passage",
        "contradicts": "the passage contradicts it",
        "none": "no passage found",
    }
    follows: str = "follows from"
    closest: str = "These passages come closest; whether they answer is for you to see."
    closest_count: tuple[str, str] = ("{} passage for you to judge", "{} passages for you to judge")
    unverified: str = "quote not verified"
    in_text: str = "quoted in the text above"
    nothing_found: str = "Nothing was found in the documents that answers the question."
    page: str = "p. {}"
    pages: str = "pages {}"
    sections: str = "sections {}"
    document: str = "Document"
    section: str = "Section"
    relevance: str = "Relevance"
    found_by: str = "Found by"
    how_found: Mapping[str, str] = {
        "vector_search": "search",
        "reference": "reference",
        "hitl": "clarification",
        "graph": "knowledge graph",
    }
    depth: str = "depth {}"
    reason: str = "Reason"
    passages: str = "Cited passages"
    sources: str = "Sources"
    author: str = "Author: {}"
    checksum: str = "SHA-256 {}"
    tiers: Mapping[int, str] = {
        1: "Evidence of tier 1 (answers the question)",
        2: "Evidence of tier 2 (supports the answer)",
        3: "Evidence of tier 3 (context)",
    }
    dropped: str = "Dropped"
    gaps: str = "Not found in the documents"
    warnings: str = "Notes"
    degraded: str = "Produced with limits"
    quality: str = "Quality"
    dimensions: Mapping[str, str] = {
        "factual_accuracy": "Sentences supported",
        "semantic_validity": "Question covered",
        "structural_integrity": "Parts filled",
        "citation_correctness": "Citations verified",
    }
    total: str = "Total: {} of 400"
    revised: str = "Revised once."
    cost: str = "Cost"
    no_model: str = "no language model, quotes only"
    model: str = "Model {}"
    calls: str = "{} model calls"
    tokens: str = "{} prompt tokens, {} completion tokens"
    duration: str = "{} seconds"
    made_by: str = "Made with Rabbithole, research {}"
    made_by_ask: str = "Made with Rabbithole, conversation {}"
    question: str = "Question {}: {}"
    understood: str = "Understood as: {}"
    answer: str = "Answer"
    coverage: str = "Coverage"
    required: str = "Part of the question"
    status: str = "Status"
    statuses: Mapping[str, str] = {"covered": "found", "partial": "in part", "missing": "missing"}
    others: str = "{} others"
    beside: str = "For no task"
    tier: str = "tier\u00a0{}:\u00a0{}"
    quotes: tuple[str, str] = ("{}\u00a0quote", "{}\u00a0quotes")
    decimal: str = "."

    def number(self, value: float, digits: int = 0) -> str:
        """``0,91`` in German, ``0.91`` in English."""
        text = f"{value:,.{digits}f}"
        return text.translate(str.maketrans(",.", ".,")) if self.decimal == "," else text

    def model_name(self, name: str) -> str:
        """``Modell qwen3:14b``, or that there was none."""
        return self.no_model if name == "none" else self.model.format(name)


ENGLISH = Words()
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
    coverage="Abdeckung",
    required="Teil der Frage",
    status="Stand",
    statuses={"covered": "gefunden", "partial": "teilweise", "missing": "fehlt"},
    others="{} weitere",
    beside="Zu keiner Aufgabe",
    tier="Stufe\u00a0{}:\u00a0{}",
    quotes=("{}\u00a0Zitat", "{}\u00a0Zitate"),
    decimal=",",
)


def words_for(language: str) -> Words:
    """German for German answers, else English."""
    return GERMAN if language == "de" else ENGLISH


def numbered(forms: tuple[str, str], count: int) -> str:
    """``1 Zitat``, ``2 Zitate``."""
    return forms[count != 1].format(count)


def counted(standings: Mapping[Standing, int], certainty: str, language: str) -> str:
    """``4 Zitate, 2 folgen aus Zitaten, 1 nicht belegt``; of ``perhaps``, how many passages."""
    words = words_for(language)
    if certainty == "perhaps":
        return numbered(words.closest_count, sum(standings.values()))
    return ", ".join(
        numbered(forms, count)
        for standing, forms in words.standings.items()
        if (count := standings.get(standing, 0))
    )
