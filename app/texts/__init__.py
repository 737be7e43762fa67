"""Interface texts, German and English side by side. Answers follow the question's language.

Here is what several pages say; a page with many texts of its own has a module beside this one.
"""

from app.texts.base import Language, Text

__all__ = ["Language", "Text"]

# Navigation and what is always visible
RESEARCH = Text("Recherche", "Research")
LIBRARY = Text("Bibliothek", "Library")
RUNS = Text("Läufe", "Runs")
LANGUAGE = Text("Sprache", "Language")
MODEL = Text("Modell {name}", "Model {name}")
NO_MODEL_NEEDED = Text("ohne Sprachmodell, nur Zitate", "no language model, quotes only")
NO_MODEL = Text("kein Sprachmodell", "no language model")
LOADING_MODEL = Text("Das Sprachmodell wird geladen …", "Loading the language model …")
COLLECTIONS_SHORT = Text("{names} · Dokumente: {documents}", "{names} · documents: {documents}")
NO_DOCUMENTS_SHORT = Text("keine Dokumente", "no documents")
IDLE = Text("nichts läuft", "idle")
THIS_RESEARCH = Text("diese Recherche", "this research")
PAUSE = Text("Anhalten", "Pause")
CANCEL = Text("Abbrechen", "Cancel")
CANCEL_WHY = Text(
    "Beendet die Recherche. Der Bericht stützt sich dann auf das, was bis jetzt gefunden wurde; "
    "ohne Funde gibt es keinen. Das lässt sich nicht zurücknehmen.",
    "Ends the research. The report then rests on what was found so far; without findings there "
    "is none. This cannot be undone.",
)
CANCEL_NOW = Text("Endgültig abbrechen", "Cancel for good")
OPEN = Text("Öffnen", "Open")

# Errors and notices
SOMEBODY_WAS_FASTER = Text(
    "Diese Frage wurde schon beantwortet, hier oder in einem anderen Fenster. Die erste Antwort "
    "gilt; die Recherche geht damit weiter.",
    "This was answered already, here or in another window. The first answer counts; the "
    "research goes on with it.",
)
TRY_AGAIN = Text("Gerade nicht möglich", "Not possible right now")
ASK_PERSON = Text("So geht es nicht", "This does not work")
BROKEN = Text("Etwas ist defekt", "Something is broken")
UNKNOWN_THREAD = Text(
    "Diese Recherche gibt es nicht, oder sie gehört jemand anderem. Prüfen Sie die Adresse oder "
    "beginnen Sie eine neue.",
    "There is no such research, or it belongs to somebody else. Check the address or start anew.",
)

# New session
ASK_HEADING = Text("Was möchten Sie wissen?", "What do you want to know?")
ASK_SUB = Text(
    "Rabbithole sieht erst in Ihre Dokumente, fragt dann nach, legt einen Plan vor und belegt "
    "jeden Satz.",
    "Rabbithole looks into your documents first, then asks back, proposes a plan and proves "
    "every sentence.",
)
QUESTION = Text("Frage", "Question")
QUESTION_HINT = Text(
    "z. B. Welche Dosisgrenzwerte gelten für beruflich exponierte Personen unter 18 Jahren?",
    "e.g. Which dose limits apply to occupationally exposed persons under 18?",
)
IN_COLLECTIONS = Text("Sammlungen", "Collections")
ALL_COLLECTIONS = Text("alle", "all")
START = Text("Recherche starten", "Start research")
RECENT = Text("Zuletzt", "Recent")
NEW_SESSION = Text("Neue Recherche", "New research")
NO_DOCUMENTS = Text("Noch keine Dokumente", "No documents yet")
NO_DOCUMENTS_HOW = Text(
    "Rabbithole antwortet nur aus Ihren eigenen Dokumenten. Lesen Sie zum Ausprobieren das "
    "mitgelieferte Strahlenschutzgesetz ein (117 Seiten; das dauert ein bis einige Minuten), "
    "oder laden Sie in der Bibliothek eigene Dateien hoch.",
    "Rabbithole answers from your own documents only. To try it, ingest the German radiation "
    "protection act that ships with it (117 pages; this takes one to a few minutes), or upload "
    "files of your own in the library.",
)
INGEST_SAMPLE = Text("Beispielgesetz einlesen", "Ingest the sample law")
TO_LIBRARY = Text("Zur Bibliothek", "To the library")

# States of a run
STATUS = {
    "queued": Text("wartet auf Start", "queued"),
    "running": Text("läuft", "running"),
    "waiting": Text("wartet auf Sie", "waiting for you"),
    "paused": Text("angehalten", "paused"),
    "interrupted": Text("unterbrochen", "interrupted"),
    "done": Text("fertig", "done"),
    "cancelled": Text("abgebrochen", "cancelled"),
    "failed": Text("gescheitert", "failed"),
}
PAUSED_WHAT = Text(
    "Angehalten. Was gefunden wurde, ist gesichert; es geht an derselben Stelle weiter.",
    "Paused. What was found is kept; it goes on at the same place.",
)
INTERRUPTED_WHAT = Text(
    "Unterbrochen: Das Programm wurde während der Arbeit beendet. Was fertig war, ist gesichert; "
    "nur der letzte Schritt wird wiederholt.",
    "Interrupted: the program ended while it worked. What was finished is kept; only the last "
    "step is done again.",
)
FAILED_WHAT = Text(
    "Gescheitert. Was gefunden wurde, ist gesichert. Beheben Sie die Ursache und setzen Sie fort.",
    "Failed. What was found is kept. Remove the cause and continue.",
)
CANCELLED_EMPTY = Text(
    "Abgebrochen, bevor etwas gefunden war; es gibt keinen Bericht.",
    "Cancelled before anything was found; there is no report.",
)
CANCELLED_REPORT = Text(
    "Abgebrochen: Der Bericht stützt sich nur auf das, was bis dahin gefunden war.",
    "Cancelled: the report rests only on what was found until then.",
)
CONTINUE = Text("Fortsetzen", "Continue")
ANSWER_TAKEN = Text("Die Antwort ist angekommen.", "The answer has arrived.")
STUCK = Text(
    "Die Antwort ist gespeichert, aber die Recherche ging nicht weiter.",
    "The answer is stored, but the research did not go on.",
)

# Phases
PHASE = {
    "clarify": Text("Klären", "Clarify"),
    "plan": Text("Planen", "Plan"),
    "extract": Text("Belege sammeln", "Gather evidence"),
    "validate": Text("Bezug prüfen", "Check relevance"),
    "synthesize": Text("Schreiben", "Write"),
    "assess": Text("Güte prüfen", "Assess"),
    "attribute": Text("Quellen zuordnen", "Attribute"),
}
RUNNING_FOR = Text("läuft seit {duration}", "running for {duration}")
BEGINNING = Text("Die Recherche beginnt …", "The research begins …")
MODEL_COST = Text("{calls} Modellaufrufe, {tokens} Token", "{calls} model calls, {tokens} tokens")
ROUNDS_DONE = Text(
    "In den Dokumenten gesucht: {rounds} Mal, Abdeckung {coverage}",
    "Looked into the documents {rounds} times, coverage {coverage}",
)
ENDED_BECAUSE = {
    "user_end": Text("von Ihnen beendet", "ended by you"),
    "convergence": Text("weitere Fragen ändern nichts mehr", "further questions change nothing"),
    "nothing_to_clarify": Text("nichts zu klären", "nothing to clarify"),
    "max_iterations": Text("Höchstzahl der Runden erreicht", "limit of rounds reached"),
    "skipped": Text("übersprungen", "skipped"),
}
PLAN_OF = Text("{count} Aufgaben", "{count} tasks")
PLAN_UNCHANGED = Text("wie vorgeschlagen freigegeben", "approved as proposed")
TASK_OPEN = Text("sucht", "searching")
TASK_FOUND = Text("{evidence} Textstellen, {quotes} Zitate", "{evidence} passages, {quotes} quotes")
TASK_SO_FAR = Text("{evidence} Textstellen bisher", "{evidence} passages so far")
MORE = Text("und {count} weitere", "and {count} more")
KEPT_ALL = Text("Nichts verworfen.", "Nothing dropped.")
DROPPED_COUNT = Text("{count} verworfen", "{count} dropped")
WRITING = Text("Sätze werden gewählt und belegt.", "Sentences are chosen and proved.")
ASSESSING = Text("Der Entwurf wird bewertet.", "The draft is being assessed.")
ATTRIBUTING = Text("Jeder Satz erhält seine Quelle.", "Every sentence gets its source.")
COMES_NEXT = Text("Danach: {phases}", "Then: {phases}")
NOT_IN_CORPUS = Text("nicht in den Dokumenten", "not in the documents")

# Clarification
CONVERSATION = Text("Gespräch", "Conversation")
YOUR_ANSWER = Text("Ihre Antwort", "Your answer")
START_NOW = Text("Ohne Antwort weiter", "Go on without")
START_NOW_WHY = Text(
    "Beendet die Nachfragen (wie /end) und legt den Plan vor.",
    "Ends the questions (like /end) and proposes the plan.",
)
COVERAGE = Text("Abdeckung der Frage", "Coverage of the question")
GAPS = Text("Offene Lücken", "Open gaps")
NO_GAPS = Text("Keine Lücke erkannt.", "No gap seen.")
QUERIES = Text("Gesucht nach", "Searched for")
HITS = Text("Treffer", "Hits")
NEW_HITS = Text("neu", "new")
KNOWN_HITS = Text("schon bekannt", "known")
FOUND_SECTIONS = Text("Gefundene Stellen", "Sections found")
ROUND = Text("Runde", "Round")
HISTORY = Text("Verlauf der Suche", "Search history")
REPEATS = Text("Wiederholungen", "Repeats")

# Plan
PLAN_HEADING = Text("Plan zur Freigabe", "Plan for approval")
PLAN_SUB = Text(
    "Ändern, ordnen, streichen oder ergänzen Sie; gesucht wird erst nach der Freigabe.",
    "Edit, reorder, remove or add; the search starts when you approve.",
)
PLAN_GAPS = Text(
    "Bisher beantwortet nichts Gefundenes: {gaps}", "Nothing found so far answers: {gaps}"
)
TASK_N = Text("Aufgabe {number}", "Task {number}")
WHY = Text("Grund: {context}", "Why: {context}")
CHANGED_BY_YOU = Text("von Ihnen geändert", "changed by you")
ADDED_BY_YOU = Text("von Ihnen ergänzt", "added by you")
WAS_PROPOSED = Text("Vorschlag war: {task}", "Proposed: {task}")
REMOVED_BY_YOU = Text("Von Ihnen gestrichen", "Removed by you")
TAKE_BACK = Text("Zurücknehmen", "Take back")
MOVE_UP = Text("Nach oben", "Move up")
MOVE_DOWN = Text("Nach unten", "Move down")
REMOVE = Text("Streichen", "Remove")
ADD_TASK = Text("Aufgabe ergänzen", "Add a task")
NEW_TASK_HINT = Text("Was soll noch geklärt werden?", "What else should be found out?")
APPROVE = Text("Freigeben und suchen", "Approve and run")
PROPOSAL_COUNT = Text("Vorschlag: {count} Aufgaben", "Proposal: {count} tasks")
YOU_CHANGED = Text(
    "Sie: {edited} geändert, {removed} gestrichen, {added} ergänzt{moved}",
    "you: {edited} edited, {removed} removed, {added} added{moved}",
)
REORDERED = Text(", umgeordnet", ", reordered")
UNCHANGED = Text("unverändert", "unchanged")
RESET = Text("Vorschlag wiederherstellen", "Restore the proposal")

# Report
PAGE = Text("S. {page}", "p. {page}")
NOTHING_FOUND = Text(
    "In den Dokumenten wurde nichts gefunden, was die Frage beantwortet.",
    "Nothing was found in the documents that answers the question.",
)
NOT_FOUND = Text("Nicht in den Dokumenten gefunden", "Not found in the documents")
DEGRADED = Text("Mit Einschränkung entstanden ({count})", "Produced with limits ({count})")
DEGRADED_WHY = Text(
    "Hier half eine Regel statt des Sprachmodells, oder Sätze fielen weg, weil ihr Beleg fehlte.",
    "Here a rule stood in for the language model, or sentences were left out for lack of support.",
)
SOURCES = Text("Quellen", "Sources")
EVIDENCE = Text("Belege", "Evidence")
REFERENCES = Text("Verweise", "References")
DROPPED = Text("Verworfen", "Dropped")
QUALITY = Text("Güte", "Quality")
COST = Text("Aufwand", "Cost")
TIER = {
    1: Text("Stufe 1: beantwortet die Frage", "Tier 1: answers the question"),
    2: Text("Stufe 2: stützt", "Tier 2: supports"),
    3: Text("Stufe 3: Umfeld", "Tier 3: context"),
}
TIER_SHORT = Text("Stufe {tier}", "tier {tier}")
HOW_FOUND = {
    "vector_search": Text("Suche", "search"),
    "reference": Text("Verweis", "reference"),
    "hitl": Text("Klärung", "clarification"),
    "graph": Text("Wissensgraph", "knowledge graph"),
}
DOCUMENT = Text("Dokument", "Document")
SECTION = Text("Abschnitt", "Section")
SECTIONS = Text("Abschnitte", "Sections")
PAGES = Text("Seiten", "Pages")
PAGE_COLUMN = Text("Seite", "Page")
RELEVANCE = Text("Relevanz", "Relevance")
FOUND_BY = Text("Gefunden durch", "Found by")
TASK = Text("Aufgabe", "Task")
REASON = Text("Grund", "Reason")
FROM = Text("In", "In")
REFERENCE_TEXT = Text("Verweis", "Reference")
LEADS_TO = Text("Führt zu", "Leads to")
DEPTH = Text("Tiefe", "Depth")
NO_EVIDENCE = Text("Keine Belege.", "No evidence.")
NO_REFERENCES = Text("Keinem Verweis gefolgt.", "No reference followed.")
NO_DROPPED = Text("Nichts verworfen.", "Nothing dropped.")
NO_QUALITY = Text("Ohne Güteprüfung gelaufen.", "Run without a quality check.")
NO_ROUNDS = Text("Ohne Klärung gelaufen.", "Run without clarification.")
QUALITY_TOTAL = Text("Gesamt (von 400)", "Total (of 400)")
QUALITY_DIMENSION = {
    "factual_accuracy": Text("Sätze belegt", "Sentences supported"),
    "semantic_validity": Text("Frage abgedeckt", "Question covered"),
    "structural_integrity": Text("Teile gefüllt", "Parts filled"),
    "citation_correctness": Text("Zitate geprüft", "Citations verified"),
}
REVISED = Text("Einmal überarbeitet.", "Revised once.")
CALLS = Text("Modellaufrufe", "Model calls")
PROMPT_TOKENS = Text("Token hinein", "Prompt tokens")
OUTPUT_TOKENS = Text("Token heraus", "Output tokens")
FALLBACKS = Text("Durch Regel ersetzt", "Fell back to a rule")
PHASE_COLUMN = Text("Phase", "Phase")
SECONDS = Text("Sekunden", "Seconds")
TITLE = Text("Titel", "Title")
FINGERPRINT = Text("Prüfsumme (SHA-256)", "Checksum (SHA-256)")
THREAD = Text("Kennung", "Thread")
