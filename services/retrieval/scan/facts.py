"""Facts about the documents themselves: how many, which, how long, from when."""

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
    """The facts about a corpus; dates are of the documents, ``newest`` was ingested last."""

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


def asked_topics(question: str) -> tuple[Topic, ...]:
    """Return the topics of a question about the documents themselves, in its order."""
    offsets = {
        topic: match.start()
        for topic, words in _WORDS.items()
        if (match := re.search(rf"\b(?:{words})", question, re.IGNORECASE))
    }
    if "documents" in offsets and "titles" not in offsets and _LISTING.search(question):
        offsets["titles"] = offsets["documents"]
    return tuple(sorted(offsets, key=lambda topic: offsets[topic])) or ("documents",)


def corpus_facts(catalog: Catalog, scope: Scope, question: str = "") -> CorpusFacts:
    documents = catalog.documents.list(scope)
    dated = sorted((row for row in documents if row.date), key=lambda row: str(row.date))
    languages = Counter(row.language for row in documents)
    return CorpusFacts(
        topics=asked_topics(question),
        collections=tuple(catalog.collections.within(scope)),
        documents=len(documents),
        pages=sum(row.pages or 0 for row in documents),
        without_pages=sum(row.pages is None for row in documents),
        sections=sum(row.sections for row in documents),
        languages=tuple(sorted(languages.items(), key=lambda count: (-count[1], count[0]))),
        earliest=dated[0] if dated else None,
        latest=dated[-1] if dated else None,
        newest=max(documents, key=lambda row: row.ingested_at, default=None),
        listed=tuple(documents),
    )
