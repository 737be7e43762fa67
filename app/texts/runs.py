"""Texts of the runs page."""

from app.texts.base import Text

NO_RUNS = Text(
    "Noch keine Recherche. Stellen Sie auf der Seite Recherche eine Frage.",
    "No research yet. Ask a question on the Research page.",
)
ASK_ONE = Text("Frage stellen", "Ask a question")
FORKED = Text("Abzweigung", "fork")
ASK = Text("Schnelle Antwort", "quick answer")

# Columns
QUESTION = Text("Frage", "Question")
STATE = Text("Stand", "State")
PHASE = Text("Phase", "Phase")
STARTED = Text("Begonnen", "Started")
DURATION = Text("Dauer", "Duration")
TOKENS = Text("Token", "Tokens")
DURATION_WHY = Text(
    "Dauer ist die Zeit, in der gearbeitet wurde, ohne Warten auf Sie.",
    "Duration is the time spent working, without waiting for you.",
)

# Actions
ACTIONS = Text("Mehr", "More")
ACTION = {
    "open": Text("Öffnen", "Open"),
    "rename": Text("Umbenennen …", "Rename …"),
    "replay": Text("Verlauf ansehen", "Replay"),
    "fork": Text("Abzweigen …", "Fork …"),
    "export": Text("Exportieren …", "Export …"),
    "delete": Text("Löschen …", "Delete …"),
}
ABANDON = Text("Doch nicht", "Leave it")

RENAME = Text("Umbenennen", "Rename")
TITLE = Text("Titel", "Title")
TITLE_HINT = Text(
    "Ohne Titel steht hier die Frage.",
    "Without a title the question stands here.",
)
SAVE = Text("Speichern", "Save")

DELETE = Text("Recherche löschen?", "Delete this research?")
DELETE_WHY = Text(
    "Bericht, Verlauf und alle Zwischenstände gehen verloren. Das lässt sich nicht zurücknehmen; "
    "Ihre Dokumente und Abzweigungen dieser Recherche bleiben.",
    "Its report, its history and all its checkpoints are lost. This cannot be undone; your "
    "documents and forks of this research stay.",
)
DELETE_NOW = Text("Endgültig löschen", "Delete for good")
DELETE_RUNNING = Text(
    "Diese Recherche läuft gerade. Halten Sie sie an oder brechen Sie sie ab, dann lässt sie "
    "sich löschen.",
    "This research is running. Pause or cancel it first, then it can be deleted.",
)
DELETED = Text("Gelöscht: {title}", "Deleted: {title}")

NO_REPORT = Text(
    "Hier gibt es noch keinen Bericht und keine Antwort. Öffnen Sie den Lauf und bringen Sie ihn "
    "zu Ende, dann lässt er sich exportieren.",
    "There is no report and no answer yet. Open the run and bring it to its end, then it can be "
    "exported.",
)

FORK = Text("Ab einem früheren Stand neu fortsetzen", "Continue anew from an earlier point")
FORK_WHY = Text(
    "Es entsteht eine zweite Recherche, die dort weitergeht, wo Sie wählen. Diese hier bleibt, "
    "wie sie ist.",
    "This makes a second research that goes on where you choose. This one stays as it is.",
)
FORK_FROM = Text("Stand", "Point")
FORK_NOW = Text("Hier abzweigen", "Fork here")
NO_CHECKPOINTS = Text(
    "Diese Recherche hat noch keinen Stand, von dem aus sie fortgesetzt werden kann.",
    "This research has no point yet from which it could be continued.",
)
BEFORE = {
    "hitl_init": Text("von vorn", "from the start"),
    "hitl_generate_questions": Text("vor neuen Fragen", "before new questions"),
    "hitl_await_response": Text("vor Ihrer Antwort", "before your answer"),
    "generate_todo": Text("vor dem Planvorschlag", "before the proposal of a plan"),
    "hitl_approve_todo": Text("vor der Freigabe des Plans", "before the approval of the plan"),
    "execute_task": Text("nach der Freigabe", "after the approval"),
    "validate_relevance": Text("vor der Prüfung der Belege", "before evidence is checked"),
    "synthesize": Text("vor dem Schreiben", "before writing"),
    "quality_check": Text("vor der Güteprüfung", "before the assessment"),
    "attribute_sources": Text("vor den Quellenangaben", "before sources are attributed"),
}
FACT_ROUNDS = Text("in den Dokumenten gesucht: {count} Mal", "looks into the documents: {count}")
FACT_TASKS = Text("Aufgaben: {count}", "tasks: {count}")
FACT_EVIDENCE = Text("Textstellen: {count}", "passages: {count}")
FACT_DRAFTED = Text("Antwort geschrieben", "answer written")

# Replay
REPLAY_OF = Text("Verlauf", "Replay")
BACK = Text("Alle Läufe", "All runs")
EVENT_N = Text("Ereignis {number} von {count}", "Event {number} of {count}")
STEP_BACK = Text("Zurück", "Back")
STEP_ON = Text("Weiter", "Next")
NO_EVENTS = Text(
    "Diese Recherche hat noch nichts aufgezeichnet. Öffnen Sie sie, um sie fortzusetzen.",
    "This research has recorded nothing yet. Open it to continue it.",
)
WAS_HERE = Text("so weit war es", "this far it was")
EVENT = {
    "run_started": Text("Die Recherche beginnt", "The research begins"),
    "phase_started": Text("Schritt beginnt: {phase}", "Step begins: {phase}"),
    "phase_finished": Text("Schritt beendet: {phase}", "Step ends: {phase}"),
    "retrieval_iteration": Text("In den Dokumenten gesucht", "Looked into the documents"),
    "questions_asked": Text("Rückfragen gestellt", "Questions asked"),
    "answer_given": Text("Antwort erhalten", "Answer received"),
    "clarification_ended": Text("Klärung beendet", "Clarification ended"),
    "plan_proposed": Text("Plan vorgeschlagen", "Plan proposed"),
    "plan_approved": Text("Plan freigegeben", "Plan approved"),
    "task_started": Text("Aufgabe {task} beginnt", "Task {task} begins"),
    "evidence_found": Text("Textstelle gefunden (Aufgabe {task})", "Passage found (task {task})"),
    "reference_followed": Text("Verweis verfolgt (Aufgabe {task})", "Reference followed ({task})"),
    "task_finished": Text("Aufgabe {task} beendet", "Task {task} ends"),
    "evidence_dropped": Text("Textstelle verworfen", "Passage dropped"),
    "evidence_restored": Text("Textstelle wieder aufgenommen", "Passage restored"),
    "token_update": Text("Text geschrieben", "Text written"),
    "model_called": Text("Sprachmodell gefragt", "Language model asked"),
    "warned": Text("Hinweis", "Warning"),
    "waiting": Text("Wartet auf Sie", "Waits for you"),
    "run_finished": Text("Ende: {status}", "End: {status}"),
}
