"""Texts of the settings page."""

from app.texts.base import Text

SETTINGS = Text("Einstellungen", "Settings")
SECTION = Text("Bereich", "Section")
SECTIONS = {
    "models": Text("Modelle", "Models"),
    "parameters": Text("Suche und Profile", "Search and profiles"),
    "appearance": Text("Sprache und Farben", "Language and colours"),
    "program": Text("Programm", "Program"),
}

# Language and colours
LANGUAGE_WHAT = Text(
    "Bleibt gespeichert; ohne Wahl zählt die Sprache des Browsers. Antworten kommen in der Sprache "
    "der Frage.",
    "Is kept; without a choice the browser's language counts. Answers come in the language of the "
    "question.",
)
LANGUAGES = {"de": Text("Deutsch", "Deutsch"), "en": Text("English", "English")}
COLOURS = Text("Farben", "Colours")
COLOURS_HOW = Text(
    "Hell oder dunkel folgt der Einstellung Ihres Systems. Fest wählen Sie es oben rechts im Menü "
    ":material/more_vert: mit „Light“ oder „Dark“; „System“ folgt wieder. Der Browser merkt "
    "es sich.",
    "Light or dark follows the setting of your system. Fix it in the menu :material/more_vert: at "
    "the top right with “Light” or “Dark”; “System” follows again. The browser remembers it.",
)

# Program
CACHE = Text("Gemerkte Suchen", "Remembered searches")
CACHE_WHAT = Text(
    "Dieselbe Suche wird fünf Minuten lang aus dem Gedächtnis beantwortet, solange sich an den "
    "Dokumenten nichts ändert.",
    "The same search is answered from memory for five minutes while the documents stay the same.",
)
CACHE_COUNTS = Text(
    "{size} gemerkt · {hits} aus dem Gedächtnis · {misses} neu gesucht · {rate} % gespart",
    "{size} remembered · {hits} from memory · {misses} searched anew · {rate} % saved",
)
CLEAR_CACHE = Text("Gedächtnis leeren", "Empty the memory")
WHO = Text("Wer Sie sind", "Who you are")
WHO_IS = Text("Sie arbeiten als **{user}**. {role}", "You work as **{user}**. {role}")
ROLE = {
    "admin": Text(
        "Sie sind Administration: Sie sehen und ändern auch, was anderen gehört.",
        "You are an administrator: you also see and change what belongs to others.",
    ),
    "named": Text(
        "Sie setzen globale Werte und Sperren; sonst sehen Sie nur, was Ihnen gehört oder "
        "freigegeben ist.",
        "You set global values and locks; otherwise you see only what is yours or shared.",
    ),
    "user": Text(
        "Sie sehen, was Ihnen gehört oder freigegeben ist.",
        "You see what is yours or shared.",
    ),
}
WHO_HOW = Text(
    "Der Start bestimmt es: rabbithole serve --user NAME, mit --admin als Administration. "
    "Globale Werte und Sperren setzen alle, die RABBITHOLE_ADMINS nennt.",
    "The start decides it: rabbithole serve --user NAME, with --admin for an administrator. Global "
    "values and locks are set by all whom RABBITHOLE_ADMINS names.",
)
DATA = Text("Daten", "Data")
DATA_WHERE = Text(
    "Alles liegt auf diesem Rechner unter {home}", "Everything lies on this machine in {home}"
)
EXIT = Text("Rabbithole beenden", "Exit Rabbithole")
EXIT_WHAT = Text(
    "Hält laufende Recherchen an und beendet den Server, für alle Fenster. Nichts geht verloren: "
    "Nach dem nächsten Start gehen sie mit „Fortsetzen“ an derselben Stelle weiter.",
    "Pauses running researches and ends the server, for all windows. Nothing is lost: after the "
    "next start they go on at the same place with “Continue”.",
)
EXIT_RUNNING = Text("Gerade laufen: {count}", "Running now: {count}")
EXIT_NOW = Text("Jetzt beenden", "Exit now")
EXIT_ADMINS = Text(
    "Nur die Administration beendet den Server (RABBITHOLE_ADMINS nennt sie).",
    "Only admins end the server (RABBITHOLE_ADMINS names them).",
)
EXITED = Text("Rabbithole ist beendet.", "Rabbithole has ended.")
EXITED_HOW = Text(
    "Sie können dieses Fenster schließen. Neu starten: rabbithole serve",
    "You can close this window. Start again: rabbithole serve",
)
