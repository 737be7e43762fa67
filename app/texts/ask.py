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
    "einzeln und sagt, was fehlt.",
    "Automatic depth follows the question. Enhanced looks for one and a half times as many "
    "passages. Structured works out what the answer needs, looks for each piece and says what is "
    "missing.",
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
TO_RESEARCH = Text("Als Recherche fortsetzen", "Make it a research session")
TO_RESEARCH_WHY = Text(
    "Beginnt eine Recherche mit dieser Frage: nachfragen, Plan, Belege in Stufen, Bericht.",
    "Starts research with this question: clarification, plan, evidence in tiers, report.",
)
A_WORD = Text("Ein Wort dazu (freiwillig)", "A word on it (optional)")
THANKS = Text("Danke, das ist vermerkt.", "Thank you, noted.")
