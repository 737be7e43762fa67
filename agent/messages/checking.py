"""Checking a report against its documents, and a trace against a run."""

from agent.messages.base import Message

MESSAGES = (
    Message(
        "verify.no-folder",
        "There is no folder {folder}. Name the one with the documents.",
        "Den Ordner {folder} gibt es nicht. Nennen Sie den mit den Dokumenten.",
    ),
    Message(
        "verify.too-large",
        "{file} is larger than {size} MB, which no report is. Name the JSON file of a report.",
        "{file} ist größer als {size} MB, das ist kein Bericht. Nennen Sie die JSON-Datei eines "
        "Berichts.",
    ),
    Message(
        "verify.unreadable",
        "{file} cannot be read: {cause}. Name the JSON file of a report.",
        "{file} ist nicht lesbar ({cause}). Nennen Sie die JSON-Datei eines Berichts.",
    ),
    Message(
        "verify.no-json",
        "{file} is no JSON. Make a report that can be checked with "
        "`rabbithole export THREAD --format json -o report.json`.",
        "{file} ist kein JSON. Einen prüfbaren Bericht schreibt "
        "`rabbithole export THREAD --format json -o report.json`.",
    ),
    Message(
        "verify.no-report",
        "{file} is no report: it has neither sentences nor sources. Take the JSON of "
        "`rabbithole export THREAD --format json`, of `ask --json`, or a trace.",
        "{file} ist kein Bericht, denn Sätze und Quellen fehlen. Nehmen Sie das JSON von "
        "`rabbithole export THREAD --format json` oder `ask --json`, oder eine Aufzeichnung.",
    ),
    Message(
        "verify.broken-report",
        "{file} is no whole report: {place}: {problem}. Export it again.",
        "{file} ist kein vollständiger Bericht, der Fehler steht bei {place}: {problem}. "
        "Exportieren Sie ihn noch einmal.",
    ),
    Message(
        "trace.unreadable",
        "{file} cannot be read: {cause}. Name the file of a trace.",
        "{file} ist nicht lesbar ({cause}). Nennen Sie die Datei einer Aufzeichnung.",
    ),
    Message(
        "trace.not-one",
        "{file} is no trace that this version can read. Make one with "
        "`rabbithole trace export THREAD -o trace.json`.",
        "{file} ist keine Aufzeichnung, die diese Version lesen kann. Eine neue schreibt "
        "`rabbithole trace export THREAD -o trace.json`.",
    ),
    Message(
        "trace.no-report",
        "Thread {thread} has no finished report to replay, it is {status}. Bring it to its end "
        "with `rabbithole resume {same}`.",
        "{thread} hat keinen fertigen Bericht zum Wiederholen, der Stand: {status}. Bringen Sie "
        "den Lauf mit `rabbithole resume {same}` zu Ende.",
    ),
    Message(
        "trace.restored",
        "In the run {thread} dropped evidence was restored by hand, which cannot be replayed. "
        "Fork it before that, and trace the fork.",
        "In {thread} wurden verworfene Belege von Hand zurückgeholt, das lässt sich nicht "
        "wiederholen. Zweigen Sie davor ab, und zeichnen Sie die Abzweigung auf.",
    ),
    Message(
        "trace.no-reply",
        "The trace has no reply to this prompt of the task {task}: the documents, the settings "
        "or the version are others than those of the run. Replay it in the home that it was made "
        "in.",
        "Die Aufzeichnung hat keine Antwort auf diese Anfrage der Aufgabe {task}: Dokumente, "
        "Einstellungen oder Version sind andere als damals. Wiederholen Sie sie dort, wo sie "
        "entstand.",
    ),
)
