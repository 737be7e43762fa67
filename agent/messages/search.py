"""What a search, its parameters and its profiles say."""

from agent.messages.base import Message

MESSAGES = (
    Message(
        "search.reranking-failed",
        "Reranking ({reranker}) failed, hits keep the search's order: {reason}",
        "Der zweite Blick ({reranker}) ist gescheitert, die Treffer stehen in der Reihenfolge der "
        "Suche: {reason}",
    ),
    Message(
        "search.empty",
        "The query is empty. Say what to search for.",
        "Die Suche ist leer. Schreiben Sie, wonach gesucht werden soll.",
    ),
    Message(
        "search.query-length",
        "A query needs 1 to {most} characters.",
        "Eine Suche braucht 1 bis {most} Zeichen.",
    ),
    Message(
        "search.no-hits-wanted",
        "k is {k}, but a search returns at least 1 hit.",
        "Verlangt sind {k} Treffer, eine Suche liefert aber mindestens einen.",
    ),
    Message(
        "search.hits-bounds",
        "The number of hits must be 1 to {most}, not {k}.",
        "Die Zahl der Treffer muss zwischen 1 und {most} liegen, nicht bei {k}.",
    ),
    Message(
        "search.unknown-mode",
        "Unknown mode '{mode}': use one of {modes}.",
        "Die Art der Suche {mode} gibt es nicht, nur: {modes}.",
    ),
    Message(
        "search.unknown-document",
        "There is no document '{document}' in what is searched. `rabbithole documents list` shows "
        "the names.",
        "Das Dokument „{document}“ ist nicht in dem, was durchsucht wird. Die Bibliothek zeigt die "
        "Namen.",
        "There is no document “{document}” in what is searched. The library shows the names.",
    ),
    Message(
        "search.graph-loading",
        "The knowledge graph is large and is being loaded; this answer was found without it. Ask "
        "again in a minute.",
        "Der Wissensgraph ist groß und wird gerade geladen; diese Antwort wurde ohne ihn gefunden. "
        "Fragen Sie in einer Minute noch einmal.",
    ),
    # Parameters and profiles
    Message(
        "parameter.unknown",
        "There is no parameter '{key}'. There are: {keys}.",
        "Den Parameter {key} gibt es nicht. Es gibt: {keys}.",
    ),
    Message(
        "parameter.no-boolean",
        "{key}: true and false are no values of it.",
        "{key}: „true“ und „false“ sind dafür keine Werte.",
    ),
    Message(
        "parameter.refused", "{key}: {reason}, not {value}.", "{key}: {reason}, nicht {value}."
    ),
    Message(
        "parameter.at-least",
        "Input should be greater than or equal to {minimum}",
        "Der Wert muss mindestens {minimum} sein",
    ),
    Message(
        "parameter.at-most",
        "Input should be less than or equal to {maximum}",
        "Der Wert darf höchstens {maximum} sein",
    ),
    Message(
        "parameter.integer",
        "Input should be a valid integer",
        "Der Wert muss eine ganze Zahl sein",
    ),
    Message(
        "parameter.integer-text",
        "Input should be a valid integer, unable to parse string as an integer",
        "Der Wert muss eine ganze Zahl sein",
    ),
    Message(
        "parameter.integer-fraction",
        "Input should be a valid integer, got a number with a fractional part",
        "Der Wert muss eine ganze Zahl sein",
    ),
    Message(
        "parameter.number",
        "Input should be a valid number",
        "Der Wert muss eine Zahl sein",
    ),
    Message(
        "parameter.number-text",
        "Input should be a valid number, unable to parse string as a number",
        "Der Wert muss eine Zahl sein",
    ),
    Message(
        "parameter.text-length",
        "String should have at most {most} characters",
        "Der Text darf höchstens {most} Zeichen haben",
    ),
    Message(
        "parameter.choice",
        "Input should be {choices}",
        "Der Wert muss einer von diesen sein: {choices}",
    ),
    Message(
        "parameter.profile-only",
        "{key} belongs to a profile: name one with --profile.",
        "{key} gehört zu einem Profil: Wählen Sie eines.",
        "{key} belongs to a profile: choose one.",
    ),
    Message(
        "parameter.admins-only",
        "Only an admin can {act}. Admins are: {admins}.",
        "Nur die Administration kann {act}. Zu ihr gehört: {admins}.",
    ),
    Message(
        "profile.name",
        "A profile needs a name of 1 to {most} printable characters, not '{name}'.",
        "Ein Profil braucht einen Namen aus 1 bis {most} druckbaren Zeichen, nicht „{name}“.",
    ),
    Message(
        "profile.off",
        "The profile '{profile}' is switched off. Switch it on with: rabbithole config set enabled "
        "true --profile {same}",
        "Das Profil „{profile}“ ist ausgeschaltet. Schalten Sie es in den Einstellungen ein.",
        "The profile “{profile}” is switched off. Switch it on in the settings.",
    ),
    Message(
        "profile.unknown",
        "You have no profile '{profile}' (yours: {names}). Make it with: rabbithole config set KEY "
        "VALUE --profile {same}",
        "Sie haben kein Profil „{profile}“ (Ihre: {names}). Legen Sie es in den Einstellungen an.",
        "You have no profile “{profile}” (yours: {names}). Make it in the settings.",
    ),
)
