"""Why a file was not read."""

from agent.messages.base import Message

MESSAGES = (
    Message(
        "file.named",
        "{document}: {reason}",
        "{document}: {reason}",
    ),
    Message(
        "file.unreachable",
        "There is no file or folder {path} that can be read.",
        "Eine lesbare Datei oder einen lesbaren Ordner {path} gibt es nicht.",
    ),
    Message(
        "file.empty-folder",
        "The folder {path} holds no file of the formats {formats}.",
        "Im Ordner {path} liegt keine Datei der Formate {formats}.",
    ),
    Message(
        "file.closed-folder",
        "the folder cannot be read ({cause}); change its permissions or move it",
        "Der Ordner ist nicht lesbar ({cause}). Ändern Sie seine Rechte, oder verschieben Sie ihn.",
    ),
    Message(
        "file.unprintable-name",
        "its name has characters that cannot be shown; rename it",
        "Der Name hat Zeichen, die sich nicht darstellen lassen. Benennen Sie die Datei um.",
    ),
    Message(
        "file.dead-link",
        "it is a link that leads nowhere; name the file itself",
        "Das ist eine Verknüpfung, die ins Leere führt. Wählen Sie die Datei selbst.",
    ),
    Message(
        "file.no-file",
        "it is no ordinary file; copy its content into one",
        "Das ist keine gewöhnliche Datei. Kopieren Sie den Inhalt in eine.",
    ),
    Message(
        "file.vanished",
        "it vanished while it was read; ingest it again if it is to be there",
        "Die Datei verschwand während des Lesens. Lesen Sie sie noch einmal ein, wenn es sie noch "
        "gibt.",
    ),
    Message(
        "file.forbidden",
        "this user may not read it; change its permissions",
        "Dieses Benutzerkonto darf die Datei nicht lesen. Ändern Sie ihre Rechte.",
    ),
    Message(
        "file.not-read-or-kept",
        "it could not be read or kept ({cause}); ingest it again",
        "Die Datei ließ sich nicht lesen oder aufbewahren ({cause}). Lesen Sie sie noch einmal "
        "ein.",
    ),
    Message(
        "file.unexpected",
        "an error of Rabbithole ({kind}: {cause}); report it",
        "Ein Fehler von Rabbithole ({kind}: {cause}). Melden Sie ihn.",
    ),
    Message(
        "file.no-graph",
        "{document} is not in the knowledge graph ({cause}); report it",
        "{document} steht nicht im Wissensgraphen ({cause}). Melden Sie das.",
    ),
    Message(
        "file.not-opened",
        "it cannot be opened ({cause}); look where it is, and ingest it again",
        "Die Datei lässt sich nicht öffnen ({cause}). Sehen Sie nach, wo sie liegt, und lesen Sie "
        "sie noch einmal ein.",
    ),
    Message(
        "file.changed",
        "it changed while it was read; ingest it again",
        "Die Datei änderte sich während des Lesens. Lesen Sie sie noch einmal ein.",
    ),
    Message(
        "file.empty",
        "the file is empty; check the export or download it again",
        "Die Datei ist leer. Prüfen Sie den Export, oder laden Sie sie noch einmal herunter.",
    ),
    Message(
        "file.no-text",
        "the file holds no text; there is nothing to ingest",
        "Die Datei enthält keinen Text, es gibt nichts einzulesen.",
    ),
    Message(
        "file.no-text-scan",
        "{document} holds no text. If it is a scan, run text recognition on it first.",
        "{document} enthält keinen Text. Ist es ein Scan, lassen Sie zuerst eine Texterkennung "
        "darüberlaufen.",
    ),
    Message(
        "file.too-long",
        "its text has {length} characters, more than the {most} that one document may have; split "
        "it",
        "Der Text hat {length} Zeichen, mehr als die {most}, die ein Dokument haben darf. Teilen "
        "Sie die Datei.",
    ),
    Message(
        "file.too-large",
        "it has more than {most} bytes; split it",
        "Die Datei hat mehr als {most} Byte. Teilen Sie sie.",
    ),
    Message(
        "file.binary",
        "the content is binary or in an unknown encoding, not text; save it as UTF-8 text, or give "
        "the file its real ending",
        "Der Inhalt ist binär oder in einer unbekannten Kodierung, kein Text. Speichern Sie ihn "
        "als UTF-8-Text, oder geben Sie der Datei ihre wirkliche Endung.",
    ),
    # Formats
    Message(
        "format.wrong-ending",
        "the name ends in {ending} but the content is {kind}; rename it to {name}",
        "Der Name endet auf {ending}, der Inhalt ist aber {kind}. Benennen Sie die Datei um in "
        "{name}.",
    ),
    Message(
        "format.unknown-ending",
        "the name has {ending} but the content is {kind}; rename it to {name}",
        "Die Endung ({ending}) sagt nicht, was die Datei ist: {kind}. Benennen Sie sie um in "
        "{name}.",
    ),
    Message(
        "format.unsupported",
        "files with {ending} are not supported; Rabbithole reads {formats}",
        "Dateien dieser Endung ({ending}) liest Rabbithole nicht, nur {formats}.",
    ),
    Message(
        "format.other-office",
        "it is {kind}; export it as PDF or .docx",
        "Das ist {kind}. Exportieren Sie den Inhalt als PDF oder .docx.",
    ),
    Message(
        "format.no-document",
        "it is {kind}, not a document; Rabbithole reads {formats}",
        "Das ist {kind}, kein Dokument. Rabbithole liest {formats}.",
    ),
    Message(
        "format.old-office",
        "it is an old Office file or a password-protected one; open it in Word or LibreOffice and "
        "save it as .docx without a password",
        "Das ist eine alte oder mit einem Kennwort geschützte Office-Datei. Öffnen Sie sie in Word "
        "oder LibreOffice, und speichern Sie sie ohne Kennwort als .docx.",
    ),
    Message(
        "format.web-page",
        "it is a web page (HTML); print it to a PDF in the browser. Rabbithole reads {formats}",
        "Das ist eine Webseite (HTML). Drucken Sie sie im Browser als PDF. Rabbithole liest "
        "{formats}.",
    ),
    # Word and PDF
    Message(
        "docx.damaged",
        "the Word document is damaged ({error}); export or download it again",
        "Das Word-Dokument ist beschädigt ({error}). Exportieren Sie es neu, oder laden Sie es "
        "noch einmal herunter.",
    ),
    Message(
        "docx.damaged-inside",
        "the Word document is damaged ({error}); open it in Word or LibreOffice and save it again",
        "Das Word-Dokument ist beschädigt ({error}). Öffnen Sie es in Word oder LibreOffice, und "
        "speichern Sie es noch einmal.",
    ),
    Message(
        "docx.entities",
        "the Word document defines XML entities, which no office program does; open it in Word or "
        "LibreOffice and save it again, if you trust it",
        "Das Word-Dokument definiert XML-Entitäten, was kein Büroprogramm tut. Öffnen Sie es in "
        "Word oder LibreOffice, und speichern Sie es noch einmal, wenn Sie ihm trauen.",
    ),
    Message(
        "docx.encrypted",
        "the Word document is encrypted; save a copy without a password and ingest that",
        "Das Word-Dokument ist verschlüsselt. Speichern Sie eine Kopie ohne Kennwort, und lesen "
        "Sie diese ein.",
    ),
    Message(
        "docx.too-large",
        "the Word document unpacks to {size} MB, more than the {most} that are read; take pictures "
        "out or split it, and save it again",
        "Das Word-Dokument ist ausgepackt {size} MB groß, gelesen werden höchstens {most}. Nehmen "
        "Sie Bilder heraus oder teilen Sie es, und speichern Sie es noch einmal.",
    ),
    Message(
        "pdf.no-text",
        "the PDF has no text layer (a scan?); run OCR first, for example with ocrmypdf",
        "Das PDF enthält keinen Text (ein Scan?). Lassen Sie zuerst eine Texterkennung "
        "darüberlaufen, zum Beispiel mit ocrmypdf.",
    ),
    Message(
        "pdf.damaged",
        "the PDF is damaged ({error}); export or download it again",
        "Das PDF ist beschädigt ({error}). Exportieren Sie es neu, oder laden Sie es noch einmal "
        "herunter.",
    ),
    Message(
        "pdf.encrypted",
        "the PDF is encrypted; save a copy without a password and ingest that",
        "Das PDF ist verschlüsselt. Speichern Sie eine Kopie ohne Kennwort, und lesen Sie diese "
        "ein.",
    ),
    # The process that reads
    Message(
        "parser.too-slow",
        "parsing took longer than {seconds} s; split the document, or raise "
        "RABBITHOLE_PARSE_TIMEOUT_S if you trust it",
        "Das Lesen dauerte länger als {seconds} s. Teilen Sie das Dokument, oder erhöhen Sie "
        "RABBITHOLE_PARSE_TIMEOUT_S, wenn Sie ihm trauen.",
    ),
    Message(
        "parser.out-of-memory",
        "the parser ran out of memory ({megabytes} MB) or crashed on this file; split the "
        "document, or raise RABBITHOLE_PARSE_MEMORY_MB if you trust it",
        "Dem Leseprogramm ging bei dieser Datei der Speicher aus ({megabytes} MB), oder es stürzte "
        "ab. Teilen Sie das Dokument, oder erhöhen Sie RABBITHOLE_PARSE_MEMORY_MB, wenn Sie ihm "
        "trauen.",
    ),
    Message(
        "parser.failed",
        "the parser failed on this file ({error}); save it again in another program, and please "
        "report this",
        "Das Leseprogramm scheiterte an dieser Datei ({error}). Speichern Sie sie mit einem "
        "anderen Programm noch einmal, und melden Sie das bitte.",
    ),
)
