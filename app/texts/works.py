"""Texts of adding files, and of works under way and ended."""

from app.texts.base import Text

# Adding files
UPLOAD_HINT = Text(
    "PDF, DOCX, TXT oder Markdown, viele auf einmal",
    "PDF, DOCX, TXT or Markdown, many at once",
)
INTO_COLLECTION = Text("Name der neuen Sammlung", "Name of the new collection")
NOTHING_TO_INGEST = Text("Wählen Sie mindestens eine Datei.", "Choose at least one file.")
NO_NAME = Text("Geben Sie der Sammlung einen Namen.", "Give the collection a name.")
INGEST = Text("Einlesen", "Ingest")
HOW_TO_CUT = Text("Wie die Texte gegliedert werden", "How texts are cut")
LANGUAGE_OF = Text("Sprache der Texte", "Language of the texts")
STRATEGY = Text("Gliedern nach", "Cut by")
STRATEGIES = {
    "paragraph": Text("Absätzen (üblich)", "paragraphs (usual)"),
    "sentence": Text("Sätzen", "sentences"),
    "fixed": Text("gleicher Länge", "equal length"),
    "semantic": Text("Themen", "topics"),
}
CHUNK_SIZE = Text("Länge einer Textstelle in Zeichen", "Length of a passage in characters")

# Works under way and ended
WORK = {
    "ingest": Text("Einlesen in „{name}“", "Ingesting into “{name}”"),
    "remove": Text("Entfernen aus „{name}“", "Removing from “{name}”"),
    "check": Text("Prüfen von „{name}“", "Checking “{name}”"),
    "repair": Text("Reparieren von „{name}“", "Repairing “{name}”"),
    "rebuild": Text("Neu verzeichnen von „{name}“", "Indexing “{name}” anew"),
    "restore": Text("Wiederherstellen eines Archivs", "Restoring an archive"),
}
ALL_COLLECTIONS = Text("alle Sammlungen", "all collections")
WAITS = Text("wartet, bis eine andere Arbeit fertig ist", "waits for another work to finish")
WHOLE = Text("Dateien: {done} von {total}", "files: {done} of {total}")
WHOLE_FAILED = Text("{failed} nicht gelesen", "{failed} not read")
WHOLE_CHUNKS = Text(
    "Textstellen: {chunks}, {speed} je Sekunde", "passages: {chunks}, {speed} a second"
)
WHOLE_LEFT = Text("noch {duration}", "{duration} left")
GOES_ON = Text(
    "Sie können weiterarbeiten oder das Fenster schließen: das Einlesen geht weiter.",
    "You can go on working or close the window: the ingestion goes on.",
)
STAGE = {
    "waits": Text("wartet", "waits"),
    "parse": Text("lesen", "parse"),
    "chunk": Text("gliedern", "chunk"),
    "embed": Text("einbetten {done}/{total}", "embed {done}/{total}"),
    "index": Text("verzeichnen", "index"),
    "graph": Text("Begriffe verknüpfen", "link terms"),
    "done": Text("fertig", "done"),
    "unchanged": Text("schon da", "already there"),
    "failed": Text("nicht gelesen: {error}", "not read: {error}"),
}
MORE_WAIT = Text("… und {count} weitere warten", "… and {count} more wait")
MORE_DONE = Text("… und {count} weitere sind fertig", "… and {count} more are done")
INGESTED = Text(
    "{added} neu, {updated} ersetzt, {unchanged} schon da, {failed} nicht gelesen; "
    "Textstellen: {chunks} in {duration}",
    "{added} new, {updated} updated, {unchanged} already there, {failed} not read; "
    "passages: {chunks} in {duration}",
)
NOT_READ = Text("{count} nicht gelesen", "{count} not read")
PAGES_MISSING = Text("Es fehlen beschädigte Seiten", "Damaged pages are missing")
PAGES_MISSING_OF = Text(
    "{document}: Seiten {pages}. Exportieren Sie die Datei neu, oder laden Sie sie noch einmal "
    "herunter.",
    "{document}: pages {pages}. Export or download the file again.",
)
WORK_FAILED = Text("{work}: nicht gelungen", "{work}: did not succeed")
RESTORED = Text(
    "„{name}“ ist wiederhergestellt (Dokumente: {documents}, Textstellen: {chunks}).",
    "“{name}” has been restored (documents: {documents}, passages: {chunks}).",
)
RESTORED_EMBEDDED = Text("Neu eingebettet: {embedded}.", "Embedded anew: {embedded}.")
REMOVED = Text("„{document}“ ist entfernt.", "“{document}” has been removed.")
HIDE = Text("Ausblenden", "Hide")
