"""Texts of the thresholds of a collection, on the settings page."""

from app.texts.base import Text

THRESHOLDS = Text("Schwellen je Sammlung", "Thresholds by collection")
WHAT = Text(
    "Bewertungen von Antworten verschieben sie ein wenig: Nach schlechten bekommen ähnliche Fragen "
    "mehr Tiefe, nach guten weniger.",
    "Votes on answers move them a little: after bad ones such questions get more depth, after good "
    "ones less.",
)
NO_COLLECTIONS = Text(
    "Noch gibt es keine Sammlung. Legen Sie in der Bibliothek eine an.",
    "There is no collection yet. Create one in the library.",
)
COLLECTION = Text("Sammlung", "Collection")
NAMES = {
    "fast": Text("Mehr Tiefe ab {value}", "More depth from {value}"),
    "agent": Text("Agent ab {value}", "Agent from {value}"),
}
ORIGIN = {
    "default": Text("Vorgabe", "default"),
    "votes": Text("durch Bewertungen", "by votes"),
    "held": Text("festgehalten", "held"),
    "set": Text("eingestellt", "set"),
    "locked": Text("gesperrt", "locked"),
}
NO_VOTES = Text("Keine Bewertung betrifft sie.", "No vote tells of it.")
FEW_VOTES = Text(
    "Zu wenige oder zu gleichmäßige Bewertungen: {ups} gute, {downs} schlechte.",
    "Too few votes, or too even: {ups} good, {downs} bad.",
)
LOWERED = Text(
    "Um {by} gesenkt: {ups} gute und {downs} schlechte Bewertungen.",
    "Lowered by {by}: {ups} good and {downs} bad votes.",
)
RAISED = Text(
    "Um {by} gehoben: {ups} gute und {downs} schlechte Bewertungen.",
    "Raised by {by}: {ups} good and {downs} bad votes.",
)
HELD = Text(
    "Für diese Sammlung festgehalten; Bewertungen ändern nichts daran.",
    "Held for this collection; votes change nothing.",
)
BY_PARAMETER = Text(
    "Oben als Parameter eingestellt; das gilt für alle Sammlungen.",
    "Set above as a parameter, which holds for all collections.",
)
HOLD = Text("Festhalten, wie sie sind", "Hold as they are")
RELEASE = Text("Wieder Bewertungen folgen lassen", "Let votes move them again")
RESET = Text("Zurücksetzen: nur spätere Bewertungen zählen", "Reset: only later votes count")
WAS_RESET = Text(
    "Zurückgesetzt. Von jetzt an zählen nur neue Bewertungen.",
    "Reset. From now on only new votes count.",
)
