"""Texts of the library page."""

from app.texts.base import Text

# Collections
COLLECTIONS = Text("Sammlungen", "Collections")
SIZE = Text("Dokumente: {documents}", "documents: {documents}")
OWN = Text("Ihre", "yours")
SUBSCRIBED = Text("abonniert, von {owner}", "subscribed, by {owner}")
OF_OTHERS = Text("von {owner}", "by {owner}")
VISIBLE_TO = {
    "private": Text("privat", "private"),
    "unlisted": Text("mit Link", "by link"),
    "public": Text("öffentlich", "public"),
    "admin": Text("zentral gepflegt", "kept centrally"),
}
VISIBLE_TO_WHOM = {
    "private": Text(
        "Privat: nur Sie. Wer die Sammlung abonniert hat, sieht sie dann nicht mehr.",
        "Private: only you. Whoever has subscribed to the collection no longer sees it.",
    ),
    "unlisted": Text(
        "Mit Link: wer die Adresse hat, kann lesen und abonnieren.",
        "By link: whoever has the address can read and subscribe.",
    ),
    "public": Text(
        "Öffentlich: alle auf diesem Server können lesen.",
        "Public: everybody on this server can read.",
    ),
    "admin": Text(
        "Zentral gepflegt: alle lesen, nur die Administration ändert.",
        "Kept centrally: everybody reads, only administrators change it.",
    ),
}
UNKNOWN_COLLECTION = Text(
    "Diese Sammlung gibt es nicht, oder sie ist nicht für Sie freigegeben. Bitten Sie die "
    "Person, der sie gehört, um den Link.",
    "There is no such collection, or it is not shared with you. Ask its owner for the link.",
)
FACTS = Text(
    "Dokumente: {documents} · Textstellen: {chunks}", "documents: {documents} · passages: {chunks}"
)
NEW_COLLECTION = Text("Neue Sammlung", "New collection")
NAME = Text("Name", "Name")
DESCRIPTION = Text("Beschreibung", "Description")
VISIBILITY = Text("Wer darf lesen?", "Who may read?")
CREATE = Text("Anlegen", "Create")
CREATED = Text("„{name}“ ist angelegt.", "“{name}” has been created.")

# Views of a collection
DOCUMENTS_VIEW = Text("Dokumente", "Documents")
SEARCH_VIEW = Text("Suchen", "Search")
HEALTH_VIEW = Text("Zustand", "Health")
MANAGE_VIEW = Text("Verwalten", "Manage")
VIEW = Text("Ansicht", "View")

# Managing
RENAME = Text("Name und Beschreibung", "Name and description")
SAVE = Text("Speichern", "Save")
SAVED = Text("Gespeichert.", "Saved.")
SHARING = Text("Freigabe", "Sharing")
SHARE = Text("Freigabe ändern", "Change sharing")
SHARED = Text("Die Freigabe ist geändert.", "Sharing has been changed.")
LINK = Text(
    "Diese Adresse führt zur Sammlung; wer sie öffnet, kann lesen und abonnieren:",
    "This address leads to the collection; whoever opens it can read and subscribe:",
)
SUBSCRIBE = Text("Abonnieren", "Subscribe")
SUBSCRIBE_WHY = Text(
    "Die Sammlung gehört {owner} und ist über ihren Link freigegeben. Wenn Sie sie abonnieren, "
    "steht sie in Ihrer Liste und Recherchen über alle Sammlungen lesen sie mit.",
    "The collection belongs to {owner} and is shared by its link. If you subscribe, it is in "
    "your list, and research over all collections reads it too.",
)
UNSUBSCRIBE = Text("Abonnement beenden", "Unsubscribe")
READ_ONLY = Text(
    "Sie können diese Sammlung lesen und durchsuchen. Ändern kann sie {owner}.",
    "You can read and search this collection. {owner} can change it.",
)
ADMINISTRATORS = Text("nur die Administration", "Only an administrator")
DELETE = Text("Sammlung löschen", "Delete collection")
DELETE_WHAT = Text(
    "Gelöscht wird **{name}** (Dokumente: {documents}, Textstellen: {chunks}) für alle, die die "
    "Sammlung lesen. Fertige Berichte behalten ihre Belege. Das lässt sich nicht zurücknehmen; "
    "erstellen Sie vorher ein Archiv, wenn Sie unsicher sind.",
    "Deletes **{name}** (documents: {documents}, passages: {chunks}) for everybody who reads "
    "it. Finished reports keep their evidence. This cannot be undone; make an archive "
    "first if you are unsure.",
)
DELETE_NOW = Text("Endgültig löschen", "Delete for good")
DELETED = Text(
    "„{name}“ ist gelöscht (Dokumente: {documents}).",
    "“{name}” has been deleted (documents: {documents}).",
)

# Archives
ARCHIVE = Text("Archiv", "Archive")
ARCHIVE_WHY = Text(
    "Ein Archiv enthält die Originale, ihre Texte und alles, womit die Sammlung anderswo ohne "
    "erneutes Einlesen wiederhergestellt wird.",
    "An archive holds the originals, their texts and all that restores the collection elsewhere "
    "without ingesting again.",
)
EXPORT = Text("Archiv erstellen", "Make an archive")
EXPORTING = Text("Das Archiv wird geschrieben …", "Writing the archive …")
DOWNLOAD = Text("Archiv herunterladen ({size} MB)", "Download the archive ({size} MB)")
EXPORT_WITHOUT = Text(
    "Nicht enthalten, weil noch nicht fertig eingelesen: {names}",
    "Not included, since not ingested to the end: {names}",
)
RESTORE = Text("Aus Archiv wiederherstellen", "Restore from an archive")
RESTORE_FILE = Text("Archiv (ZIP)", "Archive (ZIP)")
RESTORE_AS = Text("Name (leer: wie im Archiv)", "Name (empty: as in the archive)")
RESTORE_NOW = Text("Wiederherstellen", "Restore")
NO_ARCHIVE = Text("Wählen Sie zuerst ein Archiv.", "Choose an archive first.")

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
WORK_FAILED = Text("{work}: nicht gelungen", "{work}: did not succeed")
RESTORED = Text(
    "„{name}“ ist wiederhergestellt (Dokumente: {documents}, Textstellen: {chunks}).",
    "“{name}” has been restored (documents: {documents}, passages: {chunks}).",
)
RESTORED_EMBEDDED = Text("Neu eingebettet: {embedded}.", "Embedded anew: {embedded}.")
REMOVED = Text("„{document}“ ist entfernt.", "“{document}” has been removed.")
HIDE = Text("Ausblenden", "Hide")

# Documents
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

# Search
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

# Health
NOT_CHECKED = Text(
    "Noch nicht geprüft. Die Prüfung vergleicht beide Verzeichnisse mit dem Bestand, sucht "
    "Stichproben und liest jedes Original.",
    "Not checked yet. The check compares both indexes with the catalog, searches samples and "
    "reads every original.",
)
CHECK = Text("Jetzt prüfen", "Check now")
CHECKED_AT = Text("geprüft {when}", "checked {when}")
HEALTHY = Text(
    "Alles in Ordnung: Alle Textstellen ({chunks}) sind auffindbar, alle Originale sind da.",
    "All is well: all passages ({chunks}) can be found, all originals are there.",
)
UNHEALTHY = Text("Es gibt etwas zu reparieren", "There is something to repair")
CANNOT_REPAIR = Text("Braucht ein neues Verzeichnis", "Needs a new index")
WRONG = {
    "missing_vectors": Text(
        "In der Suche nach Bedeutung fehlen Textstellen: {count}",
        "Passages that the search by meaning lacks: {count}",
    ),
    "missing_keywords": Text(
        "In der Suche nach Wörtern fehlen Textstellen: {count}",
        "Passages that the search by words lacks: {count}",
    ),
    "lost": Text(
        "Stichproben, die nicht wiedergefunden werden: {count}",
        "Samples that are not found again: {count}",
    ),
    "unfinished": Text("Nicht fertig eingelesen: {names}", "Not ingested to the end: {names}"),
    "lost_originals": Text(
        "Original fehlt oder ist verändert: {names}. Lesen Sie die Datei noch einmal ein.",
        "The original is missing or has changed: {names}. Ingest the file again.",
    ),
}
REPAIR = Text("Reparieren", "Repair")
REBUILD = Text("Neu verzeichnen", "Index anew")
REBUILD_WHY = Text(
    "Baut beide Verzeichnisse dieser Sammlung neu auf, mit dem jetzigen Einbettungsmodell. Die "
    "Texte werden nicht erneut gelesen. Bis es fertig ist, findet die Suche nicht alles.",
    "Builds both indexes of this collection anew, with the embedding model in use. The texts "
    "are not read again. Until it is done, the search does not find everything.",
)
JOBS = Text("Was eingelesen wurde", "What was ingested")
NO_JOBS = Text(
    "Hier haben Sie noch nichts eingelesen. Dateien fügen Sie unter „Dokumente“ hinzu.",
    "You have not ingested anything here yet. Add files under “Documents”.",
)
JOB_STATUS = {
    "running": Text("läuft", "running"),
    "done": Text("fertig", "done"),
    "failed": Text("gescheitert", "failed"),
    "interrupted": Text("unterbrochen, wird fortgesetzt", "interrupted, is taken up again"),
}
JOB_STARTED = Text("Beginn", "Started")
JOB_TOOK = Text("Dauer", "Took")
JOB_FILES = Text("Dateien", "Files")
JOB_FAILED = Text("nicht gelesen", "not read")
JOB_BY = Text("Von", "By")
JOB_ERROR = Text("Grund", "Reason")
NOT_READ_AT = Text("{count} nicht gelesen am {when}", "{count} not read on {when}")
