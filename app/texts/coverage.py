"""Texts around the matrix of coverage; what stands in it is said by ``agent.engine.pictures``."""

from app.texts.base import Text

NO_ROWS = Text("Ohne Plan gelaufen.", "Run without a plan.")
PICTURE = Text("Als Bild (SVG)", "As a picture (SVG)")
OF_REPORT = Text(
    "Aufgaben des Plans nach Dokumenten. Gefunden: zitiert aus Textstellen der Stufe 1 oder 2. "
    "Teilweise: nur Zitate der Stufe 3, oder Textstellen ohne Zitat. Fett: Dokumente mit Zitaten.",
    "Tasks of the plan by documents. Found: quoted from passages of tier 1 or 2. In part: only "
    "quotes of tier 3, or passages without a quote. Bold: documents with quotes.",
)
