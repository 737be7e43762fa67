"""What the catalog knows of the documents themselves: how many, which, how long, from when."""

import re
from collections import Counter
from collections.abc import Mapping
from typing import Final, Literal

from services.catalog import Catalog
from services.domain import CollectionInfo, DocumentInfo, Language, Scope
from services.domain.value import Value

Topic = Literal[
    "documents", "collections", "pages", "sections", "titles", "dates", "languages", "newest"
]

MOST_LISTED = 200

_WORDS: Final[Mapping[Topic, str]] = {
    "documents": r"dokument|document|datei|files?\b|fichier|archivo|unterlagen|pdfs?\b",
    "collections": r"sammlung|collection|colecci|korp(?:us|ora)|corpus",
    "pages": r"seiten?\b|seitenzahl|pages?\b|páginas?\b",
    "sections": r"abschnitt|paragraph|paragraf|sections?\b|secci[oó]n|chapters?\b|kapitel",
    "titles": r"tit(?:el|le|re|les|res)\b|título|heißen|hei(?:ss|ß)t|called|names?\b",
    "dates": r"datum|datiert|date[sn]?\b|dated|fechas?\b|ältest|oldest|ancien|antigu|jahre?\b",
    "languages": r"sprach|language|langues?\b|idiomas?\b",
    "newest": r"neue?st|zuletzt|jüngst|newest|latest|most recent|last added|récent|dernier|recient"
    r"|últim",
}
_LISTING: Final = re.compile(
    r"\b(?:welche[nrs]?|was|worum|wovon|liste|nenne|zeige|aufzähl|which|list|name|show|what|quel\w*|énum|montre"
    r"|cuáles|qué|enumera|muestra)\b",
    re.IGNORECASE,
)


class CorpusFacts(Value):
    """Everything that is known of a corpus as such; each document counts once.

    ``topics`` are what the question asks for, the first one first. ``earliest`` and ``latest`` go
    by the documents' own days, ``newest`` was taken in last. ``left_out`` documents are not listed.
    """

    topics: tuple[Topic, ...]
    collections: tuple[CollectionInfo, ...]
    documents: int
    pages: int
    without_pages: int
    sections: int
    languages: tuple[tuple[Language, int], ...]
    earliest: DocumentInfo | None
    latest: DocumentInfo | None
    newest: DocumentInfo | None
    listed: tuple[DocumentInfo, ...]
    left_out: int = 0


def asked_topics(question: str) -> tuple[Topic, ...]:
    """What a question about the documents themselves asks for, in its order.

    ``Which documents …`` asks for titles, ``how many documents`` for their number; a question that
    names nothing known asks for documents.
    """
    places = {
        topic: found.start()
        for topic, words in _WORDS.items()
        if (found := re.search(rf"\b(?:{words})", question, re.IGNORECASE))
    }
    if "documents" in places and "titles" not in places and _LISTING.search(question):
        places["titles"] = places["documents"]
    return tuple(sorted(places, key=lambda topic: places[topic])) or ("documents",)


def corpus_facts(catalog: Catalog, scope: Scope, question: str = "") -> CorpusFacts:
    """The facts for a question about the documents that a request may read."""
    facts = catalog.documents.list(scope)
    dated = sorted((each for each in facts if each.date), key=lambda each: str(each.date))
    languages = Counter(each.language for each in facts)
    return CorpusFacts(
        topics=asked_topics(question),
        collections=tuple(catalog.collections.within(scope)),
        documents=len(facts),
        pages=sum(each.pages or 0 for each in facts),
        without_pages=sum(each.pages is None for each in facts),
        sections=sum(each.sections for each in facts),
        languages=tuple(sorted(languages.items(), key=lambda each: (-each[1], each[0]))),
        earliest=dated[0] if dated else None,
        latest=dated[-1] if dated else None,
        newest=max(facts, key=lambda each: each.ingested_at, default=None),
        listed=tuple(facts[:MOST_LISTED]),
        left_out=max(0, len(facts) - MOST_LISTED),
    )
