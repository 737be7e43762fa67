"""What quick answers say: refusals of a question, a vote, a scan or a rewriting."""

from agent.messages.base import Message

MESSAGES = (
    Message(
        "ask.length",
        "A question needs 1 to {most} characters.",
        "Eine Frage braucht 1 bis {most} Zeichen.",
    ),
    Message(
        "ask.choice",
        "A depth is one of {depths}; k is 1 to 100.",
        "Die Tiefe ist eine von {depths}, und k liegt zwischen 1 und 100.",
    ),
    Message(
        "ask.is-research",
        "Thread {thread} is a research. Ask without --thread.",
        "{thread} ist eine Recherche. Beginnen Sie für die Frage ein neues Gespräch.",
    ),
    Message(
        "ask.other-collections",
        "Thread {thread} asks {collections}. Ask others in a new one.",
        "Das Gespräch {thread} fragt {collections}. Fragen Sie andere Sammlungen in einem neuen.",
    ),
    Message(
        "ask.busy",
        "Thread {thread} is answering already. Wait for it.",
        "Das Gespräch {thread} antwortet gerade. Warten Sie die Antwort ab.",
    ),
    Message(
        "ask.answered",
        "Thread {thread} has answered. Ask on: rabbithole ask --thread {same} …",
        "Das Gespräch {thread} hat geantwortet. Fragen Sie dort weiter ({same}).",
    ),
    Message(
        "ask.idle",
        "Thread {thread} is answering nothing now.",
        "Das Gespräch {thread} beantwortet gerade nichts.",
    ),
    Message(
        "ask.no-research",
        "Thread {thread} is a conversation of quick answers; only research can be forked and its "
        "evidence restored. Turn its question into a research: rabbithole research QUESTION.",
        "{thread} ist ein Gespräch mit schnellen Antworten. Verzweigen und Zurückholen gibt es nur "
        "bei einer Recherche: Setzen Sie die Frage als Recherche fort.",
    ),
    Message(
        "ask.no-such-answer",
        "Thread {thread} has no answer of that number to vote on.",
        "Das Gespräch {thread} hat keine Antwort mit dieser Nummer.",
    ),
    Message(
        "ask.no-such-turn",
        "There is no turn {turn}. Name one from 0 on.",
        "Die Antwort {turn} gibt es nicht. Gezählt wird ab 0.",
    ),
    Message(
        "ask.word-too-long",
        "A word on an answer has at most {most} characters, not {length}. Shorten it.",
        "Ein Wort zu einer Antwort hat höchstens {most} Zeichen, nicht {length}. Kürzen Sie es.",
    ),
    Message(
        "ask.scan-term",
        "A scan needs a word or phrase of up to {most} characters, not {term}.",
        "Gezählt wird ein Wort oder eine Wendung von höchstens {most} Zeichen, nicht {term}.",
    ),
    Message(
        "ask.no-text",
        "The catalog holds no text {text}….",
        "Der Text {text}… steht nicht im Verzeichnis.",
    ),
    Message(
        "ask.agent-failed",
        "the agent failed ({reason}): fast instead",
        "Der Agent kam nicht weiter ({reason}). Geantwortet wurde auf dem schnellen Weg.",
    ),
    # Why a question is answered at a depth
    Message("route.below", "score {score} is below {bound}", "Wertung {score}, unter {bound}"),
    Message("route.from", "score {score} is from {bound} up", "Wertung {score}, ab {bound}"),
    Message("route.chosen", "chosen by the person who asks", "so gewählt"),
    Message(
        "route.no-model",
        "{reason}; the agent needs a language model to think, and none is in use: enhanced instead",
        "{reason}. Der Agent braucht ein Sprachmodell, und es ist keines da: erweitert gesucht.",
    ),
    Message(
        "route.too-slow",
        "{reason}; the agent usually takes about {seconds} s with this model: enhanced instead",
        "{reason}. Der Agent braucht mit diesem Sprachmodell meist etwa {seconds} s: erweitert "
        "gesucht.",
    ),
    Message(
        "route.catalog",
        "the question is about the documents themselves, the catalog knows",
        "Die Frage gilt den Dokumenten selbst, das weiß das Verzeichnis.",
    ),
    Message(
        "route.scan",
        "every place of {term} counts, so all texts are read",
        "Jede Stelle von {term} zählt, deshalb werden alle Texte gelesen.",
    ),
    # What a rewriting of a follow-up was refused for
    Message(
        "rewrite.length",
        "write one question of 1 to {most} characters",
        "es soll eine Frage von 1 bis {most} Zeichen sein",
    ),
    Message(
        "rewrite.words",
        "keep the words of the follow-up; missing: {words}",
        "Wörter der Nachfrage fehlen: {words}",
    ),
    Message(
        "rewrite.added-number",
        "use no number that was not mentioned before",
        "eine Zahl kommt hinzu, die niemand genannt hat",
    ),
    Message(
        "rewrite.lost-number",
        "keep the numbers of the follow-up",
        "eine Zahl der Nachfrage fehlt",
    ),
    Message(
        "rewrite.unsaid",
        "name what the conversation was about; the follow-up does not",
        "worum es im Gespräch ging, fehlt noch immer",
    ),
    Message(
        "answer.declined",
        "the model saw no answer in passages that say enough: they are quoted",
        "Das Sprachmodell sah in den Stellen keine Antwort. Sie sagen aber genug und sind zitiert.",
        "The model saw no answer in the passages. They say enough, so they are quoted.",
    ),
    Message(
        "structured.nothing-required",
        "required_info must name at least one piece of information",
        "der Plan nennt keine einzige Angabe, die man kennen muss",
    ),
    Message(
        "structured.empty-query",
        "a query is empty; write what to search for",
        "eine Suchanfrage des Plans ist leer",
    ),
    Message(
        "structured.invented",
        "use no number or section the question does not have: {numbers}",
        "der Plan nennt Zahlen, die nicht in der Frage stehen: {numbers}",
    ),
    Message(
        "structured.beside-the-question",
        "required_info must be about the question, in its words",
        "der Plan hat mit der Frage nichts zu tun",
    ),
)
