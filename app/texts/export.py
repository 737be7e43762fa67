"""Texts of the export of a report or a conversation."""

from app.texts.base import Text

EXPORT = Text("Exportieren", "Export")
EXPORT_REPORT = Text("Der ganze Bericht", "The whole report")
EXPORT_CONVERSATION = Text("Das ganze Gespräch", "The whole conversation")
EXPORT_SOURCES = Text("Die Quellen mit Zitaten", "The sources with quotes")
FORMAT = {
    "pdf": Text("PDF zum Drucken und Weitergeben", "PDF to print and to hand on"),
    "docx": Text("Word (DOCX) zum Bearbeiten", "Word (DOCX) to edit"),
    "html": Text("Webseite (HTML), eine Datei", "Web page (HTML), one file"),
    "md": Text("Markdown", "Markdown"),
    "json": Text("JSON für Programme", "JSON for programs"),
    "bib": Text("BibTeX für LaTeX", "BibTeX for LaTeX"),
    "ris": Text("RIS für Zotero, Citavi, EndNote", "RIS for Zotero, Citavi, EndNote"),
}
