"""Texts of the documents of a collection."""

from app.texts.base import Text

NO_DOCUMENTS_HERE = Text(
    "Noch keine Dokumente in dieser Sammlung. Ziehen Sie Dateien in das Feld oben.",
    "No documents in this collection yet. Drop files into the field above.",
)
NO_DOCUMENTS_TO_READ = Text(
    "Noch keine Dokumente in dieser Sammlung.", "No documents in this collection yet."
)
FILTER = Text("Filtern nach Datei, Titel, Schlagwort …", "Filter by file, title, tag …")
NO_MATCH = Text(
    "Kein Dokument passt zum Filter. Leeren Sie das Feld, um alle zu sehen.",
    "No document matches the filter. Empty the field to see all.",
)
SHOWN = Text("{first} bis {last} von {total}", "{first} to {last} of {total}")
DOCUMENT = Text("Datei", "File")
TITLE = Text("Titel", "Title")
PAGES = Text("Seiten", "Pages")
SECTIONS = Text("Abschnitte", "Sections")
CHUNKS = Text("Textstellen", "Passages")
STATE = Text("Zustand", "State")
DATE = Text("Datum", "Date")
TAGS = Text("Schlagwörter", "Tags")
CATEGORY = Text("Kategorie", "Category")
AUTHOR = Text("Verfasser", "Author")
INGESTED_AT = Text("Eingelesen", "Ingested")
CHOOSE_ROW = Text(
    "Wählen Sie eine Zeile am linken Rand, um das Dokument zu öffnen, einzuordnen oder zu "
    "entfernen.",
    "Select a row at its left edge to open, file or remove the document.",
)
INDEXED = {
    "indexed": Text("bereit", "ready"),
    "pending": Text("unvollständig", "incomplete"),
    "retired": Text("frühere Version", "older version"),
}
UNKNOWN_DOCUMENT = Text(
    "Dieses Dokument ist nicht mehr in der Sammlung.",
    "This document is no longer in the collection.",
)
CLOSE = Text("Schließen", "Close")
OPEN_DOCUMENT = Text("Dokument öffnen", "Open the document")
DOCUMENT_FACTS = Text(
    "{pages}Abschnitte: {sections} · Textstellen: {chunks} · {code} · {state} · eingelesen {when}",
    "{pages}sections: {sections} · passages: {chunks} · {code} · {state} · ingested {when}",
)
DOCUMENT_PAGES = Text("Seiten: {pages} · ", "pages: {pages} · ")
EDIT = Text("Einordnen", "File")
EDIT_WHY = Text(
    "Was Sie hier eintragen, gilt in dieser Sammlung und bleibt auch bei neuen Fassungen der "
    "Datei. Ein leeres Feld leert die Angabe.",
    "What you enter counts in this collection and stays with newer versions of the file. An "
    "empty field empties the entry.",
)
TAGS_HINT = Text("Schlagwörter, durch Komma getrennt", "Tags, separated by commas")
REMOVE = Text("Entfernen", "Remove")
REMOVE_WHAT = Text(
    "Entfernt **{document}** (Textstellen: {chunks}) und frühere Versionen davon aus "
    "**{collection}**. Fertige Berichte behalten ihre Belege.",
    "Removes **{document}** (passages: {chunks}) and older versions of it from "
    "**{collection}**. Finished reports keep their evidence.",
)
REMOVE_NOW = Text("Dokument entfernen", "Remove the document")
VERSIONS = Text("Frühere Versionen", "Older versions")
VERSION = Text("eingelesen {when}, Prüfsumme {id}", "ingested {when}, checksum {id}")
LANGUAGES = {
    "auto": Text("selbst erkennen", "detect"),
    "de": Text("Deutsch", "German"),
    "en": Text("Englisch", "English"),
    "fr": Text("Französisch", "French"),
    "es": Text("Spanisch", "Spanish"),
    "it": Text("Italienisch", "Italian"),
    "nl": Text("Niederländisch", "Dutch"),
    "pt": Text("Portugiesisch", "Portuguese"),
}
