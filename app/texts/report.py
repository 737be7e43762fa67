"""Texts of the report and its proof, and of the page that shows a document."""

from app.texts.base import Text

# What a sentence rests on
FOLLOWS = Text("folgt aus", "follows from")
NO_PROOF = {
    "loose": Text("folgt nicht erkennbar", "not shown to follow"),
    "contradicts": Text("die Stelle widerspricht", "the passage contradicts it"),
    "none": Text("keine Stelle gefunden", "no passage found"),
}
CLOSEST = Text(
    "Diese Stellen kommen der Frage am nächsten; ob sie sie beantworten, ist selbst zu sehen.",
    "These passages come closest; whether they answer is for you to see.",
)
SENTENCE_SIDE = Text(
    "Der Satz; markiert ist, was die Stelle nicht hat:",
    "The sentence; marked is what the passage does not have:",
)
QUOTE_SIDE = Text(
    "Die Stelle; markiert ist, was der Satz nicht hat:",
    "The passage; marked is what the sentence does not have:",
)
CASE = Text("Für wen oder wann: {case}", "For whom or when: {case}")

# The proof of a sentence
MARK_HELP = Text("{place}: „{quote}“", "{place}: “{quote}”")
COUNT = Text("{number} von {total}", "{number} of {total}")
PREVIOUS = Text("Vorheriger Beleg", "Previous proof")
NEXT = Text("Nächster Beleg", "Next proof")
CLOSE = Text("Beleg schließen", "Close the proof")
WHOLE_PAGE = Text("Ganze Seite", "Whole page")
WHOLE_DOCUMENT = Text("Im Dokument", "In the document")
VERIFIED = Text("wörtlich geprüft", "checked word for word")
VERBATIM = Text("Wortlaut des Dokuments", "the document's own words")
UNVERIFIED = Text("nicht geprüft", "not checked")
FOLLOWS_CHECKED = Text("Satz folgt aus der Stelle", "sentence follows from the passage")
CONTINUES = Text("weiter auf S. {page}", "continues on p. {page}")
NOT_MARKED = Text(
    "Die Stelle ließ sich auf der Seite nicht markieren. Der Wortlaut ist: „{quote}“",
    "The place could not be marked on the page. The wording is: “{quote}”",
)
NO_PAGE = Text(
    "Statt der Seite steht hier der ausgelesene Text. {why}",
    "Here is the extracted text instead of the page. {why}",
)
NO_TEXT = Text(
    "Das Dokument lässt sich nicht öffnen, hier steht nur das Zitat. {why}",
    "The document cannot be opened, so here is the quote alone. {why}",
)

# Behind the answer
COVERAGE = Text("Abdeckung", "Coverage")
SHOW = Text("Ansehen", "View")
RESTORED = Text("von Ihnen zurückgeholt", "restored by you")
RESTORE_WHY = Text(
    "Nicht verwendet, weil der Bezug zur Frage zu schwach schien. Was Sie zurückholen, wird neu "
    "bewertet, und die Antwort wird neu geschrieben. Gesucht wird nicht noch einmal.",
    "Not used, as it seemed too far from the question. What you restore is judged again and the "
    "answer is written anew. Nothing is searched again.",
)
RESTORE = Text("Zurückholen und neu schreiben", "Restore and write again")
RESTORE_NONE = Text(
    "Kreuzen Sie an, was zurückgeholt werden soll.",
    "Tick what is to be restored.",
)
MORE_DROPPED = Text(
    "Dazu {count} weitere mit geringerer Relevanz.",
    "And {count} more of lower relevance.",
)
QUALITY_WHY = Text(
    "Vier Teilnoten von 0 bis 100. Unter 280 wird die Antwort einmal überarbeitet.",
    "Four marks of 0 to 100 each. Below 280 the answer is revised once.",
)

# A document
DOCUMENT_PAGE = Text("Dokument", "Document")
NO_DOCUMENT_NAMED = Text(
    "Die Adresse nennt kein Dokument. Wählen Sie eines in der Bibliothek.",
    "The address names no document. Choose one in the library.",
)
GO_TO_SECTION = Text("Zum Abschnitt springen", "Go to a section")
GO_TO_PAGE = Text("Seite", "Page")
OF_PAGES = Text("von {pages}", "of {pages}")
PREVIOUS_PAGE = Text("Vorherige Seite", "Previous page")
NEXT_PAGE = Text("Nächste Seite", "Next page")
PREVIOUS_SECTION = Text("Vorheriger Abschnitt", "Previous section")
NEXT_SECTION = Text("Nächster Abschnitt", "Next section")
RETIRED = Text(
    "Eine ältere Fassung: In der Sammlung liegt inzwischen eine neuere.",
    "An older version: the collection now holds a newer one.",
)
PAGE_OF = Text("Seite {page} von {document}", "Page {page} of {document}")
