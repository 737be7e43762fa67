"""Texts of a new session: its options, a first visit, a missing language model."""

from app.texts.base import Text

OPTIONS = Text("Optionen", "Options")
CLARIFY = Text("Vor dem Plan nachfragen", "Ask back before planning")
APPROVE_PLAN = Text("Plan zur Freigabe vorlegen", "Ask for approval of the plan")
QUALITY_CHECK = Text("Güte prüfen, bei Bedarf überarbeiten", "Check quality, revise if low")
QUALITY_WHY = Text(
    "Bewertet die Antwort und überarbeitet sie einmal, wenn sie schwach ist.",
    "Scores the answer and revises it once if it is weak.",
)
K_HITS = Text("Treffer je Suche", "Hits per search")
MAX_ROUNDS = Text("Fragerunden höchstens", "Question rounds at most")
PROFILE = Text("Profil", "Profile")
NO_PROFILE = Text("keines", "none")
MODEL_HOW = Text(
    "Welches Modell arbeitet, bestimmt RABBITHOLE_LLM beim Start des Programms.",
    "RABBITHOLE_LLM decides which model works when the program starts.",
)

# First visit
TRY_EXAMPLES = Text(
    "Zum Ausprobieren, ein Klick startet die Recherche im Strahlenschutzgesetz:",
    "To try it, one click starts research in the German radiation protection act:",
)
EXAMPLES = (
    Text(
        "Welche Dosisgrenzwerte gelten für beruflich exponierte Personen unter 18 Jahren, "
        "und welche Ausnahmen kann die Behörde zulassen?",
        "Welche Dosisgrenzwerte gelten für beruflich exponierte Personen unter 18 Jahren, "
        "und welche Ausnahmen kann die Behörde zulassen?",
    ),
    Text(
        "Wie wird ein Strahlenschutzbeauftragter bestellt, und wie ist er vor Kündigung geschützt?",
        "Wie wird ein Strahlenschutzbeauftragter bestellt, und wie ist er vor Kündigung geschützt?",
    ),
    Text(
        "Was muss der Verantwortliche tun, wenn die Radonkonzentration an einem Arbeitsplatz den "
        "Referenzwert überschreitet?",
        "Was muss der Verantwortliche tun, wenn die Radonkonzentration an einem Arbeitsplatz den "
        "Referenzwert überschreitet?",
    ),
)
"""German in both languages: the law is German, and an answer follows its question."""

# No language model
NO_MODEL_TITLE = Text("Es ist kein Sprachmodell da", "There is no language model")
NO_MODEL_WAYS = Text("So kommen Sie zu einem Sprachmodell", "How to get a language model")
WAY_EMBEDDED = Text(
    "**Eingebaut.** Ein kleines Modell als Paket (rund 1,1 GB), ohne weiteren Dienst. Danach "
    "Rabbithole neu starten.",
    "**Embedded.** A small model as a package (about 1.1 GB), without any other service. Restart "
    "Rabbithole afterwards.",
)
WAY_OLLAMA = Text(
    "**Ollama.** Größere Modelle auf diesem oder einem anderen Rechner. Ollama starten, das Modell "
    "holen, diese Seite neu laden. Für ein anderes Modell oder eine andere Adresse Rabbithole so "
    "starten:",
    "**Ollama.** Larger models on this or another machine. Start Ollama, pull the model, reload "
    "this page. For another model or another address start Rabbithole like this:",
)
WAY_SERVER = Text(
    "**Ein Server, der die Schnittstelle von OpenAI spricht**, etwa vLLM, llama.cpp oder "
    "LM Studio. Rabbithole so starten:",
    "**A server that speaks the interface of OpenAI**, such as vLLM, llama.cpp or LM Studio. "
    "Start Rabbithole like this:",
)
WAY_NONE = Text(
    "**Ganz ohne.** Der Bericht besteht dann nur aus geprüften Zitaten. Rabbithole so starten:",
    "**None at all.** The report then consists of verified quotes only. Start Rabbithole like "
    "this:",
)
