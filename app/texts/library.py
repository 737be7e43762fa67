"""Texts of the library page: collections and what is done with a whole one."""

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
