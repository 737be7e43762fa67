"""What collections and documents say: names, rights, versions, sharing."""

from agent.messages.base import Message

MESSAGES = (
    Message(
        "collection.unknown",
        "There is no collection '{name}' that you can read. You can read: {names}.",
        "Eine Sammlung „{name}“ gibt es nicht, oder Sie dürfen sie nicht lesen. Lesen können Sie: "
        "{names}.",
    ),
    Message(
        "collection.unknown-id",
        "There is no collection with the id '{id}'.",
        "Eine Sammlung mit der Kennung {id} gibt es nicht.",
    ),
    Message(
        "collection.name",
        "A collection needs a name of 1 to {most} printable characters, not '{name}'.",
        "Eine Sammlung braucht einen Namen aus 1 bis {most} druckbaren Zeichen, nicht „{name}“.",
    ),
    Message(
        "collection.description",
        "A description has at most {most} printable characters and line breaks.",
        "Eine Beschreibung hat höchstens {most} druckbare Zeichen und Zeilenumbrüche.",
    ),
    Message(
        "collection.create-admin",
        "Only an admin can create an admin-owned collection.",
        "Nur die Administration kann eine zentral gepflegte Sammlung anlegen.",
    ),
    Message(
        "collection.make-admin",
        "Only an admin can make a collection admin-owned.",
        "Nur die Administration kann eine Sammlung zentral pflegen lassen.",
    ),
    Message(
        "collection.name-taken",
        "You already have a collection named '{name}'. Choose another name.",
        "Sie haben schon eine Sammlung namens „{name}“. Wählen Sie einen anderen Namen.",
    ),
    Message(
        "collection.name-taken-by-owner",
        "Its owner already has a collection named '{name}'. Choose another name.",
        "Wem sie gehört, hat schon eine Sammlung namens „{name}“. Wählen Sie einen anderen Namen.",
    ),
    Message(
        "collection.not-yours",
        "The collection '{name}' belongs to {owner}: only its owner or an admin may change it. "
        "Create one of your own for what you want to add.",
        "Die Sammlung „{name}“ gehört {owner}: Nur {owner} und die Administration dürfen sie "
        "ändern. Legen Sie für eigene Dokumente eine eigene an.",
    ),
    Message(
        "collection.admins-only",
        "Only an admin may change the collection '{name}'.",
        "Nur die Administration darf die Sammlung „{name}“ ändern.",
    ),
    Message(
        "collection.several",
        "{count} collections that you can read are named '{name}'. Say which by its id: {ids}.",
        "{count} Sammlungen, die Sie lesen können, heißen „{name}“. Nennen Sie die Kennung: {ids}.",
    ),
    Message(
        "collection.deleted-meanwhile",
        "The collection was deleted while {document} was indexed. Ingest into another one.",
        "Die Sammlung wurde gelöscht, während {document} verzeichnet wurde. Lesen Sie in eine "
        "andere ein.",
    ),
    # Documents
    Message(
        "document.unknown",
        "There is no document {document}… that you can read.",
        "Ein Dokument {document}… gibt es nicht, oder Sie dürfen es nicht lesen.",
    ),
    Message(
        "document.unknown-there",
        "There is no document '{document}' that you can read there. `rabbithole documents list` "
        "shows the names.",
        "Ein Dokument „{document}“ gibt es nicht, oder Sie dürfen es nicht lesen. Die "
        "Bibliothek zeigt die Namen.",
        "There is no document “{document}” that you can read there. The library shows the names.",
    ),
    Message(
        "document.not-held",
        "The catalog does not hold the document {document}….",
        "Das Dokument {document}… ist nicht im Bestand.",
    ),
    Message(
        "document.not-in-collection",
        "The document {document}… is not in the collection.",
        "Das Dokument {document}… ist nicht in der Sammlung.",
    ),
    Message(
        "document.no-text-held",
        "The catalog holds no text of the document {document}….",
        "Vom Dokument {document}… ist kein Text im Bestand.",
    ),
    Message(
        "document.several",
        "{count} documents are named '{name}'. Say which by id: {ids}.",
        "{count} Dokumente heißen „{name}“. Nennen Sie die Kennung: {ids}.",
    ),
    Message(
        "document.no-page",
        "The document has {pages} pages, and no page {page}.",
        "Das Dokument hat {pages} Seiten, eine Seite {page} gibt es nicht.",
    ),
    Message(
        "document.no-change",
        "Nothing to change: name a tag, a category, an author or a date.",
        "Nichts zu ändern: Nennen Sie ein Schlagwort, eine Kategorie, einen Verfasser oder ein "
        "Datum.",
    ),
    Message(
        "document.field-too-long",
        "A {field} can have up to {most} characters. Shorten it.",
        "{field} kann bis zu {most} Zeichen haben. Kürzen Sie die Angabe.",
    ),
    Message(
        "document.too-many-tags",
        "A document can have up to {most} tags. Name fewer.",
        "Ein Dokument kann bis zu {most} Schlagwörter haben. Nennen Sie weniger.",
    ),
    Message(
        "document.no-date",
        "'{text}' is no date. Write it as YYYY-MM-DD.",
        "„{text}“ ist kein Datum. Schreiben Sie es als JJJJ-MM-TT.",
    ),
    # Pages
    Message(
        "page.original-gone",
        "The kept file of the document {document}… is gone or has changed, so its pages cannot be "
        "shown. Ingest the same file again, or have `rabbithole doctor --repair` look for it.",
        "Die aufbewahrte Datei des Dokuments {document}… fehlt oder ist verändert, deshalb lassen "
        "sich ihre Seiten nicht zeigen. Lesen Sie dieselbe Datei noch einmal ein, oder lassen Sie "
        "in der Bibliothek die Sammlung reparieren.",
        "The kept file of the document {document}… is gone or has changed, so its pages cannot be "
        "shown. Ingest the same file again, or have the library repair the collection.",
    ),
    Message(
        "page.given-up",
        "Page {page} {reason}",
        "Seite {page} {reason}.",
        "Page {page} {reason}.",
    ),
    Message(
        "page.too-slow",
        "took longer than {seconds} s to draw and was given up; open the file in another program "
        "to see it.",
        "brauchte länger als {seconds} s zum Zeichnen und wurde aufgegeben; öffnen Sie die Datei "
        "in einem anderen Programm.",
    ),
    Message(
        "page.too-large",
        "needs more than {megabytes} MB to draw, or PDFium crashed on it; raise "
        "RABBITHOLE_PARSE_MEMORY_MB if you trust the file.",
        "braucht mehr als {megabytes} MB zum Zeichnen, oder PDFium ist daran gescheitert; erhöhen "
        "Sie RABBITHOLE_PARSE_MEMORY_MB, wenn Sie der Datei trauen.",
    ),
    Message(
        "page.not-shown",
        "Page {page} cannot be shown: {reason}. Its text is not affected.",
        "Seite {page} lässt sich nicht zeigen: {reason}. Ihr Text ist davon nicht betroffen.",
    ),
    Message(
        "page.not-drawn",
        "the PDF cannot be drawn ({error})",
        "das PDF lässt sich nicht zeichnen ({error})",
    ),
    Message(
        "page.none",
        "it has {pages} pages, and no page {page}",
        "die Datei hat {pages} Seiten, eine Seite {page} gibt es nicht",
    ),
    # Indexes
    Message(
        "index.other-model",
        "The collection '{name}' was indexed with the embedding model {indexed}, but {now} is set. "
        "Set RABBITHOLE_EMBEDDING back, or index anew: ingest the same files with `rabbithole "
        "ingest PATH... --collection NAME` and a new collection name.",
        "Die Sammlung „{name}“ ist mit dem Einbettungsmodell {indexed} verzeichnet, eingestellt "
        "ist aber {now}. Setzen Sie RABBITHOLE_EMBEDDING zurück, oder lassen Sie die Sammlung in "
        "der Bibliothek neu verzeichnen.",
        "The collection “{name}” was indexed with the embedding model {indexed}, but {now} is set. "
        "Set RABBITHOLE_EMBEDDING back, or have the library index the collection anew.",
    ),
    Message(
        "index.other-model-search",
        "The collection {name} was indexed with the embedding model {indexed}, but {now} is set. "
        "Set RABBITHOLE_EMBEDDING back, or ingest its documents into a new collection.",
        "Die Sammlung {name} ist mit dem Einbettungsmodell {indexed} verzeichnet, eingestellt ist "
        "aber {now}. Setzen Sie RABBITHOLE_EMBEDDING zurück, oder lassen Sie die Sammlung in der "
        "Bibliothek neu verzeichnen.",
        "The collection {name} was indexed with the embedding model {indexed}, but {now} is set. "
        "Set RABBITHOLE_EMBEDDING back, or have the library index the collection anew.",
    ),
    Message(
        "index.vectors-unfit",
        "The vectors do not fit the collection {collection}: {error}. It was indexed with another "
        "embedding model: set RABBITHOLE_EMBEDDING back to that model, or ingest the documents "
        "into a new collection.",
        "Die Vektoren passen nicht zur Sammlung {collection}: {error}. Sie wurde mit einem anderen "
        "Einbettungsmodell verzeichnet: Setzen Sie RABBITHOLE_EMBEDDING darauf zurück, oder lassen "
        "Sie die Sammlung in der Bibliothek neu verzeichnen.",
        "The vectors do not fit the collection {collection}: {error}. It was indexed with another "
        "embedding model: set RABBITHOLE_EMBEDDING back to that model, or have the library index "
        "the collection anew.",
    ),
    Message(
        "index.keywords-broken",
        "The keyword index in {folder} cannot be opened: {error}. Delete that folder and run "
        "`rabbithole doctor --repair` to build it again from the catalog.",
        "Das Verzeichnis der Wörter in {folder} lässt sich nicht öffnen: {error}. Löschen Sie "
        "diesen Ordner und lassen Sie die Sammlung in der Bibliothek neu verzeichnen.",
        "The keyword index in {folder} cannot be opened: {error}. Delete that folder and have the "
        "library index the collection anew.",
    ),
    Message(
        "index.keywords-busy",
        "Another process is writing the keyword index of {collection}. Wait until it has finished "
        "and try again. ({error})",
        "Ein anderer Prozess schreibt gerade das Verzeichnis der Wörter von {collection}. Warten "
        "Sie, bis er fertig ist, und versuchen Sie es noch einmal. ({error})",
    ),
)
