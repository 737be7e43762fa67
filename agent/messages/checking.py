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
)
