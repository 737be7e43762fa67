"""The texts of a research about German radiation protection law."""

from services.domain.events import PlanItem

LAW = "StrlSchG.pdf"
QUESTION = (
    "Welche Dosisgrenzwerte gelten für beruflich exponierte Personen unter 18 Jahren, "
    "und welche Ausnahmen kann die Behörde zulassen?"
)
ANSWER = "Vor allem die effektive Dosis; Organdosen nur am Rand."
LIMIT = (
    "Für Personen unter 18 Jahren beträgt der Grenzwert der effektiven Dosis "
    "1 Millisievert im Kalenderjahr."
)
EXCEPTION = (
    "Abweichend davon kann die zuständige Behörde für Auszubildende und Studierende im Alter "
    "zwischen 16 und 18 Jahren einen Grenzwert von 6 Millisievert im Kalenderjahr für die "
    "effektive Dosis festlegen, wenn dies zur Erreichung des Ausbildungszieles notwendig ist."
)
ORGANS = (
    "Der Grenzwert der Organ-Äquivalentdosis beträgt für Personen unter 18 Jahren für die "
    "Augenlinse 15 Millisievert im Kalenderjahr."
)
HOSTILE = (
    '![x](http://evil.example/a.png) <img src="http://evil.example/b.png"> '
    "[hier klicken](http://evil.example/c) http://evil.example/d www.evil.example "
    "<script>window.pwned=1</script> :red[rot] $x^2$ # Titel"
)
ITEMS = (
    PlanItem(
        id=1,
        task="Grenzwerte der effektiven Dosis für Personen unter 18 bestimmen",
        context="§ 78 Abs. 3 StrlSchG gefunden",
    ),
    PlanItem(
        id=2,
        task="Ausnahmen der zuständigen Behörde für Auszubildende klären",
        context="Lücke: Ausnahme",
    ),
    PlanItem(
        id=3,
        task="Organ-Äquivalentdosen für Personen unter 18 Jahren zusammenstellen",
        context="§ 78 Abs. 3 Satz 2 gefunden",
    ),
    PlanItem(id=4, task="Messung der Dosis von Jugendlichen", context="Lücke: Messung"),
)
