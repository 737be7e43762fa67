"""Texts of the health of a collection."""

from app.texts.base import Text

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
