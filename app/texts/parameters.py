"""Texts of parameters and profiles on the settings page."""

from app.texts.base import Text

# Parameters
APPLIES_TO = Text("Werte anzeigen für", "Show values for")
EVERYBODY = Text("alle, ohne Profil", "everybody, without a profile")
TIERS_WHAT = Text(
    "Ein gesperrter Wert gilt überall. Sonst zählt der Wert des Profils, dann der globale, dann "
    "die Vorgabe. Änderungen gelten sofort.",
    "A locked value holds everywhere. Otherwise that of the profile counts, then the global one, "
    "then the default. Changes take effect at once.",
)
ADMINS_ONLY = Text(
    "Globale Werte und Sperren setzt nur die Administration (RABBITHOLE_ADMINS nennt sie). Für "
    "sich selbst können Sie ein Profil anlegen.",
    "Only admins set global values and locks (RABBITHOLE_ADMINS names them). For yourself you can "
    "make a profile.",
)
ORIGIN = {
    "default": Text("Vorgabe", "default"),
    "global": Text("global gesetzt", "set globally"),
    "profile": Text("im Profil gesetzt", "set in the profile"),
    "locked": Text("gesperrt", "locked"),
}
BOUNDS = Text("{minimum} bis {maximum}", "{minimum} to {maximum}")
LOCK = Text("Für alle sperren", "Lock for everybody")
UNLOCK = Text("Sperre aufheben", "Unlock")
UNSET = Text("Wert zurücknehmen", "Take the value back")
NAMES = {
    "enabled": Text("Profil eingeschaltet", "Profile switched on"),
    "collections": Text("Sammlungen", "Collections"),
    "maxDocs": Text("Textstellen je Suche", "Passages a search"),
    "minRelevanceScore": Text("Mindestrelevanz", "Least relevance"),
    "maxTokens": Text("Token für Textstellen", "Tokens for passages"),
    "maxChunksPerDocument": Text("Textstellen je Dokument", "Passages a document"),
    "freshnessWeight": Text("Gewicht der Aktualität", "Weight of freshness"),
    "freshnessDecayRate": Text("Alterung je Tag", "Ageing a day"),
    "reranking": Text("Zweiter Blick", "Second look"),
    "synthesisPromptOverride": Text("Eigene Schreibanweisung", "Writing instruction of your own"),
    "fastThreshold": Text("Schwelle für mehr Tiefe", "Threshold for more depth"),
    "agentThreshold": Text("Schwelle für den Agenten", "Threshold for the agent"),
    "adaptiveThresholds": Text("Schwellen lernen mit", "Thresholds learn"),
    "answerCache": Text("Antworten merken", "Remember answers"),
}
WHAT = {
    "enabled": Text(
        "Ein ausgeschaltetes Profil beantwortet keine Anfrage.",
        "A profile that is switched off serves no request.",
    ),
    "collections": Text(
        "Worin gesucht wird, wenn eine Anfrage nichts nennt; leer: in allen.",
        "What is searched when a request names nothing; empty: all.",
    ),
    "maxDocs": Text("Wie viele Treffer eine Suche liefert.", "How many hits a search returns."),
    "minRelevanceScore": Text("Treffer darunter entfallen.", "Hits below are left out."),
    "maxTokens": Text(
        "Wie viel Text das Sprachmodell für einen Teil der Antwort bekommt.",
        "How much text the language model is given for one part of an answer.",
    ),
    "maxChunksPerDocument": Text(
        "Höchstens so viele Treffer aus einem Dokument; 0: beliebig viele.",
        "At most this many hits of one document; 0: any number.",
    ),
    "freshnessWeight": Text(
        "Wie stark jüngere Dokumente vorgezogen werden; 0: gar nicht.",
        "How much newer documents are preferred; 0: not at all.",
    ),
    "freshnessDecayRate": Text(
        "Wie schnell ein Dokument als veraltet zählt.",
        "How fast a document counts as dated.",
    ),
    "reranking": Text(
        "Ordnet die besten Treffer neu: genauer, aber langsamer.",
        "Orders the best hits anew: more exact, but slower.",
    ),
    "synthesisPromptOverride": Text(
        "Ersetzt die Anweisung, nach der die Antwort geschrieben wird; leer: die mitgelieferte. "
        "Geprüft wird die Antwort wie immer.",
        "Replaces the instruction by which the answer is written; empty: the one supplied. The "
        "answer is checked as always.",
    ),
    "fastThreshold": Text(
        "Fragen unter dieser Schwierigkeit werden schnell beantwortet, alle anderen gründlicher.",
        "Questions below this difficulty are answered fast, all others more thoroughly.",
    ),
    "agentThreshold": Text(
        "Ab dieser Schwierigkeit sucht der Agent Schritt für Schritt.",
        "From this difficulty on the agent searches step by step.",
    ),
    "adaptiveThresholds": Text(
        "Bewertungen verschieben die Schwellen einer Sammlung um höchstens 0,10.",
        "Votes move the thresholds of a collection by 0.10 at most.",
    ),
    "answerCache": Text(
        "Beantwortet dieselbe Frage aus dem Gedächtnis, solange sich nichts geändert hat.",
        "Answers the same question from memory as long as nothing has changed.",
    ),
}
RERANKING = {
    "none": Text("keiner", "none"),
    "sentences": Text("nach dem besten Satz", "by the best sentence"),
    "llm": Text("durch das Sprachmodell", "by the language model"),
    "cross-encoder": Text("durch einen Cross-Encoder", "by a cross-encoder"),
}
AS_IN_PROFILE = Text("wie im Profil", "as in the profile")
RERANKING_OF = Text("Zweiter Blick in {collection}", "Second look in {collection}")

# Profiles
NEW_PROFILE = Text("Neues Profil", "New profile")
PROFILE_NAME = Text("Name des Profils", "Name of the profile")
PROFILE_HINT = Text("z. B. Gründlich", "e.g. thorough")
CREATE_PROFILE = Text("Profil anlegen", "Create profile")
NO_PROFILES = Text(
    "Sie haben noch kein Profil. Ein Profil fasst Werte unter einem Namen zusammen; eine Suche "
    "nennt ihn: rabbithole search … --profile NAME.",
    "You have no profile yet. A profile holds values under a name; a search names it: "
    "rabbithole search … --profile NAME.",
)
USUAL = Text("Mein übliches Profil", "My usual profile")
USUAL_WHY = Text(
    "Neue Recherchen und Suchen in der App beginnen mit diesem Profil; dort lässt sich jedes Mal "
    "ein anderes wählen.",
    "New researches and searches in the app begin with this profile; there another one can be "
    "chosen each time.",
)
DELETE_PROFILE = Text("Profil löschen", "Delete profile")
DELETE_PROFILE_WHY = Text(
    "Löscht das Profil „{name}“ mit allen seinen Werten. Das lässt sich nicht zurücknehmen.",
    "Deletes the profile “{name}” with all its values. This cannot be undone.",
)
DELETE_NOW = Text("Endgültig löschen", "Delete for good")
