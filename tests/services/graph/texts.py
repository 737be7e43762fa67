"""Short texts with sections, made of real snippets of German statutes and English regulations."""

from services.domain import SectionSpan
from services.graph.text import SourceText

EXPOSURE = """(1) Exposition ist die Einwirkung ionisierender Strahlung auf den menschlichen \
Körper durch Strahlungsquellen außerhalb des Körpers (äußere Exposition) und innerhalb des Körpers \
(innere Exposition) oder das Ausmaß dieser Einwirkung.

(2) Geplante Expositionssituation ist eine Expositionssituation, die durch Tätigkeiten entsteht.

(6) Exposition der Bevölkerung ist die Exposition von Personen, mit Ausnahme beruflicher Exposition.
"""
SUBSTANCES = """(1) Radioaktive Stoffe (Kernbrennstoffe und sonstige radioaktive Stoffe) im Sinne \
dieses Gesetzes sind alle Stoffe, die ein Radionuklid enthalten. Kernbrennstoffe sind besondere \
spaltbare Stoffe in Form von Plutonium 239. Keine radioaktiven Stoffe im Sinne dieses Gesetzes \
sind andere Stoffe. Der Ausdruck „angereichertes Uran“ bedeutet Uran, das Isotope enthält.
"""
TERMS = """(1) Abfälle: Alle Stoffe und Gegenstände, die Abfälle im Sinne des § 3 Absatz 1 des \
Kreislaufwirtschaftsgesetzes sind. Keine Abfälle im Sinne dieses Gesetzes sind Reststoffe.

(7) Beruflich exponierte Person: Eine Person, die eine berufliche Exposition erhalten kann, die \
1. eine effektive Dosis von 1 Millisievert im Kalenderjahr überschreitet.

(11) Oberflächenkontamination, nicht festhaftende: Verunreinigung einer Oberfläche.

(12) Des Weiteren ist im Sinne dieses Gesetzes: 1. kerntechnische Anlage: ortsfeste Anlagen; \
2. nukleare Sicherheit:das Erreichen ordnungsgemäßer Betriebsbedingungen.
"""
DUTIES = """(1) Strahlenschutzverantwortlicher ist, wer einer Genehmigung bedarf. Die zuständige \
Behörde beteiligt die Strahlenschutzkommission (SSK).

(2) Der Strahlenschutzverantwortliche sorgt dafür, dass äußere Expositionen und Abfälle vermieden \
werden; für beruflich exponierte Personen beträgt der Grenzwert 20 mSv im Kalenderjahr. Ab dem \
31. Dezember 2018 gilt ein Grenzwert von 0,02 Sv. Verantwortlich für einen Arbeitsplatz ist, wer \
dort arbeitet.

(3) Der Verpflichtete hat ein Konzept über die Verwertung der Rückstände (Rückstandskonzept) zu \
erstellen. Das Rückstandskonzept (siehe Anlage) ist der SSK vorzulegen (weggefallen).
"""
ENGLISH = """For the purposes of this Regulation, the following apply.

(1) 'personal data' means any information relating to an identified natural person;

(2) "processing" means any operation which is performed on personal data;

The controller (hereinafter "the Company") keeps personal data. A generic type refers to a type \
with parameters. The World Health Organization (WHO) was heard. The WHO agreed.
"""


def law(
    *bodies: tuple[str, str], language: str = "de", title: str = "Gesetz (StrlSchG)"
) -> SourceText:
    """A text of sections with these headings and bodies, all of one level."""
    text, sections = f"{title}\n\n", []
    for heading, body in bodies:
        start = len(text)
        text += f"{heading}\n\n{body}\n"
        sections.append(
            SectionSpan(
                label=" ".join(heading.split()[:2]),
                title=heading,
                level=0,
                start=start,
                end=len(text),
                heading_path=(heading,),
            )
        )
    return SourceText("t" * 64, title, text, language, tuple(sections))


SMALL_LAW = law(
    ("§ 2 Exposition; Expositionssituationen", EXPOSURE),
    ("§ 3 Begriff der radioaktiven Stoffe", SUBSTANCES),
    ("§ 5 Sonstige Begriffsbestimmungen", TERMS),
    ("§ 69 Strahlenschutzverantwortlicher", DUTIES),
)
ENGLISH_LAW = law(("Article 4 Definitions", ENGLISH), language="en", title="Regulation")
