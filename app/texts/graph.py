"""Texts of the library's view on the knowledge graph."""

from app.texts.base import Text

VIEW = Text("Wissensgraph", "Knowledge graph")
WHY = Text(
    "Was die Sammlung über einen Abschnitt, einen Begriff oder ein Dokument weiß: wo er bestimmt "
    "und genannt wird und worauf er verweist.",
    "What the collection knows of a section, a term or a document: where it is defined and named, "
    "and what it refers to.",
)
NAME = Text("Abschnitt, Begriff oder Dokument", "Section, term or document")
HINT = Text("z. B. § 78 StrlSchG", "e.g. § 78 StrlSchG")
READING = Text("Der Wissensgraph wird gelesen …", "Reading the knowledge graph …")
EXAMPLES = Text("Oft verbunden", "Most connected")
NO_GRAPH = Text(
    "Zu dieser Sammlung gibt es noch keinen Wissensgraphen. Beim Einlesen entsteht er von selbst; "
    "für das, was schon eingelesen ist, mit diesem Befehl:",
    "There is no knowledge graph of this collection yet. Ingesting builds it; for what was "
    "ingested before this command does:",
)
KINDS = {
    "document": Text("Dokument", "document"),
    "section": Text("Abschnitt", "section"),
    "term": Text("bestimmter Begriff", "defined term"),
    "abbreviation": Text("Abkürzung", "abbreviation"),
    "quantity": Text("Menge", "quantity"),
    "date": Text("Datum", "date"),
    "word": Text("häufiges Wort", "recurring word"),
    "entity": Text("Name", "name"),
}
NAMED = Text("Nennungen: {count}", "named: {count}")
ALIASES = Text("Auch: {names}", "Also: {names}")
TO_DEFINITION = Text("Zur Begriffsbestimmung", "To the definition")
NOTHING_TIED = Text("Damit ist nichts verbunden.", "Nothing is tied to it.")
HOW_TO_READ = Text(
    "Links, was nachgeschlagen wurde; rechts das Nächste, nach Art der Verbindung. Pfeile "
    "zeigen, wohin der Text verweist oder was er nennt.",
    "On the left what was looked up, on the right what is closest to it, by how it is tied. Arrows "
    "show where the text refers to or what it names.",
)
RELATION = Text("Verbindung", "Tie")
TARGET = Text("Name", "Name")
PLACE = Text("Stelle", "Place")
GO_ON = Text("Weiter zu", "Go on to")
