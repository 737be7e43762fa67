"""Words of the engine that are filled into its sentences, by the name of the value."""

from collections.abc import Mapping
from typing import NamedTuple


class Term(NamedTuple):
    """A word for people."""

    de: str
    en: str


_LANGUAGES = {
    "German": "Deutsch",
    "English": "Englisch",
    "French": "Französisch",
    "Spanish": "Spanisch",
    "Italian": "Italienisch",
    "Dutch": "Niederländisch",
    "Portuguese": "Portugiesisch",
}
_KINDS = {
    "a PDF": "ein PDF",
    "a Word document": "ein Word-Dokument",
    "plain text": "reiner Text",
    "a PNG image": "ein PNG-Bild",
    "a JPEG image": "ein JPEG-Bild",
    "a GIF image": "ein GIF-Bild",
    "a TIFF image": "ein TIFF-Bild",
    "a gzip archive": "ein gzip-Archiv",
    "a 7-Zip archive": "ein 7-Zip-Archiv",
    "a program": "ein Programm",
    "a rich text file (RTF)": "eine RTF-Datei",
    "an Excel workbook": "eine Excel-Arbeitsmappe",
    "a PowerPoint presentation": "eine PowerPoint-Präsentation",
    "an OpenDocument or EPUB file": "eine OpenDocument- oder EPUB-Datei",
    "a ZIP archive": "ein ZIP-Archiv",
}
_STATUS = {
    "queued": "wartet auf den Start",
    "running": "läuft",
    "waiting": "wartet auf Sie",
    "paused": "ist angehalten",
    "interrupted": "ist unterbrochen",
    "failed": "ist gescheitert",
}
_NOBODY = {"none": "niemand"}
_NOTHING = {
    "none yet": "noch keine",
    "none so far": "noch keine",
    "none yet; ingest something first": "noch keine, lesen Sie zuerst etwas ein",
}
_FIELDS = {"tag": "Ein Schlagwort", "category": "Eine Kategorie", "author": "Ein Verfasser"}
_CAUSES = {
    "No such file or directory": "Datei oder Ordner gibt es nicht",
    "Permission denied": "keine Berechtigung",
    "No space left on device": "kein Platz mehr auf dem Datenträger",
    "Read-only file system": "der Datenträger ist schreibgeschützt",
    "Input/output error": "Ein- oder Ausgabefehler",
    "Is a directory": "das ist ein Ordner",
    "File name too long": "der Dateiname ist zu lang",
    "Too many open files": "zu viele offene Dateien",
    "database or disk is full": "der Datenträger ist voll",
    "attempt to write a readonly database": "die Datenbank ist schreibgeschützt",
    "unable to open database file": "die Datenbank lässt sich nicht öffnen",
    "disk I/O error": "Ein- oder Ausgabefehler",
    "a row is malformed": "eine Zeile ist fehlerhaft",
}
_ACTS = {
    "set global values; name a profile of your own": (
        "globale Werte setzen; für sich können Sie ein Profil anlegen"
    ),
    "unset global values": "globale Werte zurücknehmen",
    "lock and unlock parameters": "Werte sperren und freigeben",
}
_RERANKERS = {
    "sentences": "nach dem besten Satz",
    "llm": "durch das Sprachmodell",
    "cross-encoder": "durch den Cross-Encoder",
}
_WAYS = {
    "start Ollama with `ollama serve`": "starten Sie Ollama mit `ollama serve`",
    "start Ollama with `ollama serve`, or set RABBITHOLE_EMBEDDING to another embedder": (
        "starten Sie Ollama mit `ollama serve`, oder nennen Sie in RABBITHOLE_EMBEDDING ein "
        "anderes Einbettungsmodell"
    ),
    "start the server or change RABBITHOLE_OPENAI_URL": (
        "starten Sie den Server, oder ändern Sie RABBITHOLE_OPENAI_URL"
    ),
    "its process ended, the next call starts it again": (
        "sein Prozess ist zu Ende, der nächste Aufruf startet ihn wieder"
    ),
}

_ERRORS = {
    "Failed to load document (PDFium: Data format error)": "kein gültiger Aufbau",
    "Failed to load document (PDFium: File access error)": "nicht lesbar",
    "Failed to load document (PDFium: Page error)": "eine Seite ist fehlerhaft",
    "File is not a zip file": "kein gültiges ZIP-Archiv",
}

TERMS: Mapping[str, Mapping[str, Term]] = {
    name: {en: Term(de, en) for en, de in words.items()}
    for name, words in {
        "tongue": _LANGUAGES,
        "other": _LANGUAGES,
        "kind": _KINDS,
        "status": _STATUS,
        "admins": _NOBODY,
        "names": _NOTHING,
        "models": _NOTHING,
        "field": _FIELDS,
        "cause": _CAUSES,
        "error": _ERRORS,
        "act": _ACTS,
        "reranker": _RERANKERS,
        "way": _WAYS,
        "ending": {"no ending": "keine"},
        "how": {"an error in its stream": "einem Fehler im Datenstrom"},
    }.items()
} | {
    "step": {
        "search_queries": Term("Suchanfragen bilden", "Form queries"),
        "analyze_retrieval": Term("Funde bewerten", "Judge what was found"),
        "clarifying_questions": Term("Rückfragen stellen", "Ask back"),
        "plan": Term("Planen", "Plan"),
        "extract": Term("Zitate wählen", "Choose quotes"),
        "write": Term("Schreiben", "Write"),
        "lead": Term("Erster Teil der Antwort", "First part of the answer"),
    }
}
