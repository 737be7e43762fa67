"""Texts of the search in a collection."""

from app.texts.base import Text

SEARCH = Text("In dieser Sammlung suchen", "Search this collection")
SEARCH_HINT = Text(
    "Stichworte oder Paragraf, z. B. § 78 StrlSchG", "Words or a section, e.g. § 78 StrlSchG"
)
SEARCH_NOW = Text("Suchen", "Search")
SEARCH_WHY = Text(
    "Sehen Sie, was eine Recherche in dieser Sammlung fände, und warum.",
    "See what research would find in this collection, and why.",
)
SEARCHING = Text("Die Dokumente werden durchsucht …", "Searching the documents …")
NARROW = Text("Art der Suche und Filter", "Kind of search and filters")
MODE = Text("Suchen nach", "Search by")
MODES = {
    "hybrid": Text("Bedeutung und Wörtern", "meaning and words"),
    "vector": Text("nur Bedeutung", "meaning only"),
    "keyword": Text("nur Wörtern", "words only"),
}
K_HITS = Text("Höchstens so viele Treffer", "Hits at most")
IN_DOCUMENTS = Text("Nur in diesen Dateien", "Only in these files")
WITH_TAGS = Text("Nur mit diesen Schlagwörtern", "Only with these tags")
FROM_DAY = Text("Datum von", "Date from")
TO_DAY = Text("Datum bis", "Date to")
PROFILE = Text("Profil", "Profile")
NO_PROFILE = Text("ohne", "none")
ANY = Text("alle", "any")
WRONG_RANGE = Text(
    "Das Datum „von“ liegt nach dem Datum „bis“. Tauschen Sie die beiden.",
    "The date “from” is after the date “to”. Swap them.",
)
NOTHING_MATCHES = Text(
    "Nichts gefunden. Versuchen Sie andere Worte oder nehmen Sie Filter heraus.",
    "Nothing found. Try other words, or take filters out.",
)
FOUND = Text("Treffer: {count}", "hits: {count}")
FROM_CACHE = Text("aus dem Zwischenspeicher", "from the cache")
RERANKED = Text("durch einen zweiten Blick neu geordnet", "put into a new order by a second look")
FITS = {
    0.7: Text("passt sehr gut", "fits very well"),
    0.5: Text("passt gut", "fits well"),
    0.3: Text("passt teilweise", "fits in part"),
    0.0: Text("passt kaum", "hardly fits"),
}
"""By the least relevance."""
RELEVANCE = Text("{words} (Relevanz {relevance})", "{words} (relevance {relevance})")
WHY = Text("Warum gefunden?", "Why was this found?")
STRATEGY_RANK = {
    "vector": Text(
        "Nach der Bedeutung auf Platz {rank} (Ähnlichkeit {score}).",
        "By meaning at rank {rank} (similarity {score}).",
    ),
    "keyword": Text(
        "Nach den Wörtern auf Platz {rank} ({score} von höchstens 1).",
        "By words at rank {rank} ({score} of 1 at most).",
    ),
    "label": Text("Die Anfrage nennt diesen Abschnitt.", "The query names this section."),
    "rerank": Text(
        "Beim zweiten Blick auf Platz {rank} (Wert {score}).",
        "At the second look at rank {rank} (value {score}).",
    ),
    "freshness": Text(
        "Nach dem Alter auf Platz {rank} (Frische {score}).",
        "By age at rank {rank} (freshness {score}).",
    ),
}
NOT_BY = {
    "vector": Text("Nach der Bedeutung nicht unter den Besten.", "By meaning not among the best."),
    "keyword": Text("Nach den Wörtern nicht unter den Besten.", "By words not among the best."),
}
SUM_OF = Text("Zusammen ergibt das den Wert {score}.", "Together this makes the value {score}.")
OPEN_PLACE = Text("Stelle öffnen", "Open the place")
