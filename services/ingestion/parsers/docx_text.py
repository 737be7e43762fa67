"""The text that Word shows of a paragraph: runs, symbols, fields, marks of notes."""

from collections import Counter
from functools import partial
from typing import Final, Literal

from docx.oxml.xmlchemy import BaseOxmlElement

from services.ingestion.parsers.docx_styles import MC, Styles, W, is_on, value
from services.ingestion.parsers.formulas import M, formula
from services.ingestion.parsers.numbering import format_number
from services.ingestion.parsers.superscripts import to_superscript
from services.ingestion.parsers.symbols import UNKNOWN, symbol, symbols

_TEXT: Final = {f"{W}t", f"{M}t"}
_SPACES: Final = {f"{W}tab": "\t", f"{W}br": "\n", f"{W}cr": "\n", f"{W}noBreakHyphen": "-"}
_BOX: Final = f"{W}txbxContent"
# Properties, deleted text, the second copy of drawings, how a word is spoken.
_SKIPPED: Final = {f"{W}pPr", f"{W}rPr", f"{W}del", f"{W}moveFrom", f"{MC}Fallback", f"{W}rt"}
_UNREAD: Final = {
    f"{W}commentReference": "comments",
    f"{W}object": "objects",
    "{http://schemas.openxmlformats.org/drawingml/2006/chart}chart": "drawings",
    "{http://schemas.openxmlformats.org/drawingml/2006/diagram}relIds": "drawings",
}
_TICKED, _UNTICKED = "\N{BALLOT BOX WITH X}", "\N{BALLOT BOX}"
NoteKind = Literal["footnote", "endnote"]
_NOTES: Final[dict[str, NoteKind]] = {
    f"{W}footnoteReference": "footnote",
    f"{W}endnoteReference": "endnote",
}


class TextReader:
    """Reads paragraphs in the order of the document.

    What stands outside the line is set aside: ``boxes`` are text boxes anchored in what was read,
    ``notes`` the kinds, ids and marks of its footnotes and endnotes. The caller takes them out.

    Args:
        formats: how footnotes and endnotes are numbered.
        losses: where it counts what it leaves out.
    """

    def __init__(self, styles: Styles, formats: dict[NoteKind, str], losses: Counter[str]) -> None:
        self._styles = styles
        self._formats = formats
        self._losses = losses
        self._counts = Counter[str]()
        self.boxes: list[BaseOxmlElement] = []
        self.notes: list[tuple[NoteKind, str, str]] = []

    def text(self, paragraph: BaseOxmlElement) -> str:
        return self._read(paragraph, self._styles.of_paragraph(paragraph))

    def is_bold(self, paragraph: BaseOxmlElement) -> bool:
        """Return whether all text of a paragraph is set in bold."""
        runs = [run for run in paragraph.iter(f"{W}r") if "".join(run.itertext(f"{W}t")).strip()]
        marks = [run.find(f"{W}rPr/{W}b") for run in runs]
        return bool(marks) and all(mark is not None and is_on(mark) for mark in marks)

    def _read(self, element: BaseOxmlElement, style: str, font: str = "") -> str:
        texts: list[str] = []
        for child in element:
            tag = child.tag
            if tag in _TEXT:
                texts.append(symbols(font, child.text or ""))
            elif tag == f"{W}r":
                texts.append(self._run(child, style))
            elif tag in _SPACES:
                texts.append(_SPACES[tag])
            elif tag in _SKIPPED:
                continue
            elif tag == _BOX:
                self.boxes.append(child)
            elif tag == f"{W}sym":
                code = int(value(child, "char") or "20", 16)
                texts.append(symbol(value(child, "font") or "", code))
            elif tag in _NOTES:
                texts.append(self._mark(child, _NOTES[tag]))
            elif tag == f"{W}ffData":
                texts.append(_field_value(child))
            elif tag in _UNREAD:
                self._losses[_UNREAD[tag]] += 1
            else:
                math = formula(child, partial(self._read, style=style)) if _is_math(tag) else None
                texts.append(self._read(child, style) if math is None else math)
        return "".join(texts)

    def _run(self, run: BaseOxmlElement, style: str) -> str:
        properties = self._styles.run_properties(run, style)
        hidden = "vanish" in properties
        if hidden or "strike" in properties or "dstrike" in properties:
            text = "".join(run.itertext(f"{W}t"))
            self._losses["hidden" if hidden else "struck"] += bool(text.strip())
            return ""
        notes = len(self.notes)
        text = self._read(run, style, properties.get("font", ""))
        self._losses["symbols"] += text.count(UNKNOWN)
        is_raised = properties.get("vertAlign") == "superscript" and len(self.notes) == notes
        return to_superscript(text) if is_raised else text

    def _mark(self, reference: BaseOxmlElement, kind: NoteKind) -> str:
        """Return the mark of a note; one that the author chose follows it as text."""
        mark = ""
        if value(reference, "customMarkFollows") in (None, "0", "false"):
            self._counts[kind] += 1
            number = self._counts[kind]
            mark = f"[{format_number(number, self._formats[kind]) or number}]"
        self.notes.append((kind, value(reference, "id") or "", mark))
        return mark


def _is_math(tag: object) -> bool:
    return isinstance(tag, str) and tag.startswith(M)


def _field_value(field: BaseOxmlElement) -> str:
    """Return what a field of a form shows beside its text: a box, a choice of a list."""
    if (box := field.find(f"{W}checkBox")) is not None:
        state = box.find(f"{W}checked")
        state = box.find(f"{W}default") if state is None else state
        return _TICKED if state is not None and is_on(state) else _UNTICKED
    if (choice := field.find(f"{W}ddList")) is not None:
        entries = [value(entry) or "" for entry in choice.iterfind(f"{W}listEntry")]
        index = value(choice.find(f"{W}result")) or value(choice.find(f"{W}default")) or "0"
        return entries[int(index)] if index.isdecimal() and int(index) < len(entries) else ""
    return ""
