"""Texts of the page for quick answers."""

from app.texts.base import Text

ASK = Text("Fragen", "Ask")
HEADING = Text("Kurz gefragt", "A quick question")
SUB = Text(
    "Eine Antwort in Sekunden, jeder Satz mit seiner Stelle im Dokument. Für Fragen, die mehr "
    "verdienen, gibt es die Recherche.",
    "An answer in seconds, each sentence with its place in the document. Questions that deserve "
    "more have research.",
)
YOUR_QUESTION = Text("Frage an Ihre Dokumente", "A question to your documents")
FOLLOW_UP = Text("Nachfragen, z. B. „und für Jugendliche?“", "Ask on, e.g. “and for minors?”")
NEW = Text("Neues Gespräch", "New conversation")
RECENT = Text("Frühere Gespräche", "Earlier conversations")
UNKNOWN = Text(
    "Dieses Gespräch gibt es nicht, oder es gehört jemand anderem.",
    "There is no such conversation, or it belongs to somebody else.",
)

THIS_QUESTION = Text("diese Frage", "this question")

TRY = Text(
    "Zum Ausprobieren, ein Klick fragt das Strahlenschutzgesetz:",
    "To try it, one click asks the German radiation protection act:",
)
EXAMPLES = tuple(
    Text(question, question)
    for question in (
        "Welcher Grenzwert gilt für die Augenlinse beruflich exponierter Personen?",
        "Wie lange muss die Dosis eines Beschäftigten aufbewahrt werden?",
        "In wie vielen Paragraphen kommt das Wort Radon vor?",
    )
)
"""German in both languages, as the law is."""

PERHAPS = Text("keine sichere Antwort", "no certain answer")

# How deep
DEPTH = Text("Tiefe", "Depth")
DEPTHS = {
    "auto": Text("automatisch", "automatic"),
    "fast": Text("schnell", "fast"),
    "enhanced": Text("erweitert", "enhanced"),
    "structured": Text("gegliedert", "structured"),
    "agent": Text("Agent", "agent"),
}
DEPTH_WHY = Text(
    "Automatisch richtet sich die Tiefe nach der Frage. Erweitert sucht eineinhalbmal so viele "
    "Textstellen. Gegliedert stellt fest, welche Angaben die Antwort braucht, sucht jede "
    "einzeln und sagt, was fehlt. Der Agent denkt und sucht Schritt für Schritt; das dauert länger "
    "und braucht ein Sprachmodell.",
    "Automatic depth follows the question. Enhanced looks for one and a half times as many "
    "passages. Structured works out what the answer needs, looks for each piece and says what is "
    "missing. The agent thinks and searches step by step, which takes longer and needs a language "
    "model.",
)
TYPES = {
    "factual": Text("Faktenfrage", "factual"),
    "relational": Text("Frage nach Zusammenhängen", "relational"),
    "comparative": Text("Vergleich", "comparison"),
    "exploratory": Text("Überblick", "overview"),
    "procedural": Text("Frage nach dem Vorgehen", "how-to"),
    "analytical": Text("Frage nach Gründen oder Folgen", "analysis"),
    "unknown": Text("Art unklar", "kind unclear"),
}
WAYS = {
    "catalog": Text("aus dem Verzeichnis", "from the catalog"),
    "scan": Text("ganzer Bestand durchsucht", "whole corpus scanned"),
}

# While an answer is being made
UNDERSTANDING = Text("Die Frage wird verstanden …", "Understanding the question …")
SEARCHING = Text("Sucht: {query}", "Searching: {query}")
FOUND = Text("{count} Textstellen in: {documents}", "{count} passages in: {documents}")
AGENT_TIME = Text(
    "Der Agent geht Schritt für Schritt vor, meist etwa {usual}; höchstens {steps} Schritte und "
    "{longest}.",
    "The agent works step by step, usually about {usual}; at most {steps} steps and {longest}.",
)
STEPS = Text("Schritte des Agenten ({count})", "Steps of the agent ({count})")
STEP = Text("Schritt {number}", "Step {number}")
UNDONE = Text("führte zu nichts, verworfen", "led nowhere, undone")
REFLECTION = Text("Zwischenbilanz", "Reflection")
TOOLS = {
    "retrieve_vector": Text("Textstellen suchen", "search passages"),
    "retrieve_graph": Text("Zusammenhänge suchen", "search relations"),
    "lookup_entity": Text("nachschlagen", "look up"),
    "compare_entities": Text("vergleichen", "compare"),
    "synthesize": Text("zusammenfassen", "sum up"),
    "verify_claim": Text("einen Satz prüfen", "check a sentence"),
    "database_stats": Text("im Verzeichnis nachsehen", "look into the catalog"),
    "ask_clarification": Text("nachfragen", "ask back"),
    "final_answer": Text("antworten", "answer"),
}
NOT_SHOWN = Text(
    "Wird Satz für Satz geprüft und belegt.", "Is checked and led to its places, by sentence."
)
YOUR_ANSWER = Text("Ihre Antwort", "Your answer")
GO_ON = Text("Ohne Antwort weiter", "Go on without an answer")
STOP = Text("Abbrechen", "Stop")
AGAIN = Text("Noch einmal fragen", "Ask again")

# Below an answer
PLACE = Text("Stelle", "Place")
WORDING = Text("Wortlaut", "Wording")
FORM = Text("Form", "Form")
UNDERSTOOD_AS = Text("Verstanden als: {question}", "Understood as: {question}")
WHY = Text("Warum so", "Why so")
REFUSED = Text("nicht in den Dokumenten", "not in the documents")
FROM_CACHE = Text("Suche aus dem Speicher", "search from memory")
QUOTES_ALONE = Text(
    "nur Zitate: {model} schreibt zu ungenau ({share} % belegt)",
    "quotes alone: {model} writes too loosely ({share} % proven)",
)
TOKENS = Text("{count} Token", "{count} tokens")
FACTOR = Text("Anteil", "Factor")
VALUE = Text("Wert", "Value")
FACTORS = {
    "query_type": Text("Art der Frage", "Kind of question"),
    "entity_count": Text("Genannte Dinge", "Things named"),
    "subquestion_count": Text("Teilfragen", "Parts of the question"),
    "keyword_matches": Text("Signalwörter", "Signal words"),
    "low_confidence": Text("Unsicherheit über die Art", "Doubt about the kind"),
}
SCORE = Text("Wertung {score}", "score {score}")
SEARCHED_FOR = Text("Gesucht wurde: {queries}", "Searched for: {queries}")
LEFT_OUT = Text("Weggelassen oder ersetzt", "Left out or replaced")
DEEPER = Text("Tiefer suchen", "Look deeper")
DEEPER_WHY = Text(
    "Dieselbe Frage noch einmal, mit mehr Textstellen.",
    "The same question again, with more passages.",
)
INSTEAD = {
    "structured": Text("Gegliedert", "Structured"),
    "agent": Text("Mit dem Agenten", "With the agent"),
}
"""Depths that the score or the person may want where a shallower one was taken."""

TO_RESEARCH = Text("Als Recherche fortsetzen", "Make it a research session")
TO_RESEARCH_WHY = Text(
    "Beginnt eine Recherche mit dieser Frage: nachfragen, Plan, Belege in Stufen, Bericht.",
    "Starts research with this question: clarification, plan, evidence in tiers, report.",
)
A_WORD = Text("Ein Wort dazu (freiwillig)", "A word on it (optional)")
THANKS = Text("Danke, das ist vermerkt.", "Thank you, noted.")
