"""What people wrote into a PDF later: the values of its fields, and comments on its pages."""

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import pypdfium2.raw as pdfium
from pypdfium2 import PdfDocument, PdfPage

from services.ingestion.parsers.extraction import clean
from services.ingestion.parsers.file_metadata import pdf_day

_CHECKED, _UNCHECKED = "\u2612", "\u2610"
_BOXES: Final = (pdfium.FPDF_FORMFIELD_CHECKBOX, pdfium.FPDF_FORMFIELD_RADIOBUTTON)
_TEXTS: Final = (
    pdfium.FPDF_FORMFIELD_COMBOBOX,
    pdfium.FPDF_FORMFIELD_LISTBOX,
    pdfium.FPDF_FORMFIELD_TEXTFIELD,
)
_NO_COMMENTS: Final = frozenset(
    {pdfium.FPDF_ANNOT_FILEATTACHMENT, pdfium.FPDF_ANNOT_LINK, pdfium.FPDF_ANNOT_WIDGET}
)
_PASSWORD: Final = 1 << 13
"""The flag of a field that shows no letters (PDF 32000-1, table 228)."""
_HIDDEN: Final = 2 | 32
"""The flags Hidden and NoView of an annotation (PDF 32000-1, table 165)."""


@dataclass(frozen=True, slots=True)
class FieldValue:
    """What a field of a form holds, in one line, and its box in the page's own points."""

    text: str
    box: tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class PageNotes:
    """What is on a page beside its text.

    ``values`` are the filled fields and all boxes to tick; ``comments`` say of each comment who
    wrote it and when; ``files`` are the names of attached files.
    """

    values: tuple[FieldValue, ...] = ()
    comments: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


NO_NOTES: Final = PageNotes()


def read_notes(document: PdfDocument, page: PdfPage) -> PageNotes:
    """Return what people wrote on a page, or attached to it; fields need initialised forms."""
    values: list[FieldValue] = []
    comments: list[tuple[str, str, bool]] = []
    files: list[str] = []
    for index in range(pdfium.FPDFPage_GetAnnotCount(page)):
        note = pdfium.FPDFPage_GetAnnot(page, index)
        kind = pdfium.FPDFAnnot_GetSubtype(note)
        if kind == pdfium.FPDF_ANNOT_WIDGET and document.formenv:
            values += _shown_value(document.formenv.raw, note)
        elif file := pdfium.FPDFAnnot_GetFileAttachment(note):
            files.append(_string(pdfium.FPDFAttachment_GetName, file))
        elif kind not in _NO_COMMENTS and (text := _stated(note, "Contents", "RC")):
            day = pdf_day(_stated(note, "M", "CreationDate"))
            written = filter(None, (_stated(note, "T"), day.isoformat() if day else ""))
            comments.append((text, ", ".join(written), kind == pdfium.FPDF_ANNOT_POPUP))
        pdfium.FPDFPage_CloseAnnot(note)
    written_out = {text for text, _, is_window in comments if not is_window}
    # The window of a comment may repeat it, without its author.
    comments_by = [
        by for text, by, is_window in comments if not (is_window and text in written_out)
    ]
    return PageNotes(tuple(values), tuple(comments_by), tuple(files))


def _stated(note: pdfium.FPDF_ANNOTATION, *keys: str) -> str:
    texts = (_string(pdfium.FPDFAnnot_GetStringValue, note, key.encode()) for key in keys)
    return next(filter(None, texts), "")


def _shown_value(form: pdfium.FPDF_FORMHANDLE, field: pdfium.FPDF_ANNOTATION) -> list[FieldValue]:
    box = pdfium.FS_RECTF()
    pdfium.FPDFAnnot_GetRect(field, box)
    is_hidden = pdfium.FPDFAnnot_GetFlags(field) & _HIDDEN
    text = _value(form, field)
    if not text or is_hidden or box.left == box.right or box.bottom == box.top:
        return []
    return [FieldValue(text, (box.left, box.bottom, box.right, box.top))]


def _value(form: pdfium.FPDF_FORMHANDLE, field: pdfium.FPDF_ANNOTATION) -> str:
    kind = pdfium.FPDFAnnot_GetFormFieldType(form, field)
    if kind in _BOXES:
        return _CHECKED if pdfium.FPDFAnnot_IsChecked(form, field) else _UNCHECKED
    is_secret = pdfium.FPDFAnnot_GetFormFieldFlags(form, field) & _PASSWORD
    if kind in _TEXTS and not (is_secret and kind == pdfium.FPDF_FORMFIELD_TEXTFIELD):
        return _string(pdfium.FPDFAnnot_GetFormFieldValue, form, field)
    return ""


def _string(get: Callable[..., int], *arguments: object) -> str:
    size = get(*arguments, None, 0)
    buffer = ctypes.create_string_buffer(size)
    get(*arguments, ctypes.cast(buffer, ctypes.POINTER(ctypes.c_ushort)), size)
    return " ".join(clean(buffer.raw[:size].decode("utf-16-le", "replace").rstrip("\0")).split())


def attached_names(document: PdfDocument) -> list[str]:
    count = pdfium.FPDFDoc_GetAttachmentCount(document.raw)
    files = (pdfium.FPDFDoc_GetAttachment(document.raw, index) for index in range(count))
    return [_string(pdfium.FPDFAttachment_GetName, file) for file in files]
