"""Write the office files of the reading questions: a contract, its amendment, prices, minutes.

    python -m tests.benchmarks.reading.office_files FOLDER

The firms and their figures are invented. The same texts come out of every run.
"""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from docx import Document
from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import Flowable, Paragraph, SimpleDocTemplate, Table, TableStyle

CONTRACT = (
    "Wartungsvertrag für Aufzugsanlagen",
    """Vertrag Nr. WV-2024-017 vom 12. März 2024 zwischen der Lindenhof Hausverwaltung GmbH, Kiel
(Auftraggeberin), und der Nordlift Service AG, Lübeck (Auftragnehmerin).

# § 1 Gegenstand
(1) Die Auftragnehmerin wartet die sechs Aufzugsanlagen der Liegenschaft Lindenhof 3 bis 13.
(2) Reparaturen, deren Kosten je Vorgang 600 Euro netto übersteigen, gehören nicht zur Wartung.
Sie werden nur nach schriftlichem Auftrag ausgeführt.

# § 2 Begriffe
(1) Störung ist jeder Zustand, in dem eine Anlage keine Fahrten mehr ausführt.
(2) Notbetrieb ist ein Zustand, in dem eine Anlage nur noch die Haupthaltestelle anfährt.
(3) Personeneinschluss ist eine Störung, bei der Personen den Fahrkorb nicht verlassen können.

# § 3 Wartungsintervalle
(1) Jede Anlage wird viermal im Jahr gewartet, davon einmal zusammen mit der Prüfung durch die
zugelassene Überwachungsstelle.
(2) Die Auftragnehmerin kündigt Termine mindestens zehn Werktage vorher in Textform an.

# § 4 Reaktionszeiten
(1) Bei einer Störung trifft ein Techniker spätestens vier Stunden nach der Meldung ein.
(2) Bei Personeneinschluss beträgt die Frist 45 Minuten, auch nachts und an Feiertagen.
(3) Bei Notbetrieb genügt das Eintreffen am folgenden Werktag bis 12 Uhr.
(4) Die Fristen ruhen, solange die Auftraggeberin den Zugang zum Maschinenraum nicht gewährt.

# § 5 Vergütung
(1) Die Pauschale beträgt 1.840 Euro netto je Quartal und Anlage. Sie ist am dritten Werktag des
Quartals fällig.
(2) Einsätze zwischen 20 Uhr und 6 Uhr werden mit einem Zuschlag von 45 Prozent auf den
Stundensatz von 96 Euro berechnet. Das gilt nicht bei Personeneinschluss.
(3) Die Auftragnehmerin darf die Pauschale einmal im Jahr anpassen, höchstens um 3 Prozent.
Die Anpassung wird frühestens drei Monate nach ihrer Ankündigung wirksam.

# § 6 Vertragsstrafe
(1) Überschreitet die Auftragnehmerin eine Frist des § 4, zahlt sie 150 Euro je angefangene Stunde.
(2) Im Kalenderjahr werden höchstens 5 Prozent der Jahresvergütung fällig.
(3) Bei höherer Gewalt und in den Fällen des § 4 Absatz 4 entfällt die Vertragsstrafe.

# § 7 Unterauftragnehmer
(1) Die Auftragnehmerin darf Unterauftragnehmer einsetzen, die nach DIN EN 13015 arbeiten.
(2) Ihr Einsatz ist der Auftraggeberin fünf Werktage vorher anzuzeigen.

# § 8 Haftung
(1) Die Auftragnehmerin haftet für leichte Fahrlässigkeit bis 500.000 Euro je Schadensfall.
(2) Die Begrenzung gilt nicht für Schäden an Leben, Körper und Gesundheit.

# § 9 Laufzeit und Kündigung
(1) Der Vertrag beginnt am 1. April 2024 und läuft bis zum 31. März 2027.
(2) Er verlängert sich um jeweils ein Jahr, wenn er nicht sechs Monate vor Ablauf gekündigt wird.
(3) Die Auftraggeberin darf mit einer Frist von drei Monaten zum Quartalsende kündigen, wenn in
zwei aufeinander folgenden Quartalen die Höchstgrenze des § 6 Absatz 2 erreicht wurde.

# § 10 Dokumentation
(1) Jeder Einsatz wird im Anlagenbuch vermerkt. Die Vermerke werden zehn Jahre aufbewahrt.
(2) Messprotokolle der Fangvorrichtung werden drei Jahre aufbewahrt.
""",
)
AMENDMENT = (
    "Nachtrag Nr. 1 zum Wartungsvertrag",
    """Nachtrag vom 3. Februar 2025 zum Wartungsvertrag Nr. WV-2024-017 vom 12. März 2024 zwischen
der Lindenhof Hausverwaltung GmbH, Kiel, und der Nordlift Service AG, Lübeck.

# 1. Änderung der Vergütung
In § 5 Absatz 1 des Vertrages wird der Betrag „1.840 Euro“ durch den Betrag „1.975 Euro“ ersetzt.
Die Änderung gilt ab dem 1. April 2025.

# 2. Neufassung von § 7 Absatz 2
§ 7 Absatz 2 des Vertrages wird wie folgt gefasst: „Der Einsatz von Unterauftragnehmern bedarf der
vorherigen schriftlichen Zustimmung der Auftraggeberin. Die Zustimmung gilt nach zehn Werktagen
als erteilt, wenn die Auftraggeberin schweigt.“

# 3. Neue Anlage
Die Anlage Lindenhof 15 tritt als siebte Anlage hinzu. Für sie beginnt die Vergütungspflicht am
1. Juli 2025.

# 4. Übrige Regelungen
Im Übrigen gilt der Vertrag unverändert fort.
""",
)
MINUTES = (
    "Steering committee Lindenhof, minutes of 18 March 2025 / Protokoll vom 18. März 2025",
    """Present / anwesend: Ms Brandt (chair), Mr Okafor (Nordlift), Herr Petersen, Frau Yıldız.
Minutes taken by / Protokoll: Herr Petersen.

# TOP 1 Modernisierung Anlage 4
Der Ausschuss gibt für die neue Steuerung der Anlage 4 höchstens 38.500 Euro netto frei. Der
Auftrag wird erst erteilt, wenn drei Angebote vorliegen; bisher sind es zwei.
Frau Yıldız fragt bei der Bank an, ob der Zuschuss von 15 Prozent auch für Steuerungen gilt.

# TOP 2 Störungen im ersten Quartal
Es gab elf Störungen, davon sieben an Anlage 2. In zwei Fällen wurde die Frist von vier Stunden
überschritten, einmal um drei und einmal um fünf angefangene Stunden. Ein Personeneinschluss kam
nicht vor.

# TOP 3 Beschwerden der Mieter
Herr Petersen beantwortet die vier Beschwerden über Lärm im Haus 9 bis zum 28. März 2025.

# Item 4 Subcontractor for the night shift
Mr Okafor asks for consent to use Hanse Elevator Ltd for night calls. The committee refuses for
now: the certificate under EN 13015 expired on 31 January 2025. It decides again once a valid
certificate is on the table.

# Item 5 Emergency phones
All cabin phones move from 2G to 4G before 30 September 2025. The cost of 410 euros per lift is
borne by Nordlift for five lifts; the owner pays for the other two because they were altered by
a third party.

# Item 6 Next meeting
The committee meets again on 17 June 2025 at 10:00 in Kiel. Ms Brandt is on leave that week, so
Herr Petersen takes the chair.
""",
)
PARTS = """
Door operator belt;38.40;3|Door operator motor;412.00;12|Door contact switch;21.90;2
Door gib, pair;9.80;2|Door roller 60 mm;14.25;2|Door roller 80 mm;16.10;3
Light curtain, 154 beams;389.00;7|Light curtain cable 5 m;44.00;4|Landing door lock;127.50;6
Landing call button;33.70;3|Landing indicator, 7 segment;96.00;8|Landing indicator, TFT;244.00;15
Cabin call button;29.90;3|Cabin call button, Braille;36.50;5|Cabin fan;118.00;6
Cabin lamp LED 9 W;24.60;2|Cabin floor sensor;203.00;10|Emergency light unit;87.40;4
Emergency phone 4G;356.00;9|Emergency phone battery;52.00;3|Intercom panel;148.00;7
Brake coil 110 V;276.00;14|Brake coil 230 V;291.00;14|Brake lining, pair;174.00;9
Traction sheave 400 mm;1,280.00;28|Traction sheave 480 mm;1,465.00;35
Traction rope 8 mm, metre;7.35;5|Traction rope 10 mm, metre;9.90;5
Rope clamp 8 mm;6.20;2|Rope clamp 10 mm;7.40;2
Governor rope 6 mm, metre;4.85;4|Speed governor 1.0 m/s;538.00;16
Speed governor 1.6 m/s;562.00;16|Tension weight;143.00;8|Guide shoe, cabin;61.00;5
Guide shoe, counterweight;57.00;5
Guide shoe insert;12.30;2|Buffer, polyurethane;79.00;6|Buffer, hydraulic;648.00;21
Frequency inverter 7.5 kW;1,890.00;18|Frequency inverter 11 kW;2,340.00;18
Encoder 1024 pulses;318.00;11|Control board A2;905.00;20|Control board B1;1,120.00;20
Power supply 24 V;132.00;4
Contactor 25 A;68.00;3|Contactor 40 A;94.00;3|Safety relay;216.00;5
"""
NOTES = """
Prices are net in euros per unit and hold from 1 January to 31 December 2025. VAT of 19 % is added.
Orders of ten or more units of one part receive a discount of 5 %; control boards are excluded.
Express delivery within Germany costs 35 euros per order and halves the lead time, rounded up to
whole days. Traction sheaves cannot be sent by express. Parts can be returned within 14 days if they
are unopened; ropes cut to length are not taken back."""


def write_docx(path: Path, title: str, text: str) -> None:
    """Write paragraphs, and headings where a paragraph begins with ``#``."""
    document = Document()
    document.add_heading(title, level=0)
    for block in text.strip().split("\n\n"):
        heading, _, body = block.partition("\n") if block.startswith("# ") else ("", "", block)
        if heading:
            document.add_heading(heading.removeprefix("# "), level=1)
        for paragraph in _paragraphs(body):
            document.add_paragraph(paragraph)
    document.save(str(path))


def _paragraphs(body: str) -> Iterator[str]:
    """Paragraphs of wrapped lines; a line that begins with ``(1)`` begins a paragraph."""
    lines: list[str] = []
    for line in body.splitlines():
        if line.startswith("(") and line[1].isdigit() and lines:
            yield " ".join(lines)
            lines = []
        lines.append(line)
    yield " ".join(lines)


def rows() -> list[list[str]]:
    """The price list: number, part, net price and lead time of each part."""
    parts = [part.split(";") for line in PARTS.split("\n") for part in line.split("|") if part]
    return [[f"NL-{1000 + 10 * n}", *part] for n, part in enumerate(parts, start=1)]


def write_prices(path: Path) -> None:
    """Write the price list as a PDF: the notes, then one table over two pages."""
    head = ["Part no.", "Part", "Net price (EUR)", "Lead time (working days)"]
    style = TableStyle([("GRID", (0, 0), (-1, -1), 0.5, colors.grey)])
    styles = getSampleStyleSheet()
    content: Sequence[Flowable] = [
        Paragraph("Nordlift spare parts price list 2025", styles["Title"]),
        Paragraph("1. Terms", styles["Heading1"]),
        Paragraph(NOTES, styles["BodyText"]),
        Paragraph("2. Prices", styles["Heading1"]),
        Table([head, *rows()], repeatRows=1, style=style),
    ]
    SimpleDocTemplate(str(path), pagesize=A4, invariant=1).build(list(content))


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    write_docx(folder / "wartungsvertrag-lindenhof.docx", *CONTRACT)
    write_docx(folder / "nachtrag-1-lindenhof.docx", *AMENDMENT)
    write_docx(folder / "minutes-2025-03-18.docx", *MINUTES)
    write_prices(folder / "nordlift-price-list-2025.pdf")


if __name__ == "__main__":
    main()
